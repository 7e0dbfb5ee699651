/** The codecs that most arrays use, loaded from the start. `registry.ts` lists all codecs. */
import { blosc } from "./blosc.js";
import { bytes } from "./bytes.js";
import { crc32c } from "./checksums.js";
import type { FoundCodec } from "./codec-list.js";
import type { DefinitionsIn } from "./definition.js";
import { gzip, zlib } from "./deflate.js";
import { lz4 } from "./lz4.js";
import { shardingIndexed } from "./sharding.js";
import { shuffle } from "./shuffle.js";
import { transpose } from "./transpose.js";
import { zstd } from "./zstd.js";

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
