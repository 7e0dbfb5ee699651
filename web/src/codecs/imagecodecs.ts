/**
 * Codecs of TIFF files, used by virtual datasets: those of the imagecodecs package ("imagecodecs_…", written
 * to Zarr v2 by tifffile and kerchunk, to v3 by its own zarr module), and virtual-tiff's.
 */
import { unsupported } from "../util/errors.js";
import { compressors as bloscCompressors, shuffles } from "./blosc.js";
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";

/** Returns the same names for Zarr v2 and v3. */
const named = (...names: readonly string[]) => ({ 2: names, 3: names });

export const lzw: CodecDefinition = {
  core: "lzw",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_lzw"),
  parse(config) {
    config.only();
    return { params: [] };
  },
};

/** PackBits; with an `axis`, runs end where that axis and the following ones end, as TIFF requires for rows. */
export const tiffPackbits: CodecDefinition = {
  core: "tiff_packbits",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_packbits"),
  parse(config, { array: { dtype, shape } }) {
    config.only("axis");
    if (config.given("axis") === undefined || dtype.isVariable) return { params: [0] };
    const axis = config.integer("axis", -shape.length, shape.length - 1);
    const row = shape.slice(axis).reduce((a, b) => a * b, dtype.itemBytes);
    return { params: [row < 2 ** 32 ? row : 0] };
  },
};

/** Parses a level, clamped to the compressor's range as in imagecodecs; it only affects encoding. */
function readLevel(config: ConfigReader, min: number, max: number, fallback: number): number {
  const level = config.integer("level", -(2 ** 31), 2 ** 31 - 1, fallback);
  return Math.min(Math.max(level, min), max);
}

/** Rejects a variant of a format that is not supported. */
function refuse(config: ConfigReader, what: string): never {
  throw unsupported(`codec ${config.codec}: ${what} is not supported`, {
    code: "unsupported-codec",
    codec: config.codec,
  });
}

const zlib: CodecDefinition = {
  core: "zlib",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_zlib", "imagecodecs_zlibng"),
  parse: (config) => ({ params: [readLevel(config, -1, 9, 6)] }),
};

const deflate: CodecDefinition = {
  core: "zlib",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_deflate"),
  parse(config) {
    if (config.boolean("raw", false)) refuse(config, "a raw stream without zlib's header");
    return { params: [readLevel(config, -1, 9, 6)] };
  },
};

const zstd: CodecDefinition = {
  core: "zstd",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_zstd"),
  parse: (config) => ({ params: [readLevel(config, -131072, 22, 0), 0] }),
};

const lz4: CodecDefinition = {
  core: "lz4",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_lz4"),
  parse(config) {
    if (!config.boolean("header", false)) refuse(config, "a block without its size in front");
    return { params: [readLevel(config, 1, 65537, 1)] };
  },
};

/** Parses a case-insensitive name or number of an imagecodecs enumeration as its index in a list of names. */
function readEnum(config: ConfigReader, name: string, choices: readonly string[], fallback: string): number {
  const value = config.given(name, fallback);
  const index = typeof value === "string" ? choices.indexOf(value.toLowerCase()) : Number(value);
  if (!(index >= 0 && index < choices.length)) {
    throw config.error(`"${name}" must be one of ${choices.join(", ")}, not ${show(value)}`);
  }
  return index;
}

const blosc: CodecDefinition = {
  core: "blosc",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_blosc"),
  parse(config, { array }) {
    const itemBytes = array.dtype.itemBytes || 1;
    const compressor = readEnum(config, "compressor", bloscCompressors, "blosclz");
    const shuffle = readEnum(config, "shuffle", shuffles, "shuffle");
    const typesize = config.integer("typesize", 1, 2 ** 31 - 1, itemBytes);
    const blocksize = config.integer("blocksize", 0, 2 ** 31 - 1, 0);
    const level = readLevel(config, 0, 9, 9);
    return { params: [compressor, level, shuffle, typesize > 255 ? 1 : typesize, blocksize, 0] };
  },
};

const bz2: CodecDefinition = {
  core: "bz2",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_bz2"),
  parse: (config) => ({ params: [readLevel(config, 1, 9, 9)] }),
};

/** An xz stream with the default check; decoders read the check in use from the stream. */
const lzma: CodecDefinition = {
  core: "lzma",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_lzma"),
  parse: (config) => ({ params: [1, 0xffffffff, readLevel(config, 0, 9, 6)] }),
};

const snappy: CodecDefinition = {
  core: "snappy",
  kind: "bytes-to-bytes",
  names: named("imagecodecs_snappy"),
  parse: () => ({ params: [] }),
};

/** Codecs of this library under imagecodecs' names and with its options. */
export const imagecodecsAliases: readonly CodecDefinition[] = [
  zlib,
  deflate,
  zstd,
  lz4,
  blosc,
  bz2,
  lzma,
  snappy,
];
