/** Converts accumulators to results. */

import { DType } from "../dtypes/dtype.js";
import type { ElementData } from "../dtypes/elements.js";
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
export interface ResultRule {
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
class State {
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

  #at(field: Field, cell: number, plane = 0): number {
    return (this.#first[field]! + plane) * this.cells + cell;
  }

  number(field: Field, cell: number, plane = 0): number {
    return this.#floats[this.#at(field, cell, plane)]!;
  }

  integer(field: Field, cell: number): bigint {
    return this.#integers[this.#at(field, cell)]!;
  }

  twofold(field: Field, cell: number): Twofold {
    const high = this.number(field, cell);
    return [high, Number.isFinite(high) ? this.number(field, cell, 1) : 0];
  }

  /** Returns a sum of 128 bits. */
  exact(cell: number): bigint {
    const low = BigInt.asUintN(64, this.#integers[this.#at("sum", cell)]!);
    return (this.#integers[this.#at("sum", cell, 1)]! << 64n) + low;
  }

  /** Returns a sum of 128 bits, rounded. */
  exactTwofold(cell: number): Twofold {
    const [low, high] = [2 * this.#at("sum", cell), 2 * this.#at("sum", cell, 1)];
    const words = this.#words;
    const parts = [(words[high + 1]! | 0) * 2 ** 96, words[high]! * 2 ** 64, words[low + 1]! * 2 ** 32, words[low]!];
    return parts.reduce<Twofold>((sum, part) => add(sum, [part, 0]), [0, 0]);
  }
}

/** A result, with the function that computes a cell of it. */
export interface Output {
  readonly data: ElementData;
  readonly dtype: DType;
  readonly finish: (state: State, cell: number) => number | bigint;
}

const notATime = -(2n ** 63n);

/** Makes the results of a method, of a number of cells. @throws Unsupported for methods that do not apply to the type. */
export function makeOutput(method: Method, rule: ResultRule, cells: number): Output {
  const { values, dtype, isWeighted, minCount, mayBeEmpty } = rule;
  const isTime = /^(datetime|timedelta)64$/.test(dtype.core);
  if (isTime && (/^(sum|mean|std|var|any|all)$/.test(method) || mayBeEmpty))
    throw unsupported(`${method} of ${dtype} is not supported; convert the counts to numbers first`, {
      code: "unsupported-dtype",
    });
  const isInteger = isExact(values) && !mayBeEmpty;
  const isWide = isExact(values) && /64$/.test(values.number);
  const isEmpty = (state: State, cell: number) => state.number("count", cell) < Math.max(1, minCount);
  const float = (finish: (state: State, cell: number) => number, least = Math.max(1, minCount)): Output => ({
    data: new Float64Array(cells),
    dtype: DType.simple("float64"),
    finish: (state, cell) => (state.number("count", cell) < least ? Number.NaN : finish(state, cell)),
  });
  const sums = (state: State, cell: number) =>
    isExact(values) && !isWeighted ? state.exactTwofold(cell) : state.twofold("sum", cell);
  const weights = (state: State, cell: number): Twofold =>
    isWeighted ? state.twofold("weight", cell) : [state.number("count", cell), 0];
  const variance = (state: State, cell: number) => {
    const [sum, weight] = [sums(state, cell), weights(state, cell)];
    const rest = subtract(state.twofold("squares", cell), divide(multiply(sum, sum), weight));
    const result = rounded(divide(rest, weight));
    return result < 0 ? 0 : result;
  };
  switch (method) {
    case "count":
      return float((state, cell) => state.number("count", cell), minCount);
    case "sum":
      if (isInteger && !isWeighted) return integerSum(values, cells);
      return float((state, cell) => rounded(sums(state, cell)), mayBeEmpty ? Math.max(1, minCount) : 0);
    case "mean":
      return float((state, cell) => rounded(divide(sums(state, cell), weights(state, cell))));
    case "var":
      return float(variance);
    case "std":
      return float((state, cell) => Math.sqrt(variance(state, cell)));
    case "any":
    case "all": {
      const isTrue = (state: State, cell: number) => {
        const nonzero = state.number("nonzero", cell);
        return method === "any" ? nonzero > 0 : nonzero === state.number("count", cell);
      };
      if (minCount > 0) return float((state, cell) => Number(isTrue(state, cell)));
      const finish = (state: State, cell: number) => Number(isTrue(state, cell));
      return { data: new Uint8Array(cells), dtype: DType.simple("bool"), finish };
    }
    case "argmin":
    case "argmax":
      return {
        data: new Float64Array(cells),
        dtype: DType.simple("float64"),
        finish: (state, cell) => (isEmpty(state, cell) ? -1 : state.number(method, cell, 1)),
      };
    default: {
      const made = likeElements(rule, cells);
      const nothing = isTime ? notATime : isInteger ? 0 : Number.NaN;
      const isBig = made.data instanceof BigInt64Array || made.data instanceof BigUint64Array;
      const value = (state: State, cell: number) =>
        !isWide ? state.number(method, cell) : isBig ? state.integer(method, cell) : wideNumber(state, cell);
      const wideNumber = (state: State, cell: number) => {
        const bits = state.integer(method, cell);
        return Number(values.number === "uint64" ? BigInt.asUintN(64, bits) : bits);
      };
      const empty = isBig ? BigInt(nothing) : nothing;
      return { ...made, finish: (state, cell) => (isEmpty(state, cell) ? empty : value(state, cell)) };
    }
  }
}

/** Makes a result of the type of the decoded elements; of float64 if integers may be missing. */
function likeElements({ values, dtype, mayBeEmpty }: ResultRule, cells: number): Pick<Output, "data" | "dtype"> {
  const { decode, number } = values;
  const isNarrow = decode ? decode.isFloat32 : /float(16|32)$/.test(number);
  if (isNarrow) return { data: new Float32Array(cells), dtype: DType.simple("float32") };
  if (!isExact(values) || mayBeEmpty) return { data: new Float64Array(cells), dtype: DType.simple("float64") };
  const isSame = dtype.core === number || /64$/.test(dtype.core);
  const own = isSame ? dtype : DType.simple(number as "int8");
  return { data: new integerArrays[number as keyof typeof integerArrays](cells), dtype: own };
}

const integerArrays = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
} as const;

function integerSum({ number }: ValueRule, cells: number): Output {
  const isUnsigned = number.startsWith("u");
  const fits = isUnsigned
    ? (sum: bigint) => BigInt.asUintN(64, sum) === sum
    : (sum: bigint) => BigInt.asIntN(64, sum) === sum;
  const name = isUnsigned ? "uint64" : "int64";
  return {
    data: isUnsigned ? new BigUint64Array(cells) : new BigInt64Array(cells),
    dtype: DType.simple(name),
    finish(state, cell) {
      const sum = state.exact(cell);
      if (!fits(sum)) throw limitExceeded(`the sum ${sum} does not fit into ${name}`);
      return sum;
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
  let cell = 0;
  for (const index of indices(outer)) {
    const to = index.reduce((sum, at, axis) => sum + at * strides[axis]!, start);
    for (const { data, finish } of outputs)
      for (let i = 0; i < run; i++) data[to + i] = finish(state, cell + i) as never;
    cell += run;
  }
}
