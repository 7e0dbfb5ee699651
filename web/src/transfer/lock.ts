/**
 * The lock of a destination: a lease in its root, which one writer holds at a time, or the parts of one copy together. A writer
 * takes its own lease first and then looks for those of the folders above. It does not look for leases deeper inside.
 */

import { FileSystemStore } from "../store/file/store.js";
import { WritableHttpStore } from "../store/http/writable-store.js";
import { elapsedSince, Lease, type Moment, moment, type Observing, type Writer } from "../store/lease.js";
import type { Store } from "../store/store.js";
import { randomHex, sha256, writerLockName } from "../store/temp-names.js";
import { conflict, isZarrError, messageOf, networkError, type OnWarning } from "../util/errors.js";
import { keepAlive } from "../util/platform.js";
import { exitHooks, hasNode, node, transferTimes } from "./host.js";
import { folderUrl, isSourceError, plainName, realPath } from "./places.js";

/** The place to lock. */
export interface LockTarget {
  readonly kind: "folder" | "zip" | "http" | "store";
  /** Name in messages. */
  readonly name: string;
  /** Path of a folder or archive, or URL of a server; undefined for other stores. */
  readonly place: string | undefined;
  /** The store without the gate. */
  readonly inner: Store;
  readonly gate: WriteGate;
}

/** Allows writes to a destination only while its lock is held and the process is not ending. */
export class WriteGate {
  /** Throws if the lock is lost; undefined before the destination is locked. */
  lockCheck: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #isEnding = false;
  /** Removes the hook for the end of the process. */
  readonly release = exitHooks.add(() => this.end());

  /** @throws Network if the lock is lost. */
  readonly checkLock = async (): Promise<void> => this.lockCheck?.();

  /** Runs a write, for which {@link end} waits. @throws Network if the lock is lost. */
  async run<T>(write: () => T | Promise<T>): Promise<T> {
    await this.checkLock();
    if (this.#isEnding) await new Promise<never>(() => {});
    const running = Promise.resolve(write());
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      await this.checkLock(); // the destination may have been deleted because the lock was lost
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for running writes, and blocks new ones. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#running);
  }
}

export interface LockOptions {
  /** Writers with the same text may write at the same time. Default: a single writer. */
  readonly share?: string | undefined;
  /** Time to wait for another writer to end, in milliseconds. Default: 0. */
  readonly wait?: number | undefined;
  /** A store that must not be another handle of the destination. */
  readonly source?: Store | undefined;
  /** Stops waiting for the lock. */
  readonly signal?: AbortSignal | undefined;
  /** Receives "silent-lock" if the writer of a lock shows no sign of life, before the lock is taken over. */
  readonly onWarning?: OnWarning | undefined;
}

export interface DestinationLock {
  /**
   * Ends writing.
   * @throws Network if the lock was lost: the written objects may be gone.
   */
  finish(): Promise<void>;
  /** Releases the lock in any case. Does nothing after {@link finish}. */
  release(): Promise<void>;
}

/** Placeholder for destinations that do not support locks. */
const unlocked: DestinationLock = { finish: async () => {}, release: async () => {} };

/**
 * Locks a destination until `finish` or `release`, or the end of this process other than by SIGKILL. From then on its
 * store writes and deletes only while the lock is held. The lock of a killed process is taken over.
 * @throws Conflict ("locked"), naming the process that writes to the destination, or to one that contains it.
 */
export async function lockDestination(
  destination: LockTarget,
  options: LockOptions = {},
): Promise<DestinationLock> {
  const { gate, inner, kind } = destination;
  if (kind === "store" && !(inner.set && inner.delete)) return unlocked;
  const held = new HeldLock(destination, options, await lockPlaces(destination));
  try {
    if (!(await held.take())) {
      await held.end();
      return unlocked;
    }
  } catch (error) {
    await held.end();
    options.signal?.throwIfAborted();
    if (isZarrError(error)) throw error;
    const message = `the lock ${held.name} could not be written: ${messageOf(error)}`;
    throw networkError(message, { code: "store-failed", cause: error });
  }
  gate.lockCheck = held.confirm;
  return held;
}

function ownWriter(): Writer {
  const { location, process } = globalThis as { location?: { host: string }; process?: { pid?: number } };
  const [host, pid] = hasNode() ? [node().os.hostname(), process?.pid] : [location?.host, 0];
  return { id: randomHex(), host: host ?? "", process: pid ?? 0, since: new Date().toISOString() };
}

/** A store, and the key of a lock in it. */
type LockPlace = readonly [store: Store, key: string];

/** Returns the place of a destination's lock, then those of the folders that contain it, from the inside out. */
async function lockPlaces({ inner, kind, place }: LockTarget): Promise<LockPlace[]> {
  const key = `/${writerLockName()}`;
  if (kind === "store") return [[inner, key]];
  const places: LockPlace[] = [];
  const isHttp = kind === "http";
  const real = isHttp ? place! : realPath(node().path.resolve(place!));
  let folder = new URL(isHttp ? real : folderUrl(kind === "zip" ? node().path.dirname(real) : real));
  folder.pathname = folder.pathname.replace(/\/*$/, "/");
  if (kind === "zip") {
    // File systems may ignore case and normalisation; one lock for two archives does no harm.
    const hash = await sha256(node().path.basename(real).normalize("NFC").toLowerCase());
    places.push([new FileSystemStore(folder), `/${writerLockName(hash.slice(0, 24))}`]);
  }
  for (;;) {
    places.push([isHttp ? new WritableHttpStore(folder) : new FileSystemStore(folder), key]);
    if (/^\/([a-z]:\/)?$/i.test(folder.pathname)) return places;
    folder = new URL(folder);
    folder.pathname = folder.pathname.replace(/[^/]*\/$/, "");
  }
}

/** Whether an error means that locks cannot be written at a place. */
function isRefusal(error: unknown): boolean {
  if (isZarrError(error, "ReadOnly", "Unsupported")) return true;
  const status = isZarrError(error, "Network") ? (error.status ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** The lock of a destination that this process takes and holds. */
class HeldLock implements DestinationLock {
  readonly #own = ownWriter();
  readonly #interval: number;
  readonly #stale: number;
  readonly #lease: Lease;
  readonly #forget: () => void;
  readonly #ending = new AbortController();
  #taking: Promise<void> | undefined;
  /** When the last renewal began; undefined for a lock that was lost. */
  #renewed: Moment | undefined;
  #renewal: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ended: Promise<boolean> | undefined;
  /** Whether the lock creates the folder of the destination, which is removed if nothing is written. */
  #isNew = false;

  constructor(
    private readonly destination: LockTarget,
    private readonly options: LockOptions,
    private readonly places: readonly LockPlace[],
  ) {
    const { kind } = destination;
    this.#interval = transferTimes[kind === "zip" ? "folder" : kind];
    this.#stale = this.#interval * transferTimes.missed;
    this.#lease = this.#leaseAt(places[0]!);
    // Registered before the lock is taken, so that no signal arrives in between; runs after pending writes.
    this.#forget = exitHooks.add(async () => void (await this.end()), "last");
  }

  get name(): string {
    return this.#lease.name;
  }

  #leaseAt([store, key]: LockPlace): Lease {
    const name = plainName(store.locate?.(key) ?? key);
    return new Lease(name, store, key, { own: this.#own, share: this.options.share, stale: this.#stale });
  }

  /**
   * Takes the lock and begins to renew it.
   * @returns false if locks cannot be written at the place.
   * @throws Conflict; the reason of the signal; what the store throws.
   */
  async take(): Promise<boolean> {
    const { destination, options } = this;
    this.#isNew = destination.kind === "folder" && !node().fs.existsSync(destination.place!);
    this.#renewed = moment();
    const taking = this.#lease.acquire(this.#observing(this.#lease, options.wait));
    this.#taking = taking.catch(() => {});
    const isLocked = await taking.then(
      () => true,
      async (error) => {
        await this.#checkEnding();
        if (!isRefusal(error)) throw error;
        return false;
      },
    );
    if (isLocked && !this.#ended) this.#renewRepeatedly();
    for (const place of this.places.slice(1)) await this.#checkAbove(this.#leaseAt(place));
    if (!isLocked) return false;
    if (options.source && (await this.#isVisibleIn(options.source)))
      throw isSourceError("`source` and `destination` are the same place");
    // Without conditional writes, another writer may have replaced the lock.
    await this.#renew();
    await this.confirm();
    return true;
  }

  #renewRepeatedly(): void {
    // After a failure, the next renewal may succeed; a loss is found before the next write.
    const renew = () => void this.#renew().catch(() => {});
    this.#timer = setInterval(renew, this.#interval * (0.75 + 0.5 * Math.random()));
    keepAlive(this.#timer, false);
  }

  /** @throws what the store throws. */
  #renew(): Promise<void> {
    const renewing = async () => {
      this.#renewed = await this.#lease.renew();
    };
    this.#renewal ??= renewing().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** @throws Network if the lock is lost. */
  readonly confirm = async (): Promise<void> => {
    for (;;) {
      if (!this.#renewed) throw await this.#lost();
      // Other processes cannot take the lock over before it is stale.
      if (elapsedSince(this.#renewed) < this.#stale / 2) return;
      await this.#renew().catch((cause) => {
        throw networkError(`the lock ${this.name} could not be renewed: ${messageOf(cause)}`, { cause });
      });
    }
  };

  async finish(): Promise<void> {
    await this.confirm();
    if (!(await this.end())) throw await this.#lost();
  }

  async release(): Promise<void> {
    await this.destination.gate.end();
    await this.end();
  }

  /** Releases the lock, also while writes are in progress. @returns false if it was lost. */
  end(): Promise<boolean> {
    this.#ended ??= this.#leave();
    return this.#ended;
  }

  async #leave(): Promise<boolean> {
    this.#ending.abort();
    await this.#taking;
    clearInterval(this.#timer);
    await this.#renewal?.catch(() => {});
    // If the place cannot be reached, the lock goes stale.
    const wasHeld = await this.#lease.release().catch(() => true);
    if (this.#isNew)
      await node()
        .fs.promises.rmdir(this.destination.place!)
        .catch(() => {});
    this.#forget();
    return wasHeld;
  }

  async #lost(): Promise<Error> {
    const found = await this.#lease.read().catch(() => undefined);
    const by = found ? `: ${this.#lease.writers}, has taken it over` : "";
    return networkError(
      `the lock of ${this.destination.name}, ${this.name}, was lost${by}; writing stopped and the result may be incomplete`,
    );
  }

  /** @throws Conflict if another writer holds the lock of a folder above the destination. */
  async #checkAbove(lease: Lease): Promise<void> {
    await lease.awaitEnd(this.#observing(lease)).catch(async (error) => {
      this.options.signal?.throwIfAborted();
      await this.#checkEnding();
      // Servers respond to requests outside of their data with errors of all kinds, file systems to those outside of mounts.
      if (isZarrError(error, "Conflict")) throw error;
    });
  }

  /** Never returns if a signal ends the process. */
  async #checkEnding(): Promise<void> {
    if (this.#ending.signal.aborted) await new Promise<never>(() => {});
  }

  #observing(lease: Lease, wait = 0): Observing {
    const stale = this.#stale;
    const { onWarning, signal } = this.options;
    let isReported = false;
    const onHeld = (isAlive: boolean, silence: number, waited: number) => {
      if (isAlive && waited >= wait && !lease.isPassing) throw this.#inUse(lease);
      if (isReported || silence <= stale / 5) return;
      isReported = true;
      const message = `the lock ${lease.name} of ${lease.writers}, does not change; it is taken over after ${Math.round(stale / 1000)} s`;
      onWarning?.({ code: "silent-lock", message });
    };
    return {
      ...{ stale, step: this.#interval, pause: this.#interval / 4, onHeld },
      signal: AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])]),
    };
  }

  #inUse(lease: Lease): Error {
    const { name, kind } = this.destination;
    const folder = lease.name.replace(kind === "http" ? /[^/]*$/ : /[\\/][^\\/]*$/, "");
    const where = lease === this.#lease ? name : `${name} lies in ${folder}, which`;
    const holder = `${lease.writers} (lock: ${lease.name})`;
    return conflict(`${where} is being written by ${holder}; retry when that process has ended`, {
      code: "locked",
    });
  }

  /** Whether another store contains this lock at its root, and so is the same place. */
  async #isVisibleIn(store: Store): Promise<boolean> {
    const found = await this.#leaseAt([store, this.places[0]![1]])
      .read()
      .catch(() => undefined);
    return found?.writers.some(({ id }) => id === this.#own.id) ?? false;
  }
}
