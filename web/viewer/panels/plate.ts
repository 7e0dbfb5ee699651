/** A plate of wells as a grid. */

import { h } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { shortName } from "../base/text.js";
import { type Cells, VirtualGrid } from "../base/virtual-grid.js";
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
