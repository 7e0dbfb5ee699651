/**
 * Lock objects: which processes write to a destination, as a small JSON object that is only replaced on the condition that
 * it has not changed. Each writer changes it again and again while it runs. Liveness follows from these changes, as the
 * observer sees them: neither clocks, host names nor process ids are compared.
 */

import { FileSystemStore } from "../store/file/store.js";
import { WritableHttpStore } from "../store/http/writable-store.js";
import type { Store, StoreGetOptions, StoreSetOptions } from "../store/store.js";
import { isZarrError, networkError } from "../util/errors.js";
import { node, randomHex } from "./host.js";

export interface Writer {
  readonly id: string;
  /** Host name; of pages the host of their URL. */
  readonly host: string;
  /** Process id; 0 for pages. */
  readonly process: number;
  readonly since: string;
}

/**
 * "starting": the writer is still looking for locks of other places. "ending": the object is about to be deleted.
 */
export type LockState = "starting" | "writing" | "ending";

export interface LockDocument {
  readonly state: LockState;
  /** Writers with the same text may write at the same time; absent for a single writer. */
  readonly share?: string | undefined;
  readonly writers: readonly Writer[];
  /** How often a live writer changes the object, and after which time without a change it counts as dead. */
  readonly interval: number;
  readonly stale: number;
  /** Different after each change. */
  readonly stamp: string;
}

/** Location of a lock object. */
export interface LockLocation {
  readonly kind: "folder" | "http" | "store";
  /** URL of the folder, with a "/" at its end. For "store" a name for messages. */
  readonly folder: string;
  /** Name of the object in the folder. */
  readonly name: string;
}

type Version = NonNullable<StoreGetOptions["version"]>;

export interface FoundLock {
  /** Undefined for an object that is not a lock. */
  readonly document: LockDocument | undefined;
  readonly version: Version;
}

export class LockObject {
  readonly #store: Store;
  readonly #key: string;
  #vanished = 0;
  #contradictions = 0;

  /** @param store the store of a place of kind "store". */
  constructor(
    readonly place: LockLocation,
    store?: Store,
  ) {
    const { kind, folder, name } = place;
    this.#store =
      store ?? (kind === "folder" ? new FileSystemStore(new URL(folder)) : new WritableHttpStore(folder));
    this.#key = `/${name}`;
  }

  /** Path or URL, for messages. */
  get name(): string {
    const place = this.#store.locate?.(this.#key) ?? this.#key;
    return this.place.kind === "folder" ? node().url.fileURLToPath(place) : place;
  }

  /** @throws what the store throws. */
  async read(): Promise<FoundLock | undefined> {
    const version: Version = {};
    const bytes = await this.#store.get(this.#key, { version });
    return bytes && { document: parse(bytes), version };
  }

  /**
   * Replaces the object if it still has the given version, or creates it.
   * @returns its stamp; undefined if it has changed. A server without conditional requests replaces it in any case, and
   *   so does a store whose `get` does not report versions.
   * @throws what the store throws, unless the object turns out to be written.
   */
  async write(
    document: Omit<LockDocument, "stamp">,
    ifVersion: StoreSetOptions["ifVersion"],
  ): Promise<string | undefined> {
    const own: LockDocument = { ...document, stamp: randomHex() };
    const bytes = new TextEncoder().encode(`${JSON.stringify(own)}\n`);
    const isKnown = ifVersion === "absent" || ifVersion?.etag !== undefined;
    try {
      await this.#store.set!(this.#key, bytes, isKnown ? { ifVersion } : {});
      return own.stamp;
    } catch (error) {
      if (isZarrError(error, "Unsupported")) {
        await this.#store.set!(this.#key, bytes);
        return own.stamp;
      }
      // A request whose response was lost may have been applied.
      const found = await this.read().catch(() => undefined);
      if (found?.document?.stamp === own.stamp) return own.stamp;
      const isUnknown = isZarrError(error, "Network") && error.code === "unknown-outcome";
      if (isUnknown || isZarrError(error, "AlreadyExists", "Conflict")) {
        if (found || ifVersion !== "absent") this.#contradictions = 0;
        else if (++this.#contradictions > maxContradictions) throw notWritable(this.name, error);
        return undefined;
      }
      // A writer that empties the folder also removes the temporary files of this one.
      if (isVanished(error) && ++this.#vanished <= maxVanished) return undefined;
      throw error;
    }
  }

  /**
   * Writes and deletes a temporary object next to the lock, to test for write access.
   * @returns false if another process removes it before this one does.
   * @throws what the store throws, unless the place is read-only.
   */
  async probe(): Promise<boolean> {
    const key = `/.zw-${randomHex()}.tmp`;
    try {
      await this.#store.set!(key, new Uint8Array(1));
      await this.#store.delete!(key);
      return true;
    } catch (error) {
      if (isVanished(error)) return false;
      if (!isZarrError(error, "ReadOnly")) throw error;
      return true;
    }
  }

  async remove(): Promise<void> {
    await this.#store.delete!(this.#key);
  }
}

/**
 * How often in a row a place may refuse to create a lock that is missing when it is read right afterwards. Another writer
 * may have taken and released it in between; some servers answer so every time.
 */
const maxContradictions = 5;

const notWritable = (name: string, cause: Error): Error =>
  networkError(
    `the lock ${name} could not be written: it is refused as if it existed, but it does not exist`,
    {
      code: "store-failed",
      cause,
    },
  );

/** How often a temporary file may disappear before that counts as an error of the file system. */
const maxVanished = 20;

/** Whether the temporary file of a write has disappeared. */
const isVanished = (error: unknown): boolean =>
  isZarrError(error) && (error.cause as { code?: string } | undefined)?.code === "ENOENT";

const states: readonly string[] = ["starting", "writing", "ending"] satisfies LockState[];

/** Upper bounds for the times in a document. */
const maxInterval = 60_000;
const maxStale = 600_000;

function parse(bytes: Uint8Array): LockDocument | undefined {
  try {
    const { state, share, writers, interval, stale, stamp } = JSON.parse(new TextDecoder().decode(bytes));
    const isLock =
      states.includes(state) &&
      (share === undefined || typeof share === "string") &&
      Array.isArray(writers) &&
      writers.every(isWriter) &&
      interval > 0 &&
      stale > 0 &&
      typeof stamp === "string";
    if (!isLock) return undefined;
    return {
      ...{ state, share, writers, stamp },
      interval: Math.min(interval, maxInterval),
      stale: Math.min(stale, maxStale),
    };
  } catch {
    return undefined;
  }
}

const isWriter = (value: Partial<Writer> | null): value is Writer =>
  typeof value?.id === "string" &&
  typeof value.host === "string" &&
  typeof value.process === "number" &&
  typeof value.since === "string";

/** Names the writers of a lock, for messages. */
export function writersText({ writers }: LockDocument): string {
  const [first, ...others] = writers;
  if (!first) return "another process";
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  const writer = first.process > 0 ? `process ${first.process} on ${first.host}` : `a page of ${first.host}`;
  return `${writer}${more}, since ${first.since}`;
}

/** A point in time. Intervals include the time for which the process, or the computer, was suspended. */
export interface Moment {
  /** Milliseconds; stands still while some computers are suspended. */
  readonly monotonic: number;
  /** Milliseconds; jumps if the clock is set. */
  readonly clock: number;
}

const { hrtime } = (globalThis as { process?: { hrtime?: { bigint(): bigint } } }).process ?? {};

/** Now, by clocks that all threads of a Node process share. */
export const moment = (): Moment => ({
  monotonic: Math.floor(hrtime ? Number(hrtime.bigint() / 1_000_000n) : performance.now()),
  clock: Date.now(),
});

/** Returns the milliseconds since a moment; if clocks disagree, the larger value. */
export function elapsedSince({ monotonic, clock }: Moment): number {
  const now = moment();
  return Math.max(now.monotonic - monotonic, now.clock - clock);
}
