/** The levels of a layer: their grids, and how blocks become tiles of the layer's plane. */
import type { ZarrArray } from "zarr-wasm";
import { keptFor } from "../base/memo.js";
import type { Layer } from "../model/layers.js";
import type { Dataset, Level } from "../source/dataset.js";
import { dtypeLeaves, type Leaf } from "../source/leaf.js";
import type { Cut } from "./cut.js";
import { type ElementBox, TileGrid } from "./grid.js";
import type { LevelView } from "./tile-selection.js";

/** One level of a layer. */
export interface LayerLevel {
  readonly array: ZarrArray;
  readonly grid: TileGrid;
  readonly view: LevelView;
  /** Index along every axis, in elements of the level. */
  readonly index: readonly number[];
  readonly cut: Cut;
  /** Identifies the layer's plane among those of a block. */
  readonly plane: string;
  /** Identifies the plane and its place: added layers can move. */
  readonly placedPlane: string;
  /** Prefix of the keys of its blocks. */
  readonly name: string;
}

let lastId = 0;
/** First word of the keys of an array's blocks. */
export const arrayId = keptFor((_array: ZarrArray) => ++lastId);

/** The entries of a per-axis list for the shown axes: down and across. */
export const shown = (list: readonly number[], axes: readonly number[]): readonly [number, number] =>
  axes.length > 1 ? [list[axes[0]!]!, list[axes[1]!]!] : [1, list[axes[0]!]!];

/** The levels of layers, cached because every frame needs them. */
const knownLevels = keptFor((_layer: Layer) => new Map<number, LayerLevel>());

/** The levels that are open, finest first. */
export function layerLevels(layer: Layer): LayerLevel[] {
  const made = knownLevels(layer);
  return layer.dataset.levels.flatMap((level, i) => {
    if (!level.array) return [];
    const own = made.get(i) ?? layerLevel(layer, level, level.array, i);
    made.set(i, own);
    return [own];
  });
}

function layerLevel(layer: Layer, level: Level, array: ZarrArray, i: number): LayerLevel {
  const { axes, dataset, field, part, isRaw } = layer;
  const grid = new TileGrid(array, axes);
  const index = layer.index.map((at, axis) => {
    const own = Math.floor((at + 0.5 - level.origin[axis]!) / level.factor[axis]!);
    return Math.min(Math.max(own, 0), array.shape[axis]! - 1);
  });
  const view: LevelView = {
    level: i,
    rows: grid.rows,
    columns: grid.columns,
    rowsPerTile: grid.rowsPerTile,
    columnsPerTile: grid.columnsPerTile,
    factor: shown(level.factor, axes),
    origin: axes.length > 1 ? shown(level.origin, axes) : [0, level.origin[axes[0]!]!],
    bytesPerTile: grid.bytesPerTile,
    chunksPerTile: grid.chunksPerTile,
  };
  const leaf = leafNamed(dataset, layer.field);
  const decode = isRaw ? undefined : dataset.decode;
  const cut: Cut = { level: i, place: level, axes, index, shape: array.shape, leaf, part, decode };
  const hidden = index.filter((_, axis) => !axes.includes(axis));
  const plane = [axes, hidden, field, part, isRaw].join(" ");
  const placedPlane = [plane, view.factor, view.origin].join(" ");
  // Whole chunks are shared between all choices of axes.
  const name = `${arrayId(array)} ${grid.isChunk ? "" : axes.join()}`;
  return { array, grid, view, index, cut, plane, placedPlane, name };
}

function leafNamed({ dtype }: Dataset, name: string): Leaf {
  const leaves = dtypeLeaves(dtype);
  return leaves.find((leaf) => leaf.name === name) ?? leaves[0]!;
}

/** Number of chunks in a box of a level. */
export function chunksIn({ grid }: LayerLevel, { start, stop }: ElementBox): number {
  const { chunkShape } = grid.facts;
  return start.reduce(
    (count, at, axis) =>
      count * (Math.ceil(stop[axis]! / chunkShape[axis]!) - Math.floor(at / chunkShape[axis]!)),
    1,
  );
}
