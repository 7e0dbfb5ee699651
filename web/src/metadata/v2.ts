/**
 * Zarr v2: `.zarray`, `.zgroup`, `.zattrs`, and consolidated `.zmetadata`.
 * Spec: Zarr storage specification version 2. What is tolerated beyond it: docs/dtypes.md, docs/reading.md.
 */
import { endianConfiguration } from "../codecs/bytes.js";
import { type CodecMetadata, resolveChain } from "../codecs/chain.js";
import type { Configuration } from "../codecs/config.js";
import { findCodec } from "../codecs/registry.js";
import { parseFill } from "../dtypes/fill.js";
import { parseDescr, type StoredType } from "../dtypes/typestr.js";
import { invalidMetadata } from "../errors.js";
import {
  asObject,
  attributesOf,
  checkFormat,
  type DocumentOptions,
  own,
  parseDocument,
  readSeparator,
  requireKeys,
} from "./document.js";
import { isJsonObject, type Json, type JsonObject, showJson, toPlain } from "./json.js";
import { type ArraySpec, type Attributes, completeSpec, readLengths } from "./spec.js";

/** Keys of a v2 node's documents. */
export const v2ArrayKey = ".zarray";
export const v2GroupKey = ".zgroup";
export const v2AttributesKey = ".zattrs";
export const v2ConsolidatedKey = ".zmetadata";

const required = ["zarr_format", "shape", "chunks", "dtype", "order"] as const;
/** Required by the specification, but left out by some writers: absent ones are null. */
const nullable = ["compressor", "fill_value", "filters"] as const;

/** Parses `.zarray`; `attributes` are those of `.zattrs`. */
export function parseV2Array(object: JsonObject, attributes: Attributes, options: DocumentOptions): ArraySpec {
  requireKeys(object, required, v2ArrayKey);
  checkFormat(object, 2, v2ArrayKey);
  const absent = nullable.filter((name) => !Object.hasOwn(object, name));
  if (absent.length > 0) {
    const message = `${v2ArrayKey} lacks ${absent.map((name) => `"${name}"`).join(", ")}, which is read as null`;
    options.onWarning?.({ code: "missing-key", message });
  }
  const shape = readLengths(own(object, "shape"), "shape", 0);
  const chunkShape = readLengths(own(object, "chunks"), "chunks", 1);
  const stored = parseDescr(own(object, "dtype"), true, { objects: true });
  const { dtype, endians } = stored;
  const separator = readSeparator(own(object, "dimension_separator"), ".");
  return completeSpec(
    {
      zarrFormat: 2,
      shape,
      grid: { chunkShape },
      dtype,
      fill: parseFill(dtype, own(object, "fill_value") ?? null, "loose", { endian: endians }),
      codecs: codecsOf(object, stored, shape.length, options),
      attributes,
      dimensionNames: dimensionNamesOf(attributes, shape.length),
      chunkKey: (coordinates) => coordinates.join(separator) || "0",
    },
    options,
  );
}

/** The chain in v3 terms: order F as a transpose, filters, the byte order of the dtype, the compressor. */
function codecsOf(
  object: JsonObject,
  stored: StoredType,
  rank: number,
  options: DocumentOptions,
): CodecMetadata[] {
  const order = own(object, "order");
  if (order !== "C" && order !== "F")
    throw invalidMetadata(`"order" in ${v2ArrayKey} must be "C" or "F", not ${showJson(order)}`, {
      code: "bad-order",
    });
  const reversed = Array.from({ length: rank }, (_, axis) => rank - 1 - axis);
  const arrayCodecs: CodecMetadata[] =
    order === "F" && rank > 1 ? [{ name: "transpose", configuration: { order: reversed } }] : [];
  const bytesCodecs: CodecMetadata[] = [];
  let toBytes: CodecMetadata | undefined;
  for (const codec of [...filtersOf(own(object, "filters")), ...compressorOf(own(object, "compressor"))]) {
    const kind = findCodec(codec.name, 2)?.definition.kind ?? "bytes-to-bytes";
    if (kind === "bytes-to-bytes" || toBytes || bytesCodecs.length > 0) bytesCodecs.push(codec);
    else if (kind === "array-to-array") arrayCodecs.push(codec);
    else toBytes = codec;
  }
  toBytes ??= bytesCodec(arrayCodecs, stored, rank, options);
  return [...arrayCodecs, toBytes, ...bytesCodecs];
}

/** The bytes codec: in the byte order of the last filter that names one, else in the dtype's. */
function bytesCodec(
  filters: readonly CodecMetadata[],
  { dtype, endians }: StoredType,
  rank: number,
  { limits }: DocumentOptions,
): CodecMetadata {
  const own: CodecMetadata = { name: "bytes", configuration: endianConfiguration(endians) };
  if (filters.every((filter) => filter.name === "transpose") || dtype.isVariable) return own;
  const shape = new Array<number>(rank).fill(1);
  const little: CodecMetadata = { name: "bytes", configuration: { endian: "little" } };
  const { before } = resolveChain([...filters, little], { dtype, shape }, { version: 2, limits });
  const endian = before.findLast((step) => step.endian !== undefined)?.endian;
  return endian ? { name: "bytes", configuration: { endian } } : own;
}

function filtersOf(json: Json | undefined): CodecMetadata[] {
  if (json === undefined || json === null) return [];
  if (!Array.isArray(json))
    throw invalidMetadata(`"filters" in ${v2ArrayKey} must be a list or null, not ${showJson(json)}`, {
      code: "bad-filters",
    });
  return json.map((filter) => readCodec(filter, "filters"));
}

function compressorOf(json: Json | undefined): CodecMetadata[] {
  return json === undefined || json === null ? [] : [readCodec(json, "compressor")];
}

/** A codec of v2: its name under `id`, its options beside it. */
function readCodec(json: Json, name: string): CodecMetadata {
  const id = isJsonObject(json) ? own(json, "id") : undefined;
  if (typeof id !== "string") {
    throw invalidMetadata(`"${name}" in ${v2ArrayKey}: a codec must be an object with an "id", not ${showJson(json)}`, {
      code: "bad-codecs",
    });
  }
  const { id: _, ...configuration } = toPlain(json) as Record<string, unknown>;
  return { name: id, configuration: configuration as Configuration };
}

/** xarray's convention: the names of the dimensions in an attribute. */
function dimensionNamesOf(attributes: Attributes, rank: number): readonly (string | null)[] | undefined {
  const names = Object.hasOwn(attributes, "_ARRAY_DIMENSIONS") ? attributes["_ARRAY_DIMENSIONS"] : undefined;
  const valid = Array.isArray(names) && names.length === rank && names.every((name) => typeof name === "string");
  return valid ? (names as string[]) : undefined;
}

/** Parses `.zgroup`, which holds nothing but the version. */
export function checkV2Group(object: JsonObject): void {
  checkFormat(object, 2, v2GroupKey);
}

/** Parses `.zattrs`; absent is empty. */
export function parseV2Attributes(bytes: Uint8Array | undefined, options: DocumentOptions): Attributes {
  return attributesOf(bytes && parseDocument(bytes, v2AttributesKey, options), v2AttributesKey);
}

/** The documents of consolidated metadata, by their keys below the group. Convention of zarr-python's. */
export function parseV2Consolidated(bytes: Uint8Array, options: DocumentOptions): Map<string, JsonObject> {
  const object = parseDocument(bytes, v2ConsolidatedKey, options);
  const format = own(object, "zarr_consolidated_format");
  if (showJson(format) !== "1") {
    throw invalidMetadata(`"zarr_consolidated_format" must be 1, not ${showJson(format)}`, { code: "bad-format" });
  }
  const metadata = asObject(own(object, "metadata"), `"metadata" in ${v2ConsolidatedKey}`);
  return new Map(Object.entries(metadata).map(([key, value]) => [key, asObject(value, key)]));
}

