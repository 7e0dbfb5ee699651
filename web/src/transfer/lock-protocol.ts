/**
 * Takes, renews and releases locks, and takes them over from processes that were killed. A lock is renewed in a thread in
 * Node, because decoding a large chunk may block the main thread for minutes; elsewhere, and for stores that a thread
 * cannot open, by a timer.
 */

import type { Worker } from "node:worker_threads";
import { UnchangedTimer } from "../store/concurrency.js";
import { untilAborted } from "../util/async.js";
import { isZarrError } from "../util/errors.js";
import { keepAlive, packageFile } from "../util/platform.js";
import { node } from "./host.js";
import {
  elapsedSince,
  type FoundLock,
  type LockDocument,
  type LockLocation,
  LockObject,
  type LockState,
  type Moment,
  moment,
  type Writer,
  writersText,
} from "./lock-object.js";

/** Thrown if another writer holds a lock that this one needs. */
export class LockHeld extends Error {
  constructor(
    readonly object: LockObject,
    readonly document: LockDocument,
  ) {
    super(`${writersText(document)}, holds the lock ${object.name}`);
  }
}

/** Called once if the writer of a lock shows no sign of life, before the lock is taken over. */
export type OnSilence = (object: LockObject, document: LockDocument) => void;

type Verdict = "alive" | "stale" | "unknown";

/** Waits for a time. @throws the signal's reason as soon as it is aborted. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await untilAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Determines whether the writers of a lock are alive by reading it repeatedly. */
class Observer {
  #timer: UnchangedTimer | undefined;
  #first: string | undefined;
  #isReported = false;

  constructor(
    private readonly object: LockObject,
    private readonly onSilence: OnSilence,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async judge(document: LockDocument): Promise<Verdict> {
    const { interval, stale, stamp } = document;
    this.#first ??= stamp;
    this.#timer ??= new UnchangedTimer(interval);
    const unchanged = this.#timer.observe(stamp);
    if (unchanged >= stale) return (await this.#isStale(document)) ? "stale" : "unknown";
    if (unchanged > stale / 5 && !this.#isReported) {
      this.#isReported = true;
      this.onSilence(this.object, document);
    }
    return stamp === this.#first ? "unknown" : "alive";
  }

  /**
   * Whether a lock is unchanged although its location is writable. If all writes have stalled, its holder gets time to
   * continue.
   */
  async #isStale({ stamp, interval }: LockDocument): Promise<boolean> {
    const { object } = this;
    if (!(await object.probe())) return false;
    await sleep(2 * interval, this.signal);
    return (await object.read())?.document?.stamp === stamp;
  }

  /** Waits before the next read. @throws the signal's reason. */
  pause({ interval }: Pick<LockDocument, "interval">): Promise<void> {
    return sleep((interval / 4) * (0.5 + Math.random()), this.signal);
  }
}

export interface AcquireOptions {
  /** Milliseconds to wait for live writers to end. */
  readonly wait: number;
  readonly onSilence: OnSilence;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

/**
 * Takes a lock, or joins the writers that share it. A new lock is "starting".
 * @throws LockHeld; the signal's reason; what the store throws.
 */
export async function acquireLock(
  object: LockObject,
  own: Writer,
  terms: Pick<LockDocument, "share" | "interval" | "stale">,
  { wait, onSilence, signal }: AcquireOptions,
): Promise<void> {
  const mine = { ...terms, state: "starting", writers: [own] } as const;
  const isShared = ({ share }: LockDocument) => share !== undefined && share === terms.share;
  const observer = new Observer(object, onSilence, signal);
  const end = performance.now() + wait;
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const found = isFirst ? undefined : await object.read();
    const document = found?.document;
    if (!document) {
      if (await object.write(mine, found?.version ?? "absent")) return;
    } else if (isShared(document) && document.state === "writing") {
      const writers = [...document.writers, own];
      if (await object.write({ ...document, writers }, found.version)) return;
    } else {
      const verdict = await observer.judge(document);
      if (verdict === "stale" && (await object.write(mine, found.version))) return;
      const isPassing = document.state === "ending" || isShared(document);
      if (verdict === "alive" && !isPassing && performance.now() >= end) throw new LockHeld(object, document);
    }
    if (!isFirst) await observer.pause(document ?? terms);
  }
}

/**
 * Waits until another destination's lock is released; removes a stale one.
 * @param waitsForStart whether to wait for writers that are "starting", which will find this process's lock.
 * @throws LockHeld for a live writer; the signal's reason.
 */
export async function awaitRelease(
  object: LockObject,
  waitsForStart: boolean,
  onSilence: OnSilence,
  signal: AbortSignal | undefined,
): Promise<void> {
  const observer = new Observer(object, onSilence, signal);
  for (;;) {
    signal?.throwIfAborted();
    const found = await object.read();
    if (!found?.document) return;
    const { document, version } = found;
    const verdict = await observer.judge(document);
    if (verdict === "stale") {
      try {
        if (await end(object, { ...document, writers: [] }, version)) return;
      } catch (error) {
        if (isZarrError(error, "ReadOnly")) return; // it is not renewed, so that it can stay
        throw error;
      }
    } else if (verdict === "alive" && document.state !== "ending") {
      if (!waitsForStart || document.state !== "starting") throw new LockHeld(object, document);
    }
    await observer.pause(document);
  }
}

/** Whether a process holds a lock. */
export const isWriter = ({ writers }: LockDocument, id: string): boolean =>
  writers.some((writer) => writer.id === id);

/**
 * Changes a lock, which shows other processes that its writer is alive. A change by another process or thread that keeps
 * the writer also counts.
 * @param state to change to. Default: stays.
 * @returns the lock's stamp; undefined if the lock is lost.
 */
export async function renewLock(
  object: LockObject,
  id: string,
  state?: LockState,
): Promise<string | undefined> {
  let stamp: string | undefined;
  for (;;) {
    const found = await object.read();
    const document = found?.document;
    if (!document || !isWriter(document, id)) return undefined;
    const next = { ...document, state: state ?? document.state };
    if (stamp !== undefined && stamp !== document.stamp && next.state === document.state)
      return document.stamp;
    const written = await object.write(next, found!.version);
    if (written) return written;
    stamp = document.stamp;
    await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
  }
}

/**
 * Releases a lock, or leaves it to the others that share it.
 * @returns false if it was lost before.
 */
export async function releaseLock(object: LockObject, id: string): Promise<boolean> {
  for (;;) {
    const found = await object.read();
    const document = found?.document;
    if (!document || !isWriter(document, id)) return false;
    const writers = document.writers.filter((writer) => writer.id !== id);
    const isLeft =
      writers.length > 0
        ? await object.write({ ...document, writers }, found!.version)
        : await end(object, document, found!.version);
    if (isLeft) return true;
    await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
  }
}

/**
 * Deletes a lock if its version has not changed. Deletions are unconditional, so the lock is first marked as ending, which
 * prevents other processes from joining it and, until it is stale, from taking it over.
 * @returns false if it has changed.
 */
async function end(
  object: LockObject,
  document: LockDocument,
  version: FoundLock["version"],
): Promise<boolean> {
  const start = moment();
  if (!(await object.write({ ...document, state: "ending" }, version))) return false;
  if (elapsedSince(start) < document.stale / 2) await object.remove(); // otherwise, another process may hold it by now
  return true;
}

/** Input of the thread, and its report in shared memory. */
export interface HeartbeatData {
  readonly place: LockLocation;
  readonly id: string;
  readonly interval: number;
  /** Times of the last renewal (monotonic, then of the clock), in milliseconds; 1 if the lock is lost; a {@link states}. */
  readonly report: BigInt64Array;
}

const slots = { monotonic: 0, clock: 1, lost: 2, state: 3 } as const;
/** States of the thread. A thread that is stopped while it is idle, or starts, renews nothing any more. */
const states = { idle: 0n, renewing: 1n, stopped: 2n } as const;
const reportLength = 4;

/** Lets the thread renew. Returns false if it was stopped. */
export const beginRenewal = (report: BigInt64Array): boolean =>
  Atomics.compareExchange(report, slots.state, states.idle, states.renewing) === states.idle;

export const endRenewal = (report: BigInt64Array): void => {
  Atomics.store(report, slots.state, states.idle);
};

/** The report of a heartbeat in shared memory, for other threads. */
export interface LockLiveness {
  readonly report: BigInt64Array;
  /** Age at which another process may take the lock over, in milliseconds. */
  readonly stale: number;
}

/** Milliseconds since the last renewal began; infinite for a lost lock. */
export function lockAge(report: BigInt64Array): number {
  if (Atomics.load(report, slots.lost) === 1n) return Number.POSITIVE_INFINITY;
  const at = (slot: number) => Number(Atomics.load(report, slot));
  return elapsedSince({ monotonic: at(slots.monotonic), clock: at(slots.clock) });
}

/** Time limit for a renewal that is running when the heartbeat is stopped, in milliseconds. */
const stopTimeout = 5000;

export class Heartbeat {
  readonly #data: HeartbeatData;
  readonly #object: LockObject;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;
  /** The renewal most recently started by the timer. */
  #beating: Promise<void> | undefined;
  #hasStarted = false;
  #isStopped = false;

  /**
   * @param renewed when the lock was taken or renewed last.
   * @param isLate whether renewing starts after a quarter of the interval: a short copy needs no thread.
   */
  constructor(object: LockObject, id: string, interval: number, renewed: Moment, isLate: boolean) {
    const isThreaded = object.place.kind !== "store";
    const memory = isThreaded ? new SharedArrayBuffer(8 * reportLength) : new ArrayBuffer(8 * reportLength);
    const report = new BigInt64Array(memory);
    this.#data = { place: object.place, id, interval, report };
    this.#object = object;
    reportRenewal(report, renewed);
    if (!isLate) this.#start();
    else {
      this.#late = setTimeout(() => this.#start(), interval / 4);
      keepAlive(this.#late, false);
    }
  }

  /** Starts renewing if that is due. Timers do not fire while nothing waits for the system. */
  startIfDue(): void {
    if (!this.#hasStarted && this.age > this.#data.interval / 4) this.#start();
  }

  /** See {@link LockLiveness}. */
  get report(): BigInt64Array {
    return this.#data.report;
  }

  get isLost(): boolean {
    return Atomics.load(this.report, slots.lost) === 1n;
  }

  /** Milliseconds since the last renewal began; infinite for a lost lock. */
  get age(): number {
    return lockAge(this.report);
  }

  /** Renews the lock at once, unless it is lost. @throws what the store throws. */
  async beat(): Promise<void> {
    await new Renewer(this.#data, this.#object).renew();
  }

  /** Stops renewing, after any running renewal. */
  async stop(): Promise<void> {
    this.#isStopped = true; // a thread that fails now starts no timer
    clearTimeout(this.#late);
    clearInterval(this.#timer);
    await this.#beating;
    const worker = this.#worker;
    if (!worker || worker.threadId < 0) return;
    const { report } = this;
    if (Atomics.compareExchange(report, slots.state, states.idle, states.stopped) === states.idle)
      return void worker.terminate(); // starting a thread takes longer than a small copy
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("stop");
    const late = setTimeout(() => void worker.terminate(), stopTimeout);
    await ended;
    clearTimeout(late);
  }

  #start(): void {
    if (this.#hasStarted || this.#isStopped) return;
    this.#hasStarted = true;
    if (this.#data.place.kind === "store") this.#startTimer();
    else this.#startThread();
  }

  #startThread(): void {
    try {
      const script = packageFile("bundle/lock-thread.js", import.meta.url);
      const options = { workerData: this.#data, execArgv: [], stdin: false };
      this.#worker = new (node().threads.Worker)(script, options);
      this.#worker.unref();
      // The script is missing if a bundler has moved this code.
      this.#worker.on("error", () => this.#startTimer());
    } catch {
      this.#startTimer();
    }
  }

  #startTimer(): void {
    if (this.#isStopped) return;
    const beat = async () => {
      await this.#beating;
      if (!this.#isStopped) await this.beat().catch(() => {});
    };
    this.#timer ??= setInterval(() => {
      this.#beating = beat();
    }, this.#data.interval);
    keepAlive(this.#timer, false);
  }
}

function reportRenewal(report: BigInt64Array, { monotonic, clock }: Moment): void {
  Atomics.store(report, slots.monotonic, BigInt(monotonic));
  Atomics.store(report, slots.clock, BigInt(clock));
}

/** Renews a lock repeatedly, and reports it. */
export class Renewer {
  /** The most recent read of the lock. */
  #last: { readonly at: Moment; readonly stamp: string } | undefined;

  constructor(
    private readonly data: HeartbeatData,
    private readonly object: LockObject = new LockObject(data.place),
  ) {}

  /**
   * Renews the lock, unless another writer that shares it has changed it since the last read: of a thousand parts, only
   * one writes.
   * @returns false if the lock is lost.
   */
  async renew(): Promise<boolean> {
    const { id, report } = this.data;
    const at = moment();
    const document = (await this.object.read())?.document;
    let stamp = document && isWriter(document, id) ? document.stamp : undefined;
    if (stamp !== undefined && this.#last && this.#last.stamp !== stamp) {
      reportRenewal(report, this.#last.at);
    } else if (stamp !== undefined) {
      stamp = await renewLock(this.object, id);
      if (stamp !== undefined) reportRenewal(report, at);
    }
    if (stamp === undefined) {
      Atomics.store(report, slots.lost, 1n);
      return false;
    }
    this.#last = { at, stamp };
    return true;
  }
}
