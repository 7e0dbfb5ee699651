/** Selections: which elements of an array are wanted. */
import { invalidSelection } from "../errors.js";

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

/** One dimension of a selection: an index (the dimension goes), a slice, or null for all of it. */
export type DimensionSelection = number | Slice | null;
/** A selection: one entry per dimension, trailing ones may be left out; null for everything. */
export type Selection = readonly DimensionSelection[] | null;

/** Elements start, start + step, … (count of them) along one dimension. */
export interface AxisRange {
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** True where an index chose a single element: the result does not have this dimension. */
  readonly dropped: boolean;
}

/**
 * Resolves a selection against a shape.
 * @throws InvalidSelection for too many entries, an index out of range, a step that is not a positive
 *   integer, or anything that is not an integer, a slice or null.
 */
export function resolveSelection(selection: Selection | undefined, shape: readonly number[]): AxisRange[] {
  const entries = selection ?? [];
  if (!Array.isArray(entries))
    throw invalidSelection("a selection must be a list with one entry per dimension");
  if (entries.length > shape.length) {
    throw invalidSelection(
      `a selection of ${entries.length} entries does not fit an array of ${shape.length} dimensions`,
    );
  }
  return shape.map((length, axis) => resolveDimension(entries[axis] ?? null, length, axis));
}

function resolveDimension(entry: DimensionSelection, length: number, axis: number): AxisRange {
  if (entry === null) return { start: 0, step: 1, count: length, dropped: false };
  if (typeof entry === "number") return resolveIndex(entry, length, axis);
  if (!isSlice(entry))
    throw invalidSelection(`dimension ${axis}: ${String(entry)} is not an index, a slice or null`);
  const step = entry.step ?? 1;
  if (!Number.isSafeInteger(step) || step < 1)
    throw invalidSelection(`dimension ${axis}: the step must be a positive integer, not ${step}`);
  const start = clampPosition(entry.start ?? 0, length, axis);
  const stop = clampPosition(entry.stop ?? length, length, axis);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)), dropped: false };
}

function isSlice(entry: unknown): entry is Slice {
  return typeof entry === "object" && entry !== null && "start" in entry && "stop" in entry;
}

function resolveIndex(index: number, length: number, axis: number): AxisRange {
  const start = index < 0 ? index + length : index;
  if (!Number.isSafeInteger(index) || start < 0 || start >= length) {
    throw invalidSelection(`dimension ${axis}: index ${index} is out of range for a length of ${length}`);
  }
  return { start, step: 1, count: 1, dropped: true };
}

function clampPosition(position: number, length: number, axis: number): number {
  if (!Number.isSafeInteger(position))
    throw invalidSelection(`dimension ${axis}: ${position} is not an integer`);
  return Math.min(Math.max(position < 0 ? position + length : position, 0), length);
}
