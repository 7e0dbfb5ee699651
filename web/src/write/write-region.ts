/** Writes a region object by object (chunks or shards), with bounded concurrency. */

import type { LeafChunkCodec, ShardLevel } from "../chain/layout.js";
import type { Copy } from "../engine/session.js";
import type { RegionTask } from "../plan/projections.js";
import { type Job, Jobs } from "../plan/slabs.js";
import type { Progress } from "../read/assemble.js";
import type { ArrayReader } from "../read/reader.js";
import {
  type Conflicts,
  conflictError,
  inTurn,
  isConflict,
  isOutcomeUnknown,
  retryConflicts,
} from "../store/concurrency.js";
import type { MaybePromise, ObjectVersion, Store, StoreSetOptions } from "../store/store.js";
import { deleteObject, keepsBytes, readObject, supportsConditions, writeObject } from "../store/write.js";
import { isZarrError, limitExceeded, withDetails } from "../util/errors.js";
import { uninitialised } from "../util/platform.js";
import { countOf } from "../util/shapes.js";
import { ChunkEncoder, type Encoded, type Encoders } from "./encoder.js";
import { elementsWithin, insideCount, type Values, type WrittenRegion } from "./region.js";
import { changeShard, emptyShard, type Replace } from "./shard.js";

export interface WriteRegionOptions {
  readonly signal: AbortSignal | undefined;
  /** Maximum number of chunks in memory at a time, not counting encoded chunks of shards. */
  readonly concurrency: number;
  readonly conflicts: Conflicts;
  readonly writeEmptyChunks: boolean;
  readonly onProgress: ((progress: Progress) => unknown) | undefined;
  /** Encoding on other threads. */
  readonly encoders: Encoders | undefined;
  /** Whether the values replace elements that the array no longer has: nothing is stored for them. */
  readonly clears?: boolean;
  /**
   * Whether the values are appended. Where requests may be carried out late, whole chunks are then written on the
   * condition that they are missing: they may belong to another program once the append has failed.
   */
  readonly isAppend?: boolean;
}

/** Size of uncompressed chunks that may be in memory together: writing into fresh memory takes most of their time. */
const maxCopiedBytes = 64 * 2 ** 20;
/** Minimum number of such chunks, however large. */
const minCopies = 4;
/** Minimum number of shards written in parallel: one is sent to the store while the next is assembled. */
const minShards = 2;
/** Decoded size of small shards that may be in memory together. */
const maxShardBytes = 32 * 2 ** 20;

/**
 * Returns the number of objects to write in parallel, and of inner chunks of each to encode in parallel: at most
 * `concurrency` chunks and few shards are in memory. Workers get whole rows of a shard, whose values are gathered together;
 * chunks that wait for them take no memory.
 */
function concurrencies(
  { firstCodec, objectAxes, spec }: ArrayReader,
  width: number,
  { concurrency, encoders }: WriteRegionOptions,
): readonly [objects: number, inner: number] {
  if (!spec.isSharded) {
    const isCopied = firstCodec.type === "core" && firstCodec.isNative;
    const bytes = Math.max(1, countOf(spec.chunkShape) * width);
    return [
      isCopied ? Math.min(concurrency, Math.max(minCopies, Math.floor(maxCopiedBytes / bytes))) : concurrency,
      1,
    ];
  }
  const longest = objectAxes.map((axis) => (axis.count > 0 ? axis.size(0) : 1));
  const shards = Math.floor(
    Math.max(concurrency * countOf(spec.chunkShape) * width, maxShardBytes) / (countOf(longest) * width),
  );
  const lanes = Math.min(concurrency, Math.max(minShards, shards));
  const row = encoders ? countOf(longest.slice(-1)) / countOf(spec.chunkShape.slice(-1)) : 0;
  return [lanes, Math.max(Math.min(concurrency, 2 * row), Math.ceil(concurrency / lanes))];
}

/**
 * Writes values to a region of an array.
 * @throws the first error, once nothing is in flight, with the number of chunks written.
 */
export async function writeRegion(
  store: Store,
  reader: ArrayReader,
  region: WrittenRegion,
  values: Values,
  options: WriteRegionOptions,
): Promise<void> {
  const { signal, writeEmptyChunks, onProgress, encoders, clears = false } = options;
  signal?.throwIfAborted();
  const { fill } = reader.spec;
  // An undefined fill value could be read as any value by other readers.
  const keepsFill = writeEmptyChunks || fill.value === null;
  const encoder = new ChunkEncoder(values, region, { keepsFill, encoders, signal, clears });
  await encoder.start(reader.firstCodec);
  const [lanes, innerConcurrency] = concurrencies(reader, values.width, options);
  const writer = new ObjectWriter(store, reader, encoder, options, innerConcurrency);
  const jobs = new Jobs(reader, region.parts, values.width);
  const totalChunks = countOf(region.parts.map((list) => list.length));
  const progress: Progress = { chunks: 0, totalChunks, bytes: 0 };
  let failure: { readonly error: unknown } | undefined;
  const write = async (job: Job) => {
    try {
      progress.bytes += await writer.write(job);
    } catch (error) {
      throw signal?.aborted && error === signal.reason
        ? error
        : withDetails(error, { chunkKey: reader.objectKey(job.object) });
    }
    progress.chunks += job.tasks.length;
    await onProgress?.({ ...progress }); // a rejection ends the write, like an exception
  };
  const order = jobs.inOrder(undefined);
  const lane = async () => {
    for (const job of order) {
      if (failure) return;
      await write(job).catch((error) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, jobs.count) }, lane)).finally(() => encoder.end());
  if (failure) throw withProgress(failure.error, progress);
}

/** Adds the number of chunks written to an error. */
function withProgress(error: unknown, { chunks, totalChunks }: Progress): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  error.message += ` (${chunks} of ${totalChunks} chunks written)`;
  return Object.assign(error, { written: { chunks, totalChunks } });
}

/** The stored state of an object. */
interface Stored {
  readonly bytes: Uint8Array | undefined;
  /** Condition of the next write; undefined for none. */
  readonly ifVersion: StoreSetOptions["ifVersion"];
}

type EncodeTask = (
  task: RegionTask,
  leaf: LeafChunkCodec,
  stored: Uint8Array | undefined,
  copy?: Copy,
) => MaybePromise<Encoded>;

class ObjectWriter {
  readonly #shardSizes = new Map<ShardLevel, number>();

  constructor(
    private readonly store: Store,
    private readonly reader: ArrayReader,
    private readonly encoder: ChunkEncoder,
    private readonly options: WriteRegionOptions,
    /** Maximum number of inner chunks of one shard that are encoded in parallel. */
    private readonly innerConcurrency: number,
  ) {}

  /**
   * Writes the chunks of one object: directly if they are all of the object's chunks in the array, else by
   * changing the stored object. Writes within this process to the same object take turns.
   * @returns the number of bytes written.
   */
  write({ object, tasks }: Job): Promise<number> {
    const key = this.reader.objectKey(object);
    const { signal } = this.options;
    return inTurn(this.store, key, signal, async () => {
      signal?.throwIfAborted();
      const { axes, objectAxes } = this.reader;
      const count = tasks.reduce((sum, { projections }) => sum + insideCount(projections, axes), 0);
      const isWhole = count >= elementsWithin(object, objectAxes);
      const encode = this.#createEncode(tasks);
      const make = (stored: Uint8Array | undefined) =>
        this.#changed(object, tasks, isWhole ? undefined : stored, encode);
      const { store } = this;
      const { conflicts, isAppend } = this.options;
      const isNew =
        isWhole && isAppend && store.ambiguous && supportsConditions(store) && conflicts !== "ignore";
      return isWhole && !isNew
        ? this.#put(key, await make(undefined), undefined)
        : this.#update(key, object, make, isNew);
    });
  }

  /**
   * Replaces an object on the condition that it has not changed since it was read.
   * @param make returns the new object, given the stored one; undefined if it should not be stored.
   * @param isNew whether the first attempt assumes that there is none.
   */
  async #update(
    key: string,
    object: readonly number[],
    make: (stored: Uint8Array | undefined) => Promise<Encoded>,
    isNew = false,
  ): Promise<number> {
    const { conflicts, signal } = this.options;
    let isAssumed = isNew;
    return retryConflicts(key, conflicts, signal, async () => {
      const stored: Stored = isAssumed ? { bytes: undefined, ifVersion: "absent" } : await this.#read(key);
      isAssumed = false;
      const changed = await make(stored.bytes);
      // Deletions have no condition: they could remove an object that another program has written since.
      const stays = stored.bytes !== undefined && stored.ifVersion !== undefined;
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
    const { innerConcurrency: concurrency } = this;
    const { limits } = reader;
    const sizes = this.#shardSizes;
    const allocate = keepsBytes(this.store) ? uninitialised : encoder.lend;
    const work = { session: encoder.session, limits, replace, concurrency, sizes, allocate };
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
  #createEncode(tasks: readonly RegionTask[]): EncodeTask {
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

  /** Writes an object; deletes it if `bytes` is undefined. */
  async #put(key: string, bytes: Uint8Array | undefined, stored: Stored | undefined): Promise<number> {
    const { store } = this;
    const { signal } = this.options;
    if (bytes) {
      const { ifVersion } = stored ?? {};
      await writeObject(store, key, bytes, { signal, ifVersion }).then(
        () => keepsBytes(store) || this.encoder.release(bytes),
        (error) => this.#resolve(key, bytes, error),
      );
      return bytes.byteLength;
    }
    if (!stored || stored.bytes) await deleteObject(store, key, { signal });
    return 0;
  }

  /**
   * Determines whether a write that the store has not confirmed was applied. If other bytes are stored now, the
   * elements are written into these again. Since this call has not returned yet, that is equivalent to a write
   * after the other program's.
   */
  async #resolve(key: string, bytes: Uint8Array, error: unknown): Promise<void> {
    const { conflicts, signal } = this.options;
    const isUnknown = isOutcomeUnknown(error);
    // The next attempt reads the object.
    const isRefused = isConflict(error) && this.store.ambiguous === true && conflicts !== "retry";
    if (!isUnknown && !isRefused) throw error;
    const { encodedBytes } = this.reader.limits;
    const now = await readObject(this.store, key, { signal, maxBytes: encodedBytes }).catch(() => undefined);
    signal?.throwIfAborted();
    if (now && isEqual(now, bytes)) return;
    throw isUnknown && isConflict(error.cause) && conflicts === "retry" ? conflictError(key, error) : error;
  }
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
