/** A plate of wells as a grid, and the controls of their planes. */
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { shortName } from "../base/text.js";
import { type Cells, VirtualGrid } from "../base/virtual-grid.js";
import type { PlateChoices, PlateView } from "../model/plate-view.js";
import type { Plate, WellPosition } from "../source/plate.js";

/** Size of a well with its margin, in CSS pixels. */
const minSize = 32;
const maxSize = 120;

/** Maximum number of wells in the document, of three elements each. */
const maxWells = 500;

/**
 * @param onWell called with the button of each rendered well, which can hold a picture, and the path of the
 *   well
 */
export function plateView(
  plate: Plate,
  onGo: (path: string) => void,
  onWell: (well: HTMLElement, path: string) => void,
  controls: HTMLElement,
): HTMLElement {
  const well = (position: WellPosition): HTMLElement | undefined => {
    const path = plate.pathAt(position);
    if (path === undefined) return undefined;
    const name = `Well ${shortName(plate.nameOf(position))}`;
    const onclick = () => onGo(path);
    const button = h("button", {
      type: "button",
      class: "zw-well",
      "aria-label": name,
      title: name,
      onclick,
    });
    onWell(button, path);
    return button;
  };
  const cells: Cells = {
    rows: plate.rows.length,
    columns: plate.columns.length,
    rowName: (row) => plate.rows[row]!,
    columnName: (column) => plate.columns[column]!,
    content: (row, column) => well([row, column]),
    buttons: plate,
  };
  const grid = new VirtualGrid(cells, {
    label: "Wells",
    role: "grid",
    maxCells: maxWells,
    head: { width: headWidth(plate.rows), height: 26 },
    cellSize: (width) => {
      const side = Math.min(Math.max(Math.floor(width / cells.columns), minSize), maxSize);
      return { width: side, height: side };
    },
  });
  grid.element.classList.add("zw-wells");
  const { count } = plate;
  return h(
    "div",
    { class: "zw-plate", role: "region", "aria-label": "Plate" },
    h("h3", {}, `A plate with ${count === 1 ? "1 well" : `${formatCount(count)} wells`}`),
    h("p", {}, "Choose a well to see its fields of view."),
    controls,
    grid.element,
  );
}

/** Width of row names, from the length of the last ones. */
function headWidth(names: readonly string[]): number {
  const letters = Math.max(...names.slice(-100).map((name) => name.length), 1);
  return 16 + 8 * Math.min(letters, 12);
}

export class PlateControls {
  readonly element = h("form", {
    class: "zw-plate-controls",
    hidden: true,
    onsubmit: (event: Event) => event.preventDefault(),
  });
  #view: PlateView;
  #isOffered = false;

  constructor(
    first: PlateView,
    private readonly onView: (view: PlateView) => void,
  ) {
    this.#view = first;
  }

  /** Offers choices, once they are known; a choice of one thing has no control. */
  offer({ channels, fields, axes }: PlateChoices): void {
    if (this.#isOffered) return;
    this.#isOffered = true;
    if (channels.length > 1)
      this.#add(
        "Channel",
        this.#list(["All", ...channels], (this.#view.channel ?? -1) + 1, (at) => ({
          channel: at > 0 ? at - 1 : null,
        })),
      );
    if (fields > 1)
      this.#add(
        "Field of view",
        this.#list(
          Array.from({ length: fields }, (_, i) => String(i + 1)),
          this.#view.field,
          (field) => ({ field }),
        ),
      );
    for (const { axis, name, length, at } of axes) {
      const field = numberField({ min: 0, max: length - 1, step: 1 }, () => {
        const index = Math.min(Math.max(Math.round(Number(field.value)), 0), length - 1);
        showNumber(field, index);
        this.#change({ index: new Map([...this.#view.index, [axis, index]]) });
      });
      showNumber(field, this.#view.index.get(axis) ?? at);
      this.#add(name, field);
    }
    this.element.hidden = this.element.childElementCount === 0;
  }

  #add(name: string, control: HTMLInputElement | HTMLSelectElement): void {
    this.element.append(labelled(name, control));
  }

  #list(
    names: readonly string[],
    chosen: number,
    changeFor: (at: number) => Partial<PlateView>,
  ): HTMLSelectElement {
    const entries = names.map((name, i) => [String(i), name] as const);
    const list = select(entries, (value) => this.#change(changeFor(Number(value))));
    list.value = String(chosen);
    return list;
  }

  #change(change: Partial<PlateView>): void {
    this.#view = { ...this.#view, ...change };
    this.onView(this.#view);
  }
}
