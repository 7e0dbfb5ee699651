/** The start page: samples of the page's own server, and public data. Loaded on demand. */
import { h } from "../base/dom.js";
import { readQuery } from "../model/query.js";
import { publicData, publicDataNote } from "../source/public-data.js";

/** Cards of the samples, followed by public data. */
export function galleryView(offers: readonly Offer[], open: OpenLink): HTMLElement {
  const cards = offers.filter(({ text }) => text !== "");
  const others = offers.filter(({ text }) => text === "");
  return h(
    "div",
    { class: "page-gallery" },
    cards.length > 0 && h("h2", {}, "Samples"),
    cards.length > 0 &&
      h(
        "ul",
        { class: "page-cards" },
        ...cards.map((offer) =>
          h(
            "li",
            {},
            link(
              offerHref(offer),
              open,
              {},
              h("div", { class: "page-thumbnail", "data-query": offerHref(offer), "aria-hidden": "true" }),
              h("b", {}, offer.title),
              h("span", {}, offer.text),
            ),
          ),
        ),
      ),
    others.length > 0 &&
      h(
        "ul",
        { class: "page-links", "aria-label": "Small arrays" },
        ...offerLinks(others, open).map((one) => h("li", {}, one)),
      ),
    h("h2", {}, "Public data"),
    h("p", {}, publicDataNote),
    ...Object.entries(publicData).flatMap(([field, list]) => [
      h("h3", {}, `${field[0]!.toUpperCase()}${field.slice(1)}`),
      h(
        "ul",
        { class: "page-public" },
        ...list.map((data) =>
          h(
            "li",
            {},
            link(offerHref({ ...data, view: {} }), open, {}, data.title),
            ` ${data.text} `,
            h("span", { class: "page-owner" }, data.owner),
          ),
        ),
      ),
    ]),
  );
}

/** Fills in the thumbnails of the cards one by one; errors leave a card without one. */
export async function fillThumbnails(gallery: HTMLElement, signal: AbortSignal): Promise<void> {
  const places = [...gallery.querySelectorAll<HTMLElement>(".page-thumbnail:empty")];
  if (places.length === 0) return;
  const { drawThumbnail } = await import("../element/thumbnail.js");
  for (const place of places) {
    if (signal.aborted) return;
    const target = readQuery(place.dataset["query"]!);
    const options = { enough: 200, hasLabels: true, signal };
    const picture = target && (await drawThumbnail(target, options).catch(() => undefined));
    if (picture) place.replaceChildren(picture);
  }
}

/** A sample to open with one click. */
export interface Offer {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly source: string;
  readonly path?: string | undefined;
  /** Further settings, with the names of the page's query. */
  readonly view: Readonly<Record<string, string>>;
}

const folder = "/examples";

/** The samples of this server, most attractive first; empty if it offers none. */
export async function fetchOffers(): Promise<Offer[]> {
  const [gallery, files, samples] = await Promise.all([
    listAt("gallery.json"),
    listAt("files.json"),
    listAt("samples.json"),
  ]);
  const shown = gallery.flatMap(galleryOffer);
  const sources = new Set(shown.map(({ source }) => source));
  return [
    ...shown,
    ...files.flatMap(fileOffer),
    ...samples.flatMap(sampleOffer).filter(({ source }) => !sources.has(source)),
  ];
}

async function listAt(name: string): Promise<unknown[]> {
  try {
    const response = await fetch(`${folder}/${name}`);
    const list: unknown = response.ok ? await response.json() : [];
    return Array.isArray(list) ? list : [];
  } catch {
    return []; // samples are optional
  }
}

const offerTexts = (value: unknown, names: readonly string[]): string[] | undefined => {
  const texts = names.map((name) => (value as Record<string, unknown> | null)?.[name]);
  return texts.every((text) => typeof text === "string") ? (texts as string[]) : undefined;
};

/** A file of another format. */
function fileOffer(entry: unknown): Offer[] {
  const [title, source] = offerTexts(entry, ["title", "source"]) ?? [];
  return source === undefined ? [] : [{ name: source, title: title!, text: "", source, view: {} }];
}

function galleryOffer(entry: unknown): Offer[] {
  const [name, title, text, source] = offerTexts(entry, ["name", "title", "text", "source"]) ?? [];
  if (name === undefined) return [];
  const { path, view } = entry as { path?: unknown; view?: unknown };
  const settings = Object.entries(view ?? {}).filter(([, value]) => typeof value === "string");
  return [
    {
      name,
      title: title!,
      text: text!,
      source: source!,
      path: typeof path === "string" && path !== "" ? path : undefined,
      view: Object.fromEntries(settings),
    },
  ];
}

function sampleOffer(entry: unknown): Offer[] {
  const [name, title, store] = offerTexts(entry, ["name", "title", "store"]) ?? [];
  if (name === undefined) return [];
  return [{ name, title: title!, text: "", source: `${folder}/${store}`, view: {} }];
}

/** Opens the address of a link; clicks with a modifier are left to the browser. */
type OpenLink = (href: string) => void;

export function link(
  href: string,
  open: OpenLink,
  attributes: object,
  ...children: (Node | string)[]
): HTMLAnchorElement {
  const onclick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(href);
  };
  return h("a", { href, onclick, ...attributes }, ...children);
}

/** The query of an offer. */
function offerHref({ source, path, view }: Pick<Offer, "source" | "path" | "view">): string {
  const entries = [
    ["source", source],
    ...(path === undefined ? [] : [["path", path]]),
    ...Object.entries(view),
  ];
  return `?${entries.map(([name, value]) => `${name}=${encodeURIComponent(value!).replace(/%(2F|3A|2C)/g, decodeURIComponent)}`).join("&")}`;
}

/** Links to samples in one row. */
function offerLinks(offers: readonly Offer[], open: OpenLink): HTMLAnchorElement[] {
  return offers.map((offer) =>
    link(offerHref(offer), open, { title: offer.title, "data-source": offer.source }, offer.name),
  );
}
