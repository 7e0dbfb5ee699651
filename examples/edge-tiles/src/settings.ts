/** Validates the Worker's variables and bindings. README.md describes each. */

export interface Env {
  readonly STORE_URL?: string;
  readonly BUCKET?: R2Bucket;
  readonly S3_ACCESS_KEY_ID?: string;
  readonly S3_SECRET_ACCESS_KEY?: string;
  readonly S3_REGION?: string;
  readonly DATASETS?: string;
  readonly ALLOW_ORIGIN?: string;
  readonly CACHE_CONTROL?: string;
  readonly TILE_SIZE?: string | number;
  readonly METADATA_TTL?: string | number;
  readonly TIMEOUT_MS?: string | number;
  readonly CHUNK_CACHE_MB?: string | number;
  readonly INDEX_CACHE_MB?: string | number;
  readonly IN_FLIGHT_MB?: string | number;
  readonly MAX_CHUNK_MB?: string | number;
  readonly MAX_TILE_CHUNKS?: string | number;
}

export interface Settings {
  /** URL of the datasets, with a trailing slash; undefined if a bucket is bound. */
  readonly storeUrl: string | undefined;
  /** Allowed datasets; undefined allows all in the store. */
  readonly datasets: ReadonlySet<string> | undefined;
  /** Origins of pages that may read the tiles; "*" allows all. */
  readonly origins: "*" | ReadonlySet<string>;
  readonly cacheControl: string;
  /** Edge length of a tile in pixels. */
  readonly tileSize: number;
  /** Lifetime of opened metadata in milliseconds. */
  readonly metadataTtl: number;
  /** Milliseconds after which a request fails, whatever the store does. */
  readonly timeout: number;
  /** Maximum size of the cache of decoded chunks. */
  readonly chunkCacheBytes: number;
  /** Maximum size of cached shard indexes. */
  readonly indexCacheBytes: number;
  /** Maximum size of chunks in flight; further requests are rejected. */
  readonly inFlightBytes: number;
  /** Maximum size of a decoded chunk. */
  readonly chunkBytes: number;
  /** Maximum number of chunks per tile, including inner chunks of shards. */
  readonly tileChunks: number;
}

const MiB = 2 ** 20;

/** @throws Error for an invalid setting: the Worker then answers every request with 500 and names it. */
export function readSettings(env: Env): Settings {
  if (!env.BUCKET && !env.STORE_URL) throw new Error("set STORE_URL or the binding BUCKET to the location of the data");
  return {
    storeUrl: env.STORE_URL?.replace(/\/*$/, "/"),
    datasets: env.DATASETS ? new Set(words(env.DATASETS)) : undefined,
    origins: !env.ALLOW_ORIGIN || env.ALLOW_ORIGIN === "*" ? "*" : new Set(words(env.ALLOW_ORIGIN)),
    cacheControl: env.CACHE_CONTROL ?? "public, max-age=3600, s-maxage=86400, stale-while-revalidate=86400",
    tileSize: number(env, "TILE_SIZE", 256, 16, 1024),
    metadataTtl: number(env, "METADATA_TTL", 300, 0, 86_400) * 1000,
    timeout: number(env, "TIMEOUT_MS", 10_000, 1, 25_000),
    chunkCacheBytes: number(env, "CHUNK_CACHE_MB", 24, 0, 1024) * MiB,
    indexCacheBytes: number(env, "INDEX_CACHE_MB", 8, 0, 1024) * MiB,
    inFlightBytes: number(env, "IN_FLIGHT_MB", 24, 1, 1024) * MiB,
    chunkBytes: number(env, "MAX_CHUNK_MB", 16, 1, 1024) * MiB,
    tileChunks: number(env, "MAX_TILE_CHUNKS", 512, 1, 2 ** 20),
  };
}

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "");

function number(env: Env, name: keyof Env, otherwise: number, least: number, most: number): number {
  const value = env[name] === undefined ? otherwise : Number(env[name]);
  if (value >= least && value <= most) return value;
  throw new Error(`${name} must be a number from ${least} to ${most}`);
}
