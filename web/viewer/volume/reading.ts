/** Reads the voxel that a pixel of a volume shows, in all layers. */
import type { Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import { blockTile, type VolumeElement } from "./blocks.js";
import { map3, type Vec3 } from "./bricks.js";
import type { VolumeViewpoint } from "./camera.js";
import { labelOpacities } from "./labels.js";
import type { LayerVolume } from "./layer-volume.js";
import { pickVoxel } from "./pick.js";
import { volumeSlices } from "./slices.js";

export interface VolumeReading {
  readonly layer: Layer;
  readonly tile: Tile;
  /** Position in the tile. */
  readonly row: number;
  readonly column: number;
  readonly gap: TileGap | undefined;
}

export interface VolumePoint {
  /** Index in elements of level 0, along every axis of the dataset. */
  readonly index: readonly number[];
  readonly readings: readonly VolumeReading[];
  /** In voxels of level 0. */
  readonly centre: Vec3;
}

export interface ReadingSource {
  readonly layer: Layer;
  readonly volume: LayerVolume;
  readonly low: number;
  readonly high: number;
}

interface Shown {
  readonly dataset: Dataset;
  readonly state: ViewState;
  /** z, y, x. */
  readonly axes: readonly [number, number, number];
}

/** @param at place in device pixels */
export function readVolume(
  view: VolumeViewpoint,
  at: readonly [x: number, y: number],
  shown: Shown,
  sources: readonly ReadingSource[],
): VolumePoint | undefined {
  const { state, axes } = shown;
  const slices = volumeSlices(view, state, axes).planes;
  const found = sources.flatMap(({ layer: { style }, volume, low, high }) => {
    const { atlas, blocks, levels } = volume;
    if (!atlas) return [];
    const opacityOf = style.kind === "labels" ? labelOpacities(style) : undefined;
    const { pages } = atlas;
    const source = { levels, pages, blocks, slices, curve: style.curve, low, high, opacityOf };
    const picked = pickVoxel(view, at, state.mode, source);
    if (!picked) return [];
    if (!opacityOf) return [{ ...picked, rank: picked.share }];
    // The first label covers the image. A slice can end the ray without one.
    const isSeen = picked.share !== 0 && opacityOf(picked.share) > 0;
    return isSeen ? [{ ...picked, rank: Number.POSITIVE_INFINITY }] : [];
  });
  const [best] = found.sort((a, b) => (a.rank < b.rank ? 1 : -1));
  return best && voxelAt(best.centre, shown, sources);
}

/** Reads the voxels of all layers at a point. */
export function voxelAt(
  centre: Vec3,
  { dataset, state, axes }: Shown,
  sources: readonly ReadingSource[],
): VolumePoint {
  const shape = datasetShape(dataset);
  const own = state.index.map((old, axis) => {
    const place = axes.indexOf(axis);
    return place < 0 ? old : Math.min(Math.floor(centre[2 - place]!), shape[axis]! - 1);
  });
  return { index: own, readings: sources.flatMap((source) => readingAt(source, centre) ?? []), centre };
}

/** The finest element at a place that has been read. */
function readingAt({ layer, volume }: ReadingSource, centre: Vec3): VolumeReading | undefined {
  for (const [i, { origin, factor, shape }] of volume.levels.entries()) {
    const voxel = map3((axis) =>
      Math.min(Math.max(Math.floor((centre[axis]! - origin[axis]!) / factor[axis]!), 0), shape[axis]! - 1),
    );
    const element = volume.blocks.element(i, voxel);
    if (element) return reading(layer, i, element);
  }
  return undefined;
}

function reading(layer: Layer, level: number, { block, offset, at }: VolumeElement): VolumeReading {
  const found = block.gaps.find(({ start, stop }) =>
    at.every((place, axis) => place >= start[axis]! && place < stop[axis]!),
  );
  const gap = found && { kind: found.kind, error: found.error, rows: [0, 1], columns: [0, 1] };
  const tile = { ...blockTile(block, level, layer), level };
  return { layer, tile, row: 0, column: offset, gap: gap as TileGap | undefined };
}
