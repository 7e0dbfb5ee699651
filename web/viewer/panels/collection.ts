/** A list of related items to choose from: variables, images, fields of view. */

import { h } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { longName, shortName } from "../base/text.js";
import { VirtualList } from "../base/virtual-list.js";
import type { Collection, CollectionEntry } from "../source/collection.js";
import { factsText } from "./tree.js";

/** Longer lists are virtual. */
const maxWhole = 24;

type Go = (path: string, variable?: string) => void;

/** @param least undefined is returned for fewer entries */
export function collectionPanel(
  collection: Collection,
  shown: string,
  onGo: Go,
  least = 2,
): HTMLElement | undefined {
  const { title, entries, others } = collection;
  if (entries.length + others.length < least) return undefined;
  const isOther = others.some(({ path }) => path === shown);
  const rest = `Coordinates and auxiliary arrays (${others.length})`;
  return h(
    "section",
    { class: "zw-card zw-collection", "aria-label": title },
    h("h3", {}, `${title} (${formatCount(entries.length)})`),
    memberList(title, entries, shown, onGo),
    others.length > 0 &&
      h(
        "details",
        { open: isOther || entries.length === 0 },
        h("summary", {}, rest),
        memberList(rest, others, shown, onGo),
      ),
  );
}

function memberList(
  label: string,
  entries: readonly CollectionEntry[],
  shown: string,
  onGo: Go,
): HTMLElement {
  const isShown = ({ path }: CollectionEntry) => path === shown || path.startsWith(`${shown}/`);
  const list = new VirtualList({ label, maxWhole });
  list.show({
    count: entries.length,
    key: (index) => index,
    element: (index) => entryButton(entries[index]!, isShown(entries[index]!), onGo),
    name: (index) => entries[index]!.name,
  });
  const current = entries.findIndex(isShown);
  if (current >= 0) list.begin(current);
  return list.element;
}

function entryButton({ name, path, facts, at }: CollectionEntry, isShown: boolean, onGo: Go): HTMLElement {
  const { label } = facts ?? {};
  return h(
    "button",
    {
      type: "button",
      "data-main": true,
      "aria-current": isShown ? "true" : undefined,
      title: longName(name),
      onclick: () => (at ? onGo(at.path, at.variable) : onGo(path)),
    },
    h("b", {}, shortName(name)),
    label !== undefined && label !== name && h("span", {}, shortName(label)),
    facts &&
      h("span", { class: "zw-tree-facts" }, factsText({ ...facts, label: undefined, bytes: undefined })),
  );
}
