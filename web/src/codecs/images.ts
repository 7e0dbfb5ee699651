/**
 * Image formats of the Python package imagecodecs, in arrays that it wrote and in virtual datasets over TIFF
 * files. As in imagecodecs, encoder-only options are ignored; options that affect decoding are checked.
 *
 * In Zarr v3 they follow `bytes` (virtual-tiff) or replace it (imagecodecs itself); chain.ts inserts it in
 * that case.
 */
import { decodeBase64 } from "../dtypes/base64.js";
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";

/** Returns the names of a codec in Zarr v2 and v3, from its ids in imagecodecs. */
function namesOf(ids: readonly string[], registered: readonly string[] = []): CodecDefinition["names"] {
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
  throw config.error(`"${name}" must be a color space, as "RGB", not ${show(value)}`);
}

/** Maximum size of tables and header together, in bytes; the core's limit. */
const mostTables = 2 ** 16;

/** Parses an option of bytes, given as base64. */
function readBytes(config: ConfigReader, name: string): Uint8Array {
  const value = config.given(name) ?? null;
  if (value === null) return new Uint8Array(0);
  const bytes = typeof value === "string" && value.length <= 2 * mostTables ? decodeBase64(value) : undefined;
  if (!bytes || bytes.length > mostTables)
    throw config.error(`"${name}" must be bytes as base 64, at most ${mostTables} of them`);
  return bytes;
}

/** Returns bytes as words of a plan. */
function wordsOf(bytes: Uint8Array): number[] {
  const padded = new Uint8Array(4 * Math.ceil(bytes.length / 4));
  padded.set(bytes);
  return [...new Uint32Array(padded.buffer)];
}

export const imageJpeg: CodecDefinition = {
  core: "imagecodecs_jpeg",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: namesOf(["jpeg", "jpeg8"], ["jpeg"]), // "jpeg" is the name in zarr-extensions
  parse(config) {
    const tables = readBytes(config, "tables");
    const header = readBytes(config, "header");
    if (tables.length + header.length > mostTables)
      throw config.error(`"tables" and "header" have more than ${mostTables} bytes`);
    const spaces = [readColorSpace(config, "colorspace_jpeg"), readColorSpace(config, "colorspace_data")];
    const bytes = wordsOf(Uint8Array.of(...tables, ...header));
    return { params: [...spaces, tables.length, header.length, ...bytes] };
  },
};

export const imageLerc: CodecDefinition = {
  core: "imagecodecs_lerc",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: namesOf(["lerc"]),
  parse: () => ({ params: [] }),
};

export const imageWebp: CodecDefinition = {
  core: "imagecodecs_webp",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: namesOf(["webp"]),
  parse(config) {
    const index = config.given("index") ?? null;
    if (index !== null && index !== 0 && index !== -1)
      throw config.error(`"index" must be 0, for images of one frame, not ${show(index)}`);
    const alpha = config.given("hasalpha") ?? null;
    if (alpha !== null && typeof alpha !== "boolean")
      throw config.error(`"hasalpha" must be true or false, not ${show(alpha)}`);
    return { params: [alpha === null ? 0 : alpha ? 1 : 2] };
  },
};

export const imageJpeg2k: CodecDefinition = {
  core: "imagecodecs_jpeg2k",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: namesOf(["jpeg2k"]),
  parse: (config) => ({ params: [config.boolean("planar", false) ? 1 : 0] }),
};

export const imagePng: CodecDefinition = {
  core: "imagecodecs_png",
  kind: "bytes-to-bytes",
  impliesBytes: true,
  names: namesOf(["png", "spng"]),
  parse: () => ({ params: [] }),
};
