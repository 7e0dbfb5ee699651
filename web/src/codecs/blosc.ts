/** blosc: the Blosc-1 frame. Spec: Zarr v3 "blosc" codec; Zarr v1 and v2 by example. */
import type { ConfigReader } from "./config.js";
import type { CodecContext, CodecDefinition, ZarrVersion } from "./definition.js";

/** Compressors inside a frame, numbered like the core's blosc slots. */
export const compressors = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
export const shuffles = ["noshuffle", "shuffle", "bitshuffle"];
/** Values that GDAL writes into Zarr v2. */
const gdalShuffles = ["NONE", "BYTE", "BIT"];
const autoShuffle = -1;

const legacyZstdFlag = 1;
const trailingBytesFlag = 2;
/** Zarr v1 data of 2016 contains zstd frames older than the final format; z5py appended bytes to v2 chunks. */
const flagsOf: Readonly<Record<ZarrVersion, number>> = { 1: legacyZstdFlag, 2: trailingBytesFlag, 3: 0 };

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
  const blocksize = config.integer("blocksize", 0, 2 ** 31 - 1, 0);
  // A frame stores the element size in one byte; c-blosc replaces larger ones by 1.
  return { params: [compressor, level, shuffle, typesize > 255 ? 1 : typesize, blocksize, flagsOf[version]] };
}

export const blosc: CodecDefinition = {
  core: "blosc",
  kind: "bytes-to-bytes",
  names: { 1: ["blosc"], 2: ["blosc"], 3: ["blosc", "numcodecs.blosc"] },
  parse,
};
