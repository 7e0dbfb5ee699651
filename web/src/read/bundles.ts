/** Reads objects that are close together in one file of their store with one request. */

import type { LeafChunkCodec } from "../chain/layout.js";
import type { ChunkList, ChunkTask, FetchedChunk } from "../plan/projections.js";
import { type FileSpan, findSpan, type OwnStore, readSpan } from "../store/store.js";
import { withTurns } from "../util/slices.js";
import { type MergedParts, mergeParts } from "./merged-parts.js";
import type { FetchOptions } from "./object-reader.js";

/** The chunks of one stored object: a single one if the array has no shards. */
export interface BundleJob<T extends ChunkTask> extends ChunkList<T> {
  readonly object: readonly number[];
}

/** An object to read. */
export interface WantedObject<T extends ChunkTask> {
  readonly job: BundleJob<T>;
  readonly leaf: LeafChunkCodec;
  /** Undefined if it must be read alone. */
  readonly key: string | undefined;
}

/** Objects that are read together, or a single object. */
export interface Bundle<T extends ChunkTask> {
  /** The first object in reading order. */
  readonly first: BundleJob<T>;
  /** Reads the objects, which are one chunk each, with one request. Undefined for a single object. */
  readonly read?: () => Promise<Iterable<FetchedChunk<T>>>;
}

/**
 * Limits of a batch, in objects and decoded bytes. Objects of a batch are read out of order, so a batch
 * should not be larger than a slab of the result.
 */
const maxObjects = 4096;
const maxDecoded = 2 ** 25;

/** Yields bundles in the order of their first objects. */
export async function* bundlesOf<T extends ChunkTask>(
  store: OwnStore,
  objects: Iterable<WantedObject<T>>,
  options: FetchOptions,
): AsyncGenerator<Bundle<T>> {
  for await (const batch of withTurns(batchesOf(objects))) yield* await bundled(store, batch, options);
}

function* batchesOf<T extends ChunkTask>(objects: Iterable<WantedObject<T>>): Generator<WantedObject<T>[]> {
  let batch: WantedObject<T>[] = [];
  let bytes = 0;
  for (const object of objects) {
    const { leaf } = object;
    batch.push(object);
    bytes += leaf.type === "core" ? leaf.plan.decodedBytes : maxDecoded / 64;
    if (batch.length < maxObjects && bytes < maxDecoded) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** An object with its location and its position in the order. */
interface Located<T extends ChunkTask> {
  readonly object: WantedObject<T>;
  readonly rank: number;
  readonly place: FileSpan;
}

async function bundled<T extends ChunkTask>(
  store: OwnStore,
  batch: readonly WantedObject<T>[],
  options: FetchOptions,
): Promise<Bundle<T>[]> {
  const places = await placesOf(store, batch, options);
  const files = new Map<string, Located<T>[]>();
  const bundles: { rank: number; bundle: Bundle<T> }[] = [];
  const addAlone = ({ job }: WantedObject<T>, rank: number) => bundles.push({ rank, bundle: { first: job } });
  for (const [rank, place] of places.entries()) {
    const object = batch[rank]!;
    if (!place) {
      addAlone(object, rank);
      continue;
    }
    const list = files.get(place.file);
    if (list) list.push({ object, rank, place });
    else files.set(place.file, [{ object, rank, place }]);
  }
  for (const list of files.values()) {
    const parts = {
      offsets: list.map(({ place }) => place.offset),
      lengths: list.map(({ place }) => place.length),
    };
    for (const span of mergeParts(Uint32Array.from(list.keys()), parts, options.coalescing)) {
      const members = Array.from(span.members, (n) => list[n]!);
      const { object, rank } = members.reduce((first, one) => (one.rank < first.rank ? one : first));
      if (members.length === 1) addAlone(object, rank);
      else
        bundles.push({
          rank,
          bundle: { first: object.job, read: () => readTogether(store, span, members, options) },
        });
    }
  }
  return bundles.sort((a, b) => a.rank - b.rank).map(({ bundle }) => bundle);
}

/** Returns the locations of objects. Few are looked for at a time: thousands of waiting calls slow each other down. */
async function placesOf<T extends ChunkTask>(
  store: OwnStore,
  batch: readonly WantedObject<T>[],
  options: FetchOptions,
): Promise<(FileSpan | undefined)[]> {
  const places = new Array<FileSpan | undefined>(batch.length);
  let next = 0;
  const findSome = async () => {
    for (let i = next++; i < batch.length; i = next++) places[i] = await placeOf(store, batch[i]!, options);
  };
  const lanes = Math.min(options.requests.limit, batch.length);
  await Promise.all(Array.from({ length: lanes }, findSome));
  return places;
}

/** Returns the location of an object; undefined on errors, which reading the object alone will report. */
async function placeOf<T extends ChunkTask>(
  store: OwnStore,
  { key, leaf }: WantedObject<T>,
  { requests, signal }: FetchOptions,
): Promise<FileSpan | undefined> {
  if (key === undefined) return undefined;
  try {
    const place = await requests.run(() => store[findSpan]!(key, signal), signal);
    return place && place.length <= leaf.encodedBound ? place : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

async function readTogether<T extends ChunkTask>(
  store: OwnStore,
  { offset, length }: MergedParts,
  members: readonly Located<T>[],
  { requests, signal, onBytes }: FetchOptions,
): Promise<FetchedChunk<T>[]> {
  const { place } = members[0]!;
  const bytes = await requests.run(() => store[readSpan]!(place, { offset, length }, signal), signal);
  onBytes?.(bytes.byteLength);
  return members.map(({ object: { job, leaf }, place: own }) => {
    const start = own.offset - offset;
    return { task: job.task(0), codec: leaf, encoded: bytes.subarray(start, start + own.length) };
  });
}
