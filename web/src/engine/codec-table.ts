/**
 * The core's codecs: the only list of them in TypeScript, in the order of src/codecs/codec_list.inc. The
 * index of a row is the codec's id in plans; messages and documents list codecs in the same order.
 *
 * The columns are `core`, `part`, `decode`, `encode` and `speed`. `part` is "usual" if the codec's metadata is parsed in
 * the main bundle (codecs/codec-list.ts), or "rare" if in a part that is loaded when metadata names such a codec
 * (codecs/registry.ts). `decode` and `encode` name the module that can do it. `speed` is "fast" if
 * both take about as long as copying the bytes between threads; blosc depends on its compressor. The compiler checks the definitions
 * against the list, tests/node/codecs/list-mirrors.test.ts checks both modules.
 */
import type { ModuleName } from "./compile.js";

const table = [
  ["bytes", "usual", "decode", "decode", "fast"],
  ["transpose", "usual", "decode", "decode", "fast"],
  ["zlib", "usual", "decode", "full", "slow"],
  ["gzip", "usual", "decode", "full", "slow"],
  ["zstd", "usual", "decode", "full", "slow"],
  ["lz4", "usual", "decode", "full", "fast"],
  ["blosc", "usual", "decode", "full", "fast"],
  ["bz2", "rare", "full", "full", "slow"],
  ["lzma", "rare", "full", "full", "slow"],
  ["delta", "rare", "decode", "full", "fast"],
  ["astype", "rare", "decode", "full", "fast"],
  ["fixedscaleoffset", "rare", "decode", "full", "fast"],
  ["quantize", "rare", "decode", "full", "fast"],
  ["bitround", "rare", "decode", "full", "fast"],
  ["numcodecs_packbits", "rare", "decode", "full", "fast"],
  ["packbits", "rare", "decode", "full", "fast"],
  ["reshape", "rare", "decode", "full", "fast"],
  ["crc32c", "usual", "decode", "decode", "fast"],
  ["crc32", "rare", "decode", "decode", "fast"],
  ["adler32", "rare", "decode", "decode", "fast"],
  ["fletcher32", "rare", "decode", "decode", "fast"],
  ["jenkins_lookup3", "rare", "full", "full", "fast"],
  ["shuffle", "usual", "decode", "full", "fast"],
  ["scale_offset", "rare", "full", "full", "fast"],
  ["cast_value", "rare", "full", "full", "fast"],
  ["base64", "rare", "full", "full", "fast"],
  ["snappy", "rare", "full", "full", "fast"],
  ["conditional", "rare", "full", "full", "fast"],
  ["zfp", "rare", "full", "full", "slow"],
  ["pcodec", "rare", "full", "none", "slow"],
  ["lzw", "rare", "full", "full", "slow"],
  ["tiff_packbits", "rare", "full", "full", "fast"],
  ["horizontal_delta", "rare", "full", "full", "fast"],
  ["floatpred", "rare", "full", "full", "fast"],
  ["chunky", "rare", "full", "full", "fast"],
  ["imagecodecs_jpeg", "rare", "images", "none", "slow"],
  ["imagecodecs_lerc", "rare", "images", "none", "slow"],
  ["imagecodecs_webp", "rare", "images", "none", "slow"],
  ["imagecodecs_jpeg2k", "rare", "images", "none", "slow"],
  ["imagecodecs_png", "rare", "images", "none", "slow"],
] as const satisfies readonly (readonly [
  core: string,
  part: "usual" | "rare",
  decode: ModuleName,
  encode: ModuleName | "none",
  speed: "fast" | "slow",
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
  readonly isSlow: boolean;
  readonly id: number;
}

export const coreCodecs: readonly CodecRow[] = table.map(([core, , decode, encode, speed], id) => ({
  core,
  decode,
  encode,
  isSlow: speed === "slow",
  id,
}));

const rows = new Map(coreCodecs.map((row) => [row.core, row]));

/** Returns the row of a core codec, with its id. */
export function codecRow(core: CoreCodec): CodecRow {
  return rows.get(core)!;
}
