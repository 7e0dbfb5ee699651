/** Metadata documents of Zarr v3 for the nodes of array files. */

import { integerJson, integersJson, jsonObject, toJson } from "../../metadata/print.js";
import { encodeBase64 } from "../../util/bytes.js";
import { type Json, JsonNumber, type JsonObject, numberText, type PlainJson } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";

/** The length of the chunks along an axis; or lengths that differ, as runs. */
export type AxisChunks = number | readonly (readonly [length: number, count: number])[];

/** Contents of the document of an array. */
export interface ArrayParts {
  readonly shape: readonly number[];
  /** A name of Zarr v3, or name and configuration. */
  readonly dataType: Json;
  /** Lengths of the chunks along each dimension. */
  readonly chunks: readonly AxisChunks[];
  readonly fillValue: Json;
  readonly codecs: readonly Json[];
  readonly dimensionNames?: readonly (string | null)[] | undefined;
  readonly attributes: JsonObject;
}

export function arrayDocument(parts: ArrayParts): JsonObject {
  const { shape, dataType, chunks, fillValue, codecs, dimensionNames, attributes } = parts;
  const isRegular = chunks.every((lengths) => typeof lengths === "number");
  const grid = isRegular
    ? named("regular", { chunk_shape: integersJson(chunks as readonly number[]) })
    : named("rectilinear", { kind: "inline", chunk_shapes: chunks.map(axisJson) });
  return jsonObject([
    ["zarr_format", integersJson([3])[0]],
    ["node_type", "array"],
    ["shape", integersJson(shape)],
    ["data_type", dataType],
    ["chunk_grid", grid],
    ["chunk_key_encoding", named("default", { separator: "/" })],
    ["fill_value", fillValue],
    ["codecs", [...codecs]],
    ["dimension_names", dimensionNames && [...dimensionNames]],
    ["attributes", attributes],
  ]);
}

const axisJson = (lengths: AxisChunks): Json =>
  typeof lengths === "number" ? integerJson(lengths) : lengths.map((run) => integersJson(run));

/** Returns the number of chunks along an axis. */
export const chunkCount = (length: number, lengths: AxisChunks): number =>
  typeof lengths === "number"
    ? Math.ceil(length / lengths)
    : lengths.reduce((sum, [, count]) => sum + count, 0);

export const groupDocument = (attributes: JsonObject): JsonObject =>
  jsonObject([
    ["zarr_format", integersJson([3])[0]],
    ["node_type", "group"],
    ["attributes", attributes],
  ]);

/** Returns a codec, grid or data type with a configuration; numbers of the configuration become JSON. */
export function named(
  name: string,
  configuration?: Readonly<Record<string, Json | PlainJson | undefined>>,
): Json {
  if (!configuration) return jsonObject([["name", name]]);
  return jsonObject([
    ["name", name],
    ["configuration", toJson(configuration, name)],
  ]);
}

/** The `bytes` codec; without a byte order for items of one byte. */
export const bytesCodec = (isLittle: boolean, itemBytes?: number): Json =>
  itemBytes === 1 ? named("bytes") : named("bytes", { endian: isLittle ? "little" : "big" });

/** Returns a float of an attribute: always with a point or an exponent, so that readers see a float. */
export const floatJson = (value: number): JsonNumber =>
  new JsonNumber(numberText(value).replace(/^-?\d+$/, "$&.0"));

/** Returns the fill value 0 of a numeric or boolean data type. */
export function zeroFill(dataType: string): Json {
  if (dataType === "bool") return false;
  if (dataType.startsWith("complex")) return [floatJson(0), floatJson(0)];
  return dataType.startsWith("float") ? floatJson(0) : integerJson(0);
}

/** Returns a float of the attribute `_FillValue`, as xarray writes it to Zarr v3: a float64 in base64. */
export function floatFillAttribute(value: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return encodeBase64(bytes);
}

/** Returns the lengths of chunks along an axis whose last one is shorter if they do not divide it. */
export function shorterLast(length: number, chunk: number): AxisChunks {
  const rest = length % chunk;
  if (rest === 0) return chunk;
  if (length < chunk) return rest;
  return [
    [chunk, Math.floor(length / chunk)],
    [rest, 1],
  ];
}

/** Target size of a chunk of contiguous data, in bytes. */
const contiguousBytes = 2 ** 22;

/**
 * Divides contiguous data in C order into chunks that are contiguous, too: the first axes have one element per chunk,
 * one axis has a part of its length, the others are whole. Only lengths that divide the axis are used, so that no chunk
 * is cut.
 */
export function contiguousChunks(shape: readonly number[], itemBytes: number): number[] {
  const chunks = shape.map((length) => length || 1);
  let bytes = shape.reduce((product, length) => product * length, itemBytes);
  for (let axis = 0; axis < shape.length && bytes > 2 * contiguousBytes; axis++) {
    const length = shape[axis]!;
    const rowBytes = bytes / length;
    const part = divisorNear(length, contiguousBytes / rowBytes);
    chunks[axis] = part;
    bytes = rowBytes * part;
  }
  return chunks;
}

/** Returns the bytes of a chunk of contiguous data. @param at index of the chunk. */
export function contiguousRange(
  shape: readonly number[],
  chunks: readonly number[],
  at: readonly number[],
  itemBytes: number,
): { readonly offset: number; readonly length: number } {
  const first = at.reduce((sum, own, axis) => sum * shape[axis]! + own * chunks[axis]!, 0);
  return { offset: first * itemBytes, length: countOf(chunks) * itemBytes };
}

/** Returns the largest divisor that is at most a bound, or 1; the search ends after 2²⁰ candidates. */
function divisorNear(length: number, bound: number): number {
  for (let part = Math.min(Math.floor(bound), length), left = 2 ** 20; part > 1 && left > 0; part--, left--)
    if (length % part === 0) return part;
  return 1;
}
