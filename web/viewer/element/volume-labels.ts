/** Captions of a volume: the lengths of its axes, and a scale bar. */
import { irregularPlaces } from "../model/axis-places.js";
import type { ViewState } from "../model/state.js";
import { unitText } from "../panels/coordinates.js";
import { planScaleBar } from "../panels/scale-bar.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { VolumeLabels } from "../volume/outline.js";

/** @param axes z, y, x */
export function volumeLabels(
  stored: Dataset,
  axes: readonly [number, number, number],
  { places }: Pick<ViewState, "places">,
): VolumeLabels {
  const isEven = places === "index" || stored.affine !== undefined;
  const drawn = stored.axes.map((axis) => (isEven ? axis : (irregularPlaces(axis)?.axis ?? axis)));
  const dataset = { ...stored, axes: drawn };
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
    scaleBar: (perVoxel, room) => planScaleBar(dataset, plane, perVoxel, undefined, room),
  };
}
