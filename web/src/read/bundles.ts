/** Reads objects that are close together in one file of their store with one request. */

import type { FileSpan, PackedStore } from "../store/handle.js";
import { settleAll } from "../util/async.js";
import { type MergedParts, mergeParts } from "./merged-parts.js";
import { type FetchOptions, isChange } from "./object-bytes.js";

/** An object to read. */
export interface WantedObject<J> {
  readonly job: J;
  readonly key: string;
  /** Decoded size in bytes; undefined if unknown. */
  readonly decodedBytes: number | undefined;
  /** Maximum size for reading it together with others; undefined if it must be read alone. */
  readonly maxBytes: number | undefined;
}

/** Objects that are read together, or a single object. */
export interface Bundle<J> {
  /** The first object in reading order. */
  readonly first: J;
  /** @param run processes an object, with its bytes if it was read with others. */
  read(run: (job: J, loaded?: Uint8Array) => Promise<void>): Promise<void>;
}

/**
 * Limits of a batch, in objects and decoded bytes. Objects of a batch are read out of order, so a batch
 * should not be larger than a slab of the result.
 */
const maxObjects = 4096;
const maxDecoded = 2 ** 25;

/** Yields bundles in the order of their first objects. */
export async function* bundlesOf<J>(
  store: PackedStore,
  objects: Iterable<WantedObject<J>>,
  options: FetchOptions,
): AsyncGenerator<Bundle<J>> {
  for (const batch of batchesOf(objects)) yield* await bundled(store, batch, options);
}

function* batchesOf<J>(objects: Iterable<WantedObject<J>>): Generator<WantedObject<J>[]> {
  let batch: WantedObject<J>[] = [];
  let bytes = 0;
  for (const object of objects) {
    batch.push(object);
    bytes += object.decodedBytes ?? maxDecoded / 64;
    if (batch.length < maxObjects && bytes < maxDecoded) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** An object with its location and its position in the order. */
interface Located<J> {
  readonly job: J;
  readonly rank: number;
  readonly place: FileSpan;
}

async function bundled<J>(
  store: PackedStore,
  batch: readonly WantedObject<J>[],
  options: FetchOptions,
): Promise<Bundle<J>[]> {
  const places = await Promise.all(batch.map((object) => placeOf(store, object, options)));
  const files = new Map<string, Located<J>[]>();
  const bundles: { rank: number; bundle: Bundle<J> }[] = [];
  const addAlone = (job: J, rank: number) =>
    bundles.push({ rank, bundle: { first: job, read: (run) => run(job) } });
  for (const [rank, place] of places.entries()) {
    const { job } = batch[rank]!;
    if (!place) {
      addAlone(job, rank);
      continue;
    }
    const list = files.get(place.file);
    if (list) list.push({ job, rank, place });
    else files.set(place.file, [{ job, rank, place }]);
  }
  for (const list of files.values()) {
    const parts = list.map((one) => [one, { ...one.place, key: one.place.file }] as const);
    for (const merged of mergeParts(parts, options.coalescing)) {
      const [first] = merged.members.map(([one]) => one).sort((a, b) => a.rank - b.rank);
      if (merged.members.length === 1) addAlone(first!.job, first!.rank);
      else bundles.push({ rank: first!.rank, bundle: together(store, first!, merged, options) });
    }
  }
  return bundles.sort((a, b) => a.rank - b.rank).map(({ bundle }) => bundle);
}

/** Returns the location of an object; undefined on errors, which reading the object alone will report. */
async function placeOf<J>(
  store: PackedStore,
  { key, maxBytes }: WantedObject<J>,
  { requests, signal }: FetchOptions,
): Promise<FileSpan | undefined> {
  if (maxBytes === undefined) return undefined;
  try {
    const place = await requests.run(() => store.findSpan(key, signal), signal);
    return place && place.length <= maxBytes ? place : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function together<J>(
  store: PackedStore,
  { job: first, place }: Located<J>,
  { offset, length, members }: MergedParts<Located<J>>,
  { requests, signal, onBytes, onFailure }: FetchOptions,
): Bundle<J> {
  return {
    first,
    async read(run) {
      const bytes = await requests.run(() => store.readFile(place, { offset, length }, signal), signal);
      onBytes?.(bytes.byteLength);
      // In parallel, so that decoding threads receive all of them.
      const runs = members.map(([{ job, place: own }]) => {
        const start = own.offset - offset;
        return run(job, bytes.subarray(start, start + own.length));
      });
      await settleAll(runs, (error) => isChange(error) || onFailure?.(error));
    },
  };
}
