/**
 * Parses Zarr v2: `.zarray`, `.zgroup`, `.zattrs`, and consolidated `.zmetadata`.
 * Spec: Zarr storage specification version 2. Tolerated deviations: docs/dtypes.md, docs/reading.md.
 */

import { type CodecMetadata, type ResolvedStep, resolveChain } from "../chain/chain.js";
import { endianConfiguration } from "../codecs/bytes.js";
import { implicitCodecs } from "../codecs/codec-list.js";
import type { Configuration } from "../codecs/definition.js";
import { findCodec, loadCodecs, unknownError } from "../codecs/lookup.js";
import { DType } from "../dtypes/dtype.js";
import { parseFill } from "../dtypes/fill.js";
import { type Endian, parseDescr, type StoredType } from "../dtypes/typestr.js";
import { ownProperty, type Properties } from "../util/arguments.js";
import { invalidMetadata, isZarrError, unknownCodec, unsupported } from "../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, showJson, toPlain } from "../util/json.js";
import {
  type Attributes,
  asObject,
  checkFormat,
  type DocumentOptions,
  documentsIn,
  member,
  plainKeys,
  readDocument,
  readLengths,
  readSeparator,
  requireKeys,
  v2ArrayKey,
  v2ConsolidatedKey,
} from "./document.js";
import { type ArraySpec, completeSpec } from "./spec.js";

const required = ["zarr_format", "shape", "chunks", "dtype", "order"] as const;
/** Required by the specification, but omitted by some writers: absent ones are null. */
const nullable = ["compressor", "fill_value", "filters"] as const;

/** Parses `.zarray`, and loads the parsers of its fill value and codecs; `attributes` come from `.zattrs`. */
export async function parseV2Array(
  object: JsonObject,
  attributes: Attributes,
  options: DocumentOptions,
): Promise<ArraySpec> {
  requireKeys(object, required, v2ArrayKey);
  checkFormat(object, 2, v2ArrayKey);
  const absent = nullable.filter((name) => !Object.hasOwn(object, name));
  if (absent.length > 0) {
    const message = `${v2ArrayKey} lacks ${absent.map((name) => `"${name}"`).join(", ")}, which is read as null`;
    options.onWarning?.({ code: "missing-key", message });
  }
  const shape = readLengths(member(object, "shape"), "shape", 0);
  const chunkShape = readChunkShape(object, shape);
  const codecs = codecIds(object);
  const names = codecs.map(({ name }) => name);
  await loadCodecs(names, 2);
  const stored = withElements(parseDescr(member(object, "dtype"), true, { objects: true }), codecs);
  const { dtype, endians } = stored;
  const separator = readSeparator(member(object, "dimension_separator"), ".");
  return completeSpec(
    {
      zarrFormat: 2,
      shape,
      grid: { chunkShape },
      dtype,
      fill: parseFill(dtype, readFill(object, dtype, names), "loose", { endian: endians }),
      codecs: buildChain(object, codecs, stored, chunkShape, options),
      attributes,
      dimensionNames: xarrayDimensionNames(attributes, shape.length),
      ...plainKeys("v2", separator),
    },
    options,
  );
}

/** Returns the chunk shape. zarr-python writes the shape of an array without chunks, which may have axes of length 0. */
function readChunkShape(object: JsonObject, shape: readonly number[]): number[] {
  const chunks = readLengths(member(object, "chunks"), "chunks", shape.includes(0) ? 0 : 1);
  const wrong = chunks.findIndex((length, axis) => length === 0 && shape[axis] !== 0);
  if (wrong >= 0)
    throw invalidMetadata(
      `"chunks" in ${v2ArrayKey} must not be 0 on axis ${wrong}, which has length ${shape[wrong]}`,
    );
  return chunks.map((length) => Math.max(1, length));
}

/**
 * Returns the fill value. With vlen-utf8 a number is its text, "0" by default: zarr-python 3 reads it so. 0 is "" for
 * strings of other codecs.
 */
function readFill(object: JsonObject, dtype: DType, codecs: readonly string[]): Json {
  const json = member(object, "fill_value") ?? null;
  const isText = dtype.name === "string" && codecs.includes("vlen-utf8");
  return isText && json instanceof JsonNumber ? json.text : json;
}

/** Returns filters and compressor, in encoding order. */
function codecIds(object: JsonObject): CodecMetadata[] {
  return [...readFilters(member(object, "filters")), ...readCompressor(member(object, "compressor"))];
}

/** Replaces `|O` by the data type that the object codec produces. */
function withElements(stored: StoredType, codecs: readonly CodecMetadata[]): StoredType {
  if (stored.dtype.name !== "object") return stored;
  const object = codecs.map(({ name }) => findCodec(name, 2)).find((found) => found?.type === "vlen");
  if (object) return { ...stored, dtype: DType.variable(object.definition.elements) };
  const refused = codecs
    .filter(({ name }) => !findCodec(name, 2))
    .map(({ name }) => unknownError(name, 2))
    .find((error) => isZarrError(error, "Unsupported"));
  throw unsupported(
    refused?.message ??
      "object arrays (dtype |O) need an object codec, such as vlen-utf8, among their filters",
    { code: "unsupported-dtype", codec: refused?.codec },
  );
}

/** Returns the chain in v3 terms: order F as a transpose, filters, the byte order of the dtype, the compressor. */
function buildChain(
  object: JsonObject,
  codecs: readonly CodecMetadata[],
  stored: StoredType,
  chunkShape: readonly number[],
  options: DocumentOptions,
): CodecMetadata[] {
  const rank = chunkShape.length;
  const order = member(object, "order");
  if (order !== "C" && order !== "F")
    throw invalidMetadata(`"order" in ${v2ArrayKey} must be "C" or "F", not ${showJson(order)}`);
  const filters: CodecMetadata[] = [];
  const bytesCodecs: CodecMetadata[] = [];
  let toBytes: CodecMetadata | undefined;
  let isOrderless = false;
  for (const codec of codecs) {
    const found = findCodec(codec.name, 2);
    const kind = found?.definition.kind ?? "bytes-to-bytes";
    if (kind === "bytes-to-bytes" || toBytes || bytesCodecs.length > 0) bytesCodecs.push(codec);
    else if (kind === "array-to-array") filters.push(codec);
    else {
      toBytes = codec;
      isOrderless = found?.type === "vlen" && found.definition.isOrderless === true;
    }
  }
  const reversed = Array.from({ length: rank }, (_, axis) => rank - 1 - axis);
  if (order === "F" && rank > 1 && !isOrderless)
    filters.unshift({ name: "transpose", configuration: { order: reversed } });
  toBytes ??= bytesCodec(filters, stored, chunkShape, options);
  return [...filters, toBytes, ...bytesCodecs];
}

/** Returns the bytes codec, in the byte order of the last filter that names one, otherwise in the dtype's. */
function bytesCodec(
  filters: readonly CodecMetadata[],
  { dtype, endians }: StoredType,
  shape: readonly number[],
  { limits }: DocumentOptions,
): CodecMetadata {
  const ofDtype: CodecMetadata = { name: "bytes", configuration: endianConfiguration(endians) };
  if (filters.every((filter) => filter.name === "transpose") || dtype.isVariable) return ofDtype;
  const little: CodecMetadata = { name: "bytes", configuration: { endian: "little" } };
  const { before } = resolveChain([...filters, little], { dtype, shape }, { version: 2, limits });
  checkByteOrders(before, endians[0]);
  const endian = before.findLast((step) => step.endian !== undefined)?.endian;
  return endian ? { name: "bytes", configuration: { endian } } : ofDtype;
}

/**
 * Rejects filters whose configured byte order differs from their input's. numcodecs reinterprets the input as
 * the named type, and so computes with swapped bytes.
 */
function checkByteOrders(filters: readonly ResolvedStep[], ofDtype: Endian | undefined): void {
  let order = ofDtype;
  for (const { name, endian, givenEndian } of filters) {
    if (order && givenEndian && givenEndian !== order)
      throw unsupported(
        `codec ${name} takes ${givenEndian}-endian elements, but is given ${order}-endian ones`,
        { code: "not-in-version", codec: name },
      );
    order = endian ?? order;
  }
}

function readFilters(json: Json | undefined): CodecMetadata[] {
  if (json === undefined || json === null) return [];
  if (!Array.isArray(json))
    throw invalidMetadata(`"filters" in ${v2ArrayKey} must be a list or null, not ${showJson(json)}`);
  return json.map((filter) => readCodec(filter, "filters"));
}

function readCompressor(json: Json | undefined): CodecMetadata[] {
  return json === undefined || json === null ? [] : [readCodec(json, "compressor")];
}

/** Parses a v2 codec: an object with its name as `id` and its options. */
function readCodec(json: Json, name: string): CodecMetadata {
  const id = isJsonObject(json) ? member(json, "id") : undefined;
  if (typeof id !== "string") {
    throw invalidMetadata(
      `"${name}" in ${v2ArrayKey}: a codec must be an object with an "id", not ${showJson(json)}`,
    );
  }
  if (implicitCodecs.includes(id)) {
    throw unknownCodec(`unknown codec "${id}" for Zarr v2, which has "dtype" and "order" instead`, {
      codec: id,
    });
  }
  const { id: _, ...configuration } = toPlain(json) as Record<string, unknown>;
  return { name: id, configuration: configuration as Configuration };
}

/** Returns the dimension names from xarray's attribute. */
export function xarrayDimensionNames(
  attributes: Properties,
  rank: number,
): readonly (string | null)[] | undefined {
  const names = ownProperty(attributes, "_ARRAY_DIMENSIONS");
  const valid =
    Array.isArray(names) && names.length === rank && names.every((name) => typeof name === "string");
  return valid ? names : undefined;
}

/**
 * Parses the documents of consolidated metadata, by their keys relative to the group. They are a zarr-python
 * convention and optional: if they cannot be read, the group still can.
 */
export async function parseV2Consolidated(
  read: Promise<Uint8Array | undefined>,
  options: DocumentOptions,
  signal?: AbortSignal | undefined,
): Promise<Map<string, JsonObject> | undefined> {
  try {
    const bytes = await read;
    if (!bytes) return undefined;
    const object = await readDocument(bytes, v2ConsolidatedKey, options, signal);
    const format = member(object, "zarr_consolidated_format");
    if (format === undefined && member(object, "record_size") !== undefined)
      throw unsupported("its chunks are references in Parquet files, which ReferenceStore.open reads", {
        code: "parquet-references",
      });
    if (showJson(format) !== "1")
      throw invalidMetadata(`"zarr_consolidated_format" must be 1, not ${showJson(format)}`);
    return documentsIn(asObject(member(object, "metadata"), '"metadata"'));
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata")) throw error;
    options.onWarning?.({
      code: "consolidated",
      message: `${v2ConsolidatedKey} is ignored: ${error.message}`,
    });
    return undefined;
  }
}
