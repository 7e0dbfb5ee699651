/** Writing a region: object by object, a bounded number at a time. */
import { isZarrError, withDetails } from "../../base/errors.js";
import { countOf } from "../../base/strides.js";
import type { Store } from "../../store/store.js";
import type { Progress } from "../assemble/assemble.js";
import { type Job, Jobs } from "../assemble/jobs.js";
import type { ArrayReader } from "../fetch/reader.js";
import { ChunkEncoder } from "./encoder.js";
import { type Conflicts, ObjectWriter } from "./object.js";
import type { WrittenRegion } from "./parts.js";
import type { Values } from "./values.js";

export interface WriteRegionOptions {
  readonly signal: AbortSignal | undefined;
  /** Most objects that are written at a time. */
  readonly concurrency: number;
  readonly conflicts: Conflicts;
  readonly writeEmptyChunks: boolean;
  readonly onProgress: ((progress: Progress) => void) | undefined;
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
  const { signal, concurrency, conflicts, writeEmptyChunks, onProgress } = options;
  signal?.throwIfAborted();
  const { fill } = reader.spec;
  // An undefined fill value is none that other readers would give back.
  const encoder = new ChunkEncoder(values, region, writeEmptyChunks || fill.value === null);
  await encoder.start(reader.firstCodec);
  const writer = new ObjectWriter(store, reader, encoder, conflicts, signal);
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
    onProgress?.({ ...progress });
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
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.count) }, lane));
  encoder.end();
  if (failure) throw withProgress(failure.error, progress);
}

/** An error that says how far the write came. */
function withProgress(error: unknown, { chunks, totalChunks }: Progress): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  error.message += ` (${chunks} of ${totalChunks} chunks written)`;
  return Object.assign(error, { written: { chunks, totalChunks } });
}
