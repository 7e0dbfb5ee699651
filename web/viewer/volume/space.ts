/** The space of a dataset: its three axes, levels and proportions. */
import { findChannelAxis } from "../model/channels.js";
import { isComposite, type Layer, planeAspect, planLayers } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { map3, type Vec3, type VolumeLevel } from "./bricks.js";
import type { VolumeSpace } from "./camera.js";
import { maxLevels } from "./shaders.js";

/** The axes of a volume, [z, y, x]; undefined if the dataset has no third axis beside the shown ones. */
export function volumeAxes(
  dataset: Dataset,
  state: ViewState,
): readonly [number, number, number] | undefined {
  const [down, across] = state.axes;
  if (down === undefined || across === undefined) return undefined;
  const channelAxis = isComposite(dataset, state) ? findChannelAxis(dataset) : undefined;
  const others = dataset.axes.flatMap(({ length }, axis) =>
    length > 1 && axis !== channelAxis && !state.axes.includes(axis) ? [axis] : [],
  );
  const isSpace = (axis: number) => dataset.axes[axis]!.type === "space" || dataset.axes[axis]!.role === "z";
  const depth = others.find(isSpace) ?? others.at(-1);
  return depth === undefined ? undefined : [depth, down, across];
}

/** The layers of a volume: those of the picture, with three axes. Labels, masks and added layers are not drawn. */
export function volumeLayers(
  dataset: Dataset,
  state: ViewState,
  axes: readonly [number, number, number],
): Layer[] {
  return planLayers(dataset, state)
    .filter(({ style, title }) => title === undefined && (style.kind === "map" || style.kind === "tint"))
    .map((layer) => ({
      ...layer,
      axes,
      // Percentiles of a volume that is mostly empty would be those of its noise.
      range: layer.range.mode === "auto" ? { mode: "minmax" } : layer.range,
      style: { ...layer.style, outside: "clamp" },
    }));
}

/** Levels in voxels of level 0. Lengths of levels that are not open are estimated. */
export function volumeLevels(dataset: Dataset, [z, y, x]: readonly [number, number, number]): VolumeLevel[] {
  const axes = [x, y, z];
  const shape = datasetShape(dataset);
  return dataset.levels.slice(0, maxLevels).map(({ array, factor, origin }): VolumeLevel => {
    const of = (list: readonly number[]): Vec3 => map3((i) => list[axes[i]!]!);
    const estimate = map3((i) => Math.max(1, Math.round(shape[axes[i]!]! / factor[axes[i]!]!)));
    return { shape: array ? of(array.shape) : estimate, factor: of(factor), origin: of(origin) };
  });
}

/** Axes of unlike units get a similar length. */
export function volumeSpace(dataset: Dataset, [z, y, x]: readonly [number, number, number]): VolumeSpace {
  const shape = datasetShape(dataset);
  const lengths = [
    1,
    planeAspect(dataset, { axes: [y, x] }),
    Math.abs(planeAspect(dataset, { axes: [z, x] })),
  ];
  const shortest = Math.min(...lengths.map(Math.abs));
  return {
    extent: [shape[x]!, shape[y]!, shape[z]!],
    spacing: map3((i) => lengths[i]! / shortest),
  };
}
