/** Windows: the parts of the shown axes that are seen. */
import type { AxisPlan } from "./plan.js";
import type { Cell, CellRectangle } from "./pointer.js";
import type { Interval } from "./settings.js";

/** Fewer elements along an axis than this are not worth another step. */
const fewest = 4;

const cellOn = (axes: readonly AxisPlan[], position: number, { row, column }: Cell) =>
  axes.length > 1 && position === 0 ? row : column;

/** The windows that a marked rectangle stands for, one per shown axis. */
export function markedWindows(axes: readonly AxisPlan[], { from, to }: CellRectangle): Interval[] {
  return axes.map((plan, i) => [
    plan.start + cellOn(axes, i, from) * plan.step,
    Math.min(plan.stop, plan.start + (cellOn(axes, i, to) + 1) * plan.step),
  ]);
}

/** Windows of half or twice the extent around a cell, or around the middle. */
export function zoomedWindows(
  axes: readonly AxisPlan[],
  shape: readonly number[],
  direction: "in" | "out",
  cell: Cell | undefined,
): Interval[] {
  return axes.map((plan, i) => {
    const { start, stop, step, axis } = plan;
    const length = shape[axis]!;
    const wanted = direction === "in" ? Math.max(Math.ceil((stop - start) / 2), fewest) : 2 * (stop - start);
    const extent = Math.min(wanted, length);
    const centre = cell ? start + (cellOn(axes, i, cell) + 0.5) * step : (start + stop) / 2;
    const first = Math.min(Math.max(Math.round(centre - extent / 2), 0), length - extent);
    return [first, first + extent];
  });
}
