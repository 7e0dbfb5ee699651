/** Stores the statistics of an array in its attributes. */
import { updateAttributes, type ZarrArray } from "zarr-wasm";
import { statisticsAttribute } from "#internal";
import type { Summary } from "./summary.js";

/** Writes the statistics, and `actual_range` of CF if the elements are numbers. */
export async function writeStatistics(array: ZarrArray, summary: Summary): Promise<void> {
  const { count, missing, min, max, mean, std } = summary;
  const numbers = Object.entries({ min, max, mean, std }).filter(([, value]) => Number.isFinite(value));
  const stored = { shape: array.shape, count, missing, ...Object.fromEntries(numbers) };
  const hasRange = Number.isFinite(min) && Number.isFinite(max) && isNumber(array);
  const range = hasRange ? { actual_range: [min, max] } : {};
  await updateAttributes(array, { [statisticsAttribute]: stored, ...range });
}

/** Whether elements are numbers, and not times. */
function isNumber({ attributes, dtype }: ZarrArray): boolean {
  const isTime = /\ssince\s/i.test(String(attributes["units"]));
  return /^(u?int|b?float)\d/.test(dtype.core) && !isTime;
}
