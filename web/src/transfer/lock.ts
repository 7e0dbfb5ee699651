/**
 * The lock of a destination: a lease in its root, which one writer holds at a time, or the parts of one copy together. A writer
 * takes its own lease first and then looks for those of the folders above. It does not look for leases deeper inside.
 */

import { Lease, moment, type Observing, type Writer } from "../store/lease.js";
import type { Store } from "../store/store.js";
import { randomHex, sha256, writerLockName } from "../store/temp-names.js";
import { conflict, isZarrError, messageOf, networkError, type OnWarning } from "../util/errors.js";
import { Heartbeat, type LeasePlace, openLease } from "./heartbeat.js";
import { exitHooks, hasNode, node, transferTimes } from "./host.js";
import { folderUrl, isSourceError, realPath } from "./places.js";

/** The place to lock. */
export interface LockTarget {
  readonly kind: "folder" | "zip" | "http" | "store";
  /** Name in messages. */
  readonly name: string;
  /** Path of a folder or archive, or URL of a server; undefined for other stores. */
  readonly place: string | undefined;
  /** The store without the gate; undefined if the lock opens the place itself. */
  readonly lockStore: Store | undefined;
  readonly gate: LockGate;
}

export interface LockGate {
  /** Throws if the lock is lost; undefined before the destination is locked. */
  lockCheck: (() => Promise<void>) | undefined;
  /** Waits for running writes, and blocks new ones. */
  end(): Promise<void>;
}

export interface LockOptions {
  /** Writers with the same text may write at the same time. Default: a single writer. */
  readonly share?: string | undefined;
  /** Time to wait for another writer to end, in milliseconds. Default: 0. */
  readonly wait?: number | undefined;
  /** Whether this thread will neither decode nor encode, which could block it for minutes. Default: false. */
  readonly isResponsive?: boolean | undefined;
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
  const { gate, kind, lockStore } = destination;
  if (kind === "store" && !(lockStore!.set && lockStore!.delete)) return unlocked;
  const held = new HeldLock(destination, options, await leasePlace(destination, options.share));
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

async function leasePlace({ kind, place }: LockTarget, share: string | undefined): Promise<LeasePlace> {
  const interval = transferTimes[kind === "zip" ? "folder" : kind];
  const terms = { own: ownWriter(), share, interval, stale: interval * transferTimes.missed };
  const name = writerLockName();
  if (kind === "store") return { kind, folder: "store:/", name, ...terms };
  if (kind === "http") return { kind, folder: directoryUrl(place!), name, ...terms };
  const { path } = node();
  const real = realPath(path.resolve(place!));
  if (kind === "folder") return { kind, folder: folderUrl(real), name, ...terms };
  // File systems may ignore case and normalisation; one lock for two archives does no harm.
  const hash = await sha256(path.basename(real).normalize("NFC").toLowerCase());
  const folder = folderUrl(path.dirname(real));
  return { kind: "folder", folder, name: writerLockName(hash.slice(0, 24)), ...terms };
}

function directoryUrl(name: string): string {
  const url = new URL(name);
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url.href;
}

/** Creates a folder, for the lock. @returns a function that removes those of the new folders that are empty. */
async function makeFolders(place: string): Promise<() => Promise<void>> {
  const { fs, path } = node();
  const folder = path.resolve(place);
  // The first write reports errors with a better message.
  const first = await fs.promises.mkdir(folder, { recursive: true }).catch(() => undefined);
  return async () => {
    if (first === undefined) return;
    try {
      for (let at = folder; at.length >= first.length; at = path.dirname(at)) await fs.promises.rmdir(at);
    } catch {}
  };
}

/** Whether an error means that locks cannot be written at a place. */
function isRefusal(error: unknown): boolean {
  if (isZarrError(error, "ReadOnly", "Unsupported")) return true;
  const status = isZarrError(error, "Network") ? (error.status ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Returns the folders that contain a destination, from the inside out. @param folder of its lock: it contains an archive. */
function foldersAbove(kind: LockTarget["kind"], folder: string): string[] {
  const folders = kind === "zip" ? [folder] : [];
  for (const url = new URL(folder); kind !== "store" && !/^\/([a-z]:\/)?$/i.test(url.pathname); ) {
    url.pathname = url.pathname.replace(/[^/]*\/$/, "");
    folders.push(url.href);
  }
  return folders;
}

/** The lock of a destination that this process takes and holds. */
class HeldLock implements DestinationLock {
  readonly #lease: Lease;
  readonly #forget: () => void;
  readonly #ending = new AbortController();
  #taking: Promise<void> | undefined;
  #heartbeat: Heartbeat | undefined;
  #renewal: Promise<void> | undefined;
  #ended: Promise<boolean> | undefined;
  #removeFolders = async (): Promise<void> => {};

  constructor(
    private readonly destination: LockTarget,
    private readonly options: LockOptions,
    private readonly place: LeasePlace,
  ) {
    this.#lease = openLease(place, destination.lockStore);
    // Registered before the lock is taken, so that no signal arrives in between; runs after pending writes.
    this.#forget = exitHooks.add(async () => void (await this.end()), "last");
  }

  get name(): string {
    return this.#lease.name;
  }

  /**
   * Takes the lock and begins to renew it.
   * @returns false if locks cannot be written at the place.
   * @throws Conflict; the reason of the signal; what the store throws.
   */
  async take(): Promise<boolean> {
    const { destination, options, place } = this;
    if (destination.kind === "folder") this.#removeFolders = await makeFolders(destination.place!);
    const renewed = moment();
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
    for (const folder of foldersAbove(destination.kind, place.folder))
      await this.#checkAbove({ ...place, folder, name: writerLockName() });
    if (!isLocked) return false;
    this.#heartbeat = new Heartbeat(place, this.#lease, renewed, options.isResponsive ?? false);
    if (options.source && (await this.#isVisibleIn(options.source)))
      throw isSourceError("`source` and `destination` are the same place");
    // Without conditional writes, another writer may have replaced the lock.
    await this.#heartbeat.renew();
    await this.confirm();
    return true;
  }

  /** @throws Network if the lock is lost. */
  readonly confirm = async (): Promise<void> => {
    const heartbeat = this.#heartbeat!;
    // Other processes cannot take the lock over before it is stale.
    for (let age = heartbeat.age; age >= this.place.stale / 2; age = heartbeat.age) {
      if (age === Number.POSITIVE_INFINITY) throw await this.#lost();
      this.#renewal ??= heartbeat.renew().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal.catch((cause) => {
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
    await this.#heartbeat?.stop();
    // If the place cannot be reached, the lock goes stale.
    const wasHeld = await this.#lease.release().catch(() => true);
    await this.#removeFolders();
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
  async #checkAbove(place: LeasePlace): Promise<void> {
    const lease = openLease(place);
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
    const { interval: step, stale } = this.place;
    const { signal } = this.#ending;
    const given = this.options.signal;
    let isReported = false;
    const onHeld = (isAlive: boolean, silence: number, waited: number) => {
      if (isAlive && waited >= wait && !lease.isPassing) throw this.#inUse(lease);
      if (isReported || silence <= stale / 5) return;
      isReported = true;
      const message = `the lock ${lease.name} of ${lease.writers}, does not change; it is taken over after ${Math.round(stale / 1000)} s`;
      this.options.onWarning?.({ code: "silent-lock", message });
    };
    return {
      stale,
      step,
      pause: step / 4,
      signal: given ? AbortSignal.any([given, signal]) : signal,
      onHeld,
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
    const lease = new Lease("", store, `/${this.place.name}`, this.place);
    const found = await lease.read().catch(() => undefined);
    return found?.writers.some(({ id }) => id === this.place.own.id) ?? false;
  }
}
