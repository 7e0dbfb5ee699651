/** Renews a lock in a separate thread: decoding a large chunk may block the main thread for minutes. */
import { Worker } from "node:worker_threads";
import { elapsedSince, type Moment, moment } from "./moment.js";
import { LockObject, type LockPlace } from "./object.js";
import { isWriter, renew } from "./protocol.js";

/** Input of the thread, and its report in shared memory. */
export interface HeartbeatData {
  readonly place: LockPlace;
  readonly id: string;
  readonly interval: number;
  /** Times of the last renewal (monotonic, then of the clock), in milliseconds; 1 if the lock is lost. */
  readonly report: BigInt64Array;
}

const slots = { monotonic: 0, clock: 1, lost: 2 } as const;

/** Time limit for a renewal that is under way when the heartbeat is stopped, in milliseconds. */
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

  /** Milliseconds since the last renewal began. */
  get age(): number {
    const at = (slot: number) => Number(Atomics.load(this.#data.report, slot));
    return elapsedSince({ monotonic: at(slots.monotonic), clock: at(slots.clock) });
  }

  /** Renews the lock at once, unless it is lost. @throws what the store throws. */
  async beat(): Promise<void> {
    await new Renewer(this.#data).renew();
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

function reportRenewal(report: BigInt64Array, { monotonic, clock }: Moment): void {
  Atomics.store(report, slots.monotonic, BigInt(monotonic));
  Atomics.store(report, slots.clock, BigInt(clock));
}

/** Renews a lock now and then, and reports it. */
export class Renewer {
  readonly #object: LockObject;
  /** The last look at the lock. */
  #last: { readonly at: Moment; readonly stamp: string } | undefined;

  constructor(private readonly data: HeartbeatData) {
    this.#object = new LockObject(data.place);
  }

  /**
   * Renews the lock, unless another writer that shares it has changed it since the last look: of a thousand parts, one
   * writes.
   * @returns false if the lock is lost.
   */
  async renew(): Promise<boolean> {
    const { id, report } = this.data;
    const at = moment();
    const document = (await this.#object.read())?.document;
    let stamp = document && isWriter(document, id) ? document.stamp : undefined;
    if (stamp !== undefined && this.#last && this.#last.stamp !== stamp) {
      reportRenewal(report, this.#last.at);
    } else if (stamp !== undefined) {
      stamp = await renew(this.#object, id);
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
