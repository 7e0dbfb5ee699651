/** The entries of the zarrita drop-in's registry: classes with `fromConfig`, that decode and encode by the core. */
import { type CodecChain, createCodecChain } from "../../chain/codec-chain.js";
import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import { countOf, stridesOf } from "../../util/strides.js";
import Blosc from "../numcodecs/blosc.js";
import GZip from "../numcodecs/gzip.js";
import LZ4 from "../numcodecs/lz4.js";
import Zlib from "../numcodecs/zlib.js";
import Zstd from "../numcodecs/zstd.js";
import { bytesEntry, dtypeOf } from "./bytes-codecs.js";
import { cOrder } from "./c-order.js";
import { dataOf } from "./elements.js";
import type { OwnCodecEntry, OwnCodecMetadata } from "./registry.js";

type Configuration = Record<string, unknown>;
type Elements = ElementData | readonly unknown[];

/** A chunk as codecs of zarrita's hand it to one another. */
interface GivenChunk {
  readonly data: unknown;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

const littleEndian = { name: "bytes", configuration: { endian: "little" } };

/** Of Zarr v2, as zarrita has it: an order by letter. */
function withOrder(configuration: Configuration, rank: number): Configuration {
  const { order } = configuration;
  if (order !== "C" && order !== "F") return configuration;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return { ...configuration, order: order === "F" ? axes.reverse() : axes };
}

function shown(dtype: DType, elements: Elements, shape: readonly number[]) {
  return { data: dataOf(dtype, elements), shape: [...shape], stride: stridesOf(shape) };
}

/** The elements of a chunk, as the core takes them. */
function elementsOf(dtype: DType, chunk: GivenChunk): Elements {
  const { data } = cOrder(chunk);
  if (Array.isArray(data)) return data;
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  if (dtype.core === "bool" || dtype.core === "fixed_bytes" || dtype.core === "fixed_utf32")
    return new Uint8Array(buffer, byteOffset, byteLength);
  return data as ElementData;
}

/** A codec that turns arrays into bytes. */
class ToBytesCodec {
  readonly kind = "array_to_bytes";
  /** What zarrita asks in shard indices: of the codec whose size is that of the elements. */
  readonly computeEncodedSize: ((bytes: number) => number) | undefined;
  readonly #chain: () => Promise<CodecChain<Elements>>;
  readonly #meta: OwnCodecMetadata;

  constructor(name: string, configuration: Configuration, meta: OwnCodecMetadata) {
    const { shape } = meta;
    this.#meta = meta;
    if (name === "bytes") this.computeEncodedSize = (bytes) => bytes;
    this.#chain = once(() => {
      const codecs = [{ name, configuration }];
      return createCodecChain<Elements>({ dataType: dtypeOf(dataTypeOf(meta)), shape, codecs });
    });
  }

  async decode(bytes: Uint8Array) {
    const chain = await this.#chain();
    return shown(chain.dataType, chain.decode(bytes), this.#meta.shape);
  }

  async encode(chunk: GivenChunk): Promise<Uint8Array> {
    const chain = await this.#chain();
    return chain.encode(elementsOf(chain.dataType, chunk));
  }
}

/** A codec that turns arrays into arrays: the elements of the encoded one in the order that they are stored in. */
class ToArrayCodec {
  readonly kind = "array_to_array";
  readonly #chain: () => Promise<CodecChain<Elements>>;
  readonly #encoded: () => Promise<CodecChain<Elements>>;
  readonly #meta: OwnCodecMetadata;
  readonly #encodedType: string;

  constructor(name: string, configuration: Configuration, meta: OwnCodecMetadata) {
    const { shape } = meta;
    this.#meta = meta;
    const { data_type: castTo } = configuration;
    this.#encodedType = name === "cast_value" && typeof castTo === "string" ? castTo : dataTypeOf(meta);
    const codecs = [{ name, configuration: withOrder(configuration, shape.length) }, littleEndian];
    const fill = meta.fillValue ?? undefined;
    this.#chain = once(() =>
      createCodecChain<Elements>({ dataType: dtypeOf(dataTypeOf(meta)), shape, codecs, fillValue: fill }),
    );
    this.#encoded = once(() => {
      const dataType = dtypeOf(this.#encodedType);
      return createCodecChain<Elements>({ dataType, shape: [countOf(shape)], codecs: [littleEndian] });
    });
  }

  getEncodedMeta(meta: OwnCodecMetadata): OwnCodecMetadata {
    return { ...meta, dataType: this.#encodedType };
  }

  async decode(chunk: GivenChunk) {
    const [chain, encoded] = [await this.#chain(), await this.#encoded()];
    const bytes = encoded.encode(elementsOf(encoded.dataType, chunk));
    return shown(chain.dataType, chain.decode(bytes), this.#meta.shape);
  }

  async encode(chunk: GivenChunk) {
    const [chain, encoded] = [await this.#chain(), await this.#encoded()];
    const bytes = chain.encode(elementsOf(chain.dataType, chunk));
    return shown(encoded.dataType, encoded.decode(bytes), this.#meta.shape);
  }
}

/** zarrita 0.6 calls it otherwise. */
function dataTypeOf(meta: OwnCodecMetadata & { readonly data_type?: string }): string {
  return meta.dataType ?? meta.data_type;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The codecs that are made here, and their kinds. */
const kinds: Readonly<Record<string, "array_to_array" | "array_to_bytes" | "bytes_to_bytes">> = {
  bytes: "array_to_bytes",
  "vlen-utf8": "array_to_bytes",
  json2: "array_to_bytes",
  transpose: "array_to_array",
  bitround: "array_to_array",
  cast_value: "array_to_array",
  scale_offset: "array_to_array",
  delta: "array_to_array",
  crc32c: "bytes_to_bytes",
  shuffle: "bytes_to_bytes",
};

const classes: Readonly<Record<string, OwnCodecEntry>> = {
  blosc: Blosc,
  lz4: LZ4,
  zstd: Zstd,
  gzip: GZip,
  zlib: Zlib,
};

/** The registry's entry of a standard codec. */
export function entryOf(name: string): OwnCodecEntry {
  const id = name.replace(/^numcodecs\./, "");
  const own = classes[id];
  if (own) return own;
  const kind = kinds[id]!;
  if (kind === "bytes_to_bytes") return bytesEntry(id, id === name ? 3 : 2)!;
  const Codec = kind === "array_to_bytes" ? ToBytesCodec : ToArrayCodec;
  const chainName = id === "delta" || id === "json2" ? `numcodecs.${id}` : id;
  return {
    kind,
    fromConfig: (configuration: Configuration | undefined, meta: OwnCodecMetadata) =>
      new Codec(chainName, configuration ?? {}, meta),
  };
}
