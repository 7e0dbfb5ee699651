/**
 * Codecs that the application registers. The core cannot run them, so a wrapper of the store removes them from the end of the
 * chain in metadata, decodes the chunks it returns and encodes the chunks it is given.
 */

import { type CodecChain, createCodecChain } from "../../chain/codec-chain.js";
import type { Configuration } from "../../codecs/definition.js";
import { toElements } from "../../dtypes/elements.js";
import { parseDescr } from "../../dtypes/typestr.js";
import { parseDocument } from "../../metadata/document.js";
import { setInnerStore, writingMethods } from "../../store/handle.js";
import { cutRange, locateKey, readRange } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText, toPlain } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import Blosc from "../numcodecs/blosc.js";
import GZip from "../numcodecs/gzip.js";
import LZ4 from "../numcodecs/lz4.js";
import Zlib from "../numcodecs/zlib.js";
import Zstd from "../numcodecs/zstd.js";
import { cOrder, type Strided, viewBytes } from "./chunks.js";
import { bytesEntry, type Described, dataTypeIn, namedDtype } from "./codecs.js";
import { dtypeName, wrapElements } from "./elements.js";
import { CodecPipelineError, InvalidMetadataError, UnsupportedError } from "./errors.js";
import type { OwnCodec, OwnCodecEntry, OwnCodecMetadata } from "./types.js";

export type LoadEntry = () => OwnCodecEntry | Promise<OwnCodecEntry>;

/** The application's codecs by name. */
export type OwnEntries = ReadonlyMap<string, LoadEntry>;

/** Codecs removed from the end of a chain, in encoding order. */
interface Removed {
  readonly codecs: readonly { readonly name: string; readonly codec: OwnCodec }[];
  readonly meta: OwnCodecMetadata;
}

export interface OwnCodecStore extends Store {
  /** Removes the application's codecs from a metadata document, and remembers them for the array's chunks. */
  readonly withoutOwn: (key: string, document: JsonObject) => Promise<JsonObject>;
}

const documentKey = /^(.*\/)(zarr\.json|\.zarray)$/;

/** Wraps a store: chunks read from the wrapper lack the encoding of the application's codecs. */
export function ownCodecStore(inner: Store, entries: OwnEntries): OwnCodecStore {
  /** By the array's key in the store, such as "/a/b/". */
  const removed = new Map<string, Removed>();
  const removedFrom = (key: string): Removed | undefined => {
    if (/\/\.z(attrs|group)$/.test(key)) return undefined;
    for (const [folder, codecs] of removed) if (key.startsWith(folder)) return codecs;
    return undefined;
  };
  const withoutOwn: OwnCodecStore["withoutOwn"] = async (key, document) => {
    const folder = documentKey.exec(key)![1]!;
    const chain = key.endsWith("/.zarray") ? chainOfV2(document) : chainOfV3(document);
    const codecs = chain ? await ownAtEnd(chain.meta, entries) : [];
    removed.delete(folder);
    if (!chain || codecs.length === 0) return document;
    removed.set(folder, { codecs, meta: chain.meta });
    return chain.without(codecs.length, codecs[0]!.codec.kind === "array_to_bytes");
  };
  const get: Store["get"] = async (key, options) => {
    const bytes = await inner.get(key, options);
    if (!bytes) return undefined;
    if (documentKey.test(key)) {
      const document = parseDocument(bytes, key, { limits: defaultLimits });
      const plain = await withoutOwn(key, document);
      return plain === document ? bytes : textEncoder().encode(jsonText(plain));
    }
    const codecs = removedFrom(key);
    return codecs ? decoded(codecs, key, bytes) : bytes;
  };
  const methods = writingMethods(inner);
  const store: OwnCodecStore = {
    ...methods,
    withoutOwn,
    get,
    async getRange(key, range, options) {
      if (!removedFrom(key)) return readRange(inner, key, range, options);
      const whole = await get(key, options);
      return whole && cutRange(whole, range);
    },
    locate: (key) => locateKey(inner, key),
  };
  if (methods.set)
    store.set = async (key, bytes, options) => {
      const codecs = documentKey.test(key) ? undefined : removedFrom(key);
      await methods.set!(key, codecs ? await encoded(codecs, key, bytes) : bytes, options);
    };
  return setInnerStore(store, inner);
}

/** Loads the application's codecs at the end of a chain, in encoding order. */
export async function ownAtEnd(meta: OwnCodecMetadata, entries: OwnEntries): Promise<Removed["codecs"]> {
  const taken: { name: string; codec: OwnCodec }[] = [];
  if (entries.size === 0) return taken;
  for (const { name, configuration } of [...meta.codecs].reverse()) {
    const entry = await entries.get(name)?.();
    if (!entry) break;
    const codec = entry.fromConfig(configuration as never, meta);
    const kind = codec.kind ?? entry.kind ?? "bytes_to_bytes";
    if (kind === "array_to_array") break;
    taken.unshift({ name, codec: Object.assign(Object.create(codec) as OwnCodec, { kind }) });
    if (kind === "array_to_bytes") break;
  }
  return taken;
}

interface Chain {
  readonly meta: OwnCodecMetadata;
  /** The document without the last `count` codecs. `isRaw`: the chunks are elements in C order, little-endian. */
  without(count: number, isRaw: boolean): JsonObject;
}

function chainOfV3(document: JsonObject): Chain | undefined {
  const { codecs, data_type: dataType, chunk_grid: grid, fill_value: fill } = document;
  if (!Array.isArray(codecs)) return undefined;
  const configuration = isJsonObject(grid) ? grid["configuration"] : undefined;
  return {
    meta: {
      dataType: String(toPlain(dataType ?? null)),
      shape: toLengths(isJsonObject(configuration) ? configuration["chunk_shape"] : undefined),
      codecs: codecs.map(namedCodec),
      fillValue: toPlain(fill ?? null),
    },
    without: (count, isRaw) => ({
      ...document,
      codecs: [...codecs.slice(0, codecs.length - count), ...(isRaw ? [littleEndian] : [])],
    }),
  };
}

function namedCodec(json: Json): OwnCodecMetadata["codecs"][number] {
  if (typeof json === "string") return { name: json, configuration: {} };
  const { name, configuration = {} } = (toPlain(json) ?? {}) as { name?: string; configuration?: object };
  return { name: String(name), configuration: configuration as Record<string, unknown> };
}

function chainOfV2(document: JsonObject): Chain | undefined {
  const { filters, compressor, dtype, chunks, fill_value: fill } = document;
  const list = [
    ...(Array.isArray(filters) ? filters : []),
    ...(isJsonObject(compressor) ? [compressor] : []),
  ];
  if (typeof dtype !== "string" || !list.every(isJsonObject)) return undefined;
  return {
    meta: {
      dataType: dtypeName({ dtype: parseDescr(dtype, true, { objects: true }).dtype, zarrFormat: 2 }),
      shape: toLengths(chunks),
      codecs: list.map((codec) => {
        const { id, ...configuration } = toPlain(codec) as Record<string, unknown>;
        return { name: `numcodecs.${id}`, configuration };
      }),
      fillValue: toPlain(fill ?? null),
    },
    without: (count, isRaw) => ({
      ...document,
      ...(isRaw ? { dtype: dtype.replace(">", "<"), order: "C" } : {}),
      filters: list.slice(0, list.length - count),
      compressor: null,
    }),
  };
}

function toLengths(json: Json | undefined): number[] {
  return Array.isArray(json) ? json.map((length) => (length instanceof JsonNumber ? length.value : 0)) : [];
}

async function decoded({ codecs }: Removed, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of [...codecs].reverse()) {
    try {
      data = await codec.decode(data as never);
    } catch (cause) {
      throw new CodecPipelineError({ direction: "decode", codec: name, chunkPath: key, cause });
    }
  }
  return packed(data);
}

async function encoded({ codecs, meta }: Removed, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of codecs) {
    try {
      if (!codec.encode) throw new UnsupportedError(`codec ${name} cannot encode`);
      if (codec.kind === "array_to_bytes") data = elementsIn(bytes, meta);
      data = packed(await codec.encode(data as never));
    } catch (cause) {
      throw new CodecPipelineError({ direction: "encode", codec: name, chunkPath: key, cause });
    }
  }
  return data as Uint8Array;
}

/** A raw chunk as zarrita's array-to-bytes codecs take it. */
function elementsIn(bytes: Uint8Array, { dataType, shape }: OwnCodecMetadata): unknown {
  const dtype = namedDtype(dataType);
  return { data: wrapElements(dtype, toElements(dtype, bytes)), shape: [...shape], stride: stridesOf(shape) };
}

/** Converts the result of a codec to bytes; chunks to elements in C order. */
function packed(data: unknown): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const elements = cOrder(data as Strided);
  if (Array.isArray(elements))
    throw new InvalidMetadataError("codecs that make lists of values are not supported");
  return viewBytes(elements);
}

export const littleEndian = { name: "bytes", configuration: { endian: "little" } };

const classes: Readonly<Record<string, OwnCodecEntry>> = {
  blosc: Blosc,
  lz4: LZ4,
  zstd: Zstd,
  gzip: GZip,
  zlib: Zlib,
};
const toArray = ["transpose", "bitround", "cast_value", "scale_offset", "delta"];
const toBytes = ["bytes", "vlen-utf8", "json2"];

/** The registry entry of a codec that zarrita has. */
export function codecEntry(name: string): OwnCodecEntry {
  const id = name.replace(/^numcodecs\./, "");
  const own = classes[id];
  if (own) return own;
  if (!toArray.includes(id) && !toBytes.includes(id)) return bytesEntry(id, id === name ? 3 : 2)!;
  const chainName = id === "delta" || id === "json2" ? `numcodecs.${id}` : id;
  const kind = toArray.includes(id) ? "array_to_array" : "array_to_bytes";
  const fromConfig = (configuration: Configuration | undefined, meta: Described) =>
    kind === "array_to_array"
      ? arrayToArray(chainName, configuration ?? {}, meta)
      : arrayToBytes(chainName, configuration ?? {}, meta);
  return { kind, fromConfig };
}

function arrayToBytes(name: string, configuration: Configuration, meta: Described) {
  const { shape } = meta;
  const chain = lazyChain(dataTypeIn(meta), shape, [{ name, configuration }]);
  return {
    kind: "array_to_bytes" as const,
    decode: async (bytes: Uint8Array) => decodeChunk(await chain(), bytes, shape),
    encode: async (chunk: Strided) => encodeChunk(await chain(), chunk),
    // zarrita asks for it in shard indices.
    ...(name === "bytes" ? { computeEncodedSize: (bytes: number) => bytes } : {}),
  };
}

/** The encoded array has its elements in the order in which the codec stores them. */
function arrayToArray(name: string, configuration: Configuration, meta: Described) {
  const { shape } = meta;
  const { data_type: castTo } = configuration;
  const dataType = name === "cast_value" && typeof castTo === "string" ? castTo : dataTypeIn(meta);
  const codec = { name, configuration: withAxes(configuration, shape.length) };
  const fill = meta.fillValue ?? undefined;
  const decodedChain = lazyChain(dataTypeIn(meta), shape, [codec, littleEndian], fill);
  const encodedChain = lazyChain(dataType, [countOf(shape)], [littleEndian]);
  return {
    kind: "array_to_array" as const,
    getEncodedMeta: (given: OwnCodecMetadata) => ({ ...given, dataType }),
    decode: async (chunk: Strided) =>
      decodeChunk(await decodedChain(), encodeChunk(await encodedChain(), chunk), shape),
    encode: async (chunk: Strided) =>
      decodeChunk(await encodedChain(), encodeChunk(await decodedChain(), chunk), shape),
  };
}

/** Replaces the order's letter, which zarrita takes in `transpose`, by the axes. */
function withAxes(configuration: Configuration, rank: number): Configuration {
  const { order } = configuration;
  if (order !== "C" && order !== "F") return configuration;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return { ...configuration, order: order === "F" ? axes.reverse() : axes };
}

function lazyChain(
  dataType: string,
  shape: number[],
  codecs: { name: string; configuration: Configuration }[],
  fillValue?: unknown,
): () => Promise<CodecChain> {
  let made: Promise<CodecChain> | undefined;
  return () => {
    made ??= createCodecChain({ dtype: namedDtype(dataType), shape, codecs, fillValue });
    return made;
  };
}

function decodeChunk(chain: CodecChain, bytes: Uint8Array, shape: readonly number[]) {
  const data = wrapElements(chain.dtype, chain.decode(bytes));
  return { data, shape: [...shape], stride: stridesOf(shape) };
}

function encodeChunk(chain: CodecChain, chunk: Strided): Uint8Array {
  const data = cOrder(chunk);
  const { core } = chain.dtype;
  const isBytes = core === "bool" || core === "fixed_bytes" || core === "fixed_utf32";
  return chain.encode(isBytes && !Array.isArray(data) ? viewBytes(data) : data);
}
