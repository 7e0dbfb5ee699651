/**
 * The lock of a destination: one process writes to it at a time, or several that share it (the parts of one copy). It is an
 * object in the destination. A process takes its own lock first and looks then for those of destinations that contain
 * this one, or lie in it: of two that start at once, at least one sees the other.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, rmdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { isZarrError } from "zarr-wasm";
import { networkError, writerLockName } from "#internal";
import { atTheEnd } from "../at-the-end.js";
import type { Destination } from "../destination.js";
import { realPath } from "../places.js";
import { messageOf } from "../printable.js";
import { note } from "../summary.js";
import { Heartbeat } from "./heartbeat.js";
import { moment } from "./moment.js";
import { folderUrl, locksAbove, locksAboveUrl, locksInBucket, locksInside } from "./nested.js";
import {
  type LockDocument,
  LockObject,
  type LockPlace,
  lockTimes,
  type Writer,
  writersText,
} from "./object.js";
import { acquire, awaitGone, LockHeld, leave, type OnSilence, renew } from "./protocol.js";

export interface LockOptions {
  /** Processes that give the same text write to the destination at the same time. Default: one process. */
  readonly share?: string | undefined;
  /** Milliseconds to wait for another process to end. Default: 0. */
  readonly wait?: number | undefined;
  /** Whether the destination is emptied first. */
  readonly overwrite?: boolean | undefined;
}

export interface DestinationLock {
  /**
   * Ends writing.
   * @throws an Error if the lock was lost: the written objects may be gone.
   */
  finish(): Promise<void>;
  /** Releases the lock, whatever has happened. Does nothing after {@link finish}. */
  release(): Promise<void>;
}

/** No lock can be written. */
const unlocked: DestinationLock = { finish: async () => {}, release: async () => {} };

/**
 * Locks a destination until `finish` or `release`, or the end of this process other than by SIGKILL. From then on its
 * store writes and deletes only while the lock is held.
 * @throws an Error that names the process that writes to the destination, to one that contains it or to one in it. The
 *   lock of a killed process is taken over.
 */
export async function lockDestination(
  destination: Destination,
  options: LockOptions = {},
): Promise<DestinationLock> {
  const { name, gate } = destination;
  const object = new LockObject(placeOf(destination));
  const interval = lockTimes[object.place.kind];
  const terms = { share: options.share, interval, stale: interval * lockTimes.missed };
  const own = {
    id: randomUUID(),
    host: os.hostname(),
    process: process.pid,
    since: new Date().toISOString(),
  };
  const removeFolders = destination.kind === "folder" ? await makeFolders(name) : async () => {};
  const held = new HeldLock(object, own, terms, name, removeFolders);
  try {
    const isLocked = await held.take(options.wait ?? 0);
    await lookAround(destination, options);
    if (!isLocked) return unlocked;
    await held.confirmStart();
  } catch (error) {
    await held.release();
    if (error instanceof LockHeld) throw inUse(name, object, error);
    throw error;
  }
  gate.lockCheck = () => held.confirm();
  return {
    finish: () => held.finish(),
    release: async () => {
      await gate.end();
      await held.release();
    },
  };
}

function placeOf({ kind, name }: Destination): LockPlace {
  if (kind === "http") return { kind, folder: urlOf(name).href, name: writerLockName() };
  const place = realPath(path.resolve(name));
  if (kind === "folder") return { kind, folder: folderUrl(place), name: writerLockName() };
  // The same for names that a file system may not tell apart: a lock too many does no harm.
  const plain = path.basename(place).normalize("NFC").toLowerCase();
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 24);
  return { kind: "folder", folder: folderUrl(path.dirname(place)), name: writerLockName(hash) };
}

function urlOf(name: string): URL {
  const url = new URL(name);
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url;
}

/** Creates a destination, which holds its lock. @returns what removes the folders again as far as they are empty. */
async function makeFolders(name: string): Promise<() => Promise<void>> {
  const folder = path.resolve(name);
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

const onSilence: OnSilence = (object, document) =>
  note(
    `the lock ${object.name} of ${writersText(document)}, does not change; it is taken over after ${Math.round(document.stale / 1000)} s`,
  );

/**
 * Looks for locks of other places. An inner writer gives way to any outer one, and an outer writer waits until an inner one
 * that is starting has seen it.
 * @throws LockHeld.
 */
async function lookAround({ kind, name, store }: Destination, { overwrite }: LockOptions): Promise<void> {
  if (kind === "http") {
    const url = urlOf(name);
    // Servers respond to requests outside of their data with errors of all kinds.
    for (const lock of locksAboveUrl(url))
      await awaitGone(lock, false, onSilence).catch((error) => {
        if (error instanceof LockHeld) throw error;
      });
    if (overwrite) for await (const lock of locksInBucket(store, url)) await awaitGone(lock, true, onSilence);
    return;
  }
  const place = realPath(path.resolve(name));
  for await (const lock of locksAbove(place)) await awaitGone(lock, false, onSilence);
  if (kind === "folder") for await (const lock of locksInside(place)) await awaitGone(lock, true, onSilence);
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
    private readonly name: string,
    private readonly removeFolders: () => Promise<void>,
  ) {
    // Registered before there is a lock, so that no signal comes between; after the writes that are under way.
    this.#forget = atTheEnd(() => this.release(), "last");
  }

  /**
   * Takes the lock and begins to renew it.
   * @returns false if locks cannot be written at the place.
   * @throws LockHeld; what the store throws.
   */
  async take(wait: number): Promise<boolean> {
    const renewed = moment();
    const options = { wait, onSilence, signal: this.#signal.signal };
    const taking = acquire(this.object, this.own, this.terms, options);
    this.#taking = taking.catch(() => {});
    try {
      await taking;
    } catch (error) {
      if (this.#signal.signal.aborted) await new Promise<never>(() => {}); // a signal ends the process
      if (!isRefusal(error)) throw error;
      await this.release();
      return false;
    }
    this.#heartbeat = new Heartbeat(this.object.place, this.own.id, this.terms.interval, renewed);
    return true;
  }

  /** Declares that no other lock is in the way. */
  async confirmStart(): Promise<void> {
    if (!(await renew(this.object, this.own.id, "writing"))) throw await this.#lost();
  }

  /** @throws an Error if the lock is lost. */
  async confirm(): Promise<void> {
    const heartbeat = this.#heartbeat!;
    // No other process can have taken the lock over before it is stale.
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
    const wasHeld = await leave(this.object, this.own.id).catch(() => true);
    await this.removeFolders();
    this.#forget();
    return wasHeld;
  }

  async #lost(): Promise<Error> {
    const found = await this.object.read().catch(() => undefined);
    const by = found?.document ? `: ${writersText(found.document)}, has taken it over` : "";
    return networkError(
      `the lock of ${this.name}, ${this.object.name}, was lost${by}; nothing more is written, and the result may be incomplete`,
    );
  }
}

function inUse(name: string, own: LockObject, { object, document }: LockHeld): Error {
  const holder = `${writersText(document)} (lock: ${object.name})`;
  const folder = object.place.kind === "http" ? object.place.folder : path.dirname(object.name);
  const place = object.place.name === writerLockName() ? folder : `an archive in ${folder}`;
  const what =
    object.name === own.name
      ? `${name} is being written by ${holder}`
      : folder.length < path.dirname(own.name).length
        ? `${name} lies in ${folder}, which is being written by ${holder}`
        : `${place}, which lies in ${name}, is being written by ${holder}`;
  return new Error(`${what}; try again when that process has ended`);
}
