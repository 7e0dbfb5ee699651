/** Runs over all elements of a selection, as one cell. */

import type { Field, ValueRule } from "../engine/box-reduction.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { AxisSelection, Selection } from "../plan/selection.js";
import { invalidSelection, unsupported } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import type { HistogramCounts, HistogramForm } from "../workers/accumulators.js";
import { planAxis } from "./axes.js";
import { type RunOptions, runReduction } from "./run.js";
import { selectedAxes } from "./source.js";

/** Elements of an array, and how they become values. */
export interface Elements {
  readonly array: ZarrArray;
  readonly selections: readonly AxisSelection[];
  readonly count: number;
  readonly values: ValueRule;
}

/**
 * @throws InvalidSelection for lists of indices: histograms count whole boxes; Unsupported for times, which are not numbers.
 */
export function allElements(array: ZarrArray, selection: Selection | undefined, values: ValueRule): Elements {
  if (/^(datetime|timedelta)64$/.test(array.dtype.core))
    throw unsupported(`elements of data type ${array.dtype} are not numbers`, { code: "unsupported-dtype" });
  const selections = selectedAxes(array, selection);
  const listed = selections.findIndex((axis) => "indices" in axis);
  if (listed >= 0)
    throw invalidSelection(`dimension ${listed}: expected an index, a slice or null, got a list of indices`);
  return { array, selections, count: countOf(selections.map((axis) => axis.count)), values };
}

/** Takes the accumulators of all elements; at the end, and before if `isPartial`. */
export async function runWhole(
  { array, count, selections, values }: Elements,
  work: { readonly fields: readonly Field[]; readonly histograms: readonly HistogramForm[] },
  options: RunOptions,
  take: (state: Uint8Array, histograms: readonly HistogramCounts[]) => void,
): Promise<void> {
  if (count === 0) return;
  const axes = selections.map((selection, axis) => planAxis(selection, array.reader.axes[axis]!, "single"));
  const plan = { array, axes, values, ...work, positionStrides: axes.map(() => 0), weights: [] };
  await runReduction(plan, options, (_, state, __, histograms) => take(state, histograms));
}
