/**
 * Divides a level into tiles: by its chunks if these have a suitable size, otherwise by several chunks or
 * parts of one.
 */
import type { ZarrArray } from "zarr-wasm";

/** Properties of an array that determine its grid. */
export type GridFacts = Pick<ZarrArray, "shape" | "chunkShape" | "gridShape" | "shardShape"> & {
  readonly dtype: { readonly itemBytes: number };
};

/** A box of array elements. */
export interface ElementBox {
  readonly start: readonly number[];
  readonly stop: readonly number[];
}

/** Maximum size of chunks that are kept whole; of larger ones only the plane is read. */
const maxChunkBytes = 16 * 2 ** 20;
/**
 * Maximum size of chunk planes that are read whole. Larger ones are read in parts, which repeats requests or
 * decoding, but needs no more memory.
 */
const maxPlaneBytes = 64 * 2 ** 20;
/** Side length of such parts. */
const partSide = 1024;
/**
 * Shorter sides are combined up to this length; within a shard one request fetches several chunks. Chunks
 * that need a request each are drawn one by one, unless they are tiny.
 */
const minSide = { single: 16, sharded: 256 };
/** Maximum size of planes within one shard that are read whole, with one request: mostly coarse levels. */
const maxWholeBytes = 2 ** 21;
/** The same for lines. */
const minLength = { single: 1024, sharded: 16384 };
/** Maximum number of chunks per tile: outside shards each takes a request. */
const maxChunks = { single: 16, sharded: 64 };
/** Lines have a single row, so their parts are longer. */
const lineSide = 16384;

export class TileGrid {
  /** Elements of a tile along each axis of the array; 1 along axes of which only a plane is read. */
  readonly tile: readonly number[];
  /** True if a tile is one whole chunk, which is used without copying. */
  readonly isChunk: boolean;
  /** Number of tiles along the shown axes. */
  readonly rows: number;
  readonly columns: number;
  readonly #down: number | undefined;
  readonly #across: number;

  constructor(
    readonly facts: GridFacts,
    axes: readonly number[],
  ) {
    this.#across = axes.at(-1)!;
    this.#down = axes.length > 1 ? axes[0] : undefined;
    const { shape } = facts;
    this.tile = tileIndex(facts, axes);
    const { chunkShape } = facts;
    this.isChunk = isRegular(facts) && this.tile.every((side, axis) => side === chunkShape[axis]);
    const count = (axis: number) => Math.ceil(shape[axis]! / this.tile[axis]!);
    this.rows = this.#down === undefined ? 1 : count(this.#down);
    this.columns = count(this.#across);
  }

  /** Elements of a tile in each direction. */
  get rowsPerTile(): number {
    return this.#down === undefined ? 1 : this.tile[this.#down]!;
  }
  get columnsPerTile(): number {
    return this.tile[this.#across]!;
  }

  /** Maximum size of a tile's block. */
  get bytesPerTile(): number {
    return this.tile.reduce((a, b) => a * b, this.facts.dtype.itemBytes);
  }

  /** Maximum number of chunks read for a tile. */
  get chunksPerTile(): number {
    const { chunkShape } = this.facts;
    return this.tile.reduce(
      (product, side, axis) => product * Math.max(1, Math.ceil(side / chunkShape[axis]!)),
      1,
    );
  }

  /**
   * The elements read for a tile: whole chunks, clipped to the array. `index` is in elements of this level.
   */
  boxOf(row: number, column: number, index: readonly number[]): ElementBox {
    const { shape } = this.facts;
    const start = shape.map((_, axis) => {
      const side = this.tile[axis]!;
      if (axis === this.#across) return column * side;
      return (axis === this.#down ? row : Math.floor(index[axis]! / side)) * side;
    });
    return { start, stop: start.map((at, axis) => Math.min(at + this.tile[axis]!, shape[axis]!)) };
  }

  /** The chunks of a box, with the part of it that each covers. */
  *chunksOf({ start, stop }: ElementBox): Generator<{ coordinates: number[]; box: ElementBox }> {
    const { chunkShape } = this.facts;
    const first = start.map((at, axis) => Math.floor(at / chunkShape[axis]!));
    const last = stop.map((at, axis) => Math.ceil(at / chunkShape[axis]!));
    const at = [...first];
    for (;;) {
      const from = at.map((cell, axis) => Math.max(cell * chunkShape[axis]!, start[axis]!));
      const to = at.map((cell, axis) => Math.min((cell + 1) * chunkShape[axis]!, stop[axis]!));
      yield { coordinates: [...at], box: { start: from, stop: to } };
      let axis = at.length - 1;
      while (axis >= 0 && ++at[axis]! === last[axis]) at[axis] = first[axis--]!;
      if (axis < 0) return;
    }
  }
}

/** Whether all chunks but the last have the same shape: of others only the number is known here. */
function isRegular({ shape, chunkShape, gridShape }: GridFacts): boolean {
  return shape.every((length, axis) => Math.ceil(length / chunkShape[axis]!) === gridShape[axis]);
}

function tileIndex(facts: GridFacts, axes: readonly number[]): readonly number[] {
  const { shape, chunkShape, shardShape, dtype } = facts;
  const isShown = (axis: number) => axes.includes(axis);
  const product = (sides: readonly number[]) => sides.reduce((a, b) => a * b, dtype.itemBytes);
  const whole = isRegular(facts) && product(chunkShape) <= maxChunkBytes;
  const sides = chunkShape.map((side, axis) => (isShown(axis) || whole ? side : 1));
  const side = axes.length === 1 ? lineSide : partSide;
  if (!isRegular(facts) || product(sides) > maxPlaneBytes)
    return sides.map((_, axis) => (isShown(axis) ? Math.min(side, shape[axis]!) : 1));
  return grouped(facts, axes, sides, shardShape ? "sharded" : "single");
}

/** Combines small chunks, the shorter side first. */
function grouped(
  { shape, dtype, chunkShape, shardShape }: GridFacts,
  axes: readonly number[],
  sides: number[],
  kind: "sharded" | "single",
): number[] {
  if (kind === "sharded") {
    const all = sides.map((side, i) => (axes.includes(i) ? Math.ceil(shape[i]! / side) * side : side));
    const isOneShard = axes.every((axis) => shape[axis]! <= shardShape![axis]!);
    if (isOneShard && all.reduce((a, b) => a * b, dtype.itemBytes) <= maxWholeBytes) return all;
  }
  const tile = [...sides];
  const least = (axes.length === 1 ? minLength : minSide)[kind];
  for (;;) {
    const axis = [...axes]
      .sort((a, b) => tile[a]! - tile[b]!)
      // Never across the edge of a shard, so that tiles stay whole.
      .find((a) => tile[a]! < Math.min(least, shape[a]!, shardShape?.[a] ?? shape[a]!));
    if (axis === undefined) return tile;
    const next = tile.map((length, i) =>
      i === axis ? nextSide(length, shardShape?.[i], sides[i]!) : length,
    );
    const chunks = next.reduce((count, length, i) => count * Math.ceil(length / chunkShape[i]!), 1);
    if (chunks > maxChunks[kind] || next.reduce((a, b) => a * b, dtype.itemBytes) > maxChunkBytes)
      return tile;
    tile[axis] = next[axis]!;
  }
}

/** Doubles the length; within a shard, the next multiple of the chunk's length that divides the shard's. */
function nextSide(length: number, shard: number | undefined, chunk: number): number {
  if (shard === undefined) return 2 * length;
  let next = length + chunk;
  while (shard % next !== 0) next += chunk;
  return next;
}
