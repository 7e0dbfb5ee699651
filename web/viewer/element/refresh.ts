/** Reads parts of an open array again after a program has changed them. */
import { effect } from "@preact/signals-core";
import type { ZarrArray } from "zarr-wasm";
import type { Level } from "../source/dataset.js";
import { arrayId } from "../tiles/layer-level.js";
import { acquire, release } from "../tiles/shared.js";
import type { RefreshSelection } from "./options.js";
import type { ViewController } from "./view-controller.js";
import type { ViewerModel } from "./viewer-model.js";

/** First index and exclusive end along an axis. */
type Bounds = readonly [start: number, stop: number];

/**
 * Resolves when the changed elements in view have been read and drawn.
 * @throws RangeError for a selection with more entries than dimensions, or an index out of range
 */
export async function refresh(
  model: ViewerModel,
  controller: ViewController,
  selection: RefreshSelection = [],
): Promise<void> {
  const { dataset } = model;
  const { plane, volume } = controller;
  if (!dataset) return;
  const bounds = boundsOf(
    selection,
    dataset.axes.map(({ length }) => length),
  );
  const changed = new Map(
    dataset.levels.flatMap((level) =>
      level.array ? [[arrayId(level.array), levelBounds(bounds, level, level.array)] as const] : [],
    ),
  );
  for (const { array } of dataset.levels) if (array) invalidate(array, changed.get(arrayId(array))!);
  // Added layers and labels are read again as a whole.
  const layers = [...plane.layers, ...volume.layers].flatMap((layer) => layer.dataset.levels);
  const others = new Set(layers.flatMap(({ array }) => (array ? [arrayId(array)] : [])));
  acquire().scheduler.expire(({ key, start, region: { shape } }) => {
    const id = Number(key.slice(0, key.indexOf(" ")));
    const part = changed.get(id);
    if (!part) return others.has(id) && selection.length === 0;
    return part.every(([from, to], axis) => start[axis]! < to && start[axis]! + shape[axis]! > from);
  });
  release();
  controller.status.begin();
  plane.view?.retry();
  volume.view?.retry();
  await settled(model);
  if (model.dataset !== dataset || model.activity.peek() !== "ready") return;
  // Histograms and automatic limits are found from the new values.
  for (const { ranges } of [plane, volume]) ranges.begin([], { isPerSlice: false, isCommon: false });
  await controller.apply(model.settings.peek()!, "refresh");
  await settled(model);
}

/** Waits until the view is complete, or an error or another source replaces it. */
function settled({ activity }: ViewerModel): Promise<void> {
  return new Promise((resolve) => {
    let end: (() => void) | undefined;
    end = effect(() => {
      if (activity.value === "reading") return;
      resolve();
      end?.();
    });
    if (activity.peek() !== "reading") end();
  });
}

/** The smallest box that holds a selection. */
function boundsOf(selection: RefreshSelection, shape: readonly number[]): Bounds[] {
  if (selection.length > shape.length)
    throw new RangeError(`a selection must have at most ${shape.length} entries, got ${selection.length}`);
  return shape.map((length, axis): Bounds => {
    const entry = selection[axis] ?? null;
    if (entry === null) return [0, length];
    const from = (at: number) => (at < 0 ? at + length : at);
    if (typeof entry === "number") {
      const at = from(entry);
      if (!Number.isInteger(at) || at < 0 || at >= length)
        throw new RangeError(`index ${entry} is out of range for dimension ${axis} of length ${length}`);
      return [at, at + 1];
    }
    const { start, stop } = entry;
    return [Math.max(0, from(start ?? 0)), Math.min(length, from(stop ?? length))];
  });
}

/** The elements of a level that depend on a box of level 0. */
const levelBounds = (bounds: readonly Bounds[], { factor, origin }: Level, { shape }: ZarrArray): Bounds[] =>
  bounds.map(([start, stop], axis) => [
    Math.max(0, Math.floor((start - origin[axis]!) / factor[axis]!)),
    Math.min(shape[axis]!, Math.ceil((stop - origin[axis]!) / factor[axis]!)),
  ]);

/** Maximum number of objects whose cached bytes are dropped one by one. */
const maxObjects = 100_000;

/** Drops cached bytes and indexes of shards. */
function invalidate(array: ZarrArray, bounds: readonly Bounds[]): void {
  const { shape, shardShape, chunkShape, gridShape } = array;
  if (bounds.some(([from, to]) => from >= to)) return;
  const ranges = bounds.map(([from, to], axis): readonly [first: number, stop: number, step: number] => {
    const side = chunkShape[axis]!;
    // Chunks of different lengths.
    if (Math.ceil(shape[axis]! / side) !== gridShape[axis]) return [0, gridShape[axis]!, 1];
    const step = Math.max(1, Math.round((shardShape?.[axis] ?? side) / side));
    return [Math.floor(from / side / step) * step, Math.ceil(to / side), step];
  });
  const at = ranges.map(([first]) => first);
  for (let count = 0; count < maxObjects; count++) {
    array.invalidate(at);
    let axis = at.length - 1;
    for (; axis >= 0; axis--) {
      const [first, stop, step] = ranges[axis]!;
      at[axis] = at[axis]! + step;
      if (at[axis]! < stop) break;
      at[axis] = first;
    }
    if (axis < 0) return;
  }
}
