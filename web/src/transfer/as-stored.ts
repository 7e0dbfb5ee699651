/**
 * Copies chunks as they are stored: whole objects, or chunks into and out of shards. Chunks are only decoded for
 * verification. The size of each chunk is checked before it is written.
 */

import { type ChunkCodec, withSession } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import { largerModule } from "../engine/compile.js";
import { getSession } from "../engine/engine.js";
import type { CodecSession } from "../engine/session.js";
import type { ArrayReader } from "../read/reader.js";
import type { ReadPart } from "../store/file/copy.js";
import { callStore, releaseBytes } from "../store/read.js";
import { writeObject } from "../store/write.js";
import { withDetails } from "../util/errors.js";
import { type Box, positionsIn } from "../util/shapes.js";
import { cellBox, elementBox, intersect, objectsIn } from "../walk/boxes.js";
import { inLanes, lanesFor } from "../walk/lanes.js";
import { isSameFill } from "../walk/visit.js";
import { changeShard } from "../write/shard.js";
import {
  type ArrayCopy,
  brokenChunkError,
  type CopiedObject,
  chunkCount,
  differsError,
  elementBytes,
  elementCount,
  fetchOptions,
  isDone,
} from "./array-copy.js";
import { isSameBytes } from "./box-copy.js";
import {
  chunkFault,
  inspectObject,
  isSameObject,
  mayNeedTrimming,
  trimmed,
  wholeObject,
} from "./stored-form.js";

type Position = readonly number[];

/** Tasks for chunks of one object of the source, with their coordinates there. */
interface ObjectTasks<T> {
  readonly object: number[];
  readonly wanted: { task: T; coordinates: number[] }[];
}

/** Merging of requests for chunks of a shard, in bytes. */
const coalescing = { maxGap: 2 ** 16, maxBytes: 2 ** 23 };

/** @param offsets of the view in the array, in chunks. */
export async function copyAsStored(work: ArrayCopy, offsets: Position): Promise<void> {
  const { target, view } = work;
  const copier = new Copier(work, offsets);
  const objectOffsets = view.cellOffsets(view.array.shardShape ?? view.array.chunkShape);
  if (isSameObject(view.array.spec, target.spec) && objectOffsets && !copier.fillsMissing)
    await copier.copyObjects(objectOffsets);
  else if (target.spec.isSharded) await copier.joinShards();
  else await copier.splitObjects();
}

class Copier {
  readonly #from: ArrayReader;
  readonly #to: ArrayReader;
  readonly #objectBytes: number;
  /** Encoded chunks of the source's fill value, for chunks that the source does not store. */
  readonly #fillChunks = new Map<LeafChunkCodec, Uint8Array>();
  /** Whether chunks that the source does not store are written because the fill values differ. */
  readonly fillsMissing: boolean;
  readonly #shardSizes = new Map();

  constructor(
    private readonly work: ArrayCopy,
    private readonly offsets: Position,
  ) {
    this.#from = work.view.array.reader;
    this.#to = work.target.reader;
    this.fillsMissing = !isSameFill(work.view.array, work.target);
    this.#objectBytes =
      elementCount(
        this.#to,
        this.#to.objectAxes.map(() => 0),
      ) * elementBytes(work.target);
  }

  /** Not loaded before it is needed: copying files needs no module. */
  #session(): Promise<CodecSession> {
    return getSession(largerModule("full", this.#to.firstCodec.decodeModule));
  }

  async #fillChunk(leaf: LeafChunkCodec): Promise<Uint8Array | undefined> {
    if (!this.fillsMissing) return undefined;
    const chunk = this.#fillChunks.get(leaf) ?? leaf.encode(await this.#session(), leaf.missing());
    this.#fillChunks.set(leaf, chunk);
    return chunk;
  }

  /** Copies whole objects, which are the same in both arrays. */
  async copyObjects(offsets: Position): Promise<void> {
    const lanes = lanesFor(this.#objectBytes, this.work.memory);
    await inLanes(
      objectsIn(this.work.boxes),
      lanes,
      (object) => this.#copyObject(object, offsets),
      this.work.signal,
    );
  }

  async #copyObject(object: Position, offsets: Position): Promise<void> {
    const { verify, tally } = this.work;
    if (!verify && (await isDone(this.work, object))) return;
    const key = this.#from.objectKey(object.map((cell, axis) => cell + offsets[axis]!));
    const whole = verify ? undefined : await this.#copyWhole(object, key);
    const chunks = chunkCount(this.#to, object);
    if (typeof whole === "object") {
      const stored = Math.min(whole.chunks, chunks);
      return this.#count(object, { stored, missing: chunks - stored });
    }
    const found = whole === "missing" ? undefined : await this.#stored(key);
    const bytes = found && (this.#to.spec.isSharded ? found : trimmed(this.#to.firstCodec, found));
    let stored = 0;
    if (bytes) {
      const { leaf, levels } = this.#to.layoutOf(object);
      const session = await this.#session();
      const { fault, chunks: inside } = withKeyInErrors(key, () =>
        inspectObject(session, leaf, levels, bytes),
      );
      if (fault) throw brokenChunkError(key, fault);
      stored = Math.min(chunks, inside.length);
    }
    tally.bytesRead += bytes?.byteLength ?? 0;
    await this.#put(object, bytes, { stored, missing: chunks - stored });
  }

  /** Copies an object without reading it, if the stores can do that and it need not be changed. */
  async #copyWhole(object: Position, from: string): Promise<CopiedObject> {
    if (mayNeedTrimming(this.#from.spec, this.#to.spec)) return undefined;
    const { store, view } = this.work;
    const check = (read: ReadPart) => wholeObject(read, this.#to, object);
    return store.copyFrom(view.array.store, from, this.#to.objectKey(object), check);
  }

  async #stored(key: string): Promise<Uint8Array | undefined> {
    const { signal } = this.work;
    const { store, limits } = this.work.view.array;
    return callStore(store, key, () => store.get(key, { maxBytes: limits.encodedBytes, signal }), undefined);
  }

  /** Puts shards together from chunks of any objects of the source. */
  async joinShards(): Promise<void> {
    const lanes = lanesFor(this.#objectBytes, this.work.memory, 4);
    await inLanes(objectsIn(this.work.boxes), lanes, (object) => this.#joinShard(object), this.work.signal);
  }

  async #joinShard(object: Position): Promise<void> {
    if (!this.work.verify && (await isDone(this.work, object))) return;
    const tasks = this.#chunksIn(object).map((coordinates) => ({ coordinates }));
    const found = new Map<string, Uint8Array>();
    await this.#read(tasks, async ({ coordinates }, bytes) => {
      found.set(coordinates.join(), bytes);
    });
    const { levels } = this.#to.layoutOf(object);
    const at = this.#to.positionsOf(object, tasks);
    const { limits } = this.work.target;
    const replace = ({ coordinates }: (typeof tasks)[number]) => found.get(coordinates.join());
    const session = await this.#session();
    const making = { session, limits, replace, concurrency: 1, sizes: this.#shardSizes };
    const shard = await changeShard(making, levels, undefined, tasks, at);
    await this.#put(object, shard, { stored: found.size, missing: tasks.length - found.size });
  }

  /** Writes the chunks of source shards as objects. */
  async splitObjects(): Promise<void> {
    const { objectAxes } = this.#from;
    const shardBytes =
      elementCount(
        this.#from,
        objectAxes.map(() => 0),
      ) * elementBytes(this.work.target);
    const lanes = lanesFor(shardBytes, this.work.memory, 4);
    await inLanes(this.#sourceObjects(), lanes, (object) => this.#splitShard(object), this.work.signal);
  }

  async #splitShard(object: { object: number[]; box: Box }): Promise<void> {
    const tasks: { coordinates: number[] }[] = [];
    for (const coordinates of this.#targetChunksIn(object)) {
      if (this.work.verify || !(await isDone(this.work, coordinates))) tasks.push({ coordinates });
    }
    const missing = new Set(tasks.map(({ coordinates }) => coordinates.join()));
    await this.#read(tasks, async ({ coordinates }, bytes) => {
      missing.delete(coordinates.join());
      await this.#put(coordinates, bytes, { stored: 1, missing: 0 });
    });
    for (const { coordinates } of tasks)
      if (missing.has(coordinates.join())) await this.#put(coordinates, undefined, { stored: 0, missing: 1 });
  }

  /** Stored objects of the source that hold chunks of this call. */
  *#sourceObjects(): Generator<{ object: number[]; box: Box }> {
    for (const box of this.work.boxes) {
      const elements = this.#inSource(elementBox(box, this.#to.objectAxes));
      for (const object of positionsIn(cellBox(elements, this.#from.objectAxes))) yield { object, box };
    }
  }

  /** Chunks of the target in a box that lie in an object of the source. */
  *#targetChunksIn({ object, box }: { object: Position; box: Box }) {
    const cell = { from: object, to: object.map((at) => at + 1) };
    const chunks = cellBox(elementBox(cell, this.#from.objectAxes), this.#from.axes);
    const moved = {
      from: chunks.from.map((at, axis) => at - this.offsets[axis]!),
      to: chunks.to.map((at, axis) => at - this.offsets[axis]!),
    };
    const own = intersect(moved, box);
    if (own) yield* positionsIn(own);
  }

  #inSource({ from, to }: { from: Position; to: Position }) {
    const { chunkShape } = this.work.view.array;
    const moved = (list: Position) => list.map((at, axis) => at + this.offsets[axis]! * chunkShape[axis]!);
    return { from: moved(from), to: moved(to) };
  }

  /** Chunks in an object of the target. */
  #chunksIn(object: Position): number[][] {
    const elements = elementBox({ from: object, to: object.map((at) => at + 1) }, this.#to.objectAxes);
    return [...positionsIn(cellBox(elements, this.#to.axes))];
  }

  /** Reads chunks by their coordinates in the target. `use` is not called for missing chunks that stay missing. */
  async #read<T extends { coordinates: Position }>(
    tasks: readonly T[],
    use: (task: T, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const groups = this.#byObject(tasks);
    const { isSharded } = this.#from.spec;
    const { signal, tally } = this.work;
    const onBytes = (bytes: number) => {
      tally.bytesRead += bytes;
    };
    const fetching = fetchOptions(8, { signal, coalescing, onBytes });
    const fetch = async ({ object, wanted }: ObjectTasks<T>) => {
      const key = this.#from.objectKey(object);
      const { leaf } = this.#from.layoutOf(object);
      await this.#from
        .readObject(object, wanted, fetching, async ({ task: { task, coordinates }, encoded }) => {
          if (!encoded) {
            const chunk = await this.#fillChunk(leaf);
            return chunk && use(task, chunk);
          }
          const fault = chunkFault(leaf, { bytes: encoded, size: encoded.byteLength });
          if (fault) throw brokenChunkError(key, isSharded ? `chunk ${coordinates.join()}: ${fault}` : fault);
          const own = trimmed(this.#to.firstCodec, encoded).slice();
          releaseBytes(encoded);
          await use(task, own);
        })
        .catch((error) => {
          throw withDetails(error, { chunkKey: key });
        });
    };
    await inLanes(groups.values(), 16, fetch, signal);
  }

  #byObject<T extends { coordinates: Position }>(tasks: readonly T[]) {
    const groups = new Map<string, ObjectTasks<T>>();
    for (const task of tasks) {
      const coordinates = task.coordinates.map((at, axis) => at + this.offsets[axis]!);
      const object = coordinates.map((at, axis) =>
        this.#from.objectAxes[axis]!.find(this.#from.axes[axis]!.start(at)),
      );
      const group = groups.get(object.join()) ?? { object, wanted: [] };
      groups.set(object.join(), group);
      group.wanted.push({ task, coordinates });
    }
    return groups;
  }

  /** Writes an object unless it exists, and verifies it. */
  async #put(
    object: Position,
    bytes: Uint8Array | undefined,
    counts: { stored: number; missing: number },
  ): Promise<void> {
    const { store, verify } = this.work;
    const key = this.#to.objectKey(object);
    const isKept = verify && (await isDone(this.work, object));
    if (bytes) {
      if (!isKept) await writeObject(store, key, bytes);
      store.written.delete(key);
      if (verify) await this.#verify(object, key, bytes);
    } else if (this.work.resume) await store.delete(key);
    if (!isKept) this.#count(object, counts);
  }

  #count(object: Position, { stored, missing }: { stored: number; missing: number }): void {
    const { tally, target } = this.work;
    tally.chunks.asStored += stored;
    tally.chunks.missing += missing;
    tally.advance(elementCount(this.#to, object) * elementBytes(target));
  }

  /** Reads an object again, compares it and decodes every chunk of it. */
  async #verify(object: Position, key: string, bytes: Uint8Array): Promise<void> {
    const { store } = this.work;
    const found = await store.get(key);
    if (!found || !isSameBytes(found, bytes)) throw differsError(store.locate(key), key);
    const { leaf, levels } = this.#to.layoutOf(object);
    for (const chunk of inspectObject(await this.#session(), leaf, levels, bytes).chunks)
      await checkDecodes(leaf, chunk, key);
  }
}

async function checkDecodes(leaf: ChunkCodec, chunk: Uint8Array, chunkKey: string): Promise<void> {
  try {
    await withSession(leaf, (session) => void leaf.decode(session, chunk));
  } catch (error) {
    throw withDetails(error, { chunkKey });
  }
}

function withKeyInErrors<T>(chunkKey: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withDetails(error, { chunkKey });
  }
}
