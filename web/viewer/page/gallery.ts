/** The start page: public data, and samples of the page's own server. Loaded on demand. */
import { isZarrError } from "zarr-wasm";
import { h } from "../base/dom.js";
import { text } from "../language/text.js";
import { readQuery } from "../model/query.js";
import { publicData } from "../source/public-data.js";

/** Cards of public data by field, and the samples of the page's own server, folded. */
export function galleryView(offers: readonly Offer[], open: OpenLink): HTMLElement {
  const cards = offers.filter(({ text }) => text !== "");
  const others = offers.filter(({ text }) => text === "");
  const words = text.gallery;
  return h(
    "div",
    { class: "page-gallery" },
    h("p", { class: "page-welcome" }, words.welcome),
    h("h2", {}, words.publicData),
    h("p", {}, words.publicDataNote),
    ...Object.entries(publicData).flatMap(([field, list]) => [
      h("h3", {}, words.fields[field as keyof typeof publicData]),
      cardList(
        list.map(({ key, ...data }) => {
          const [title, sentence] = text.publicData[key] as [string, string];
          return { ...data, title, text: sentence, name: data.source, view: {} };
        }),
        open,
      ),
    ]),
    offers.length > 0 &&
      h(
        "details",
        { class: "page-tests" },
        h("summary", {}, words.testData),
        cardList(cards, open),
        h(
          "ul",
          { class: "page-links", "aria-label": words.smallArrays },
          ...offerLinks(others, open).map((one) => h("li", {}, one)),
        ),
      ),
  );
}

const cardList = (offers: readonly Offer[], open: OpenLink): HTMLElement =>
  h("ul", { class: "page-cards" }, ...offers.map((offer) => h("li", {}, card(offer, open))));

function card(offer: Offer, open: OpenLink): HTMLElement {
  const href = offerHref(offer);
  return link(
    href,
    open,
    {},
    h("div", { class: "page-thumbnail", "data-query": href, "aria-hidden": "true" }),
    h("b", {}, offer.title),
    h("span", {}, offer.text),
    offer.owner !== undefined && h("span", { class: "page-owner" }, offer.owner),
  );
}

/** Number of thumbnails that are read at the same time, and limits of each. */
const maxReading = 2;
const thumbnailLimits = { enough: 200, hasLabels: true, maxBytes: 2 ** 24 } as const;
const maxThumbnailTime = 30_000; // milliseconds

/** Fills in the thumbnails of cards once they are visible. Errors leave a card without one. */
export function fillThumbnails(gallery: HTMLElement, signal: AbortSignal): void {
  const waiting = new Set<HTMLElement>();
  let reading = 0;
  const next = (): void => {
    const [place] = waiting;
    if (!place || reading >= maxReading || signal.aborted) return;
    waiting.delete(place);
    seen.unobserve(place);
    reading++;
    void fill(place, signal).finally(() => {
      reading--;
      next();
    });
    next();
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      waiting[isIntersecting ? "add" : "delete"](target as HTMLElement);
    next();
  });
  signal.addEventListener("abort", () => seen.disconnect());
  for (const place of gallery.querySelectorAll<HTMLElement>(".page-thumbnail:empty")) seen.observe(place);
}

/** Users may have asked for few bytes, or may have no connection. */
const mayFetch = (): boolean =>
  navigator.onLine && (navigator as { connection?: { saveData?: boolean } }).connection?.saveData !== true;

/** Servers that did not answer, and whether another one did. */
const silent = new Set<string>();
let hasAnswer = false;

/** Whether to ask a server: those that are silent are asked once, and no others after two without any answer. */
const isWorthAsking = (host: string): boolean =>
  mayFetch() && !silent.has(host) && (hasAnswer || silent.size < 2);

async function fill(place: HTMLElement, signal: AbortSignal): Promise<void> {
  const target = readQuery(place.dataset["query"]!);
  const { host, origin } = new URL(target?.source ?? "", location.href);
  const isElsewhere = origin !== location.origin;
  if (!target || (isElsewhere && !isWorthAsking(host))) return;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxThumbnailTime)]);
  try {
    const { drawThumbnail } = await import("../element/thumbnail.js");
    const picture = await drawThumbnail(target, { ...thumbnailLimits, signal: limited });
    hasAnswer ||= isElsewhere;
    if (picture) place.replaceChildren(picture);
  } catch (error) {
    // It is only an illustration.
    const isSilent = isZarrError(error, "Network") && error.status === undefined;
    if (isElsewhere && (isSilent || limited.aborted) && !signal.aborted) silent.add(host);
  }
}

/** A sample to open with one click. */
export interface Offer {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly owner?: string | undefined;
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
  ...children: (Node | string | false)[]
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
