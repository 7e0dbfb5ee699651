/** What is in a group: a tree whose branches open, with what is known of each node. */
import { h } from "../base/dom.js";
import { formatByteCount, formatShape, formatType } from "../base/format.js";
import { type Branch, type NodeFacts, type TreeItem, troubleWith } from "../source/tree.js";
import { unitText } from "./coordinates.js";

export interface TreeCallbacks {
  onGo(path: string): void;
  /** Ends what is being read. */
  readonly signal: AbortSignal;
}

/** The heading, the tree, and what has to be said of how complete it is. */
export function treeView(what: string, branch: Branch, callbacks: TreeCallbacks): HTMLElement {
  const isEmpty = branch.items.length === 0;
  return h(
    "div",
    { class: "zw-tree" },
    h(
      "h3",
      {},
      what === "folder" ? "A folder of Zarr nodes" : what === "group" ? "A group" : `A group: ${what}`,
    ),
    isEmpty
      ? h("p", {}, "Nothing was found in this group.")
      : h("p", {}, "Choose an array to see it, or a group to see what it is."),
    branch.note !== undefined && h("p", { class: "zw-tree-note" }, branch.note),
    !isEmpty && listOf(branch.items, callbacks, 0),
  );
}

function listOf(items: readonly TreeItem[], callbacks: TreeCallbacks, depth: number): HTMLElement {
  const rows = items.map((item) => rowOf(item, callbacks, depth));
  void describeAll(
    rows.map(({ describe }) => describe),
    callbacks.signal,
  );
  return h("ul", {}, ...rows.map(({ element }) => element));
}

/** How many nodes are opened at a time to say what they are. */
const concurrency = 4;

async function describeAll(tasks: readonly (() => Promise<void>)[], signal: AbortSignal): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < tasks.length && !signal.aborted) await tasks[next++]!();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

interface Row {
  readonly element: HTMLElement;
  /** Fills in what only the node's own metadata says. */
  readonly describe: () => Promise<void>;
}

function rowOf(item: TreeItem, callbacks: TreeCallbacks, depth: number): Row {
  const facts = h("span", { class: "zw-tree-facts" });
  const open = () => callbacks.onGo(item.path);
  const name = h("button", { type: "button", class: "zw-tree-name", onclick: open }, item.name);
  const head = h("div", { class: "zw-tree-row" });
  const element = h("li", {}, head);
  if (item.kind === "group") head.append(toggleOf(item, element, callbacks, depth));
  else head.append(h("span", { class: "zw-tree-leaf", "aria-hidden": "true" }, "▦"));
  head.append(name, facts);
  const describe = async () => {
    try {
      facts.textContent = factsText(await item.facts());
    } catch (error) {
      facts.textContent = troubleWith(error);
    }
  };
  return { element, describe };
}

/** Deepest that branches are opened in place: further in, the group itself is opened. */
const deepest = 8;

function toggleOf(
  item: TreeItem,
  element: HTMLElement,
  callbacks: TreeCallbacks,
  depth: number,
): HTMLButtonElement {
  let below: HTMLElement | undefined;
  const toggle = h(
    "button",
    {
      type: "button",
      class: "zw-tree-toggle",
      "aria-expanded": "false",
      "aria-label": `What is in ${item.name}`,
      onclick: () => void flip(),
    },
    "▸",
  );
  const flip = async () => {
    if (depth >= deepest) return callbacks.onGo(item.path);
    const isOpen = toggle.getAttribute("aria-expanded") !== "true";
    toggle.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) below?.remove();
    else if (below) element.append(below);
    else {
      const made = h("div", { class: "zw-tree-below" }, "Looking…");
      below = made;
      element.append(made);
      try {
        made.replaceChildren(...branchParts(await item.branch(callbacks.signal), callbacks, depth + 1));
      } catch (error) {
        below = undefined;
        made.textContent = troubleWith(error);
      }
    }
  };
  return toggle;
}

function branchParts({ items, note }: Branch, callbacks: TreeCallbacks, depth: number): (Node | string)[] {
  const noteLine = note === undefined ? [] : [h("p", { class: "zw-tree-note" }, note)];
  if (items.length === 0) return [...noteLine, "Nothing was found in this group."];
  return [...noteLine, listOf(items, callbacks, depth)];
}

/** "time 365 × lat 180 · int16 · 48 MiB · 2 m temperature, K". */
export function factsText(facts: NodeFacts): string {
  const { what, dtype, bytes, label, unit } = facts;
  const meaning = [label, unit === undefined ? undefined : unitText(unit)].filter(
    (text) => text !== undefined,
  );
  const texts = [
    what === "array" ? undefined : what,
    facts.shape && shapeText(facts),
    dtype && formatType(dtype),
    bytes === undefined ? undefined : formatByteCount(bytes),
    meaning.join(", ") || undefined,
  ];
  return texts.filter((text) => text !== undefined).join(" · ");
}

function shapeText({ shape = [], dimensions }: NodeFacts): string {
  if (!dimensions || dimensions.length !== shape.length || shape.length === 0) return formatShape(shape);
  return shape.map((length, axis) => `${dimensions[axis]} ${length}`).join(" × ");
}
