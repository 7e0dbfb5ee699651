/**
 * Copying chunks as they are stored: whole objects, or chunks into and out of shards. Nothing is decoded, but to be
 * verified. What comes out of a store is checked for its size before it goes into the other one.
 */

import { FileSystemStore } from "zarr-wasm/node";
import {
  type ArrayReader,
  answerOf,
  type Box,
  type ChunkCodec,
  changeShard,
  type Leaf,
  Limiter,
  largerModule,
  positionsIn,
  releaseBytes,
  sessionOf,
  withDetails,
  withSession,
  writeObject,
} from "#internal";
import { cellsOf, elementsOf, intersect } from "./boxes.js";
import { isSameObject } from "./encoding.js";
import { inLanes, lanesFor } from "./lanes.js";
import { chunkFault, inspectObject, mayNeedTrimming, trimmed, wholeObject } from "./whole.js";
import {
  brokenChunk,
  chunkCount,
  different,
  elementCount,
  isDone,
  isSameFill,
  itemBytesOf,
  type Work,
} from "./work.js";

type Position = readonly number[];

/** Bytes of one request for several chunks of a shard. */
const coalescing = { maxGap: 2 ** 16, maxBytes: 2 ** 23 };

/** @param offsets of the view in the array, in chunks. */
export async function copyAsStored(work: Work, offsets: Position): Promise<void> {
  const { target, view } = work;
  const copier = new Copier(work, offsets);
  await copier.start();
  const objectOffsets = view.cellOffsets(view.array.shardShape ?? view.array.chunkShape);
  if (isSameObject(view.array.spec, target.spec) && objectOffsets && !copier.fillsMissing)
    await copier.objects(objectOffsets);
  else if (target.spec.isSharded) await copier.intoShards();
  else await copier.outOfObjects();
}

class Copier {
  readonly #from: ArrayReader;
  readonly #to: ArrayReader;
  readonly #objectBytes: number;
  /** What is stored for chunks that the source leaves out, where the target's fill value is another one. */
  readonly #fillChunks = new Map<Leaf, Uint8Array>();
  /** Whether chunks that are missing in the source must not be missing in the target. */
  readonly fillsMissing: boolean;
  #session!: Awaited<ReturnType<typeof sessionOf>>;
  readonly #shardSizes = new Map();

  constructor(
    private readonly work: Work,
    private readonly offsets: Position,
  ) {
    this.#from = work.view.array.reader;
    this.#to = work.target.reader;
    this.fillsMissing = !isSameFill(work.view.array, work.target);
    this.#objectBytes =
      elementCount(
        this.#to,
        this.#to.objectAxes.map(() => 0),
      ) * itemBytesOf(work.target);
  }

  async start(): Promise<void> {
    this.#session = await sessionOf(largerModule("full", this.#to.firstCodec.decodeModule));
  }

  #fillChunk(leaf: Leaf): Uint8Array | undefined {
    if (!this.fillsMissing) return undefined;
    const chunk = this.#fillChunks.get(leaf) ?? leaf.encode(this.#session, leaf.missing());
    this.#fillChunks.set(leaf, chunk);
    return chunk;
  }

  /** Stored objects are the same in both: one goes for one. */
  async objects(offsets: Position): Promise<void> {
    const lanes = lanesFor(this.#objectBytes, this.work.memory);
    await inLanes(this.#objectsToWrite(), lanes, (object) => this.#copyObject(object, offsets));
  }

  async #copyObject(object: Position, offsets: Position): Promise<void> {
    const { verify, tally } = this.work;
    if (!verify && (await isDone(this.work, object))) return;
    const key = this.#from.objectKey(object.map((cell, axis) => cell + offsets[axis]!));
    if (!verify && (await this.#copyFile(object, key, offsets))) return;
    const found = await this.#stored(key);
    const bytes = found && (this.#to.spec.isSharded ? found : trimmed(this.#to.firstCodec, found));
    const chunks = chunkCount(this.#to, object);
    let stored = 0;
    if (bytes) {
      const { leaf, levels } = this.#to.layoutOf(object);
      const { fault, chunks: inside } = located(key, () => inspectObject(this.#session, leaf, levels, bytes));
      if (fault) throw brokenChunk(key, fault);
      stored = Math.min(chunks, inside.length);
    }
    tally.bytesRead += bytes?.byteLength ?? 0;
    await this.#put(object, bytes, { stored, missing: chunks - stored });
  }

  /** From folder to folder the system copies files. What is not whole at first sight is left for a closer look. */
  async #copyFile(object: Position, from: string, offsets: Position): Promise<boolean> {
    const { store, tally, target, view } = this.work;
    const { array } = view;
    if (!(array.store instanceof FileSystemStore) || mayNeedTrimming(this.#from.spec, this.#to.spec))
      return false;
    const place = object.map((cell, axis) => cell + offsets[axis]!);
    const found = await wholeObject(array.store, this.#from, place);
    const key = this.#to.objectKey(object);
    if (!found || !(await store.copyFrom(array.store, from, key, found.size))) return false;
    const stored = Math.min(found.chunks, chunkCount(this.#to, object));
    tally.chunks.asStored += stored;
    tally.chunks.missing += chunkCount(this.#to, object) - stored;
    tally.advance(elementCount(this.#to, object) * itemBytesOf(target));
    return true;
  }

  async #stored(key: string): Promise<Uint8Array | undefined> {
    const { store, limits } = this.work.view.array;
    return answerOf(store, key, () => store.get(key, { maxBytes: limits.encodedBytes }), undefined);
  }

  /** Shards are put together from chunks that may be anywhere. */
  async intoShards(): Promise<void> {
    const lanes = lanesFor(this.#objectBytes, this.work.memory, 4);
    await inLanes(this.#objectsToWrite(), lanes, async (object) => {
      if (!this.work.verify && (await isDone(this.work, object))) return;
      const tasks = this.#chunksOf(object).map((coordinates) => ({ coordinates }));
      const found = new Map<string, Uint8Array>();
      await this.#read(tasks, async ({ coordinates }, bytes) => {
        found.set(coordinates.join(), bytes);
      });
      const { levels } = this.#to.layoutOf(object);
      const at = this.#to.positionsOf(object, tasks);
      const { limits } = this.work.target;
      const replace = ({ coordinates }: (typeof tasks)[number]) => found.get(coordinates.join());
      const making = { session: this.#session, limits, replace, concurrency: 1, sizes: this.#shardSizes };
      const shard = await changeShard(making, levels, undefined, tasks, at);
      await this.#put(object, shard, { stored: found.size, missing: tasks.length - found.size });
    });
  }

  /** Chunks of a source shard become objects of their own. */
  async outOfObjects(): Promise<void> {
    const { objectAxes } = this.#from;
    const shardBytes =
      elementCount(
        this.#from,
        objectAxes.map(() => 0),
      ) * itemBytesOf(this.work.target);
    const lanes = lanesFor(shardBytes, this.work.memory, 4);
    await inLanes(this.#sourceObjects(), lanes, async (object) => {
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
        if (missing.has(coordinates.join()))
          await this.#put(coordinates, undefined, { stored: 0, missing: 1 });
    });
  }

  /** Stored objects of the source that hold anything of what is this process' own. */
  *#sourceObjects(): Generator<{ object: number[]; box: Box }> {
    for (const box of this.work.boxes) {
      const elements = this.#inSource(elementsOf(box, this.#to.objectAxes));
      for (const object of positionsIn(cellsOf(elements, this.#from.objectAxes))) yield { object, box };
    }
  }

  /** The target's chunks of a box that lie in an object of the source. */
  *#targetChunksIn({ object, box }: { object: Position; box: Box }) {
    const cell = { from: object, to: object.map((at) => at + 1) };
    const chunks = cellsOf(elementsOf(cell, this.#from.objectAxes), this.#from.axes);
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

  *#objectsToWrite(): Generator<number[]> {
    for (const box of this.work.boxes) yield* positionsIn(box);
  }

  /** The chunks of the array in an object of the target. */
  #chunksOf(object: Position): number[][] {
    const elements = elementsOf({ from: object, to: object.map((at) => at + 1) }, this.#to.objectAxes);
    return [...positionsIn(cellsOf(elements, this.#to.axes))];
  }

  /** Reads chunks, by the target's coordinates; those that are missing and may be are left out. */
  async #read<T extends { coordinates: Position }>(
    tasks: readonly T[],
    use: (task: T, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const groups = this.#byObject(tasks);
    const { isSharded } = this.#from.spec;
    const fetching = {
      signal: undefined,
      limiter: new Limiter(8),
      requests: new Limiter(16),
      coalescing,
      onBytes: (bytes: number) => {
        this.work.tally.bytesRead += bytes;
      },
    };
    await inLanes(groups.values(), 16, async ({ object, wanted }) => {
      const key = this.#from.objectKey(object);
      const { leaf } = this.#from.layoutOf(object);
      await this.#from
        .readObject(object, wanted, fetching, async ({ task, coordinates }, { encoded }) => {
          if (!encoded) {
            const chunk = this.#fillChunk(leaf);
            return chunk && use(task, chunk);
          }
          const fault = chunkFault(leaf, { bytes: encoded, size: encoded.byteLength });
          if (fault) throw brokenChunk(key, isSharded ? `chunk ${coordinates.join()}: ${fault}` : fault);
          const own = trimmed(this.#to.firstCodec, encoded).slice();
          releaseBytes(encoded);
          await use(task, own);
        })
        .catch((error) => {
          throw withDetails(error, { chunkKey: key });
        });
    });
  }

  #byObject<T extends { coordinates: Position }>(tasks: readonly T[]) {
    const groups = new Map<string, { object: number[]; wanted: { task: T; coordinates: number[] }[] }>();
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

  /** Writes an object, unless it is there, and verifies it. */
  async #put(
    object: Position,
    bytes: Uint8Array | undefined,
    { stored, missing }: { stored: number; missing: number },
  ): Promise<void> {
    const { store, target, tally, verify } = this.work;
    const key = this.#to.objectKey(object);
    const isKept = verify && (await isDone(this.work, object));
    if (bytes) {
      if (!isKept) await writeObject(store, key, bytes);
      store.written.delete(key);
      if (verify) await this.#verify(object, key, bytes);
    } else if (this.work.resume) await store.delete(key);
    if (isKept) return;
    tally.chunks.asStored += stored;
    tally.chunks.missing += missing;
    tally.advance(elementCount(this.#to, object) * itemBytesOf(target));
  }

  /** Reads an object again, compares it and decodes every chunk of it. */
  async #verify(object: Position, key: string, bytes: Uint8Array): Promise<void> {
    const { store } = this.work;
    const found = await store.get(key);
    if (!found || Buffer.compare(found, bytes) !== 0) throw different(store.locate(key));
    const { leaf, levels } = this.#to.layoutOf(object);
    for (const chunk of inspectObject(this.#session, leaf, levels, bytes).chunks)
      await decodes(leaf, chunk, key);
  }
}

async function decodes(leaf: ChunkCodec, chunk: Uint8Array, chunkKey: string): Promise<void> {
  try {
    await withSession(leaf, (session) => void leaf.decode(session, chunk));
  } catch (error) {
    throw withDetails(error, { chunkKey });
  }
}

function located<T>(chunkKey: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withDetails(error, { chunkKey });
  }
}
