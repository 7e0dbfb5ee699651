/** A pool of workers that decode and encode chunks. */

import { type CoreChunkCodec, wholePlace } from "../chain/chunk-codec.js";
import type { ModuleName } from "../engine/compile.js";
import { compiledModule, getSession, withFullIfNeeded } from "../engine/engine.js";
import type { Plan } from "../engine/plan.js";
import type { Projection } from "../plan/projections.js";
import type { LocateError, ResultBytes, Sink } from "../read/assemble.js";
import type { Transport } from "../store/transport.js";
import { checkConstructor } from "../util/arguments.js";
import { BufferPool } from "../util/buffers.js";
import { invalidArgument } from "../util/errors.js";
import { preload } from "../util/lazy.js";
import {
  type AnyWorker,
  allowListeners,
  keepAlive,
  listenTo,
  nextTask,
  parallelism,
  stopWorker,
} from "../util/platform.js";
import { addDisposal, addInspection, type MaybeDisposable } from "../util/symbol-methods.js";
import { isWorthPooling, minWorkBytes, type PoolAccess, PoolSink, slabTask } from "./decode-work.js";
import {
  failureReason,
  PendingTask,
  type PoolTask,
  PoolWorker,
  StepFailure,
  type WorkerMessage,
  warnNoWorkers,
} from "./messages.js";
import { FetchConnections } from "./remote-fetch.js";
import { isSlow } from "./slow-codecs.js";
import { packagedWorkers, type StartWorker } from "./start.js";

export interface WorkerPoolOptions {
  /**
   * Maximum number of workers. Default: the number of hardware threads, at most 8. 0 runs everything on the
   * calling thread.
   */
  size?: number | undefined;
  /**
   * Creates a worker that runs `zarr-wasm/worker`, a module script: for single-file programs under a strict
   * Content Security Policy, and for other kinds of workers. No other way of starting workers is then tried.
   */
  createWorker?: (() => AnyWorker | Promise<AnyWorker>) | undefined;
  /**
   * Whether workers send requests. Default: in pages, workers send those for whole chunks over HTTP. False:
   * the calling thread sends all requests.
   */
  fetch?: boolean | undefined;
}

const maxDefaultSize = 8;
/** Maximum number of tasks per worker: one in progress, and the next one, so that it never waits. */
const depth = 2;
/** The same if this thread runs tasks as well: while it runs one, workers must not run out of work. */
const sharedDepth = 3;
/** Maximum unused bytes in the memory for encoded chunks. */
const inputSlack = 2 ** 20;
/** Time for which memory is kept after a read or write, in milliseconds: another one often follows. */
const keptTime = 1000;
/** Start-up timeout of a worker, in milliseconds. */
const startTimeout = 15_000;
/** Timeout of a busy worker that sends no message, in milliseconds, plus one per KiB of its tasks. */
const silenceTimeout = 60_000;
/** Consecutive worker crashes, without a completed task, after which no more are started. */
const maxCrashes = 8;

/** Whether the calling thread may run tasks: a page would not respond while it runs one. */
const mayBlock = (): boolean => !("document" in globalThis);

// The constructor adds the methods.
export interface WorkerPool extends MaybeDisposable {}

/**
 * Workers that decode the chunks of `get`, `getBytes` and `getChunk`, and encode those of `set`, `setChunk`
 * and `append`. They start with the first task and run until `destroy`, or until the end of the block if the
 * pool is declared with `using`. Outside pages, the calling thread helps while all workers are busy. If workers fail, it
 * does their work.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds the methods
export class WorkerPool {
  /** The name that consoles show, even in minified programs. */
  static get name(): string {
    return "WorkerPool";
  }

  /** Ways to start a worker, and the index of the current one. */
  readonly #startMethods: readonly StartWorker[];
  #startMethod = 0;
  /** Whether a worker has started this way. */
  #hasStarted = false;
  readonly #workers = new Set<PoolWorker>();
  readonly #queue = new Set<PendingTask>();
  /** Reusable memory of copied slabs and of encoded chunks, kept while regions are read or written. */
  readonly #slabs = new BufferPool();
  readonly #inputs = new BufferPool();
  /** Connections to workers that send requests; undefined if workers do not send any. */
  readonly #connections: FetchConnections | undefined;
  #reads = 0;
  #clearing: ReturnType<typeof setTimeout> | undefined;
  #maxSize: number;
  #crashes = 0;
  /** Whether all workers are wanted, even without tasks, until they have started. */
  #startsAll = false;
  #nextId = 0;
  #isDestroyed = false;
  /** Whether this thread runs a task because all workers are busy. */
  #isBusyHere = false;
  /** Why workers did not start; several ways may fail for the same reason. */
  readonly #reasons = new Set<string>();

  /** @throws InvalidArgument for a size that is not a non-negative integer. */
  constructor(options: WorkerPoolOptions = {}) {
    checkConstructor(options, "pool", { size: true, createWorker: true, fetch: true });
    const { size = Math.min(parallelism(), maxDefaultSize), createWorker, fetch = true } = options;
    if (!Number.isSafeInteger(size) || size < 0)
      throw invalidArgument(`size must be a non-negative integer, got ${size}`);
    this.#maxSize = size;
    this.#startMethods = createWorker ? [createWorker] : packagedWorkers;
    if (fetch) this.#connections = new FetchConnections(() => this.#startAll());
    addDisposal(this, "dispose", () => this.destroy());
    addInspection(this, () => ({ size: this.size, ...this.status }));
  }

  /** Maximum number of workers; lower than requested if some could not be started. */
  get size(): number {
    return this.#maxSize;
  }

  /**
   * Current state of the pool: "idle" before the first task, "starting", "running" with at least one worker,
   * "failed" if none could be started or too many crashed (`reason` has the cause), "destroyed"; and the
   * number of running workers.
   */
  get status(): {
    readonly state: "idle" | "starting" | "running" | "failed" | "destroyed";
    readonly workers: number;
    readonly reason?: string;
  } {
    let workers = 0;
    for (const { isReady } of this.#workers) if (isReady) workers++;
    const state = this.#state(workers);
    return state === "failed"
      ? { state, workers, reason: [...this.#reasons].join("; ") }
      : { state, workers };
  }

  #state(workers: number): WorkerPool["status"]["state"] {
    if (this.#isDestroyed) return "destroyed";
    if (workers > 0) return "running";
    if (this.#maxSize === 0 && this.#reasons.size > 0) return "failed";
    return this.#workers.size > 0 ? "starting" : "idle";
  }

  /**
   * Starts the workers and loads the decoder in advance, so that the first read need not wait. A failure
   * surfaces at the first read.
   */
  start(): void;
  /** @internal */
  start(module: ModuleName): void;
  start(module: ModuleName = "decode"): void {
    this.#startAll();
    preload(() => getSession(module));
  }

  /** Stops the workers. Tasks in progress and later ones run on the calling thread. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#maxSize = 0;
    this.#slabs.clear();
    this.#inputs.clear();
    for (const member of this.#workers) this.#remove(member);
    this.#advance();
  }

  /**
   * @internal Returns a sink that decodes in workers; undefined if the calling thread should do the work
   *   itself.
   */
  makeSink(
    codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    out: ResultBytes,
    located: LocateError,
  ): Sink | undefined {
    if (!this.#pays(codec, "decode", out.isShared) || !isWorthPooling(codec, projections)) return undefined;
    const helpers: PoolAccess = {
      enter: () => this.enter(),
      leave: () => this.leave(),
      submit: (work, target, signal) => this.submit(slabTask(work, target), signal),
      claimCaller: () => this.#claimCaller(),
      releaseBytes: (slab) => this.#recycle(this.#slabs, slab.buffer as ArrayBuffer),
    };
    return new PoolSink(helpers, codec, projections, out, located);
  }

  /** @internal Sends requests for chunks that workers decode; undefined if the store should send them. */
  get transport(): Transport | undefined {
    return this.#maxSize > 0 ? this.#connections?.transport : undefined;
  }

  /**
   * @internal Called when the read or write of a region starts: memory is kept for reuse until shortly after
   *   {@link leave}.
   */
  enter(): void {
    if (this.#reads++ === 0) clearTimeout(this.#clearing);
  }

  /** @internal */
  leave(): void {
    if (--this.#reads > 0) return;
    this.#clearing = setTimeout(() => {
      this.#slabs.clear();
      this.#inputs.clear();
    }, keptTime);
    keepAlive(this.#clearing, false);
  }

  /** @internal Whether workers decode, or encode, single chunks of this codec. */
  takes(codec: CoreChunkCodec, direction: "decode" | "encode", isShared = false): boolean {
    return codec.plan.decodedBytes >= minWorkBytes && this.#pays(codec, direction, isShared);
  }

  /**
   * Whether workers decode, or encode, with a codec. If copying a chunk takes as long, they do so only to keep a page
   * responsive, or in shared memory, where the elements are not copied.
   */
  #pays({ isNative, plan }: CoreChunkCodec, direction: "decode" | "encode", isShared: boolean): boolean {
    if (this.#maxSize === 0 || isNative) return false;
    return isShared || !mayBlock() || this.outweighsCopy(plan, direction);
  }

  /** @internal Whether decoding, or encoding, a chunk takes longer than copying it to another thread and back. */
  outweighsCopy(plan: Plan, direction: "decode" | "encode"): boolean {
    return isSlow(plan, direction);
  }

  /** @internal Decodes one chunk. */
  async decode(
    codec: CoreChunkCodec,
    encoded: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { shape, dtype } = codec.plan.array;
    const steps = codec.placed(encoded, wholePlace(shape, dtype.itemBytes));
    const bytes = codec.plan.decodedBytes;
    const isHere = await this.#claimCaller();
    return withFullIfNeeded(codec, async (module) => {
      const task = slabTask({ module, bytes, steps });
      try {
        return (isHere ? task.run(await getSession(module)) : await this.submit(task, signal))!;
      } catch (error) {
        throw error instanceof StepFailure ? error.error : error;
      }
    });
  }

  /** @internal Runs a task on a worker. Aborting removes it from the queue and throws the signal's reason. */
  async submit<T>(task: PoolTask<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    const wasm = await compiledModule(task.module);
    signal?.throwIfAborted();
    return new Promise<T>((resolve, reject) => {
      const abort = () => job.settle(() => reject(signal!.reason));
      const onSettled = () => {
        signal?.removeEventListener("abort", abort);
        this.#queue.delete(job);
      };
      const job: PendingTask = new PendingTask(
        task,
        wasm,
        resolve as (value: unknown) => void,
        reject,
        onSettled,
      );
      if (signal) {
        allowListeners(signal);
        signal.addEventListener("abort", abort, { once: true });
      }
      this.#queue.add(job);
      this.#advance();
    });
  }

  /** Assigns tasks to workers, and starts workers for the remaining tasks. */
  #advance(): void {
    this.#startsAll &&= this.status.workers < this.#maxWorkers;
    for (const job of this.#queue) {
      if (this.#maxSize === 0 || job.crashes > 1) {
        this.#queue.delete(job);
        void job.runHere();
        continue;
      }
      const member = this.#leastBusy(this.helps() ? sharedDepth : depth);
      if (!member) break;
      this.#queue.delete(job);
      this.#assign(member, job);
    }
    if (this.#queue.size > 0 && !this.#isBusyHere && this.helps()) void this.#help();
    const wanted = this.#startsAll ? this.#maxWorkers : this.#queue.size + this.#givenCount();
    let missing = Math.min(wanted, this.#maxWorkers) - this.#workers.size;
    while (missing-- > 0) void this.#startOne();
  }

  /** Runs a task on this thread. First receives answers of workers, which may take the task. */
  async #help(): Promise<void> {
    this.#isBusyHere = true;
    this.#startsAll = true;
    await nextTask();
    const [job] = this.#queue;
    if (job) {
      this.#queue.delete(job);
      await job.runHere();
    }
    this.#isBusyHere = false;
    this.#advance();
  }

  /**
   * Whether the caller should run its only task itself: nothing else runs, so that a worker gains nothing. Until the promise
   * resolves, other tasks go to workers.
   */
  async #claimCaller(): Promise<boolean> {
    if (this.#isBusyHere || !this.helps() || this.#queue.size + this.#givenCount() > 0) return false;
    this.#isBusyHere = true;
    await nextTask();
    this.#isBusyHere = false;
    return true;
  }

  /** @internal Whether this thread also runs tasks. */
  helps(): boolean {
    return mayBlock();
  }

  /**
   * Maximum number of running workers. If this thread helps, one hardware thread is reserved for it. At most one while
   * another way of starting is tried, because each failure logs an error.
   */
  get #maxWorkers(): number {
    const isTrying = this.#startMethod > 0 && !this.#hasStarted;
    const limit = isTrying ? 1 : this.helps() ? Math.max(1, parallelism() - 1) : this.#maxSize;
    return Math.min(limit, this.#maxSize);
  }

  #givenCount(): number {
    let count = 0;
    for (const member of this.#workers) count += member.jobs.size;
    return count;
  }

  /** Returns the worker with the fewest tasks; undefined if all have at least `most`. */
  #leastBusy(most: number): PoolWorker | undefined {
    let best: PoolWorker | undefined;
    for (const member of this.#workers) {
      if (member.isReady && member.jobs.size < (best?.jobs.size ?? most)) best = member;
    }
    return best;
  }

  #assign(member: PoolWorker, job: PendingTask): void {
    const id = this.#nextId++;
    member.jobs.set(id, job);
    try {
      const { inputBytes, spareBytes } = job.task;
      const spare = spareBytes === undefined ? undefined : this.#slabs.take(spareBytes);
      const message = member.peer.pack(id, job.task, job.wasm, this.#inputFor(inputBytes), spare);
      member.worker!.postMessage(message, spare ? [message.input, spare] : [message.input]);
      if (member.jobs.size === 1) keepAlive(member.worker, true);
      this.#watch(member);
    } catch (cause) {
      // The message could not be sent or allocated: the task runs here, and the state recorded for the worker
      // is wrong.
      job.crashes = 2;
      this.#handleFailure(member, cause);
    }
  }

  #recycle(bufferPool: BufferPool, buffer: ArrayBuffer): void {
    if (this.#reads > 0) bufferPool.give(buffer, depth * this.#maxSize);
  }

  /** Returns memory for a task's input; slightly larger, so that it also fits the next one. */
  #inputFor(bytes: number): Uint8Array<ArrayBuffer> {
    const room = this.#inputs.take(bytes, 2 * bytes + inputSlack);
    return room ? new Uint8Array(room) : new Uint8Array(bytes + Math.min(bytes >> 3, inputSlack));
  }

  #startAll(): void {
    this.#startsAll = true;
    this.#advance();
  }

  /** Stops a busy worker that sends no more messages. */
  #watch(member: PoolWorker): void {
    clearTimeout(member.timer);
    if (member.jobs.size === 0) return;
    let bytes = 0;
    for (const { task } of member.jobs.values()) bytes += task.workBytes;
    const giveUp = () => this.#handleFailure(member, "a worker sent no message for a minute");
    member.timer = setTimeout(giveUp, silenceTimeout + bytes / 2 ** 10);
  }

  async #startOne(): Promise<void> {
    const member = new PoolWorker(this.#startMethod);
    this.#workers.add(member);
    member.timer = setTimeout(
      () => this.#handleFailure(member, "the worker script did not start in time"),
      startTimeout,
    );
    try {
      const worker = await this.#startMethods[member.startMethod]!();
      if (!this.#workers.has(member)) return stopWorker(worker);
      member.worker = worker;
      listenTo(
        worker,
        (data) => this.#receive(member, data),
        (cause) => this.#handleFailure(member, cause),
      );
    } catch (cause) {
      this.#handleFailure(member, cause);
    }
  }

  #receive(member: PoolWorker, data: unknown): void {
    // Workers created by bundlers may send other messages.
    if (!this.#workers.has(member) || typeof data !== "object" || data === null) return;
    if (member.connection?.receive(data)) return;
    const message = data as WorkerMessage;
    if ("ready" in message) {
      clearTimeout(member.timer);
      member.isReady = true;
      this.#hasStarted ||= member.startMethod === this.#startMethod;
      member.connection = this.#connections?.open(member.worker!);
      keepAlive(member.worker, false);
    } else {
      const job = member.jobs.get(message.id);
      if (!job) return;
      member.jobs.delete(message.id);
      if (member.jobs.size === 0) keepAlive(member.worker, false);
      this.#watch(member);
      this.#crashes = 0;
      if (message.input instanceof ArrayBuffer) this.#recycle(this.#inputs, message.input);
      job.finish(message);
    }
    this.#advance();
  }

  /** Handles a worker that crashed or could not be started. */
  #handleFailure(member: PoolWorker, cause: unknown): void {
    if (!this.#workers.has(member)) return;
    if (member.isReady || !this.#tryNextMethod(member, cause)) this.#countFailure(member, cause);
    this.#remove(member);
    this.#advance();
  }

  /**
   * Returns false if a worker that did not start is not replaced: others have started this way, or no other
   * way is left.
   */
  #tryNextMethod({ startMethod }: PoolWorker, cause: unknown): boolean {
    if (startMethod < this.#startMethod) return true; // started together with one that failed
    if (this.#hasStarted || startMethod + 1 === this.#startMethods.length) return false;
    this.#startMethod++;
    this.#reasons.add(failureReason(cause));
    return true;
  }

  #countFailure(member: PoolWorker, cause: unknown): void {
    const before = this.#maxSize;
    // Workers that cannot start are not tried again.
    if (!member.isReady) this.#maxSize = Math.max(0, this.#maxSize - 1);
    if (++this.#crashes > maxCrashes) this.#maxSize = 0;
    if (this.#maxSize > 0 || before === 0) return;
    this.#reasons.add(failureReason(cause));
    warnNoWorkers(this.#reasons);
  }

  /** Stops a worker; its tasks return to the front of the queue. */
  #remove(member: PoolWorker): void {
    this.#workers.delete(member);
    clearTimeout(member.timer);
    if (member.worker) stopWorker(member.worker);
    member.connection?.close();
    const waiting = [...this.#queue];
    this.#queue.clear();
    for (const job of member.jobs.values()) {
      job.crashes++;
      if (!job.isSettled) this.#queue.add(job);
    }
    for (const job of waiting) this.#queue.add(job);
  }
}
