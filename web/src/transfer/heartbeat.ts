/**
 * Renews a lock while its holder works: in a thread in Node, because decoding a large chunk may block the main thread for
 * minutes; elsewhere, and for stores that a thread cannot open, by a timer.
 */

import type { Worker } from "node:worker_threads";
import { keepAlive, packageFile } from "../util/platform.js";
import { node } from "./host.js";
import { elapsedSince, LockObject, type LockPlace, type Moment, moment } from "./lock-object.js";
import { isWriter, renew } from "./lock-protocol.js";

/** Input of the thread, and its report in shared memory. */
export interface HeartbeatData {
  readonly place: LockPlace;
  readonly id: string;
  readonly interval: number;
  /** Times of the last renewal (monotonic, then of the clock), in milliseconds; 1 if the lock is lost. */
  readonly report: BigInt64Array;
}

const slots = { monotonic: 0, clock: 1, lost: 2 } as const;

/** Time limit for a renewal that is running when the heartbeat is stopped, in milliseconds. */
const patience = 5000;

export class Heartbeat {
  readonly #data: HeartbeatData;
  readonly #object: LockObject;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The renewal that the timer has started last. */
  #beating: Promise<void> | undefined;
  #isStopped = false;

  /** @param renewed when the lock was taken or renewed last. */
  constructor(object: LockObject, id: string, interval: number, renewed: Moment) {
    const isThreaded = object.place.kind !== "store";
    const memory = isThreaded ? new SharedArrayBuffer(8 * 3) : new ArrayBuffer(8 * 3);
    const report = new BigInt64Array(memory);
    this.#data = { place: object.place, id, interval, report };
    this.#object = object;
    reportRenewal(report, renewed);
    if (isThreaded) this.#startThread();
    else this.#startTimer();
  }

  get isLost(): boolean {
    return Atomics.load(this.#data.report, slots.lost) === 1n;
  }

  /** Milliseconds since the last renewal began. */
  get age(): number {
    const at = (slot: number) => Number(Atomics.load(this.#data.report, slot));
    return elapsedSince({ monotonic: at(slots.monotonic), clock: at(slots.clock) });
  }

  /** Renews the lock at once, unless it is lost. @throws what the store throws. */
  async beat(): Promise<void> {
    await new Renewer(this.#data, this.#object).renew();
  }

  /** Stops renewing, after any running renewal. */
  async stop(): Promise<void> {
    this.#isStopped = true; // a thread that fails now starts no timer
    clearInterval(this.#timer);
    await this.#beating;
    const worker = this.#worker;
    if (!worker || worker.threadId < 0) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("stop");
    const late = setTimeout(() => void worker.terminate(), patience);
    await ended;
    clearTimeout(late);
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
  /** The last look at the lock. */
  #last: { readonly at: Moment; readonly stamp: string } | undefined;

  constructor(
    private readonly data: HeartbeatData,
    private readonly object: LockObject = new LockObject(data.place),
  ) {}

  /**
   * Renews the lock, unless another writer that shares it has changed it since the last look: of a thousand parts, one
   * writes.
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
      stamp = await renew(this.object, id);
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
