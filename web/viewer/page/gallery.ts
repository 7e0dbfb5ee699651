/** The start page: samples and public data. Loaded on demand. */
import { h } from "../base/dom.js";
import { readQuery } from "../model/query.js";
import { publicData, publicDataNote } from "../source/public-data.js";
import { link, type Offer, type OpenLink, offerHref, offerLinks } from "./offers.js";

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
