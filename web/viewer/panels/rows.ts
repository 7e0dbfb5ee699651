/** The table of a view: the column that colours its points or labels, and its rows, which can be selected. */
import { colormapNames, isColormap } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { errorMessage, formatCount } from "../base/format.js";
import { shortened, shortName } from "../base/text.js";
import { type GridPosition, VirtualGrid } from "../base/virtual-grid.js";
import { maxListed } from "../model/label-look.js";
import { maxPointSize, type ViewState } from "../model/state.js";
import { columnText } from "../source/columns.js";
import type { Observations } from "../source/observations.js";
import { isRegionId, type RowId } from "../source/row-id.js";
import { ColumnRange, type Control, type Panel, type PanelContext } from "./panel.js";

/** Maximum number of cells in the document, and of characters of a value. */
const maxCells = 400;
const maxShown = 16;
/** Sizes in CSS pixels. */
const cellSize = { width: 110, height: 27 };
const headWidth = 74;

export const rowsPanel: Panel = {
  name: "rows",
  title: "Table",
  isShown: ({ table }) => table !== undefined,
  key: ({ table }) => table,
  build: ({ dataset, change }, { table }) => [new Rows(table!, dataset.embedding !== undefined, change)],
};

class Rows implements Control {
  readonly element: HTMLElement;
  readonly #by: HTMLSelectElement;
  readonly #map: HTMLSelectElement;
  readonly #range: ColumnRange;
  readonly #size: HTMLInputElement;
  readonly #numbers: readonly HTMLElement[];
  readonly #count = h("p", { "aria-live": "polite" });
  readonly #clear: HTMLElement;
  readonly #details: HTMLDetailsElement;
  #grid: VirtualGrid | undefined;
  #state: ViewState | undefined;
  #revealed: RowId | undefined;

  /** @param isPlot whether the rows are points, which have a size */
  constructor(
    private readonly observations: Observations,
    isPlot: boolean,
    private readonly onChange: PanelContext["change"],
  ) {
    const { names } = observations;
    const columns = names.map((name) => [name, shortName(name)] as const);
    this.#by = select([["", "None"], ...columns], (by) =>
      onChange({ by, byColormap: null, byRange: undefined }, "by"),
    );
    this.#map = select([["", "Default"], ...colormapNames.map((map) => [map, map] as const)], (map) =>
      onChange({ byColormap: isColormap(map) ? map : null }, "by-map"),
    );
    this.#range = new ColumnRange((byRange) => onChange({ byRange }, "by-range"));
    this.#size = numberField({ min: 0, max: maxPointSize, step: "any", placeholder: "automatic" }, () =>
      onChange({ pointSize: Number(this.#size.value) }, "size"),
    );
    this.#numbers = [labelled("Colour map of the column", this.#map), this.#range.element];
    this.#clear = h(
      "button",
      { type: "button", class: "zw-button", onclick: () => this.#select([]) },
      "Clear selection",
    );
    this.#details = h("details", { ontoggle: () => void this.#open() }, h("summary", {}, "Rows"));
    this.element = h(
      "div",
      { class: "zw-group" },
      labelled("Colour by", this.#by),
      ...this.#numbers,
      isPlot && labelled("Size of points", this.#size),
      this.#count,
      this.#clear,
      this.#details,
    );
  }

  sync(state: ViewState): void {
    this.#state = state;
    this.#by.value = this.observations.names.includes(state.by) ? state.by : "";
    this.#map.value = state.byColormap ?? "";
    this.#range.sync(state.byRange);
    if (state.pointSize > 0) showNumber(this.#size, state.pointSize);
    else this.#size.value = "";
    const isNumbers = this.observations.column(state.by)?.kind === "numbers";
    for (const element of this.#numbers) element.hidden = !isNumbers;
    this.#syncSelection(state.labels.selected);
  }

  #syncSelection(selected: readonly RowId[]): void {
    const { rows } = this.observations;
    const text = `${formatCount(rows)} rows, ${selected.length} selected`;
    if (this.#count.textContent !== text) this.#count.textContent = text;
    this.#clear.hidden = selected.length === 0;
    const last = selected.at(-1);
    if (last !== this.#revealed) this.#reveal(last);
    for (const button of this.#details.querySelectorAll<HTMLElement>("button[data-id]"))
      button.ariaPressed = String(selected.some((id) => String(id) === button.dataset["id"]));
  }

  /** Scrolls to the row selected last. */
  #reveal(id: RowId | undefined): void {
    this.#revealed = id;
    const row = id === undefined ? undefined : this.observations.row(id);
    if (row !== undefined) this.#grid?.reveal([row, 0]);
  }

  #select(selected: readonly RowId[]): void {
    const { labels } = this.#state!;
    this.#revealed = selected.at(-1); // it is in view
    this.onChange({ labels: { ...labels, selected } }, "rows-pick");
  }

  #toggle(id: RowId): void {
    const { selected } = this.#state!.labels;
    const others = selected.filter((one) => one !== id);
    this.#select(others.length < selected.length ? others : [...others, id].slice(-maxListed));
  }

  /** Makes the table of rows, once. */
  async #open(): Promise<void> {
    if (!this.#details.open || this.#grid) return;
    const wait = h("p", {}, "Reading…");
    this.#details.append(wait);
    try {
      await this.observations.readDescribed();
      wait.remove();
      this.#grid ??= this.#makeGrid();
      this.#details.append(this.#grid.element);
      this.#reveal(this.#state?.labels.selected.at(-1));
    } catch (error) {
      wait.textContent = `The rows could not be read: ${errorMessage(error)}.`;
    }
  }

  #makeGrid(): VirtualGrid {
    const { observations } = this;
    const { rows } = observations;
    const names = observations.described.filter((name) => observations.column(name));
    const at = (row: number): GridPosition | undefined => (row >= 0 && row < rows ? [row, 0] : undefined);
    const value = (row: number, column: number) =>
      shortened(columnText(observations.column(names[column]!)!, row), maxShown);
    return new VirtualGrid(
      {
        rows,
        columns: Math.max(1, names.length),
        rowName: (row) => String(observations.id(row)),
        columnName: (column) => names[column] ?? "Row",
        content: (row, column) => {
          const text = names.length > 0 ? value(row, column) : String(row);
          return column === 0 ? this.#button(observations.id(row), text) : text;
        },
        buttons: {
          first: at(0),
          last: at(rows - 1),
          next: ([row], [step]) => at(row + step),
          find: (word) => at(observations.row(isRegionId(word) ? word : Number(word)) ?? -1),
        },
      },
      {
        label: `${formatCount(rows)} rows of ${names.length} columns`,
        role: "grid",
        maxCells,
        head: { width: headWidth, height: cellSize.height },
        cellSize: () => cellSize,
      },
    );
  }

  #button(id: RowId, text: string): HTMLElement {
    const isPressed = this.#state?.labels.selected.includes(id) === true;
    return h(
      "button",
      {
        type: "button",
        class: "zw-row-button",
        "data-id": id,
        "aria-pressed": String(isPressed),
        onclick: () => this.#toggle(id),
      },
      text || String(id),
    );
  }
}
