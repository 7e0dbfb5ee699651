/** Minima and maxima of whole arrays from the statistics in their attributes. */

import type { ZarrArray } from "../hierarchy/array.js";
import { storedRange } from "../metadata/statistics.js";
import type { AxisSelection } from "../plan/selection.js";
import type { Method, Output } from "./results.js";

/** Options of `reduce` that the range of all elements does not answer. */
interface OtherOptions {
  readonly decode?: unknown;
  readonly groupBy?: unknown;
  readonly resample?: unknown;
  readonly rolling?: unknown;
  readonly skipMissing?: boolean | undefined;
}

/** Writes results that are known without reading elements. @returns whether all of them are. */
export function writeKnown(
  array: ZarrArray,
  selections: readonly AxisSelection[],
  wanted: readonly Method[],
  outputs: readonly Output[],
  { decode, groupBy, resample, rolling, skipMissing }: OtherOptions,
): boolean {
  const isPlain = [decode, groupBy, resample, rolling].every((option) => option === undefined);
  if (!isPlain || !wanted.every((method) => method === "min" || method === "max")) return false;
  const range = storedRange(array.attributes, array.shape);
  if (!range || (skipMissing === false && range.missing > 0)) return false;
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
