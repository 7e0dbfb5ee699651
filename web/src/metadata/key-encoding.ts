/** How keys of chunks are made, in terms that do not depend on a version. */

export type Separator = "/" | ".";

/** "default": indices behind a "c"; "v2": indices alone, as in Zarr v1 and v2. */
export interface PlainKeys {
  readonly name: "default" | "v2";
  readonly separator: Separator;
}

/** A text behind the keys of another encoding. */
export interface SuffixKeys {
  readonly name: "suffix";
  readonly suffix: string;
  readonly base: ChunkKeys;
}

/** Decimal digits of each index in folders of at most `maxChildren` entries. */
export interface FanoutKeys {
  readonly name: "fanout";
  /** A power of ten. */
  readonly maxChildren: number;
}

export type ChunkKeys = PlainKeys | SuffixKeys | FanoutKeys;

/** What arrays know of their keys. */
export interface KeyEncoding {
  readonly keys: ChunkKeys;
  /** Key of a stored chunk below the array's own path. */
  chunkKey(coordinates: readonly number[]): string;
}
