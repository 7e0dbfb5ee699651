/** The contents of a group as a tree of expandable branches, with a summary of each node. */

import { button, h } from "../base/dom.js";
import { formatByteCount, formatShape, formatType } from "../base/format.js";
import { indicesWhere } from "../base/slices.js";
import { longName, maxText, shortened, shortName } from "../base/text.js";
import { type Rows, VirtualList } from "../base/virtual-list.js";
import { type Texts, text } from "../language/text.js";
import { type Branch, type NodeFacts, type TreeItem, troubleWith } from "../source/tree.js";
import { unitText } from "./coordinates.js";

export interface TreeCallbacks {
  onGo(path: string): void;
  /** Aborts all reading. */
  readonly signal: AbortSignal;
}

/** The heading, the tree, and a note if the list may be incomplete. */
export function treeView(what: string, branch: Branch, callbacks: TreeCallbacks): HTMLElement {
  const isEmpty = branch.items.length === 0;
  const title =
    what === "folder"
      ? text.tree.folder
      : what === "group"
        ? text.tree.group
        : text.tree.groupOf(kindName(what));
  return h(
    "div",
    { class: "zw-tree" },
    h("h3", {}, title),
    isEmpty ? h("p", {}, text.tree.empty) : h("p", {}, text.tree.choose),
    branch.note !== undefined && h("p", { class: "zw-tree-note" }, branch.note),
    ...(isEmpty ? [] : new Tree(branch, callbacks).elements),
  );
}

/** A row: a node, or a note about its branch. */
interface Line {
  readonly depth: number;
  readonly item?: TreeItem;
  readonly note?: string;
  /** Summary of the node's metadata, after reading it. */
  facts?: string;
  isOpen?: boolean;
  /** Rows below this one while it is closed. */
  folded?: readonly Line[];
  /** Elements, while the row is rendered. */
  toggle?: HTMLButtonElement;
  words?: HTMLElement;
}

/** Maximum depth of branches opened in place; deeper groups are opened themselves. */
const maxDepth = 8;

/** Longer trees are virtual and have a search field. */
const maxWhole = 50;

/** Number of nodes described at a time. */
const concurrency = 4;

class Tree {
  readonly elements: readonly HTMLElement[];
  readonly #list: VirtualList;
  #lines: readonly Line[];
  /** Search results; undefined without a search. */
  #found: readonly Line[] | undefined;
  #search = new AbortController();
  /** Rows near the visible part, whose nodes are described. */
  #visible: readonly Line[] = [];
  #describing = 0;

  constructor(
    branch: Branch,
    private readonly callbacks: TreeCallbacks,
  ) {
    this.#lines = treeLines(branch.items, 0);
    this.#list = new VirtualList({
      label: text.tree.members,
      maxWhole,
      onKey: ({ key }, index) => this.#press(key, index),
      onRows: (start, stop) => {
        this.#visible = this.#shown.slice(start, stop);
        this.#describe();
      },
    });
    this.#show();
    const isLong = this.#lines.length > maxWhole;
    this.elements = isLong ? [this.#finder(), this.#list.element] : [this.#list.element];
  }

  get #shown(): readonly Line[] {
    return this.#found ?? this.#lines;
  }

  #show(): void {
    const lines = this.#shown;
    const rows: Rows = {
      count: lines.length,
      key: (index) => lines[index],
      element: (index) => this.#row(lines[index]!),
      name: (index) => lines[index]!.item?.name ?? "",
      level: (index) => lines[index]!.depth + 1,
    };
    this.#list.show(rows);
  }

  /** Search field for names of members. */
  #finder(): HTMLElement {
    const count = h("span", { class: "zw-unit", role: "status" }, text.tree.count(this.#lines.length));
    const field = h("input", {
      type: "search",
      class: "zw-find",
      placeholder: text.tree.find,
      "aria-label": text.tree.findMembers,
      oninput: async () => {
        const isDone = await this.#find(field.value.trim());
        if (isDone) count.textContent = text.tree.count(this.#shown.length);
      },
    });
    return h("div", { class: "zw-finder" }, field, count);
  }

  /** @returns false if superseded by another search. */
  async #find(name: string): Promise<boolean> {
    this.#search.abort();
    this.#search = new AbortController();
    const lines = this.#lines;
    try {
      const wanted = name.toLowerCase();
      const isWanted = (i: number) => (lines[i]!.item?.name ?? "").toLowerCase().includes(wanted);
      const found = name === "" ? undefined : await indicesWhere(lines.length, isWanted, this.#search.signal);
      this.#found = found?.map((i) => lines[i]!);
    } catch {
      return false;
    }
    this.#show();
    return true;
  }

  #row(line: Line): HTMLElement {
    const { item, depth, note } = line;
    const row = h("div", { class: "zw-tree-row" });
    row.style.setProperty("--zw-depth", String(depth));
    if (!item) {
      const words = shortened(note!, maxText);
      row.append(
        h("span", { class: "zw-tree-note", "data-main": true, "aria-label": words, title: words }, words),
      );
      return row;
    }
    const name = button(shortName(item.name), () => this.callbacks.onGo(item.path), {
      class: "zw-tree-name",
      "data-main": true,
      title: longName(item.name),
    });
    line.words = h("span", { class: "zw-tree-facts" });
    showFacts(line);
    row.append(item.kind === "group" ? this.#toggle(line, item) : leaf(), name, line.words);
    return row;
  }

  #toggle(line: Line, { name }: TreeItem): HTMLElement {
    line.toggle = button("▸", () => void this.#flip(line), {
      class: "zw-tree-toggle",
      "aria-expanded": String(line.isOpen === true),
      "aria-label": text.tree.membersOf(shortName(name)),
    });
    return line.toggle;
  }

  /** Right opens a group or moves into it; Left closes it or moves to the group around a row. */
  #press(key: string, index: number): boolean {
    const line = this.#shown[index]!;
    const isRightToLeft = getComputedStyle(this.#list.element).direction === "rtl";
    const inwards = isRightToLeft ? "ArrowLeft" : "ArrowRight";
    const outwards = isRightToLeft ? "ArrowRight" : "ArrowLeft";
    const isGroup = line.item?.kind === "group" && !this.#found;
    if (key === inwards && isGroup && line.isOpen) this.#list.focus(index + 1);
    else if (key === inwards && isGroup && line.depth < maxDepth) void this.#flip(line);
    else if (key === outwards && isGroup && line.isOpen) void this.#flip(line);
    else if (key === outwards) this.#list.focus(this.#outside(index));
    else return false;
    return true;
  }

  /** Index of the group around a row; −1 at the top level. */
  #outside(index: number): number {
    const { depth } = this.#shown[index]!;
    let above = index;
    while (above >= 0 && this.#shown[above]!.depth >= depth) above--;
    return above;
  }

  /** Opens or closes a branch. */
  async #flip(line: Line): Promise<void> {
    const { item, depth } = line;
    if (!item) return;
    // Search results have no rows below them.
    if (depth >= maxDepth || this.#found) return this.callbacks.onGo(item.path);
    line.isOpen = !line.isOpen;
    line.toggle?.setAttribute("aria-expanded", String(line.isOpen));
    if (!line.isOpen) {
      line.folded = this.#replaceBelow(line, []);
      return;
    }
    if (line.folded) {
      this.#replaceBelow(line, line.folded);
      return;
    }
    const looking: Line = { depth: depth + 1, note: text.tree.looking };
    this.#replaceBelow(line, [looking]);
    const below = await this.#linesBelow(item, depth + 1);
    // The group may have been closed while it was read.
    if (line.folded?.[0] === looking) line.folded = below;
    else if (line.isOpen) this.#replaceBelow(line, below);
  }

  async #linesBelow(item: TreeItem, depth: number): Promise<readonly Line[]> {
    try {
      const { items, note } = await item.branch(this.callbacks.signal);
      const notes = note === undefined ? [] : [{ depth, note }];
      if (items.length === 0) return [...notes, { depth, note: text.tree.empty }];
      return [...notes, ...treeLines(items, depth)];
    } catch (error) {
      return [{ depth, note: troubleWith(error) }];
    }
  }

  /** Replaces the rows below one. @returns the previous ones. */
  #replaceBelow(line: Line, below: readonly Line[]): readonly Line[] {
    const lines = this.#lines;
    const start = lines.indexOf(line) + 1;
    let stop = start;
    while (stop < lines.length && lines[stop]!.depth > line.depth) stop++;
    this.#lines = [...lines.slice(0, start), ...below, ...lines.slice(stop)];
    this.#show();
    return lines.slice(start, stop);
  }

  /** Describes visible nodes, a few at a time. */
  #describe(): void {
    const { signal } = this.callbacks;
    for (const line of this.#visible) {
      if (this.#describing >= concurrency || signal.aborted) return;
      if (!line.item || line.facts !== undefined) continue;
      line.facts = "";
      this.#describing++;
      void this.#read(line, line.item).finally(() => {
        this.#describing--;
        this.#describe();
      });
    }
  }

  async #read(line: Line, item: TreeItem): Promise<void> {
    try {
      line.facts = factsText(await item.facts());
    } catch (error) {
      line.facts = troubleWith(error);
    }
    showFacts(line);
  }
}

const treeLines = (items: readonly TreeItem[], depth: number): Line[] =>
  items.map((item) => ({ item, depth }));

const leaf = () => h("span", { class: "zw-tree-leaf", "aria-hidden": "true" }, "▦");

function showFacts({ words, facts = "" }: Line): void {
  if (!words || words.textContent === facts) return;
  words.textContent = facts;
  words.title = facts;
}

/** The name of a kind of node, which may be one of a file. */
const kindName = (what: string): string =>
  Object.hasOwn(text.nodes, what) ? text.nodes[what as keyof Texts["nodes"]] : what;

/** "time 365 × lat 180 · int16 · 48 MiB · 2 m temperature, K". */
export function factsText(facts: NodeFacts): string {
  const { what, dtype, bytes, label, unit } = facts;
  const meaning = [label && shortName(label), unit === undefined ? undefined : unitText(unit)].filter(
    (one) => one !== undefined,
  );
  const texts = [
    what === "array" ? undefined : shortName(kindName(what)),
    facts.shape && shapeText(facts),
    dtype && formatType(dtype),
    bytes === undefined ? undefined : formatByteCount(bytes),
    meaning.join(", ") || undefined,
  ];
  return shortened(texts.filter((one) => one !== undefined).join(" · "), maxText);
}

function shapeText({ shape = [], dimensions }: NodeFacts): string {
  if (!dimensions || dimensions.length !== shape.length || shape.length === 0)
    return formatShape(shape.slice(0, maxAxes));
  return shape.map((length, axis) => `${shortName(dimensions[axis]!)} ${length}`).join(" × ");
}

/** Maximum number of displayed axes: the attribute "shape" of a group can have any length. */
const maxAxes = 64;
