/** Selections of array elements. */
import { describeValue, invalidSelection } from "../util/errors.js";

/** A range with a step, as in Python: negative positions count from the end, null means "to the end". */
export interface Slice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
}

/** `slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`. Steps are positive. */
export function slice(stop: number | null): Slice;
export function slice(start: number | null, stop: number | null, step?: number | null): Slice;
export function slice(first: number | null, stop?: number | null, step: number | null = null): Slice {
  return stop === undefined ? { start: null, stop: first, step } : { start: first, stop, step };
}

type IndexArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/**
 * Selection along one dimension: an index (the dimension is dropped), a slice, null for the whole dimension,
 * a list of indices in any order, or a list of booleans as long as the dimension. Several lists select
 * orthogonally: every combination of their indices.
 */
export type DimensionSelection = number | Slice | null | readonly number[] | IndexArray | readonly boolean[];

/**
 * A selection: one entry per dimension, with "..." for as many nulls as fit (trailing ones may be omitted);
 * or entries by dimension name; null for everything.
 */
export type Selection =
  | readonly (DimensionSelection | "...")[]
  | { readonly [dimension: string]: DimensionSelection }
  | null;

/** Marks entries that `sel` found in a group. */
const ofGroup = Symbol("ofGroup");

/** Returns entries by dimension name of a group: reading an array ignores those of dimensions that it lacks. */
export function groupSelection(
  entries: Iterable<readonly [string, DimensionSelection]>,
): Record<string, DimensionSelection> {
  return Object.defineProperty(Object.fromEntries(entries), ofGroup, { value: true });
}

/** Elements start, start + step, … (`count` of them) along one dimension. */
export interface AxisRange {
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** Whether an index selected a single element, so that the result does not have this dimension. */
  readonly dropped: boolean;
}

/** Elements along one dimension in any order, possibly repeated. */
export interface AxisIndices {
  readonly indices: readonly number[];
  readonly count: number;
  readonly dropped: false;
}

export type AxisSelection = AxisRange | AxisIndices;

/**
 * Resolves a selection against a shape.
 * @param isRead whether a {@link groupSelection} may have other dimensions. Writing requires all of them.
 * @throws InvalidSelection for too many entries, an index out of range, a step that is not a positive
 *   integer, an unknown or ambiguous dimension name, or anything else that is not a selection.
 */
export function resolveSelection(
  selection: Selection | undefined,
  shape: readonly number[],
  dimensionNames?: readonly (string | null)[] | undefined,
  isRead = false,
): AxisSelection[] {
  if (Array.isArray(selection) && selection.includes(undefined))
    throw invalidSelection("a selection must not have undefined entries; pass null for a whole dimension");
  const entries = Array.isArray(selection ?? [])
    ? spreadEllipsis((selection ?? []) as readonly (DimensionSelection | "...")[], shape.length)
    : entriesByName(selection as object, shape.length, dimensionNames, isRead);
  return shape.map((length, axis) => resolveDimension(entries[axis] ?? null, length, axis));
}

function spreadEllipsis(
  entries: readonly (DimensionSelection | "...")[],
  rank: number,
): readonly DimensionSelection[] {
  const at = entries.indexOf("...");
  const given = at < 0 ? entries.length : entries.length - 1;
  if (given > rank || entries.lastIndexOf("...") !== at) {
    throw invalidSelection(
      given > rank
        ? `a selection of ${given} entries does not fit an array of ${rank} dimensions`
        : 'a selection can have only one "..."',
    );
  }
  if (at < 0) return entries as readonly DimensionSelection[];
  const nulls = new Array<null>(rank - given).fill(null);
  return [...entries.slice(0, at), ...nulls, ...entries.slice(at + 1)] as DimensionSelection[];
}

function entriesByName(
  selection: object,
  rank: number,
  names: readonly (string | null)[] | undefined,
  isRead: boolean,
): DimensionSelection[] {
  const entries = new Array<DimensionSelection>(rank).fill(null);
  if (typeof selection !== "object" || isSlice(selection))
    throw invalidSelection(
      "a selection must be a list with one entry per dimension, or entries by dimension name",
    );
  const areNamed = rank === 0 || names?.every((name) => name !== null);
  const mayLack = isRead && areNamed && ofGroup in selection;
  for (const [name, entry] of Object.entries(selection)) {
    const axis = names?.indexOf(name) ?? -1;
    if (axis < 0 && mayLack) continue;
    if (axis < 0 || names!.lastIndexOf(name) !== axis) {
      const known = names?.map((n) => JSON.stringify(n)).join(", ") ?? "none";
      throw invalidSelection(`"${name}" is not the name of one dimension; the names are ${known}`);
    }
    entries[axis] = entry as DimensionSelection;
  }
  return entries;
}

function resolveDimension(entry: DimensionSelection, length: number, axis: number): AxisSelection {
  if (entry === null) return { start: 0, step: 1, count: length, dropped: false };
  if (typeof entry === "number")
    return { start: checkIndex(entry, length, axis), step: 1, count: 1, dropped: true };
  if (Array.isArray(entry) || (ArrayBuffer.isView(entry) && !(entry instanceof DataView)))
    return resolveList(entry as readonly (number | boolean)[], length, axis);
  if (!isSlice(entry))
    throw invalidSelection(
      `dimension ${axis}: expected an index, a slice, a list or null, got ${describeValue(entry)}`,
    );
  const step = entry.step ?? 1;
  if (!Number.isSafeInteger(step) || step < 1)
    throw invalidSelection(
      `dimension ${axis}: the step must be a positive integer, got ${describeValue(step)}`,
    );
  const start = clampPosition(entry.start ?? 0, length, axis);
  const stop = clampPosition(entry.stop ?? length, length, axis);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)), dropped: false };
}

function isSlice(entry: unknown): entry is Slice {
  return typeof entry === "object" && entry !== null && "start" in entry && "stop" in entry;
}

function checkIndex(index: number, length: number, axis: number): number {
  if (!Number.isSafeInteger(index))
    throw invalidSelection(`dimension ${axis}: an index must be an integer, got ${describeValue(index)}`);
  const start = index < 0 ? index + length : index;
  if (start < 0 || start >= length) {
    throw invalidSelection(`dimension ${axis}: index ${index} is out of range for a length of ${length}`);
  }
  return start;
}

/** Resolves a list of indices or booleans, as a range if possible. */
function resolveList(list: readonly (number | boolean)[], length: number, axis: number): AxisSelection {
  const isMask = list.length > 0 && typeof list[0] === "boolean";
  const indices = isMask
    ? maskedIndices(list, length, axis)
    : // Elements of BigInt arrays become numbers; others are checked as they are.
      Array.from(list, (index) =>
        checkIndex(typeof index === "bigint" ? Number(index) : (index as number), length, axis),
      );
  return toRange(indices) ?? { indices, count: indices.length, dropped: false };
}

function maskedIndices(mask: readonly (number | boolean)[], length: number, axis: number): number[] {
  // `every` skips holes.
  const isMask = mask.every((value) => typeof value === "boolean") && !mask.includes(undefined as never);
  if (mask.length !== length || !isMask) {
    throw invalidSelection(`dimension ${axis}: a mask must have ${length} booleans`);
  }
  return mask.flatMap((value, index) => (value ? [index] : []));
}

/** Equally spaced, rising indices are a range, which is read faster. */
function toRange(indices: readonly number[]): AxisRange | undefined {
  const [start = 0, second = start + 1] = indices;
  const step = second - start;
  const isRange = step >= 1 && indices.every((index, i) => index === start + i * step);
  return isRange ? { start, step, count: indices.length, dropped: false } : undefined;
}

function clampPosition(position: number, length: number, axis: number): number {
  if (!Number.isSafeInteger(position))
    throw invalidSelection(`dimension ${axis}: expected an integer, got ${describeValue(position)}`);
  return Math.min(Math.max(position < 0 ? position + length : position, 0), length);
}
