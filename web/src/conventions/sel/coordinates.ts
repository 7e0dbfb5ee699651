/** Coordinates of one dimension, read from an array in parts, or computed. */

import { type ElementData, strings } from "../../dtypes/elements.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { slice } from "../../plan/selection.js";
import { isZarrError } from "../../util/errors.js";
import { type CFInput, type CFRegion, decodeCF } from "../xarray/cf.js";
import { measuresLongitude } from "../xarray/xarray.js";
import type {} from "./types.js";
import { noCoordinates } from "./types.js";

/** "times" are milliseconds since 1970. */
export type CoordinateKind = "numbers" | "times" | "texts";

/** Coordinates of all elements along a dimension. */
export interface Coordinates {
  /** Name of the dimension, or of the array of the coordinates. */
  readonly name: string;
  readonly length: number;
  readonly kind: CoordinateKind;
  /** Whether they are degrees east, with a period of 360. */
  readonly isLongitude: boolean;
  /** Number of elements per part: part p starts at element p · partLength. */
  readonly partLength: number;
  /** Rounds a label to the precision of the coordinates. */
  rounded(label: number): number;
  part(index: number): Promise<ArrayLike<number | string>>;
}

/** Context of reading coordinates. */
export interface Reading {
  readonly signal: AbortSignal | undefined;
}

/** Coordinates up to this size are read at once. */
const littleBytes = 2 ** 20;
/**
 * Maximum number of coordinates that are read at a time, however large chunks and shards are; and maximum
 * number that are kept.
 */
const [mostAtATime, mostKept] = [2 ** 22, 2 ** 24];

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
  { signal }: Reading,
): Promise<Coordinates> {
  const [length] = array.shape as readonly [number];
  const isLittle = length * Math.max(array.dtype.itemBytes, 8) <= littleBytes;
  const stored = (array.shardShape ?? array.chunkShape)[0]!;
  const partLength = Math.max(1, isLittle ? length : Math.min(stored, mostAtATime));
  const parts = new Map<number, Promise<Part>>();
  const read = (index: number) => {
    const known = parts.get(index) ?? readPart(name, array, index * partLength, partLength, { signal });
    parts.delete(index); // moved to the end, as the most recently used
    parts.set(index, known);
    for (const old of parts.keys()) {
      if (parts.size * partLength <= mostKept) break;
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

interface Part {
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
  { signal }: Reading,
): Promise<Part> {
  const stop = Math.min(start + count, array.shape[0]!);
  const region = await get<ElementData>(array, [slice(start, stop)], { signal });
  const { core, isVariable } = array.dtype;
  const data: ArrayLike<unknown> = region.data;
  if (isVariable) return { kind: "texts", isSingle: false, values: textsOf(name, array, data) };
  if (core === "fixed_utf32" || core === "fixed_bytes")
    return { kind: "texts", isSingle: false, values: strings(region) };
  if (!/^(bool|datetime64|timedelta64|u?int\d+|b?float\d+)/.test(core))
    throw noCoordinates(name, `elements of ${array.dtype} are no labels`);
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
function textsOf(name: string, { dtype }: ZarrArray, data: ArrayLike<unknown>): string[] {
  return Array.from(data, (element) => {
    if (typeof element === "string" || element === null) return String(element);
    throw noCoordinates(name, `elements of ${dtype} are no labels`);
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
