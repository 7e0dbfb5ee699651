/** The region to write: its selection split into chunks, and its values, checked and converted to their stored form. */

import type { DType } from "../dtypes/dtype.js";
import { arrayNameOf, checkElements, checkValues, type ElementData, toBytes } from "../dtypes/elements.js";
import { parseScalar } from "../dtypes/plain.js";
import { strings } from "../dtypes/regions.js";
import { packStrings } from "../dtypes/strings.js";
import type { AxisGrid } from "../metadata/grid.js";
import { type Projection, pickCount, projectRange } from "../plan/projections.js";
import { type AxisIndices, resolveSelection, type Selection } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import { repeated } from "../util/buffers.js";
import { encodeFailed, invalidArgument, isZarrError, limitExceeded, type ZarrError } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";

/** The part of a chunk to write, along one axis. */
export interface WritePart extends Projection {
  /**
   * For a list selection: unique positions in the chunk, and the index of each one's value. `start`, `step`
   * and `out` are then meaningless.
   */
  readonly listed?: { readonly at: readonly number[]; readonly from: readonly number[] };
}

/** A resolved selection to write to. */
export interface WrittenRegion {
  /** Shape of the values, as returned by `get`. */
  readonly shape: readonly number[];
  /** Number of elements along each axis of the array. */
  readonly counts: readonly number[];
  /** For each axis, the parts of chunks. */
  readonly parts: readonly (readonly WritePart[])[];
  readonly hasLists: boolean;
}

/** @throws InvalidSelection, LimitExceeded. */
export function resolveRegion(reader: ArrayReader, selection: Selection | undefined): WrittenRegion {
  const { axes, limits, spec } = reader;
  const ranges = resolveSelection(selection, spec.shape, spec.dimensionNames);
  const chunks = countOf(ranges.map((range, axis) => pickCount(range, axes[axis]!)));
  // Checked before chunks are listed.
  if (!(chunks <= limits.readChunks))
    throw limitExceeded(
      `the selection touches ${chunks} chunks, more than the limit of ${limits.readChunks}`,
    );
  return {
    shape: ranges.filter((range) => !range.dropped).map((range) => range.count),
    counts: ranges.map((range) => range.count),
    parts: ranges.map((range, axis) =>
      "indices" in range ? listedParts(range, axes[axis]!) : projectRange(range, axes[axis]!),
    ),
    hasLists: ranges.some((range) => "indices" in range),
  };
}

/** If an index is listed twice, the last value counts, as in NumPy. */
function listedParts({ indices }: AxisIndices, axis: AxisGrid): WritePart[] {
  const chunks = new Map<number, Map<number, number>>();
  indices.forEach((index, from) => {
    const chunk = axis.find(index);
    const at = chunks.get(chunk) ?? new Map<number, number>();
    chunks.set(chunk, at.set(index - axis.start(chunk), from));
  });
  return [...chunks]
    .sort(([a], [b]) => a - b)
    .map(([chunk, places]) => {
      const listed = { at: [...places.keys()], from: [...places.values()] };
      return { chunk, start: 0, step: 1, count: places.size, out: 0, listed };
    });
}

/** Returns a whole chunk, including elements outside the array. */
export function wholeChunk({ axes }: ArrayReader, coordinates: readonly number[]): WrittenRegion {
  const shape = coordinates.map((chunk, axis) => axes[axis]!.size(chunk));
  const parts = shape.map((count, axis) => [{ chunk: coordinates[axis]!, start: 0, step: 1, count, out: 0 }]);
  return { shape, counts: shape, parts, hasLists: false };
}

/** Returns the number of elements inside the array in a part of a chunk. */
export function insideCount(parts: readonly WritePart[], axes: readonly AxisGrid[]): number {
  return countOf(parts.map(({ chunk, count }, axis) => Math.min(count, lengthWithin(axes[axis]!, chunk))));
}

/** Returns the number of elements inside the array in a chunk or another grid cell. */
export function elementsWithin(cell: readonly number[], axes: readonly AxisGrid[]): number {
  return countOf(cell.map((at, axis) => lengthWithin(axes[axis]!, at)));
}

const lengthWithin = (axis: AxisGrid, cell: number): number =>
  Math.min(axis.size(cell), axis.length - axis.start(cell));

/** A part of an array with its shape, as returned by `get`. */
export interface ValuesRegion {
  readonly data: ElementData | readonly unknown[];
  readonly shape: readonly number[];
}

/** The values of a selection, in C order. */
export interface Values {
  /**
   * Packed bytes in native byte order, or a list of values; for a scalar, enough copies for one row of a
   * chunk.
   */
  readonly content: Uint8Array | unknown[];
  /** Number of entries in `content` per element. */
  readonly width: number;
  /**
   * Distance between neighbours along each axis of the array, in entries; 0 for all but the last axis of a
   * scalar.
   */
  readonly strides: readonly number[];
  readonly isScalar: boolean;
}

/**
 * Checks values to write.
 * @param asList whether chunks hold lists of values instead of bytes.
 * @throws InvalidArgument for values of another type, shape or number.
 */
export function resolveValues(dtype: DType, asList: boolean, region: WrittenRegion, given: unknown): Values {
  const { counts, shape } = region;
  const list = isRegion(given) ? regionData(given, shape) : given;
  if (!isData(dtype, list)) return scalarValues(dtype, asList, region, list);
  const data = fixed(toContent(dtype, list, countOf(shape)));
  const content = asList && data instanceof Uint8Array ? itemStrings(dtype, data) : data;
  const width = content instanceof Uint8Array ? dtype.itemBytes : 1;
  return { content, width, strides: stridesOf(counts, width), isScalar: false };
}

/**
 * Returns a view of fixed length, which becomes empty if a resizable buffer shrinks; a view that tracks its
 * buffer would become shorter.
 */
function fixed<T extends Uint8Array | unknown[]>(content: T): T | Uint8Array {
  if (!(content instanceof Uint8Array)) return content;
  return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
}

const isRegion = (given: unknown): given is ValuesRegion =>
  typeof given === "object" &&
  given !== null &&
  !ArrayBuffer.isView(given) &&
  "data" in given &&
  "shape" in given;

function regionData({ data, shape: given }: ValuesRegion, shape: readonly number[]): unknown {
  if (Array.isArray(given) && given.join() === shape.join() && given.length === shape.length) return data;
  const shown = Array.isArray(given) ? given.join(", ") : "no list";
  throw invalidArgument(
    `the values have shape [${shown}], but the selection has shape [${shape.join(", ")}]`,
  );
}

/**
 * Whether the value is a list of elements. Lists can also be single elements, of types whose elements are
 * lists or bytes.
 */
function isData(dtype: DType, given: unknown): boolean {
  if (ArrayBuffer.isView(given)) return dtype.name !== "bytes" || !(given instanceof Uint8Array);
  return Array.isArray(given) && !dtype.core.startsWith("complex");
}

function toContent(dtype: DType, data: unknown, count: number): Uint8Array | unknown[] {
  if (dtype.isVariable) {
    checkValues(dtype, data, count, "values");
    return data;
  }
  if (!Array.isArray(data)) {
    checkElements(dtype, data, count, "values");
    return toBytes(dtype, data);
  }
  if (data.length !== count || !data.every((text) => typeof text === "string") || !isText(dtype))
    throw invalidArgument(
      isText(dtype)
        ? `values must be ${count} strings, or a Uint8Array of packed items, for data type ${dtype}`
        : `values must be a ${arrayNameOf(dtype)} for data type ${dtype}, not a list`,
    );
  return packStrings(dtype, data);
}

const isText = ({ core }: DType): boolean => core === "fixed_utf32" || core === "fixed_bytes";

/** Strings of fixed length that are stored as values. */
const itemStrings = (dtype: DType, data: Uint8Array): unknown[] =>
  strings({ dtype, data, shape: [data.byteLength / dtype.itemBytes] });

function scalarValues(
  dtype: DType,
  asList: boolean,
  { counts, parts }: WrittenRegion,
  given: unknown,
): Values {
  const isBytes = dtype.name === "bytes" && given instanceof Uint8Array;
  const { value, item } = isBytes ? { value: given, item: new Uint8Array(0) } : parseValue(dtype, given);
  const count = (parts.at(-1) ?? []).reduce((most, part) => Math.max(most, part.count), 1);
  const content = asList ? new Array<unknown>(count).fill(value) : repeated(item, count * dtype.itemBytes);
  const width = asList ? 1 : dtype.itemBytes;
  return { content, width, strides: counts.map(() => 0), isScalar: true };
}

function parseValue(dtype: DType, given: unknown) {
  if (given === undefined) throw invalidArgument("values is required");
  if (isNeverElement(given))
    throw invalidArgument(
      `values must be a ${dtype.isVariable ? "list" : arrayNameOf(dtype)}, a region or one element for data type ${dtype}, got ${typeName(given)}`,
    );
  try {
    return parseScalar(dtype, given);
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata")) throw error;
    // throws for a string that does not fit
    if (isText(dtype) && typeof given === "string") packStrings(dtype, [given]);
    const { message, code } = error as ZarrError<"InvalidMetadata">;
    throw invalidArgument(message.replace("fill_value", "the value"), { code, cause: error });
  }
}

/** Whether an object cannot be an element of any type: dates, buffers, maps. */
function isNeverElement(given: unknown): given is object {
  if (typeof given !== "object" || given === null || ArrayBuffer.isView(given)) return false;
  return /^\[object (?!Object\]|Array\])/.test(Object.prototype.toString.call(given));
}

const typeName = (given: object): string => Object.prototype.toString.call(given).slice(8, -1);

/**
 * Checks that the values still exist; called each time that some are read.
 * @throws EncodeFailed if their buffer was detached or shrunk since the call.
 */
export function checkNotDetached(content: { readonly length: number }): void {
  if (content.length > 0) return;
  throw encodeFailed("the buffer of the values was detached or shrunk during the write");
}
