/** Changes the shape of arrays that other programs may resize or write at the same time. */

import { ZarrArray } from "../hierarchy/array.js";
import type { AxisGrid } from "../metadata/grid.js";
import { asArguments } from "../metadata/model.js";
import { ArrayReader } from "../read/reader.js";
import { inTurn, retryTransient } from "../store/concurrency.js";
import { joinKey } from "../store/store.js";
import { deleteObject, requireWritable } from "../store/write.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { describeValue, invalidArgument, withDetails } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { clearBeyond, clearStale, forEachCell } from "./clear-elements.js";
import { type ReplaceOptions, replaceDocument, updateConsolidated } from "./consolidated-metadata.js";
import type { ResizeOptions } from "./options.js";
import { type Cells, cellsCut, cellsOutside, cellsWithin } from "./resize-chunks.js";
import { elementsOf } from "./set.js";
import type { AxisResize } from "./stamps.js";
import { checkSame, isShorter, mainKeys, noteShortened, reshaper, shapeIn } from "./stored-array.js";
import type { ReadDocument } from "./target.js";

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
  await inTurn(store, appendsTo(path), signal, () =>
    inTurn(store, elementsOf(path), signal, () => new Resizing(array, wanted, options).run()),
  );
}

/** Turn key of calls that change a shape. They also take the turns of the document and of the elements. */
export const appendsTo = (path: string): string => `${path} append`;

/**
 * Maximum attempts to write a shape. Many, because a failure may leave an array without some of its chunks.
 */
const maxAttempts = 100;

/**
 * One call of `resize`. Chunks are deleted before the smaller shape is written, and the shape is written on
 * the condition that no other program has changed it since it was read. Once it is written, other programs
 * may append and write chunks with the same keys, and deleting these would lose data.
 */
class Resizing {
  /** Ends of the last stored objects of the new shape, and the grid of the current shape. */
  #ends: readonly number[] = [];
  #axes: readonly AxisGrid[] = [];
  #reader!: ArrayReader;
  /** The grid whose objects were deleted by an earlier attempt, and the ends up to which edges were cleared. */
  #deleted: readonly AxisGrid[] | undefined;
  #cleared = "";

  constructor(
    private readonly array: ZarrArray,
    private readonly wanted: readonly number[],
    private readonly options: ResizeOptions,
  ) {}

  async run(): Promise<void> {
    const { array, wanted } = this;
    const { signal } = this.options;
    const change = (now: readonly number[], axesOf: AxesOf) => this.#prepare(now, axesOf);
    const written = await changeShape(array, { signal, attempts: maxAttempts, isResize: true }, change);
    await publish(array, written, signal);
    // Another program may have checked the old shape and then written a chunk after its deletion.
    if (array.store.conditional !== true || !this.#axes.some(({ length }, i) => length > wanted[i]!)) return;
    const { outside, cut } = this.#cells();
    try {
      await clearStale(array, this.#reader, outside, signal);
      await clearStale(array, this.#reader, cut, signal);
    } catch (error) {
      throw withDetails(
        error,
        {},
        "the shape is written, but stored objects beyond it could not be cleared: ",
      );
    }
  }

  /** Removes elements beyond the new shape. */
  async #prepare(now: readonly number[], axesOf: AxesOf): Promise<readonly number[]> {
    const { array, wanted } = this;
    const { store, path, spec, limits } = array;
    const { signal, edges } = this.options;
    await axesOf(wanted); // throws for a shape that the array cannot have, before anything is deleted
    this.#axes = await axesOf(now);
    const ends = edges === "keep" ? wanted : endsOf(this.#axes, wanted);
    this.#ends = ends;
    const lengths = ends.map((end, axis) => Math.max(end, now[axis]!));
    const reader = new ArrayReader(
      store,
      path,
      { ...spec, shape: lengths, axes: await axesOf(lengths) },
      limits,
    );
    this.#reader = reader;
    const { outside, cut } = this.#cells();
    // Edges first: a chunk that cannot be decoded ends the call before anything is deleted.
    const isCleared = this.#cleared === ends.join();
    const clear = (cell: readonly number[]) => clearBeyond(store, reader, cell, wanted, { signal });
    if (!isCleared) await forEachCell(cut, (cell) => retryTransient(() => clear(cell)));
    this.#cleared = ends.join();
    await deleteCells(array, this.#deleted ? newCells(outside, this.#deleted) : outside, signal);
    this.#deleted = this.#axes;
    return wanted;
  }

  /**
   * Returns the objects outside of the new shape, and the objects with elements on both sides of its border.
   */
  #cells(): { readonly outside: Cells; readonly cut: Cells } {
    const { array, wanted } = this;
    const { signal } = this.options;
    return {
      outside: cellsOutside(array, this.#axes, wanted, signal),
      cut: cellsCut(array, this.#axes, wanted, this.#ends, signal),
    };
  }
}

/** Yields cells that a smaller grid lacks, and its last ones, to which other programs may have appended. */
async function* newCells(cells: Cells, before: readonly AxisGrid[]): AsyncGenerator<number[]> {
  for await (const cell of cells) if (cell.some((at, axis) => at >= before[axis]!.count - 1)) yield cell;
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
  read: ReadDocument,
) => readonly number[] | Promise<readonly number[]>;

interface ShapeOptions extends ReplaceOptions {
  /**
   * Whether to stamp the document as resized, because the change may affect elements that other programs are
   * appending. Default: false.
   */
  readonly isResize?: boolean;
}

/**
 * Writes another shape of an array and updates its handle. The same shape is not written.
 * @returns the document for {@link publish}; undefined if none was written.
 * @throws NotFound, InvalidArgument; the errors of `change` and of {@link replaceDocument}.
 */
export async function changeShape(
  array: ZarrArray,
  { isResize = false, ...options }: ShapeOptions,
  change: ShapeChange,
): Promise<JsonObject | undefined> {
  const { store, path, zarrFormat } = array;
  const key = mainKeys[zarrFormat];
  const toError = (error: Error) =>
    invalidArgument(`the array cannot have this shape: ${error.message}`, { cause: error });
  let wanted: readonly number[] = array.shape;
  let axes: readonly AxisGrid[] = array.spec.axes;
  let resizes: readonly AxisResize[] = [];
  let isCut = false;
  let written: JsonObject | undefined;
  const changeDocument = async (object: JsonObject | undefined, read: ReadDocument | undefined) => {
    const now = shapeIn(object, path);
    const reshaped = await reshaper(array, object!, options.signal);
    const shaped = (lengths: readonly number[]) => asArguments(() => reshaped(lengths), toError);
    checkSame(array, (await shaped(now)).spec, read!.stamps);
    wanted = await change(now, async (lengths) => (await shaped(lengths)).spec.axes, read!);
    const resized = await shaped(wanted);
    axes = resized.spec.axes;
    isCut = isShorter(wanted, now);
    if (isResize) resizes = wanted.flatMap((to, axis) => (to === now[axis]! ? [] : [{ axis, to }]));
    written = wanted.join() === now.join() ? undefined : resized.documents.get(key)!;
    return written;
  };
  await replaceDocument(store, path, key, changeDocument, { ...options, resizes: () => resizes });
  if (isCut) noteShortened(store, path);
  // The codecs stay as opened (v1Order, checksums): only the lengths along the axes are new.
  array.adopt({ ...array.spec, shape: [...wanted], axes });
  return written;
}

/** Updates consolidated metadata with an array's document. */
export async function publish(
  { store, path, zarrFormat }: ZarrArray,
  written: JsonObject | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!written) return;
  const changes = [{ path, documents: new Map([[mainKeys[zarrFormat], written]]), isShared: true }];
  await updateConsolidated(store, zarrFormat, changes, { signal });
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

/** Deletes stored objects. @throws the first error, once no deletion is in flight. */
export async function deleteCells(
  { store, path, spec }: ZarrArray,
  cells: Cells,
  signal: AbortSignal | undefined,
): Promise<void> {
  const remove = (cell: readonly number[]) =>
    deleteObject(store, joinKey(path, spec.chunkKey(cell)), { signal });
  await forEachCell(cells, (cell) => retryTransient(() => remove(cell)));
}

function checkShape(shape: unknown, rank: number): number[] {
  const valid = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= 0;
  if (!Array.isArray(shape) || shape.length !== rank || !Array.from(shape).every(valid)) {
    throw invalidArgument(`shape must be a list of ${rank} non-negative integers`);
  }
  return [...shape];
}
