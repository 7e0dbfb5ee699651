/**
 * Image formats of the Python package imagecodecs, in arrays that it wrote and in virtual datasets over TIFF
 * files. As in imagecodecs, encoder-only options are ignored; options that affect decoding are checked.
 *
 * In Zarr v3 they follow `bytes` (virtual-tiff) or replace it (imagecodecs itself); chain.ts inserts it in
 * that case.
 */

import { packWords } from "../engine/plan.js";
import { decodeBase64 } from "../util/bytes.js";
import { unsupported } from "../util/errors.js";
import { compressors as bloscCompressors, shuffles } from "./compressors.js";
import { type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";

/** Returns the names of a codec in Zarr v2 and v3, from its ids in imagecodecs. */
function imageNames(ids: readonly string[], registered: readonly string[] = []): CodecDefinition["names"] {
  const own = ids.map((id) => `imagecodecs_${id}`);
  return { 2: own, 3: [...own, ...own.map((id) => `numcodecs.${id}`), ...registered] };
}

/** libjpeg's numbers of color spaces; 0 means the one that the stream states. */
const colorSpaces: Readonly<Record<string, number>> = {
  UNKNOWN: 0,
  GRAY: 1,
  GRAYSCALE: 1,
  MINISWHITE: 1,
  MINISBLACK: 1,
  RGB: 2,
  YCBCR: 3,
  CMYK: 4,
  SEPARATED: 4,
  YCCK: 5,
  RGBA: 12,
};
const lastColorSpace = 15;

function readColorSpace(config: ConfigReader, name: string): number {
  const value = config.given(name) ?? null;
  if (value === null) return 0;
  const number = typeof value === "string" ? colorSpaces[value.toUpperCase()] : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= lastColorSpace)
    return number;
  throw config.error(`"${name}" must be a color space such as "RGB", not ${formatValue(value)}`);
}

/** Maximum size of tables and header together, in bytes; the core's limit. */
const maxTableBytes = 2 ** 16;

/** Parses an option of bytes, given as base64. */
function readBytes(config: ConfigReader, name: string): Uint8Array {
  const value = config.given(name) ?? null;
  if (value === null) return new Uint8Array(0);
  const bytes =
    typeof value === "string" && value.length <= 2 * maxTableBytes ? decodeBase64(value) : undefined;
  if (!bytes || bytes.length > maxTableBytes)
    throw config.error(`"${name}" must be at most ${maxTableBytes} bytes in base64`);
  return bytes;
}

export const imageJpeg: CodecDefinition = {
  core: "imagecodecs_jpeg",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: imageNames(["jpeg", "jpeg8"], ["jpeg"]), // "jpeg" is the name in zarr-extensions
  parse(config) {
    const tables = readBytes(config, "tables");
    const header = readBytes(config, "header");
    if (tables.length + header.length > maxTableBytes)
      throw config.error(`"tables" and "header" have more than ${maxTableBytes} bytes`);
    const spaces = [readColorSpace(config, "colorspace_jpeg"), readColorSpace(config, "colorspace_data")];
    const bytes = packWords(Uint8Array.of(...tables, ...header));
    return { params: [...spaces, tables.length, header.length, ...bytes] };
  },
};

export const imageLerc: CodecDefinition = {
  core: "imagecodecs_lerc",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: imageNames(["lerc"]),
  parse: () => ({ params: [] }),
};

export const imageWebp: CodecDefinition = {
  core: "imagecodecs_webp",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: imageNames(["webp"]),
  parse(config) {
    const index = config.given("index") ?? null;
    if (index !== null && index !== 0 && index !== -1)
      throw config.error(`"index" must be 0, for images of one frame, not ${formatValue(index)}`);
    const alpha = config.given("hasalpha") ?? null;
    if (alpha !== null && typeof alpha !== "boolean")
      throw config.error(`"hasalpha" must be true or false, not ${formatValue(alpha)}`);
    return { params: [alpha === null ? 0 : alpha ? 1 : 2] };
  },
};

export const imageJpeg2k: CodecDefinition = {
  core: "imagecodecs_jpeg2k",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: imageNames(["jpeg2k"]),
  parse: (config) => ({ params: [config.boolean("planar", false) ? 1 : 0] }),
};

export const imagePng: CodecDefinition = {
  core: "imagecodecs_png",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: imageNames(["png", "spng"]),
  parse: () => ({ params: [] }),
};

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
    if (config.boolean("raw", false)) refuse(config, "a raw stream without a zlib header");
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
    if (!config.boolean("header", false)) refuse(config, "a block without a size prefix");
    return { params: [readLevel(config, 1, 65537, 1)] };
  },
};

/** Parses a case-insensitive name or number of an imagecodecs enumeration as its index in a list of names. */
function readEnum(config: ConfigReader, name: string, choices: readonly string[], fallback: string): number {
  const value = config.given(name, fallback);
  const index = typeof value === "string" ? choices.indexOf(value.toLowerCase()) : Number(value);
  if (!(index >= 0 && index < choices.length)) {
    throw config.error(`"${name}" must be one of ${choices.join(", ")}, not ${formatValue(value)}`);
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
