/** Tables of values without a numeric representation, and single values. */
import { field, type Region } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatScalar, scalarAt } from "../base/format.js";
import { shortened } from "../base/text.js";
import { VirtualGrid } from "../base/virtual-grid.js";
import type { TablePlan } from "../model/plan.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Leaf } from "../source/leaf.js";
import { axisName } from "./rulers.js";

/** Maximum number of cells in the document. */
const maxCells = 500;

/** Maximum lengths of a value in a cell and in its tooltip. */
const maxShown = 60;
const maxTooltip = 1000;

/** Sizes in CSS pixels: of a character, of the margins of a value, of a row. */
const characterWidth = 7.6;
const padding = 25;
const rowHeight = 27;

/** A table of a region's values with row and column indices. */
export function tableView(dataset: Dataset, { axes }: TablePlan, read: Region, leaf: Leaf): HTMLElement {
  const region = leaf.path.length > 0 ? { ...read, ...field(read, leaf.path) } : read;
  const [down, across] = axes;
  // The region has the array's order of axes, which may differ from the table's.
  const inOrder = axes.map(({ axis }) => axis).sort((a, b) => a - b);
  const strides = axes.map(({ axis }) => read.stride[inOrder.indexOf(axis)]!);
  const text = (row: number, column: number) => {
    const at = row * strides[0]! + column * (strides[1] ?? 0);
    return formatScalar(leaf.dtype, scalarAt(region, at * leaf.items + leaf.item));
  };
  const titles = axes.map((plan) =>
    axisText(axisName(dataset.axes, plan.axis), plan, datasetShape(dataset)[plan.axis]!),
  );
  const rows = down!.stop - down!.start;
  const columns = across ? across.stop - across.start : 1;
  const texts = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => shortened(text(row, column), maxTooltip)),
  );
  const longest = Math.max(1, ...texts.flat().map(({ length }) => length));
  const size = {
    width: padding + characterWidth * Math.min(Math.max(longest, 4), maxShown),
    height: rowHeight,
  };
  const grid = new VirtualGrid(
    {
      rows,
      columns,
      rowName: (row) => String(down!.start + row),
      columnName: (column) => (across ? String(across.start + column) : "Value"),
      content: (row, column) => cell(texts[row]![column]!),
    },
    {
      label: across ? `Down ${titles[0]}; across ${titles[1]}` : `Down ${titles[0]}`,
      role: "table",
      maxCells,
      head: { width: padding + characterWidth * String(down!.stop).length, height: across ? rowHeight : 0 },
      cellSize: () => size,
    },
  );
  return h(
    "div",
    { class: "zw-table", role: "region", "aria-label": "Values" },
    h("p", {}, across ? `Down ${titles[0]}; across ${titles[1]}` : `Down ${titles[0]}`),
    grid.element,
  );
}

const cell = (text: string): HTMLElement | string =>
  text.length > maxShown ? h("span", { title: text }, shortened(text, maxShown)) : text;

/** The value of an array without dimensions. */
export function valueView(region: Region): HTMLElement {
  return h("p", { class: "zw-value" }, formatScalar(region.dtype, scalarAt(region, 0)));
}

/** Describes the visible interval of an axis. */
function axisText(name: string, { start, stop }: { start: number; stop: number }, length: number): string {
  const part = start > 0 || stop < length ? `${start}–${stop - 1} of ${length}` : `${length}`;
  return `${name}: ${part}`;
}
