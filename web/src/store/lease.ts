/**
 * Leases: the right of one writer, or of several that share it, to write to a place. A lease is a small JSON object that is
 * created exclusively, with a random id of its owner, and then only replaced if it has not changed: any store with conditional
 * writes holds leases. The owner changes it again and again while it runs. A writer that sees no change for long enough takes
 * the lease over, and the former owner finds that out before its next write. Neither clocks, host names nor process ids are
 * compared.
 */

import { isZarrError, networkError } from "../util/errors.js";
import { textDecoder, textEncoder } from "../util/platform.js";
import { isConflict, isOutcomeUnknown } from "./concurrency.js";
import type { ObjectVersion, Store, StoreSetOptions } from "./store.js";
import { randomHex } from "./temp-names.js";
import { sleep } from "./transport.js";

export interface Writer {
  readonly id: string;
  /** Host name; of pages the host of their URL. */
  readonly host: string;
  /** Process id; 0 for pages. */
  readonly process: number;
  readonly since: string;
}

interface FoundLease {
  /** Empty for a lease that is about to be deleted. */
  readonly writers: readonly Writer[];
  /** Writers with the same text may write at the same time; undefined for a single writer. */
  readonly share?: string | undefined;
  /** Different after each change. */
  readonly stamp: string;
  readonly version: ObjectVersion;
}

/** Times in milliseconds. */
export interface Observing {
  /** Time without a change after which a lease is taken over. */
  readonly stale: number;
  /** Maximum time between two observations that counts: while the store or this process stood still, writers did as well. */
  readonly step: number;
  /** Maximum pause between two observations. */
  readonly pause: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each observation. Throws to give up.
   * @param isAlive whether the lease has changed since the first observation.
   * @param silence time without a change. @param waited time since the first observation.
   */
  onHeld(isAlive: boolean, silence: number, waited: number): void | Promise<void>;
}

/** Failures in a row to take a free lease: other writers may have held it in between; some servers refuse every time. */
const maxRefusals = 5;

/**
 * Repeats an attempt to take a lease, and observes the lease in between.
 * @param attempt called with the lease, undefined at first and for a free one. Returns undefined once it has succeeded,
 *   otherwise the reason.
 * @throws what the callbacks throw; the signal's reason; the reason if a lease that is free cannot be taken.
 */
export async function observe<L extends { readonly stamp: string }>(
  { onHeld, pause, signal, stale, step }: Observing,
  read: () => Promise<L | undefined>,
  attempt: (found: L | undefined, isStale: boolean) => Promise<unknown>,
): Promise<void> {
  let [silence, waited, refusals, at] = [0, 0, 0, performance.now()];
  let [first, found]: [string?, L?] = [];
  for (let delay = 1; ; delay = Math.min(pause, 2 * delay)) {
    signal?.throwIfAborted();
    const reason = await attempt(found, found !== undefined && silence >= stale);
    if (reason === undefined) return;
    const stamp = found?.stamp;
    found = await read();
    const passed = Math.min(performance.now() - at, step);
    at = performance.now();
    waited += passed;
    silence = found?.stamp === stamp ? silence + passed : 0;
    refusals = found ? 0 : refusals + 1;
    if (refusals > maxRefusals) throw reason;
    first ??= found?.stamp;
    if (found) await onHeld(found.stamp !== first, silence, waited);
    await sleep(delay * (0.5 + Math.random()), signal);
  }
}

/** The writer of a lease in this process. */
export interface LeaseTerms extends Pick<FoundLease, "share">, Pick<Observing, "stale"> {
  readonly own: Writer;
}

export class Lease {
  /** Result of the last read. */
  #found: FoundLease | undefined;
  /** Stamp of the last write. */
  #stamp = "";
  #renewed: { readonly at: Moment; readonly stamp: string } | undefined;

  /** @param name for messages. */
  constructor(
    readonly name: string,
    private readonly store: Store,
    private readonly key: string,
    private readonly terms: LeaseTerms,
  ) {}

  /** Takes the lease, or joins the writers that share it. @throws see {@link observe}. */
  acquire(observing: Observing): Promise<void> {
    const { own, share } = this.terms;
    return observe(observing, this.read, async (found, isStale) => {
      if (!found || isStale) return this.#write({ writers: [own], share }, found?.version ?? "absent");
      if (!this.isPassing || found.writers.length === 0) return found;
      return this.#write({ writers: [...found.writers, own], share }, found.version);
    });
  }

  /** Waits for the end of another writer's lease; deletes a stale one. @throws see {@link observe}. */
  awaitEnd(observing: Observing): Promise<void> {
    return observe(observing, this.read, async (found, isStale) => {
      if (isStale) await this.#end(found!);
      return this.read();
    });
  }

  /** Whether the lease is about to be deleted, or may be joined. */
  get isPassing(): boolean {
    const { writers, share } = this.#found!;
    return writers.length === 0 || (share !== undefined && share === this.terms.share);
  }

  /**
   * Changes the lease, unless another writer that shares it has done so: of a thousand parts, only one writes.
   * @returns the time from which the renewal counts; undefined if the lease is lost.
   */
  async renew(): Promise<Moment | undefined> {
    for (;;) {
      const at = moment();
      const found = await this.#held();
      const before = this.#renewed;
      this.#renewed = found && { at, stamp: found.stamp };
      if (!found) return undefined;
      if (before && before.stamp !== found.stamp) return before.at;
      if ((await this.#write(found, found.version)) === undefined) {
        this.#renewed = { at, stamp: this.#stamp };
        return at;
      }
      await sleep(20 * Math.random());
    }
  }

  /** Releases the lease, or leaves it to the others that share it. Returns false if it was lost before. */
  async release(): Promise<boolean> {
    for (;;) {
      const found = await this.#held();
      if (!found) return false;
      const writers = found.writers.filter(({ id }) => id !== this.terms.own.id);
      const left = writers.length > 0 ? this.#write({ ...found, writers }, found.version) : this.#end(found);
      if ((await left) === undefined) return true;
      await sleep(20 * Math.random());
    }
  }

  /** Names the writers that were found most recently, for messages. */
  get writers(): string {
    const [first, ...others] = this.#found?.writers ?? [];
    if (!first?.host) return "another process";
    const name = first.process > 0 ? `process ${first.process} on ${first.host}` : `a page of ${first.host}`;
    return `${name}${others.length > 0 ? ` and ${others.length} more` : ""}, since ${first.since}`;
  }

  /** @throws what the store throws. */
  readonly read = async (): Promise<FoundLease | undefined> => {
    const version: ObjectVersion = {};
    const bytes = await this.store.get(this.key, { version });
    this.#found = bytes && { ...parse(bytes), version };
    return this.#found;
  };

  async #held(): Promise<FoundLease | undefined> {
    const found = await this.read();
    return found?.writers.some(({ id }) => id === this.terms.own.id) ? found : undefined;
  }

  /**
   * Deletes the lease. Deletions are unconditional. A lease without writers is not joined, and not taken over before it is
   * stale.
   */
  async #end(found: FoundLease): Promise<unknown> {
    const start = moment();
    const reason = await this.#write({ ...found, writers: [] }, found.version);
    // Later on, another process may hold it.
    if (reason === undefined && elapsedSince(start) < this.terms.stale / 2)
      await this.store.delete!(this.key);
    return reason;
  }

  /**
   * Replaces the object if it still has the given version, or creates it. A server without conditional requests replaces it
   * in any case, and so does a store whose `get` does not report versions.
   * @returns undefined once it is written; otherwise why it was not.
   */
  async #write(
    { writers, share }: Pick<FoundLease, "writers" | "share">,
    ifVersion: StoreSetOptions["ifVersion"],
  ): Promise<Error | undefined> {
    const { key, store } = this;
    this.#stamp = randomHex();
    const bytes = textEncoder().encode(`${JSON.stringify({ writers, share, stamp: this.#stamp })}\n`);
    const isKnown = ifVersion === "absent" || ifVersion?.etag !== undefined;
    try {
      await store.set!(key, bytes, isKnown ? { ifVersion } : {});
    } catch (cause) {
      if (isZarrError(cause, "Unsupported")) return void (await store.set!(key, bytes));
      // A request whose response was lost may have been applied.
      if ((await this.read().catch(() => undefined))?.stamp === this.#stamp) return undefined;
      // A writer that empties a folder also removes the temporary files of this one.
      const { code } = ((cause as Error).cause ?? {}) as { code?: string };
      if (!isConflict(cause) && !isOutcomeUnknown(cause) && code !== "ENOENT") throw cause;
      const message = `the lock ${this.name} could not be written: it is refused as if it existed, but it does not exist`;
      return networkError(message, { code: "store-failed", cause });
    }
    return undefined;
  }
}

/** An object that is not a lease counts as one of an unknown writer, until it is stale. */
function parse(bytes: Uint8Array): Omit<FoundLease, "version"> {
  const text = textDecoder().decode(bytes.subarray(0, 2 ** 20));
  try {
    const { writers, share, stamp } = JSON.parse(text) as FoundLease;
    if (writers.every(({ id, host, since }) => [id, host, since, stamp].every(isText)))
      return { writers, share, stamp };
  } catch {}
  return { writers: [{ id: "", host: "", process: 0, since: "" }], stamp: text };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** A point in time: by a clock that stands still while some computers are suspended, and by one that jumps if it is set. */
export type Moment = readonly [monotonic: number, clock: number];

export const moment = (): Moment => [performance.now(), Date.now()];

/** Returns the milliseconds since a moment, with the time for which the process, or the computer, was suspended. */
export function elapsedSince([monotonic, clock]: Moment): number {
  const now = moment();
  return Math.max(now[0] - monotonic, now[1] - clock);
}
