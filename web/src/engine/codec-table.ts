/**
 * The core's codecs, in the order of src/codecs/codec_list.inc: a row's index is its id in plans.
 * `decode` and `encode` say which module can do it. tests/node compares the list with both modules.
 */
import type { ModuleName } from "./module.js";

export const coreCodecs = [
  { core: "bytes", decode: "decode", encode: "decode" },
  { core: "transpose", decode: "decode", encode: "decode" },
  { core: "zlib", decode: "decode", encode: "full" },
  { core: "gzip", decode: "decode", encode: "full" },
  { core: "zstd", decode: "decode", encode: "full" },
  { core: "lz4", decode: "decode", encode: "full" },
  { core: "blosc", decode: "decode", encode: "full" },
  { core: "bz2", decode: "full", encode: "full" },
  { core: "lzma", decode: "full", encode: "full" },
  { core: "delta", decode: "decode", encode: "full" },
  { core: "astype", decode: "decode", encode: "full" },
  { core: "fixedscaleoffset", decode: "decode", encode: "full" },
  { core: "quantize", decode: "decode", encode: "full" },
  { core: "bitround", decode: "decode", encode: "full" },
  { core: "numcodecs_packbits", decode: "decode", encode: "full" },
  { core: "packbits", decode: "decode", encode: "full" },
  { core: "reshape", decode: "decode", encode: "full" },
  { core: "crc32c", decode: "decode", encode: "decode" },
  { core: "crc32", decode: "decode", encode: "decode" },
  { core: "adler32", decode: "decode", encode: "decode" },
  { core: "fletcher32", decode: "decode", encode: "decode" },
  { core: "jenkins_lookup3", decode: "full", encode: "full" },
  { core: "shuffle", decode: "decode", encode: "full" },
  { core: "scale_offset", decode: "full", encode: "full" },
  { core: "cast_value", decode: "full", encode: "full" },
  { core: "base64", decode: "full", encode: "full" },
  { core: "snappy", decode: "full", encode: "full" },
  { core: "conditional", decode: "full", encode: "full" },
  { core: "zfp", decode: "full", encode: "full" },
] as const satisfies readonly { core: string; decode: ModuleName; encode: ModuleName }[];

export type CoreCodec = (typeof coreCodecs)[number]["core"];

const rows = new Map(coreCodecs.map((row, id) => [row.core, { ...row, id }]));

/** The row of a core codec, with its id. */
export function codecRow(core: CoreCodec) {
  return rows.get(core)!;
}
