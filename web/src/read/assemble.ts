/**
 * Assembles a region: reads its chunks object by object, with bounded concurrency, and passes them to a sink,
 * which decodes them to their place in the result.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { Projection, RegionChunk, RegionTask } from "../plan/projections.js";
import { type Job, Jobs, type Priority } from "../plan/slabs.js";
import type { Transport } from "../store/transport.js";
import { Limiter } from "../util/async.js";
import { isZarrError, limitExceeded, unsupported, withDetails } from "../util/errors.js";
import { allowListeners } from "../util/platform.js";
import { countOf } from "../util/shapes.js";
import type { Bundle, BundleJob } from "./bundles.js";
import { type Coalescing, type FetchOptions, putAll } from "./object-reader.js";
import type { ArrayReader } from "./reader.js";
import type { ShardBatch } from "./shard-batch.js";

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

/** Receives the chunks of a region as they arrive. */
export interface Sink {
  /** Called once, to check and prepare plans. Chunks are passed after it has resolved. */
  start(): Promise<void>;
  /**
   * Decodes a chunk to its place in the result, or fills it with the fill value if it is not stored; in any
   * order.
   * @param signal aborted when the read ends early for any reason.
   */
  put(chunk: RegionChunk, signal: AbortSignal): void | Promise<void>;
  /** Decodes a batch of chunks of a shard. Default: `put` receives them one by one. */
  putBatch?(batch: ShardBatch<RegionTask>): void | Promise<void>;
  /** Called once, also after a failure. */
  end(): void;
}

/** Adds the chunk's key to an error. */
export type LocateError = (error: unknown, task: RegionTask) => unknown;

/** Reads a region into a sink. @throws the first error, after aborting the other requests. */
export async function assemble(plan: RegionPlan, sink: Sink, options: AssembleOptions): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  if (signal) allowListeners(signal);
  const abort = new AbortController();
  const forward = () => abort.abort(signal!.reason);
  signal?.addEventListener("abort", forward, { once: true });
  try {
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
  /** Pending until the sink has started. */
  #starting: Promise<void> | undefined;

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
    // The first requests do not wait for the module.
    this.#starting = this.sink.start().then(
      () => (this.#starting = undefined),
      (error) => this.#fail(error),
    );
    const jobs = new Jobs(reader, projections, itemBytes);
    const order = jobs.inOrder(priority);
    const lanes = Math.min(concurrency, jobs.count);
    const bundles = await reader.bundles(order, this.#fetching);
    const runLane = () => (bundles ? this.#runBundles(bundles) : this.#runLane(order));
    await Promise.all([this.#starting, ...Array.from({ length: lanes }, runLane)]);
    if (this.#failure) throw this.#failure.error;
  }

  async #runLane(jobs: Generator<Job>): Promise<void> {
    try {
      for (const job of jobs) {
        this.#signal.throwIfAborted();
        await this.#readObject(job);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads objects that are close together in a file of the store with one request. */
  async #runBundles(bundles: AsyncGenerator<Bundle<RegionTask>>): Promise<void> {
    const put = (chunk: RegionChunk) => this.#locating(chunk.task.coordinates, async () => this.#put(chunk));
    try {
      for await (const { first, read } of bundles) {
        this.#signal.throwIfAborted();
        if (!read) await this.#readObject(first);
        else await putAll(await this.#locating(first.object, read), put, (error) => this.#fail(error));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async #readObject(job: BundleJob<RegionTask>): Promise<void> {
    const { object } = job;
    const fetching: FetchOptions = {
      ...this.#fetching,
      onFailure: (error) => this.#fail(this.#locate(error, object)),
      onMissing: this.options.onMissing,
      onPlaced: () => this.#advance(),
    };
    const put = (chunk: RegionChunk) => this.#put(chunk);
    const { sink } = this;
    const putBatch =
      sink.putBatch && ((batch: ShardBatch<RegionTask>) => this.#onceStarted(() => sink.putBatch!(batch)));
    await this.#locating(object, () => this.plan.reader.readObject(object, job, fetching, put, putBatch));
  }

  /** Passes a chunk to the sink. */
  #put(chunk: RegionChunk): void | Promise<void> {
    return this.#onceStarted(() => {
      if (!chunk.encoded) this.options.onMissing?.(chunk.task.coordinates);
      const placed = this.sink.put(chunk, this.#signal);
      return placed ? placed.then(() => this.#advance()) : this.#advance();
    });
  }

  /** Calls the sink, after it has started. */
  #onceStarted(call: () => void | Promise<void>): void | Promise<void> {
    this.#signal.throwIfAborted();
    return this.#starting ? this.#starting.then(() => this.#onceStarted(call)) : call();
  }

  /** Adds an object's key to errors that do not name one. */
  async #locating<T>(object: readonly number[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#locate(error, object);
    }
  }

  #locate(error: unknown, object: readonly number[]): unknown {
    const chunkKey = this.plan.reader.objectKey(object);
    return isOwn(error, this.#signal) ? withDetails(error, { chunkKey }) : error;
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

/** A pool of threads that decode chunks. */
export interface DecodePool {
  /** Sends requests from the pool's threads, if supported. */
  readonly transport: Transport | undefined;
  /** Whether a chunk is worth decoding on another thread. */
  takes(codec: CoreChunkCodec, direction: "decode"): boolean;
  /** Decodes one chunk. */
  decode(codec: CoreChunkCodec, encoded: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array>;
  /** Returns a sink that decodes on other threads; undefined if the calling thread should decode. */
  makeSink(
    codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    out: ResultBytes,
    located: LocateError,
  ): Sink | undefined;
}

/**
 * Allocates the bytes on first use. If one chunk, or a single copy from wasm memory, provides all of them, it becomes
 * the result: allocating and then filling memory would touch it twice.
 */
export class ResultBytes {
  #bytes: Uint8Array | undefined;
  readonly #adopts: boolean;

  /** @param given the caller's bytes; or whether to share new ones between threads. */
  constructor(
    readonly byteLength: number,
    private readonly given: Uint8Array | { readonly isShared: boolean },
  ) {
    if (given instanceof Uint8Array) this.#bytes = given;
    this.#adopts = !(given instanceof Uint8Array) && !given.isShared;
  }

  /** @throws LimitExceeded ("out-of-memory"); Unsupported if shared memory is not available. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#make();
    return this.#bytes;
  }

  /** Whether the bytes are new and shared between threads. */
  get isShared(): boolean {
    return !(this.given instanceof Uint8Array) && this.given.isShared;
  }

  /** The bytes if they are new and shared: the caller does not see them before the read is complete. */
  get shared(): Uint8Array<SharedArrayBuffer> | undefined {
    return this.isShared ? (this.bytes as Uint8Array<SharedArrayBuffer>) : undefined;
  }

  /**
   * Uses other bytes as the result; false if the result already exists or is given.
   * @param take returns all the bytes, which fill their buffer; undefined if it has none.
   */
  adopt(take: () => Uint8Array | undefined): boolean {
    if (!this.#adopts || this.#bytes) return false;
    this.#bytes = take();
    return this.#bytes !== undefined;
  }

  #make(): Uint8Array {
    const { byteLength, isShared } = this;
    // Engines hide it from pages that are not cross-origin isolated.
    if (isShared && typeof SharedArrayBuffer === "undefined")
      throw unsupported("SharedArrayBuffer is not available; the page must be cross-origin isolated", {
        code: "no-shared-memory",
      });
    try {
      return new Uint8Array(isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength));
    } catch (cause) {
      throw limitExceeded(`no memory for a result of ${byteLength} bytes`, { code: "out-of-memory", cause });
    }
  }
}

/** Whether an error concerns a chunk rather than the abort of the read. */
function isOwn(error: unknown, signal: AbortSignal): boolean {
  return isZarrError(error) && !(signal.aborted && error === signal.reason);
}
