/** Values as text: what has no number to draw, and single values. */
import { field, type ZarrArray } from "zarr-wasm";
import { axisName, axisText } from "./axes.js";
import { h } from "./dom.js";
import { formatScalar, scalarAt } from "./format.js";
import type { Leaf } from "./leaf.js";
import { gridOf, offsetOf, type Slice } from "./picture.js";

/** A table of a slice's values with the indices of its rows and columns. */
export function tableView(array: ZarrArray, slice: Slice, leaf: Leaf): HTMLElement {
  const { axes } = slice.plan;
  const region = leaf.path.length > 0 ? { ...slice.region, ...field(slice.region, leaf.path) } : slice.region;
  const text = (row: number, column: number) => {
    const at = offsetOf(slice, { row, column }) * leaf.items + leaf.item;
    return formatScalar(leaf.dtype, scalarAt(region, at));
  };
  const { rows, columns } = gridOf(slice);
  const [down, across] = axes.length > 1 ? axes : [axes[0], undefined];
  const titles = axes.map((plan) =>
    axisText(axisName(array.dimensionNames, plan.axis), plan, array.shape[plan.axis]!),
  );
  const head = across && [
    h("td"),
    ...Array.from({ length: columns }, (_, column) =>
      h("th", { scope: "col" }, String(across.start + column)),
    ),
  ];
  // One axis goes down the table, although it is the picture's only row.
  const lines = across ? rows : columns;
  const body = Array.from({ length: lines }, (_, line) => {
    const cells = across
      ? Array.from({ length: columns }, (_, column) => text(line, column))
      : [text(0, line)];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, String(down!.start + line)),
      ...cells.map((cell) => h("td", {}, cell)),
    );
  });
  return h(
    "div",
    { class: "zw-table", tabindex: 0, role: "region", "aria-label": "Values" },
    h(
      "table",
      {},
      h("caption", {}, axes.length > 1 ? `Down ${titles[0]}; across ${titles[1]}` : `Down ${titles[0]}`),
      head ? h("thead", {}, h("tr", {}, ...head)) : undefined,
      h("tbody", {}, ...body),
    ),
  );
}

/** The only value of an array without dimensions. */
export function valueView({ region }: Slice): HTMLElement {
  return h("p", { class: "zw-value" }, formatScalar(region.dtype, scalarAt(region, 0)));
}
