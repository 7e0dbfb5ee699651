/** How locks are taken, renewed, released, and taken over from processes that were killed. */

import { UnchangedTimer } from "../store/concurrency.js";
import { isZarrError } from "../util/errors.js";
import {
  elapsedSince,
  type FoundLock,
  type LockDocument,
  type LockObject,
  type LockState,
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

/** Finds out whether the writers of a lock are alive by looking at it again and again. */
class Observer {
  #timer: UnchangedTimer | undefined;
  #first: string | undefined;
  #isReported = false;

  constructor(
    private readonly object: LockObject,
    private readonly onSilence: OnSilence,
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
   * Whether a lock does not change although its place can be written to: if writing has stalled for all, its holder gets
   * time to continue first.
   */
  async #isStale({ stamp, interval }: LockDocument): Promise<boolean> {
    const { object } = this;
    if (!(await object.probe())) return false;
    await new Promise((resolve) => setTimeout(resolve, 2 * interval));
    return (await object.read())?.document?.stamp === stamp;
  }

  /** Waits until the next look is worthwhile. */
  pause({ interval }: Pick<LockDocument, "interval">): Promise<void> {
    const time = (interval / 4) * (0.5 + Math.random());
    return new Promise((resolve) => setTimeout(resolve, time));
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
export async function acquire(
  object: LockObject,
  own: Writer,
  terms: Pick<LockDocument, "share" | "interval" | "stale">,
  { wait, onSilence, signal }: AcquireOptions,
): Promise<void> {
  const mine = { ...terms, state: "starting", writers: [own] } as const;
  const isShared = ({ share }: LockDocument) => share !== undefined && share === terms.share;
  const observer = new Observer(object, onSilence);
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
 * Waits until a lock of another place is gone; a stale one is removed.
 * @param waitsForStart whether writers that are "starting" are waited for: they will find this process' lock.
 * @throws LockHeld for a live writer.
 */
export async function awaitGone(
  object: LockObject,
  waitsForStart: boolean,
  onSilence: OnSilence,
): Promise<void> {
  const observer = new Observer(object, onSilence);
  for (;;) {
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

/** Whether a process is one of those that hold a lock. */
export const isWriter = ({ writers }: LockDocument, id: string): boolean =>
  writers.some((writer) => writer.id === id);

/**
 * Changes a lock, so that others see that its writer is alive. A change by another process or thread that keeps the
 * writer is as good.
 * @param state to change to. Default: stays.
 * @returns the lock's stamp; undefined if the lock is lost.
 */
export async function renew(object: LockObject, id: string, state?: LockState): Promise<string | undefined> {
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
export async function leave(object: LockObject, id: string): Promise<boolean> {
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
 * Deletes a lock if it is still of a version. Deletions have no conditions: the lock is marked first, which keeps others
 * from joining and, until it is stale, from taking it over.
 * @returns whether it was of that version.
 */
async function end(
  object: LockObject,
  document: LockDocument,
  version: FoundLock["version"],
): Promise<boolean> {
  const start = moment();
  if (!(await object.write({ ...document, state: "ending" }, version))) return false;
  if (elapsedSince(start) < document.stale / 2) await object.remove(); // else it may be another process' lock by now
  return true;
}
