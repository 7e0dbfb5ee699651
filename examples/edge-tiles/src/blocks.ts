/**
 * Reads, decodes and caches blocks. A block is a chunk, or a few small chunks that together are as large as a tile; of
 * deep chunks, only the requested plane.
 */
import { get, slice, type ZarrArray } from "zarr-wasm";
import type { Dataset } from "./dataset.js";
import type { Datasets } from "./datasets.js";
import { busy, cannotShow, tooManyChunks } from "./failures.js";
import { Flights } from "./flights.js";
import { Lru } from "./lru.js";
import type { Scope } from "./scope.js";
import type { Settings } from "./settings.js";

export type Numbers = Exclude<Awaited<ReturnType<typeof get>>["data"], readonly unknown[]>;

/** Elements of a level, starting at row `top` and column `left`: `data[y * strideY + x * strideX]`. */
export interface Block {
  readonly data: Numbers;
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
  readonly strideY: number;
  readonly strideX: number;
}

/** Block lengths of a level along the axes of the picture. */
export interface BlockShape {
  readonly height: number;
  readonly width: number;
}

/** A position in the grid of blocks. */
export interface Place {
  readonly row: number;
  readonly column: number;
  /** Indices along all axes; those of the picture's axes are ignored. */
  readonly indices: readonly number[];
}

export class Blocks {
  readonly #kept: Lru<Block>;
  readonly #flights = new Flights<Block>();
  #inFlight = 0;

  constructor(
    private readonly settings: Settings,
    private readonly datasets: Datasets,
  ) {
    this.#kept = new Lru(settings.chunkCacheBytes);
  }

  /** Whole chunks, or parts of a tile's size if chunks are too large. */
  shapeOf({ y, x }: Dataset, level: ZarrArray): BlockShape {
    const { tileSize, chunkCacheBytes } = this.settings;
    const grown = (length: number) => length * Math.max(1, Math.ceil(tileSize / length));
    const [height, width] = [grown(level.chunkShape[y]!), grown(level.chunkShape[x]!)];
    const isSmall = height * width * level.dtype.itemBytes <= chunkCacheBytes / 8;
    return isSmall ? { height, width } : { height: tileSize, width: tileSize };
  }

  /** Called before a tile is read. @throws Refusal: 422 if the blocks contain too many chunks. */
  checkCount(dataset: Dataset, level: ZarrArray, shape: BlockShape, places: readonly Place[]): void {
    const { tileChunks } = this.settings;
    const chunks = ({ row, column }: Place) =>
      chunksAlong(level, dataset.y, row, shape.height) * chunksAlong(level, dataset.x, column, shape.width);
    const count = places.reduce((sum, place) => sum + chunks(place), 0);
    if (count > tileChunks) throw tooManyChunks(count, tileChunks);
  }

  /** @throws Refusal: 503 if too many bytes are in flight, 504; errors of `get`. */
  async read(
    dataset: Dataset,
    level: ZarrArray,
    shape: BlockShape,
    place: Place,
    scope: Scope,
  ): Promise<Block> {
    const fixed = place.indices.filter((_, axis) => axis !== dataset.y && axis !== dataset.x);
    const key = [dataset.id, level.path, ...fixed, place.row, place.column].join("/");
    return (
      this.#kept.get(key) ??
      this.#flights.run(key, this.settings.timeout, scope, async (signal) => {
        const block = await this.#counted(level, shape, () => this.#load(dataset, level, shape, place, signal));
        this.#kept.set(key, block, block.data.byteLength);
        return block;
      })
    );
  }

  /** Limits the bytes in flight, encoded and decoded. A single block is always read. */
  async #counted(level: ZarrArray, shape: BlockShape, load: () => Promise<Block>): Promise<Block> {
    const chunk = level.chunkShape.reduce((a, b) => a * b, 1);
    const bytes = 2 * level.dtype.itemBytes * Math.max(chunk, shape.height * shape.width);
    if (this.#inFlight > 0 && this.#inFlight + bytes > this.settings.inFlightBytes) throw busy();
    this.#inFlight += bytes;
    try {
      return await load();
    } finally {
      this.#inFlight -= bytes;
    }
  }

  async #load(
    dataset: Dataset,
    level: ZarrArray,
    shape: BlockShape,
    place: Place,
    signal: AbortSignal,
  ): Promise<Block> {
    const { y, x } = dataset;
    const [top, left] = [place.row * shape.height, place.column * shape.width];
    const bottom = Math.min(top + shape.height, level.shape[y]!);
    const right = Math.min(left + shape.width, level.shape[x]!);
    const at = place.indices.map((index, axis) => (axis === y ? top : axis === x ? left : index));
    this.#noteReads(dataset, level, at, bottom, right);
    const selection = at.map((index, axis) =>
      axis === y ? slice(top, bottom) : axis === x ? slice(left, right) : index,
    );
    const { data, stride } = await get(level, selection, {
      signal,
      concurrency: 4,
      coalesceMaxBytes: 4 * 2 ** 20,
    });
    if (Array.isArray(data) || !ArrayBuffer.isView(data)) throw cannotShow("these elements cannot be shown as pixels");
    const isTransposed = x < y;
    const [height, width] = [bottom - top, right - left];
    const [strideY, strideX] = isTransposed ? [stride[1]!, stride[0]!] : [stride[0]!, stride[1]!];
    return { data: data as Numbers, top, left, height, width, strideY, strideX };
  }

  /** Reports the shards that contain a block. */
  #noteReads(dataset: Dataset, level: ZarrArray, at: readonly number[], bottom: number, right: number): void {
    if (!level.shardShape) return;
    const { y, x } = dataset;
    const [high, wide] = [level.chunkShape[y]!, level.chunkShape[x]!];
    const grid = level.gridShape;
    const chunk = at.map((index, axis) => Math.min(Math.floor(index / level.chunkShape[axis]!), grid[axis]! - 1));
    for (let row = chunk[y]!; row * high < bottom && row < grid[y]!; row++)
      for (let column = chunk[x]!; column * wide < right && column < grid[x]!; column++)
        this.datasets.noteRead(dataset, level, chunk.map((index, axis) => (axis === y ? row : axis === x ? column : index)));
  }
}

/** Number of chunks that a block of `length` elements touches along an axis. */
function chunksAlong({ shape, chunkShape }: ZarrArray, axis: number, place: number, length: number): number {
  const end = Math.min((place + 1) * length, shape[axis]!);
  return Math.ceil(end / chunkShape[axis]!) - Math.floor((place * length) / chunkShape[axis]!);
}
