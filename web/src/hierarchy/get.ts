/** Reading regions of arrays. */

import { invalidArgument, isZarrError, limitExceeded, withDetails } from "../base/errors.js";
import { countOf, stridesOf } from "../base/strides.js";
import { boxPlan, type CoreLeaf, type VlenLeaf } from "../chain/layout.js";
import type { DType } from "../dtypes/dtype.js";
import {
  checkElements,
  checkValues,
  type ElementData,
  isConverted,
  readElements,
  toBytes,
  toElements,
} from "../dtypes/elements.js";
import { missingValue } from "../dtypes/fill-value.js";
import { packStrings } from "../dtypes/strings.js";
import type { Plan } from "../engine/plan.js";
import { type AssembleOptions, assemble, type Progress } from "../region/assemble/assemble.js";
import { isNativePlan, NativeSink } from "../region/assemble/native.js";
import { ResultBytes } from "../region/assemble/result.js";
import type { Sink } from "../region/assemble/sink.js";
import { type PlanSource, SlabSink } from "../region/assemble/slabs.js";
import type { RegionTask } from "../region/assemble/task.js";
import { VlenSink } from "../region/assemble/vlen.js";
import { defaultCoalescing } from "../region/fetch/reader.js";
import { type AxisPicks, pickCount, pickElements, picksOf } from "../region/selection/orthogonal.js";
import { checkPriority, type Priority } from "../region/selection/priority.js";
import type { Projection } from "../region/selection/projections.js";
import { resolveSelection, type Selection } from "../region/selection/selection.js";
import type { WorkerPool } from "../workers/pool.js";
import { type Region, ZarrArray } from "./array.js";

export interface ReadOptions {
  /** Aborts the read: requests are cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Most chunks (or merged ranges of shards) that are fetched at a time. Default 16. */
  concurrency?: number | undefined;
  /**
   * Which chunks are read first: "centre", those nearest to the centre of the selection, or those to which a function
   * of their coordinates (as `getChunk` takes them) gives the least numbers. Each chunk is then put into `out` as it
   * comes. Default: C order, and as many chunks at a time as are copied best.
   */
  priority?: Priority | undefined;
  /** Called after every chunk. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Workers that decode the chunks. Default: the calling thread does. */
  pool?: WorkerPool | undefined;
  /** The result is backed by a SharedArrayBuffer. */
  useSharedArrayBuffer?: boolean | undefined;
  /** Inner chunks of a shard that lie at most this many bytes apart are read with one request. Default 1 MiB. */
  coalesceMaxGap?: number | undefined;
  /** Most bytes of such a request. Default 16 MiB. */
  coalesceMaxBytes?: number | undefined;
}

export interface ReadIntoOptions extends ReadOptions {
  /** The caller's typed array (or list, for types of variable length) to fill instead of a new one, of the result's length. */
  out?: ElementData | unknown[] | undefined;
}

/** A region as raw element bytes: C order, little-endian, packed. */
export interface BytesRegion {
  readonly bytes: Uint8Array;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

const defaultConcurrency = 16;

/**
 * Reads a region.
 *
 * @param selection one entry per dimension: an index (which drops the dimension), a `slice`, a list of
 *   indices or booleans, or null for all of it; "..." for as many nulls as fit; trailing entries may be left
 *   out; or an object with entries by dimension name; null means everything.
 * @returns elements in C order; with indices only, the shape is [] and `data` has one element. Types of
 *   variable length come as a list: `get<string[]>(…)`.
 * @throws InvalidSelection, InvalidArgument, LimitExceeded before anything is read; Network, CorruptChunk
 *   and others naming the chunk's key; the signal's reason when aborted. Nothing is returned then.
 */
export async function get<D extends ElementData | readonly unknown[] = ElementData>(
  array: ZarrArray,
  selection?: Selection,
  options: ReadIntoOptions = {},
): Promise<Region<D>> {
  const wanted = resolve(array, selection);
  const { dtype } = array;
  const { shape } = wanted;
  const data = dtype.isVariable
    ? await readValues(array, wanted, options)
    : await readElementData(array, wanted, options as ReadIntoOptions & { out?: ElementData });
  return { data: data as D, shape, stride: stridesOf(shape), dtype };
}

/** Like {@link get}, as raw element bytes: for data types that JavaScript has no numbers for, and for writing files. */
export async function getBytes(
  array: ZarrArray,
  selection?: Selection,
  options: ReadOptions = {},
): Promise<BytesRegion> {
  const wanted = resolve(array, selection);
  const { dtype } = array;
  if (dtype.isVariable)
    throw invalidArgument(`elements of data type ${dtype} have no fixed number of bytes; use get`);
  const result = newBytes(array, countOf(wanted.shape), options);
  await readInto(array, wanted, result, options);
  return { bytes: result.bytes, shape: wanted.shape, dtype };
}

/** A selection, resolved: what to read, and what to pick from that. */
interface Wanted {
  readonly shape: readonly number[];
  readonly axes: readonly AxisPicks[];
}

function resolve(array: ZarrArray, selection: Selection | undefined): Wanted {
  if (!(array instanceof ZarrArray)) throw invalidArgument("get needs an array that was opened with open()");
  const ranges = resolveSelection(selection, array.shape, array.dimensionNames);
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  // Before lists of chunks are made:
  checkSize(countOf(shape) * (array.dtype.itemBytes || 8), array);
  checkChunks(countOf(ranges.map((range, axis) => pickCount(range, array.reader.axes[axis]!))), array);
  return { shape, axes: ranges.map((range, axis) => picksOf(range, array.reader.axes[axis]!)) };
}

const projectionsOf = ({ axes }: Wanted): readonly (readonly Projection[])[] =>
  axes.map((axis) => axis.projections);
const hasLists = ({ axes }: Wanted): boolean => axes.some((axis) => axis.picks !== undefined);
const readCount = ({ axes }: Wanted): number => countOf(axes.map((axis) => axis.length));

async function readElementData(
  array: ZarrArray,
  wanted: Wanted,
  options: ReadOptions & { out?: ElementData },
): Promise<ElementData> {
  const { dtype } = array;
  const { out } = options;
  const count = countOf(wanted.shape);
  if (out !== undefined) checkElements(dtype, out, count, "out");
  // Types that are handed out in another form than they are stored in are put together as stored first.
  const direct = out !== undefined && !isConverted(dtype);
  const given = direct ? toBytes(dtype, out) : undefined;
  const result = given ? new ResultBytes(given.byteLength, given) : newBytes(array, count, options);
  await readInto(array, wanted, result, options);
  if (direct) return out;
  if (out === undefined) return toElements(dtype, result.bytes);
  readElements(dtype, result.bytes, out);
  return out;
}

/** Reads the stored bytes of a selection. */
async function readInto(
  array: ZarrArray,
  wanted: Wanted,
  target: ResultBytes,
  options: ReadOptions,
): Promise<void> {
  if (array.spec.firstLayout.leaf.type === "objects") return readPacked(array, wanted, target, options);
  if (!hasLists(wanted)) return readBox(array, wanted, target, options);
  const { itemBytes } = array.dtype;
  const box = newBytes(array, readCount(wanted), {});
  await readBox(array, wanted, box, options);
  pickElements(wanted.axes, (from, to, count) => {
    const start = from * itemBytes;
    target.bytes.set(box.bytes.subarray(start, start + count * itemBytes), to * itemBytes);
  });
}

/** Strings of fixed length that are stored as objects (labels of a categorize filter). */
async function readPacked(
  array: ZarrArray,
  wanted: Wanted,
  target: ResultBytes,
  options: ReadOptions,
): Promise<void> {
  const values = await readValues(array, wanted, { ...options, out: undefined });
  target.bytes.set(packStrings(array.dtype, values as string[]));
}

/** Reads what the projections name, without picking. */
async function readBox(
  array: ZarrArray,
  wanted: Wanted,
  target: ResultBytes,
  options: ReadOptions,
): Promise<void> {
  const { reader, dtype } = array;
  const projections = projectionsOf(wanted);
  const plans = planSource(array);
  const located = (error: unknown, { coordinates }: RegionTask) => {
    if (isZarrError(error, "CorruptChunk")) reader.distrust(coordinates);
    return withDetails(error, { chunkKey: reader.keyOf(coordinates) });
  };
  const makeSink = (): Sink => {
    if (isNativePlan(plans.anyPlan, projections)) return new NativeSink(plans, projections, target);
    return (
      options.pool?.makeSink(plans, projections, target, located) ?? new SlabSink(plans, projections, target)
    );
  };
  await assemble(
    { reader, projections, itemBytes: dtype.itemBytes },
    makeSink,
    assembleOptions(options),
    () => plans.anyPlan.requireFullModule(),
  );
}

function planSource(array: ZarrArray): PlanSource {
  const { reader, spec, limits } = array;
  const leafOf = (task: RegionTask) => reader.leafOf(task.coordinates) as CoreLeaf;
  const boxPlans = new Map<string, Plan>();
  const boxPlanOf = (leaf: CoreLeaf, shape: readonly number[]): Plan => {
    const key = shape.join();
    let plan = boxPlans.get(key);
    if (!plan) {
      plan = boxPlan(leaf, shape, { version: spec.zarrFormat, limits });
      boxPlans.set(key, plan);
    }
    return plan;
  };
  return {
    anyPlan: (spec.firstLayout.leaf as CoreLeaf).plan,
    planOf: (task, boxShape) => (boxShape ? boxPlanOf(leafOf(task), boxShape) : leafOf(task).plan),
  };
}

async function readValues(array: ZarrArray, wanted: Wanted, options: ReadIntoOptions): Promise<unknown[]> {
  const { reader, spec, limits, dtype } = array;
  const out = options.out as unknown[] | undefined;
  const count = countOf(wanted.shape);
  if (out !== undefined) checkValues(dtype, out, count, "out");
  const box = hasLists(wanted) ? newList(array, readCount(wanted)) : (out ?? newList(array, count));
  const projections = projectionsOf(wanted);
  const source = {
    leafOf: (task: RegionTask) => reader.leafOf(task.coordinates) as VlenLeaf,
    limit: limits.chunkBytes,
    fill: dtype.isVariable ? missingValue(dtype, spec.fill) : (spec.fill.value ?? ""),
  };
  const makeSink = () => new VlenSink(source, projections, box);
  // An element takes at least a reference.
  await assemble({ reader, projections, itemBytes: 8 }, makeSink, assembleOptions(options));
  if (!hasLists(wanted)) return box;
  const picked = out ?? new Array<unknown>(count);
  pickElements(wanted.axes, (from, to, run) => {
    for (let i = 0; i < run; i++) picked[to + i] = box[from + i];
  });
  return picked;
}

function checkSize(bytes: number, { limits }: ZarrArray): void {
  if (!(bytes <= limits.resultBytes))
    throw limitExceeded(`the selection has ${bytes} bytes, more than the limit of ${limits.resultBytes}`);
}

function checkChunks(count: number, { limits }: ZarrArray): void {
  if (!(count <= limits.readChunks))
    throw limitExceeded(`the selection touches ${count} chunks, more than the limit of ${limits.readChunks}`);
}

function newList(array: ZarrArray, count: number): unknown[] {
  checkSize(8 * count, array);
  if (count >= 2 ** 32)
    throw limitExceeded(`a list of ${count} values is larger than any array of JavaScript's`);
  return new Array<unknown>(count).fill(null);
}

function newBytes(
  array: ZarrArray,
  count: number,
  { useSharedArrayBuffer = false }: ReadOptions,
): ResultBytes {
  const bytes = count * array.dtype.itemBytes;
  checkSize(bytes, array);
  return new ResultBytes(bytes, { isShared: useSharedArrayBuffer });
}

function assembleOptions(options: ReadOptions): AssembleOptions {
  const { signal, concurrency = defaultConcurrency, onProgress, priority } = options;
  checkPriority(priority);
  const { coalesceMaxGap: maxGap = defaultCoalescing.maxGap } = options;
  const { coalesceMaxBytes: maxBytes = defaultCoalescing.maxBytes } = options;
  for (const [name, value, least] of [
    ["concurrency", concurrency, 1],
    ["coalesceMaxGap", maxGap, 0],
    ["coalesceMaxBytes", maxBytes, 1],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least)
      throw invalidArgument(`${name} must be an integer of at least ${least}, not ${value}`);
  }
  return { signal, concurrency, coalescing: { maxGap, maxBytes }, onProgress, priority };
}
