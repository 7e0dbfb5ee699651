/** Creates documents of new nodes, for each Zarr version, and converts metadata between versions. */

import { type ResolvedChain, resolveChain } from "../chain/chain.js";
import type { CodecMetadata, ZarrVersion } from "../codecs/definition.js";
import { loadEveryCodec } from "../codecs/lookup.js";
import { inByteOrder, printCodecs } from "../codecs/print.js";
import { componentsOf, type DType } from "../dtypes/dtype.js";
import { dataTypeJson, printFill } from "../dtypes/fill-print.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { descrJson } from "../dtypes/numpy.js";
import type { Endian } from "../dtypes/typestr.js";
import { unsupported, type ZarrError } from "../util/errors.js";
import { type Json, type JsonObject, showJson } from "../util/json.js";
import type { Limits } from "../util/limits.js";
import {
  asObject,
  type ChunkKeys,
  member,
  type Separator,
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2GroupKey,
  v3Key,
} from "./document.js";
import {
  type ArrayMetadata,
  attributesIn,
  attributesKey,
  type Documents,
  type MetadataOptions,
  mainDocument,
  type NodeMetadata,
  readMetadata,
} from "./model.js";
import { integerJson, integersJson, jsonEntries, jsonObject, toJson, withEntries } from "./print.js";
import type { ArraySpec } from "./spec.js";
import { xarrayDimensionNames } from "./v2.js";

/** Properties of a new array, independent of the Zarr version. */
export interface NewArray {
  readonly shape: readonly number[];
  /** The grid of stored chunks (or of shards, if the array is sharded): their shape, or `chunk_grid` of Zarr v3. */
  readonly grid: { readonly chunkShape: readonly number[] } | { readonly json: JsonObject };
  readonly dtype: DType;
  /** `dtype` of Zarr v1 and v2, if fields have different byte orders. */
  readonly descr?: Json | undefined;
  readonly fill: FillValue;
  /** The chain in Zarr v3 terms, in encoding order, with the names and options of the version `codecVersion`. */
  readonly codecs: readonly CodecMetadata[];
  readonly codecVersion: ZarrVersion;
  readonly attributes: JsonObject;
  readonly dimensionNames: readonly (string | null)[] | undefined;
  readonly keys: ChunkKeys;
}

/** xarray's convention for dimension names, which Zarr v1 and v2 do not have. */
export const dimensionsAttribute = "_ARRAY_DIMENSIONS";

/**
 * Returns the documents of an array. All codecs must have been loaded.
 * @throws Unsupported, naming the feature that the version lacks; UnknownCodec, InvalidMetadata.
 */
function arrayDocuments(array: NewArray, version: ZarrVersion, limits: Limits): Documents {
  if (version === 3) return new Map([[v3Key, v3Document(array)]]);
  const attributes = withDimensions(array, version);
  if (version === 2) {
    const document = v2Document(array, limits);
    const isBare = jsonEntries(attributes).length === 0;
    return new Map([...(isBare ? [] : [[v2AttributesKey, attributes] as const]), [v2ArrayKey, document]]);
  }
  return new Map([
    [v1AttrsKey, attributes],
    [v1MetaKey, v1Document(array, limits)],
  ]);
}

/** Returns the documents of a group. */
export function groupDocuments(attributes: JsonObject, version: ZarrVersion): Documents {
  const format = ["zarr_format", integerJson(version)] as const;
  if (version === 1) throw unsupported("Zarr v1 has no groups", { code: "not-in-version" });
  if (version === 3) {
    return new Map([[v3Key, jsonObject([format, ["node_type", "group"], ["attributes", attributes]])]]);
  }
  const isBare = jsonEntries(attributes).length === 0;
  return new Map([
    ...(isBare ? [] : [[v2AttributesKey, attributes] as const]),
    [v2GroupKey, jsonObject([format])],
  ]);
}

function v3Document(array: NewArray): JsonObject {
  const { shape, grid, dtype, fill, codecs, codecVersion, attributes, dimensionNames, keys } = array;
  const chunkGrid =
    "json" in grid ? grid.json : extension("regular", [["chunk_shape", integersJson(grid.chunkShape)]]);
  const dataType = toJson(dataTypeJson(dtype), "data_type");
  // Only Zarr v3 has chunks of different shapes, so their codecs need no conversion.
  const printed =
    "json" in grid ? codecs : printCodecs(codecs, { dtype, shape: grid.chunkShape }, codecVersion, 3);
  return jsonObject([
    ["zarr_format", integerJson(3)],
    ["node_type", "array"],
    ["shape", integersJson(shape)],
    ["data_type", dataType],
    ["chunk_grid", chunkGrid],
    ["chunk_key_encoding", keysJson(keys)],
    ["fill_value", printFill(dtype, fill, 3, "little")],
    ["codecs", printed.map(codecV3)],
    ["attributes", attributes],
    ["dimension_names", dimensionNames && [...dimensionNames]],
    ["storage_transformers", []],
  ]);
}

const codecV3 = ({ name, configuration, mustUnderstand }: CodecMetadata): JsonObject =>
  jsonObject([
    ["name", name],
    ["configuration", configuration && toJson(configuration, `codec ${name}`)],
    ["must_understand", mustUnderstand],
  ]);

const extension = (name: string, configuration: [string, Json][]): JsonObject =>
  jsonObject([
    ["name", name],
    ["configuration", jsonObject(configuration)],
  ]);

function keysJson(keys: ChunkKeys): JsonObject {
  if (keys.name === "fanout") return extension(keys.name, [["max_children", integerJson(keys.maxChildren)]]);
  if (keys.name !== "suffix") return extension(keys.name, [["separator", keys.separator]]);
  return extension(keys.name, [
    ["suffix", keys.suffix],
    ["base_encoding", keysJson(keys.base)],
  ]);
}

/** Returns the separator of v2 keys, which have no other encodings. */
function v2Separator(keys: ChunkKeys): Separator {
  if (keys.name === "suffix") return v2Separator(keys.base);
  return keys.name === "fanout" ? "/" : keys.separator;
}

function v2Document(array: NewArray, limits: Limits): JsonObject {
  const { shape, dtype, fill, keys } = array;
  const chain = plainChain(array, 2, limits);
  const compressor = chain.after.at(-1);
  const filters = [...chain.filters, ...chain.after.slice(0, -1)];
  return jsonObject([
    ["zarr_format", integerJson(2)],
    ["shape", integersJson(shape)],
    ["chunks", integersJson(chain.chunkShape)],
    ["dtype", dtypeJson(array, chain, 2)],
    ["compressor", compressor ? codecV2(compressor) : null],
    ["fill_value", printFill(dtype, fill, 2, chain.endian)],
    ["order", chain.order],
    ["filters", filters.length > 0 ? filters.map(codecV2) : null],
    ["dimension_separator", v2Separator(keys)],
  ]);
}

/** Returns the data type; in its original form if its fields have different byte orders. */
function dtypeJson({ dtype, descr }: NewArray, { endian }: PlainChain, version: 1 | 2): Json {
  if (typeof endian === "string") return descrJson(dtype, endian, version);
  if (descr !== undefined) return descr;
  throw unsupported("fields with different byte orders require the original type description", {
    code: "not-in-version",
  });
}

/** Formats a v2 codec: an object with its name as `id` and its options. */
const codecV2 = ({ name, configuration = {} }: CodecMetadata): JsonObject =>
  toJson({ id: name, ...configuration }, `codec ${name}`) as JsonObject;

function v1Document(array: NewArray, limits: Limits): JsonObject {
  const { shape, dtype, fill } = array;
  if (shape.length === 0)
    throw unsupported("Zarr v1 does not support arrays without dimensions", { code: "not-in-version" });
  const chain = plainChain(array, 1, limits);
  const { filters, after, order, endian, chunkShape } = chain;
  const tooMany = filters[0] ?? after[1];
  if (tooMany) {
    throw unsupported(
      `Zarr v1 supports one compressor and no filters; it cannot store codec ${tooMany.name}`,
      { code: "unsupported-codec", codec: tooMany.name },
    );
  }
  const [compressor] = after;
  // The original writer of v1 wrote chunks of other compressors in C order regardless: readers disagree.
  if (order === "F" && compressor?.name !== "blosc") {
    throw unsupported('Zarr v1 arrays of order "F" require the compressor blosc', { code: "not-in-version" });
  }
  return jsonObject([
    ["zarr_format", integerJson(1)],
    ["shape", integersJson(shape)],
    ["chunks", integersJson(chunkShape)],
    ["dtype", dtypeJson(array, chain, 1)],
    ["compression", compressor?.name ?? "none"],
    ["compression_opts", compressor ? optionsV1(compressor) : null],
    ["fill_value", printFill(dtype, fill, 1, endian)],
    ["order", order],
  ]);
}

/** Formats compressor options: an object for blosc and lzma, a level for the others. */
function optionsV1({ name, configuration = {} }: CodecMetadata): Json {
  const options = name === "blosc" || name === "lzma" ? configuration : (configuration["level"] ?? null);
  return toJson(options, `codec ${name}`);
}

/** A chain in the terms of Zarr v1 and v2. */
interface PlainChain {
  readonly chunkShape: readonly number[];
  readonly order: "C" | "F";
  /** One for all, or one per run of components of a structured type. */
  readonly endian: Endian | readonly (Endian | null)[];
  /** Array-to-array codecs, and the object codec. */
  readonly filters: readonly CodecMetadata[];
  readonly after: readonly CodecMetadata[];
}

/**
 * Splits a chain into its v1 and v2 properties: transposes become the order, the byte order becomes that of
 * the dtype.
 */
function plainChain(array: NewArray, version: 1 | 2, limits: Limits): PlainChain {
  const { dtype, grid, codecVersion } = array;
  if ("json" in grid) {
    throw unsupported(`Zarr v${version} does not support chunks of different lengths along an axis`, {
      code: "unknown-extension",
    });
  }
  const { chunkShape } = grid;
  // Resolved in the array's own version, which defines the names of its codecs.
  const chain = resolveChain(array.codecs, { dtype, shape: chunkShape }, { version: codecVersion, limits });
  const printed = printCodecs(array.codecs, { dtype, shape: chunkShape }, codecVersion, version);
  const { before, toBytes } = chain;
  const transposes = before.filter((step) => step.definition.core === "transpose");
  const order = axisOrder(transposes, chunkShape.length, version);
  const isFirst = transposes.every((step, i) => before[i] === step);
  if (order === "F" && (!isFirst || (toBytes.type === "vlen" && isOrderless(toBytes.name)))) {
    throw unsupported(`Zarr v${version} cannot represent a transpose codec at this position of the chain`, {
      code: "unsupported-codec",
      codec: "transpose",
    });
  }
  const own = printed[before.length]!;
  const after = printed.slice(before.length + 1);
  const isBytes = toBytes.type === "core" && toBytes.step.core === "bytes";
  const endian = (isBytes && (own.configuration?.["endian"] as PlainChain["endian"])) || "little";
  const filters = printed
    .slice(0, before.length)
    .filter((_, i) => !transposes.includes(before[i]!))
    .map((filter) => (typeof endian === "string" ? inByteOrder(filter, endian) : filter));
  return {
    chunkShape,
    order,
    endian,
    filters: toBytes.type === "vlen" ? [...filters, own] : filters,
    // A compressor of arrays, such as zfpy, takes the place of a compressor of bytes.
    after: isBytes || toBytes.type === "vlen" ? after : [own, ...after],
  };
}

/** Whether a codec ignores `order` and stores chunks in the array's own order. */
const isOrderless = (name: string): boolean => /^(numcodecs\.)?(json2|msgpack2)$/.test(name);

function axisOrder(
  transposes: readonly { readonly params: readonly number[] }[],
  rank: number,
  version: 1 | 2,
): "C" | "F" {
  let axes = Array.from({ length: rank }, (_, axis) => axis);
  for (const { params } of transposes) axes = params.map((axis) => axes[axis]!);
  if (axes.every((axis, i) => axis === i)) return "C";
  if (axes.every((axis, i) => axis === rank - 1 - i)) return "F";
  throw unsupported(`Zarr v${version} cannot represent the order of axes [${axes}], only C and F order`, {
    code: "unsupported-codec",
    codec: "transpose",
  });
}

/** Adds dimension names as xarray's attribute, which xarray requires for scalars as well. */
function withDimensions({ attributes, dimensionNames }: NewArray, version: 1 | 2): JsonObject {
  const isNamed =
    dimensionNames && (dimensionNames.length === 0 || dimensionNames.some((name) => name !== null));
  if (!isNamed) return attributes;
  if (dimensionNames.includes(null)) {
    throw unsupported(`Zarr v${version} requires names for all dimensions or none`, {
      code: "not-in-version",
    });
  }
  const given = Object.hasOwn(attributes, dimensionsAttribute) ? attributes[dimensionsAttribute] : undefined;
  const names = [...dimensionNames];
  if (given !== undefined && JSON.stringify(given) !== JSON.stringify(names)) {
    throw unsupported(
      `the attribute ${dimensionsAttribute}, ${showJson(given)}, contradicts the dimension names [${names}]`,
      { code: "not-in-version" },
    );
  }
  return withEntries(attributes, [[dimensionsAttribute, names]]);
}

/** Describes an array independently of its Zarr version, as a template for new arrays. */
export function describeArray({ zarrFormat, documents, spec }: ArrayMetadata): NewArray {
  const { shape, dtype, codecs, fill } = spec;
  const { object } = mainDocument(documents);
  const attributes = attributesIn(documents.get(attributesKey[zarrFormat]), zarrFormat);
  const dimensions = splitDimensions(spec, attributes);
  return {
    shape,
    grid: chunkGrid(spec, object),
    dtype,
    descr: zarrFormat < 3 && hasMixedEndian(spec) ? member(object, "dtype") : undefined,
    fill,
    codecs,
    codecVersion: zarrFormat,
    attributes: dimensions.attributes,
    dimensionNames: dimensions.names,
    keys: spec.keys,
  };
}

/**
 * Converts a node's metadata to another version; unchanged if it has that version already.
 *
 * Chunk keys keep their separator (other encodings of v3 become plain ones in v1 and v2) and do not change
 * from v2 to v3, so chunks of plain arrays need not be rewritten. Dimension names become xarray's
 * `_ARRAY_DIMENSIONS` in v1 and v2; an undefined fill value becomes zero in v3.
 * @param changes properties that override the node's.
 * @throws Unsupported, naming the feature that the version lacks.
 */
export async function convertMetadata(
  metadata: NodeMetadata,
  version: ZarrVersion,
  options: MetadataOptions,
  changes: Partial<NewArray> = {},
): Promise<NodeMetadata> {
  const isSame = metadata.zarrFormat === version && Object.keys(changes).length === 0;
  if (isSame && saysItsOrder(metadata)) return metadata;
  if (metadata.kind === "array")
    return makeArrayMetadata({ ...describeArray(metadata), ...changes }, version, options);
  const { documents, zarrFormat } = metadata;
  const attributes = attributesIn(documents.get(attributesKey[zarrFormat]), zarrFormat);
  return readMetadata(groupDocuments(attributes, version), options);
}

/**
 * Whether the declared order is the stored one. False for v1 arrays of order F that were read in C order, as
 * their writer stored them: they are written with order C.
 */
function saysItsOrder(metadata: NodeMetadata): boolean {
  if (metadata.zarrFormat > 1 || metadata.kind === "group") return true;
  const { documents, spec } = metadata;
  const isF = member(mainDocument(documents).object, "order") === "F" && spec.shape.length > 1;
  return !isF || spec.codecs.some(({ name }) => name === "transpose");
}

/**
 * Creates the metadata of an array by printing it and parsing it back, and checks that the result matches the
 * request.
 * @throws Unsupported, naming the feature that the version lacks; InvalidMetadata, UnknownCodec,
 *   LimitExceeded.
 */
export async function makeArrayMetadata(
  array: NewArray,
  version: ZarrVersion,
  options: MetadataOptions,
): Promise<ArrayMetadata> {
  await loadEveryCodec();
  const documents = arrayDocuments(array, version, options.limits);
  let metadata: ArrayMetadata;
  try {
    metadata = (await readMetadata(documents, options)) as ArrayMetadata;
  } catch (error) {
    throw (error as ZarrError).code === "bad-fill-value" ? cannotHoldFill(documents, version, error) : error;
  }
  const { spec } = metadata;
  if (JSON.stringify(spec.dtype) !== JSON.stringify(array.dtype)) {
    const message = `Zarr v${version} cannot represent data type ${array.dtype} with these codecs; it would be read as ${spec.dtype}`;
    throw unsupported(message, { code: "unsupported-dtype" });
  }
  if (!isSameFill(array.fill, spec.fill, version)) throw cannotHoldFill(documents, version);
  if (!isSameChain(array, spec, options)) {
    throw unsupported(`Zarr v${version} cannot represent this codec chain with its byte orders`, {
      code: "unsupported-codec",
    });
  }
  return metadata;
}

function cannotHoldFill(documents: NodeMetadata["documents"], version: ZarrVersion, cause?: unknown): Error {
  const value = member(mainDocument(documents).object, "fill_value");
  const message = `Zarr v${version} has no form for this fill value: ${showJson(value)} would be read as another`;
  return unsupported(message, { code: "not-in-version", cause });
}

function isSameFill(wanted: FillValue, found: FillValue, version: ZarrVersion): boolean {
  if (wanted.value === null || found.value === null) return wanted.value === found.value || version === 3;
  if (wanted.item.length > 0) return wanted.item.every((byte, i) => byte === found.item[i]);
  return fillText(wanted) === fillText(found);
}

const fillText = ({ value }: FillValue): string =>
  value instanceof Uint8Array
    ? `bytes ${value}`
    : JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));

/** Whether chunks are encoded by the same steps; transposes are compared by their combined axis order. */
function isSameChain(
  { codecs, codecVersion, dtype, grid }: NewArray,
  spec: ArraySpec,
  options: MetadataOptions,
) {
  if ("json" in grid) return true;
  const outline = (list: typeof codecs, version: ZarrVersion): string => {
    const chain = resolveChain(list, { dtype, shape: grid.chunkShape }, { limits: options.limits, version });
    let axes = grid.chunkShape.map((_, axis) => axis);
    const before: unknown[] = [];
    for (const { core, params } of chain.before) {
      if (core === "transpose") axes = params.map((axis) => axes[axis]!);
      else before.push([core, params]);
    }
    return JSON.stringify([axes, before, toBytesOutline(chain), chain.after.map(({ core }) => core)]);
  };
  return outline(codecs, codecVersion) === outline(spec.codecs, spec.zarrFormat);
}

function toBytesOutline({ toBytes, encodedArray: { dtype } }: ResolvedChain): unknown {
  if (toBytes.type === "core") {
    const { core, params } = toBytes.step;
    // Single bytes have no order; ignore the configured one.
    const isBytes = core === "bytes" && componentsOf(dtype).every(({ bytes }) => bytes === 1);
    return [core, isBytes ? [] : params];
  }
  if (toBytes.type === "shards") return [toBytes.sharding.chunkShape, toBytes.sharding.indexLocation];
  return toBytes.name.replace("numcodecs.", "");
}

function chunkGrid({ isRegular, axes }: ArraySpec, object: JsonObject): NewArray["grid"] {
  if (isRegular) return { chunkShape: axes.map((axis) => axis.size(0)) };
  return { json: asObject(member(object, "chunk_grid"), `"chunk_grid" in ${v3Key}`) };
}

const hasMixedEndian = ({ codecs }: ArraySpec): boolean =>
  codecs.some(({ name, configuration }) => name === "bytes" && Array.isArray(configuration?.["endian"]));

/** Returns the dimension names, and the attributes without xarray's attribute for them. */
function splitDimensions(
  { zarrFormat, dimensionNames, shape }: ArraySpec,
  attributes: JsonObject,
): { names: NewArray["dimensionNames"]; attributes: JsonObject } {
  if (zarrFormat === 3) return { names: dimensionNames, attributes };
  const names = xarrayDimensionNames(attributes, shape.length);
  if (!names) return { names, attributes };
  return { names, attributes: withEntries(attributes, [[dimensionsAttribute, undefined]]) };
}
