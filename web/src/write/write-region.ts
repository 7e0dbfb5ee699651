/** Writing a region: object by object, a bounded number at a time. */

import { type Job, Jobs } from "../plan/jobs.js";
import type { Progress } from "../read/assemble.js";
import type { ArrayReader } from "../read/reader.js";
import type { Conflicts } from "../store/conditions.js";
import type { Store } from "../store/store.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { countOf } from "../util/strides.js";
import { ChunkEncoder, type Encoders } from "./encoder.js";
import type { WrittenRegion } from "./region-parts.js";
import type { Values } from "./values.js";
import { ObjectWriter } from "./write-object.js";

export interface WriteRegionOptions {
  readonly signal: AbortSignal | undefined;
  /** Most chunks that are in memory at a time, besides the encoded ones of shards. */
  readonly concurrency: number;
  readonly conflicts: Conflicts;
  readonly writeEmptyChunks: boolean;
  readonly onProgress: ((progress: Progress) => unknown) | undefined;
  /** Other threads that encode. */
  readonly encoders: Encoders | undefined;
  /** Whether the values stand for elements that the array has no more: nothing is stored for their sake. */
  readonly clears?: boolean;
  /**
   * Called before a stored object is replaced, after it was read: throws if the region must not be written any more.
   * Every write then has a condition, so that it fails if the object was changed between the two.
   */
  readonly recheck?: (() => Promise<unknown>) | undefined;
}

/** Shards that are written at a time: one goes to the store while the next is put together. */
const fewestShards = 2;
/** Small shards are as many as this takes, decoded. */
const ampleBytes = 32 * 2 ** 20;

/** How many objects are written at a time, so that no more is in memory than `concurrency` chunks and few shards. */
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
 * @throws the first error met, when all that was under way has ended: it says how many chunks were written.
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
  // An undefined fill value is none that other readers would give back.
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
    await onProgress?.({ ...progress }); // what rejects ends the write as what throws does
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

/** An error that says how far the write came. */
function withProgress(error: unknown, { chunks, totalChunks }: Progress): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  error.message += ` (${chunks} of ${totalChunks} chunks written)`;
  return Object.assign(error, { written: { chunks, totalChunks } });
}
