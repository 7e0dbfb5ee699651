/** Changes the shape of arrays, and clears the elements outside of it. */

import { ZarrArray } from "../hierarchy/array.js";
import type { AxisGrid } from "../metadata/grid.js";
import { asArguments } from "../metadata/model.js";
import { type Slice, slice } from "../plan/selection.js";
import { ArrayReader } from "../read/reader.js";
import { inTurn, retryTransient } from "../store/concurrency.js";
import { inParallel } from "../store/deletion.js";
import { joinKey, type Store } from "../store/store.js";
import { deleteObject, requireWritable } from "../store/write.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { repeated } from "../util/buffers.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { resolveRegion, type Values, type WrittenRegion } from "../write/region.js";
import { writeRegion } from "../write/write-region.js";
import { dropStatistics } from "./attributes.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { type ReadDocument, type ReplaceOptions, replaceDocument } from "./documents.js";
import type { ResizeOptions } from "./options.js";
import {
  checkSame,
  elementsOf,
  isShorter,
  mainKeys,
  noteChanged,
  reshaper,
  shapeIn,
} from "./stored-array.js";
import { type Cells, cellsCut, cellsOutside, cellsWithin } from "./stored-objects.js";

export async function resize(
  array: ZarrArray,
  shape: readonly number[],
  options: ResizeOptions,
): Promise<void> {
  checkOptions(options, { ...sharedOptions, edges: true });
  const { signal, edges = "clear" } = options;
  if (!(array instanceof ZarrArray))
    throw invalidArgument("resize expects an array returned by open() or create()");
  if (edges !== "clear" && edges !== "keep")
    throw invalidArgument(`edges must be "clear" or "keep", not ${describeValue(edges)}`);
  const wanted = checkShape(shape, array.shape.length);
  const { store, path } = array;
  requireWritable(store);
  const change = async (now: readonly number[], axesOf: AxesOf) => {
    await axesOf(wanted); // throws for a shape that the array cannot have, before anything is deleted
    await clearOutside(array, now, wanted, axesOf, options);
    return wanted;
  };
  const work = async () => {
    await dropStatistics(array, signal);
    if (await changeShape(array, { signal }, change))
      await updateConsolidated(store, array.zarrFormat, [path], signal);
  };
  await inTurn(store, appendsTo(path), signal, () => inTurn(store, elementsOf(path), signal, work));
}

/** Turn key of calls that change a shape. They also take the turns of the document and of the elements. */
export const appendsTo = (path: string): string => `${path} append`;

/**
 * Removes elements outside of a smaller shape. This happens before the shape is written, on the condition that
 * no other program has changed it: once it is written, other programs may append to the same objects.
 */
async function clearOutside(
  array: ZarrArray,
  now: readonly number[],
  wanted: readonly number[],
  axesOf: AxesOf,
  { signal, edges }: ResizeOptions,
): Promise<void> {
  const { store, path, spec, limits } = array;
  const axes = await axesOf(now);
  const ends = edges === "keep" ? wanted : endsOf(axes, wanted);
  const lengths = ends.map((end, axis) => Math.max(end, now[axis]!));
  const longer = { ...spec, shape: lengths, axes: await axesOf(lengths) };
  const reader = new ArrayReader(store, path, longer, limits);
  const outside = cellsOutside(array, axes, wanted, signal);
  const clear = async (cell: readonly number[]) => {
    for (const box of boxesBeyond(reader, cell, wanted))
      await clearRegion(store, reader, resolveRegion(reader, box), signal);
  };
  // Edges first: a chunk that cannot be decoded ends the call before anything is deleted.
  const cut = cellsCut(array, axes, wanted, ends, signal);
  await inParallel(cut, (cell) => retryTransient(() => clear(cell)), signal);
  await deleteCells(array, outside, signal);
}

/**
 * Returns the end of the last stored object of a smaller shape along each axis, or the length if it does not
 * shrink.
 */
function endsOf(axes: readonly AxisGrid[], shape: readonly number[]): number[] {
  return shape.map((length, i) => (length < axes[i]!.length ? endOf(axes[i]!, length) : length));
}

/** Returns the end of the last stored object that has elements within a length. */
export function endOf(axis: AxisGrid, length: number): number {
  if (length === 0) return 0;
  const last = cellsWithin(axis, length) - 1;
  return axis.start(last) + axis.size(last);
}

/**
 * Returns one box of a stored object per axis along which elements lie beyond the shape. An element in two
 * boxes counts for the first.
 */
function boxesBeyond(
  { objectAxes, spec }: ArrayReader,
  cell: readonly number[],
  shape: readonly number[],
): Slice[][] {
  const starts = cell.map((at, axis) => objectAxes[axis]!.start(at));
  const ends = cell.map((at, axis) =>
    Math.min(starts[axis]! + objectAxes[axis]!.size(at), spec.shape[axis]!),
  );
  const borders = shape.map((length, axis) => Math.max(starts[axis]!, Math.min(length, ends[axis]!)));
  const boxes = shape.map((_, cut) =>
    starts.map((start, axis) => {
      if (axis === cut) return slice(borders[axis]!, ends[axis]!);
      return slice(start, axis < cut ? borders[axis]! : ends[axis]!);
    }),
  );
  return boxes.filter((box) => box.every(({ start, stop }) => start! < stop!));
}

/** Writes the fill value to a region. Stored objects that it covers are deleted; missing ones stay missing. */
export async function clearRegion(
  store: Store,
  reader: ArrayReader,
  region: WrittenRegion,
  signal: AbortSignal | undefined,
): Promise<void> {
  await writeRegion(store, reader, region, fillValues(reader, region.counts), {
    signal,
    concurrency: 1,
    conflicts: "retry",
    writeEmptyChunks: false,
    onProgress: undefined,
    encoders: undefined,
    clears: true,
  });
}

/** Returns the fill value for a whole region, bit for bit. */
function fillValues({ firstCodec, spec }: ArrayReader, counts: readonly number[]): Values {
  const { dtype, fill } = spec;
  const strides = counts.map(() => 0);
  const row = counts.at(-1)!;
  if (firstCodec.type === "vlen")
    return {
      content: new Array<unknown>(row).fill(firstCodec.missing()[0]),
      width: 1,
      strides,
      isScalar: true,
    };
  const content = repeated(fill.item, row * dtype.itemBytes);
  return { content, width: dtype.itemBytes, strides, isScalar: true };
}

/** Deletes stored objects. @throws the first error, once no deletion is in flight. */
export async function deleteCells(
  { store, path, spec }: ZarrArray,
  cells: Cells,
  signal: AbortSignal | undefined,
): Promise<void> {
  const remove = (cell: readonly number[]) =>
    deleteObject(store, joinKey(path, spec.chunkKey(cell)), { signal });
  await inParallel(cells, (cell) => retryTransient(() => remove(cell)), signal);
}

/**
 * Returns the grid of an array with other lengths. @throws InvalidArgument for lengths that it does not
 * cover.
 */
export type AxesOf = (lengths: readonly number[]) => Promise<readonly AxisGrid[]>;

/** Returns the new shape; called again if another program has changed the document since it was read. */
export type ShapeChange = (
  now: readonly number[],
  axesOf: AxesOf,
) => readonly number[] | Promise<readonly number[]>;

/**
 * Writes another shape of an array and updates its handle. The same shape is not written.
 * @returns whether it was written, so that consolidated metadata must be updated.
 * @throws NotFound, InvalidArgument; the errors of `change` and of {@link replaceDocument}.
 */
export async function changeShape(
  array: ZarrArray,
  options: ReplaceOptions,
  change: ShapeChange,
): Promise<boolean> {
  const { store, path, zarrFormat } = array;
  const key = mainKeys[zarrFormat];
  const toError = (error: Error) =>
    invalidArgument(`the array cannot have this shape: ${error.message}`, { cause: error });
  let wanted: readonly number[] = array.shape;
  let axes: readonly AxisGrid[] = array.spec.axes;
  let [isCut, isWritten] = [false, false];
  const changeDocument = async (object: JsonObject | undefined, read: ReadDocument | undefined) => {
    const now = shapeIn(object, path);
    const reshaped = await reshaper(array, object!, options.signal);
    const shaped = (lengths: readonly number[]) => asArguments(() => reshaped(lengths), toError);
    checkSame(array, (await shaped(now)).spec, read!.stamps);
    wanted = await change(now, async (lengths) => (await shaped(lengths)).spec.axes);
    const resized = await shaped(wanted);
    axes = resized.spec.axes;
    isCut = isShorter(wanted, now);
    isWritten = wanted.join() !== now.join();
    return isWritten ? resized.documents.get(key) : undefined;
  };
  await replaceDocument(store, path, key, changeDocument, options);
  if (isCut) noteChanged(store, path);
  // The codecs stay as opened (v1Order, checksums): only the lengths along the axes are new.
  array.adopt({ ...array.spec, shape: [...wanted], axes });
  return isWritten;
}

function checkShape(shape: unknown, rank: number): number[] {
  const valid = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= 0;
  if (!Array.isArray(shape) || shape.length !== rank || !Array.from(shape).every(valid)) {
    throw invalidArgument(`shape must be a list of ${rank} non-negative integers`);
  }
  return [...shape];
}
