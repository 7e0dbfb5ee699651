/**
 * Statistics of an array's elements in its attributes. Programs store them once the data is complete; writers of this library
 * remove them before elements change, and readers ignore them for another shape.
 */
import { isRecord, ownProperty } from "../util/arguments.js";

export const statisticsAttribute = "zarr-wasm:statistics";

/** Range of the valid values in decoded units, of CF conventions 1.11, section 2.5.1. Stored and removed together. */
const rangeAttribute = "actual_range";

/** The minimum and maximum of all elements, in decoded units. */
interface StoredRange {
  readonly min: number;
  readonly max: number;
  readonly missing: number;
}

/** Returns attributes without statistics; undefined if they have none. */
export function withoutStatistics<T extends object>(attributes: T): Partial<T> | undefined {
  if (!Object.hasOwn(attributes, statisticsAttribute)) return undefined;
  const others = Object.entries(attributes).filter(
    ([name]) => name !== statisticsAttribute && name !== rangeAttribute,
  );
  return Object.fromEntries(others) as Partial<T>;
}

/** Returns the range in an array's attributes; undefined if none holds for the shape. */
export function storedRange(attributes: object, shape: readonly number[]): StoredRange | undefined {
  const stored = ownProperty(attributes, statisticsAttribute);
  if (!isRecord(stored)) return undefined;
  const { min, max, missing, shape: of } = stored;
  const isSame =
    Array.isArray(of) && of.length === shape.length && shape.every((length, i) => of[i] === length);
  const isRange = typeof min === "number" && typeof max === "number" && min <= max;
  return isSame && isRange && typeof missing === "number" ? { min, max, missing } : undefined;
}
