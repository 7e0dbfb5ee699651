/** What belongs together with what is shown, to choose from: variables, images, fields of view. */
import { h } from "../base/dom.js";
import type { Collection, CollectionEntry } from "../source/collection.js";
import { factsText } from "./tree.js";

export function collectionPanel(
  collection: Collection,
  shown: string,
  onGo: (path: string, variable?: string) => void,
): HTMLElement | undefined {
  const { title, entries, others } = collection;
  if (entries.length + others.length < 2) return undefined;
  const isOther = others.some(({ path }) => path === shown);
  return h(
    "section",
    { class: "zw-card zw-collection", "aria-label": title },
    h("h3", {}, `${title} (${entries.length})`),
    listOf(entries, shown, onGo),
    others.length > 0 &&
      h(
        "details",
        { open: isOther || entries.length === 0 },
        h("summary", {}, `Coordinates and the like (${others.length})`),
        listOf(others, shown, onGo),
      ),
  );
}

function listOf(
  entries: readonly CollectionEntry[],
  shown: string,
  onGo: (path: string, variable?: string) => void,
): HTMLElement {
  return h(
    "ul",
    {},
    ...entries.map(({ name, path, facts, at }) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            "aria-current": path === shown || path.startsWith(`${shown}/`) ? "true" : undefined,
            onclick: () => (at ? onGo(at.path, at.variable) : onGo(path)),
          },
          h("b", {}, name),
          facts?.label !== undefined && facts.label !== name && h("span", {}, facts.label),
          facts &&
            h(
              "span",
              { class: "zw-tree-facts" },
              factsText({ ...facts, label: undefined, bytes: undefined }),
            ),
        ),
      ),
    ),
  );
}
