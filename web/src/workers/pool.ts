/** A pool of workers that decode and encode chunks. */

import { wholePlace } from "../chain/chunk-codec.js";
import type { CoreChunkCodec } from "../chain/core-chunk.js";
import { sessionOf, withFullIfNeeded } from "../engine/engine.js";
import { compiledModule } from "../engine/module.js";
import type { Projection } from "../plan/projections.js";
import type { ResultBytes } from "../read/result.js";
import type { LocateError, Sink } from "../read/sink.js";
import type { Transport } from "../store/transport.js";
import { checkObject } from "../util/arguments.js";
import { BufferPool } from "../util/buffer-pool.js";
import { invalidArgument } from "../util/errors.js";
import { preload } from "../util/lazy.js";
import {
  type AnyWorker,
  allowListeners,
  keepAlive,
  listenTo,
  parallelism,
  stopWorker,
} from "../util/platform.js";
import type { WasmModule } from "../util/web-types.js";
import { isFailure, isItsOwn, StepFailure, unpackFailure } from "./errors.js";
import { Acquaintance, type PoolTask, type WorkAnswer, type WorkerMessage } from "./messages.js";
import { type Helpers, isWorthPooling, minWorkBytes, PoolSink } from "./pool-sink.js";
import { type FetchLine, FetchLines } from "./remote-fetch.js";
import { slabTask } from "./slab-work.js";
import { packagedWorkers, type StartWorker } from "./start.js";
import { type PoolStatus, reasonOf, sayNoWorkers } from "./status.js";

export interface WorkerPoolOptions {
  /** Most workers. Default: as many as threads run at a time, at most 8. 0: all is done by the calling thread. */
  size?: number | undefined;
  /**
   * Makes a worker that runs `zarr-wasm/worker`, a module script: for programs in one file under a strict policy, and
   * for workers of another kind. No other way is tried then.
   */
  createWorker?: (() => AnyWorker | Promise<AnyWorker>) | undefined;
  /** false: the calling thread sends all requests itself. Default: in pages, workers send those for whole chunks over HTTP. */
  fetch?: boolean | undefined;
}

const mostByDefault = 8;
/** Pieces of work that a worker has at a time: one to do, and one so that it need not wait. */
const depth = 2;
/** Most bytes by which the memory of encoded chunks may exceed them. */
const inputSlack = 2 ** 20;
/** Milliseconds after which a worker that has not said a word counts as one that cannot start. */
const startTimeout = 15_000;
/** Milliseconds of silence after which a worker that has work counts as dead: so many, and one for each KiB of it. */
const silence = 60_000;
/** So many workers dead in a row, without a piece of work done, and there are no more of them. */
const maxDeaths = 8;

/**
 * Workers that decode the chunks of `get`, `getBytes` and `getChunk`, and encode those of `set`, `setChunk` and `append`.
 * They start when there is work, and stay until `destroy`. Whatever goes wrong with them, the calling thread does it
 * instead.
 */
export class WorkerPool {
  /** What consoles show, also of minified programs. */
  static get name(): string {
    return "WorkerPool";
  }

  /** Ways to start a worker; the one that is in use. */
  readonly #ways: readonly StartWorker[];
  #way = 0;
  /** Whether a worker has started in that way. */
  #isProven = false;
  readonly #crew = new Set<Member>();
  readonly #queue = new Set<Job>();
  /** Memory of slabs that have been copied out, and of encoded chunks, for the next: as long as regions are read. */
  readonly #slabs = new BufferPool();
  readonly #inputs = new BufferPool();
  /** Those to workers that send requests; undefined where none do. */
  readonly #lines: FetchLines | undefined;
  #reads = 0;
  #places: number;
  #deaths = 0;
  #nextId = 0;
  #isDestroyed = false;
  /** Why workers did not start, one reason per way. */
  #reasons: string[] = [];

  /** @throws InvalidArgument for a size that is no count. */
  constructor(options: WorkerPoolOptions = {}) {
    checkObject(options, "options of a pool");
    const { size = Math.min(parallelism(), mostByDefault), createWorker, fetch = true } = options;
    if (!Number.isSafeInteger(size) || size < 0)
      throw invalidArgument(`the size of a pool must be a count of workers, not ${size}`);
    this.#places = size;
    this.#ways = createWorker ? [createWorker] : packagedWorkers;
    if (fetch) this.#lines = new FetchLines(() => this.#hireAll());
  }

  /** The most workers that there will be: fewer than asked for where some could not be started. */
  get size(): number {
    return this.#places;
  }

  /**
   * What has become of the pool: "idle" before there was work, "starting", "running" with a worker or more, "failed"
   * where none could be started or too many died (`reason` says why), "destroyed"; and how many workers run.
   */
  get status(): PoolStatus {
    let workers = 0;
    for (const { isReady } of this.#crew) if (isReady) workers++;
    const state = this.#state(workers);
    return state === "failed" ? { state, workers, reason: this.#reasons.join("; ") } : { state, workers };
  }

  #state(workers: number): PoolStatus["state"] {
    if (this.#isDestroyed) return "destroyed";
    if (workers > 0) return "running";
    if (this.#places === 0 && this.#reasons.length > 0) return "failed";
    return this.#crew.size > 0 ? "starting" : "idle";
  }

  /**
   * Starts the workers, and loads what they decode with, before there is work: for pages that will soon read, so that
   * the first read need not wait. If that fails, the first read will say so.
   */
  start(): void {
    this.#hireAll();
    preload(() => sessionOf("decode"));
  }

  /** Stops the workers. What is under way is finished by the calling thread, and so is what comes later. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#places = 0;
    for (const member of this.#crew) this.#dismiss(member);
    this.#advance();
  }

  /** @internal A sink whose work is done here; undefined where the calling thread had better do it. */
  makeSink(
    codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    out: ResultBytes,
    located: LocateError,
  ): Sink | undefined {
    if (this.#places === 0 || codec.isNative) return undefined;
    if (!isWorthPooling(projections, codec.plan.array.dtype.itemBytes)) return undefined;
    const helpers: Helpers = {
      enter: () => this.enter(),
      leave: () => this.leave(),
      submit: (work, signal) => this.submit(slabTask(work), signal),
      releaseBytes: (slab) => this.#keep(this.#slabs, slab.buffer as ArrayBuffer),
    };
    return new PoolSink(helpers, codec, projections, out, located);
  }

  /** @internal What sends requests for the chunks that are decoded here; undefined for the usual way. */
  get transport(): Transport | undefined {
    return this.#places > 0 ? this.#lines?.transport : undefined;
  }

  /** @internal Says that a region is being read or written: until {@link leave} memory is kept for further work. */
  enter(): void {
    this.#reads++;
  }

  /** @internal */
  leave(): void {
    if (--this.#reads > 0) return;
    this.#slabs.clear();
    this.#inputs.clear();
  }

  /** @internal Whether single chunks are decoded, or encoded, here. */
  takes({ isNative, plan }: CoreChunkCodec): boolean {
    return this.#places > 0 && !isNative && plan.decodedBytes >= minWorkBytes;
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
    return withFullIfNeeded(codec, async (module) => {
      try {
        return (await this.submit(slabTask({ module, bytes, steps }), signal))!;
      } catch (error) {
        throw error instanceof StepFailure ? error.error : error;
      }
    });
  }

  /** @internal Has work done by a worker. Aborting removes it from the queue, and throws the signal's reason. */
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
      const job: Job = new Job(task, wasm, resolve as (value: unknown) => void, reject, onSettled);
      if (signal) {
        allowListeners(signal);
        signal.addEventListener("abort", abort, { once: true });
      }
      this.#queue.add(job);
      this.#advance();
    });
  }

  /** Hands out work, and sees to it that there are workers for the rest. */
  #advance(): void {
    for (const job of this.#queue) {
      if (this.#places === 0 || job.deaths > 1) {
        this.#queue.delete(job);
        void job.runHere();
        continue;
      }
      const member = this.#leastBusy();
      if (!member) break;
      this.#queue.delete(job);
      this.#give(member, job);
    }
    let missing = Math.min(this.#queue.size + this.#givenCount(), this.#mostWorkers) - this.#crew.size;
    while (missing-- > 0) void this.#hire();
  }

  /** One until it is known whether a worker starts in other than the usual way: each that does not is an error message. */
  get #mostWorkers(): number {
    return this.#way === 0 || this.#isProven ? this.#places : Math.min(1, this.#places);
  }

  #givenCount(): number {
    let count = 0;
    for (const member of this.#crew) count += member.jobs.size;
    return count;
  }

  #leastBusy(): Member | undefined {
    let best: Member | undefined;
    for (const member of this.#crew) {
      if (member.isReady && member.jobs.size < (best?.jobs.size ?? depth)) best = member;
    }
    return best;
  }

  #give(member: Member, job: Job): void {
    const id = this.#nextId++;
    member.jobs.set(id, job);
    try {
      const { inputBytes, spareBytes } = job.task;
      const spare = spareBytes === undefined ? undefined : this.#slabs.take(spareBytes);
      const message = member.acquaintance.pack(id, job.task, job.wasm, this.#inputFor(inputBytes), spare);
      member.worker!.postMessage(message, spare ? [message.input, spare] : [message.input]);
      if (member.jobs.size === 1) keepAlive(member.worker, true);
      this.#watch(member);
    } catch (cause) {
      // A message that cannot be sent, or no memory for it: done here, and the worker knows less than was noted.
      job.deaths = 2;
      this.#lose(member, cause);
    }
  }

  #keep(bufferPool: BufferPool, buffer: ArrayBuffer): void {
    if (this.#reads > 0) bufferPool.give(buffer, depth * this.#places);
  }

  /** Room for what some work reads; a little more than that, so that it fits what the next reads. */
  #inputFor(bytes: number): Uint8Array<ArrayBuffer> {
    const room = this.#inputs.take(bytes, 2 * bytes + inputSlack);
    return room ? new Uint8Array(room) : new Uint8Array(bytes + Math.min(bytes >> 3, inputSlack));
  }

  #hireAll(): void {
    while (this.#crew.size < this.#mostWorkers) void this.#hire();
  }

  /** Gives a worker up that has work and says nothing any more. */
  #watch(member: Member): void {
    clearTimeout(member.timer);
    if (member.jobs.size === 0) return;
    let bytes = 0;
    for (const { task } of member.jobs.values()) bytes += task.workBytes;
    const giveUp = () => this.#lose(member, "a worker has said nothing for a minute");
    member.timer = setTimeout(giveUp, silence + bytes / 2 ** 10);
  }

  async #hire(): Promise<void> {
    const member = new Member(this.#way);
    this.#crew.add(member);
    member.timer = setTimeout(() => this.#lose(member, "the script has not started in time"), startTimeout);
    try {
      const worker = await this.#ways[member.way]!();
      if (!this.#crew.has(member)) return stopWorker(worker);
      member.worker = worker;
      listenTo(
        worker,
        (data) => this.#hear(member, data),
        (cause) => this.#lose(member, cause),
      );
    } catch (cause) {
      this.#lose(member, cause);
    }
  }

  #hear(member: Member, data: unknown): void {
    // Workers of bundlers may say things of their own.
    if (!this.#crew.has(member) || typeof data !== "object" || data === null) return;
    if (member.line?.hear(data)) return;
    const message = data as WorkerMessage;
    if ("ready" in message) {
      clearTimeout(member.timer);
      member.isReady = true;
      this.#isProven ||= member.way === this.#way;
      member.line = this.#lines?.open(member.worker!);
      keepAlive(member.worker, false);
    } else {
      const job = member.jobs.get(message.id);
      if (!job) return;
      member.jobs.delete(message.id);
      if (member.jobs.size === 0) keepAlive(member.worker, false);
      this.#watch(member);
      this.#deaths = 0;
      if (message.input instanceof ArrayBuffer) this.#keep(this.#inputs, message.input);
      job.finish(message);
    }
    this.#advance();
  }

  /** A worker is dead, or could not be started. */
  #lose(member: Member, cause: unknown): void {
    if (!this.#crew.has(member)) return;
    if (member.isReady || !this.#tryNextWay(member, cause)) this.#giveUp(member, cause);
    this.#dismiss(member);
    this.#advance();
  }

  /** False where a worker that did not start has no successor: others have started so, or there is no other way. */
  #tryNextWay({ way }: Member, cause: unknown): boolean {
    if (way < this.#way) return true; // of those that were started together with one that failed
    if (this.#isProven || way + 1 === this.#ways.length) return false;
    this.#way++;
    this.#reasons.push(reasonOf(cause));
    return true;
  }

  #giveUp(member: Member, cause: unknown): void {
    const before = this.#places;
    // Those that cannot start are not tried again.
    if (!member.isReady) this.#places = Math.max(0, this.#places - 1);
    if (++this.#deaths > maxDeaths) this.#places = 0;
    if (this.#places > 0 || before === 0) return;
    this.#reasons.push(reasonOf(cause));
    sayNoWorkers(this.#reasons);
  }

  /** Stops a worker; its work goes back to the front of the queue. */
  #dismiss(member: Member): void {
    this.#crew.delete(member);
    clearTimeout(member.timer);
    if (member.worker) stopWorker(member.worker);
    member.line?.close();
    const waiting = [...this.#queue];
    this.#queue.clear();
    for (const job of member.jobs.values()) {
      job.deaths++;
      if (!job.isSettled) this.#queue.add(job);
    }
    for (const job of waiting) this.#queue.add(job);
  }
}

/** One worker. */
class Member {
  worker: AnyWorker | undefined;
  line: FetchLine | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  isReady = false;
  readonly acquaintance = new Acquaintance();
  readonly jobs = new Map<number, Job>();

  constructor(
    /** In which way it is started. */
    readonly way: number,
  ) {}
}

/** A piece of work, and who waits for it. */
class Job {
  /** Workers that it has outlived. */
  deaths = 0;
  isSettled = false;

  constructor(
    readonly task: PoolTask<unknown>,
    readonly wasm: WasmModule,
    private readonly resolve: (outcome: unknown) => void,
    private readonly reject: (error: unknown) => void,
    private readonly onSettled: () => void,
  ) {}

  /** Only the first outcome counts: what comes after an abort is dropped. */
  settle(outcome: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.onSettled();
    outcome();
  }

  /** A worker that does not say what ours do, of another version or somebody else's, is not believed. */
  finish(answer: WorkAnswer): void {
    const { failure } = answer;
    const read = failure === undefined ? this.task.read(answer) : undefined;
    if (read) this.settle(() => this.resolve(read.outcome));
    else if (isFailure(failure) && !isItsOwn(failure)) this.settle(() => this.reject(unpackFailure(failure)));
    else void this.runHere(); // what an engine fails in there may do here
  }

  /** By the calling thread. */
  async runHere(): Promise<void> {
    if (this.isSettled) return;
    try {
      const session = await sessionOf(this.task.module);
      if (this.isSettled) return;
      const outcome = this.task.run(session);
      this.settle(() => this.resolve(outcome));
    } catch (error) {
      this.settle(() => this.reject(error));
    }
  }
}
