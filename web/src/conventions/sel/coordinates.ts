/** Coordinates of one dimension, read from an array in parts, or computed; binary search in sorted ones. */

import type { ElementData } from "../../dtypes/elements.js";
import { strings } from "../../dtypes/regions.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { slice } from "../../plan/selection.js";
import { isZarrError } from "../../util/errors.js";
import { type CFInput, type CFRegion, decodeCF } from "../xarray/cf.js";
import { measuresLongitude } from "../xarray/xarray.js";
import { type CoordinateKind, type LabelledAxis, noCoordinates } from "./labels.js";

/** Coordinates of all elements along a dimension. */
export interface Coordinates extends LabelledAxis {
  readonly length: number;
  /** Whether they are degrees east, with a period of 360. */
  readonly isLongitude: boolean;
  /** Number of elements per part: part p starts at element p · partLength. */
  readonly partLength: number;
  part(index: number): Promise<ArrayLike<number | string>>;
}

/** Context of reading coordinates. */
export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

/** Coordinates up to this size are read at once. */
const littleBytes = 2 ** 20;
/**
 * Maximum number of coordinates that are read at a time, however large chunks and shards are; and maximum
 * number that are kept.
 */
const [maxPartLength, maxCached] = [2 ** 22, 2 ** 24];

/** Returns evenly spaced coordinates. */
export function linearCoordinates(
  name: string,
  length: number,
  { scale, translation }: { scale: number; translation: number },
): Coordinates {
  const partLength = Math.min(length, 2 ** 16);
  return {
    name,
    length,
    kind: "numbers",
    isLongitude: false,
    partLength,
    rounded: (label) => label,
    part: async (index) => {
      const first = index * partLength;
      const count = Math.min(partLength, length - first);
      return Float64Array.from({ length: count }, (_, i) => translation + scale * (first + i));
    },
  };
}

/** Returns coordinates that are names. */
export function namedCoordinates(name: string, texts: readonly string[]): Coordinates {
  const { length } = texts;
  const part = async () => texts;
  return { name, length, kind: "texts", isLongitude: false, partLength: length, rounded: (l) => l, part };
}

/**
 * Returns the coordinates in an array of one dimension. Reads the first part to determine their kind.
 * @throws the errors of `get` and `decodeCF`.
 */
export async function arrayCoordinates(
  name: string,
  array: ZarrArray,
  { signal }: ReadContext,
): Promise<Coordinates> {
  const [length] = array.shape as readonly [number];
  const isLittle = length * Math.max(array.dtype.itemBytes, 8) <= littleBytes;
  const stored = (array.shardShape ?? array.chunkShape)[0]!;
  const partLength = Math.max(1, isLittle ? length : Math.min(stored, maxPartLength));
  const parts = new Map<number, Promise<CoordinatePart>>();
  const read = (index: number) => {
    const known = parts.get(index) ?? readPart(name, array, index * partLength, partLength, { signal });
    parts.delete(index); // moved to the end, as the most recently used
    parts.set(index, known);
    for (const old of parts.keys()) {
      if (parts.size * partLength <= maxCached) break;
      parts.delete(old);
    }
    return known;
  };
  const { kind, isSingle } = await read(0);
  const rounded = isSingle ? Math.fround : (label: number) => label;
  const isLongitude = kind === "numbers" && measuresLongitude(array);
  const part = async (index: number) => (await read(index)).values;
  return { name, length, kind, isLongitude, partLength, rounded, part };
}

interface CoordinatePart {
  readonly kind: CoordinateKind;
  /** Whether the numbers are float32. */
  readonly isSingle: boolean;
  readonly values: ArrayLike<number | string>;
}

async function readPart(
  name: string,
  array: ZarrArray,
  start: number,
  count: number,
  { signal }: ReadContext,
): Promise<CoordinatePart> {
  const stop = Math.min(start + count, array.shape[0]!);
  const region = await get<ElementData>(array, [slice(start, stop)], { signal });
  const { core, isVariable } = array.dtype;
  const data: ArrayLike<unknown> = region.data;
  if (isVariable) return { kind: "texts", isSingle: false, values: toStrings(name, array, data) };
  if (core === "fixed_utf32" || core === "fixed_bytes")
    return { kind: "texts", isSingle: false, values: strings(region) };
  if (!/^(bool|datetime64|timedelta64|u?int\d+|b?float\d+)/.test(core))
    throw noCoordinates(name, `data type ${array.dtype} has no labels`);
  const decoded = decodeTimes(array, region);
  const numbers = decoded.data as ArrayLike<number | bigint>;
  return {
    kind: decoded.kind === "milliseconds" ? "times" : "numbers",
    isSingle: numbers instanceof Float32Array && core === "float32",
    values: numbers instanceof Float64Array ? numbers : asFloat64(numbers),
  };
}

/** `Float64Array.from` would first create a list of all elements. */
function asFloat64(numbers: ArrayLike<number | bigint>): Float64Array {
  const out = new Float64Array(numbers.length);
  for (let i = 0; i < out.length; i++) out[i] = Number(numbers[i]);
  return out;
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
  at(position: number): Promise<number>;
}

/**
 * Returns a rising view of coordinates; undefined if they are not sorted. A single part is checked entirely;
 * of several parts, the first and the last are checked here, the others when they are read.
 */
export async function risingView(coordinates: Coordinates): Promise<Rising | undefined> {
  const { length, partLength } = coordinates;
  if (length === 0) return { length, isReversed: false, at: () => Promise.reject(new RangeError("empty")) };
  const last = Math.ceil(length / partLength) - 1;
  const [head, tail] = (await Promise.all([coordinates.part(0), coordinates.part(last)])) as [
    ArrayLike<number>,
    ArrayLike<number>,
  ];
  const isReversed = head[0]! > tail[tail.length - 1]!;
  const order = new PartOrder(isReversed);
  if (!order.fits(last, tail) || !order.fits(0, head)) return undefined;
  const at = async (position: number): Promise<number> => {
    const index = isReversed ? length - 1 - position : position;
    const number = Math.floor(index / partLength);
    const part = (await coordinates.part(number)) as ArrayLike<number>;
    if (!order.fits(number, part)) throw new UnsortedError();
    return part[index - number * partLength]!;
  };
  return { length, isReversed, at };
}

/** Checks that all parts read so far are sorted in one direction, within and between parts. */
class PartOrder {
  readonly #ends = new Map<number, readonly [first: number, last: number]>();

  constructor(private readonly isReversed: boolean) {}

  fits(number: number, part: ArrayLike<number>): boolean {
    if (this.#ends.has(number)) return true;
    const sign = this.isReversed ? -1 : 1;
    const [first, last] = [sign * part[0]!, sign * part[part.length - 1]!];
    for (const [other, ends] of this.#ends)
      if (other < number ? !(ends[1] <= first) : !(last <= ends[0])) return false;
    if (!isRising(part, sign)) return false;
    this.#ends.set(number, [first, last]);
    return true;
  }
}

/** Thrown if a part in the middle is not sorted. */
export class UnsortedError extends Error {}

/** Whether numbers rise, or fall for a sign of −1; NaN does neither. */
function isRising(part: ArrayLike<number>, sign: number): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < part.length; i++) {
    const value = sign * part[i]!;
    if (!(value >= before)) return false;
    before = value;
  }
  return true;
}

/**
 * Returns the first position whose value is at least (or, with `isAbove`, above) the label; the length if
 * there is none.
 */
export async function firstPosition(view: Rising, label: number, isAbove = false): Promise<number> {
  let [low, high] = [0, view.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2); // lengths may have more than 32 bits
    const value = await view.at(middle);
    if (isAbove ? value > label : value >= label) high = middle;
    else low = middle + 1;
  }
  return low;
}
