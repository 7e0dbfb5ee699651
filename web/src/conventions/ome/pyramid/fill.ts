/** Fills one level from the one before it, block by block. */

import { type ElementData, isConverted, toElements } from "../../../dtypes/elements.js";
import { set } from "../../../edit/set.js";
import { listsChunks } from "../../../edit/stored-objects.js";
import { getSession } from "../../../engine/engine.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import { get } from "../../../hierarchy/get.js";
import { RegularAxis } from "../../../metadata/grid.js";
import type { ArraySpec } from "../../../metadata/spec.js";
import { slice } from "../../../plan/selection.js";
import { callStore, readRange } from "../../../store/read.js";
import { joinKey, type Store } from "../../../store/store.js";
import { deleteObject, writeObject } from "../../../store/write.js";
import { limitExceeded, withDetails } from "../../../util/errors.js";
import { uninitialised } from "../../../util/platform.js";
import { type Box, countOf, positionsIn, stridesOf } from "../../../util/shapes.js";
import {
  boxLengths,
  cellBox,
  chunksIn,
  elementBox,
  exactCount,
  exactProduct,
  inLanes,
  lanesFor,
  type ObjectBox,
  objectsIn,
  shareBoxes,
  tileBox,
} from "../../../walk/boxes.js";
import { boxesToVisit, isSameFill, maxObjects } from "../../../walk/visit.js";
import type { WorkerPool } from "../../../workers/pool.js";
import { checkNotDetached } from "../../../write/region.js";
import { blockShape, type ElementBox, type Kernel, offsetOf, reduceBox } from "./reduce.js";

/**
 * Maximum bytes that are read at a time, and of blocks of the source, unless a single chunk or shard is
 * larger.
 */
const maxBytes = 32 * 2 ** 20;
/** Number of blocks in progress at a time: one is read while another one is written. */
const lanes = 2;
/** Default maximum number of objects copied in parallel without decoding, and the maximum of their bytes. */
const storedLanes = 16;
const storedBytes = 64 * 2 ** 20;

/** A box of `shape` elements from `start` along each axis. */
interface Block {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/** Source and method of filling a level. */
export interface LevelSource {
  readonly source: ZarrArray;
  readonly target: ZarrArray;
  /** Number of source elements per element of the level, along each axis. */
  readonly factors: readonly number[];
  /** Reduces a block to one element. Default: takes the block's first element. */
  readonly kernel: Kernel | undefined;
  /** Returns the elements of the source if they are in memory, which saves reading them. */
  readonly values?: (() => ElementData | undefined) | undefined;
}

export interface FillLevelOptions {
  readonly part: readonly [index: number, count: number];
  /** Keeps existing chunks and shards. */
  readonly resume: boolean;
  /** Whether the target was just created, so that it has no chunks. */
  readonly isNew: boolean;
  readonly concurrency: number | undefined;
  readonly pool: WorkerPool | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called after every block with its number of chunks and the bytes written. */
  readonly onBlock: (chunks: number, bytes: number) => void;
}

/** Fills a share of a level's blocks. */
export class LevelFill {
  /** The grid of blocks, and the share of it. */
  readonly #grid: readonly RegularAxis[];
  readonly #share: readonly ObjectBox[];
  /** Shape of a stored object; no two shares write to the same object. */
  readonly #object: readonly number[];
  /** Whether each block is a single object that is copied without decoding. */
  readonly #isStored: boolean;
  /** Elements of the level if they were written as one block and reading them back would return the same. */
  values: ElementData | undefined;

  constructor(
    private readonly filling: LevelSource,
    private readonly options: FillLevelOptions,
  ) {
    const { source, target, factors } = filling;
    const [index, count] = options.part;
    this.#object = target.shardShape ?? target.chunkShape;
    this.#isStored = factors.every((factor) => factor === 1) && isStoredAlike(source.spec, target.spec);
    const chunks = source.chunkShape.map((length, axis) => Math.ceil(length / factors[axis]!));
    const most = this.#isStored ? 0 : maxBytes / countOf(factors) / elementBytes(source);
    const block = blockShape(this.#object, target.shape, chunks, most);
    this.#grid = target.shape.map((length, axis) => new RegularAxis(length, block[axis]!));
    const blocks = this.#grid.map((axis) => axis.count);
    this.#share = shareBoxes(blocks, count > 1 ? { index, count } : undefined);
  }

  /** Number of chunks to write; inner chunks, if the target has shards. */
  get chunks(): number {
    return this.#chunkCount(this.#share);
  }

  #chunkCount(blocks: readonly Box[]): number {
    const { reader } = this.filling.target;
    const objects = blocks.map((box) => cellBox(elementBox(box, this.#grid), reader.objectAxes));
    return Number(chunksIn(objects, reader));
  }

  /** @throws the first error, once nothing is in flight. */
  async run(): Promise<void> {
    const { onBlock, signal } = this.options;
    const visited = await this.#visited();
    const skipped = this.chunks - this.#chunkCount(visited);
    if (skipped > 0) onBlock(skipped, 0);
    const lanes = this.#lanes;
    const buffers = Array.from({ length: lanes }, () => new ReadBuffer(this.filling.source));
    const write = async (block: readonly number[]) => {
      const buffer = buffers.pop()!;
      await this.#write(block, buffer);
      buffers.push(buffer);
    };
    await inLanes(objectsIn(visited), lanes, write, signal);
  }

  /** Returns the blocks for which the source or the target may have stored objects. */
  #visited(): Promise<readonly ObjectBox[]> {
    const { source, target, factors } = this.filling;
    const { isNew, signal } = this.options;
    const arrays = [
      { array: source, factors },
      ...(isNew ? [] : [{ array: target, factors: factors.map(() => 1) }]),
    ];
    const mayStay = target.spec.fill.value !== null && isSameFill(source, target);
    return boxesToVisit({
      ...{ boxes: this.#share, cell: factors.map(() => 1), signal },
      sources: arrays.map((given) => ({
        array: given.array,
        count: this.#share.reduce((sum, box) => sum + this.#objectCount(box, given), 0n),
        cellsHolding: (object) => this.#blocksHolding(object, given),
      })),
      needsAll: mayStay ? undefined : "the fill value changes, so that all of them are written",
    });
  }

  /** Number of objects of an array that blocks are made of. */
  #objectCount(blocks: Box, { array, factors }: Reduced): bigint {
    const { from, to } = elementBox(blocks, this.#grid);
    const scaled = (list: readonly number[]) =>
      list.map((at, axis) => Math.min(at * factors[axis]!, array.shape[axis]!));
    return exactCount(cellBox({ from: scaled(from), to: scaled(to) }, array.reader.objectAxes));
  }

  /** Blocks to which an object of an array contributes; undefined for an object outside the array. */
  #blocksHolding(object: readonly number[], { array, factors }: Reduced): Box | undefined {
    const axes = array.reader.objectAxes;
    if (object.some((at, axis) => at >= axes[axis]!.count)) return undefined;
    const { from, to } = elementBox({ from: object, to: object.map((at) => at + 1) }, axes);
    const reduced = {
      from: from.map((at, axis) => Math.floor(at / factors[axis]!)),
      to: to.map((at, axis) => Math.ceil(at / factors[axis]!)),
    };
    return cellBox(reduced, this.#grid);
  }

  get #lanes(): number {
    if (!this.#isStored) return lanes;
    const bytes = countOf(this.#object) * elementBytes(this.filling.source);
    return lanesFor(bytes, storedBytes, this.options.concurrency ?? storedLanes);
  }

  async #write(position: readonly number[], scratch: ReadBuffer): Promise<void> {
    const { source, target } = this.filling;
    const { signal, resume, isNew, onBlock } = this.options;
    const cell = { from: position, to: position.map((at) => at + 1) };
    const elements = elementBox(cell, this.#grid);
    const box: Block = { start: elements.from, shape: boxLengths(elements) };
    let bytes = 0;
    const exists = resume && (await this.#exists(elements));
    if (!exists && this.#isStored) {
      const at = box.start.map((from, axis) => from / this.#object[axis]!);
      bytes = await copyStored(source, target, at, { signal, mayBeThere: !isNew });
    } else if (!exists) {
      const { kernel } = this.filling;
      const data = kernel ? await this.#reduced(box, kernel, scratch) : await this.#picked(box);
      if (kernel && countOf(box.shape) === countOf(target.shape))
        this.values = storedValues(target, data as ElementData);
      // Blocks are whole chunks and shards, so existing content is overwritten entirely, whichever program
      // wrote it.
      await set(
        target,
        blockSelection(box),
        { data, shape: box.shape },
        {
          ...this.#shared,
          conflicts: "ignore",
          onProgress: (progress) => {
            bytes = progress.bytes;
          },
        },
      );
    }
    onBlock(this.#chunkCount([cell]), bytes);
  }

  /**
   * Whether all of a block's chunks or shards are stored. Chunks that contain only the fill value never are.
   */
  async #exists(elements: Box): Promise<boolean> {
    const { reader, store } = this.filling.target;
    const { signal } = this.options;
    for (const object of positionsIn(cellBox(elements, reader.objectAxes)))
      if (!(await readRange(store, reader.objectKey(object), { offset: 0, length: 1 }, { signal })))
        return false;
    return true;
  }

  /** Reads a block of first elements. */
  async #picked({ start, shape }: Block): Promise<ElementData | readonly unknown[]> {
    const { source, factors } = this.filling;
    const selection = start.map((from, axis) => {
      const factor = factors[axis]!;
      const end = Math.min((from + shape[axis]!) * factor, source.shape[axis]!);
      return slice(from * factor, end, factor);
    });
    return (await get(source, selection, this.#shared)).data;
  }

  /** Options common to reads and writes. */
  get #shared() {
    const { signal, concurrency, pool } = this.options;
    return { signal, concurrency, pool };
  }

  async #read(box: Block, scratch: ReadBuffer): Promise<ElementBox> {
    const out = scratch.take(countOf(box.shape));
    await get(this.filling.source, blockSelection(box), { ...this.#shared, out });
    return { data: out, at: 0, strides: stridesOf(box.shape) };
  }

  /** Reads and reduces a block. For large chunks and shards, the source is read in several boxes. */
  async #reduced({ start, shape }: Block, kernel: Kernel, scratch: ReadBuffer): Promise<ElementData> {
    const { source, factors } = this.filling;
    const { itemBytes } = source.dtype;
    const data = toElements(source.dtype, uninitialised(countOf(shape) * itemBytes));
    const strides = stridesOf(shape);
    const values = this.filling.values?.();
    const unit = source.chunkShape.map((length, axis) => Math.ceil(length / factors[axis]!));
    const most = maxBytes / countOf(factors) / itemBytes;
    const whole = { from: shape.map(() => 0), to: shape };
    for (const box of tileBox(whole, blockShape(unit, shape, unit, most))) {
      const from = box.from.map((index, axis) => (start[axis]! + index) * factors[axis]!);
      const lengths = boxLengths(box).map((length, axis) =>
        Math.min(length * factors[axis]!, source.shape[axis]! - from[axis]!),
      );
      const elements = values
        ? partOf(values, source.shape, from)
        : await this.#read({ start: from, shape: lengths }, scratch);
      const at = offsetOf(box.from, strides);
      const width = data.byteLength / countOf(shape);
      reduceBox(await getSession("full"), kernel, elements, lengths, width, factors, { data, at, strides });
    }
    return data;
  }
}

/**
 * Returns the elements of an array if reading them back would return the same: they are stored as they are in memory, and no
 * codec changes them.
 */
export function storedValues(
  { dtype, reader: { firstCodec } }: ZarrArray,
  values: ElementData | undefined,
): ElementData | undefined {
  if (firstCodec.type !== "core" || isConverted(dtype) || dtype.core === "bool") return undefined;
  const { before, toBytes } = firstCodec.chain;
  const isExact = toBytes.type === "core" && toBytes.step.core === "bytes";
  return isExact && before.every(({ core }) => core === "transpose") ? values : undefined;
}

/** Returns a part of an array in memory. */
function partOf(data: ElementData, shape: readonly number[], start: readonly number[]): ElementBox {
  checkNotDetached(data);
  const strides = stridesOf(shape);
  return { data, at: offsetOf(start, strides), strides };
}

/** An array whose objects contribute to blocks, and its elements per element of the level. */
type Reduced = { readonly array: ZarrArray; readonly factors: readonly number[] };

/** Size of an element in memory; an estimate for variable length. */
const elementBytes = ({ dtype }: ZarrArray): number => dtype.itemBytes || 16;

const blockSelection = ({ start, shape }: Block) =>
  start.map((from, axis) => slice(from, from + shape[axis]!));

/** Reusable memory for the elements that are read. */
class ReadBuffer {
  #data: ElementData | undefined;
  #count = 0;

  constructor(private readonly source: ZarrArray) {}

  take(count: number): ElementData {
    const { dtype } = this.source;
    if (!this.#data || this.#count < count) {
      this.#data = toElements(dtype, uninitialised(count * dtype.itemBytes));
      this.#count = count;
    }
    return this.#data.subarray(0, (this.#data.length / this.#count) * count);
  }
}

// ---- Copies of stored objects without decoding

const objectCount = ({ spec }: ZarrArray): bigint => exactProduct(spec.axes.map((axis) => axis.count));

/**
 * Rejects images with more objects than can be checked one by one, before anything is written.
 * @param store destination of the levels.
 * @throws LimitExceeded.
 */
export function checkObjects(origin: ZarrArray, store: Store, shares: number): void {
  const count = objectCount(origin) / BigInt(shares);
  if ((listsChunks(origin.store) && listsChunks(store)) || count <= maxObjects) return;
  throw limitExceeded(
    `"/${origin.path}" has ${count} chunks to request one by one, more than the limit of ${maxObjects}: a store does not list its chunks`,
  );
}

/** Whether stored objects (chunks or shards) can be copied unchanged between two arrays. */
export function isStoredAlike(a: ArraySpec, b: ArraySpec): boolean {
  return a.isRegular && b.isRegular && encodingOutline(a) === encodingOutline(b);
}

const encodingOutline = ({
  zarrFormat,
  shape,
  chunkShape,
  shardShape,
  dtype,
  codecs,
  fill,
}: ArraySpec): string =>
  JSON.stringify([
    [zarrFormat, shape, chunkShape, shardShape ?? null],
    [dtype, codecs],
    [...fill.item],
    fill.item.length === 0 || fill.value === null ? String(fill.value) : null,
  ]);

/**
 * Copies one stored object.
 * @param mayBeThere whether the target may have an object that the source lacks.
 * @returns its size in bytes.
 * @throws the errors of the stores, naming the object's key.
 */
export async function copyStored(
  source: ZarrArray,
  target: ZarrArray,
  at: readonly number[],
  { signal, mayBeThere }: { readonly signal: AbortSignal | undefined; readonly mayBeThere: boolean },
): Promise<number> {
  const { store, limits } = source;
  const key = joinKey(source.path, source.spec.chunkKey(at));
  const into = joinKey(target.path, target.spec.chunkKey(at));
  let chunkKey = key;
  try {
    const maxBytes = limits.encodedBytes;
    const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`the object has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    chunkKey = into;
    if (bytes) await writeObject(target.store, into, bytes, { signal });
    else if (mayBeThere) await deleteObject(target.store, into, { signal });
    return bytes?.byteLength ?? 0;
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey });
  }
}
