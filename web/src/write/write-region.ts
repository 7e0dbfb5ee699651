/** Writes a region object by object, with bounded concurrency. */

import { type Job, Jobs } from "../plan/jobs.js";
import type { Progress } from "../read/assemble.js";
import type { ArrayReader } from "../read/reader.js";
import type { Conflicts } from "../store/concurrency.js";
import type { Store } from "../store/store.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { ChunkEncoder, type Encoders } from "./encoder.js";
import type { WrittenRegion } from "./region-parts.js";
import type { Values } from "./values.js";
import { ObjectWriter } from "./write-object.js";

export interface WriteRegionOptions {
  readonly signal: AbortSignal | undefined;
  /** Maximum number of chunks in memory at a time, not counting encoded chunks of shards. */
  readonly concurrency: number;
  readonly conflicts: Conflicts;
  readonly writeEmptyChunks: boolean;
  readonly onProgress: ((progress: Progress) => unknown) | undefined;
  /** Encoding on other threads. */
  readonly encoders: Encoders | undefined;
  /** Whether the values replace elements that the array no longer has: nothing is stored for them. */
  readonly clears?: boolean;
  /**
   * Called after a stored object was read and before it is replaced; throws if the region must no longer be
   * written. Every write then has a condition, so that it fails if the object was changed in between.
   */
  readonly recheck?: (() => Promise<unknown>) | undefined;
}

/** Minimum number of shards written in parallel: one is sent to the store while the next is assembled. */
const fewestShards = 2;
/** Decoded size of small shards that may be in memory together. */
const ampleBytes = 32 * 2 ** 20;

/**
 * Returns the number of objects to write in parallel, so that at most `concurrency` chunks and few shards are
 * in memory.
 */
function lanesOf({ objectAxes, spec }: ArrayReader, width: number, concurrency: number): number {
  if (!spec.isSharded) return concurrency;
  const longest = objectAxes.map((axis) => (axis.count > 0 ? axis.size(0) : 1));
  const shards = Math.floor(
    Math.max(concurrency * countOf(spec.chunkShape) * width, ampleBytes) / (countOf(longest) * width),
  );
  return Math.min(concurrency, Math.max(fewestShards, shards));
}

/**
 * Writes values to a region of an array.
 * @throws the first error, once nothing is in flight, with the number of chunks written.
 */
export async function writeRegion(
  store: Store,
  reader: ArrayReader,
  region: WrittenRegion,
  values: Values,
  options: WriteRegionOptions,
): Promise<void> {
  const { signal, concurrency, conflicts, writeEmptyChunks, onProgress, encoders, clears = false } = options;
  const { recheck } = options;
  signal?.throwIfAborted();
  const { fill } = reader.spec;
  // An undefined fill value could be read as any value by other readers.
  const keepsFill = writeEmptyChunks || fill.value === null;
  const encoder = new ChunkEncoder(values, region, { keepsFill, encoders, signal, clears });
  await encoder.start(reader.firstCodec);
  const lanes = lanesOf(reader, values.width, concurrency);
  const innerConcurrency = Math.ceil(concurrency / lanes);
  const writer = new ObjectWriter(store, reader, encoder, { conflicts, signal, innerConcurrency, recheck });
  const jobs = new Jobs(reader, region.parts, values.width);
  const totalChunks = countOf(region.parts.map((list) => list.length));
  const progress: Progress = { chunks: 0, totalChunks, bytes: 0 };
  let failure: { readonly error: unknown } | undefined;
  const write = async (job: Job) => {
    try {
      progress.bytes += await writer.write(job);
    } catch (error) {
      throw signal?.aborted && error === signal.reason
        ? error
        : withDetails(error, { chunkKey: reader.objectKey(job.object) });
    }
    progress.chunks += job.tasks.length;
    await onProgress?.({ ...progress }); // a rejection ends the write, like an exception
  };
  const order = jobs.inOrder(undefined);
  const lane = async () => {
    for (const job of order) {
      if (failure) return;
      await write(job).catch((error) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, jobs.count) }, lane)).finally(() => encoder.end());
  if (failure) throw withProgress(failure.error, progress);
}

/** Adds the number of chunks written to an error. */
function withProgress(error: unknown, { chunks, totalChunks }: Progress): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  error.message += ` (${chunks} of ${totalChunks} chunks written)`;
  return Object.assign(error, { written: { chunks, totalChunks } });
}
