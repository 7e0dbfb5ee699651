/** The Worker's variables and bindings, checked. README.md describes each. */

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
  /** Where the datasets are; with a slash at the end. undefined where a bucket is bound. */
  readonly storeUrl: string | undefined;
  /** The datasets that may be asked for; undefined for all that the store has. */
  readonly datasets: ReadonlySet<string> | undefined;
  /** Origins of pages that may read the tiles; "*" for all. */
  readonly origins: "*" | ReadonlySet<string>;
  readonly cacheControl: string;
  /** Pixels along an edge of a tile. */
  readonly tileSize: number;
  /** Milliseconds for which opened metadata is used. */
  readonly metadataTtl: number;
  /** Milliseconds after which a request is answered with an error, whatever the store does. */
  readonly timeout: number;
  /** Most bytes of decoded chunks that are kept. */
  readonly chunkCacheBytes: number;
  /** Most bytes of shard indexes that are kept. */
  readonly indexCacheBytes: number;
  /** Most bytes of chunks that are being read at a time; requests beyond it are turned away. */
  readonly inFlightBytes: number;
  /** Most bytes of one decoded chunk. */
  readonly chunkBytes: number;
  /** Most chunks that one tile may need, inner chunks of shards included. */
  readonly tileChunks: number;
}

const MiB = 2 ** 20;

/** @throws Error for a setting that makes no sense: the Worker then answers 500, and which one, to everything. */
export function readSettings(env: Env): Settings {
  if (!env.BUCKET && !env.STORE_URL) throw new Error("STORE_URL or the binding BUCKET must say where the data is");
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
