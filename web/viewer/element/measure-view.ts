/** Reads the middle of the view again to measure the cost of reading. */
import { type Selection, slice } from "zarr-wasm";
import type { Rectangle } from "../model/camera.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, Level } from "../source/dataset.js";
import type { Measured } from "../source/measure.js";

/** Reads a few chunks of the current level. */
export async function measureView(
  dataset: Dataset,
  settings: ViewState,
  { seen, level: at }: { readonly seen: Rectangle; readonly level: number },
  options: { v1Order?: "spec" | "writer" | undefined; signal: AbortSignal },
): Promise<Measured> {
  const level = dataset.levels[at]!;
  const array = level.array ?? dataset.array;
  const { measure } = await import("../source/measure.js");
  return measure(array, middleSelection(array, level, settings, seen), options);
}

function middleSelection(
  { shape, chunkShape }: Dataset["array"],
  { factor, origin }: Level,
  { axes, index }: ViewState,
  seen: Rectangle,
): Selection {
  return shape.map((length, axis) => {
    const own = (at: number) => Math.floor((at - origin[axis]!) / factor[axis]!);
    const within = (at: number) => Math.min(Math.max(own(at), 0), length - 1);
    const position = axes.indexOf(axis);
    if (position < 0) return within(index[axis]! + 0.5);
    const isAcross = position === axes.length - 1;
    const [from, to] = isAcross ? [seen.left, seen.right] : [seen.top, seen.bottom];
    // At most two chunks along each axis.
    const half = Math.min((to - from) / 2, chunkShape[axis]! * factor[axis]!);
    const middle = (from + to) / 2;
    const first = within(middle - half);
    return slice(first, Math.max(first + 1, Math.min(length, own(middle + half))));
  });
}
