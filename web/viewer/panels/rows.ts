/** The table of a view: the column that colours its points or labels, and its rows, which can be selected. */

import { button, h } from "../base/dom.js";
import { errorMessage } from "../base/format.js";
import { shortened, shortName } from "../base/text.js";
import { type GridPosition, VirtualGrid } from "../base/virtual-grid.js";
import { text } from "../language/text.js";
import { maxListed } from "../model/label-look.js";
import { maxPointSize, type ViewState } from "../model/state.js";
import { columnText, isPair } from "../source/columns.js";
import type { Observations } from "../source/observations.js";
import { isRegionId, type RowId } from "../source/row-id.js";
import { geneControl } from "./genes.js";
import {
  type Control,
  columnRangeControl,
  groupControl,
  listControl,
  mapControl,
  numberControl,
  type Panel,
  type PanelContext,
} from "./panel.js";

/** Maximum number of cells in the document, and of characters of a value. */
const maxCells = 400;
const maxShown = 16;
/** Sizes in CSS pixels. */
const cellSize = { width: 110, height: 27 };
const headWidth = 74;

export const rowsPanel: Panel = {
  name: "rows",
  tab: "image",
  title: () => text.rows.title,
  isShown: ({ table }) => table !== undefined,
  key: ({ table }) => table,
  build(context, { table }) {
    const { names } = table!;
    const columns = names.map((name) => [name, shortName(name)] as const);
    const isNumbers = ({ by }: ViewState) => table!.column(by)?.kind === "numbers";
    return [
      groupControl([
        listControl(context, text.panels.colorBy, [["", text.rows.none], ...columns], {
          control: "by",
          value: ({ by }) => (names.includes(by) ? by : ""),
          set: (by) => ({ by, byColormap: null, byRange: undefined }),
        }),
        geneControl<ViewState>(context, {
          control: "by-gene",
          genes: () => table!.genes,
          by: ({ by }) => by,
          set: (by) => ({ by, byColormap: null, byRange: { mode: "auto" } }),
        }),
        mapControl(context, text.rows.colorMap, {
          control: "by-map",
          value: ({ byColormap }) => byColormap,
          set: (byColormap) => ({ byColormap }),
          isShown: (state) => isNumbers(state) && !isPair(table!.column(state.by)),
        }),
        columnRangeControl(context, "", {
          control: "by-range",
          value: ({ byRange }) => byRange,
          set: (byRange) => ({ byRange }),
          isShown: isNumbers,
        }),
        numberControl(
          context,
          text.rows.size,
          { ...sizeField, placeholder: text.rows.sizeHint },
          {
            control: "size",
            value: ({ pointSize }) => pointSize || null,
            set: (pointSize) => ({ pointSize: pointSize ?? 0 }),
            isShown: () => context.dataset.embedding !== undefined,
          },
        ),
        new Rows(table!, context.change, context.dataset.embedding !== undefined),
      ]),
    ];
  },
};

const sizeField = { min: 0, max: maxPointSize, step: "any" };

/** The rows, of which some are selected. */
class Rows implements Control {
  readonly #count = h("p", { "aria-live": "polite" });
  readonly #clear = button(text.rows.clear, () => this.#select([]));
  readonly #details = h("details", { ontoggle: () => void this.#open() }, h("summary", {}, text.rows.unfold));
  readonly element = h("div", { class: "zw-group" }, this.#count, this.#clear, this.#details);
  #grid: VirtualGrid | undefined;
  #state: ViewState | undefined;
  #revealed: RowId | undefined;

  constructor(
    private readonly observations: Observations,
    private readonly onChange: PanelContext["change"],
    isOpen: boolean,
  ) {
    this.#details.open = isOpen;
  }

  sync(state: ViewState): void {
    this.#state = state;
    const { selected } = state.labels;
    const { rows } = this.observations;
    const counts = text.rows.counts(rows, selected.length);
    if (this.#count.textContent !== counts) this.#count.textContent = counts;
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
    const wait = h("p", {}, text.rows.reading);
    this.#details.append(wait);
    try {
      await this.observations.readDescribed();
      wait.remove();
      this.#grid ??= this.#makeGrid();
      this.#details.append(this.#grid.element);
      this.#reveal(this.#state?.labels.selected.at(-1));
    } catch (error) {
      wait.textContent = text.rows.failed(errorMessage(error));
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
        columnName: (column) => names[column] ?? text.rows.row,
        content: (row, column) => {
          const shown = names.length > 0 ? value(row, column) : String(row);
          return column === 0 ? this.#button(observations.id(row), shown) : shown;
        },
        buttons: {
          first: at(0),
          last: at(rows - 1),
          next: ([row], [step]) => at(row + step),
          find: (word) => at(observations.row(isRegionId(word) ? word : Number(word)) ?? -1),
        },
      },
      {
        label: text.rows.grid(rows, names.length),
        role: "grid",
        maxCells,
        head: { width: headWidth, height: cellSize.height },
        cellSize: () => cellSize,
      },
    );
  }

  #button(id: RowId, label: string): HTMLElement {
    const isPressed = this.#state?.labels.selected.includes(id) === true;
    const attributes = { class: "zw-row-button", "data-id": id, "aria-pressed": String(isPressed) };
    return button(label || String(id), () => this.#toggle(id), attributes);
  }
}
