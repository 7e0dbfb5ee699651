/**
 * The core's codecs: the only list of them in TypeScript, in the order of src/codecs/codec_list.inc. The
 * index of a row is the codec's id in plans; messages and documents list codecs in the same order.
 *
 * The columns are `core`, `part`, `decode` and `encode`. `part` is "usual" if the codec's metadata is parsed in
 * the main bundle (codecs/codec-list.ts), or "rare" if in a part that is loaded when metadata names such a codec
 * (codecs/registry.ts). `decode` and `encode` name the module that can do it. The compiler checks the definitions
 * against the list, tests/node/codecs/list-mirrors.test.ts checks both modules.
 */
import type { ModuleName } from "./compile.js";

const table = [
  ["bytes", "usual", "decode", "decode"],
  ["transpose", "usual", "decode", "decode"],
  ["zlib", "usual", "decode", "full"],
  ["gzip", "usual", "decode", "full"],
  ["zstd", "usual", "decode", "full"],
  ["lz4", "usual", "decode", "full"],
  ["blosc", "usual", "decode", "full"],
  ["bz2", "rare", "full", "full"],
  ["lzma", "rare", "full", "full"],
  ["delta", "rare", "decode", "full"],
  ["astype", "rare", "decode", "full"],
  ["fixedscaleoffset", "rare", "decode", "full"],
  ["quantize", "rare", "decode", "full"],
  ["bitround", "rare", "decode", "full"],
  ["numcodecs_packbits", "rare", "decode", "full"],
  ["packbits", "rare", "decode", "full"],
  ["reshape", "rare", "decode", "full"],
  ["crc32c", "usual", "decode", "decode"],
  ["crc32", "rare", "decode", "decode"],
  ["adler32", "rare", "decode", "decode"],
  ["fletcher32", "rare", "decode", "decode"],
  ["jenkins_lookup3", "rare", "full", "full"],
  ["shuffle", "usual", "decode", "full"],
  ["scale_offset", "rare", "full", "full"],
  ["cast_value", "rare", "full", "full"],
  ["base64", "rare", "full", "full"],
  ["snappy", "rare", "full", "full"],
  ["conditional", "rare", "full", "full"],
  ["zfp", "rare", "full", "full"],
  ["pcodec", "rare", "full", "none"],
  ["lzw", "rare", "full", "full"],
  ["tiff_packbits", "rare", "full", "full"],
  ["horizontal_delta", "rare", "full", "full"],
  ["floatpred", "rare", "full", "full"],
  ["chunky", "rare", "full", "full"],
  ["imagecodecs_jpeg", "rare", "images", "none"],
  ["imagecodecs_lerc", "rare", "images", "none"],
  ["imagecodecs_webp", "rare", "images", "none"],
  ["imagecodecs_jpeg2k", "rare", "images", "none"],
  ["imagecodecs_png", "rare", "images", "none"],
  ["hdf5_lzf", "rare", "full", "full"],
  ["hdf5_lz4", "rare", "full", "full"],
  ["hdf5_bitshuffle", "rare", "full", "full"],
  ["hdf5_scaleoffset", "rare", "full", "none"],
  ["hdf5_nbit", "rare", "full", "none"],
  ["hdf5_szip", "rare", "full", "none"],
  ["grib2", "rare", "images", "none"],
  ["fits_rice", "rare", "full", "none"],
  ["fits_quantize", "rare", "full", "none"],
  ["labels", "rare", "full", "none"],
] as const satisfies readonly (readonly [
  core: string,
  part: "usual" | "rare",
  decode: ModuleName,
  encode: ModuleName | "none",
])[];

type Rows = (typeof table)[number];
export type CoreCodec = Rows[0];
/** The codecs of a part. */
export type CodecIn<Part extends Rows[1]> = Extract<Rows, readonly [string, Part, ...unknown[]]>[0];

interface CodecRow {
  readonly core: CoreCodec;
  readonly decode: ModuleName;
  /** "none": existing data is read, but nothing is written. */
  readonly encode: ModuleName | "none";
  readonly id: number;
}

export const coreCodecs: readonly CodecRow[] = table.map(([core, , decode, encode], id) => ({
  core,
  decode,
  encode,
  id,
}));

/** Returns the row of a core codec, with its id. */
export function codecRow(core: CoreCodec): CodecRow {
  return coreCodecs.find((row) => row.core === core)!;
}
