/** Reads the voxel that a pixel of a volume shows, in all layers. */
import type { Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { datasetShape } from "../source/dataset.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import { blockTile, type VolumeElement } from "./blocks.js";
import { map3, type Vec3 } from "./bricks.js";
import type { VolumeViewpoint } from "./camera.js";
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

/**
 * @param at place in device pixels
 * @param axes z, y, x
 */
export function readVolume(
  view: VolumeViewpoint,
  at: readonly [x: number, y: number],
  state: ViewState,
  axes: readonly [number, number, number],
  sources: readonly ReadingSource[],
): VolumePoint | undefined {
  const slices = volumeSlices(view, state, axes).planes;
  const found = sources.flatMap(({ layer, volume, low, high }) => {
    const { atlas, blocks, levels } = volume;
    if (!atlas) return [];
    // The first label other than 0 covers the image.
    const isLabels = layer.style.kind === "labels";
    const source = {
      levels,
      pages: atlas.pages,
      blocks,
      slices,
      curve: layer.style.curve,
      ...(isLabels ? { low: 0, high: 1 } : { low, high }),
    };
    const picked = pickVoxel(view, at, isLabels ? "surface" : state.mode, source);
    // A slice can end the ray without a label.
    if (isLabels && picked && picked.share < 0.5) return [];
    return picked ? [{ ...picked, rank: isLabels ? Number.POSITIVE_INFINITY : picked.share }] : [];
  });
  const [best] = found.sort((a, b) => (a.rank < b.rank ? 1 : -1));
  if (!best) return undefined;
  const shape = datasetShape(sources[0]!.layer.dataset);
  const own = state.index.map((old, axis) => {
    const place = axes.indexOf(axis);
    return place < 0 ? old : Math.min(Math.floor(best.centre[2 - place]!), shape[axis]! - 1);
  });
  const readings = sources.flatMap((source) => readingAt(source, best.centre) ?? []);
  return { index: own, readings, centre: best.centre };
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
