/** Minima and maxima of whole arrays from the statistics in their attributes. */

import type { ZarrArray } from "../hierarchy/array.js";
import { storedRange } from "../metadata/statistics.js";
import type { AxisSelection } from "../plan/selection.js";
import type { Method, Output } from "./results.js";

/** Writes the results of all elements that are known without reading them. @returns whether all of them are. */
export function writeKnown(
  array: ZarrArray,
  selections: readonly AxisSelection[],
  wanted: readonly Method[],
  outputs: readonly Output[],
  skipsMissing: boolean,
): boolean {
  const range = storedRange(array.attributes, array.shape);
  const isRange = wanted.every((method) => method === "min" || method === "max");
  if (!range || !isRange || (!skipsMissing && range.missing > 0)) return false;
  const isWhole = selections.every(
    (selection, axis) => !("indices" in selection) && selection.count === array.shape[axis],
  );
  if (!isWhole || outputs.some(({ data }) => data.length !== 1)) return false;
  const values = wanted.map((method) => range[method as "min" | "max"]);
  for (const [i, { data }] of outputs.entries()) {
    const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
    if (isBig && !Number.isSafeInteger(values[i])) return false;
    data[0] = (isBig ? BigInt(values[i]!) : values[i]!) as never;
    if (Number(data[0]) !== values[i]) return false;
  }
  return true;
}
