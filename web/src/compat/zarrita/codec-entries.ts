/** Entries of the registry: this library's codecs as zarrita's codec classes. */

import { type CodecChain, createCodecChain } from "../../chain/codec-chain.js";
import type { CodecMetadata, Configuration } from "../../codecs/definition.js";
import { cached } from "../../util/platform.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import Blosc from "../numcodecs/blosc.js";
import GZip from "../numcodecs/gzip.js";
import LZ4 from "../numcodecs/lz4.js";
import Zlib from "../numcodecs/zlib.js";
import Zstd from "../numcodecs/zstd.js";
import { cOrder, type Strided, viewBytes } from "./chunks.js";
import { bytesEntry, type Described, dataTypeIn, namedDtype } from "./codecs.js";
import { wrapElements } from "./elements.js";
import type { CodecEntry } from "./types.js";

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
  if (toArray.includes(id)) return arrayToArray(chainName);
  if (toBytes.includes(id)) return arrayToBytes(chainName);
  return classes[id] ?? bytesEntry(id, id === name ? 3 : 2)!;
}

const arrayToBytes = (name: string): CodecEntry => ({
  kind: "array_to_bytes",
  fromConfig(configuration: Configuration = {}, meta: Described) {
    const chain = lazyChain(dataTypeIn(meta), meta.shape, [{ name, configuration }]);
    return {
      kind: "array_to_bytes",
      decode: async (bytes: Uint8Array) => decodeChunk(await chain(), bytes, meta.shape),
      encode: async (chunk: Strided) => encodeChunk(await chain(), chunk),
      // zarrita asks for it in shard indices.
      ...(name === "bytes" ? { computeEncodedSize: (bytes: number) => bytes } : {}),
    };
  },
});

/** The encoded array has its elements in the order in which the codec stores them. */
const arrayToArray = (name: string): CodecEntry => ({
  kind: "array_to_array",
  fromConfig(configuration: Configuration = {}, meta: Described) {
    const { shape, fillValue } = meta;
    const { data_type: castTo } = configuration;
    const dataType = name === "cast_value" && typeof castTo === "string" ? castTo : dataTypeIn(meta);
    const little = { name: "bytes", configuration: { endian: "little" } };
    const codec = { name, configuration: withAxes(configuration, shape.length) };
    const decoded = lazyChain(dataTypeIn(meta), shape, [codec, little], fillValue ?? undefined);
    const encoded = lazyChain(dataType, [countOf(shape)], [little]);
    const recode = async (chunk: Strided, from: typeof decoded, to: typeof decoded) =>
      decodeChunk(await to(), encodeChunk(await from(), chunk), shape);
    return {
      kind: "array_to_array",
      getEncodedMeta: (given: Described) => ({ ...given, dataType }),
      decode: async (chunk: Strided) => recode(chunk, encoded, decoded),
      encode: async (chunk: Strided) => recode(chunk, decoded, encoded),
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
  return chain.encode(isBytes && !Array.isArray(data) ? viewBytes(data) : data);
}
