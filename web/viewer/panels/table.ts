/** Tables of values without a numeric representation and of data frames, and single values. */
import { field, type Region } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatCount, formatScalar, scalarAt } from "../base/format.js";
import { shortened } from "../base/text.js";
import { type Cells, VirtualGrid } from "../base/virtual-grid.js";
import { text } from "../language/text.js";
import type { TablePlan } from "../model/plan.js";
import type { Table } from "../source/columns.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Leaf } from "../source/leaf.js";
import { axisName } from "./rulers.js";

export { readTable } from "../source/columns.js";

/** Maximum number of cells in the document. */
const maxCells = 500;
/** Maximum lengths of a value in a cell of an array and of a data frame, and in tooltips. */
const maxShown = 60;
const maxFrameText = 20;
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
  const textAt = (row: number, column: number) => {
    const at = row * strides[0]! + column * (strides[1] ?? 0);
    return formatScalar(leaf.dtype, scalarAt(region, at * leaf.items + leaf.item));
  };
  const titles = axes.map((plan) =>
    axisText(axisName(dataset.axes, plan.axis), plan, datasetShape(dataset)[plan.axis]!),
  );
  const rows = down!.stop - down!.start;
  const columns = across ? across.stop - across.start : 1;
  const texts = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => shortened(textAt(row, column), maxTooltip)),
  );
  const longest = Math.max(4, ...texts.flat().map(({ length }) => length));
  const title = text.table.title(titles[0]!, titles[1]);
  const names = {
    rowName: (row: number) => String(down!.start + row),
    columnName: (column: number) => (across ? String(across.start + column) : text.table.value),
  };
  const sizes = { shown: Math.min(longest, maxShown), name: String(down!.stop).length, hasHead: !!across };
  const content = (row: number, column: number) => cell(texts[row]![column]!, maxShown);
  return valueTable(title, title, { rows, columns, ...names, content }, sizes);
}

/** A data frame as a table: the index, numbers, and categories by their names. */
export function frameTable(table: Table): HTMLElement {
  const { rows } = table;
  const names = [...table.columns.keys()];
  return valueTable(
    text.table.size(formatCount(rows), names.length),
    text.table.label(formatCount(rows), names.length),
    {
      rows,
      columns: names.length,
      rowName: String,
      columnName: (column) => names[column]!,
      content: (row, column) => cell(table.value(names[column]!, row), maxFrameText),
    },
    { shown: 16, name: String(rows).length, hasHead: true },
  );
}

/** @param sizes characters of values and of row names; whether columns have names */
function valueTable(
  title: string,
  label: string,
  cells: Cells,
  { shown, name, hasHead }: { shown: number; name: number; hasHead: boolean },
): HTMLElement {
  const size = { width: padding + characterWidth * shown, height: rowHeight };
  const grid = new VirtualGrid(cells, {
    label,
    role: "table",
    maxCells,
    head: { width: padding + characterWidth * name, height: hasHead ? rowHeight : 0 },
    cellSize: () => size,
  });
  const attributes = { class: "zw-table", role: "region", "aria-label": text.table.values };
  return h("div", attributes, h("p", {}, title), grid.element);
}

const cell = (value: string, most: number): HTMLElement | string =>
  value.length > most ? h("span", { title: value }, shortened(value, most)) : value;

/** The value of an array without dimensions. */
export function valueView(region: Region): HTMLElement {
  return h("p", { class: "zw-value" }, formatScalar(region.dtype, scalarAt(region, 0)));
}

/** Describes the visible interval of an axis. */
function axisText(name: string, { start, stop }: { start: number; stop: number }, length: number): string {
  const part = start > 0 || stop < length ? text.table.part(start, stop - 1, length) : `${length}`;
  return `${name}: ${part}`;
}
