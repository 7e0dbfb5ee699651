/**
 * The lock of a destination: one writer at a time, or several that share it (the parts of one copy). It is an object in the
 * destination. A writer takes its own lock first and then checks for locks of destinations that contain this one or lie in it:
 * of two writers that start at the same time, at least one finds the other.
 */

import { entriesIn } from "../store/file/entries.js";
import type { Store } from "../store/store.js";
import { writerLockName } from "../store/temp-names.js";
import { conflict, isZarrError, messageOf, networkError, type OnWarning } from "../util/errors.js";
import { exitHooks, hasNode, node, randomHex, transferTimes } from "./host.js";
import {
  type LockDocument,
  type LockLocation,
  LockObject,
  moment,
  type Writer,
  writersText,
} from "./lock-object.js";
import {
  acquireLock,
  awaitRelease,
  Heartbeat,
  isWriter,
  LockHeld,
  type LockLiveness,
  type OnSilence,
  releaseLock,
  renewLock,
} from "./lock-protocol.js";
import {
  folderUrl,
  isSourceError,
  locksAbove,
  locksAboveUrl,
  locksInBucket,
  locksInside,
  realPath,
} from "./places.js";

/** The place to lock. */
export interface LockTarget {
  readonly kind: "folder" | "zip" | "http" | "store";
  /** Name in messages. */
  readonly name: string;
  /** Path of a folder or archive, or URL of a server; undefined for other stores. */
  readonly place: string | undefined;
  /** The store to write to. Its writes pass the gate. */
  readonly store: Store;
  /** The same without the gate, for the lock; undefined if the lock opens the place itself. */
  readonly lockStore: Store | undefined;
  readonly gate: LockGate;
}

export interface LockGate {
  /** Throws if the lock is lost; undefined before the destination is locked. */
  lockCheck: (() => Promise<void>) | undefined;
  /** Waits for running writes, and blocks new ones. */
  end(): Promise<void>;
}

/** Lets writes of this and of other threads pass while the lock is held. */
export interface GatedWrites {
  /** Runs writes, for which the end of the process waits. @throws Network if the lock is lost. */
  run<T>(write: () => Promise<T>): Promise<T>;
  /** @throws Network if the lock is lost. */
  checkLock(): Promise<void>;
}

export interface LockOptions {
  /** Writers with the same text may write at the same time. Default: a single writer. */
  readonly share?: string | undefined;
  /** Time to wait for another writer to end, in milliseconds. Default: 0. */
  readonly wait?: number | undefined;
  /** Whether this thread will neither decode nor encode, which could block it for minutes. Default: false. */
  readonly isResponsive?: boolean | undefined;
  /** Whether the destination will be emptied. */
  readonly overwrite?: boolean | undefined;
  /** A store that must not be another handle of the destination. */
  readonly source?: Store | undefined;
  /** Stops waiting for the lock. */
  readonly signal?: AbortSignal | undefined;
  /** Receives "silent-lock" if the writer of a lock shows no sign of life, before the lock is taken over. */
  readonly onWarning?: OnWarning | undefined;
}

export interface DestinationLock {
  /** For other threads that write; undefined without a lock. */
  readonly liveness?: LockLiveness | undefined;
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
 * @throws Conflict ("locked"), naming the process that writes to the destination, to one that contains it, or
 *   to one in it.
 */
export async function lockDestination(
  destination: LockTarget,
  options: LockOptions = {},
): Promise<DestinationLock> {
  const { name, gate, lockStore, place } = destination;
  if (destination.kind === "store" && !canLock(lockStore!)) return unlocked;
  if (destination.kind === "folder" && options.overwrite) await refuseProtectedFolder(place!);
  const object = new LockObject(await lockPlace(destination), lockStore);
  const interval = transferTimes[object.place.kind];
  const terms = { share: options.share, interval, stale: interval * transferTimes.missed };
  const isLate = options.isResponsive ?? false;
  const removeFolders = destination.kind === "folder" ? await makeFolders(place!) : async () => {};
  const held = new HeldLock(object, ownWriter(), terms, isLate, name, removeFolders);
  const onSilence = silenceWarning(options.onWarning);
  try {
    const isLocked = await held.take(options.wait ?? 0, onSilence, options.signal);
    if (destination.kind !== "store") await checkOtherLocks(destination, options, onSilence);
    if (!isLocked) return unlocked;
    if (options.source && (await held.isVisibleIn(options.source)))
      throw isSourceError("`source` and `destination` are the same place");
    await held.confirmStart();
  } catch (error) {
    await held.release();
    if (error instanceof LockHeld) throw inUseError(name, object, error);
    options.signal?.throwIfAborted();
    if (isZarrError(error)) throw error;
    throw networkError(`the lock ${object.name} could not be written: ${messageOf(error)}`, {
      code: "store-failed",
      cause: error,
    });
  }
  gate.lockCheck = () => held.confirm();
  return {
    liveness: held.liveness,
    finish: () => held.finish(),
    release: async () => {
      await gate.end();
      await held.release();
    },
  };
}

const canLock = ({ set, delete: remove }: Store): boolean => set !== undefined && remove !== undefined;

function ownWriter(): Writer {
  const since = new Date().toISOString();
  const { location, process } = globalThis as {
    location?: { host: string };
    process?: { pid?: number };
  };
  const id = randomHex();
  if (hasNode()) return { id, host: node().os.hostname(), process: process?.pid ?? 0, since };
  return { id, host: location?.host ?? "", process: 0, since };
}

async function lockPlace({ kind, name, place }: LockTarget): Promise<LockLocation> {
  if (kind === "store") return { kind, folder: name, name: writerLockName() };
  if (kind === "http") return { kind, folder: directoryUrl(place!).href, name: writerLockName() };
  const { path } = node();
  const real = realPath(path.resolve(place!));
  if (kind === "folder") return { kind, folder: folderUrl(real), name: writerLockName() };
  // File systems may ignore case and normalisation; one lock for two archives does no harm.
  const plain = path.basename(real).normalize("NFC").toLowerCase();
  const hash = (await sha256(plain)).slice(0, 24);
  return { kind: "folder", folder: folderUrl(path.dirname(real)), name: writerLockName(hash) };
}

/** Returns the hash of a string, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function directoryUrl(name: string): URL {
  const url = new URL(name);
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url;
}

/** Refuses a folder whose contents are never deleted before it is searched for locks. @throws NotAllowed. */
async function refuseProtectedFolder(place: string): Promise<void> {
  const entries = entriesIn(new URL(folderUrl(realPath(node().path.resolve(place)))), "");
  await entries.next();
  await entries.return(undefined);
}

/** Creates the folder of a destination, for the lock. @returns a function that removes empty ones of the new folders. */
async function makeFolders(place: string): Promise<() => Promise<void>> {
  const { fs, path } = node();
  const { mkdir, rmdir } = fs.promises;
  const folder = path.resolve(place);
  // The first write reports errors with a better message.
  const first = await mkdir(folder, { recursive: true }).catch(() => undefined);
  return async () => {
    if (first === undefined) return;
    try {
      for (let at = folder; at.length >= first.length; at = path.dirname(at)) await rmdir(at);
    } catch {}
  };
}

/** Whether an error means that locks cannot be written at a place. */
function isRefusal(error: unknown): boolean {
  if (isZarrError(error, "ReadOnly", "Unsupported")) return true;
  const status = isZarrError(error, "Network") ? (error.status ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

const silenceWarning =
  (onWarning: OnWarning | undefined): OnSilence =>
  (object, document) => {
    const seconds = Math.round(document.stale / 1000);
    const message = `the lock ${object.name} of ${writersText(document)}, does not change; it is taken over after ${seconds} s`;
    onWarning?.({ code: "silent-lock", message });
  };

/**
 * Checks the locks of other destinations. An inner writer yields to any outer one; an outer writer waits until an inner
 * one that is starting has found its lock.
 * @throws LockHeld.
 */
async function checkOtherLocks(
  { kind, place, store }: LockTarget,
  { overwrite, signal }: LockOptions,
  onSilence: OnSilence,
): Promise<void> {
  if (kind === "http") {
    const url = directoryUrl(place!);
    // Servers respond to requests outside of their data with errors of all kinds.
    for (const lock of locksAboveUrl(url))
      await awaitRelease(lock, false, onSilence, signal).catch((error) => {
        signal?.throwIfAborted();
        if (error instanceof LockHeld) throw error;
      });
    if (overwrite)
      for await (const lock of locksInBucket(store, url)) await awaitRelease(lock, true, onSilence, signal);
    return;
  }
  const real = realPath(node().path.resolve(place!));
  for await (const lock of locksAbove(real)) await awaitRelease(lock, false, onSilence, signal);
  if (kind === "folder")
    for await (const lock of locksInside(real)) await awaitRelease(lock, true, onSilence, signal);
}

/** A lock that this process holds. */
class HeldLock {
  #heartbeat: Heartbeat | undefined;
  #renewal: Promise<void> | undefined;
  #released: Promise<boolean> | undefined;
  readonly #forget: () => void;
  readonly #signal = new AbortController();
  #taking: Promise<unknown> | undefined;

  constructor(
    private readonly object: LockObject,
    private readonly own: Writer,
    private readonly terms: Pick<LockDocument, "share" | "interval" | "stale">,
    private readonly isLate: boolean,
    private readonly name: string,
    private readonly removeFolders: () => Promise<void>,
  ) {
    // Registered before the lock is taken, so that no signal arrives in between; runs after pending writes.
    this.#forget = exitHooks.add(() => this.release(), "last");
  }

  /**
   * Takes the lock and begins to renew it.
   * @returns false if locks cannot be written at the place.
   * @throws LockHeld; the reason of the signal; what the store throws.
   */
  async take(wait: number, onSilence: OnSilence, signal: AbortSignal | undefined): Promise<boolean> {
    const renewed = moment();
    const ending = this.#signal.signal;
    const signals = signal ? AbortSignal.any([signal, ending]) : ending;
    const taking = acquireLock(this.object, this.own, this.terms, { wait, onSilence, signal: signals });
    this.#taking = taking.catch(() => {});
    try {
      await taking;
    } catch (error) {
      if (ending.aborted) await new Promise<never>(() => {}); // a signal ends the process
      if (!isRefusal(error)) throw error;
      await this.release();
      return false;
    }
    this.#heartbeat = new Heartbeat(this.object, this.own.id, this.terms.interval, renewed, this.isLate);
    return true;
  }

  get liveness(): LockLiveness | undefined {
    const { stale } = this.terms;
    return this.#heartbeat && { report: this.#heartbeat.report, stale };
  }

  /** Whether another store contains this lock at its root, and so is the same place. */
  async isVisibleIn(store: Store): Promise<boolean> {
    const { place } = this.object;
    const found = await new LockObject({ ...place, kind: "store" }, store).read().catch(() => undefined);
    return found?.document !== undefined && isWriter(found.document, this.own.id);
  }

  /** Changes the lock from "starting" to "writing": no other lock conflicts. */
  async confirmStart(): Promise<void> {
    if (!(await renewLock(this.object, this.own.id, "writing"))) throw await this.#lost();
  }

  /** @throws Network if the lock is lost. */
  async confirm(): Promise<void> {
    const heartbeat = this.#heartbeat!;
    heartbeat.startIfDue();
    // Other processes cannot take the lock over before it is stale.
    while (!heartbeat.isLost && heartbeat.age >= this.terms.stale / 2) {
      this.#renewal ??= heartbeat.beat().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal.catch((cause) => {
        throw networkError(`the lock ${this.object.name} could not be renewed: ${messageOf(cause)}`, {
          cause,
        });
      });
    }
    if (heartbeat.isLost) throw await this.#lost();
  }

  async finish(): Promise<void> {
    await this.confirm();
    if (!(await this.#end())) throw await this.#lost();
  }

  async release(): Promise<void> {
    await this.#end();
  }

  /** @returns false if the lock was lost. */
  #end(): Promise<boolean> {
    this.#released ??= this.#leave();
    return this.#released;
  }

  async #leave(): Promise<boolean> {
    this.#signal.abort();
    await this.#taking;
    await this.#heartbeat?.stop();
    // If the place cannot be reached, the lock goes stale.
    const wasHeld = await releaseLock(this.object, this.own.id).catch(() => true);
    await this.removeFolders();
    this.#forget();
    return wasHeld;
  }

  async #lost(): Promise<Error> {
    const found = await this.object.read().catch(() => undefined);
    const by = found?.document ? `: ${writersText(found.document)}, has taken it over` : "";
    return networkError(
      `the lock of ${this.name}, ${this.object.name}, was lost${by}; writing stopped and the result may be incomplete`,
    );
  }
}

function inUseError(name: string, own: LockObject, { object, document }: LockHeld): Error {
  const holder = `${writersText(document)} (lock: ${object.name})`;
  return conflict(
    `${describePlace(name, own, object)} is being written by ${holder}; retry when that process has ended`,
    {
      code: "locked",
    },
  );
}

/** Describes the location of another writer's lock relative to this one's. */
function describePlace(name: string, own: LockObject, { name: lock, place }: LockObject): string {
  if (lock === own.name) return name;
  const parentFolder = (file: string) =>
    file.slice(0, file.lastIndexOf(place.kind === "http" ? "/" : node().path.sep));
  const folder = place.kind === "http" ? place.folder : parentFolder(lock);
  if (folder.length < parentFolder(own.name).length) return `${name} lies in ${folder}, which`;
  const inner = place.name === writerLockName() ? folder : `an archive in ${folder}`;
  return `${inner}, which lies in ${name},`;
}
