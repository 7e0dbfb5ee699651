/** Coordinates of one dimension, read from an array or computed; binary search in sorted ones. */

import type { ElementData } from "../../dtypes/elements.js";
import { strings } from "../../dtypes/regions.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { isZarrError, limitExceeded } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
import { type CFInput, type CFRegion, decodeCF } from "../xarray/cf.js";
import { measures } from "../xarray/xarray.js";
import { type LabelledAxis, noCoordinates } from "./labels.js";

/** Coordinates of all elements along a dimension. */
export interface Coordinates extends LabelledAxis {
  readonly length: number;
  /** Whether they are degrees east, with a period of 360. */
  readonly isLongitude: boolean;
  /** Whether they are evenly spaced, and so sorted. */
  readonly isLinear: boolean;
  /** Returns the coordinate of an element; NaN for strings. */
  at(index: number): number;
  /** All coordinates, if they are strings; else empty. */
  readonly texts: readonly string[];
}

/** Context of reading coordinates. */
export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

/** Maximum number of coordinates that are read: 512 MiB of float64. */
const maxCoordinates = 2 ** 26;

const unrounded = (label: number) => label;

/** Returns evenly spaced coordinates. */
export function linearCoordinates(
  name: string,
  length: number,
  { scale, translation }: { scale: number; translation: number },
): Coordinates {
  const at = (index: number) => translation + scale * index;
  const kind = "numbers";
  return { name, length, kind, isLongitude: false, isLinear: true, rounded: unrounded, at, texts: [] };
}

/** Returns coordinates that are names. */
export function namedCoordinates(name: string, texts: readonly string[]): Coordinates {
  const plain = { isLongitude: false, isLinear: false, rounded: unrounded, at: () => Number.NaN };
  return { name, length: texts.length, kind: "texts", ...plain, texts };
}

/**
 * Reads the coordinates in an array, of several dimensions in C order.
 * @throws LimitExceeded; the errors of `get` and `decodeCF`.
 */
export async function arrayCoordinates(
  name: string,
  array: ZarrArray,
  { signal }: ReadContext,
): Promise<Coordinates> {
  const length = countOf(array.shape);
  if (length > maxCoordinates)
    throw limitExceeded(`"${name}" has ${length} coordinates, more than the limit of ${maxCoordinates}`);
  const region = await get<ElementData>(array, null, { signal });
  const { core, isVariable } = array.dtype;
  if (isVariable) return namedCoordinates(name, toStrings(name, array, region.data));
  if (core === "fixed_utf32" || core === "fixed_bytes") return namedCoordinates(name, strings(region));
  if (!/^(bool|datetime64|timedelta64|u?int\d+|b?float\d+)/.test(core))
    throw noCoordinates(name, `data type ${array.dtype} has no labels`);
  const decoded = decodeTimes(array, region);
  const numbers = decoded.data as ArrayLike<number | bigint>;
  const kind = decoded.kind === "milliseconds" ? "times" : "numbers";
  return {
    name,
    length,
    kind,
    isLongitude: kind === "numbers" && measures(array, "longitude"),
    isLinear: false,
    rounded: numbers instanceof Float32Array && core === "float32" ? Math.fround : unrounded,
    at: (index) => Number(numbers[index]),
    texts: [],
  };
}

/** Returns elements of variable length as labels, which must be strings. */
function toStrings(name: string, { dtype }: ZarrArray, data: ArrayLike<unknown>): string[] {
  return Array.from(data, (element) => {
    if (typeof element === "string" || element === null) return String(element);
    throw noCoordinates(name, `data type ${dtype} has no labels`);
  });
}

/** Decodes times to milliseconds, or keeps counts if the calendar has no real days. */
function decodeTimes(array: ZarrArray, region: CFInput): CFRegion {
  // A coordinate that equals the fill value is valid: xarray writes 0 as the fill value of indexes.
  const options = { fillValueIsMissing: false } as const;
  try {
    return decodeCF(array, region, options);
  } catch (error) {
    if (!isZarrError(error, "Unsupported")) throw error;
    return decodeCF(array, region, { ...options, times: "counts" });
  }
}

/** Numbers in rising order, regardless of their stored direction. */
export interface Rising {
  readonly length: number;
  readonly isReversed: boolean;
  at(position: number): number;
}

/** Returns a rising view of coordinates; undefined if they are not sorted. */
export function risingView(coordinates: Coordinates): Rising | undefined {
  const { length, isLinear } = coordinates;
  const isReversed = coordinates.at(0) > coordinates.at(length - 1);
  const at = (position: number) => coordinates.at(isReversed ? length - 1 - position : position);
  let before = Number.NEGATIVE_INFINITY;
  for (let position = 0; position < length && !isLinear; position++) {
    const value = at(position);
    if (!(value >= before)) return undefined; // smaller, or NaN
    before = value;
  }
  return { length, isReversed, at };
}

/**
 * Returns the first position whose value is at least (or, with `isAbove`, above) the label; the length if
 * there is none.
 */
export function firstPosition(view: Rising, label: number, isAbove = false): number {
  let [low, high] = [0, view.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2); // lengths may have more than 32 bits
    const value = view.at(middle);
    if (isAbove ? value > label : value >= label) high = middle;
    else low = middle + 1;
  }
  return low;
}
