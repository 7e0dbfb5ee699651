/** Chooses how a slice is shown, and the selection to read for a table. */
import { type Selection, slice } from "zarr-wasm";
import { isNumeric } from "../source/leaf.js";
import { type ArrayFacts, drawnLeaf, type Interval, type ViewState } from "./state.js";

/** "scatter": the points of an embedding. */
export type SliceKind = "image" | "scatter" | "line" | "value" | "table" | "empty";

/** Elements start … stop − 1 along a shown axis. */
export interface AxisPlan {
  readonly axis: number;
  readonly start: number;
  readonly stop: number;
}

export interface TablePlan {
  /** The shown axes: down then across, or down only. */
  readonly axes: readonly AxisPlan[];
  readonly selection: Selection;
}

export function sliceKind(array: ArrayFacts, { axes, field }: ViewState): SliceKind {
  if (array.shape.includes(0)) return "empty";
  if (axes.length === 0) return "value";
  const leaf = drawnLeaf(array, field);
  if (!leaf || !isNumeric(leaf.dtype)) return "table";
  return axes.length === 1 ? "line" : "image";
}

/** Maximum numbers of rows and columns of a table. */
const maxRows = 200;
const maxColumns = 24;

/** Selects the first elements of the requested window. */
export function planTable({ shape }: ArrayFacts, { axes, index, window }: ViewState): TablePlan {
  const plans = axes.map((axis, position): AxisPlan => {
    const [start, stop]: Interval = window[axis] ?? [0, shape[axis]!];
    // A table of one axis is vertical: a column of values is easier to read than a row.
    const most = position === 1 ? maxColumns : maxRows;
    return { axis, start, stop: Math.min(stop, start + most) };
  });
  const selection = index.map((at, axis) => {
    const plan = plans.find((one) => one.axis === axis);
    return plan ? slice(plan.start, plan.stop) : at;
  });
  return { axes: plans, selection };
}
