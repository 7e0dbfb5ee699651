/** Creates documents of new nodes, for each Zarr version: the counterpart of v1.ts, v2.ts and v3.ts. */

import { resolveChain } from "../chain/chain.js";
import type { CodecMetadata, ZarrVersion } from "../codecs/definition.js";
import { inByteOrder, printCodecs } from "../codecs/print.js";
import type { DType } from "../dtypes/dtype.js";
import { dataTypeJson, printFill } from "../dtypes/fill-print.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { descrJson } from "../dtypes/numpy.js";
import type { Endian } from "../dtypes/typestr.js";
import { unsupported } from "../util/errors.js";
import { type Json, type JsonObject, showJson } from "../util/json.js";
import type { Limits } from "../util/limits.js";
import {
  type ChunkKeys,
  type Separator,
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2GroupKey,
  v3Key,
} from "./document.js";
import { integerJson, integersJson, jsonEntries, jsonObject, toJson, withEntries } from "./print.js";

/** Documents of one node, by their keys relative to its path. The document that defines the node comes last. */
export type Documents = ReadonlyMap<string, JsonObject>;

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
export function arrayDocuments(array: NewArray, version: ZarrVersion, limits: Limits): Documents {
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
