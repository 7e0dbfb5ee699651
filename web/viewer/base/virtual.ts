/** Virtual scrolling: of a long list or a large grid, only the items near the visible part are in the document. */

/** Items `start` to `stop - 1`. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

/** Items of one size, in CSS pixels, side by side. */
export interface Track {
  readonly count: number;
  readonly size: number;
}

/** Longest content in CSS pixels; browsers cut off longer ones (Firefox at 17.9 million). */
const maxExtent = 8_000_000;

/** Items rendered beyond the visible ones on each side. */
export const overscan = 1;

const none: Span = { start: 0, stop: 0 };

interface WindowOptions {
  /** The scroll container. */
  readonly scroller: HTMLElement;
  /** Its content, which gets the size of all items. */
  readonly content: HTMLElement;
  /** Most items to render, whatever the size of the scroll container. */
  readonly maxItems: number;
  /** Size of headings within the scroll container that stay where they are. */
  readonly inset?: { readonly block: number; readonly inline: number };
  /** Renders the items of `rows` and `columns`. */
  readonly render: () => void;
  /** The scroll container has another size. */
  readonly onResize?: () => void;
}

/** Tells which items of a scroll container to render, and where. Positions are logical: they hold for both writing directions. */
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

  /** Takes over how many items there are. A list has no columns. */
  setTracks(rows: Track, columns?: Track): void {
    this.#down = new Line(rows);
    this.#across = new Line(columns ?? { count: 1, size: 0 });
    const { style } = this.#options.content;
    // Used by the style sheet, which has other sizes for printing.
    style.setProperty("--zw-block", `${this.#down.extent}px`);
    if (columns) style.setProperty("--zw-inline", `${this.#across.extent}px`);
    this.update(true);
  }

  /** Renders what is visible now, if that has changed. */
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
    // Offsets are negative in text that runs from right to left.
    this.#across.look(Math.abs(scrollLeft), clientWidth - this.#inset.inline);
  }

  /** Size of all columns in the document, in CSS pixels. */
  get width(): number {
    return this.#across.extent;
  }

  /** Rows that are visible at a time. */
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

/** One direction of a window. Content longer than the longest possible is scrolled faster than its scroll bar moves. */
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

  /** Pixels of all items for each pixel of scrolling. */
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

  /** Where to scroll for an item; undefined if it is visible. */
  scrollFor(index: number): number | undefined {
    const at = index * this.#size;
    const from = this.#scroll * this.#scale;
    if (at < from) return at / this.#scale;
    const end = at + this.#size - this.#view;
    return end > from ? end / this.#scale : undefined;
  }
}

/** Milliseconds after which a letter begins another word. */
const wordTime = 1000;

/** Letters that are typed one after the other. */
export class TypedWord {
  #word = "";
  #time = Number.NEGATIVE_INFINITY;

  /** The word so far, in lower case, with what a key adds; undefined for keys that are no letters. */
  add({ key, ctrlKey, metaKey, altKey, timeStamp }: KeyboardEvent): string | undefined {
    const isGoing = timeStamp - this.#time < wordTime;
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey || (key === " " && !isGoing)) return undefined;
    this.#word = (isGoing ? this.#word : "") + key.toLowerCase();
    this.#time = timeStamp;
    return this.#word;
  }
}

/** Puts elements into a parent in this order, without moving those that are in it already, and removes all others. */
export function arrange(parent: HTMLElement, elements: readonly HTMLElement[]): void {
  const wanted = new Set<Element>(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const element of elements) {
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}

/** The element with the focus, if it is within another one, in whatever tree that is. */
export function focusedIn(element: HTMLElement): HTMLElement | undefined {
  const { activeElement } = element.getRootNode() as Document | ShadowRoot;
  return activeElement instanceof HTMLElement && element.contains(activeElement) ? activeElement : undefined;
}
