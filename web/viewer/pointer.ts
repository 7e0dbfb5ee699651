/**
 * Pointing at elements of a picture: with a mouse or pen, by touch, or with the keyboard. Dragging with a
 * mouse marks a rectangle.
 */
import { h } from "./dom.js";

/** An element of the picture. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Cells from `from` to `to`, both included. */
export interface CellRectangle {
  readonly from: Cell;
  readonly to: Cell;
}

export interface PointerCallbacks {
  /** The cell pointed at, or undefined when the pointer has left. */
  onPoint(cell: Cell | undefined, by: "pointer" | "keyboard"): void;
  onMark(rectangle: CellRectangle): void;
  /** + and − at the cell pointed at; 0 for everything. */
  onZoom(direction: "in" | "out" | "reset", cell: Cell | undefined): void;
}

/** Moves of keys: rows and columns, ±Infinity for "to the end". */
const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-16, 0],
  PageDown: [16, 0],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

const zooms: Readonly<Record<string, "in" | "out" | "reset">> = {
  "+": "in",
  "=": "in",
  "-": "out",
  "0": "reset",
};

/** A drag shorter than this is a click. */
const dragThreshold = 5;

/** The pointer's part of a frame around a picture: cursor, rectangle, and their events. */
export class Pointer {
  readonly #cursor = h("div", { class: "zw-cursor", hidden: true });
  readonly #mark = h("div", { class: "zw-mark", hidden: true });
  #rows = 0;
  #columns = 0;
  #cell: Cell | undefined;
  #dragFrom: { cell: Cell; x: number; y: number } | undefined;

  constructor(
    private readonly frame: HTMLElement,
    private readonly callbacks: PointerCallbacks,
  ) {
    frame.append(this.#cursor, this.#mark);
    frame.addEventListener("pointermove", (event) => this.#move(event));
    frame.addEventListener("pointerdown", (event) => this.#press(event));
    frame.addEventListener("pointerup", (event) => this.#release(event));
    frame.addEventListener("pointercancel", () => this.#endDrag());
    frame.addEventListener("pointerleave", (event) => this.#leave(event));
    frame.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Says how many cells the picture has now. */
  setGrid(rows: number, columns: number): void {
    this.#rows = rows;
    this.#columns = columns;
    this.#endDrag();
    this.moveTo(undefined);
  }

  /** Moves the cursor without telling anybody. */
  moveTo(cell: Cell | undefined): void {
    this.#cell = cell;
    this.#show();
  }

  get cell(): Cell | undefined {
    return this.#cell;
  }

  #cellAt({ clientX, clientY }: PointerEvent): Cell {
    const box = this.frame.getBoundingClientRect();
    const clamp = (value: number, count: number) =>
      Math.min(Math.max(Math.floor(value * count), 0), count - 1);
    return {
      row: clamp((clientY - box.top) / box.height, this.#rows),
      column: clamp((clientX - box.left) / box.width, this.#columns),
    };
  }

  #point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    this.moveTo(cell);
    this.callbacks.onPoint(cell, by);
  }

  #move(event: PointerEvent): void {
    if (this.#rows === 0) return;
    const cell = this.#cellAt(event);
    this.#point(cell, "pointer");
    const start = this.#dragFrom;
    if (!start || Math.hypot(event.clientX - start.x, event.clientY - start.y) < dragThreshold) return;
    this.#mark.hidden = false;
    this.#place(this.#mark, rectangleOf(start.cell, cell));
  }

  #press(event: PointerEvent): void {
    if (this.#rows === 0) return;
    const cell = this.#cellAt(event);
    this.#point(cell, "pointer");
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    this.frame.setPointerCapture(event.pointerId);
    this.#dragFrom = { cell, x: event.clientX, y: event.clientY };
  }

  #release(event: PointerEvent): void {
    const start = this.#dragFrom;
    const isMarked = !this.#mark.hidden;
    this.#endDrag();
    if (start && isMarked) this.callbacks.onMark(rectangleOf(start.cell, this.#cellAt(event)));
  }

  #endDrag(): void {
    this.#dragFrom = undefined;
    this.#mark.hidden = true;
  }

  /** A finger's last cell stays: there is nothing that hovers. */
  #leave({ pointerType }: PointerEvent): void {
    if (pointerType !== "touch" && !this.#dragFrom) this.#point(undefined, "pointer");
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#rows === 0) return;
    const move = moves[event.key];
    const zoom = zooms[event.key];
    if (move) this.#moveBy(move, event.shiftKey ? 10 : 1);
    else if (zoom) this.callbacks.onZoom(zoom, this.#cell);
    else if (event.key === "Escape") {
      this.#endDrag();
      this.#point(undefined, "keyboard");
    } else return;
    event.preventDefault();
  }

  #moveBy([rows, columns]: readonly [number, number], times: number): void {
    const clamp = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
    const from = this.#cell ?? { row: (this.#rows - 1) >> 1, column: (this.#columns - 1) >> 1 };
    // The first key only shows where the cursor is.
    const isFirst = this.#cell === undefined;
    const row = isFirst ? from.row : clamp(from.row + rows * times, this.#rows);
    const column = isFirst ? from.column : clamp(from.column + columns * times, this.#columns);
    this.#point({ row, column }, "keyboard");
  }

  #show(): void {
    this.#cursor.hidden = this.#cell === undefined;
    if (this.#cell) this.#place(this.#cursor, { from: this.#cell, to: this.#cell });
  }

  #place({ style }: HTMLElement, { from, to }: CellRectangle): void {
    style.left = `${(from.column / this.#columns) * 100}%`;
    style.top = `${(from.row / this.#rows) * 100}%`;
    style.width = `${((to.column - from.column + 1) / this.#columns) * 100}%`;
    style.height = `${((to.row - from.row + 1) / this.#rows) * 100}%`;
  }
}

function rectangleOf(a: Cell, b: Cell): CellRectangle {
  return {
    from: { row: Math.min(a.row, b.row), column: Math.min(a.column, b.column) },
    to: { row: Math.max(a.row, b.row), column: Math.max(a.column, b.column) },
  };
}
