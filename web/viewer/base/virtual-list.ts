/**
 * Lists: short ones are rendered in full, long ones are virtual, with only the rows near the visible part in
 * the document.
 */
import { h } from "./dom.js";
import { arrange, TypedWord, VirtualWindow } from "./virtual.js";

/** Maximum number of rows in the document. */
const maxRows = 80;

/** Model of a list. */
export interface Rows {
  readonly count: number;
  /** Identity of a row. Its element is reused while it is rendered, whatever its index. */
  key(index: number): unknown;
  /** Creates the content of a row. Its element with the attribute `data-main` receives the focus. */
  element(index: number): HTMLElement;
  /** Name of a row, for type-ahead. */
  name(index: number): string;
  /** Level of a row in a hierarchy, from 1. */
  level?(index: number): number;
}

export interface VirtualListOptions {
  readonly label: string;
  /** Longer lists are virtual: all rows have one height, and the list scrolls. */
  readonly maxWhole: number;
  /** Handles a key before the list does. @returns whether it did. */
  readonly onKey?: (event: KeyboardEvent, index: number) => boolean;
  /** Called with the range of rendered rows. */
  readonly onRows?: (start: number, stop: number) => void;
}

interface Rendered {
  readonly element: HTMLElement;
  index: number;
}

/** A list with one tab stop. Arrow keys, Page Up, Page Down, Home, End and type-ahead move within it. */
export class VirtualList {
  readonly element: HTMLElement;
  readonly #content = h("div", { role: "presentation" });
  readonly #window: VirtualWindow;
  readonly #word = new TypedWord();
  #rows: Rows = { count: 0, key: () => undefined, element: () => h("div"), name: () => "" };
  #rendered = new Map<unknown, Rendered>();
  /** Index of the tab stop. */
  #active = 0;
  #height = 0;
  /** Row to scroll to after the first layout. */
  #first: number | undefined;

  constructor(private readonly options: VirtualListOptions) {
    this.element = h("div", { class: "zw-list", role: "list", "aria-label": options.label }, this.#content);
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.element.addEventListener("focusin", ({ target }) => this.#activate(this.#indexOf(target)));
    this.#window = new VirtualWindow({
      scroller: this.element,
      content: this.#content,
      maxItems: maxRows,
      render: () => this.#render(),
      onResize: () => this.#measure(),
    });
  }

  get isWhole(): boolean {
    return this.#rows.count <= this.options.maxWhole;
  }

  /** Replaces the rows. */
  show(rows: Rows): void {
    this.#rows = rows;
    this.#active = Math.min(this.#active, Math.max(0, rows.count - 1));
    this.element.classList.toggle("zw-virtual", !this.isWhole);
    this.#height = this.#rowHeight;
    this.#window.setTracks({ count: rows.count, size: this.#height });
  }

  /** Makes a row the tab stop and scrolls to it after the first layout. */
  begin(index: number): void {
    this.#activate(index);
    this.#first = index;
  }

  #reveal(index: number): void {
    this.#activate(index);
    if (!this.isWhole) this.#window.reveal(index);
  }

  focus(index: number): void {
    if (index < 0 || index >= this.#rows.count) return;
    this.#reveal(index);
    const row = this.#rendered.get(this.#rows.key(index))?.element;
    row?.querySelector<HTMLElement>("[data-main]")?.focus();
  }

  /** From the style sheet. */
  get #rowHeight(): number {
    return Number.parseFloat(getComputedStyle(this.element).getPropertyValue("--zw-row")) || 30;
  }

  #measure(): void {
    if (this.#first !== undefined && this.element.clientHeight > 0) {
      this.#reveal(this.#first);
      this.#first = undefined;
    }
    const height = this.#rowHeight;
    if (height === this.#height) return;
    this.#height = height;
    this.#window.setTracks({ count: this.#rows.count, size: height });
  }

  #render(): void {
    const { rows, isWhole } = { rows: this.#rows, isWhole: this.isWhole };
    const { start, stop } = isWhole ? { start: 0, stop: rows.count } : this.#window.rows;
    const indices = Array.from({ length: stop - start }, (_, i) => start + i);
    // The tab stop, which may have the focus, stays in the document.
    const { length } = indices;
    if (length > 0 && this.#active < start) indices.unshift(this.#active);
    if (length > 0 && this.#active >= stop) indices.push(this.#active);
    const before = this.#rendered;
    this.#rendered = new Map();
    const elements = indices.map((index) => {
      const key = rows.key(index);
      const rendered = before.get(key) ?? { element: this.#make(index), index };
      rendered.index = index;
      this.#rendered.set(key, rendered);
      this.#place(rendered, isWhole);
      return rendered.element;
    });
    arrange(this.#content, elements);
    this.options.onRows?.(start, stop);
  }

  #make(index: number): HTMLElement {
    return h("div", { class: "zw-row", role: "listitem" }, this.#rows.element(index));
  }

  #place({ element, index }: Rendered, isWhole: boolean): void {
    element.style.insetBlockStart = isWhole ? "" : `${this.#window.top(index)}px`;
    element.setAttribute("aria-posinset", String(index + 1));
    element.setAttribute("aria-setsize", String(this.#rows.count));
    const level = this.#rows.level?.(index);
    if (level !== undefined) element.setAttribute("aria-level", String(level));
    setTabStop(element, index === this.#active);
  }

  #activate(index: number): void {
    if (index < 0 || index === this.#active) return;
    this.#active = index;
    for (const { element, index: at } of this.#rendered.values()) setTabStop(element, at === index);
  }

  #indexOf(target: EventTarget | null): number {
    if (!(target instanceof Node)) return -1;
    for (const { element, index } of this.#rendered.values()) if (element.contains(target)) return index;
    return -1;
  }

  #press(event: KeyboardEvent): void {
    const index = this.#indexOf(event.target);
    if (index < 0 || event.defaultPrevented) return;
    const isHandled = this.options.onKey?.(event, index);
    const to = isHandled ? undefined : this.#destination(event, index);
    if (isHandled || to !== undefined) event.preventDefault();
    if (to === undefined) return;
    this.focus(Math.min(Math.max(to, 0), this.#rows.count - 1));
  }

  /** Target of a navigation key; undefined for other keys. */
  #destination(event: KeyboardEvent, index: number): number | undefined {
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    switch (event.key) {
      case "ArrowDown":
        return index + 1;
      case "ArrowUp":
        return index - 1;
      case "PageDown":
        return index + this.#page;
      case "PageUp":
        return index - this.#page;
      case "Home":
        return 0;
      case "End":
        return this.#rows.count - 1;
      default: {
        const word = this.#word.add(event);
        return word === undefined ? undefined : this.#find(word, word.length > 1 ? index : index + 1);
      }
    }
  }

  get #page(): number {
    return this.isWhole ? 10 : this.#window.page;
  }

  /** The first row from `from` on, wrapping around, whose name begins with a word. */
  #find(word: string, from: number): number | undefined {
    const { count } = this.#rows;
    for (let i = 0; i < count; i++) {
      const index = (from + i) % count;
      if (this.#rows.name(index).slice(0, word.length).toLowerCase() === word) return index;
    }
    return undefined;
  }
}

function setTabStop(row: HTMLElement, isActive: boolean): void {
  for (const control of row.querySelectorAll<HTMLElement>("button, [data-main]"))
    control.tabIndex = isActive ? 0 : -1;
}
