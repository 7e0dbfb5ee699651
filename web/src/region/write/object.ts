/** Writing one stored object: a chunk, or a shard. */
import { limitExceeded } from "../../base/errors.js";
import type { Leaf, ShardLevel } from "../../chain/layout.js";
import type { Copy } from "../../engine/session.js";
import { type Conflicts, retried } from "../../store/retried.js";
import type { MaybePromise, ObjectVersion, SetOptions, Store } from "../../store/store.js";
import { inTurn } from "../../store/turns.js";
import { deleteObject, readObject, supportsConditions, writeObject } from "../../store/write.js";
import type { Job } from "../assemble/jobs.js";
import type { RegionTask } from "../assemble/task.js";
import type { ArrayReader } from "../fetch/reader.js";
import type { ChunkEncoder, Encoded } from "./encoder.js";
import { elementsWithin, insideCount } from "./parts.js";
import { changeShard, emptyShard, type Replace } from "./shard.js";

/** What is stored of an object. */
interface Stored {
  readonly bytes: Uint8Array | undefined;
  /** What the next write is held against; undefined for no condition. */
  readonly ifVersion: SetOptions["ifVersion"];
}

type EncodeTask = (
  task: RegionTask,
  leaf: Leaf,
  stored: Uint8Array | undefined,
  copy?: Copy,
) => MaybePromise<Encoded>;

export interface ObjectWriterOptions {
  readonly conflicts: Conflicts;
  readonly signal: AbortSignal | undefined;
  /** Inner chunks of one shard that are encoded at a time. */
  readonly innerConcurrency: number;
}

export class ObjectWriter {
  readonly #shardSizes = new Map<ShardLevel, number>();

  constructor(
    private readonly store: Store,
    private readonly reader: ArrayReader,
    private readonly encoder: ChunkEncoder,
    private readonly options: ObjectWriterOptions,
  ) {}

  /**
   * Writes the chunks of one object: as they are, where these are all that the array has of it, else into what is
   * stored. Writes of this program to one object wait for each other.
   * @returns bytes that were written.
   */
  write({ object, tasks }: Job): Promise<number> {
    const key = this.reader.objectKey(object);
    return inTurn(this.store, key, this.options.signal, async () => {
      this.options.signal?.throwIfAborted();
      const { axes, objectAxes } = this.reader;
      const count = tasks.reduce((sum, { projections }) => sum + insideCount(projections, axes), 0);
      const isWhole = count >= elementsWithin(object, objectAxes);
      const encode = this.#encoderOf(tasks);
      return isWhole
        ? this.#put(key, await this.#changed(object, tasks, undefined, encode), undefined)
        : this.#update(key, object, tasks, encode);
    });
  }

  async #update(
    key: string,
    object: readonly number[],
    tasks: readonly RegionTask[],
    encode: EncodeTask,
  ): Promise<number> {
    const { conflicts, signal } = this.options;
    return retried(key, conflicts, signal, async () => {
      const stored = await this.#read(key);
      // A delete has no condition: it might take what somebody else has written since.
      const stays = stored.bytes !== undefined && stored.ifVersion !== undefined;
      const changed = await this.#changed(object, tasks, stored.bytes, encode);
      const bytes = changed ?? (stays ? this.#empty(object) : undefined);
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

  /** The object with its chunks replaced; undefined where it is not to be stored. */
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

  /** An object that is all fill value. */
  #empty(object: readonly number[]): Uint8Array {
    const { encoder, reader } = this;
    const { levels, leaf } = reader.layoutOf(object);
    const { session } = encoder;
    return levels[0] ? emptyShard(session, levels[0]) : leaf.encode(session, leaf.missing());
  }

  /** What encodes the chunks of an object, with what is stored of those that are not whole; at each attempt. */
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

  /** Writes an object, or deletes it where there is nothing to store. */
  async #put(key: string, bytes: Uint8Array | undefined, stored: Stored | undefined): Promise<number> {
    const { store } = this;
    const { signal } = this.options;
    if (bytes) {
      await writeObject(store, key, bytes, { signal, ifVersion: stored?.ifVersion });
      return bytes.byteLength;
    }
    if (!stored || stored.bytes) await deleteObject(store, key, { signal });
    return 0;
  }
}
