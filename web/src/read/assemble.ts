/**
 * Assembles a region: reads its chunks object by object, with bounded concurrency, and passes them to a sink,
 * which decodes them to their place in the result.
 */

import { type Job, Jobs, type Priority } from "../plan/jobs.js";
import type { Projection } from "../plan/projections.js";
import { Limiter } from "../util/async.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { allowListeners } from "../util/platform.js";
import { countOf } from "../util/shapes.js";
import type { Bundle } from "./bundles.js";
import type { Coalescing, FetchOptions } from "./object-bytes.js";
import type { ArrayReader } from "./reader.js";
import type { Sink } from "./sink.js";

/** Progress of a read. */
export interface Progress {
  /** Number of chunks done, including missing ones. */
  chunks: number;
  /** Number of chunks that the selection touches. */
  totalChunks: number;
  /** Encoded bytes received so far, including shard indexes. */
  bytes: number;
}

export interface AssembleOptions {
  signal?: AbortSignal | undefined;
  /** Maximum number of chunks, or merged ranges of chunks, fetched in parallel. */
  concurrency: number;
  coalescing: Coalescing;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for chunks that are not stored. */
  onMissing?: ((coordinates: readonly number[]) => void) | undefined;
  /** Default: C order. */
  priority?: Priority | undefined;
  /** See {@link FetchOptions}. */
  transport?: FetchOptions["transport"];
}

/** The part of an array to read. */
export interface RegionPlan {
  readonly reader: ArrayReader;
  /** For each axis, the projections of the selected chunks. */
  readonly projections: readonly (readonly Projection[])[];
  /** Size of an element of the result in bytes, which determines the size of slabs. */
  readonly itemBytes: number;
}

/** Reads a region into a sink. @throws the first error, after aborting the other requests. */
export async function assemble(plan: RegionPlan, sink: Sink, options: AssembleOptions): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  if (signal) allowListeners(signal);
  const abort = new AbortController();
  const forward = () => abort.abort(signal!.reason);
  signal?.addEventListener("abort", forward, { once: true });
  try {
    await sink.start();
    await new Assembly(plan, sink, options, abort).run();
  } finally {
    signal?.removeEventListener("abort", forward);
    sink.end();
  }
}

class Assembly {
  readonly #signal: AbortSignal;
  readonly #fetching: FetchOptions;
  readonly #progress: Progress;
  #failure: { error: unknown } | undefined;

  constructor(
    private readonly plan: RegionPlan,
    private readonly sink: Sink,
    private readonly options: AssembleOptions,
    private readonly abort: AbortController,
  ) {
    const { concurrency, coalescing, transport } = options;
    const { signal } = abort;
    allowListeners(signal);
    const progress = {
      chunks: 0,
      totalChunks: countOf(plan.projections.map((list) => list.length)),
      bytes: 0,
    };
    this.#signal = signal;
    this.#progress = progress;
    this.#fetching = {
      signal,
      limiter: new Limiter(concurrency),
      requests: new Limiter(concurrency),
      coalescing,
      transport,
      onBytes: (bytes) => {
        progress.bytes += bytes;
      },
    };
  }

  /** Runs all jobs in order, `concurrency` at a time. */
  async run(): Promise<void> {
    const { reader, projections, itemBytes } = this.plan;
    const { concurrency, priority } = this.options;
    const jobs = new Jobs(reader, projections, itemBytes);
    const order = jobs.inOrder(priority);
    const lanes = Math.min(concurrency, jobs.count);
    const bundles = await reader.bundles(order, this.#fetching);
    const runLane = () => (bundles ? this.#runBundles(bundles) : this.#runLane(order));
    await Promise.all(Array.from({ length: lanes }, runLane));
    if (this.#failure) throw this.#failure.error;
  }

  async #runLane(jobs: Generator<Job>): Promise<void> {
    try {
      for (const job of jobs) {
        this.#signal.throwIfAborted();
        await this.#runJob(job);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads objects that are close together in a file of the store with one request. */
  async #runBundles(bundles: AsyncGenerator<Bundle<Job>>): Promise<void> {
    try {
      for await (const { first, read } of bundles) {
        this.#signal.throwIfAborted();
        await read((job, loaded) => this.#runJob(job, loaded)).catch((error) => {
          throw this.#locate(error, first);
        });
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Adds the object's key to an error that does not name one. */
  #locate(error: unknown, { object }: Job): unknown {
    const chunkKey = this.plan.reader.objectKey(object);
    return isOwn(error, this.#signal) ? withDetails(error, { chunkKey }) : error;
  }

  async #runJob(job: Job, loaded?: Uint8Array): Promise<void> {
    const { reader } = this.plan;
    const { object, tasks } = job;
    const onFailure = (error: unknown) => this.#fail(this.#locate(error, job));
    const fetching: FetchOptions = { ...this.#fetching, loaded, onFailure };
    try {
      await reader.readObject(object, tasks, fetching, (task, fetched) => {
        this.#signal.throwIfAborted();
        if (!fetched.encoded) this.options.onMissing?.(task.coordinates);
        const placed = this.sink.put(task, fetched, this.#signal);
        return placed ? placed.then(() => this.#advance()) : this.#advance();
      });
    } catch (error) {
      throw this.#locate(error, job);
    }
  }

  #advance(): void {
    this.#progress.chunks++;
    this.options.onProgress?.({ ...this.#progress });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.abort.abort(error);
  }
}

/** Whether an error concerns a chunk rather than the abort of the read. */
function isOwn(error: unknown, signal: AbortSignal): boolean {
  return isZarrError(error) && !(signal.aborted && error === signal.reason);
}
