/** Renews a lock from a thread of its own: decoding a large chunk may block the main thread for minutes. */
import { Worker } from "node:worker_threads";
import { LockObject, type LockPlace } from "./object.js";
import { renew } from "./protocol.js";

/** What the thread is given, and what it reports through shared memory. */
export interface HeartbeatData {
  readonly place: LockPlace;
  readonly id: string;
  readonly interval: number;
  /** Times of the last renewal (monotonic, then of the clock), in milliseconds; 1 if the lock is lost. */
  readonly report: BigInt64Array;
}

const slots = { monotonic: 0, clock: 1, lost: 2 } as const;

/** Longest wait for a renewal that is under way when the heartbeat is stopped. */
const patience = 5000;

export class Heartbeat {
  readonly #data: HeartbeatData;
  readonly #worker: Worker;
  #timer: NodeJS.Timeout | undefined;

  /** @param renewed when the lock was taken or renewed last. */
  constructor(place: LockPlace, id: string, interval: number, renewed: Moment) {
    const report = new BigInt64Array(new SharedArrayBuffer(8 * 3));
    this.#data = { place, id, interval, report };
    reportRenewal(report, renewed);
    const script = new URL("./heartbeat-thread.js", import.meta.url);
    this.#worker = new Worker(script, { workerData: this.#data, execArgv: [], stdin: false });
    this.#worker.unref();
    this.#worker.on("error", () => this.#beatHere());
  }

  get isLost(): boolean {
    return Atomics.load(this.#data.report, slots.lost) === 1n;
  }

  /**
   * Milliseconds since the last renewal began. The clock counts as well as monotonic time, which stands still while the
   * computer is suspended.
   */
  get age(): number {
    const now = moment();
    const since = (slot: number, time: number) => time - Number(Atomics.load(this.#data.report, slot));
    return Math.max(since(slots.monotonic, now.monotonic), since(slots.clock, now.clock));
  }

  /** Renews the lock at once. @returns false if it is lost. */
  async beat(): Promise<boolean> {
    return beatOnce(this.#data);
  }

  /** Stops the thread, after a renewal that is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const worker = this.#worker;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    if (worker.threadId < 0) return;
    worker.postMessage("stop");
    const late = setTimeout(() => void worker.terminate(), patience);
    await ended;
    clearTimeout(late);
  }

  /** Without threads the main one has to do. */
  #beatHere(): void {
    this.#timer ??= setInterval(() => void this.beat().catch(() => {}), this.#data.interval).unref();
  }
}

export interface Moment {
  readonly monotonic: number;
  readonly clock: number;
}

/** Now, by clocks that all threads of a process share. */
export const moment = (): Moment => ({
  monotonic: Number(process.hrtime.bigint() / 1_000_000n),
  clock: Date.now(),
});

function reportRenewal(report: BigInt64Array, { monotonic, clock }: Moment): void {
  Atomics.store(report, slots.monotonic, BigInt(monotonic));
  Atomics.store(report, slots.clock, BigInt(clock));
}

/** @returns false if the lock is lost. */
export async function beatOnce({ place, id, report }: HeartbeatData): Promise<boolean> {
  const start = moment();
  const isHeld = await renew(new LockObject(place), id);
  if (isHeld) reportRenewal(report, start);
  else Atomics.store(report, slots.lost, 1n);
  return isHeld;
}
