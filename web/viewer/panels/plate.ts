/** A plate of wells as a grid, and the choice of their fields and size. */
import { button, h, labelled, select } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { type Cells, VirtualGrid } from "../base/virtual-grid.js";
import { text } from "../language/text.js";
import { type PlateView, wellSizes } from "../model/plate-view.js";
import type { Plate, WellPosition } from "../source/plate.js";

/** Limits of the size of a well that fits, with its margin, in CSS pixels. */
const fitting = { min: 32, max: 160 };

/** Margin and border of a well on both sides. */
const margin = 6;

/** Maximum number of wells in the document, of three elements each. */
const maxWells = 500;

/** How much of a well could be read: "empty" has no images, "partial" lacks some of its fields. */
type WellState = "read" | "partial" | "failed" | "empty";

interface PlateOptions {
  readonly size: number | undefined;
  readonly controls: HTMLElement;
  readonly foot: HTMLElement;
  /** Called with each rendered well, which can hold a picture, and its path. */
  readonly onWell: (well: HTMLElement, path: string) => void;
  /** Called after the size of wells has changed. */
  readonly onSize: () => void;
  readonly onOpen: (well: HTMLElement, path: string, event: MouseEvent) => void;
}

export function plateView(
  plate: Plate,
  { size: first, controls, foot, onWell, onSize, onOpen }: PlateOptions,
) {
  let [size, side] = [first, fitting.min];
  const names = new WeakMap<HTMLElement, string>();
  const content = (row: number, column: number): HTMLElement | undefined => {
    const position: WellPosition = [row, column];
    const path = plate.pathAt(position);
    if (path === undefined) return undefined;
    const name = text.plate.well(shortName(plate.nameOf(position)));
    const onclick = (event: Event) => onOpen(well, path, event as MouseEvent);
    const well: HTMLElement = button("", () => {}, {
      class: "zw-well",
      "aria-label": name,
      title: name,
      onclick,
    });
    names.set(well, name);
    onWell(well, path);
    return well;
  };
  const cells: Cells = {
    rows: plate.rows.length,
    columns: plate.columns.length,
    rowName: (row) => plate.rows[row]!,
    columnName: (column) => plate.columns[column]!,
    content,
    buttons: plate,
  };
  const grid = new VirtualGrid(cells, {
    label: text.plate.wells,
    role: "grid",
    maxCells: maxWells,
    head: { width: headWidth(plate.rows), height: 26 },
    cellSize: (width) => {
      const fitted = Math.min(Math.max(Math.floor(width / cells.columns), fitting.min), fitting.max);
      if (side !== (size ?? fitted)) queueMicrotask(onSize);
      side = size ?? fitted;
      return { width: side, height: side };
    },
  });
  grid.element.classList.add("zw-wells");
  const said = h("p", { role: "status" }, text.plate.reading);
  const element = h(
    "div",
    { class: "zw-plate", role: "region", "aria-label": text.plate.title },
    h("h3", {}, text.plate.heading(plate.count)),
    controls,
    grid.element,
    foot,
    said,
  );
  return {
    element,
    /** Width of a well with its margin, in CSS pixels. */
    get cell() {
      return side;
    },
    /** Width of the picture of a well, in CSS pixels. */
    get side() {
      return Math.max(1, side - margin);
    },
    setSize(next: number | undefined): void {
      size = next;
      grid.resize();
    },
    say(sentences: readonly string[]): void {
      const next = sentences.join(" ");
      if (said.textContent !== next) said.textContent = next;
    },
    mark(well: HTMLElement, state: WellState, problem: string | undefined): void {
      well.dataset["read"] = state;
      // Also describes the button, whose name stays the same.
      well.title = `${names.get(well)}${text.plate.states[state](problem ?? "")}`;
    },
  };
}

/** Width of row names, from the length of the last ones. */
function headWidth(names: readonly string[]): number {
  const letters = Math.max(...names.slice(-100).map((name) => name.length), 1);
  return 16 + 8 * Math.min(letters, 12);
}

/** Field of view, acquisition and size of all wells. A choice of one thing has no control. */
export function plateControls(first: PlateView, onView: (view: PlateView) => void) {
  let view = first;
  const change = (part: Partial<PlateView>) => {
    view = { ...view, ...part };
    onView(view);
  };
  const list = (
    title: string,
    entries: readonly (readonly [string, string])[],
    chosen: string,
    set: (value: string) => void,
  ) => {
    const control = select(entries, set);
    control.value = chosen;
    return labelled(title, control);
  };
  const { min, max } = wellSizes;
  const size = h("input", {
    type: "range",
    min,
    max,
    step: 4,
    value: view.size ?? fitting.max / 2,
    oninput: () => change({ size: Number(size.value) }),
  });
  const onsubmit = (event: Event) => event.preventDefault();
  const element = h("form", { class: "zw-plate-controls", onsubmit }, labelled(text.plate.size, size));
  let isOffered = false;
  return {
    element,
    showSize(now: number): void {
      if (document.activeElement !== size) size.value = String(now);
    },
    /** @returns whether it is the first offer */
    offer(fields: number, acquisitions: readonly number[]): boolean {
      if (isOffered) return false;
      isOffered = true;
      const numbered = Array.from({ length: fields }, (_, i) => [String(i), String(i + 1)] as const);
      if (acquisitions.length > 1) {
        const entries = acquisitions.map((id) => [String(id), String(id)] as const);
        const chosen = String(view.acquisition ?? acquisitions[0]);
        const control = list(text.plate.acquisition, entries, chosen, (id) =>
          change({ acquisition: Number(id) }),
        );
        element.prepend(control);
      }
      if (fields > 1)
        element.prepend(
          list(text.plate.field, [["", text.plate.all], ...numbered], String(view.field ?? ""), (field) =>
            change({ field: field === "" ? null : Number(field) }),
          ),
        );
      return true;
    },
  };
}
