/**
 * Every codec, by name and Zarr version. The one list of codecs on the TypeScript side; lookup.ts says when it is
 * loaded.
 */
import { astype } from "./astype.js";
import { base64 } from "./base64.js";
import { bitround } from "./bitround.js";
import { blosc } from "./blosc.js";
import { bytes } from "./bytes.js";
import { bz2 } from "./bz2.js";
import { castValue } from "./cast-value.js";
import { adler32, crc32, crc32c, fletcher32 } from "./checksums.js";
import { CodecList, coreCodec, type FoundCodec, objectCodec } from "./codec-list.js";
import { makeConditional } from "./conditional.js";
import type { CodecDefinition, CodecKind, ZarrVersion } from "./definition.js";
import { gzip, zlib } from "./deflate.js";
import { delta } from "./delta.js";
import { fixedscaleoffset } from "./fixedscaleoffset.js";
import { jenkinsLookup3 } from "./jenkins.js";
import { lz4 } from "./lz4.js";
import { lzma } from "./lzma.js";
import { n5Default } from "./n5.js";
import { numcodecsPackbits, packbits } from "./packbits.js";
import { quantize } from "./quantize.js";
import { reshape } from "./reshape.js";
import { scaleOffset } from "./scale-offset.js";
import { shardingIndexed } from "./sharding.js";
import { shuffle } from "./shuffle.js";
import { snappy } from "./snappy.js";
import { transpose } from "./transpose.js";
import { objectCodecs } from "./vlen/list.js";
import { zfp, zfpy } from "./zfp.js";
import { zstd } from "./zstd.js";

export type { FoundCodec } from "./codec-list.js";

export const codecDefinitions: readonly CodecDefinition[] = [
  bytes,
  transpose,
  zlib,
  gzip,
  zstd,
  lz4,
  blosc,
  bz2,
  lzma,
  crc32c,
  crc32,
  adler32,
  fletcher32,
  jenkinsLookup3,
  shuffle,
  delta,
  astype,
  fixedscaleoffset,
  quantize,
  bitround,
  numcodecsPackbits,
  packbits,
  reshape,
  scaleOffset,
  castValue,
  base64,
  snappy,
  makeConditional((name, version) => codecDefinitions.find((d) => d.names[version]?.includes(name))),
  zfp,
  zfpy,
];

/** Every codec, in the order in which messages and documents name them. */
export const everyCodec = new CodecList([
  ...codecDefinitions.map(coreCodec),
  ...objectCodecs.map(objectCodec),
  { type: "shards", definition: shardingIndexed },
  { type: "blocks", definition: n5Default },
]);

/** The codec that a Zarr version calls by this name. */
export function findCodec(name: string, version: ZarrVersion): FoundCodec | undefined {
  return everyCodec.find(name, version);
}

/** All names of a Zarr version, or those of one kind, in the registry's order. */
export function codecNames(version: ZarrVersion, kind?: CodecKind): string[] {
  return everyCodec.names(version, kind);
}
