/**
 * Putting a region together: the chunks it touches are read object by object, a bounded number at a time, and what
 * comes is handed to a sink, which decodes it and puts it where it belongs.
 */

import { type Job, Jobs } from "../plan/jobs.js";
import type { Priority } from "../plan/priority.js";
import type { Projection } from "../plan/projections.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { Limiter } from "../util/limiter.js";
import { allowListeners } from "../util/platform.js";
import { countOf } from "../util/strides.js";
import type { Bundle } from "./bundles.js";
import type { Coalescing, FetchOptions } from "./object-bytes.js";
import type { ArrayReader } from "./reader.js";
import type { Sink } from "./sink.js";

/** Progress of a read. */
export interface Progress {
  /** Chunks done, missing ones included. */
  chunks: number;
  /** Chunks that the selection touches. */
  totalChunks: number;
  /** Encoded bytes received so far, indexes of shards included. */
  bytes: number;
}

export interface AssembleOptions {
  signal?: AbortSignal | undefined;
  /** Most chunks, or merged ranges of chunks, that are fetched at a time. */
  concurrency: number;
  coalescing: Coalescing;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for chunks that are not stored. */
  onMissing?: ((coordinates: readonly number[]) => void) | undefined;
  /** Without it chunks are read in C order. */
  priority?: Priority | undefined;
  /** See {@link FetchOptions}. */
  transport?: FetchOptions["transport"];
}

/** The part of an array that is read. */
export interface RegionPlan {
  readonly reader: ArrayReader;
  /** Per axis the projections of chunks that are wanted. */
  readonly projections: readonly (readonly Projection[])[];
  /** Bytes of one element of the result, for choosing how much is put together at a time. */
  readonly itemBytes: number;
}

/** Reads a region into a sink. Throws the first error met, after the other requests have been aborted. */
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

  /** Runs all jobs, `concurrency` at a time, in order. */
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

  /** Objects that lie close together in a file of the store, with one request. */
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

  /** An error that names the object, unless it names one already. */
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

/** Whether an error says something about a chunk, and not why the read was given up. */
function isOwn(error: unknown, signal: AbortSignal): boolean {
  return isZarrError(error) && !(signal.aborted && error === signal.reason);
}
