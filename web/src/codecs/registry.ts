/** Every codec, by name and Zarr version. The one list of codecs on the TypeScript side. */
import { astype } from "./astype.js";
import { base64 } from "./base64.js";
import { bitround } from "./bitround.js";
import { blosc } from "./blosc.js";
import { bytes } from "./bytes.js";
import { bz2 } from "./bz2.js";
import { castValue } from "./cast-value.js";
import { adler32, crc32, crc32c, fletcher32, jenkinsLookup3 } from "./checksums.js";
import { makeConditional } from "./conditional.js";
import type { CodecDefinition, CodecKind, ZarrVersion } from "./definition.js";
import { gzip, zlib } from "./deflate.js";
import { delta } from "./delta.js";
import { fixedscaleoffset } from "./fixedscaleoffset.js";
import { lz4 } from "./lz4.js";
import { lzma } from "./lzma.js";
import { type BlockDefinition, n5Default } from "./n5.js";
import type { ObjectCodecDefinition } from "./object/definition.js";
import { objectCodecs } from "./object/list.js";
import { numcodecsPackbits, packbits } from "./packbits.js";
import { quantize } from "./quantize.js";
import { reshape } from "./reshape.js";
import { scaleOffset } from "./scale-offset.js";
import { type ShardingDefinition, shardingIndexed } from "./sharding.js";
import { shuffle } from "./shuffle.js";
import { snappy } from "./snappy.js";
import { transpose } from "./transpose.js";
import { zfp, zfpy } from "./zfp.js";
import { zstd } from "./zstd.js";

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

/** A codec that was found, told apart by who runs it. */
export type FoundCodec =
  | { readonly type: "core"; readonly definition: CodecDefinition }
  | { readonly type: "objects"; readonly definition: ObjectCodecDefinition }
  | { readonly type: "shards"; readonly definition: ShardingDefinition }
  | { readonly type: "blocks"; readonly definition: BlockDefinition };

const found: readonly FoundCodec[] = [
  ...codecDefinitions.map((definition) => ({ type: "core", definition }) as const),
  ...objectCodecs.map((definition) => ({ type: "objects", definition }) as const),
  { type: "shards", definition: shardingIndexed },
  { type: "blocks", definition: n5Default },
];

const namesOf = ({ definition }: FoundCodec, version: ZarrVersion): readonly string[] =>
  (definition.names as CodecDefinition["names"])[version] ?? [];

const byName = new Map<string, FoundCodec>();
for (const entry of found) {
  for (const version of [1, 2, 3] as const) {
    for (const name of namesOf(entry, version)) byName.set(`${version}:${name}`, entry);
  }
}

/** The codec that a Zarr version calls by this name. */
export function findCodec(name: string, version: ZarrVersion): FoundCodec | undefined {
  return byName.get(`${version}:${name}`);
}

/** All names of a Zarr version, or those of one kind, in the registry's order. */
export function codecNames(version: ZarrVersion, kind?: CodecKind): string[] {
  const chosen = found.filter(({ definition }) => kind === undefined || definition.kind === kind);
  return chosen.flatMap((entry) => namesOf(entry, version));
}
