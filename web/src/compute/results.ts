/** Converts accumulators to results. */

import { DType, type SimpleType } from "../dtypes/dtype.js";
import { type ElementData, toElements } from "../dtypes/elements.js";
import { type Field, isExact, planesOf, type ValueRule } from "../engine/box-reduction.js";
import { limitExceeded, unsupported } from "../util/errors.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import type { Block } from "./boxes.js";
import { add, divide, multiply, rounded, subtract, type Twofold } from "./twofold.js";

/** Methods of {@link reduce}. */
export const methods = [
  "count",
  "sum",
  "mean",
  "std",
  "var",
  "min",
  "max",
  "argmin",
  "argmax",
  "any",
  "all",
  "first",
  "last",
] as const;
export type Method = (typeof methods)[number];

/** How the values of an array become results. */
interface ResultRule {
  readonly values: ValueRule;
  readonly dtype: DType;
  readonly isWeighted: boolean;
  /** Cells with fewer elements are NaN. 0 if all cells have elements that count, or NaN for those without. */
  readonly minCount: number;
  /** Whether integers become float64, because a cell may be NaN. */
  readonly mayBeEmpty: boolean;
}

/** Returns the accumulators that methods need. */
export function fieldsOf(wanted: readonly Method[], isWeighted: boolean): Field[] {
  const weight = isWeighted ? "weight" : "count";
  const needs: Readonly<Record<Method, readonly Field[]>> = {
    count: [],
    sum: ["sum"],
    mean: ["sum", weight],
    var: ["sum", "squares", weight],
    std: ["sum", "squares", weight],
    min: ["min"],
    max: ["max"],
    argmin: ["argmin"],
    argmax: ["argmax"],
    any: ["nonzero"],
    all: ["nonzero"],
    first: ["first"],
    last: ["last"],
  };
  return [...new Set<Field>(["count", ...wanted.flatMap((method) => needs[method])])];
}

/** Accumulators of a block as numbers. */
export class State {
  readonly #floats: Float64Array;
  readonly #words: Uint32Array;
  readonly #integers: BigInt64Array;
  readonly #first: Partial<Record<Field, number>>;

  constructor(
    bytes: Uint8Array,
    fields: readonly Field[],
    private readonly cells: number,
  ) {
    const { buffer, byteOffset, byteLength } = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    this.#floats = new Float64Array(buffer, byteOffset, byteLength / 8);
    this.#words = new Uint32Array(buffer, byteOffset, byteLength / 4);
    this.#integers = new BigInt64Array(buffer, byteOffset, byteLength / 8);
    this.#first = planesOf(fields).first;
  }

  /** Returns the words of a field. */
  plane(field: Field, plane = 0): Float64Array {
    return this.#cellsOf(this.#floats, field, plane);
  }

  integers(field: Field, plane = 0): BigInt64Array {
    return this.#cellsOf(this.#integers, field, plane);
  }

  #cellsOf<T extends Float64Array | BigInt64Array>(all: T, field: Field, plane: number): T {
    const start = (this.#first[field]! + plane) * this.cells;
    return all.subarray(start, start + this.cells) as T;
  }

  /** Returns sums of two doubles; 0 without the field. */
  twofold(field: Field): (cell: number) => Twofold {
    if (this.#first[field] === undefined) return () => [0, 0];
    const [high, low] = [this.plane(field), this.plane(field, 1)];
    return (cell) => [high[cell]!, Number.isFinite(high[cell]) ? low[cell]! : 0];
  }

  /** Returns sums of 128 bits. */
  exact(): (cell: number) => bigint {
    const [low, high] = [this.integers("sum"), this.integers("sum", 1)];
    return (cell) => (high[cell]! << 64n) + BigInt.asUintN(64, low[cell]!);
  }

  /** Returns the same, rounded to two doubles. */
  exactTwofold(): (cell: number) => Twofold {
    const words = this.#words;
    const low = 2 * this.#first.sum! * this.cells;
    const high = low + 2 * this.cells;
    return (cell) => {
      const [l, h] = [low + 2 * cell, high + 2 * cell];
      const upper = add([(words[h + 1]! | 0) * 2 ** 96, 0], [words[h]! * 2 ** 64, 0]);
      return add(add(upper, [words[l + 1]! * 2 ** 32, 0]), [words[l]!, 0]);
    };
  }
}

/** A result, with the function that computes a cell of it. */
export interface Output {
  readonly data: ElementData;
  readonly dtype: DType;
  /** Returns the function that computes the cells of a block. */
  readonly finish: (state: State) => (cell: number) => number | bigint;
}

type Made = Pick<Output, "data" | "dtype">;

/** Makes elements of a type, all 0. */
function make(type: DType | SimpleType, cells: number): Made {
  const dtype = typeof type === "string" ? DType.simple(type) : type;
  return { data: toElements(dtype, new Uint8Array(cells * dtype.itemBytes)), dtype };
}

const isTime = ({ core }: DType): boolean => /^(datetime|timedelta)64$/.test(core);
const notATime = -(2n ** 63n);
/** Of a sum of squares; equal values have no variance. */
const roundingError = 2 ** -100;

/** Makes the results of a method, of a number of cells. @throws Unsupported for methods that do not apply to the type. */
export function makeOutput(method: Method, rule: ResultRule, cells: number): Output {
  const { values, dtype, isWeighted, minCount, mayBeEmpty } = rule;
  if (isTime(dtype) && (/^(sum|mean|std|var|any|all)$/.test(method) || mayBeEmpty))
    throw unsupported(`${method} of ${dtype} is not supported; convert the counts to numbers first`, {
      code: "unsupported-dtype",
    });
  const least = Math.max(1, minCount);
  const float = (finish: Finish<number>, own = least, nothing = Number.NaN): Output => ({
    ...make("float64", cells),
    finish: known(finish, own, nothing),
  });
  const isExactSum = isExact(values) && !isWeighted;
  switch (method) {
    case "count":
      return float((state) => valueIn(state.plane("count")), minCount);
    case "sum":
      if (isExactSum && minCount === 0) return integerSum(values, cells);
      return float(moment(method, isExactSum, isWeighted), minCount);
    case "mean":
    case "var":
    case "std":
      return float(moment(method, isExactSum, isWeighted));
    case "any":
    case "all":
      if (minCount > 0) return float(truth(method));
      return { ...make("bool", cells), finish: truth(method) };
    case "argmin":
    case "argmax":
      return float((state) => valueIn(state.plane(method, 1)), least, -1);
    default:
      return elementOutput(method, rule, cells);
  }
}

type Finish<T = number | bigint> = (state: State) => (cell: number) => T;

/** Cells with fewer elements have another value. */
const known =
  <T, U>(finish: (state: State) => (cell: number) => T, least: number, nothing: U) =>
  (state: State): ((cell: number) => T | U) => {
    const [counts, value] = [state.plane("count"), finish(state)];
    return (cell) => (counts[cell]! < least ? nothing : value(cell));
  };

const valueIn = (plane: Float64Array) => (cell: number) => plane[cell]!;
const wideIn = (plane: BigInt64Array, { number }: ValueRule) =>
  number === "uint64" ? (cell: number) => BigInt.asUintN(64, plane[cell]!) : (cell: number) => plane[cell]!;

/** Results of sums. */
const moments: Readonly<
  Record<"sum" | "mean" | "var" | "std", (sum: Twofold, weight: Twofold, squares: Twofold) => number>
> = {
  sum: rounded,
  mean: (sum, weight) => rounded(sum) / rounded(weight),
  var: variance,
  std: (sum, weight, squares) => Math.sqrt(variance(sum, weight, squares)),
};

function variance(sum: Twofold, weight: Twofold, squares: Twofold): number {
  const rest = subtract(squares, divide(multiply(sum, sum), weight));
  return rest[0] < squares[0] * roundingError ? 0 : rounded(divide(rest, weight));
}

const moment =
  (method: keyof typeof moments, isExactSum: boolean, isWeighted: boolean): Finish<number> =>
  (state) => {
    const [value, counts] = [moments[method], state.plane("count")];
    const sum = isExactSum ? state.exactTwofold() : state.twofold("sum");
    const weight = isWeighted ? state.twofold("weight") : (cell: number): Twofold => [counts[cell]!, 0];
    const squares = state.twofold("squares");
    return (cell) => value(sum(cell), weight(cell), squares(cell));
  };

const truth =
  (method: "any" | "all"): Finish<number> =>
  (state) => {
    const [counts, nonzero] = [state.plane("count"), state.plane("nonzero")];
    return (cell) => Number(method === "any" ? nonzero[cell]! > 0 : nonzero[cell] === counts[cell]);
  };

/** Makes a result of elements: of `min`, `max`, `first` and `last`. */
function elementOutput(method: "min" | "max" | "first" | "last", rule: ResultRule, cells: number): Output {
  const { values, dtype, minCount } = rule;
  const made = likeElements(rule, cells);
  const isBig = made.data instanceof BigInt64Array || made.data instanceof BigUint64Array;
  const isFloat = made.data instanceof Float32Array || made.data instanceof Float64Array;
  const nothing = isTime(dtype) ? notATime : isBig ? 0n : isFloat ? Number.NaN : 0;
  const isWide = isExact(values) && values.number.endsWith("64");
  const finish: Finish = (state) => {
    if (!isWide) return valueIn(state.plane(method));
    const value = wideIn(state.integers(method), values);
    return isBig ? value : (cell) => Number(value(cell));
  };
  return { ...made, finish: known(finish, Math.max(1, minCount), nothing) };
}

/** Makes a result of the type of the decoded elements; of float64 if integers may be missing. */
function likeElements({ values, dtype, mayBeEmpty }: ResultRule, cells: number): Made {
  const { decode, number } = values;
  if (isTime(dtype)) return make(dtype, cells);
  if (decode ? decode.isFloat32 : /float(16|32)$/.test(number)) return make("float32", cells);
  return make(isExact(values) && !mayBeEmpty ? (number as SimpleType) : "float64", cells);
}

function integerSum({ number }: ValueRule, cells: number): Output {
  const isUnsigned = number.startsWith("u");
  const fits = isUnsigned
    ? (sum: bigint) => BigInt.asUintN(64, sum) === sum
    : (sum: bigint) => BigInt.asIntN(64, sum) === sum;
  const name = isUnsigned ? "uint64" : "int64";
  return {
    ...make(name, cells),
    finish(state) {
      const exact = state.exact();
      return (cell) => {
        const sum = exact(cell);
        if (!fits(sum)) throw limitExceeded(`the sum ${sum} does not fit into ${name}`);
        return sum;
      };
    },
  };
}

/** Writes the results of a block. @param cells of the whole result, along the labels and each axis of the array. */
export function writeBlock(
  outputs: readonly Output[],
  cells: readonly number[],
  { cells: spans }: Block,
  bytes: Uint8Array,
  fields: readonly Field[],
): void {
  const [labels] = cells as readonly [number];
  const shape = [labels, ...spans.map(({ from, to }) => to - from)];
  const origin = [0, ...spans.map(({ from }) => from)];
  const state = new State(bytes, fields, countOf(shape));
  const strides = stridesOf(cells);
  const start = origin.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);
  const [outer, run] = [shape.slice(0, -1), shape.at(-1)!];
  for (const { data, finish } of outputs) {
    const value = finish(state);
    let cell = 0;
    for (const index of indices(outer)) {
      const to = index.reduce((sum, at, axis) => sum + at * strides[axis]!, start);
      for (let i = 0; i < run; i++) data[to + i] = value(cell++) as never;
    }
  }
}
