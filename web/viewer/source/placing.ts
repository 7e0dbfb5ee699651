/** Places one dataset in the coordinates of another: labels over their image. */
import type { Dataset, Level } from "./dataset.js";

/**
 * Returns a dataset with levels placed in elements of the image's level 0. Axes are matched by name, or else
 * by position from the last. An axis without a scale is as long as the image's.
 */
export function placedIn(image: Dataset, own: Dataset): { dataset: Dataset; imageAxes: readonly number[] } {
  const isNamed = own.axes.every(({ name }) => name !== undefined);
  const shift = image.axes.length - own.axes.length;
  const imageAxes = own.axes.map(({ name }, axis) =>
    isNamed ? image.axes.findIndex((other) => other.name === name) : Math.max(-1, axis + shift),
  );
  const places = own.axes.map((axis, i) => {
    const other = image.axes[imageAxes[i]!];
    if (!other) return { factor: 1, origin: 0 };
    const isTold = axis.scale !== undefined && other.scale !== undefined && axis.length !== other.length;
    const factor = isTold ? axis.scale / other.scale : other.length / axis.length;
    const moved = (axis.translation ?? 0) - (other.translation ?? 0);
    const elements = moved / (other.scale ?? 1);
    const origin = moved === 0 || !Number.isFinite(elements) ? 0 : elements + 0.5 - factor / 2;
    return { factor: Number.isFinite(factor) && factor > 0 ? factor : 1, origin };
  });
  const levels = own.levels.map((level) => placed(level, places)) as [Level, ...Level[]];
  return { dataset: { ...own, levels }, imageAxes };
}

/** A level whose elements of level 0 are placed along each axis. */
export function placed(level: Level, places: readonly { factor: number; origin: number }[]): Level {
  return {
    factor: level.factor.map((factor, axis) => factor * places[axis]!.factor),
    origin: level.origin.map((origin, axis) => places[axis]!.origin + origin * places[axis]!.factor),
    get array() {
      return level.array;
    },
    open: () => level.open(),
  };
}
