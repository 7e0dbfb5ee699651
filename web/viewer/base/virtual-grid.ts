/** A virtual grid: only the cells near the visible part are in the document. */
import { h } from "./dom.js";
import { shortened } from "./text.js";
import { arrange, overscan, type Span, TypedWord, VirtualWindow } from "./virtual.js";

/** Position of a cell. */
export type GridPosition = readonly [row: number, column: number];

export interface Cells {
  readonly rows: number;
  readonly columns: number;
  rowName(row: number): string;
  columnName(column: number): string;
  /** Makes the content of a cell; undefined for an empty one. */
  content(row: number, column: number): HTMLElement | string | undefined;
  /** Cells with buttons; absent for a table of values. */
  readonly buttons?: CellButtons;
}

/** Positions of cells with buttons; other cells can be empty. */
export interface CellButtons {
  readonly first: GridPosition | undefined;
  readonly last: GridPosition | undefined;
  /** The next position in the direction of `step`, from a position that may lie outside the grid. */
  next(from: GridPosition, step: GridPosition): GridPosition | undefined;
  /** The position that a typed name denotes. */
  find(word: string): GridPosition | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface VirtualGridOptions {
  readonly label: string;
  /** "grid" for cells with buttons, which form one tab stop; "table" for values. */
  readonly role: "grid" | "table";
  /** Maximum number of cells in the document. */
  readonly maxCells: number;
  /** Width of row names and height of column names, in CSS pixels. */
  readonly head: Size;
  /** Size of a cell, given the width available for all columns. */
  cellSize(width: number): Size;
}

/** Maximum length of a displayed row or column name. */
const maxHead = 12;

interface Row {
  readonly element: HTMLElement;
  readonly head: HTMLElement;
  readonly cells: Map<number, HTMLElement | undefined>;
}

export class VirtualGrid {
  readonly element: HTMLElement;
  readonly #corner = h("div", { class: "zw-grid-corner", role: "presentation" });
  readonly #head: HTMLElement;
  readonly #body: HTMLElement;
  readonly #window: VirtualWindow;
  readonly #word = new TypedWord();
  readonly #heads = new Map<number, HTMLElement>();
  readonly #rows = new Map<number, Row>();
  #size: Size = { width: 0, height: 0 };
  /** Position of the tab stop. */
  #active: GridPosition | undefined;

  constructor(
    private readonly cells: Cells,
    private readonly options: VirtualGridOptions,
  ) {
    const { role, label, head, maxCells } = options;
    this.#head = h("div", { class: "zw-grid-head", role: "row", "aria-rowindex": 1 }, this.#corner);
    this.#body = h("div", { class: "zw-grid-body", role: "rowgroup" });
    this.element = h(
      "div",
      {
        class: "zw-grid",
        role,
        "aria-label": label,
        "aria-rowcount": cells.rows + 1,
        "aria-colcount": cells.columns + 1,
      },
      h("div", { class: "zw-grid-heads", role: "rowgroup" }, this.#head),
      this.#body,
    );
    this.element.style.setProperty("--zw-head-width", `${head.width}px`);
    this.element.style.setProperty("--zw-head-height", `${head.height}px`);
    this.#active = cells.buttons?.first;
    if (!this.#active) this.element.tabIndex = 0;
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.element.addEventListener("focusin", ({ target }) => this.#follow(target));
    this.#window = new VirtualWindow({
      scroller: this.element,
      content: this.#body,
      maxItems: maxCells,
      inset: { block: head.height, inline: head.width },
      render: () => this.#render(),
      onResize: () => this.resize(),
    });
    this.resize();
  }

  /** Follows the width of the grid, or another size of cells. */
  resize(): void {
    const { width: headWidth, height: headHeight } = this.options.head;
    const width = Math.max(0, this.element.clientWidth - headWidth);
    const { rows, columns } = this.cells;
    const size = this.options.cellSize(width);
    // One more column can be visible in part.
    const most = maxRows(this.options.maxCells, rows, Math.min(columns, Math.ceil(width / size.width) + 1));
    const { style } = this.element;
    style.setProperty("--zw-max-size", `${headHeight + most * size.height}px`);
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    style.setProperty("--zw-cell-width", `${size.width}px`);
    style.setProperty("--zw-cell-height", `${size.height}px`);
    this.#window.setTracks({ count: rows, size: size.height }, { count: columns, size: size.width });
    this.#head.style.inlineSize = `${this.#window.width + headWidth}px`;
  }

  #render(): void {
    const { rows, columns } = this.#window;
    this.#renderHeads(columns);
    const [active] = this.#active ?? [];
    const shown = indexRange(rows, active);
    for (const row of [...this.#rows.keys()]) if (!shown.includes(row)) this.#rows.delete(row);
    const elements = shown.map((index) => {
      const row = this.#rows.get(index) ?? this.#makeRow(index);
      this.#rows.set(index, row);
      row.element.style.insetBlockStart = `${this.#window.top(index)}px`;
      const isSeen = index >= rows.start && index < rows.stop;
      this.#renderCells(row, index, isSeen ? columns : { start: 0, stop: 0 });
      return row.element;
    });
    arrange(this.#body, elements);
  }

  #renderHeads(columns: Span): void {
    const shown = indexRange(columns);
    for (const column of [...this.#heads.keys()]) if (!shown.includes(column)) this.#heads.delete(column);
    const elements = shown.map((column) => {
      const head = this.#heads.get(column) ?? this.#makeHead(column);
      this.#heads.set(column, head);
      head.style.insetInlineStart = `${this.#window.start(column)}px`;
      return head;
    });
    arrange(this.#head, [this.#corner, ...elements]);
  }

  #makeHead(column: number): HTMLElement {
    const attributes = { class: "zw-grid-name", role: "columnheader", "aria-colindex": column + 2 };
    return h("div", attributes, shortened(this.cells.columnName(column), maxHead));
  }

  #makeRow(index: number): Row {
    const head = h(
      "div",
      { class: "zw-grid-name", role: "rowheader", "aria-colindex": 1 },
      shortened(this.cells.rowName(index), maxHead),
    );
    const element = h("div", { class: "zw-grid-row", role: "row", "aria-rowindex": index + 2 }, head);
    return { element, head, cells: new Map() };
  }

  #renderCells({ element, head, cells }: Row, row: number, columns: Span): void {
    const isActive = this.#active?.[0] === row;
    const shown = indexRange(columns, isActive ? this.#active![1] : undefined);
    for (const column of [...cells.keys()]) if (!shown.includes(column)) cells.delete(column);
    const elements = shown.flatMap((column) => {
      if (!cells.has(column)) cells.set(column, this.#makeCell(row, column));
      const cell = cells.get(column);
      if (cell) cell.style.insetInlineStart = `${this.#window.start(column)}px`;
      return cell ? [cell] : [];
    });
    arrange(element, [head, ...elements]);
  }

  #makeCell(row: number, column: number): HTMLElement | undefined {
    const inside = this.cells.content(row, column);
    if (inside === undefined) return undefined;
    const role = this.options.role === "grid" ? "gridcell" : "cell";
    if (inside instanceof HTMLElement && role === "gridcell")
      inside.tabIndex = this.#isActive(row, column) ? 0 : -1;
    return h("div", { class: "zw-grid-cell", role, "aria-colindex": column + 2 }, inside);
  }

  #isActive(row: number, column: number): boolean {
    return this.#active?.[0] === row && this.#active[1] === column;
  }

  #insideOf([row, column]: GridPosition): HTMLElement | undefined {
    return this.#rows.get(row)?.cells.get(column)?.firstElementChild as HTMLElement | undefined;
  }

  #activate(position: GridPosition): void {
    const before = this.#active && this.#insideOf(this.#active);
    if (before) before.tabIndex = -1;
    this.#active = position;
    const now = this.#insideOf(position);
    if (now) now.tabIndex = 0;
  }

  /** Moves the tab stop to a clicked cell. */
  #follow(target: EventTarget | null): void {
    for (const [row, { cells }] of this.#rows)
      for (const [column, cell] of cells)
        if (cell?.contains(target as Node) && !this.#isActive(row, column)) this.#activate([row, column]);
  }

  /** Scrolls to a cell, and makes it the tab stop. */
  reveal(position: GridPosition): void {
    this.#window.reveal(...position);
    if (this.cells.buttons) this.#activate(position);
    this.#window.update(true);
  }

  #press(event: KeyboardEvent): void {
    const to = event.target === this.element ? undefined : this.#destination(event);
    if (!to) return;
    event.preventDefault();
    this.#window.reveal(...to);
    this.#activate(to);
    this.#window.update(true);
    this.#insideOf(to)?.focus();
  }

  #destination(event: KeyboardEvent): GridPosition | undefined {
    const { buttons, rows, columns } = this.cells;
    if (!this.#active || !buttons || event.altKey || event.metaKey) return undefined;
    const [row, column] = this.#active;
    const ahead = getComputedStyle(this.element).direction === "rtl" ? -1 : 1;
    const { page } = this.#window;
    switch (event.key) {
      case "ArrowRight":
        return buttons.next([row, column], [0, ahead]);
      case "ArrowLeft":
        return buttons.next([row, column], [0, -ahead]);
      case "ArrowDown":
        return buttons.next([row, column], [1, 0]);
      case "ArrowUp":
        return buttons.next([row, column], [-1, 0]);
      case "PageDown":
        return buttons.next([row + page - 1, column], [1, 0]) ?? buttons.next([rows, column], [-1, 0]);
      case "PageUp":
        return buttons.next([row - page + 1, column], [-1, 0]) ?? buttons.next([-1, column], [1, 0]);
      case "Home":
        return event.ctrlKey ? buttons.first : buttons.next([row, -1], [0, 1]);
      case "End":
        return event.ctrlKey ? buttons.last : buttons.next([row, columns], [0, -1]);
      default: {
        const word = this.#word.add(event);
        return word === undefined ? undefined : buttons.find(word);
      }
    }
  }
}

/** Maximum number of visible rows that keeps the rendered cells within `maxCells`. */
function maxRows(maxCells: number, rows: number, visibleColumns: number): number {
  const most = Math.floor(maxCells / (visibleColumns + 2 * overscan));
  return rows <= most ? rows : Math.max(4, most - 2 * overscan - 1);
}

/** The indices of a span, and optionally one outside it. */
function indexRange({ start, stop }: Span, more?: number): number[] {
  const indices = Array.from({ length: stop - start }, (_, i) => start + i);
  if (more === undefined || (more >= start && more < stop)) return indices;
  return more < start ? [more, ...indices] : [...indices, more];
}
