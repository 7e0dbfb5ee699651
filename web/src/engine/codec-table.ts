/**
 * The core's codecs: the only list of them in TypeScript, in the order of src/codecs/codec_list.inc. The
 * index of a row is the codec's id in plans; messages and documents list codecs in the same order.
 *
 * The columns are `core`, `decode` and `encode`: the modules that can do it. The metadata of usual codecs is parsed in
 * the main bundle (codecs/codec-list.ts), that of rare ones in a part that is loaded when metadata names such a codec
 * (codecs/registry.ts). The compiler checks the definitions against the list, tests/node/codecs/list-mirrors.test.ts
 * checks both modules.
 */
import type { ModuleName } from "./compile.js";

const table = [
  ["bytes", "decode", "decode"],
  ["transpose", "decode", "decode"],
  ["zlib", "decode", "full"],
  ["gzip", "decode", "full"],
  ["zstd", "decode", "full"],
  ["lz4", "decode", "full"],
  ["blosc", "decode", "full"],
  ["bz2", "full", "full"],
  ["lzma", "full", "full"],
  ["delta", "decode", "full"],
  ["astype", "decode", "full"],
  ["fixedscaleoffset", "decode", "full"],
  ["quantize", "decode", "full"],
  ["bitround", "decode", "full"],
  ["numcodecs_packbits", "decode", "full"],
  ["packbits", "decode", "full"],
  ["reshape", "decode", "full"],
  ["crc32c", "decode", "decode"],
  ["crc32", "decode", "decode"],
  ["adler32", "decode", "decode"],
  ["fletcher32", "decode", "decode"],
  ["jenkins_lookup3", "full", "full"],
  ["shuffle", "decode", "full"],
  ["scale_offset", "full", "full"],
  ["cast_value", "full", "full"],
  ["base64", "full", "full"],
  ["snappy", "full", "full"],
  ["conditional", "full", "full"],
  ["zfp", "full", "full"],
  ["pcodec", "full", "none"],
  ["lzw", "full", "full"],
  ["tiff_packbits", "full", "full"],
  ["horizontal_delta", "full", "full"],
  ["floatpred", "full", "full"],
  ["chunky", "full", "full"],
  ["imagecodecs_jpeg", "images", "none"],
  ["imagecodecs_lerc", "images", "none"],
  ["imagecodecs_webp", "images", "none"],
  ["imagecodecs_jpeg2k", "images", "none"],
  ["imagecodecs_png", "images", "none"],
  ["hdf5_lzf", "full", "full"],
  ["hdf5_lz4", "full", "full"],
  ["hdf5_bitshuffle", "full", "full"],
  ["hdf5_scaleoffset", "full", "none"],
  ["hdf5_nbit", "full", "none"],
  ["hdf5_szip", "full", "none"],
  ["grib2", "images", "none"],
  ["fits_rice", "full", "none"],
  ["fits_quantize", "full", "none"],
  ["labels", "full", "none"],
] as const satisfies readonly (readonly [core: string, decode: ModuleName, encode: ModuleName | "none"])[];

type Rows = (typeof table)[number];
export type CoreCodec = Rows[0];
/** Codecs whose metadata is parsed in the main bundle. */
type UsualCodec = "bytes" | "transpose" | "zlib" | "gzip" | "zstd" | "lz4" | "blosc" | "crc32c" | "shuffle";
/** The codecs of a part. */
export type CodecIn<Part extends "usual" | "rare"> = Part extends "usual"
  ? UsualCodec
  : Exclude<CoreCodec, UsualCodec>;

interface CodecRow {
  readonly core: CoreCodec;
  readonly decode: ModuleName;
  /** "none": existing data is read, but nothing is written. */
  readonly encode: ModuleName | "none";
  readonly id: number;
}

export const coreCodecs: readonly CodecRow[] = table.map(([core, decode, encode], id) => ({
  core,
  decode,
  encode,
  id,
}));

/** Returns the row of a core codec, with its id. */
export function codecRow(core: CoreCodec): CodecRow {
  return coreCodecs.find((row) => row.core === core)!;
}
