/** Lists of codecs by name and Zarr version, and the common ones, which are loaded from the start. */

import { bytes, transpose } from "./bytes.js";
import { blosc, crc32c, gzip, lz4, shuffle, zlib, zstd } from "./compressors.js";
import type { CodecDefinition, CodecKind, DefinitionsIn, ZarrVersion } from "./definition.js";
import type { BlockDefinition } from "./n5.js";
import { type ShardingDefinition, shardingIndexed } from "./sharding.js";
import type { VlenCodecDefinition } from "./vlen-codec.js";

/** A codec, tagged by its implementation. */
export type FoundCodec =
  | { readonly type: "core"; readonly definition: CodecDefinition }
  | { readonly type: "vlen"; readonly definition: VlenCodecDefinition }
  | { readonly type: "shards"; readonly definition: ShardingDefinition }
  | { readonly type: "blocks"; readonly definition: BlockDefinition };

export const coreCodec = (definition: CodecDefinition): FoundCodec => ({ type: "core", definition });
export const objectCodec = (definition: VlenCodecDefinition): FoundCodec => ({ type: "vlen", definition });

/**
 * Codecs that express `dtype` and `order` of Zarr v1 and v2 in v3 terms. Documents of those versions cannot
 * name them.
 */
export const implicitCodecs: readonly string[] = ["bytes", "transpose"];

const versionNames = ({ definition }: FoundCodec, version: ZarrVersion): readonly string[] =>
  (definition.names as CodecDefinition["names"])[version] ?? [];

/** An ordered list of codecs. */
export class CodecList {
  readonly #byName = new Map<string, FoundCodec>();

  constructor(private readonly codecs: readonly FoundCodec[]) {
    for (const codec of codecs) {
      for (const version of [1, 2, 3] as const) {
        for (const name of versionNames(codec, version)) this.#byName.set(`${version}:${name}`, codec);
      }
    }
  }

  /** Returns the codec with this name in a Zarr version. */
  find(name: string, version: ZarrVersion): FoundCodec | undefined {
    return this.#byName.get(`${version}:${name}`);
  }

  /** Returns all names of a Zarr version, or those of one kind, in order. */
  names(version: ZarrVersion, kind?: CodecKind): string[] {
    const chosen = this.codecs.filter(({ definition }) => kind === undefined || definition.kind === kind);
    return chosen.flatMap((codec) => versionNames(codec, version));
  }
}

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
