/** Codecs as classes with zarrita's interface, for the drop-in's registry. They decode and encode by the core. */

import { type CodecChain, createCodecChain } from "../../chain/codec-chain.js";
import type { Configuration } from "../../codecs/definition.js";
import type { ElementData } from "../../dtypes/elements.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import Blosc from "../numcodecs/blosc.js";
import GZip from "../numcodecs/gzip.js";
import LZ4 from "../numcodecs/lz4.js";
import Zlib from "../numcodecs/zlib.js";
import Zstd from "../numcodecs/zstd.js";
import { bytesOf, cOrder, type Strided } from "./chunks.js";
import { bytesEntry, type Described, dataTypeIn, namedDtype } from "./codecs.js";
import { dataOf } from "./elements.js";
import type { OwnCodecEntry, OwnCodecMetadata } from "./types.js";

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
export function entryOf(name: string): OwnCodecEntry {
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

type Elements = ElementData | readonly unknown[];

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
): () => Promise<CodecChain<Elements>> {
  let made: Promise<CodecChain<Elements>> | undefined;
  return () => {
    made ??= createCodecChain<Elements>({ dtype: namedDtype(dataType), shape, codecs, fillValue });
    return made;
  };
}

function decodeChunk(chain: CodecChain<Elements>, bytes: Uint8Array, shape: readonly number[]) {
  const data = dataOf(chain.dtype, chain.decode(bytes));
  return { data, shape: [...shape], stride: stridesOf(shape) };
}

function encodeChunk(chain: CodecChain<Elements>, chunk: Strided): Uint8Array {
  const data = cOrder(chunk);
  const { core } = chain.dtype;
  const isBytes = core === "bool" || core === "fixed_bytes" || core === "fixed_utf32";
  return chain.encode(isBytes && !Array.isArray(data) ? bytesOf(data) : data);
}
