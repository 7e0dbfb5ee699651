/**
 * The core's codecs: the only list of them in TypeScript, in the order of src/codecs/codec_list.inc. The
 * index of a row is the codec's id in plans; messages and documents list codecs in the same order.
 *
 * `part` is "usual" if the codec's metadata is parsed in the main bundle (codecs/codec-list.ts), or "rare"
 * if in a part that is loaded when metadata names such a codec (codecs/registry.ts). `decode` and `encode`
 * name the module that can do it. The compiler checks the definitions against the list,
 * tests/node/codecs/list-mirrors.test.ts checks both modules.
 */
import type { ModuleName } from "./module.js";

export const coreCodecs = [
  { core: "bytes", part: "usual", decode: "decode", encode: "decode" },
  { core: "transpose", part: "usual", decode: "decode", encode: "decode" },
  { core: "zlib", part: "usual", decode: "decode", encode: "full" },
  { core: "gzip", part: "usual", decode: "decode", encode: "full" },
  { core: "zstd", part: "usual", decode: "decode", encode: "full" },
  { core: "lz4", part: "usual", decode: "decode", encode: "full" },
  { core: "blosc", part: "usual", decode: "decode", encode: "full" },
  { core: "bz2", part: "rare", decode: "full", encode: "full" },
  { core: "lzma", part: "rare", decode: "full", encode: "full" },
  { core: "delta", part: "rare", decode: "decode", encode: "full" },
  { core: "astype", part: "rare", decode: "decode", encode: "full" },
  { core: "fixedscaleoffset", part: "rare", decode: "decode", encode: "full" },
  { core: "quantize", part: "rare", decode: "decode", encode: "full" },
  { core: "bitround", part: "rare", decode: "decode", encode: "full" },
  { core: "numcodecs_packbits", part: "rare", decode: "decode", encode: "full" },
  { core: "packbits", part: "rare", decode: "decode", encode: "full" },
  { core: "reshape", part: "rare", decode: "decode", encode: "full" },
  { core: "crc32c", part: "usual", decode: "decode", encode: "decode" },
  { core: "crc32", part: "rare", decode: "decode", encode: "decode" },
  { core: "adler32", part: "rare", decode: "decode", encode: "decode" },
  { core: "fletcher32", part: "rare", decode: "decode", encode: "decode" },
  { core: "jenkins_lookup3", part: "rare", decode: "full", encode: "full" },
  { core: "shuffle", part: "usual", decode: "decode", encode: "full" },
  { core: "scale_offset", part: "rare", decode: "full", encode: "full" },
  { core: "cast_value", part: "rare", decode: "full", encode: "full" },
  { core: "base64", part: "rare", decode: "full", encode: "full" },
  { core: "snappy", part: "rare", decode: "full", encode: "full" },
  { core: "conditional", part: "rare", decode: "full", encode: "full" },
  { core: "zfp", part: "rare", decode: "full", encode: "full" },
  { core: "pcodec", part: "rare", decode: "full", encode: "none" },
  { core: "lzw", part: "rare", decode: "full", encode: "full" },
  { core: "tiff_packbits", part: "rare", decode: "full", encode: "full" },
  { core: "horizontal_delta", part: "rare", decode: "full", encode: "full" },
  { core: "floatpred", part: "rare", decode: "full", encode: "full" },
  { core: "chunky", part: "rare", decode: "full", encode: "full" },
  { core: "imagecodecs_jpeg", part: "rare", decode: "images", encode: "none" },
  { core: "imagecodecs_lerc", part: "rare", decode: "images", encode: "none" },
  { core: "imagecodecs_webp", part: "rare", decode: "images", encode: "none" },
  { core: "imagecodecs_jpeg2k", part: "rare", decode: "images", encode: "none" },
  { core: "imagecodecs_png", part: "rare", decode: "images", encode: "none" },
] as const satisfies readonly CodecRow[];

interface CodecRow {
  readonly core: string;
  readonly part: "usual" | "rare";
  readonly decode: ModuleName;
  /** "none": existing data is read, but nothing is written. */
  readonly encode: ModuleName | "none";
}

type Rows = (typeof coreCodecs)[number];
export type CoreCodec = Rows["core"];
/** The codecs of a part. */
export type CodecIn<Part extends CodecRow["part"]> = Extract<Rows, { part: Part }>["core"];

const rows = new Map(coreCodecs.map((row, id) => [row.core, { ...row, id }]));

/** Returns the row of a core codec, with its id. */
export function codecRow(core: CoreCodec) {
  return rows.get(core)!;
}
