/** Blocks of a volume: requests those that bricks consist of, and cuts bricks from them. */
import type { Region } from "zarr-wasm";
import { keptFor } from "../base/memo.js";
import type { Numbers } from "../base/plane.js";
import type { Layer } from "../model/layers.js";
import { leafNumbers } from "../source/leaf.js";
import { type LayerLevel, layerLevels } from "../tiles/layer-level.js";
import { readBlock } from "../tiles/read.js";
import type { Client, Job } from "../tiles/scheduler.js";
import type { Shared } from "../tiles/shared.js";
import type { Block, Tile } from "../tiles/tile.js";
import {
  type Brick,
  brickPieces,
  map3,
  type Piece,
  side,
  type Vec3,
  type VolumeLevel,
  type Voxels,
} from "./bricks.js";
import { Extents } from "./extents.js";

/** A brick's voxels, or the value of all of them and of their neighbours. */
export type BrickContent =
  | { readonly uniform: number }
  | { readonly parts: readonly Voxels[]; readonly extents: Extents };

/** Progress of the bricks in view. */
export interface BlocksStatus {
  readonly chunks: number;
  readonly done: number;
  readonly bytes: number;
  readonly failures: readonly unknown[];
  readonly isComplete: boolean;
}

/** An element of a block. */
export interface VolumeElement {
  readonly block: Block;
  /** Its place in the block's region. */
  readonly offset: number;
  /** Index in the array. */
  readonly at: readonly number[];
  readonly value: number;
}

interface BlockPlace {
  readonly level: number;
  readonly at: Vec3;
  readonly key: string;
}

export class Blocks implements Client<Block> {
  /** Blocks of all bricks in view, and the requested blocks. */
  #inView: readonly BlockPlace[] = [];
  #requested = new Map<string, BlockPlace>();
  readonly #openFailures = new Map<number, unknown>();
  /** Errors of damaged chunks, by the key of their block, which may have been evicted. */
  readonly #damage = new Map<string, readonly unknown[]>();
  #bricks: readonly Brick[] = [];

  /**
   * @param layer with the axes z, y, x
   * @param onBlock called for every block that has been read
   * @param onChange called when a level has been opened, or reading has failed
   */
  constructor(
    private readonly shared: Shared,
    readonly layer: Layer,
    private readonly onBlock: (block: Block, level: number, at: Vec3) => void,
    private readonly onChange: () => void,
  ) {}

  /**
   * Sets the bricks in view, and requests the blocks of some, in their order. The others have been uploaded, and
   * their blocks may have been evicted.
   */
  want(bricks: readonly Brick[], missing: readonly Brick[]): void {
    this.#bricks = bricks;
    for (const { level } of missing) if (!this.#levelAt(level)) this.#open(level);
    this.#inView = [...this.#placesOf(bricks).values()];
    this.#requested = this.#placesOf(missing);
    const jobs = [...this.#requested.values()].map((place) => this.#jobOf(place));
    this.shared.scheduler.want(this, jobs);
  }

  #placesOf(bricks: readonly Brick[]): Map<string, BlockPlace> {
    const open = bricks.filter(({ level }) => this.#levelAt(level));
    return new Map(
      open.flatMap((brick) => this.#blocksOf(brick).map((place) => [place.key, place] as const)),
    );
  }

  /** Whether nothing is being read. */
  get isIdle(): boolean {
    return this.shared.scheduler.running === 0;
  }

  leave(): void {
    this.shared.scheduler.leave(this);
  }

  /** Reads failed and damaged blocks again when their bricks are requested. */
  retry(): void {
    this.#openFailures.clear();
    for (const key of this.#damage.keys()) this.shared.scheduler.cache.delete(key);
    this.#damage.clear();
    this.shared.scheduler.retry();
  }

  onRead(block: Block, key: string): void {
    const errors = block.gaps.flatMap(({ kind, error }) => (kind === "damaged" ? [error] : []));
    if (errors.length > 0) this.#damage.set(key, errors);
    const place = this.#requested.get(key);
    if (place) this.onBlock(block, place.level, place.at);
  }

  onFail(): void {
    this.onChange();
  }

  get status(): BlocksStatus {
    const { scheduler } = this.shared;
    let [done, bytes] = [0, 0];
    const failures: unknown[] = [...this.#openFailures.values()];
    for (const { key } of this.#inView) {
      const block = scheduler.cache.peek(key);
      if (block) bytes += block.bytes;
      const failure = block ? undefined : scheduler.failureOf(key);
      if (failure !== undefined) failures.push(failure);
      failures.push(...(this.#damage.get(key) ?? []));
      if (block || failure !== undefined || !this.#requested.has(key)) done++;
    }
    const isOpen = this.#bricks.every(({ level }) => this.#levelAt(level) || this.#openFailures.has(level));
    return {
      chunks: this.#inView.length,
      done,
      bytes,
      failures,
      isComplete: isOpen && done === this.#inView.length,
    };
  }

  /** Whether a brick cannot be read. */
  hasFailed(brick: Brick): boolean {
    if (!this.#levelAt(brick.level)) return this.#openFailures.has(brick.level);
    return this.#blocksOf(brick).some(({ key }) => this.shared.scheduler.failureOf(key) !== undefined);
  }

  /** The content of a brick; undefined unless all its blocks have been read. */
  content(brick: Brick, level: VolumeLevel): BrickContent | undefined {
    if (!this.#levelAt(brick.level)) return undefined;
    if (this.#blocksOf(brick).some(({ key }) => !this.shared.scheduler.cache.peek(key))) return undefined;
    const pieces = brickPieces(level, brick.at, this.#blockShape(brick.level));
    const parts = pieces.flatMap((piece) => this.#voxels(brick.level, piece) ?? []);
    const extents = new Extents();
    for (const part of parts) extents.add(part);
    const { uniform } = extents;
    return uniform === undefined ? { parts, extents } : { uniform };
  }

  /** The parts of a brick's border that come from a block. */
  border(brick: Brick, level: VolumeLevel, block: Vec3): Voxels[] {
    return brickPieces(level, brick.at, this.#blockShape(brick.level)).flatMap((piece) => {
      const isFrom = piece.spare && piece.block.join() === block.join();
      return isFrom ? (this.#voxels(brick.level, piece) ?? []) : [];
    });
  }

  /** The bricks whose border, or voxels, a block holds. */
  bricksBeside({ shape }: VolumeLevel, level: number, block: Vec3): { from: Vec3; to: Vec3 } {
    const size = this.#blockShape(level);
    return {
      from: map3((i) => Math.max(0, Math.floor((block[i]! * size[i]! - 1) / side))),
      to: map3((i) => {
        const end = Math.min((block[i]! + 1) * size[i]!, shape[i]!);
        return Math.min(Math.floor(end / side) + 1, Math.ceil(shape[i]! / side));
      }),
    };
  }

  /** The element of a voxel of a level; undefined unless it has been read. */
  element(level: number, at: Vec3): VolumeElement | undefined {
    if (!this.#levelAt(level)) return undefined;
    const size = this.#blockShape(level);
    const { key } = this.#place(
      level,
      map3((i) => Math.floor(at[i]! / size[i]!)),
    );
    const block = this.shared.scheduler.cache.peek(key);
    if (!block) return undefined;
    const { values, offset } = this.#locate(block, level, at);
    const axes = this.#axes();
    const own = this.#levelAt(level)!.index.map((place, axis) => at[axes.indexOf(axis)] ?? place);
    return { block, offset, at: own, value: values[offset]! };
  }

  #levelAt(level: number): LayerLevel | undefined {
    return layerLevels(this.layer).find(({ view }) => view.level === level);
  }

  #open(index: number): void {
    const level = this.layer.dataset.levels[index]!;
    if (this.#openFailures.has(index)) return;
    level.open().then(this.onChange, (error) => {
      this.#openFailures.set(index, error);
      this.onChange();
    });
  }

  /** Along x, y and z. */
  #axes(): Vec3 {
    const [z, y, x] = this.layer.axes as readonly [number, number, number];
    return [x, y, z];
  }

  #blockShape(level: number): Vec3 {
    const { tile } = this.#levelAt(level)!.grid;
    return map3((i) => tile[this.#axes()[i]!]!);
  }

  #place(level: number, at: Vec3): BlockPlace {
    const { name } = this.#levelAt(level)!;
    return { level, at, key: `${name} ${this.#boxOf(level, at).start.join()}` };
  }

  #boxOf(level: number, at: Vec3) {
    const { grid, index } = this.#levelAt(level)!;
    const y = this.#axes()[1];
    const own = index.map((value, axis) => (axis === y ? at[1] * grid.tile[y]! : value));
    return grid.boxOf(at[2], at[0], own);
  }

  /** The blocks that hold voxels of a brick, without its border. */
  #blocksOf({ level, at }: Brick): BlockPlace[] {
    const { array } = this.#levelAt(level)!;
    const size = this.#blockShape(level);
    const first = map3((i) => Math.floor((at[i]! * side) / size[i]!));
    const last = map3((i) =>
      Math.floor((Math.min((at[i]! + 1) * side, array.shape[this.#axes()[i]!]!) - 1) / size[i]!),
    );
    const places: BlockPlace[] = [];
    for (let z = first[2]; z <= last[2]; z++)
      for (let y = first[1]; y <= last[1]; y++)
        for (let x = first[0]; x <= last[0]; x++) places.push(this.#place(level, [x, y, z]));
    return places;
  }

  #jobOf({ level, at, key }: BlockPlace): Job<Block> {
    const { array, grid } = this.#levelAt(level)!;
    const { pool } = this.shared;
    const read = (signal: AbortSignal) =>
      readBlock(key, array, grid, this.#boxOf(level, at), { pool, signal });
    return { key, bytes: grid.bytesPerTile, read };
  }

  #voxels(level: number, piece: Piece): Voxels | undefined {
    const own = this.#voxelsAt(level, piece, piece.from, piece.block);
    return own ?? (piece.spare && this.#voxelsAt(level, piece, piece.spare.from, piece.spare.block));
  }

  #voxelsAt(level: number, { into, size }: Piece, from: Vec3, at: Vec3): Voxels | undefined {
    const block = this.shared.scheduler.cache.peek(this.#place(level, at).key);
    if (!block) return undefined;
    return { into, size, ...this.#locate(block, level, from) };
  }

  /** The values of a block, and the place of a voxel among them. */
  #locate(block: Block, level: number, from: Vec3): Pick<Voxels, "values" | "offset" | "strides"> {
    const { index, cut } = this.#levelAt(level)!;
    const { region, start } = block;
    const axes = this.#axes();
    const values = blockNumbers(block)(cut);
    const strides = map3((i) => region.stride[axes[i]!]!);
    const offset = start.reduce((sum, at, axis) => {
      const place = axes.includes(axis) ? from[axes.indexOf(axis)]! : index[axis]!;
      return sum + (place - at) * region.stride[axis]!;
    }, 0);
    return { values, offset, strides };
  }
}

type Cut = LayerLevel["cut"];

/** The numbers of a block's elements, kept with the block. */
const blockNumbers = keptFor((block: Block) => {
  const made = new Map<string, Numbers>();
  return (cut: Cut): Numbers => {
    const key = `${cut.leaf.name} ${cut.part} ${cut.decode !== undefined}`;
    const numbers = made.get(key) ?? numbersOf(block.region, cut);
    made.set(key, numbers);
    return numbers;
  };
});

function numbersOf(region: Region, { leaf, part, decode }: Cut): Numbers {
  if (region.data.length === 0) return Float32Array.of(Number.NaN);
  const meant = decode ? decode(region) : region;
  return leafNumbers(meant, decode ? { ...leaf, dtype: meant.dtype } : leaf, part);
}

/**
 * All values of a block as one tile, for statistics. Its level is one more than the block's: no plane has been
 * seen as a whole.
 */
export function blockTile(block: Block, level: number, layer: Layer): Tile {
  const { cut } = layerLevels(layer).find(({ view }) => view.level === level)!;
  const values = blockNumbers(block)(cut);
  return {
    key: `${block.key} volume`,
    level: level + 1,
    world: { top: 0, left: 0, bottom: 0, right: 0 },
    plane: { values, offset: 0, rows: 1, columns: values.length, rowStride: 0, columnStride: 1 },
    block,
    offsetOf: (_row, column) => column,
    origin: [0, 0],
    gaps: [],
  };
}
