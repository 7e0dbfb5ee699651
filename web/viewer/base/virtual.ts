/** Virtual scrolling: computes which items of a scroll container are near its visible part. */

/** Items `start` to `stop - 1`. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

/** Items of equal size, in CSS pixels, side by side. */
export interface Track {
  readonly count: number;
  readonly size: number;
}

/** Maximum size of scrollable content in CSS pixels; browsers truncate it (Firefox at 17.9 million). */
const maxExtent = 8_000_000;

/** Items rendered beyond the visible ones, on each side. */
export const overscan = 1;

const none: Span = { start: 0, stop: 0 };

interface WindowOptions {
  /** The scroll container. */
  readonly scroller: HTMLElement;
  /** Its content, which gets the total size. */
  readonly content: HTMLElement;
  /** Maximum number of items to render. */
  readonly maxItems: number;
  /** Size of sticky headings in the scroll container. */
  readonly inset?: { readonly block: number; readonly inline: number };
  /** Renders the items of `rows` and `columns`. */
  readonly render: () => void;
  /** Called when the scroll container is resized. */
  readonly onResize?: () => void;
}

/** Ranges of items to render, and their positions in logical coordinates, for both writing directions. */
export class VirtualWindow {
  readonly #options: WindowOptions;
  readonly #inset: { readonly block: number; readonly inline: number };
  #down = new Line();
  #across = new Line();
  /** Rows and columns to render. */
  rows = none;
  columns = none;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#inset = options.inset ?? { block: 0, inline: 0 };
    const { scroller } = options;
    scroller.addEventListener("scroll", () => this.update(), { passive: true });
    new ResizeObserver(() => {
      options.onResize?.();
      this.update();
    }).observe(scroller);
  }

  /** Sets number and size of items. A list has no columns. */
  setTracks(rows: Track, columns?: Track): void {
    this.#down = new Line(rows);
    this.#across = new Line(columns ?? { count: 1, size: 0 });
    const { style } = this.#options.content;
    // Custom properties, so that the style sheet can override the size for printing.
    style.setProperty("--zw-block", `${this.#down.extent}px`);
    if (columns) style.setProperty("--zw-inline", `${this.#across.extent}px`);
    this.update(true);
  }

  /** Renders if the ranges have changed. */
  update(isForced = false): void {
    const { maxItems, render } = this.#options;
    this.#look();
    const columns = this.#across.span(maxItems);
    const rows = this.#down.span(Math.max(1, Math.floor(maxItems / (columns.stop - columns.start || 1))));
    const isSame = isEqual(rows, this.rows) && isEqual(columns, this.columns);
    if (isSame && !isForced && !this.#down.isScaled && !this.#across.isScaled) return;
    this.rows = rows;
    this.columns = columns;
    render();
  }

  #look(): void {
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.#options.scroller;
    this.#down.look(scrollTop, clientHeight - this.#inset.block);
    // Offsets are negative in right-to-left text.
    this.#across.look(Math.abs(scrollLeft), clientWidth - this.#inset.inline);
  }

  /** Total width of the columns, in CSS pixels. */
  get width(): number {
    return this.#across.extent;
  }

  /** Number of rows per page. */
  get page(): number {
    return this.#down.visible;
  }

  /** Offset of a row from the beginning of the content. */
  top(row: number): number {
    return this.#down.offset(row);
  }

  /** Offset of a column from the beginning of the content, in reading direction. */
  start(column: number): number {
    return this.#across.offset(column);
  }

  /** Scrolls until an item is visible. */
  reveal(row: number, column = 0): void {
    const { scroller } = this.#options;
    this.#look();
    const top = this.#down.scrollFor(row);
    if (top !== undefined) scroller.scrollTop = top;
    const start = this.#across.scrollFor(column);
    const direction = getComputedStyle(scroller).direction === "rtl" ? -1 : 1;
    if (start !== undefined) scroller.scrollLeft = direction * start;
    this.update();
  }
}

const isEqual = (a: Span, b: Span): boolean => a.start === b.start && a.stop === b.stop;

/** One direction of a window. Content beyond `maxExtent` scrolls faster than its scroll bar. */
class Line {
  readonly #count: number;
  readonly #size: number;
  #scroll = 0;
  #view = 0;

  constructor({ count, size }: Track = { count: 0, size: 0 }) {
    this.#count = count;
    this.#size = size;
  }

  get #total(): number {
    return this.#count * this.#size;
  }

  get extent(): number {
    return Math.min(this.#total, maxExtent);
  }

  get isScaled(): boolean {
    return this.#total > maxExtent;
  }

  /** Pixels of content per pixel of scrolling. */
  get #scale(): number {
    return this.isScaled ? (this.#total - this.#view) / (maxExtent - this.#view) : 1;
  }

  look(scroll: number, view: number): void {
    this.#scroll = scroll;
    this.#view = Math.max(0, view);
  }

  get visible(): number {
    return this.#size > 0 ? Math.max(1, Math.floor(this.#view / this.#size)) : this.#count;
  }

  span(most: number): Span {
    if (this.#size === 0) return { start: 0, stop: Math.min(this.#count, most) };
    const first = Math.floor((this.#scroll * this.#scale) / this.#size);
    const last = Math.ceil((this.#scroll * this.#scale + this.#view) / this.#size);
    const start = Math.min(Math.max(0, first - overscan), Math.max(0, this.#count - 1));
    return { start, stop: Math.min(this.#count, last + overscan, start + most) };
  }

  offset(index: number): number {
    const at = index * this.#size;
    return this.isScaled ? at - this.#scroll * this.#scale + this.#scroll : at;
  }

  /** Scroll offset that shows an item; undefined if it is visible. */
  scrollFor(index: number): number | undefined {
    const at = index * this.#size;
    const from = this.#scroll * this.#scale;
    if (at < from) return at / this.#scale;
    const end = at + this.#size - this.#view;
    return end > from ? end / this.#scale : undefined;
  }
}

/** Pause in typing after which a new word begins, in milliseconds. */
const wordTime = 1000;

/** Type-ahead: collects typed characters into a word. */
export class TypedWord {
  #word = "";
  #time = Number.NEGATIVE_INFINITY;

  /** Adds a key. @returns the word in lower case; undefined for keys other than characters. */
  add({ key, ctrlKey, metaKey, altKey, timeStamp }: KeyboardEvent): string | undefined {
    const isGoing = timeStamp - this.#time < wordTime;
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey || (key === " " && !isGoing)) return undefined;
    this.#word = (isGoing ? this.#word : "") + key.toLowerCase();
    this.#time = timeStamp;
    return this.#word;
  }
}

/** Sets the children of an element. Does not move elements that stay, so that they keep the focus. */
export function arrange(parent: HTMLElement, elements: readonly HTMLElement[]): void {
  const wanted = new Set<Element>(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const element of elements) {
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}
