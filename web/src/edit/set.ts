/** Writes elements: `set`, `setChunk`, and `append`, which other programs may call at the same time. */

import { isConverted } from "../dtypes/elements.js";
import { ZarrArray } from "../hierarchy/array.js";
import { type Selection, slice } from "../plan/selection.js";
import { ArrayReader } from "../read/reader.js";
import { inTurn, isOutcomeUnknown, retryTransient } from "../store/concurrency.js";
import { requireWritable, supportsConditions } from "../store/write.js";
import { checkOptions } from "../util/arguments.js";
import {
  conflict,
  describeValue,
  invalidArgument,
  isZarrError,
  messageOf,
  networkError,
  withDetails,
} from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { poolEncoders } from "../workers/encode-work.js";
import {
  resolveRegion,
  resolveValues,
  type Values,
  type WrittenRegion,
  wholeChunk,
} from "../write/region.js";
import { type WriteRegionOptions as Writing, writeRegion } from "../write/write-region.js";
import { dropStatistics } from "./attributes.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { type SetOptions, setOptions } from "./options.js";
import { type AxesOf, appendsTo, changeShape, clearRegion, endOf, type ShapeChange } from "./resize.js";
import { elementsOf, isShortened, requireCurrent } from "./stored-array.js";

export async function set(
  array: ZarrArray,
  selection: Selection | undefined,
  values: unknown,
  options: SetOptions,
): Promise<void> {
  checkArray(array, "set");
  checkGiven(values, "set(array, selection, values)");
  await write(array, (reader) => resolveRegion(reader, selection), values, writingOptions(options));
}

export async function setChunk(
  array: ZarrArray,
  coordinates: readonly number[],
  values: unknown,
  options: SetOptions,
): Promise<void> {
  checkArray(array, "setChunk");
  checkGiven(values, "setChunk(array, coordinates, values)");
  const regionOf = (reader: ArrayReader) => {
    array.chunkKey(coordinates); // throws if there is no such chunk
    return wholeChunk(reader, coordinates);
  };
  await write(array, regionOf, values, writingOptions(options));
}

/** Writes a region, which is resolved once no other call is making the array shorter. */
async function write(
  array: ZarrArray,
  regionOf: (reader: ArrayReader) => WrittenRegion,
  values: unknown,
  options: Writing,
): Promise<void> {
  const { store, path } = array;
  const work = async () => {
    await requireCurrent(array, options.signal);
    const { reader } = array;
    await writeElements(array, reader, regionOf(reader), values, options);
    if (!(await isShortened(array, reader.spec.shape, options.signal))) return;
    const message = `another program has made the array at "/${path}" shorter: some elements may lie outside of it; its shape is now [${array.shape.join(", ")}]`;
    throw conflict(message);
  };
  await inTurn(store, elementsOf(path), options.signal, work, true);
}

async function writeElements(
  array: ZarrArray,
  reader: ArrayReader,
  region: WrittenRegion,
  given: unknown,
  options: Writing,
): Promise<void> {
  const { dtype, store } = array;
  requireWritable(store);
  const values: Values = resolveValues(dtype, reader.firstCodec.type === "vlen", region, given);
  if (countOf(region.counts) === 0) return;
  await dropStatistics(array, options.signal);
  await writeRegion(store, reader, region, values, options);
}

/** @throws InvalidArgument for values that do not fit a region of this shape. */
function checkValues({ dtype, reader }: ZarrArray, shape: readonly number[], given: unknown): void {
  const region = { shape, counts: shape, parts: [], hasLists: false };
  resolveValues(dtype, reader.firstCodec.type === "vlen", region, given);
}

function checkArray(array: unknown, what: string): void {
  if (!(array instanceof ZarrArray))
    throw invalidArgument(`${what} expects an array returned by open() or create()`);
}

/** @throws InvalidArgument if an argument before the values may have been forgotten. */
function checkGiven(values: unknown, call: string): void {
  if (values === undefined) throw invalidArgument(`values is required: ${call}`);
}

/**
 * Default of `concurrency`, without a pool and per worker. Workers encode up to 4 MiB of neighbouring chunks together;
 * with fewer chunks, they would wait while the calling thread gathers the next ones.
 */
const defaultConcurrency = 16;

function writingOptions(options: SetOptions): Writing {
  checkOptions(options, setOptions);
  const { signal, pool, conflicts = "retry", writeEmptyChunks = false, onProgress } = options;
  const most = defaultConcurrency * Math.max(1, pool?.size ?? 0);
  const { concurrency = most } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${describeValue(concurrency)}`);
  if (!["retry", "error", "ignore"].includes(conflicts))
    throw invalidArgument(`conflicts must be "retry", "error" or "ignore", not ${describeValue(conflicts)}`);
  if (typeof writeEmptyChunks !== "boolean")
    throw invalidArgument(`writeEmptyChunks must be true or false, not ${describeValue(writeEmptyChunks)}`);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, not ${describeValue(onProgress)}`);
  const encoders = pool && poolEncoders(pool);
  return { signal, concurrency, conflicts, writeEmptyChunks, onProgress, encoders };
}

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
    if (rows.to > rows.from) await writeRows(array, rows, values, writing);
    if (rows.isWritten) await updateConsolidated(array.store, array.zarrFormat, [array.path], signal);
  });
}

/** The appended elements: hyperplanes `from` (inclusive) to `to` (exclusive) along an axis. */
interface Rows {
  readonly along: number;
  readonly from: number;
  readonly to: number;
  readonly reader: ArrayReader;
  /** Whether the longer shape was written. */
  readonly isWritten: boolean;
}

/** Writes the longer shape, so that other programs append after the new elements. */
async function reserve(array: ZarrArray, values: unknown, along: number, writing: Writing): Promise<Rows> {
  let [from, to] = [0, 0];
  let { reader } = array;
  const change: ShapeChange = async (now, axesOf) => {
    const count = lengthOf(array, values, now, along);
    from = now[along]!;
    to = from + count;
    checkValues(array, withLength(now, along, count), values);
    reader = await readerBeyond(array, withLength(now, along, to), along, axesOf);
    return withLength(now, along, to);
  };
  const conflicts = writing.conflicts === "error" ? "error" : "retry"; // "ignore" concerns chunks
  const isWritten = await changeShape(array, { signal: writing.signal, conflicts }, change).catch((error) => {
    const place = `the array may be longer now, with fill value from ${from} to ${to - 1} along axis ${along}: `;
    throw isOutcomeUnknown(error) ? withDetails(error, {}, place) : error;
  });
  return { along, from, to, reader, isWritten };
}

/** Writes the values. The array is longer already, so transient failures and conflicts are retried. */
async function writeRows(array: ZarrArray, rows: Rows, values: unknown, writing: Writing): Promise<void> {
  const { store, path } = array;
  const { signal, conflicts } = writing;
  const { reader, along, from, to } = rows;
  const options = {
    ...writing,
    isAppend: true,
    conflicts: conflicts === "ignore" ? conflicts : "retry",
  } as const;
  const work = () => writeElements(array, reader, regionOf(rows), values, options);
  let isCut: boolean;
  try {
    await retryTransient(() => inTurn(store, elementsOf(path), signal, work, true));
    isCut = await isShortened(array, withLength(reader.spec.shape, along, to), signal);
  } catch (error) {
    throw signal?.aborted ? error : await withdrawn(array, rows, error);
  }
  if (!isCut) return;
  throw networkError(
    `another program has made the array shorter while elements ${from} to ${to - 1} along axis ${along} were appended`,
    { code: "unknown-outcome" },
  );
}

const regionOf = ({ reader, along, from, to }: Rows): WrittenRegion =>
  resolveRegion(
    reader,
    reader.spec.shape.map((_, axis) => (axis === along ? slice(from, to) : null)),
  );

/**
 * Undoes an append whose values could not be written, unless another program has changed the array's length
 * since.
 * @returns the error; if the append was not undone, Network ("unknown-outcome").
 */
async function withdrawn(array: ZarrArray, rows: Rows, error: unknown): Promise<unknown> {
  const { along, from, to, reader } = rows;
  let isLast = false;
  const change: ShapeChange = async (now) => {
    isLast = now[along] === to;
    if (!isLast) return now;
    // What prevented the write may prevent this as well, such as a full disk.
    await clearRegion(array.store, reader, regionOf(rows), undefined).catch(() => {});
    return withLength(now, along, from);
  };
  const isUndone = await changeShape(array, { signal: undefined }, change).then(
    () => isLast,
    () => false, // only the first error is reported
  );
  await updateConsolidated(array.store, array.zarrFormat, [array.path], undefined).catch(() => {});
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
