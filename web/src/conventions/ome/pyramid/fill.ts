/** Fills one level from the one before it, block by block. */

import { type ElementData, toElements } from "../../../dtypes/elements.js";
import { set } from "../../../edit/set.js";
import { getSession } from "../../../engine/engine.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import { get } from "../../../hierarchy/get.js";
import { slice } from "../../../plan/selection.js";
import { readRange } from "../../../store/read.js";
import { joinKey } from "../../../store/store.js";
import { uninitialised } from "../../../util/platform.js";
import { countOf, stridesOf } from "../../../util/shapes.js";
import type { WorkerPool } from "../../../workers/pool.js";
import { type Block, Blocks, blockShape, copyStored, isStoredAlike, storedBlocks } from "./blocks.js";
import { type Kernel, reduceBox } from "./reduce.js";

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

/** Maximum time between pauses, in milliseconds. */
const maxRunTime = 50;

/** Source and method of filling a level. */
export interface LevelSource {
  readonly source: ZarrArray;
  readonly target: ZarrArray;
  /** Number of source elements per element of the level, along each axis. */
  readonly factors: readonly number[];
  /** Reduces a block to one element. Default: takes the block's first element. */
  readonly kernel: Kernel | undefined;
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
  readonly #blocks: Blocks;
  /** Shape of a stored object; no two shares write to the same object. */
  readonly #object: readonly number[];
  readonly #first: number;
  readonly #end: number;
  /** Whether each block is a single object that is copied without decoding. */
  readonly #isStored: boolean;
  #nextPause = 0;

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
    this.#blocks = new Blocks(target.shape, blockShape(this.#object, target.shape, chunks, most));
    this.#first = Math.floor((this.#blocks.count / count) * index);
    this.#end =
      index + 1 === count ? this.#blocks.count : Math.floor((this.#blocks.count / count) * (index + 1));
  }

  /** Number of chunks to write; inner chunks, if the target has shards. */
  get chunks(): number {
    const { chunkShape } = this.filling.target;
    return (
      this.#blocks.unitsBefore(this.#end, chunkShape) - this.#blocks.unitsBefore(this.#first, chunkShape)
    );
  }

  #chunkCount({ shape }: Block): number {
    const { chunkShape } = this.filling.target;
    return countOf(shape.map((length, axis) => Math.ceil(length / chunkShape[axis]!)));
  }

  /** @throws the first error, once nothing is in flight. */
  async run(): Promise<void> {
    const { isNew, onBlock, part, signal } = this.options;
    const given = { ...this.filling, isNew, shares: part[1], signal };
    const stored = await storedBlocks(given, this.#blocks);
    const own = stored?.filter((at) => this.#isOwn(at)).map((at) => this.#blocks.atPosition(at));
    if (own) onBlock(this.chunks - own.reduce((sum, box) => sum + this.#chunkCount(box), 0), 0);
    await this.#writeAll(own?.values() ?? this.#boxes());
  }

  #isOwn(position: readonly number[]): boolean {
    const index = this.#blocks.indexOf(position);
    return index >= this.#first && index < this.#end;
  }

  *#boxes(): Generator<Block> {
    for (let index = this.#first; index < this.#end; index++) yield this.#blocks.at(index);
  }

  async #writeAll(boxes: Iterator<Block>): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const lane = async () => {
      const scratch = new ReadBuffer(this.filling.source);
      for (let next = boxes.next(); !next.done && !failure; next = boxes.next()) {
        const box = next.value;
        try {
          await this.#pause();
          await this.#write(box, scratch);
        } catch (error) {
          failure ??= { error };
        }
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
    if (failure) throw failure.error;
  }

  /**
   * Lets the event loop run from time to time, for timers and aborts: in-memory stores resolve in microtasks.
   */
  async #pause(): Promise<void> {
    if (Date.now() < this.#nextPause) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#nextPause = Date.now() + maxRunTime;
  }

  get #lanes(): number {
    if (!this.#isStored) return lanes;
    const bytes = countOf(this.#object) * elementBytes(this.filling.source);
    const most = Math.min(this.options.concurrency ?? storedLanes, Math.floor(storedBytes / bytes));
    return Math.max(1, most);
  }

  async #write(box: Block, scratch: ReadBuffer): Promise<void> {
    const { source, target } = this.filling;
    const { signal, resume, isNew, onBlock } = this.options;
    signal?.throwIfAborted();
    let bytes = 0;
    const exists = resume && (await this.#exists(box));
    if (!exists && this.#isStored) {
      const at = box.start.map((from, axis) => from / this.#object[axis]!);
      bytes = await copyStored(source, target, at, { signal, mayBeThere: !isNew });
    } else if (!exists) {
      const { kernel } = this.filling;
      const data = kernel ? await this.#reduced(box, kernel, scratch) : await this.#picked(box);
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
    onBlock(this.#chunkCount(box), bytes);
  }

  /**
   * Whether all of a block's chunks or shards are stored. Chunks that contain only the fill value never are.
   */
  async #exists({ start, shape }: Block): Promise<boolean> {
    const { target } = this.filling;
    const { store, path, spec } = target;
    const object = this.#object;
    const counts = shape.map((length, axis) => Math.ceil(length / object[axis]!));
    const objects = new Blocks(
      counts,
      counts.map(() => 1),
    );
    for (let i = 0; i < objects.count; i++) {
      const at = objects.at(i).start.map((index, axis) => start[axis]! / object[axis]! + index);
      const key = joinKey(path, spec.chunkKey(at));
      const { signal } = this.options;
      if (!(await readRange(store, key, { offset: 0, length: 1 }, { signal }))) return false;
    }
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

  /** Reads and reduces a block. For large chunks and shards, the source is read in several boxes. */
  async #reduced({ start, shape }: Block, kernel: Kernel, scratch: ReadBuffer): Promise<ElementData> {
    const { source, factors } = this.filling;
    const { itemBytes } = source.dtype;
    const data = toElements(source.dtype, uninitialised(countOf(shape) * itemBytes));
    const strides = stridesOf(shape);
    const unit = source.chunkShape.map((length, axis) => Math.ceil(length / factors[axis]!));
    const most = maxBytes / countOf(factors) / itemBytes;
    const boxes = new Blocks(shape, blockShape(unit, shape, unit, most));
    for (let i = 0; i < boxes.count; i++) {
      const box = boxes.at(i);
      const from = box.start.map((index, axis) => (start[axis]! + index) * factors[axis]!);
      const lengths = from.map((first, axis) =>
        Math.min(box.shape[axis]! * factors[axis]!, source.shape[axis]! - first),
      );
      const out = scratch.take(countOf(lengths));
      await get(source, blockSelection({ start: from, shape: lengths }), { ...this.#shared, out });
      const at = box.start.reduce((sum, index, axis) => sum + index * strides[axis]!, 0);
      reduceBox(await getSession("full"), kernel, out, lengths, factors, { data, at, strides });
    }
    return data;
  }
}

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
