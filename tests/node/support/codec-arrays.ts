/** Arrays that use a codec with a data type: metadata of every Zarr version, and matching chunks. */
import type { ZarrArray } from "zarr-wasm";
import { wholeCodec } from "#src/chain/shards.js";
import type { ZarrVersion } from "#src/codecs/definition.js";
import { type FoundCodec, findCodec } from "#src/codecs/registry.js";
import { codecRow } from "#src/engine/codec-table.js";
import { getSession } from "#src/engine/engine.js";
import { defaultLimits } from "#src/util/limits.js";
import { shape, type TriedType, valuesOf } from "./data-types.js";

interface Codec {
  name: string;
  configuration?: Readonly<Record<string, unknown>>;
}

/** Configurations that codecs need, by their names without "numcodecs."; `numcodecs` and v1 and v2 take `old`. */
const configurations: Record<
  string,
  (type: TriedType, version: ZarrVersion) => { old?: object; v3?: object }
> = {
  bytes: () => ({ v3: { endian: "little" } }),
  endian: () => ({ v3: { endian: "little" } }),
  transpose: () => ({ v3: { order: [1, 0] } }),
  n5_default: () => ({
    v3: {
      codecs: [
        { name: "transpose", configuration: { order: [1, 0] } },
        { name: "bytes", configuration: { endian: "big" } },
      ],
    },
  }),
  zlib: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  gzip: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  bz2: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  lzma: () => ({ old: { preset: 1 }, v3: { preset: 1 } }),
  zstd: () => ({ old: { level: 1 }, v3: { level: 1, checksum: false } }),
  blosc: ({ dtype }, version) => ({
    old: { cname: "lz4", clevel: 5, shuffle: 1, ...(version === 1 ? {} : { blocksize: 0 }) },
    v3: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: dtype.itemBytes || 1, blocksize: 0 },
  }),
  shuffle: ({ dtype }) => ({ old: { elementsize: dtype.itemBytes || 1 } }),
  delta: ({ numpy }) => ({ old: { dtype: numpy } }),
  astype: ({ numpy }) => ({ old: { encode_dtype: numpy, decode_dtype: numpy } }),
  fixedscaleoffset: ({ numpy }) => ({ old: { offset: 0, scale: 2, dtype: numpy } }),
  quantize: ({ numpy }) => ({ old: { digits: 1, dtype: numpy } }),
  bitround: ({ dtype }) => {
    const whole = /^(u?int|date|time)/.test(dtype.core);
    return { old: { keepbits: whole ? 8 : 1 }, v3: { keepbits: whole ? 8 : 1 } };
  },
  reshape: () => ({ v3: { shape: [-1] } }),
  scale_offset: () => ({ v3: { offset: 0, scale: 2 } }),
  cast_value: () => ({ v3: { data_type: "float64" } }),
  conditional: () => ({ v3: { codecs: [{ name: "gzip", configuration: { level: 1 } }] } }),
  zfp: () => ({ v3: { mode: "reversible" } }),
  zfpy: () => ({ old: { mode: 5 } }),
  hdf5_bitshuffle: ({ dtype }) => ({ v3: { element_size: dtype.itemBytes || 1, compressor: "lz4" } }),
  hdf5_scaleoffset: (type) => ({ v3: { parms: scaleOffset(type) } }),
  hdf5_nbit: ({ dtype }) => {
    const bits = 8 * dtype.itemBytes;
    return { v3: { parms: [8, 0, 6, 1, dtype.itemBytes, 0, bits - 1, 0] } };
  },
  hdf5_szip: ({ dtype }) => ({
    v3: {
      options_mask: 32,
      pixels_per_block: 8,
      bits_per_pixel: 8 * dtype.itemBytes,
      pixels_per_scanline: 6,
    },
  }),
  fits_rice: ({ dtype }) => ({ v3: { bytepix: Math.min(dtype.itemBytes & -dtype.itemBytes || 1, 4) } }),
  fits_quantize: () => ({ v3: { endian: "little", codecs: [] } }),
  compressed_segmentation: () => ({ v3: { block_size: [2, 2, 1] } }),
  imagecodecs_delta: ({ numpy }) => ({ old: { shape, dtype: numpy } }),
  imagecodecs_floatpred: ({ numpy }) => ({ old: { shape, dtype: numpy } }),
  imagecodecs_byteshuffle: ({ numpy }) => ({ old: { shape, dtype: numpy } }),
  imagecodecs_lz4: () => ({ old: { header: true }, v3: { header: true } }),
  "vlen-array": () => ({ old: { dtype: "<i2" }, v3: { dtype: "<i2" } }),
  categorize: ({ label, numpy }) => ({
    old: {
      labels: label === "unicode strings" ? ["ae", "bf", "cg", "dh", "ei", "fj"] : ["a", "bc", "€"],
      dtype: numpy,
      astype: "|u1",
    },
  }),
};

/** Parameters of HDF5's scale-offset: integers as differences, or floats with two decimal digits. */
function scaleOffset({ dtype }: TriedType): number[] {
  const isFloat = /^float(32|64)$/.test(dtype.core);
  const type = isFloat ? [0, 2, 6, 1] : [2, 0, 6, 0];
  return [...type, dtype.itemBytes, 1, ...new Array<number>(14).fill(0)];
}

/** Whether chunks can be encoded with the codec; a few can only be decoded. */
export function isWritten(name: string, version: ZarrVersion): boolean {
  const found = findCodec(name, version)!;
  return found.type !== "core" || codecRow(found.definition.core).encode !== "none";
}

/** The codec of this name with a configuration that fits the type. */
export function codecOf(name: string, type: TriedType, version: ZarrVersion): Codec {
  const id = name.replace(/^numcodecs\./, "");
  const { old, v3 } = configurations[id]?.(type, version) ?? {};
  return { name, configuration: { ...(version < 3 || id !== name ? old : v3) } };
}

/** The array-to-bytes codec of a type, for tested codecs of other kinds. */
function toBytesCodec({ dtype }: TriedType, version: ZarrVersion): Codec {
  if (dtype.name === "string") return { name: "vlen-utf8" };
  if (dtype.name === "bytes") return { name: "vlen-bytes" };
  if (dtype.name === "object") return { name: version === 3 ? "numcodecs.json2" : "json2" };
  return { name: "bytes", configuration: { endian: "little" } };
}

/** The metadata documents of an array that uses a codec; undefined if the version has no name for the type. */
export function documentsOf(
  name: string,
  type: TriedType,
  version: ZarrVersion,
): Record<string, object> | undefined {
  if ((version === 3 ? type.v3 : type.numpy) === undefined) return undefined;
  const found = findCodec(name, version)!;
  const codec = codecOf(name, type, version);
  if (version === 3) return { "zarr.json": v3Document(found, codec, type) };
  const { dtype } = type;
  const base = { zarr_format: version, shape, chunks: shape, fill_value: null };
  // The byte order comes from the dtype, transposes come from the order.
  const isOrder = name === "transpose";
  const order = isOrder ? "F" : "C";
  const numpy = name === "bytes" ? bigEndian(type.numpy) : type.numpy;
  const { id: _, ...options } = { id: name, ...codec.configuration };
  const isCodec = name !== "bytes" && !isOrder;
  if (version === 1) {
    const compression = isCodec ? name : "none";
    return {
      meta: { ...base, dtype: numpy, order, compression, compression_opts: isCodec ? options : null },
      attrs: {},
    };
  }
  const isCompressor = found.definition.kind === "bytes-to-bytes";
  const own = isCodec && !isCompressor ? [{ id: name, ...options }] : [];
  const hasObjects = found.type === "vlen" || !dtype.isVariable;
  const filters = [...own, ...(hasObjects ? [] : [{ id: toBytesCodec(type, version).name }])];
  const compressor = isCompressor ? { id: name, ...options } : null;
  return { ".zarray": { ...base, dtype: numpy, order, filters, compressor } };
}

const bigEndian = (numpy: unknown): unknown => {
  if (typeof numpy === "string") return numpy.replace("<", ">");
  return (numpy as [string, string][]).map(([name, text]) => [name, text.replace("<", ">")]);
};

function v3Document(found: FoundCodec, codec: Codec, type: TriedType): object {
  const toBytes = toBytesCodec(type, 3);
  const { kind } = found.definition;
  const chain =
    found.type === "shards"
      ? [shards(toBytes)]
      : kind === "array-to-bytes"
        ? [codec]
        : kind === "array-to-array"
          ? [codec, toBytes]
          : [toBytes, codec];
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: type.v3,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: v3Fill(type),
    codecs: chain,
    storage_transformers: [],
  };
}

const shards = (inner: Codec): Codec => ({
  name: "sharding_indexed",
  configuration: {
    chunk_shape: shape,
    codecs: [inner],
    index_codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  },
});

function v3Fill({ dtype, label }: TriedType): unknown {
  if (label === "string" || label.endsWith(" strings")) return "";
  if (label === "bytes") return [];
  if (label === "raw bytes") return [0, 0, 0];
  if (label === "structs") return { a: 0, b: 0 };
  if (dtype.core.startsWith("complex")) return [v3Zero(dtype.core), v3Zero(dtype.core)];
  return label === "bool" ? false : v3Zero(dtype.core);
}

/** Formats without zero use their smallest number. */
const v3Zero = (core: string) => (core.includes("e8m0") ? 1 : 0);

/** Encodes a chunk as the array's own chain does. */
export async function encode({ spec, dtype }: ZarrArray, elements: unknown): Promise<Uint8Array> {
  const { firstLayout, layouts } = spec;
  const codec = wholeCodec(firstLayout, layouts.array, defaultLimits);
  const isPacked = firstLayout.leaf.type === "vlen" && !dtype.isVariable;
  const content = isPacked ? stringsOf(elements as Uint8Array) : elements;
  const session = await getSession(codec.encodeModule === "images" ? "images" : "full");
  codec.prepare(session);
  return codec.encode(session, content as Uint8Array).slice();
}

/** Strings of two code points, of the tested type. */
function stringsOf(bytes: Uint8Array): string[] {
  const codes = new Uint32Array(bytes.slice().buffer);
  return Array.from({ length: 6 }, (_, i) => String.fromCodePoint(codes[2 * i]!, codes[2 * i + 1]!));
}

export const chunkKeys: Record<ZarrVersion, string> = { 1: "0.0", 2: "0.0", 3: "c/0/0" };

/** The elements of vlen-array are arrays, those of other object codecs are JSON values. */
export function valuesFor(name: string, type: TriedType): unknown[] {
  if (!name.endsWith("vlen-array")) return valuesOf(type);
  return [0, 1, 2, 3, 4, 5].map((length) => new Int16Array(length).fill(length));
}
