/** Reads sparse matrices: first the selected lines, then the selected elements in them. */

import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { ZarrGroup } from "../../hierarchy/group.js";
import {
  type AxisSelection,
  type DimensionSelection,
  resolveSelection,
  slice,
} from "../../plan/selection.js";
import { asString, checkSignalIn, ownProperty, sharedOptions } from "../../util/arguments.js";
import {
  describeValue,
  invalidArgument,
  invalidMetadata,
  limitExceeded,
  notFound,
} from "../../util/errors.js";

const defaultMaxBytes = 2 ** 30;
/** Indices and positions are held in 32 bits. */
const maxIndex = 2 ** 31 - 1;

const bad = (path: string, what: string) =>
  invalidMetadata(`the sparse matrix at "/${path}": ${what}`, { code: "bad-convention" });

interface Stored {
  readonly path: string;
  readonly format: "csr" | "csc";
  readonly shape: readonly [number, number];
  readonly indptr: ZarrArray;
  readonly indices: ZarrArray;
  readonly data: ZarrArray;
}

/** Stored elements of consecutive lines: `count` from `start`. */
interface Run {
  readonly start: number;
  readonly count: number;
}

/** Implements `readSparse`. */
export async function read(group: ZarrGroup, options: SparseOptions): Promise<SparseMatrix> {
  if (!(group instanceof ZarrGroup)) throw invalidArgument("readSparse expects a group returned by open()");
  checkSignalIn(options, { ...sharedOptions, rows: true, columns: true, maxBytes: true });
  const { rows = null, columns = null, signal, maxBytes = defaultMaxBytes } = options;
  if (typeof maxBytes !== "number" || !(maxBytes >= 0))
    throw invalidArgument(`maxBytes must be a number of bytes, got ${describeValue(maxBytes)}`);
  const stored = await openStored(group, signal);
  const selected = resolveSelection([rows, columns], stored.shape) as [AxisSelection, AxisSelection];
  const [lines, across] = stored.format === "csr" ? selected : ([selected[1], selected[0]] as const);
  const starts = await readStarts(stored, lines, maxBytes, signal);
  const { indptr, runs } = findRuns(stored, lines, starts);
  const count = indptr[indptr.length - 1]!;
  checkBytes(stored, count, maxBytes);
  const width = stored.shape[stored.format === "csr" ? 1 : 0];
  const indices = checkedIndices(stored, await readRuns(stored.indices, runs, count, signal), width);
  const data = await readRuns(stored.data, runs, count, signal);
  const {
    format,
    data: { dtype },
  } = stored;
  const shape = [selected[0].count, selected[1].count] as const;
  const whole = isWhole(across, width);
  return {
    format,
    shape,
    dtype,
    ...(whole
      ? { indptr, indices, data }
      : selectAcross({ indptr, indices, data }, across, (kept) => checkBytes(stored, kept, maxBytes))),
  };
}

// ---- Stored metadata

/** Returns a length of the matrix; undefined if it is invalid. */
function matrixLength(value: unknown): number | undefined {
  const length = typeof value === "bigint" ? Number(value) : value;
  return Number.isSafeInteger(length) && (length as number) >= 0 ? (length as number) : undefined;
}

async function openStored(group: ZarrGroup, signal: AbortSignal | undefined): Promise<Stored> {
  const { attributes, path } = group;
  // Before AnnData 0.8, the attributes had other names.
  const type = ownProperty(attributes, "encoding-type") ?? ownProperty(attributes, "h5sparse_format");
  const format = /^(cs[rc])(_matrix)?$/.exec(asString(type) ?? "")?.[1] as "csr" | "csc" | undefined;
  if (!format)
    throw notFound(`the group at "/${path}" is not a sparse matrix in CSR or CSC`, { code: "no-convention" });
  const shape = ownProperty(attributes, "shape") ?? ownProperty(attributes, "h5sparse_shape");
  const lengths = Array.isArray(shape) ? shape.map(matrixLength) : [];
  if (lengths.length !== 2 || lengths.includes(undefined))
    throw bad(path, "its shape must be a list of two lengths");
  const [rows, columns] = lengths as [number, number];
  if (rows > maxIndex || columns > maxIndex) throw bad(path, `lengths above ${maxIndex} are not supported`);
  const openOne = async (name: string) => {
    const array = await group.open(name, { kind: "array", signal });
    if (array.shape.length !== 1) throw bad(path, `"${name}" must have one dimension`);
    return array;
  };
  const [indptr, indices, data] = await Promise.all([openOne("indptr"), openOne("indices"), openOne("data")]);
  for (const [name, { dtype }] of [
    ["indptr", indptr],
    ["indices", indices],
  ] as const)
    if (!/^u?int(8|16|32|64)$/.test(dtype.core))
      throw bad(path, `"${name}" must hold integers, got ${dtype}`);
  if (data.dtype.isVariable) throw bad(path, `"data" cannot hold ${data.dtype}`);
  const lines = format === "csr" ? rows : columns;
  if (indptr.shape[0] !== lines + 1)
    throw bad(path, `"indptr" must have ${lines + 1} elements, got ${indptr.shape[0]}`);
  if (indices.shape[0] !== data.shape[0])
    throw bad(path, `"indices" has ${indices.shape[0]} elements and "data" ${data.shape[0]}`);
  return { path, format, shape: [rows, columns], indptr, indices, data };
}

/** @throws LimitExceeded if the elements would take too much memory. */
function checkBytes({ path, data, indices }: Stored, count: number, maxBytes: number): void {
  const bytes = count * (data.dtype.itemBytes + indices.dtype.itemBytes + 4);
  if (bytes > maxBytes || count > maxIndex)
    throw limitExceeded(
      `the sparse matrix at "/${path}": ${count} elements take ${bytes} bytes, more than maxBytes (${maxBytes}); select fewer rows or columns`,
    );
}

// ---- Lines

/** Returns the function from positions in a selection to lines. */
function indexAt(selection: AxisSelection): (position: number) => number {
  if ("indices" in selection) return (position) => selection.indices[position]!;
  return (position) => selection.start + position * selection.step;
}

/** Returns the first and the last of at least one line. */
function lineRange(lines: AxisSelection): readonly [number, number] {
  const at = indexAt(lines);
  if (!("indices" in lines)) return [at(0), at(lines.count - 1)];
  let [from, last] = [at(0), at(0)];
  for (let i = 1; i < lines.count; i++) [from, last] = [Math.min(from, at(i)), Math.max(last, at(i))];
  return [from, last];
}

/** Reads the starts of lines, from the first selected one to the end of the last: values[line − from]. */
async function readStarts(
  stored: Stored,
  lines: AxisSelection,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<{ from: number; values: ArrayLike<number | bigint> }> {
  if (lines.count === 0) return { from: 0, values: [] };
  const [from, last] = lineRange(lines);
  const bytes = (last - from + 2) * stored.indptr.dtype.itemBytes + lines.count * 4;
  if (bytes > maxBytes)
    throw limitExceeded(
      `the starts of the selected lines take ${bytes} bytes, more than maxBytes (${maxBytes})`,
    );
  const { data } = await get(stored.indptr, [slice(from, last + 2)], { signal });
  return { from, values: data };
}

/**
 * Returns the starts of the selected lines in the result, and the runs of stored elements that make it up.
 */
function findRuns(
  { path, data }: Stored,
  lines: AxisSelection,
  { from, values }: { from: number; values: ArrayLike<number | bigint> },
): { indptr: Int32Array; runs: Run[] } {
  const indptr = new Int32Array(lines.count + 1);
  const runs: Run[] = [];
  const at = indexAt(lines);
  let total = 0;
  for (let i = 0; i < lines.count; i++) {
    const [start, stop] = [Number(values[at(i) - from]), Number(values[at(i) - from + 1])];
    if (!(start >= 0 && start <= stop && stop <= data.shape[0]!))
      throw bad(path, `line ${at(i)} has an invalid range, ${start} to ${stop} of ${data.shape[0]} elements`);
    total += stop - start;
    // Lines may be selected repeatedly, so the result can exceed the stored elements.
    if (total > maxIndex)
      throw limitExceeded(`the sparse matrix at "/${path}": more than ${maxIndex} elements are selected`);
    indptr[i + 1] = total;
    const before = runs.at(-1);
    if (before && before.start + before.count === start)
      runs[runs.length - 1] = { start: before.start, count: before.count + stop - start };
    else if (stop > start) runs.push({ start, count: stop - start });
  }
  return { indptr, runs };
}

/** Runs of at most this average length are read with one list of indices. */
const shortRun = 4096;

/** Reads the elements of runs, one after another. */
async function readRuns(
  array: ZarrArray,
  runs: readonly Run[],
  count: number,
  signal: AbortSignal | undefined,
): Promise<ElementData> {
  if (runs.length === 0) return (await get(array, [slice(0, 0)], { signal })).data;
  if (runs.length === 1) {
    const [{ start, count: length }] = runs as [Run];
    return (await get(array, [slice(start, start + length)], { signal })).data;
  }
  if (count / runs.length < shortRun) {
    const list = runs.flatMap(({ start, count: length }) => Array.from({ length }, (_, i) => start + i));
    return (await get(array, [list], { signal })).data;
  }
  let out: ElementData | undefined;
  let filled = 0;
  for (const { start, count: length } of runs) {
    const { data } = await get(array, [slice(start, start + length)], { signal });
    const perElement = data.length / length;
    out ??= new (data.constructor as new (length: number) => ElementData)(count * perElement);
    out.set(data as never, filled);
    filled += data.length;
  }
  return out!;
}

// ---- Elements across the lines

/**
 * Converts indices to 32 bits. @throws InvalidMetadata for an index outside the matrix, before truncation.
 */
function checkedIndices({ path }: Stored, stored: ElementData, width: number): Int32Array {
  // Int32Array.from would first create a list of all elements.
  const indices = new Int32Array(stored.length);
  for (let i = 0; i < indices.length; i++) {
    const index = Number(stored[i]);
    if (!(index >= 0 && index < width))
      throw bad(path, `index ${index} is out of range for a length of ${width}`);
    indices[i] = index;
  }
  return indices;
}

function isWhole(selection: AxisSelection, length: number): boolean {
  return (
    !("indices" in selection) && selection.start === 0 && selection.step === 1 && selection.count === length
  );
}

type Elements = Pick<SparseMatrix, "indptr" | "indices" | "data">;

/** Returns the elements at selected positions across the lines, with their new indices. */
function selectAcross(
  { indptr, indices, data }: Elements,
  across: AxisSelection,
  check: (count: number) => void,
): Elements {
  const places = indexMapping(across);
  const starts = new Int32Array(indptr.length);
  const kept: number[] = [];
  const renamed: number[] = [];
  for (let line = 0; line + 1 < indptr.length; line++) {
    for (let i = indptr[line]!; i < indptr[line + 1]!; i++) {
      const found = places(indices[i]!);
      // Positions may be selected repeatedly, so the result can exceed the stored elements.
      if (found.length > 1) check(kept.length + found.length);
      for (const place of found) {
        kept.push(i);
        renamed.push(place);
      }
    }
    starts[line + 1] = kept.length;
  }
  return {
    indptr: starts,
    indices: Int32Array.from(renamed),
    data: pickElements(data, kept, indices.length),
  };
}

/**
 * Returns the function from an old index to its new ones: none, one, or several if it was selected
 * repeatedly.
 */
function indexMapping(selection: AxisSelection): (index: number) => readonly number[] {
  if (!("indices" in selection)) {
    const { start, step, count } = selection;
    return (index) => {
      const place = (index - start) / step;
      return Number.isInteger(place) && place >= 0 && place < count ? [place] : [];
    };
  }
  const places = new Map<number, number[]>();
  selection.indices.forEach((index, place) => {
    const known = places.get(index);
    if (known) known.push(place);
    else places.set(index, [place]);
  });
  return (index) => places.get(index) ?? [];
}

function pickElements(data: ElementData, kept: readonly number[], count: number): ElementData {
  const per = count === 0 ? 1 : data.length / count; // a complex number has two
  const out = new (data.constructor as new (length: number) => ElementData)(kept.length * per);
  kept.forEach((from, to) => {
    for (let i = 0; i < per; i++) out[to * per + i] = data[from * per + i]!;
  });
  return out;
}

/**
 * A sparse matrix by rows (CSR) or by columns (CSC). Line i, a row or a column, has the elements indptr[i] to
 * indptr[i + 1] (exclusive), with positions in `indices` and values in `data`; all other elements are zero.
 */
export interface SparseMatrix {
  readonly format: "csr" | "csc";
  /** Numbers of rows and columns. */
  readonly shape: readonly [number, number];
  /** Start of each line in `indices` and `data`; has one entry more than there are lines. */
  readonly indptr: Int32Array;
  /** Indices in stored order, usually rising within each line. */
  readonly indices: Int32Array;
  readonly data: ElementData;
  readonly dtype: DType;
}

export interface SparseOptions {
  /** Rows, as in a selection for `get`; an index counts as one row. Default: all. */
  rows?: DimensionSelection | undefined;
  columns?: DimensionSelection | undefined;
  /** Maximum bytes that `indptr`, `indices` and `data` may take while they are read. Default: 1 GiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}
