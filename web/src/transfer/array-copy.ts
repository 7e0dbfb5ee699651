/** The state of copying one array: source, target, the stored objects that are visited, and progress. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { FetchOptions } from "../read/object-reader.js";
import { type ArrayReader, defaultCoalescing } from "../read/reader.js";
import type { ReadPart } from "../store/file/copy.js";
import { innermostStore } from "../store/handle.js";
import {
  borrows,
  fileCalls,
  type OwnStore,
  own,
  type RangeQuery,
  type Store,
  type StoreGetOptions,
  type StoreSetOptions,
  type StoreWriteOptions,
} from "../store/store.js";
import { Limiter } from "../util/async.js";
import { corruptChunk, withDetails } from "../util/errors.js";
import { allowListeners } from "../util/platform.js";
import type { Box } from "../util/shapes.js";
import { cellBox, chunksIn, elementBox, exactCount, type ObjectBox } from "../walk/boxes.js";
import { boxesToVisit, isSameFill } from "../walk/visit.js";
import type { WorkerPool } from "../workers/pool.js";
import type { Destination, FolderPair } from "./destination.js";
import type { CopyProgress, CopyResult } from "./options.js";
import { partsOf, type WholeObject, wholeObject } from "./stored-form.js";
import type { View } from "./view.js";

export interface ArrayCopy {
  /** The source. */
  readonly view: View;
  /** The array that is written, in `store`. */
  readonly target: ZarrArray;
  readonly store: TargetStore;
  /** Stored objects of the target that this call writes. */
  readonly boxes: readonly ObjectBox[];
  /** Whether a list shows that chunks of the source are missing. They are not in the boxes. */
  readonly isSparse: boolean;
  readonly tally: Tally;
  /** Limit for decoded data in flight, in bytes. */
  readonly memory: number;
  /** Keeps whole objects that exist in the target. */
  readonly resume: boolean;
  /** Decodes written chunks and compares them with the source. */
  readonly verify: boolean;
  /** Place of intermediate chunks: a folder (Node) or a store. Without one, arrays are copied in a single pass. */
  readonly temp: string | Store | undefined;
  /** The folders of both arrays if their files can be accessed without the stores. */
  readonly folders: FolderPair | undefined;
  /** Workers that decode and encode. */
  readonly pool: WorkerPool | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Bytes of an element in memory; an estimate for data types of variable length. */
export const elementBytes = ({ dtype }: ZarrArray): number => dtype.itemBytes || 128;

/** Number of elements of the array in a stored object. */
export function elementCount({ objectAxes }: ArrayReader, object: readonly number[]): number {
  return object.reduce((count, cell, axis) => {
    const { length, start, size } = bounds(objectAxes[axis]!, cell);
    return count * Math.min(size, length - start);
  }, 1);
}

const bounds = (axis: ArrayReader["axes"][number], cell: number) => ({
  length: axis.length,
  start: axis.start(cell),
  size: axis.size(cell),
});

/** Whether a resumed copy can keep an object, which is then counted as skipped. */
export async function isDone(work: ArrayCopy, object: readonly number[]): Promise<boolean> {
  const { store, target, tally } = work;
  if (!work.resume) return false;
  const key = target.reader.objectKey(object);
  if (!(await wholeObject(partsOf(store, key), target.reader, object))) return false;
  store.kept.add(key);
  tally.skip(elementCount(target.reader, object) * elementBytes(target), chunkCount(target.reader, object));
  return true;
}

/** Number of chunks in a stored object: one, or for a shard the chunks that begin inside the array. */
export function chunkCount({ axes, objectAxes }: ArrayReader, object: readonly number[]): number {
  return object.reduce((count, cell, axis) => {
    const { length, start, size } = bounds(objectAxes[axis]!, cell);
    const end = Math.min(length, start + size);
    return end <= start ? 0 : count * (axes[axis]!.find(end - 1) - axes[axis]!.find(start) + 1);
  }, 1);
}

/** Error for a stored chunk that is not whole. */
export function brokenChunkError(key: string, fault: string): Error {
  return withDetails(corruptChunk(`the stored chunk is incomplete: ${fault}`, { code: "truncated" }), {
    chunkKey: key,
  }) as Error;
}

/** Options of a BoxCopier for an array. */
export const boxCopyOptions = ({ memory, verify, pool, signal, tally, target }: ArrayCopy, from: View) => ({
  ...{ from, memory, verify, pool, signal },
  origin: target.shape.map(() => 0),
  onRead: (bytes: number) => {
    tally.bytesRead += bytes;
  },
});

/** Calls callbacks of the caller. The first error that one throws, or rejects with, aborts the work. */
export class Callbacks {
  readonly #failed = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  /** Aborted by the caller's signal, and by callbacks that reject; undefined if there is neither. */
  readonly signal: AbortSignal | undefined;

  /** @param callbacks the caller's callbacks; undefined for missing ones. */
  constructor(signal: AbortSignal | null | undefined, callbacks: readonly unknown[]) {
    const { signal: failed } = this.#failed;
    const hasCallbacks = callbacks.some((callback) => typeof callback === "function");
    const all = [...(signal ? [signal] : []), ...(hasCallbacks ? [failed] : [])];
    this.signal = all.length > 1 ? AbortSignal.any(all) : all[0];
    if (this.signal) allowListeners(this.signal);
  }

  /** @throws what the callback throws; a promise is not awaited before {@link settle}. */
  call(callback: () => unknown): void {
    const result = callback();
    if (!isThenable(result)) return;
    const pending = Promise.resolve(result).then(
      () => void this.#pending.delete(pending),
      (error: unknown) => {
        this.#pending.delete(pending);
        this.#failed.abort(error ?? new Error("a callback was rejected"));
      },
    );
    this.#pending.add(pending);
  }

  /** Waits for promises that callbacks returned. @throws the first error. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.#failed.signal.throwIfAborted();
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Returns a count as a number, or as a bigint if a number cannot hold it. */
export const toExactNumber = (count: bigint): number | bigint =>
  count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : count;

/** Counts the work of a copy. */
export class Tally {
  arrays = 0;
  groups = 0;
  /** Number of chunks, counting inner chunks of shards. */
  readonly chunks = { asStored: 0, reencoded: 0, skipped: 0, missing: 0 };
  /** Decoded bytes of the elements that are done. */
  bytes = 0;
  totalBytes = 0;
  totalChunks = 0;
  bytesRead = 0;
  bytesWritten = 0;
  #skippedBytes = 0;
  /** Chunks that are not stored and were not visited, and the decoded bytes of their elements. */
  #left = { chunks: 0n, bytes: 0n };

  constructor(
    readonly callbacks: Callbacks,
    private readonly onProgress: ((progress: CopyProgress) => void) | undefined,
  ) {}

  /** Adds to the expected amount of work. */
  expect({ bytes, chunks }: { readonly bytes: bigint; readonly chunks: bigint }): void {
    this.totalBytes += Number(bytes);
    this.totalChunks += Number(chunks);
    this.#report();
  }

  /** Counts chunks that are not visited because they are not stored: as missing, without affecting the progress. */
  countUnvisited({ chunks, bytes }: { readonly chunks: bigint; readonly bytes: bigint }): void {
    this.#left = { chunks: this.#left.chunks + chunks, bytes: this.#left.bytes + bytes };
  }

  /** Counts elements that have been copied, in decoded bytes. */
  advance(bytes: number): void {
    this.bytes += bytes;
    this.#report();
  }

  /** Counts elements that exist in the target, in decoded bytes. */
  skip(bytes: number, chunks: number): void {
    this.bytes += bytes;
    this.#skippedBytes += bytes;
    this.chunks.skipped += chunks;
    this.#report();
  }

  #report(): void {
    const { bytes, chunks, totalBytes, totalChunks } = this;
    const done = chunks.asStored + chunks.reencoded + chunks.skipped + chunks.missing;
    const progress = { bytes, totalBytes, skippedBytes: this.#skippedBytes, chunks: done, totalChunks };
    this.callbacks.call(() => this.onProgress?.(progress));
  }

  get result(): CopyResult {
    const { arrays, groups, chunks, bytesRead, bytesWritten } = this;
    const missing = toExactNumber(BigInt(chunks.missing) + this.#left.chunks);
    const bytes = toExactNumber(BigInt(this.bytes) + this.#left.bytes);
    return { arrays, groups, chunks: { ...chunks, missing }, bytes, bytesRead, bytesWritten };
  }
}

/** Checks a finished copy of an object. */
type CheckWhole = (read: ReadPart) => Promise<WholeObject | undefined>;

/** The copy of an object; undefined if it cannot be copied without reading it. */
export type CopiedObject = WholeObject | "missing" | undefined;

/** The store of a target array: keeps existing objects, and counts written bytes. */
export class TargetStore implements OwnStore {
  /** Keys of whole objects that exist; they are not written again. */
  readonly kept = new Set<string>();
  /** Keys that have been written since they were last removed from this set. */
  readonly written = new Set<string>();
  declare readonly getRange?: NonNullable<Store["getRange"]>;

  private readonly store: Store;

  /** @param mayHoldMore whether an earlier copy may have left objects that have to be deleted. */
  constructor(
    private readonly destination: Pick<Destination, "store" | "copyFrom">,
    private readonly tally: Tally,
    private readonly mayHoldMore: boolean,
  ) {
    const { store } = destination;
    this.store = store;
    if (!store.getRange) return;
    this.getRange = (key: string, range: RangeQuery, options?: StoreGetOptions) =>
      store.getRange!(key, range, options);
  }

  get [own](): Pick<Store, "get" | "set"> {
    return TargetStore.prototype;
  }

  get [borrows](): boolean {
    // This copy has opened the folder itself: it is not of a subclass that keeps bytes.
    return (innermostStore(this.store) as OwnStore)[fileCalls] !== undefined;
  }

  get conditional(): Store["conditional"] {
    return this.store.conditional;
  }

  locate(key: string): string {
    return this.store.locate?.(key) ?? key;
  }

  get(key: string, options?: StoreGetOptions) {
    return this.store.get(key, options);
  }

  async set(key: string, value: Uint8Array, options?: StoreSetOptions): Promise<void> {
    if (this.kept.has(key)) return;
    this.tally.callbacks.signal?.throwIfAborted(); // the copy may have been given up
    await this.store.set!(key, value, options);
    this.note(key, value.byteLength);
  }

  /** Counts an object that was written. */
  note(key: string, size: number): void {
    this.written.add(key);
    this.tally.bytesWritten += size;
  }

  /** Copies an object without reading it, unless it is kept, and counts its bytes. */
  async copyFrom(source: Store, from: string, key: string, check: CheckWhole): Promise<CopiedObject> {
    if (this.kept.has(key)) return undefined;
    let found: WholeObject | undefined;
    const outcome = await this.destination.copyFrom?.(source, from, key, async (read) => {
      found = await check(read);
      return found !== undefined;
    });
    if (outcome !== "copied") return outcome;
    this.tally.bytesRead += found!.size;
    this.tally.bytesWritten += found!.size;
    return found;
  }

  async delete(key: string, options?: StoreWriteOptions): Promise<void> {
    if (this.mayHoldMore && !this.kept.has(key)) await this.store.delete!(key, options);
  }
}

/** Time after an abort in which running work may end, in milliseconds. */
const endTime = 1000;

/**
 * Waits for work; if the signal aborts, only for a short time: stores may never answer.
 * @param times how many times as long.
 * @throws what the work throws; the signal's reason if the work goes on.
 */
export function untilGivenUp<T>(work: Promise<T>, signal: AbortSignal | undefined, times = 1): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      timer = setTimeout(() => reject(signal.reason), times * endTime);
    };
    if (signal.aborted) begin();
    else signal.addEventListener("abort", begin, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", begin);
    });
  });
}

/**
 * Returns options for reading chunks as they are stored.
 * @param lanes objects in flight.
 */
export const fetchOptions = (
  lanes: number,
  options: Partial<Pick<FetchOptions, "coalescing" | "onBytes" | "signal">> & { readonly requests?: number },
): FetchOptions => ({
  signal: options.signal,
  limiter: new Limiter(lanes),
  requests: new Limiter(options.requests ?? 16),
  coalescing: options.coalescing ?? defaultCoalescing,
  ...(options.onBytes && { onBytes: options.onBytes }),
});

/** Chunks that are not visited because they are not stored. */
export interface Unvisited {
  readonly chunks: bigint;
  /** Decoded bytes of their elements. */
  readonly bytes: bigint;
}

/**
 * Omits objects that neither the source nor, for a resumed copy, the destination has stored.
 * @param there the target array in the destination's own store.
 * @param isAsStored whether chunks are copied without being decoded.
 * @throws LimitExceeded for more objects than can be requested one by one.
 */
export async function visitedBoxes(
  { boxes, resume, target, view }: Pick<ArrayCopy, "boxes" | "resume" | "target" | "view">,
  there: ZarrArray,
  isAsStored: boolean,
): Promise<{ boxes: readonly ObjectBox[]; left: Unvisited }> {
  const [from, to] = [view.array.reader, target.reader];
  const cell = cellShape(view, to);
  const toCells = (objects: Box): Box => ({
    from: objects.from.map((at, axis) => Math.floor(at / cell[axis]!)),
    to: objects.to.map((at, axis) => Math.ceil(at / cell[axis]!)),
  });
  const sources = [
    {
      array: view.array,
      count: boxes.reduce((sum, box) => sum + sourceCount(view, box, to), 0n),
      cellsHolding(object: readonly number[]) {
        if (object.some((at, axis) => at >= from.objectAxes[axis]!.count)) return undefined;
        const elements = elementBox({ from: object, to: object.map((at) => at + 1) }, from.objectAxes);
        const shown = view.targetBox(elements);
        return shown && toCells(cellBox(shown, to.objectAxes));
      },
    },
    ...(resume
      ? [
          {
            array: there,
            count: boxes.reduce((sum, box) => sum + exactCount(box), 0n),
            cellsHolding: (object: readonly number[]) =>
              toCells({ from: object, to: object.map((at) => at + 1) }),
          },
        ]
      : []),
  ];
  const visited = await boxesToVisit({
    boxes,
    cell,
    sources,
    needsAll: needsAll(view.array, target, isAsStored),
  });
  const [all, some] = [countWork(boxes, target), countWork(visited, target)];
  return { boxes: visited, left: { chunks: all.chunks - some.chunks, bytes: all.bytes - some.bytes } };
}

/** Counts the chunks in boxes of objects, and the decoded bytes of their elements. */
export function countWork(boxes: readonly ObjectBox[], target: ZarrArray): Unvisited {
  const { reader } = target;
  const elements = boxes.reduce((sum, box) => sum + exactCount(elementBox(box, reader.objectAxes)), 0n);
  return { chunks: chunksIn(boxes, reader), bytes: elements * BigInt(elementBytes(target)) };
}

/** Returns why chunks that the source does not store must be written; undefined if they need not be. */
function needsAll(source: ZarrArray, target: ZarrArray, isAsStored: boolean): string | undefined {
  if (!isSameFill(source, target)) return "the fill value changes, so that all of them are written";
  const isUndefined = !isAsStored && target.spec.fill.value === null;
  return isUndefined ? "the fill value is null, so that all of them are written" : undefined;
}

/** Number of objects of the target along each axis that are about as long as one of the source. */
function cellShape({ array, axes, kept }: View, to: ArrayReader): number[] {
  return kept.map((sourceAxis, axis) => {
    const length = array.reader.objectAxes[sourceAxis]!.size(0) / axes[axis]!.step;
    return Math.max(1, Math.ceil(length / to.objectAxes[axis]!.size(0)));
  });
}

/** Number of objects of the source that may hold elements of a box of objects of the target. */
function sourceCount(view: View, box: ObjectBox, to: ArrayReader): bigint {
  const elements = view.sourceBox(elementBox(box, to.objectAxes));
  return exactCount(cellBox(elements, view.array.reader.objectAxes));
}
