/** Values as text: what has no number to draw, and single values. */
import { field, type Region } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatScalar, scalarAt } from "../base/format.js";
import type { TablePlan } from "../model/plan.js";
import { type Dataset, shapeOf } from "../source/dataset.js";
import type { Leaf } from "../source/leaf.js";
import { axisName, axisText } from "./rulers.js";

/** A table of a region's values with the indices of its rows and columns. */
export function tableView(dataset: Dataset, { axes }: TablePlan, read: Region, leaf: Leaf): HTMLElement {
  const region = leaf.path.length > 0 ? { ...read, ...field(read, leaf.path) } : read;
  const [down, across] = axes;
  // The region is in the array's order of axes, which need not be that of the table.
  const inOrder = axes.map(({ axis }) => axis).sort((a, b) => a - b);
  const strides = axes.map(({ axis }) => read.stride[inOrder.indexOf(axis)]!);
  const text = (row: number, column: number) => {
    const at = row * strides[0]! + column * (strides[1] ?? 0);
    return formatScalar(leaf.dtype, scalarAt(region, at * leaf.items + leaf.item));
  };
  const names = dataset.axes.map(({ name }) => name ?? null);
  const titles = axes.map((plan) => axisText(axisName(names, plan.axis), plan, shapeOf(dataset)[plan.axis]!));
  const numbers = (plan: { start: number; stop: number }) =>
    Array.from({ length: plan.stop - plan.start }, (_, i) => i);
  const head = across && [
    h("td"),
    ...numbers(across).map((column) => h("th", { scope: "col" }, String(across.start + column))),
  ];
  const columns = across ? numbers(across) : [0];
  const body = numbers(down!).map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(down!.start + row)),
      ...columns.map((column) => h("td", {}, text(row, column))),
    ),
  );
  return h(
    "div",
    { class: "zw-table", tabindex: 0, role: "region", "aria-label": "Values" },
    h(
      "table",
      {},
      h("caption", {}, across ? `Down ${titles[0]}; across ${titles[1]}` : `Down ${titles[0]}`),
      head ? h("thead", {}, h("tr", {}, ...head)) : undefined,
      h("tbody", {}, ...body),
    ),
  );
}

/** The only value of an array without dimensions. */
export function valueView(region: Region): HTMLElement {
  return h("p", { class: "zw-value" }, formatScalar(region.dtype, scalarAt(region, 0)));
}
