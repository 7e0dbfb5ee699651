/** A data frame as a table: the index, numbers, and categories by their names. */

import { h } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { shortened } from "../base/text.js";
import { VirtualGrid } from "../base/virtual-grid.js";
import type { Table } from "../source/columns.js";

export { readTable } from "../source/columns.js";

/** Maximum number of cells in the document. */
const maxCells = 500;
/** Maximum length of a value in a cell. */
const maxShown = 40;
/** Sizes in CSS pixels: of a character, of the margins of a value, of a row. */
const characterWidth = 7.6;
const padding = 25;
const rowHeight = 27;

export function frameTable(table: Table): HTMLElement {
  const names = [...table.columns.keys()];
  const width = padding + characterWidth * 16;
  const grid = new VirtualGrid(
    {
      rows: table.rows,
      columns: names.length,
      rowName: String,
      columnName: (column) => names[column]!,
      content: (row, column) => cell(table.value(names[column]!, row)),
    },
    {
      label: `${formatCount(table.rows)} rows of ${names.length} columns`,
      role: "table",
      maxCells,
      head: { width: padding + characterWidth * String(table.rows).length, height: rowHeight },
      cellSize: () => ({ width, height: rowHeight }),
    },
  );
  const title = `${formatCount(table.rows)} rows, ${names.length} columns`;
  return h(
    "div",
    { class: "zw-table", role: "region", "aria-label": "Values" },
    h("p", {}, title),
    grid.element,
  );
}

const cell = (text: string): HTMLElement | string =>
  text.length > maxShown / 2 ? h("span", { title: text }, shortened(text, maxShown / 2)) : text;
