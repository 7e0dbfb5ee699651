/** Writes one stored object: a chunk, or a shard. */

import type { LeafChunkCodec, ShardLevel } from "../chain/layout.js";
import type { Copy } from "../engine/session.js";
import type { Job } from "../plan/jobs.js";
import type { RegionTask } from "../plan/task.js";
import type { ArrayReader } from "../read/reader.js";
import {
  type Conflicts,
  conflictError,
  inTurn,
  isOutcomeUnknown,
  retryConflicts,
} from "../store/concurrency.js";
import type { MaybePromise, ObjectVersion, SetOptions, Store } from "../store/store.js";
import { deleteObject, readObject, supportsConditions, writeObject } from "../store/write.js";
import { isZarrError, limitExceeded } from "../util/errors.js";
import type { ChunkEncoder, Encoded } from "./encoder.js";
import { elementsWithin, insideCount } from "./region-parts.js";
import { changeShard, emptyShard, type Replace } from "./shard.js";

/** The stored state of an object. */
interface Stored {
  readonly bytes: Uint8Array | undefined;
  /** Condition of the next write; undefined for none. */
  readonly ifVersion: SetOptions["ifVersion"];
}

type EncodeTask = (
  task: RegionTask,
  leaf: LeafChunkCodec,
  stored: Uint8Array | undefined,
  copy?: Copy,
) => MaybePromise<Encoded>;

export interface ObjectWriterOptions {
  readonly conflicts: Conflicts;
  readonly signal: AbortSignal | undefined;
  /** Maximum number of inner chunks of one shard that are encoded in parallel. */
  readonly innerConcurrency: number;
  readonly recheck: (() => Promise<unknown>) | undefined;
}

/** An object that is assumed to be missing; the condition of the write checks that. */
const assumedMissing: Stored = { bytes: undefined, ifVersion: "absent" };

export class ObjectWriter {
  readonly #shardSizes = new Map<ShardLevel, number>();

  constructor(
    private readonly store: Store,
    private readonly reader: ArrayReader,
    private readonly encoder: ChunkEncoder,
    private readonly options: ObjectWriterOptions,
  ) {}

  /**
   * Writes the chunks of one object: directly if they are all of the object's chunks in the array, else by
   * changing the stored object. Writes within this process to the same object take turns.
   * @returns the number of bytes written.
   */
  write({ object, tasks }: Job): Promise<number> {
    const key = this.reader.objectKey(object);
    const { signal, recheck } = this.options;
    return inTurn(this.store, key, signal, async () => {
      signal?.throwIfAborted();
      const { axes, objectAxes } = this.reader;
      const count = tasks.reduce((sum, { projections }) => sum + insideCount(projections, axes), 0);
      const isWhole = count >= elementsWithin(object, objectAxes);
      const encode = this.#encoderOf(tasks);
      const make = (stored: Uint8Array | undefined) =>
        this.#changed(object, tasks, isWhole ? undefined : stored, encode);
      return isWhole && !recheck
        ? this.#put(key, await make(undefined), undefined)
        : this.#update(key, object, make, isWhole);
    });
  }

  /**
   * Replaces an object on the condition that it has not changed since it was read.
   * @param make returns the new object, given the stored one; undefined if it should not be stored.
   * @param isNew whether the object is likely to be missing, so that it need not be read first.
   */
  async #update(
    key: string,
    object: readonly number[],
    make: (stored: Uint8Array | undefined) => Promise<Encoded>,
    isNew: boolean,
  ): Promise<number> {
    const { conflicts, signal, recheck } = this.options;
    let isFirst = true;
    return retryConflicts(key, conflicts, signal, async () => {
      const isAssumed = isNew && isFirst && conflicts !== "ignore" && supportsConditions(this.store);
      isFirst = false;
      if (isAssumed) {
        const bytes = await make(undefined);
        if (bytes) return this.#put(key, bytes, assumedMissing);
      }
      const stored = await this.#read(key);
      const changed = await make(stored.bytes);
      if (stored.bytes) await recheck?.();
      // Deletions have no condition: they could remove an object that another program has written since.
      const stays = stored.bytes !== undefined && stored.ifVersion !== undefined;
      const bytes = changed ?? (stays ? this.#empty(object) : undefined);
      if (recheck && bytes && stored.bytes && isEqual(bytes, stored.bytes)) return 0;
      return this.#put(key, bytes, stored);
    });
  }

  async #read(key: string): Promise<Stored> {
    const { encodedBytes } = this.reader.limits;
    const version: ObjectVersion = {};
    const { store } = this;
    const { conflicts, signal } = this.options;
    const bytes = await readObject(store, key, { signal, version, maxBytes: encodedBytes });
    const size = bytes?.byteLength ?? 0;
    if (size > encodedBytes)
      throw limitExceeded(`the chunk has ${size} bytes, more than the limit of ${encodedBytes}`);
    const seen = bytes ? version : "absent";
    const isHeeded = conflicts !== "ignore" && supportsConditions(store, seen);
    return { bytes, ifVersion: isHeeded ? seen : undefined };
  }

  /** Returns the object with its chunks replaced; undefined if it should not be stored. */
  async #changed(
    object: readonly number[],
    tasks: readonly RegionTask[],
    stored: Uint8Array | undefined,
    encode: EncodeTask,
  ): Promise<Encoded> {
    const { encoder, reader } = this;
    const { levels, leaf } = reader.layoutOf(object);
    if (levels.length === 0) return encode(tasks[0]!, leaf, stored);
    const at = reader.positionsOf(object, tasks);
    const replace: Replace<RegionTask> = (task, before, copy) => encode(task, leaf, before, copy);
    const { innerConcurrency: concurrency } = this.options;
    const { limits } = reader;
    const work = { session: encoder.session, limits, replace, concurrency, sizes: this.#shardSizes };
    return changeShard(work, levels, stored, tasks, at);
  }

  /** Returns an object that contains only the fill value. */
  #empty(object: readonly number[]): Uint8Array {
    const { encoder, reader } = this;
    const { levels, leaf } = reader.layoutOf(object);
    const { session } = encoder;
    return levels[0] ? emptyShard(session, levels[0]) : leaf.encode(session, leaf.missing());
  }

  /**
   * Returns the function that encodes the chunks of an object, from their stored data if they are partly
   * covered; called again for each attempt.
   */
  #encoderOf(tasks: readonly RegionTask[]): EncodeTask {
    const { encoder, reader } = this;
    const isWhole = ({ coordinates, projections }: RegionTask) =>
      insideCount(projections, reader.axes) >= elementsWithin(coordinates, reader.axes);
    const whole = new Set(tasks.filter(isWhole));
    const isNew = new Set(whole);
    for (const task of tasks) if (!whole.has(task)) encoder.announcePatched(task);
    return (task, leaf, stored, copy) =>
      whole.has(task)
        ? encoder.whole(task, leaf, isNew.delete(task), copy)
        : encoder.patched(task, leaf, stored, copy);
  }

  /** Writes an object, or deletes it if there is nothing to store. */
  async #put(key: string, bytes: Uint8Array | undefined, stored: Stored | undefined): Promise<number> {
    const { store } = this;
    const { signal } = this.options;
    if (bytes) {
      const { ifVersion } = stored ?? {};
      await writeObject(store, key, bytes, { signal, ifVersion }).catch((error) =>
        this.#resolve(key, bytes, error),
      );
      return bytes.byteLength;
    }
    if (!stored || stored.bytes) await deleteObject(store, key, { signal });
    return 0;
  }

  /**
   * Determines whether a write of unknown outcome was applied. If other bytes are stored now, the elements
   * are written into these again. Since this call has not returned yet, that is equivalent to a write after
   * the other program's.
   */
  async #resolve(key: string, bytes: Uint8Array, error: unknown): Promise<void> {
    if (!isOutcomeUnknown(error)) throw error;
    const { conflicts, signal } = this.options;
    const { encodedBytes } = this.reader.limits;
    const now = await readObject(this.store, key, { signal, maxBytes: encodedBytes }).catch(() => undefined);
    signal?.throwIfAborted();
    if (now && isEqual(now, bytes)) return;
    const isRefused = isZarrError(error.cause, "AlreadyExists", "Conflict");
    throw isRefused && conflicts === "retry" ? conflictError(key, error) : error;
  }
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
