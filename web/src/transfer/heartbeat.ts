/**
 * Renews leases while their writer runs: in a thread in Node, because decoding a large chunk may block the main thread for
 * minutes; elsewhere, and for stores that a thread cannot open, by a timer.
 */

import type { Worker } from "node:worker_threads";
import { FileSystemStore } from "../store/file/store.js";
import { WritableHttpStore } from "../store/http/writable-store.js";
import { elapsedSince, Lease, type LeaseTerms, type Moment } from "../store/lease.js";
import type { Store } from "../store/store.js";
import { sleep } from "../store/transport.js";
import { keepAlive, packageFile } from "../util/platform.js";
import { hasNode, node } from "./host.js";

/** A lease as threads open it. */
export interface LeasePlace extends LeaseTerms {
  readonly kind: "folder" | "http" | "store";
  /** URL of the folder, with a "/" at its end; of no meaning for "store". */
  readonly folder: string;
  /** Name of the object in the folder. */
  readonly name: string;
  /** How often the lease is renewed, in milliseconds. */
  readonly interval: number;
}

/** @param given the store of a place of kind "store". */
export function openLease(place: LeasePlace, given?: Store): Lease {
  const isFolder = place.kind === "folder";
  const { folder } = place;
  const store = given ?? (isFolder ? new FileSystemStore(new URL(folder)) : new WritableHttpStore(folder));
  const key = `/${place.name}`;
  const name = store.locate?.(key) ?? key;
  const shown = isFolder && hasNode() ? node().url.fileURLToPath(name) : name;
  return new Lease(shown, store, key, place);
}

/** In shared memory: times of the last renewal, whether the lease is lost, renewals in progress, whether more may begin. */
type Report = BigInt64Array;
const slots = { monotonic: 0, clock: 1, isLost: 2, running: 3, isStopped: 4 } as const;

/** Milliseconds since the last renewal began; infinite for a lost lock. */
function lockAge(report: Report): number {
  if (Atomics.load(report, slots.isLost) === 1n) return Number.POSITIVE_INFINITY;
  const at = (slot: number) => Number(Atomics.load(report, slot));
  return elapsedSince([at(slots.monotonic), at(slots.clock)]);
}

function reportRenewal(report: Report, renewed: Moment | undefined): void {
  if (!renewed) return void Atomics.store(report, slots.isLost, 1n);
  renewed.forEach((time, slot) => void Atomics.store(report, slot, BigInt(time)));
}

/** Renews a lease once, unless its heartbeat was stopped. @throws what the store throws. */
async function renewOnce(lease: Lease, report: Report): Promise<void> {
  Atomics.add(report, slots.running, 1n);
  try {
    if (Atomics.load(report, slots.isStopped) === 0n) reportRenewal(report, await lease.renew());
  } finally {
    Atomics.sub(report, slots.running, 1n);
  }
}

interface HeartbeatData {
  readonly place: LeasePlace;
  readonly report: Report;
}

/** Renews a lease until its heartbeat is stopped, or it is lost. @param isThread whether to keep the thread alive. */
export async function renewRepeatedly(
  { place, report }: HeartbeatData,
  lease = openLease(place),
  isThread = true,
): Promise<void> {
  while (Atomics.load(report, slots.isStopped) === 0n && lockAge(report) !== Number.POSITIVE_INFINITY) {
    await new Promise<void>((resolve) => {
      keepAlive(setTimeout(resolve, place.interval * (0.75 + 0.5 * Math.random())), isThread);
    });
    // After a failure, the next renewal may succeed; otherwise, the main thread detects the loss.
    await renewOnce(lease, report).catch(() => {});
  }
}

/** Time limit for a renewal that is running when the heartbeat is stopped, in milliseconds. */
const stopTimeout = 5000;

export class Heartbeat {
  readonly #report: Report;
  #worker: Worker | undefined;
  #isStarted = false;

  /**
   * @param renewed when the lease was taken.
   * @param isLate whether renewing starts after a quarter of the interval: a short copy needs no thread.
   */
  constructor(
    private readonly place: LeasePlace,
    private readonly lease: Lease,
    renewed: Moment,
    isLate: boolean,
  ) {
    const memory = place.kind === "store" ? ArrayBuffer : SharedArrayBuffer;
    this.#report = new BigInt64Array(new memory(8 * Object.keys(slots).length));
    reportRenewal(this.#report, renewed);
    if (isLate)
      keepAlive(
        setTimeout(() => this.#start(), place.interval / 4),
        false,
      );
    else this.#start();
  }

  /** See {@link lockAge}. Starts renewing if that is due: timers do not fire while nothing waits for the system. */
  get age(): number {
    const age = lockAge(this.#report);
    if (age > this.place.interval / 4) this.#start();
    return age;
  }

  /** Renews the lease at once. @throws what the store throws. */
  renew(): Promise<void> {
    return renewOnce(this.lease, this.#report);
  }

  /** Stops renewing, after any running renewal. */
  async stop(): Promise<void> {
    Atomics.store(this.#report, slots.isStopped, 1n);
    const end = performance.now() + stopTimeout;
    while (Atomics.load(this.#report, slots.running) > 0n && performance.now() < end) await sleep(2);
    void this.#worker?.terminate();
  }

  #start(): void {
    if (this.#isStarted || Atomics.load(this.#report, slots.isStopped) === 1n) return;
    this.#isStarted = true;
    const { place } = this;
    const report = this.#report;
    const renewHere = () => {
      Atomics.store(report, slots.running, 0n);
      void renewRepeatedly({ place, report }, this.lease, false);
    };
    if (place.kind === "store") {
      renewHere();
      return;
    }
    try {
      const script = packageFile("bundle/lock-thread.js", import.meta.url);
      const options = { workerData: { place, report }, execArgv: [], stdin: false };
      this.#worker = new (node().threads.Worker)(script, options);
      this.#worker.unref();
      this.#worker.on("error", renewHere); // the script is missing if a bundler has moved this code
    } catch {
      renewHere();
    }
  }
}
