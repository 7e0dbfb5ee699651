/** A list of related items to choose from: variables, images, fields of view. */

import { h } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import { VirtualList } from "../base/virtual-list.js";
import { text } from "../language/text.js";
import type { Collection, CollectionEntry } from "../source/collection.js";
import { type Control, card, type Panel } from "./panel.js";
import { factsText } from "./tree.js";

/** Longer lists are virtual. */
const maxWhole = 24;

type Go = (path: string, variable?: string) => void;

export const collectionPanel: Panel = {
  name: "collection",
  tab: "image",
  isFolded: true,
  role: "region",
  title: ({ collection }) => titleOf(collection!),
  isShown: ({ collection }) => collection !== undefined && isWorthShowing(collection, 2),
  key: ({ collection }) => collection,
  build: ({ path, go }, { collection }) => collectionLists(collection!, path, go),
};

/** Whether an entry is the shown node, or a part of it. */
export const isShownEntry = ({ path }: CollectionEntry, shown: string): boolean =>
  path === shown || path.startsWith(`${shown}/`);

export const goToEntry = ({ path, at }: CollectionEntry, go: Go): void =>
  at ? go(at.path, at.variable) : go(path);

/** A card with a collection; undefined if it is empty. */
export function collectionCard(collection: Collection, onGo: Go): HTMLElement | undefined {
  if (!isWorthShowing(collection, 1)) return undefined;
  return card(
    { name: "collection", role: "region" },
    titleOf(collection),
    collectionLists(collection, "", onGo),
  );
}

const titleOf = ({ title, entries }: Collection): string => text.collections.titled(title, entries.length);

const isWorthShowing = ({ entries, others }: Collection, least: number): boolean =>
  entries.length + others.length >= least;

function collectionLists({ title, entries, others }: Collection, shown: string, onGo: Go): Control[] {
  const element = memberList(title, entries, shown, onGo);
  if (others.length === 0) return [{ element }];
  const isOther = others.some(({ path }) => path === shown);
  const rest = text.collections.auxiliary(others.length);
  const details = h(
    "details",
    { open: isOther || entries.length === 0 },
    h("summary", {}, rest),
    memberList(rest, others, shown, onGo),
  );
  return [{ element }, { element: details }];
}

function memberList(
  label: string,
  entries: readonly CollectionEntry[],
  shown: string,
  onGo: Go,
): HTMLElement {
  const isShown = (entry: CollectionEntry) => isShownEntry(entry, shown);
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

function entryButton(entry: CollectionEntry, isShown: boolean, onGo: Go): HTMLElement {
  const { name, facts } = entry;
  const { label } = facts ?? {};
  return h(
    "button",
    {
      type: "button",
      "data-main": true,
      "aria-current": isShown ? "true" : undefined,
      title: longName(name),
      onclick: () => goToEntry(entry, onGo),
    },
    h("b", {}, shortName(name)),
    label !== undefined && label !== name && h("span", {}, shortName(label)),
    facts &&
      h("span", { class: "zw-tree-facts" }, factsText({ ...facts, label: undefined, bytes: undefined })),
  );
}
