/** Lazy part of the zarrita drop-in: `create`, `set`, codecs as classes, and replacements of `getChunk`. */

import { type CodecChain, createCodecChain } from "../../chain/codec-chain.js";
import type { CodecMetadata, Configuration } from "../../codecs/definition.js";
import { arrayMetadata } from "../../edit/array-options.js";
import type { CreateOptions, SetOptions, SetValues } from "../../edit/options.js";
import { set } from "../../edit/set.js";
import { replaceNode } from "../../edit/update-node.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { type Attributes, plainAttributes } from "../../metadata/document.js";
import { groupDocuments } from "../../metadata/new-array.js";
import { attributesJson, toJson } from "../../metadata/print.js";
import { parseV3Array } from "../../metadata/v3.js";
import type { Store } from "../../store/store.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import { resolveLimits } from "../../util/limits.js";
import { cached } from "../../util/platform.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import { resolveRegion } from "../../write/region.js";
import Blosc from "../numcodecs/blosc.js";
import GZip from "../numcodecs/gzip.js";
import LZ4 from "../numcodecs/lz4.js";
import Zlib from "../numcodecs/zlib.js";
import Zstd from "../numcodecs/zstd.js";
import { cOrder, type Strided } from "./chunks.js";
import { bytesEntry, type Described, dataTypeIn, namedDtype } from "./codecs.js";
import { dataTypeJson, wrapElements } from "./elements.js";
import { checkText } from "./errors.js";
import type { ArrayMetadata, CodecEntry, CreateArrayOptions, DataType, Entry } from "./types.js";

export { getChunkwise } from "./chunks.js";

/** The array that metadata in zarrita's form describes. */
export async function arrayFromMetadata(
  store: Store,
  path: string,
  metadata: ArrayMetadata<DataType>,
): Promise<ZarrArray> {
  const { data_type: dataType, fill_value: fill } = metadata;
  const isNonFinite = typeof fill === "number" && !Number.isFinite(fill);
  const document = {
    ...metadata,
    data_type: dataTypeJson(dataType),
    fill_value: isNonFinite ? String(fill) : (fill ?? null),
    attributes: {},
  };
  const json = toJson(document, "the metadata of an array") as JsonObject;
  const limits = resolveLimits(undefined);
  return new ZarrArray(store, path, await parseV3Array(json, { limits }), limits);
}

/** Creates a group, and returns its attributes as `open` would. */
export async function createGroup(
  store: Store,
  path: string,
  given: object | undefined,
): Promise<Attributes> {
  const attributes = attributesJson(given);
  await replaceNode(store, path, groupDocuments(attributes, 3));
  return plainAttributes(attributes, "attributes");
}

export async function createArray<D extends DataType>(
  store: Store,
  path: string,
  options: CreateArrayOptions<D>,
): Promise<ZarrArray> {
  const limits = resolveLimits(undefined);
  const { documents, spec } = await arrayMetadata(createOptions(options), 3, limits);
  await replaceNode(store, path, documents);
  return new ZarrArray(store, path, spec, limits);
}

/** zarrita's options as this library's `create` takes them. */
function createOptions<D extends DataType>(options: CreateArrayOptions<D>): CreateOptions {
  const { shape, chunkShape, dtype, codecs = [], fillValue, chunkSeparator, ...others } = options;
  if (!Array.isArray(codecs)) throw invalidArgument(`codecs must be a list, got ${describeValue(codecs)}`);
  checkText(dtype, "dtype");
  const inner = codecs.find((codec) => codec?.name === "sharding_indexed")?.configuration?.["chunk_shape"];
  return {
    shape,
    dtype: dataTypeJson(dtype) as CreateOptions["dtype"],
    ...(inner === undefined ? { chunkShape } : { chunkShape: inner as number[], shardShape: chunkShape }),
    codecs,
    fillValue: (fillValue ?? undefined) as CreateOptions["fillValue"],
    chunkKeyEncoding: { name: "default", separator: chunkSeparator },
    dimensionNames: others.dimensionNames,
    attributes: others.attributes,
  };
}

const isChunk = (value: unknown): value is Strided =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  "data" in value &&
  "shape" in value;

/** Writes an element, or a chunk of any strides. */
export async function setRegion(
  array: ZarrArray,
  selection: Entry[] | null,
  value: unknown,
  options: SetOptions,
): Promise<void> {
  if (!isChunk(value)) return set(array, selection, value as SetValues, options);
  const { shape } = resolveRegion(array.reader, selection);
  checkShape(value, shape);
  await set(array, selection, { data: cOrder(value), shape } as SetValues, options);
}

/** A single element may have any number of dimensions. */
function checkShape({ shape: given }: { readonly shape: unknown }, shape: readonly number[]): void {
  if (!Array.isArray(given)) throw invalidArgument("the shape of a chunk must be a list of lengths");
  const isOne = shape.length === 0 && given.every((length) => length === 1);
  if (isOne || (given.length === shape.length && shape.every((length, axis) => length === given[axis])))
    return;
  throw invalidArgument(
    `the values have shape [${given}], but the selection has shape [${shape.join(", ")}]`,
  );
}

// ---- Codecs as classes

/** Codecs of numcodecs, which take configurations of v2 and v3. */
const classes: Readonly<Record<string, CodecEntry>> = {
  blosc: Blosc,
  lz4: LZ4,
  zstd: Zstd,
  gzip: GZip,
  zlib: Zlib,
};
const toArray = ["transpose", "bitround", "cast_value", "scale_offset", "delta"];
const toBytes = ["bytes", "vlen-utf8", "json2"];

/** The registry entry of a codec that zarrita has. */
export function codecEntry(name: string): CodecEntry {
  const id = name.replace(/^numcodecs\./, "");
  const chainName = id === "delta" || id === "json2" ? `numcodecs.${id}` : id;
  if (toArray.includes(id)) return arrayCodec(chainName, "array_to_array");
  if (toBytes.includes(id)) return arrayCodec(chainName, "array_to_bytes");
  return classes[id] ?? bytesEntry(id, id === name ? 3 : 2)!;
}

const arrayCodec = (name: string, kind: "array_to_array" | "array_to_bytes"): CodecEntry => ({
  kind,
  fromConfig(configuration: Configuration = {}, meta: Described) {
    const { shape, fillValue } = meta;
    const codec = { name, configuration: withAxes(configuration, shape.length) };
    const little = { name: "bytes", configuration: { endian: "little" } };
    const chain = lazyChain(
      dataTypeIn(meta),
      shape,
      kind === "array_to_bytes" ? [codec] : [codec, little],
      fillValue ?? undefined,
    );
    if (kind === "array_to_bytes")
      return {
        kind,
        decode: async (bytes: Uint8Array) => decodeChunk(await chain(), bytes, shape),
        encode: async (chunk: Strided) => encodeChunk(await chain(), chunk),
        // zarrita asks for it in shard indices.
        ...(name === "bytes" ? { computeEncodedSize: (bytes: number) => bytes } : {}),
      };
    const { data_type: castTo } = configuration;
    const dataType = name === "cast_value" && typeof castTo === "string" ? castTo : dataTypeIn(meta);
    // The encoded array has its elements in the order in which the codec stores them.
    const encoded = lazyChain(dataType, [countOf(shape)], [little]);
    const recode = async (chunk: Strided, from: typeof chain, to: typeof chain) =>
      decodeChunk(await to(), encodeChunk(await from(), chunk), shape);
    return {
      kind,
      getEncodedMeta: (given: Described) => ({ ...given, dataType }),
      decode: async (chunk: Strided) => recode(chunk, encoded, chain),
      encode: async (chunk: Strided) => recode(chunk, chain, encoded),
    };
  },
});

/** Replaces the order's letter, which zarrita takes in `transpose`, by the axes. */
function withAxes(configuration: Configuration, rank: number): Configuration {
  const { order } = configuration;
  if (order !== "C" && order !== "F") return configuration;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return { ...configuration, order: order === "F" ? axes.reverse() : axes };
}

const lazyChain = (
  dataType: string,
  shape: readonly number[],
  codecs: readonly CodecMetadata[],
  fillValue?: unknown,
): (() => Promise<CodecChain>) =>
  cached(() => createCodecChain({ dtype: namedDtype(dataType), shape, codecs, fillValue }));

function decodeChunk(chain: CodecChain, bytes: Uint8Array, shape: readonly number[]) {
  const data = wrapElements(chain.dtype, chain.decode(bytes));
  return { data, shape: [...shape], stride: stridesOf(shape) };
}

function encodeChunk(chain: CodecChain, chunk: Strided): Uint8Array {
  const data = cOrder(chunk);
  const { core } = chain.dtype;
  const isBytes = core === "bool" || core === "fixed_bytes" || core === "fixed_utf32";
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  return chain.encode(isBytes && buffer ? new Uint8Array(buffer, byteOffset, byteLength) : data);
}
