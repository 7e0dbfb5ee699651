/** The space of a dataset: its three axes, levels and proportions. */

import { formatShape } from "../base/format.js";
import { irregularPlaces } from "../model/axis-places.js";
import { depthAspect, type Layer, planeAspect, planLayers, shownLabels } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { affineSpace, type VolumeSpace } from "./affine.js";
import { brickGrid, map3, type Vec3, type VolumeLevel } from "./bricks.js";
import { maxPages } from "./pages.js";
import { maxLevels } from "./shaders.js";

/** The layers of a volume: those of the picture, with three axes, and labels. Masks and added layers are not drawn. */
export function volumeLayers(
  dataset: Dataset,
  state: ViewState,
  axes: readonly [number, number, number],
): Layer[] {
  const labels = shownLabels(dataset, state);
  const all = planLayers(dataset, state).filter(({ title }) => title === undefined);
  // Below labels, an image that is not visible is not read.
  const isAlone = state.imageOpacity === 0 && all.some(({ style }) => style.isOverlay);
  return all
    .filter(({ style }) => style.isOverlay || !isAlone)
    .map((layer) => ({
      ...layer,
      axes: layer.style.isOverlay ? axes.map((axis) => labels!.imageAxes.indexOf(axis)) : axes,
      // Percentiles of a volume that is mostly empty would be those of its noise.
      range: layer.range.mode === "auto" ? ({ mode: "minmax" } as const) : layer.range,
      style: { ...layer.style, outside: "clamp" as const },
    }))
    .filter((layer) => layer.style.kind !== "mask" && !layer.axes.includes(-1));
}

/** Maximum number of bricks of a level, and along one of its axes, as texels of a page table. */
const [maxBricks, maxSide] = [2 ** 26, 2048];

/** Describes why levels cannot be shown as a volume; undefined if they can. */
export function volumeProblem(levels: readonly VolumeLevel[]): string | undefined {
  for (const [i, level] of levels.entries()) {
    const grid = brickGrid(level);
    const count = grid[0] * grid[1] * grid[2];
    const most = i === levels.length - 1 ? maxPages : maxBricks;
    if (count > 0 && count <= most && Math.max(...grid) <= maxSide) continue;
    const [x, y, z] = level.shape;
    return `its level ${i} has ${formatShape([z, y, x])} voxels`;
  }
  return undefined;
}

/** Levels in voxels of level 0. Lengths of levels that are not open are estimated. */
export function volumeLevels({ dataset, axes: [z, y, x] }: Pick<Layer, "dataset" | "axes">): VolumeLevel[] {
  const axes = [x!, y!, z!];
  const shape = datasetShape(dataset);
  return dataset.levels.slice(0, maxLevels).map(({ array, factor, origin }): VolumeLevel => {
    const of = (list: readonly number[]): Vec3 => map3((i) => list[axes[i]!]!);
    const first = dataset.levels[0].factor;
    const estimate = map3((i) => {
      const axis = axes[i]!;
      return Math.max(1, Math.round((shape[axis]! * first[axis]!) / factor[axis]!));
    });
    const own = array && of(array.shape);
    // Metadata may claim any length beyond the volume.
    return {
      shape: own ? map3((i) => Math.min(own[i]!, 2 * estimate[i]! + 1)) : estimate,
      factor: of(factor),
      origin: of(origin),
    };
  });
}

/**
 * Axes of unlike units get a similar length. Elements of axes with unequal distances are at their coordinates, unless
 * the dataset has an affine transformation or `places` is "index".
 * @param exaggeration factor of lengths along z
 */
export function volumeSpace(
  dataset: Dataset,
  [z, y, x]: readonly [number, number, number],
  { exaggeration, places }: Pick<ViewState, "exaggeration" | "places">,
): VolumeSpace {
  if (!dataset.affine && places !== "index") {
    const irregular = [x, y, z].map((axis) => irregularPlaces(dataset.axes[axis]!));
    if (irregular.some((one) => one !== undefined)) {
      const axes = dataset.axes.map((axis, i) => irregular[[x, y, z].indexOf(i)]?.axis ?? axis);
      const even = volumeSpace({ ...dataset, axes }, [z, y, x], { exaggeration, places: "index" });
      return { ...even, places: irregular };
    }
  }
  const shape = datasetShape(dataset);
  const lengths = [1, planeAspect(dataset, { axes: [y, x] }), depthAspect(dataset, z, x) * exaggeration];
  const extent: Vec3 = [shape[x]!, shape[y]!, shape[z]!];
  const own = [x, y, z];
  const { affine } = dataset;
  if (affine) {
    // The stretched axis is the third of space.
    const stretch = (i: number) => (i === 2 ? exaggeration : 1);
    const plain = map3((i) => Math.abs(lengths[i]!) / stretch(i));
    const row = (i: number) => map3((k) => affine[own[i]!]![own[k]!]! * plain[k]! * stretch(i));
    const found = affineSpace(extent, [row(0), row(1), row(2)]);
    if (found) return found;
  }
  const shortest = Math.min(...lengths.map(Math.abs));
  return { extent, spacing: map3((i) => lengths[i]! / shortest) };
}
