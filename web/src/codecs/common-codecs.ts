/** The codecs that most arrays use, loaded from the start. `registry.ts` lists all codecs. */
import { blosc } from "./blosc.js";
import { bytes } from "./bytes.js";
import { crc32c } from "./checksums.js";
import type { FoundCodec } from "./codec-list.js";
import { gzip, lz4, zlib, zstd } from "./compressors.js";
import type { DefinitionsIn } from "./definition.js";
import { shardingIndexed } from "./sharding.js";
import { shuffle } from "./shuffle.js";
import { transpose } from "./transpose.js";

export const commonCodecs = {
  bytes,
  transpose,
  zlib,
  gzip,
  zstd,
  lz4,
  blosc,
  crc32c,
  shuffle,
} satisfies DefinitionsIn<"usual">;

export const shards: FoundCodec = { type: "shards", definition: shardingIndexed };
