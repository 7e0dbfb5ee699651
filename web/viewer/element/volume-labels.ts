/** Captions of a volume: the lengths of its axes, and a scale bar. */
import { unitText } from "../panels/coordinates.js";
import { planScaleBar } from "../panels/scale-bar.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { VolumeLabels } from "../volume/outline.js";

/** @param axes z, y, x */
export function volumeLabels(dataset: Dataset, axes: readonly [number, number, number]): VolumeLabels {
  const own = [axes[2], axes[1], axes[0]];
  const names = own.map((axis) => dataset.axes[axis]!.name ?? `axis ${axis}`);
  const shape = datasetShape(dataset);
  const lengths = own.map((axis, i) => {
    const { scale, unit } = dataset.axes[axis]!;
    const length = shape[axis]! * Math.abs(scale ?? 1);
    const text = unit && scale !== undefined ? `${Number(length.toPrecision(4))} ${unitText(unit)}` : length;
    return `${names[i]} ${text}`;
  });
  const plane = [axes[1], axes[2]];
  return {
    names,
    lengths,
    scaleBar: (perVoxel, room) => planScaleBar(dataset, plane, perVoxel, 0, room),
  };
}
