/** Writing one stored object: a chunk, or a shard. */
import { untilAborted } from "../../base/abort.js";
import { conflict, isZarrError, limitExceeded, networkError } from "../../base/errors.js";
import type { Leaf } from "../../chain/layout.js";
import { answerOf } from "../../store/answers.js";
import type { ObjectVersion, SetOptions, Store } from "../../store/store.js";
import { inTurn } from "../../store/turns.js";
import { deleteObject, supportsConditions, writeObject } from "../../store/write.js";
import type { Job } from "../assemble/jobs.js";
import type { RegionTask } from "../assemble/task.js";
import type { ArrayReader } from "../fetch/reader.js";
import type { ChunkEncoder } from "./encoder.js";
import { elementsWithin, insideCount } from "./parts.js";
import { changeShard, emptyShard } from "./shard.js";

/** What to do where another program has written an object since it was read. */
export type Conflicts = "retry" | "error" | "ignore";

/** How often an object is read and written again where another writer was faster. */
const attempts = 10;
/** Longest pause before a further attempt, in milliseconds: doubled with each, up to a second. */
const pause = 10;
const maxPause = 1000;

/** What is stored of an object. */
interface Stored {
  readonly bytes: Uint8Array | undefined;
  /** What the next write is held against; undefined for no condition. */
  readonly ifVersion: SetOptions["ifVersion"];
}

type EncodeTask = (task: RegionTask, leaf: Leaf, stored: Uint8Array | undefined) => Uint8Array | undefined;

export class ObjectWriter {
  constructor(
    private readonly store: Store,
    private readonly reader: ArrayReader,
    private readonly encoder: ChunkEncoder,
    private readonly conflicts: Conflicts,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /**
   * Writes the chunks of one object: as they are, where these are all that the array has of it, else into what is
   * stored. Writes of this program to one object wait for each other.
   * @returns bytes that were written.
   */
  write({ object, tasks }: Job): Promise<number> {
    const key = this.reader.objectKey(object);
    return inTurn(this.store, key, async () => {
      this.signal?.throwIfAborted();
      const { axes, objectAxes } = this.reader;
      const count = tasks.reduce((sum, { projections }) => sum + insideCount(projections, axes), 0);
      const isWhole = count >= elementsWithin(object, objectAxes);
      const encode = this.#encoderOf(tasks);
      return isWhole
        ? this.#put(key, this.#changed(object, tasks, undefined, encode), undefined)
        : this.#update(key, object, tasks, encode);
    });
  }

  async #update(
    key: string,
    object: readonly number[],
    tasks: readonly RegionTask[],
    encode: EncodeTask,
  ): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const stored = await this.#read(key);
      // A delete has no condition: it might take what somebody else has written since.
      const stays = stored.bytes !== undefined && stored.ifVersion !== undefined;
      const changed = this.#changed(object, tasks, stored.bytes, encode);
      const bytes = changed ?? (stays ? this.#empty(object) : undefined);
      try {
        return await this.#put(key, bytes, stored);
      } catch (error) {
        if (this.conflicts !== "retry" || !isZarrError(error, "AlreadyExists", "Conflict")) throw error;
        if (attempt === attempts)
          throw conflict(`${key} is written by others all the time; gave up after ${attempts} attempts`, {
            cause: error,
          });
      }
      const delay = Math.random() * Math.min(maxPause, pause * 2 ** attempt); // so that writers do not meet again
      await untilAborted(new Promise((resolve) => setTimeout(resolve, delay)), this.signal);
    }
  }

  async #read(key: string): Promise<Stored> {
    const { encodedBytes } = this.reader.limits;
    const version: ObjectVersion = {};
    const { signal, store } = this;
    const ask = () => store.get(key, { signal, version, maxBytes: encodedBytes });
    const bytes = await answerOf(store, key, ask, signal).catch((cause) => {
      if (isZarrError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw networkError(`${store.locate?.(key) ?? key} could not be read: ${reason}`, {
        code: "store-failed",
        cause,
      });
    });
    const size = bytes?.byteLength ?? 0;
    if (size > encodedBytes)
      throw limitExceeded(`the chunk has ${size} bytes, more than the limit of ${encodedBytes}`);
    const seen = bytes ? version : "absent";
    const isHeeded = this.conflicts !== "ignore" && supportsConditions(this.store, seen);
    return { bytes, ifVersion: isHeeded ? seen : undefined };
  }

  /** The object with its chunks replaced; undefined where it is not to be stored. */
  #changed(
    object: readonly number[],
    tasks: readonly RegionTask[],
    stored: Uint8Array | undefined,
    encode: EncodeTask,
  ): Uint8Array | undefined {
    const { encoder, reader } = this;
    const { levels, leaf } = reader.layoutOf(object);
    if (levels.length === 0) return encode(tasks[0]!, leaf, stored);
    const at = reader.positionsOf(object, tasks);
    const replace = (task: RegionTask, before: Uint8Array | undefined) => encode(task, leaf, before);
    return changeShard(encoder.session, reader.limits, levels, stored, tasks, at, replace);
  }

  /** An object that is all fill value. */
  #empty(object: readonly number[]): Uint8Array {
    const { encoder, reader } = this;
    const { levels, leaf } = reader.layoutOf(object);
    const { session } = encoder;
    return levels[0] ? emptyShard(session, levels[0]) : leaf.encode(session, leaf.missing());
  }

  /** What encodes the chunks of an object: whole ones once, others with what is stored at each attempt. */
  #encoderOf(tasks: readonly RegionTask[]): EncodeTask {
    const { encoder, reader } = this;
    const isWhole = ({ coordinates, projections }: RegionTask) =>
      insideCount(projections, reader.axes) >= elementsWithin(coordinates, reader.axes);
    const whole = new Map<RegionTask, { bytes: Uint8Array | undefined } | undefined>();
    for (const task of tasks) {
      if (isWhole(task)) whole.set(task, undefined);
      else encoder.announcePatched(task);
    }
    return (task, leaf, stored) => {
      if (!whole.has(task)) return encoder.patched(task, leaf, stored);
      const known = whole.get(task) ?? { bytes: encoder.whole(task, leaf) };
      whole.set(task, known);
      return known.bytes;
    };
  }

  /** Writes an object, or deletes it where there is nothing to store. */
  async #put(key: string, bytes: Uint8Array | undefined, stored: Stored | undefined): Promise<number> {
    const { signal, store } = this;
    if (bytes) {
      await writeObject(store, key, bytes, { signal, ifVersion: stored?.ifVersion });
      return bytes.byteLength;
    }
    if (!stored || stored.bytes) await deleteObject(store, key, { signal });
    return 0;
  }
}
