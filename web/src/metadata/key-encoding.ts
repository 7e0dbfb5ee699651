/** Chunk key encodings, independent of the Zarr version. */

export type Separator = "/" | ".";

/** "default": indices after a "c"; "v2": indices alone, as in Zarr v1 and v2. */
export interface PlainKeys {
  readonly name: "default" | "v2";
  readonly separator: Separator;
}

/** A suffix appended to the keys of another encoding. */
export interface SuffixKeys {
  readonly name: "suffix";
  readonly suffix: string;
  readonly base: ChunkKeys;
}

/** Decimal digits of each index, in folders of at most `maxChildren` entries. */
export interface FanoutKeys {
  readonly name: "fanout";
  /** A power of ten. */
  readonly maxChildren: number;
}

export type ChunkKeys = PlainKeys | SuffixKeys | FanoutKeys;

/** The key encoding of an array. */
export interface KeyEncoding {
  readonly keys: ChunkKeys;
  /** Returns the key of a stored chunk relative to the array's own path. */
  chunkKey(coordinates: readonly number[]): string;
}
