/** Names and lengths over a volume: those of its axes, a bar, and measured distances. */

import { localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
import { irregularPlaces } from "../model/axis-places.js";
import type { ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { VolumeLabels } from "../volume/outline.js";
import { unitText } from "./coordinates.js";
import { distanceText } from "./distance.js";
import { planScaleBar } from "./scale-bar.js";

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
  const names = own.map((axis) => dataset.axes[axis]!.name ?? text.format.axis(axis));
  const shape = datasetShape(dataset);
  const lengths = own.map((axis, i) => {
    const { scale, unit } = dataset.axes[axis]!;
    const length = shape[axis]! * Math.abs(scale ?? 1);
    const size =
      unit && scale !== undefined
        ? `${localNumber(Number(length.toPrecision(4)))} ${unitText(unit)}`
        : length;
    return `${names[i]} ${size}`;
  });
  const plane = [axes[1], axes[2]];
  const measured = own.map((axis) => stored.axes[axis]!);
  const { affine } = stored;
  const rows = affine && own.map((i) => own.map((k) => affine[i]![k]!));
  return {
    names,
    lengths,
    distance: (from, to) => distanceText(measured, from, to, { rows }),
    scaleBar: (perVoxel, room) => planScaleBar(dataset, plane, perVoxel, undefined, room),
  };
}
