/** Common codecs of bytes: zlib, gzip, zstd, lz4, blosc, shuffle, crc32c. */

import type { CoreCodec } from "../engine/codec-table.js";
import type { CodecContext, CodecDefinition, ConfigReader, ZarrVersion } from "./definition.js";

const level = 6;

export const zlib: CodecDefinition = {
  core: "zlib",
  kind: "bytes-to-bytes",
  // zarr-python 1.x treated "gzip" as an alias of zlib, and wrote zlib streams.
  names: { 1: ["zlib", "gzip"], 2: ["zlib"], 3: ["zlib", "numcodecs.zlib"] },
  parse: (config) => ({ params: [config.integer("level", config.version === 1 ? 0 : -1, 9, level)] }),
};

export const gzip: CodecDefinition = {
  core: "gzip",
  kind: "bytes-to-bytes",
  names: { 2: ["gzip"], 3: ["gzip", "numcodecs.gzip"] },
  parse(config) {
    if (config.isStrict) config.only("level");
    const given = config.integer("level", config.isStrict ? 0 : -1, 9, level);
    return { params: [given === -1 ? level : given] }; // −1 is zlib's default
  },
};

export const zstd: CodecDefinition = {
  core: "zstd",
  kind: "bytes-to-bytes",
  names: { 2: ["zstd"], 3: ["zstd", "numcodecs.zstd"] },
  parse(config) {
    if (config.isStrict) config.only("level", "checksum");
    return { params: [config.nearest("level", -131072, 22, 0), Number(config.boolean("checksum", false))] };
  },
};

export const lz4: CodecDefinition = {
  core: "lz4",
  kind: "bytes-to-bytes",
  names: { 2: ["lz4"], 3: ["lz4", "numcodecs.lz4"] },
  parse: (config) => ({ params: [config.nearest("acceleration", 1, 65537, 1)] }),
};

/** Compressors inside a frame, numbered like the core's blosc slots. */
export const compressors = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
export const shuffles = ["noshuffle", "shuffle", "bitshuffle"];
/** Values that GDAL writes into Zarr v2. */
const gdalShuffles = ["NONE", "BYTE", "BIT"];
const autoShuffle = -1;

const legacyZstdFlag = 1;
const trailingBytesFlag = 2;
/** Zarr v1 data of 2016 contains zstd frames older than the final format; z5py appended bytes to v2 chunks. */
const versionFlags: Readonly<Record<ZarrVersion, number>> = { 1: legacyZstdFlag, 2: trailingBytesFlag, 3: 0 };

/**
 * Parses the shuffle: a name in v3, a number in numcodecs, where -1 means "bits for single bytes, otherwise
 * bytes".
 */
function readShuffle(config: ConfigReader, itemBytes: number): number {
  const value = config.get("shuffle");
  if (config.isStrict) return config.choice("shuffle", shuffles, "shuffle");
  if (config.version === 2 && gdalShuffles.includes(value as string))
    return config.choice("shuffle", gdalShuffles);
  if (typeof value === "string") return config.choice("shuffle", shuffles);
  const shuffle = config.integer("shuffle", autoShuffle, 2, 1);
  return shuffle === autoShuffle ? (itemBytes === 1 ? 2 : 1) : shuffle;
}

function parse(config: ConfigReader, { version, array }: CodecContext) {
  if (config.isStrict) config.only("cname", "clevel", "shuffle", "typesize", "blocksize");
  const itemBytes = array.dtype.itemBytes || 1; // bytes, if elements have no fixed size
  const compressor = config.choice("cname", compressors, "lz4");
  const level = config.integer("clevel", 0, 9, 5);
  const shuffle = readShuffle(config, itemBytes);
  const typesize = config.integer("typesize", 1, 2 ** 31 - 1, itemBytes);
  const blocksize = config.nearest("blocksize", 0, 2 ** 31 - 1, 0);
  // A frame stores the element size in one byte; c-blosc replaces larger ones by 1.
  return {
    params: [compressor, level, shuffle, typesize > 255 ? 1 : typesize, blocksize, versionFlags[version]],
  };
}

export const blosc: CodecDefinition = {
  core: "blosc",
  kind: "bytes-to-bytes",
  names: { 1: ["blosc"], 2: ["blosc"], 3: ["blosc", "numcodecs.blosc"] },
  parse,
};

export const shuffle: CodecDefinition = {
  core: "shuffle",
  kind: "bytes-to-bytes",
  names: { 2: ["shuffle"], 3: ["numcodecs.shuffle"] },
  encodedBytes: (bytes) => bytes,
  checkedByCore: '"elementsize" must divide the number of bytes that it is given',
  parse(config) {
    config.only("elementsize");
    return { params: [config.nearest("elementsize", 1, 2 ** 31 - 1, 4)] };
  },
};

/** Locations of a checksum; indices are the core's numbers. */
const places = ["start", "end"];

/** Returns the size of data with its checksum. */
export const withChecksum = (bytes: number) => bytes + 4;

/** Defines a checksum of four bytes before or after the data. */
export function checksum(
  core: CoreCodec,
  names: { readonly [V in ZarrVersion]?: readonly string[] },
  fallback: "start" | "end",
): CodecDefinition {
  return {
    core,
    kind: "bytes-to-bytes",
    names,
    encodedBytes: withChecksum,
    parse(config) {
      config.only("location");
      return { params: [config.choice("location", places, fallback)] };
    },
  };
}

/** The v3 specification has no location, but other implementations write one. */
export const crc32c = checksum("crc32c", { 2: ["crc32c"], 3: ["crc32c", "numcodecs.crc32c"] }, "end");
