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

/** Defines an image format. @param ids its ids in imagecodecs. @param registered further names in Zarr v3. */
function image(
  core: CodecDefinition["core"],
  ids: readonly string[],
  parse: CodecDefinition["parse"],
  registered: readonly string[] = [],
): CodecDefinition {
  const own = ids.map((id) => `imagecodecs_${id}`);
  const names = { 2: own, 3: [...own, ...own.map((id) => `numcodecs.${id}`), ...registered] };
  return { core, kind: "bytes-to-bytes", impliesBytes: true, names, parse };
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

export const imageJpeg = image("imagecodecs_jpeg", ["jpeg", "jpeg8"], parseJpeg, ["jpeg"]); // zarr-extensions: "jpeg"

function parseJpeg(config: ConfigReader) {
  const tables = readBytes(config, "tables");
  const header = readBytes(config, "header");
  if (tables.length + header.length > maxTableBytes)
    throw config.error(`"tables" and "header" have more than ${maxTableBytes} bytes`);
  const spaces = [readColorSpace(config, "colorspace_jpeg"), readColorSpace(config, "colorspace_data")];
  const bytes = packWords(Uint8Array.of(...tables, ...header));
  return { params: [...spaces, tables.length, header.length, ...bytes] };
}

const noOptions = () => ({ params: [] });

/** @param masked value of masked floats: libtiff's is NaN. */
export const imageLerc = image("imagecodecs_lerc", ["lerc"], (config) => ({
  params: [config.choice("masked", ["zero", "nan"], "zero")],
}));

export const imageWebp = image("imagecodecs_webp", ["webp"], (config) => {
  const index = config.given("index") ?? null;
  if (index !== null && index !== 0 && index !== -1)
    throw config.error(`"index" must be 0, for images of one frame, not ${formatValue(index)}`);
  const alpha = config.given("hasalpha") ?? null;
  if (alpha !== null && typeof alpha !== "boolean")
    throw config.error(`"hasalpha" must be true or false, not ${formatValue(alpha)}`);
  return { params: [alpha === null ? 0 : alpha ? 1 : 2] };
});

export const imageJpeg2k = image("imagecodecs_jpeg2k", ["jpeg2k"], (config) => ({
  params: [config.boolean("planar", false) ? 1 : 0],
}));

export const imagePng = image("imagecodecs_png", ["png", "spng"], noOptions);

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

/** Parses a case-insensitive name or number of an imagecodecs enumeration as its index in a list of names. */
function readEnum(config: ConfigReader, name: string, choices: readonly string[], fallback: string): number {
  const value = config.given(name, fallback);
  const index = typeof value === "string" ? choices.indexOf(value.toLowerCase()) : Number(value);
  if (!(index >= 0 && index < choices.length)) {
    throw config.error(`"${name}" must be one of ${choices.join(", ")}, not ${formatValue(value)}`);
  }
  return index;
}

/** Defines the name of a codec of this library in imagecodecs, with imagecodecs' options. */
const alias = (
  core: CodecDefinition["core"],
  names: CodecDefinition["names"],
  parse: CodecDefinition["parse"],
): CodecDefinition => ({ core, kind: "bytes-to-bytes", names, parse });

export const imagecodecsAliases: readonly CodecDefinition[] = [
  alias("zlib", named("imagecodecs_zlib", "imagecodecs_zlibng"), (config) => ({
    params: [readLevel(config, -1, 9, 6)],
  })),
  alias("zlib", named("imagecodecs_deflate"), (config) => {
    if (config.boolean("raw", false)) refuse(config, "a raw stream without a zlib header");
    return { params: [readLevel(config, -1, 9, 6)] };
  }),
  alias("zstd", named("imagecodecs_zstd"), (config) => ({
    params: [readLevel(config, -131072, 22, 0), 0],
  })),
  alias("lz4", named("imagecodecs_lz4"), (config) => {
    if (!config.boolean("header", false)) refuse(config, "a block without a size prefix");
    return { params: [readLevel(config, 1, 65537, 1)] };
  }),
  alias("blosc", named("imagecodecs_blosc"), (config, { array }) => {
    const itemBytes = array.dtype.itemBytes || 1;
    const compressor = readEnum(config, "compressor", bloscCompressors, "blosclz");
    const shuffle = readEnum(config, "shuffle", shuffles, "shuffle");
    const typesize = config.integer("typesize", 1, 2 ** 31 - 1, itemBytes);
    const blocksize = config.integer("blocksize", 0, 2 ** 31 - 1, 0);
    const level = readLevel(config, 0, 9, 9);
    return { params: [compressor, level, shuffle, typesize > 255 ? 1 : typesize, blocksize, 0] };
  }),
  alias("bz2", named("imagecodecs_bz2"), (config) => ({ params: [readLevel(config, 1, 9, 9)] })),
  // An xz stream with the default check; decoders read the check in use from the stream.
  alias("lzma", named("imagecodecs_lzma"), (config) => ({
    params: [1, 0xffffffff, readLevel(config, 0, 9, 6)],
  })),
  alias("snappy", named("imagecodecs_snappy"), noOptions),
];
