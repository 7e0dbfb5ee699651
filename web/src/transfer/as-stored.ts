/**
 * Copies chunks as they are stored: whole objects, or chunks into and out of shards. Chunks are only decoded for
 * verification. The size of each chunk is checked before it is written.
 */

import { type ChunkCodec, withSession } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import { largerModule } from "../engine/compile.js";
import { getSession } from "../engine/engine.js";
import type { CodecSession } from "../engine/session.js";
import { taskList } from "../plan/projections.js";
import type { ArrayReader } from "../read/reader.js";
import type { ReadPart } from "../store/file/copy.js";
import { callStore, releaseBytes } from "../store/read.js";
import { writeObject } from "../store/write.js";
import { withDetails } from "../util/errors.js";
import { type Box, positionsIn } from "../util/shapes.js";
import { cellBox, elementBox, inLanes, intersect, lanesFor, objectsIn } from "../walk/boxes.js";
import { isSameFill } from "../walk/visit.js";
import { changeShard } from "../write/shard.js";
import {
  type ArrayCopy,
  brokenChunkError,
  type CopiedObject,
  chunkCount,
  elementBytes,
  elementCount,
  fetchOptions,
  isDone,
} from "./array-copy.js";
import {
  chunkFault,
  inspectObject,
  isSameObject,
  mayNeedTrimming,
  trimmed,
  wholeObject,
} from "./stored-form.js";

type Position = readonly number[];

/** Chunks of one object of the source, with their coordinates in the target and there. */
interface WantedChunks {
  readonly object: number[];
  readonly wanted: { target: Position; coordinates: number[] }[];
}

const cellOf = (object: Position): Box => ({ from: object, to: object.map((at) => at + 1) });

/** Groups of objects in flight. */
const maxGroups = 4;
/** Chunks of a group: the bookkeeping of tiny chunks takes more memory than their bytes. */
const maxGroupSize = 2 ** 12;
/** Objects of a group that are written in parallel. */
const writeLanes = 8;
/** Merging of requests for chunks of a shard, in bytes. */
const coalescing = { maxGap: 2 ** 16, maxBytes: 2 ** 23 };

/** @param offsets of the view in the array, in chunks. */
export async function copyAsStored(work: ArrayCopy, offsets: Position): Promise<void> {
  const { target, view } = work;
  const copier = new Copier(work, offsets);
  const objectOffsets = view.cellOffsets(view.array.shardShape ?? view.array.chunkShape);
  if (isSameObject(view.array.spec, target.spec) && objectOffsets && !copier.fillsMissing)
    await copier.copyObjects(objectOffsets);
  else await copier.copyChunks();
}

class Copier {
  readonly #from: ArrayReader;
  readonly #to: ArrayReader;
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
  }

  /** Decoded bytes of a whole object. */
  #bytesOf(reader: ArrayReader): number {
    const first = reader.objectAxes.map(() => 0);
    return elementCount(reader, first) * elementBytes(this.work.target);
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
    const lanes = lanesFor(this.#bytesOf(this.#to), this.work.memory);
    await inLanes(
      objectsIn(this.work.boxes),
      lanes,
      (object) => this.#copyObject(object, offsets),
      this.work.signal,
    );
  }

  async #copyObject(object: Position, offsets: Position): Promise<void> {
    const { verify, tally } = this.work;
    if (await isDone(this.work, object)) return;
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

  /** Puts objects together from chunks of any objects of the source. Chunks of a shard of the source are read together. */
  async copyChunks(): Promise<void> {
    const { memory, signal, target } = this.work;
    const bytes = target.spec.isSharded
      ? this.#bytesOf(this.#to)
      : Math.min(this.#bytesOf(this.#from), this.#groupSize * this.#bytesOf(this.#to));
    const lanes = lanesFor(bytes, memory, maxGroups);
    await inLanes(this.#groups(), lanes, (objects) => this.#copyGroup(objects), signal);
  }

  async #copyGroup(objects: readonly Position[]): Promise<void> {
    const left: { object: Position; chunks: number[][] }[] = [];
    for (const object of objects)
      if (!(await isDone(this.work, object))) left.push({ object, chunks: this.#chunksIn(object) });
    const found = await this.#read(left.flatMap(({ chunks }) => chunks));
    const put = async ({ object, chunks }: (typeof left)[number]) => {
      const stored = chunks.filter((at) => found.has(at.join())).length;
      const bytes = await this.#joined(object, chunks, found);
      await this.#put(object, bytes, { stored, missing: chunks.length - stored });
    };
    await inLanes(left, writeLanes, put, this.work.signal);
  }

  /** Returns an object of encoded chunks; undefined without any. */
  async #joined(
    object: Position,
    chunks: readonly number[][],
    found: ReadonlyMap<string, Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    const { levels } = this.#to.layoutOf(object);
    if (levels.length === 0) return found.get(chunks[0]!.join());
    const { limits } = this.work.target;
    const tasks = chunks.map((coordinates) => ({ coordinates }));
    const replace = ({ coordinates }: (typeof tasks)[number]) => found.get(coordinates.join());
    const session = await this.#session();
    const making = { session, limits, replace, concurrency: 1, sizes: this.#shardSizes };
    return changeShard(making, levels, undefined, tasks, this.#to.positionsOf(object, tasks));
  }

  /** Number of chunks out of a shard that are read before they are written. */
  get #groupSize(): number {
    return lanesFor(this.#bytesOf(this.#to), this.work.memory / maxGroups, maxGroupSize);
  }

  /** Objects to write together: single shards, or chunks that a shard of the source holds. */
  *#groups(): Generator<Position[]> {
    const { axes, objectAxes } = this.#from;
    const { boxes, target } = this.work;
    if (target.spec.isSharded) for (const object of objectsIn(boxes)) yield [object];
    else
      for (const box of boxes) {
        const shards = cellBox(elementBox(this.#moved(box, 1), axes), objectAxes);
        for (const shard of positionsIn(shards)) {
          const chunks = cellBox(elementBox(cellOf(shard), objectAxes), axes);
          const own = intersect(this.#moved(chunks, -1), box);
          if (own) yield* inGroups(positionsIn(own), this.#groupSize);
        }
      }
  }

  /** Moves a box of chunks from the target to the source (1), or back (-1). */
  #moved({ from, to }: Box, sign: 1 | -1): Box {
    const moved = (list: Position) => list.map((at, axis) => at + sign * this.offsets[axis]!);
    return { from: moved(from), to: moved(to) };
  }

  /** Chunks in an object of the target. */
  #chunksIn(object: Position): number[][] {
    return [...positionsIn(cellBox(elementBox(cellOf(object), this.#to.objectAxes), this.#to.axes))];
  }

  /** Reads chunks by their coordinates in the target. Those that stay missing are not in the result. */
  async #read(chunks: readonly Position[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const { isSharded } = this.#from.spec;
    const { signal, tally } = this.work;
    const onBytes = (bytes: number) => {
      tally.bytesRead += bytes;
    };
    const fetching = fetchOptions(8, { signal, coalescing, onBytes });
    const fetch = async ({ object, wanted }: WantedChunks) => {
      const key = this.#from.objectKey(object);
      const { leaf } = this.#from.layoutOf(object);
      const tasks = taskList(wanted);
      await this.#from
        .readObject(object, tasks, fetching, async ({ task: { target, coordinates }, encoded }) => {
          if (!encoded) {
            const chunk = await this.#fillChunk(leaf);
            if (chunk) found.set(target.join(), chunk);
            return;
          }
          const fault = chunkFault(leaf, { bytes: encoded, size: encoded.byteLength });
          if (fault) throw brokenChunkError(key, isSharded ? `chunk ${coordinates.join()}: ${fault}` : fault);
          found.set(target.join(), trimmed(this.#to.firstCodec, encoded).slice());
          releaseBytes(encoded);
        })
        .catch((error) => {
          throw withDetails(error, { chunkKey: key });
        });
    };
    await inLanes(this.#byObject(chunks).values(), 16, fetch, signal);
    return found;
  }

  #byObject(chunks: readonly Position[]): Map<string, WantedChunks> {
    const groups = new Map<string, WantedChunks>();
    for (const target of chunks) {
      const coordinates = target.map((at, axis) => at + this.offsets[axis]!);
      const object = coordinates.map((at, axis) =>
        this.#from.objectAxes[axis]!.find(this.#from.axes[axis]!.start(at)),
      );
      const group = groups.get(object.join()) ?? { object, wanted: [] };
      groups.set(object.join(), group);
      group.wanted.push({ target, coordinates });
    }
    return groups;
  }

  /** Writes an object, and verifies that its chunks can be decoded. */
  async #put(
    object: Position,
    bytes: Uint8Array | undefined,
    counts: { stored: number; missing: number },
  ): Promise<void> {
    const { store, verify } = this.work;
    const key = this.#to.objectKey(object);
    if (bytes) {
      await writeObject(store, key, bytes);
      store.written.delete(key);
      if (verify) await this.#verify(object, key, bytes);
    } else if (this.work.resume) await store.delete(key);
    this.#count(object, counts);
  }

  #count(object: Position, { stored, missing }: { stored: number; missing: number }): void {
    const { tally, target } = this.work;
    tally.chunks.asStored += stored;
    tally.chunks.missing += missing;
    tally.advance(elementCount(this.#to, object) * elementBytes(target));
  }

  async #verify(object: Position, key: string, bytes: Uint8Array): Promise<void> {
    const { leaf, levels } = this.#to.layoutOf(object);
    for (const chunk of inspectObject(await this.#session(), leaf, levels, bytes).chunks)
      await checkDecodes(leaf, chunk, key);
  }
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
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
