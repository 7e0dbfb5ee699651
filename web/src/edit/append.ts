/** Appends values to arrays that other programs may append to or resize at the same time. */

import { isConverted } from "../dtypes/elements.js";
import { ZarrArray } from "../hierarchy/array.js";
import { slice } from "../plan/selection.js";
import { ArrayReader } from "../read/reader.js";
import { inTurn, isOutcomeUnknown, retryTransient } from "../store/concurrency.js";
import { requireWritable, supportsConditions } from "../store/write.js";
import {
  describeValue,
  invalidArgument,
  isZarrError,
  messageOf,
  networkError,
  withDetails,
} from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { countOf } from "../util/shapes.js";
import { resolveRegion, type WrittenRegion } from "../write/region.js";
import type { WriteRegionOptions as Writing } from "../write/write-region.js";
import { cellsOf, clearStale } from "./clear-elements.js";
import type { SetOptions } from "./options.js";
import { type AxesOf, appendsTo, changeShape, endOf, publish, type ShapeChange } from "./resize.js";
import { checkValues, writeIn, writingOptions } from "./set.js";
import { resizedLength, type Stamps } from "./stamps.js";
import { storedShape } from "./stored-array.js";

export async function append(
  array: ZarrArray,
  values: unknown,
  axis: number,
  options: SetOptions,
): Promise<void> {
  if (!(array instanceof ZarrArray))
    throw invalidArgument("append expects an array returned by open() or create()");
  const rank = array.shape.length;
  if (!Number.isSafeInteger(axis) || axis < -rank || axis >= rank)
    throw invalidArgument(
      `the axis must be an integer from ${-rank} to ${rank - 1}, not ${describeValue(axis)}: append(array, values, axis, options)`,
    );
  requireWritable(array.store);
  const writing = writingOptions(options);
  const along = axis < 0 ? axis + rank : axis;
  const { signal } = writing;
  await inTurn(array.store, appendsTo(array.path), signal, async () => {
    const rows = await reserve(array, values, along, writing);
    if (rows.to > rows.from) await writeRows(array, rows, writing);
    await publish(array, rows.written, signal);
  });
}

/** The appended elements: hyperplanes `from` (inclusive) to `to` (exclusive) along an axis. */
interface Rows {
  readonly along: number;
  readonly from: number;
  readonly to: number;
  readonly values: unknown;
  readonly reader: ArrayReader;
  /** Stamps of the document that the longer shape replaced. */
  readonly stamps: Stamps;
  /** The array's new document. */
  readonly written: JsonObject | undefined;
}

/** Writes the longer shape, so that other programs append after the new elements. */
async function reserve(array: ZarrArray, values: unknown, along: number, writing: Writing): Promise<Rows> {
  let [from, to] = [0, 0];
  let reader = array.reader;
  let stamps: Stamps = [];
  const change: ShapeChange = async (now, axesOf, read) => {
    const count = lengthOf(array, values, now, along);
    from = now[along]!;
    to = from + count;
    ({ stamps } = read);
    const longer = withLength(now, along, to);
    checkValues(array, withLength(now, along, count), values);
    reader = await readerBeyond(array, longer, along, axesOf);
    return longer;
  };
  const written = await changeShape(array, writing, change).catch((error) => {
    const place = `the array may be longer now, with fill value from ${from} to ${to - 1} along axis ${along}: `;
    throw isOutcomeUnknown(error) ? withDetails(error, {}, place) : error;
  });
  return { along, from, to, values, reader, stamps, written };
}

/**
 * Writes the values. If another program makes the array shorter during the write, the result is as if it did
 * so afterwards: elements that it cuts off are not written, or are cleared again.
 */
async function writeRows(array: ZarrArray, all: Rows, writing: Writing): Promise<void> {
  const { signal, conflicts } = writing;
  const { reader, along } = all;
  const isShared = array.store.conditional === true;
  let rows = all;
  const recheck = isShared && conflicts !== "ignore" ? () => keptShape(array, rows, signal) : undefined;
  // The array is already longer, so a conflict in a chunk that other programs also write must not end the
  // call.
  const options = { ...writing, recheck, conflicts: conflicts === "ignore" ? conflicts : "retry" } as const;
  for (;;) {
    try {
      await retryTransient(() => writeIn(array, reader, regionOf(rows), rows.values, options));
      if (!isShared) return;
      const shape = await keptShape(array, rows, signal);
      const wanted = withLength(reader.spec.shape, along, all.to);
      if (wanted.every((length, axis) => length <= shape[axis]!)) return;
      await clearStale(array, reader, cellsOf(reader, regionOf(all)), signal);
      await changeShape(array, { signal }, (now) => now); // updates the handle
      return;
    } catch (error) {
      if (!(error instanceof Shortened)) throw signal?.aborted ? error : await withdrawn(array, all, error);
      rows = shortened(rows, error);
    }
  }
}

const regionOf = ({ reader, along, from, to }: Rows): WrittenRegion =>
  resolveRegion(
    reader,
    reader.spec.shape.map((_, axis) => (axis === along ? slice(from, to) : null)),
  );

/** Thrown if another program has cut off elements while they are appended. */
class Shortened {
  constructor(
    readonly to: number,
    readonly stamps: Stamps,
  ) {}
}

/**
 * Returns the stored shape if the elements still belong to this call.
 * @throws Shortened if other programs have cut off some of them; Network ("unknown-outcome") if that is
 *   unknown.
 */
async function keptShape(
  array: ZarrArray,
  { along, from, to, stamps }: Rows,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const now = await storedShape(array, signal);
  const length = now.shape[along]!;
  const resized = length <= from ? length : resizedLength(stamps, now.stamps, along);
  if (resized === undefined)
    throw networkError("other programs have resized the array more than once while values were appended", {
      code: "unknown-outcome",
    });
  const kept = Math.max(from, Math.min(length, resized));
  if (kept < to) throw new Shortened(kept, now.stamps);
  return now.shape;
}

/** Returns the elements that were not cut off, with their values. */
function shortened(rows: Rows, { to, stamps }: Shortened): Rows {
  const { along, from, reader, values } = rows;
  const counts = withLength(reader.spec.shape, along, rows.to - from);
  return { ...rows, to, stamps, values: firstOf(values, counts, along, to - from) };
}

/** Returns the first elements along an axis, of values in C order. */
function firstOf(values: unknown, shape: readonly number[], along: number, count: number): unknown {
  const { data = values } = values as { data?: unknown };
  const list = data as { length: number; slice(from: number, to: number): Iterable<unknown> };
  const inner = (list.length / countOf(shape)) * countOf(shape.slice(along + 1));
  const parts = Array.from({ length: countOf(shape.slice(0, along)) }, (_, outer) => {
    const start = outer * inner * shape[along]!;
    return [...list.slice(start, start + count * inner)];
  });
  const all = parts.flat();
  return ArrayBuffer.isView(data) ? (data.constructor as ArrayConstructor).from(all) : all;
}

/**
 * Undoes an append whose values could not be written, unless another program has changed the array's length
 * since.
 * @returns the error; if the append was not undone, Network ("unknown-outcome").
 */
async function withdrawn(array: ZarrArray, rows: Rows, error: unknown): Promise<unknown> {
  const { along, from, to, reader } = rows;
  let [isLast, isUndone] = [false, false];
  const change: ShapeChange = (now, _, { stamps }) => {
    isLast = now[along] === to && resizedLength(rows.stamps, stamps, along) === Number.POSITIVE_INFINITY;
    return isLast ? withLength(now, along, from) : now;
  };
  try {
    await changeShape(array, { signal: undefined }, change);
    isUndone = isLast;
    if (isUndone) await clearStale(array, reader, cellsOf(reader, regionOf(rows)), undefined);
  } catch {
    // Only the first error is reported.
  }
  await publish(array, rows.written, undefined).catch(() => {});
  if (isUndone) return withDetails(error, {}, "nothing was appended: ");
  const message = `elements ${from} to ${to - 1} along axis ${along} may be fill value: ${messageOf(error)}`;
  const { status, chunkKey } = isZarrError(error) ? error : {};
  return networkError(message, { code: "unknown-outcome", status, chunkKey, cause: error });
}

const withLength = (shape: readonly number[], along: number, length: number): number[] =>
  shape.map((other, axis) => (axis === along ? length : other));

/**
 * Returns a reader whose last chunks along the axis extend to their full length, if the store supports
 * conditions: other programs may append to these chunks, so the values do not cover them.
 */
async function readerBeyond(
  { store, path, spec, limits }: ZarrArray,
  shape: readonly number[],
  along: number,
  axesOf: AxesOf,
): Promise<ArrayReader> {
  const axes = await axesOf(shape);
  const isShared = supportsConditions(store);
  const lengths = isShared ? withLength(shape, along, endOf(axes[along]!, shape[along]!)) : shape;
  return new ArrayReader(store, path, { ...spec, shape: lengths, axes: await axesOf(lengths) }, limits);
}

/** Returns the number of hyperplanes in the values. @throws InvalidArgument if it is not an integer. */
function lengthOf({ dtype }: ZarrArray, values: unknown, shape: readonly number[], along: number): number {
  const others = shape.filter((_, i) => i !== along);
  const region = values as { data?: unknown; shape?: unknown } | null;
  if (!ArrayBuffer.isView(values) && Array.isArray(region?.shape)) {
    const given = region.shape as readonly number[];
    const fits =
      given.length === shape.length && given.every((length, i) => i === along || length === shape[i]);
    if (fits) return given[along]!;
    throw invalidArgument(
      `values of shape [${given}] cannot be appended to shape [${shape}] along axis ${along}`,
    );
  }
  const list = values as { length?: number; byteLength?: number };
  const isList = Array.isArray(values) || ArrayBuffer.isView(values);
  const elements =
    isConverted(dtype) || !ArrayBuffer.isView(values) ? list?.length : list.byteLength! / dtype.itemBytes;
  const count = (elements ?? Number.NaN) / countOf(others);
  if (isList && Number.isSafeInteger(count)) return count;
  if (!isList)
    throw invalidArgument(
      `append expects a typed array, a list of elements or a region with its shape, got ${describeValue(values)}`,
    );
  const each = `${countOf(others)} elements${others.length > 1 ? ` (${others.join(" × ")})` : ""}`;
  throw invalidArgument(
    `append along axis ${along} requires a multiple of ${each}, or a region with its shape; got ${elements} elements`,
  );
}
