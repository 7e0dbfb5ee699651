/** Reads parts of an open array again after a program has changed them. */
import { effect } from "@preact/signals-core";
import type { ZarrArray } from "zarr-wasm";
import { text } from "../language/text.js";
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
 * @throws RangeError for a selection with more entries than dimensions, an index out of range, or too many objects
 */
export async function refresh(
  model: ViewerModel,
  controller: ViewController,
  selection: RefreshSelection = [],
): Promise<void> {
  const { dataset } = model;
  const { plane, status, volume } = controller;
  if (!dataset) return;
  expire(model, controller, selection);
  status.begin();
  plane.view?.retry();
  volume.view?.retry();
  await settled(model);
  if (model.dataset !== dataset || model.activity.peek() !== "ready") return;
  await showNumbers(model, controller);
  await settled(model);
}

/** Reads the arrays in memory of a dataset again, and draws them. */
export async function drawAgain(model: ViewerModel, controller: ViewController): Promise<void> {
  if (!model.view) return;
  expire(model, controller, [null]);
  await showNumbers(model, controller);
}

/** Finds histograms and automatic limits from the new values. */
function showNumbers(model: ViewerModel, controller: ViewController): Promise<void> {
  for (const { ranges } of [controller.plane, controller.volume])
    ranges.begin([], { isPerSlice: false, isCommon: false });
  return controller.apply(model.settings.peek()!, "refresh");
}

/** Drops the bytes and blocks of a selection; blocks stay in the picture until they have been read again. */
function expire(model: ViewerModel, { plane, volume }: ViewController, selection: RefreshSelection): void {
  const dataset = model.dataset!;
  const bounds = boundsOf(
    selection,
    dataset.axes.map(({ length }) => length),
  );
  const changed = new Map(
    dataset.levels.flatMap((level) =>
      level.array ? [[arrayId(level.array), levelBounds(bounds, level, level.array)] as const] : [],
    ),
  );
  const dropping = dataset.levels.flatMap(({ array }) =>
    array ? [invalidation(array, changed.get(arrayId(array))!)] : [],
  );
  for (const drop of dropping) drop();
  // Added layers and labels are read again as a whole.
  const layers = selection.length > 0 ? [] : [...plane.layers, ...volume.layers];
  const levels = layers.flatMap((layer) => layer.dataset.levels);
  const others = new Set(levels.flatMap(({ array }) => (array ? [arrayId(array)] : [])));
  const idOf = (key: string) => Number(key.slice(0, key.indexOf(" ")));
  acquire().scheduler.expire(
    ({ key, start, region: { shape } }) => {
      const part = changed.get(idOf(key));
      if (!part) return others.has(idOf(key));
      return part.every(([from, to], axis) => start[axis]! < to && start[axis]! + shape[axis]! > from);
    },
    (key) => changed.has(idOf(key)) || others.has(idOf(key)),
  );
  release();
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

/**
 * Returns a function that drops cached bytes and indexes of shards.
 * @throws RangeError for too many objects
 */
function invalidation(array: ZarrArray, bounds: readonly Bounds[]): () => void {
  const { shape, shardShape, chunkShape, gridShape } = array;
  const lists = bounds.map(([from, to], axis) => {
    const side = chunkShape[axis]!;
    // Chunks of different lengths.
    const isEven = Math.ceil(shape[axis]! / side) === gridShape[axis];
    const step = isEven ? Math.max(1, Math.round((shardShape?.[axis] ?? side) / side)) : 1;
    const first = isEven ? Math.floor(from / side / step) * step : 0;
    const count = Math.ceil(((isEven ? Math.ceil(to / side) : gridShape[axis]!) - first) / step);
    return { first, step, count: from < to ? count : 0 };
  });
  const total = lists.reduce((product, { count }) => product * count, 1);
  if (total > maxObjects) throw new RangeError(text.refresh.tooMany(total, maxObjects));
  return () => {
    for (let i = 0; i < total; i++) {
      let rest = i;
      const at = lists.map(() => 0);
      for (let axis = at.length - 1; axis >= 0; axis--) {
        const { count, first, step } = lists[axis]!;
        at[axis] = first + (rest % count) * step;
        rest = Math.floor(rest / count);
      }
      array.invalidate(at);
    }
  };
}
