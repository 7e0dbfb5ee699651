/** A plate of wells as a grid: each that there is can be opened, and has room for a small picture. */
import { h } from "../base/dom.js";
import type { Plate } from "../source/open.js";

/** @param onWell gets the element of each well, where a picture of it can be put, and its path */
export function plateView(
  plate: Plate,
  onGo: (path: string) => void,
  onWell: (well: HTMLElement, path: string) => void,
): HTMLElement {
  const { rows, columns, wells } = placed(plate);
  const cell = (row: number, column: number) => {
    const well = wells.find((one) => one.row === row && one.column === column);
    const name = `${rows[row]}${columns[column]}`;
    if (!well) return h("td", {}, h("span", { class: "zw-well zw-well-none" }));
    const attributes = {
      type: "button",
      class: "zw-well",
      "aria-label": `Well ${name}`,
      title: `Well ${name}`,
      onclick: () => onGo(well.path),
    };
    const button = h("button", attributes);
    onWell(button, well.path);
    return h("td", {}, button);
  };
  const count = plate.wells.length === 1 ? "1 well" : `${plate.wells.length} wells`;
  const view = h(
    "div",
    { class: "zw-plate", tabindex: 0, role: "region", "aria-label": "Plate" },
    h("h3", {}, `A plate with ${count}`),
    h("p", {}, "Choose a well to see its fields of view."),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("td"), ...columns.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...rows.map((name, row) =>
          h("tr", {}, h("th", { scope: "row" }, name), ...columns.map((_, column) => cell(row, column))),
        ),
      ),
    ),
  );
  // Policies of pages forbid styles in attributes.
  view.style.setProperty("--zw-columns", String(columns.length));
  return view;
}

interface PlacedWell {
  readonly path: string;
  readonly row: number;
  readonly column: number;
}

/** Where the wells are; before version 0.4 only their paths say so: ROW/COLUMN. */
function placed({ rows, columns, wells }: Plate) {
  const [rowNames, columnNames] = [[...rows], [...columns]];
  const at = (names: string[], index: number | undefined, name: string) => {
    if (index !== undefined && index < names.length) return index;
    const found = names.indexOf(name);
    return found >= 0 ? found : names.push(name) - 1;
  };
  const found = wells.map(({ path, row, column }): PlacedWell => {
    const [rowName = "", columnName = ""] = path.split("/").slice(-2);
    return { path, row: at(rowNames, row, rowName), column: at(columnNames, column, columnName) };
  });
  return { rows: rowNames, columns: columnNames, wells: found };
}
