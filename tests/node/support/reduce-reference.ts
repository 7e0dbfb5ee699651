// Slow twin of `reduce`: lists the elements of each cell, and computes methods one element at a time with exact sums.
import type { Method } from "zarr-wasm/compute";
import { exact, nearest } from "./exact.js";

type Value = number | bigint;

/** What to reduce, by the index in the selection. */
export interface ReferenceCase {
  /** Values in C order; NaN is missing. */
  readonly values: ArrayLike<Value>;
  readonly shape: readonly number[];
  /** Along each axis: kept, reduced, or the cells of each index. */
  readonly axes: readonly ("keep" | "single" | readonly (readonly number[])[])[];
  readonly weights?: ArrayLike<number> | undefined;
  readonly skipMissing: boolean;
  readonly isInteger: boolean;
  /** Cells with fewer values are NaN. */
  readonly minCount?: number | undefined;
}

interface Cell {
  readonly values: Value[];
  readonly weights: number[];
  readonly positions: number[];
}

const isMissing = (value: Value): boolean => Number.isNaN(value);

/** Returns the results of methods, by cell in C order. */
export function reduceSlowly(given: ReferenceCase, methods: readonly Method[], cells: readonly number[]) {
  const all = listCells(given, cells);
  return Object.fromEntries(
    methods.map((method) => [method, all.map((cell) => methodOf(given, method, cell))]),
  );
}

function listCells(
  { axes, shape, skipMissing, values, weights }: ReferenceCase,
  counts: readonly number[],
): Cell[] {
  const total = counts.reduce((a, b) => a * b, 1);
  const cells = Array.from({ length: total }, (): Cell => ({ values: [], weights: [], positions: [] }));
  const size = shape.reduce((a, b) => a * b, 1);
  for (let n = 0; n < size; n++) {
    let rest = n;
    const index = new Array<number>(shape.length);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    const value = values[n]!;
    if (skipMissing && isMissing(value)) continue;
    let targets = [0];
    let position = 0;
    for (const [axis, how] of axes.entries()) {
      const own = how === "keep" ? [index[axis]!] : how === "single" ? [0] : how[index[axis]!]!;
      targets = targets.flatMap((target) => own.map((cell) => target * counts[axis]! + cell));
      if (how !== "keep") position = position * shape[axis]! + index[axis]!;
    }
    for (const target of targets) {
      cells[target]!.values.push(value);
      cells[target]!.weights.push(weights?.[n] ?? 1);
      cells[target]!.positions.push(position);
    }
  }
  return cells;
}

function methodOf(given: ReferenceCase, method: Method, cell: Cell): Value | undefined {
  const { isInteger, minCount = 0, skipMissing } = given;
  const { values, positions } = cell;
  const isArg = method === "argmin" || method === "argmax";
  if (values.length < minCount) return isArg ? -1 : Number.NaN;
  const isPoisoned = !skipMissing && values.some(isMissing);
  if (method === "count") return values.length;
  if (method === "any") return Number(values.some((value) => Number(value) !== 0));
  if (method === "all") return Number(values.every((value) => Number(value) !== 0));
  if (values.length === 0)
    return method === "sum" ? (isInteger && !given.weights ? 0n : 0) : isArg ? -1 : Number.NaN;
  if (method === "first") return values[0]!;
  if (method === "last") return values.at(-1)!;
  if (isPoisoned && !isArg) return Number.NaN;
  if (method === "min" || method === "max" || isArg) {
    const isLow = method === "min" || method === "argmin";
    let best = 0;
    for (const [i, value] of values.entries()) {
      if (isMissing(values[best]!)) break;
      if (isMissing(value) || (isLow ? value < values[best]! : value > values[best]!)) best = i;
    }
    return isArg ? positions[best]! : values[best]!;
  }
  return moment(method, given, cell);
}

/** Sums, means and variances of exact sums. */
function moment(method: Method, { isInteger, weights }: ReferenceCase, cell: Cell): Value {
  if (isInteger && !weights) {
    const list = cell.values.map((value) => BigInt(value));
    const sum = list.reduce((a, b) => a + b, 0n);
    if (method === "sum") return sum;
    const count = BigInt(list.length);
    if (method === "mean") return ratio(sum, count);
    const squares = list.reduce((a, b) => a + b * b, 0n);
    const variance = ratio(count * squares - sum * sum, count * count);
    return method === "var" ? variance : Math.sqrt(variance);
  }
  const list = cell.values.map(Number);
  if (list.some((value) => !Number.isFinite(value))) return infinite(method, list, cell.weights);
  // Units: 2^-1074 for values and weights.
  const unit = 1n << 1074n;
  let [weight, sum, squares] = [0n, 0n, 0n];
  for (const [i, value] of list.entries()) {
    const [w, x] = [exact(cell.weights[i]!), exact(value)];
    weight += w;
    sum += w * x; // in units of 2^-2148
    squares += w * x * x; // in units of 2^-3222
  }
  if (method === "sum") return nearest(sum, 2148);
  if (method === "mean") return weight === 0n ? Number.NaN : ratio(sum, weight * unit);
  if (weight === 0n) return Number.NaN;
  const variance = ratio(squares * weight - sum * sum, weight * weight * unit * unit);
  return method === "var" ? variance : Math.sqrt(variance);
}

/** Results of values that are not finite are those of IEEE arithmetic. */
function infinite(method: Method, list: readonly number[], weights: readonly number[]): number {
  if (method === "var" || method === "std") return Number.NaN;
  const sum = list.reduce((a, b, i) => a + b * weights[i]!, 0);
  return method === "sum" ? sum : sum / weights.reduce((a, b) => a + b, 0);
}

/** The double nearest to a quotient, but for the last bit. */
function ratio(numerator: bigint, denominator: bigint): number {
  const bits = (value: bigint) => (value < 0n ? -value : value).toString(2).length;
  const shift = Math.max(0, bits(denominator) - bits(numerator) + 80);
  return nearest((numerator << BigInt(shift)) / denominator, shift);
}

const view = new DataView(new ArrayBuffer(8));

/** Returns the number of doubles between two; 0 if both are NaN. */
export function ulps(a: number, b: number): number {
  if (Object.is(a, b) || a === b) return 0;
  const key = (value: number) => {
    view.setFloat64(0, value);
    const bits = view.getBigInt64(0);
    return bits < 0n ? -(2n ** 63n) - bits : bits;
  };
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.POSITIVE_INFINITY;
  const distance = key(a) - key(b);
  return Number(distance < 0n ? -distance : distance);
}
