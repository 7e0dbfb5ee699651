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

  /** Returns sums of two doubles. */
  twofold(field: Field): (cell: number) => Twofold {
    const [high, low] = [this.plane(field), this.plane(field, 1)];
    return (cell) => [high[cell]!, Number.isFinite(high[cell]) ? low[cell]! : 0];
  }

  /** Returns the same, rounded. */
  rounded(field: Field): (cell: number) => number {
    const [high, low] = [this.plane(field), this.plane(field, 1)];
    return (cell) => (Number.isFinite(high[cell]) ? high[cell]! + low[cell]! : high[cell]!);
  }

  /** Returns sums of 128 bits. */
  exact(): (cell: number) => bigint {
    const [low, high] = [this.integers("sum"), this.integers("sum", 1)];
    return (cell) => (high[cell]! << 64n) + BigInt.asUintN(64, low[cell]!);
  }

  /** Returns sums of 128 bits as four parts that are exact. */
  exactParts(): (cell: number) => readonly [number, number, number, number] {
    const words = this.#words;
    const low = 2 * this.#first.sum! * this.cells;
    const high = low + 2 * this.cells;
    return (cell) => {
      const [l, h] = [low + 2 * cell, high + 2 * cell];
      return [(words[h + 1]! | 0) * 2 ** 96, words[h]! * 2 ** 64, words[l + 1]! * 2 ** 32, words[l]!];
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

const notATime = -(2n ** 63n);
/** Of a sum of squares; equal values have no variance. */
const roundingError = 2 ** -100;

/** Makes the results of a method, of a number of cells. @throws Unsupported for methods that do not apply to the type. */
export function makeOutput(method: Method, rule: ResultRule, cells: number): Output {
  const { values, dtype, isWeighted, minCount, mayBeEmpty } = rule;
  const isTime = /^(datetime|timedelta)64$/.test(dtype.core);
  if (isTime && (/^(sum|mean|std|var|any|all)$/.test(method) || mayBeEmpty))
    throw unsupported(`${method} of ${dtype} is not supported; convert the counts to numbers first`, {
      code: "unsupported-dtype",
    });
  const isInteger = isExact(values) && !mayBeEmpty;
  const least = Math.max(1, minCount);
  const float = (finish: (state: State) => (cell: number) => number, own = least): Output => ({
    data: new Float64Array(cells),
    dtype: DType.simple("float64"),
    finish(state) {
      const [counts, value] = [state.plane("count"), finish(state)];
      return (cell) => (counts[cell]! < own ? Number.NaN : value(cell));
    },
  });
  const sumsIntegers = isExact(values) && !isWeighted;
  const sum = (state: State): ((cell: number) => number) => {
    if (!sumsIntegers) return state.rounded("sum");
    const parts = state.exactParts();
    return (cell) => parts(cell).reduce((total, part) => total + part);
  };
  switch (method) {
    case "count":
      return float((state) => valueIn(state.plane("count")), minCount);
    case "sum":
      if (isInteger && !isWeighted) return integerSum(values, cells);
      return float(sum, mayBeEmpty ? least : 0);
    case "mean":
      return float((state) => {
        const [sums, weight] = [
          sum(state),
          isWeighted ? state.rounded("weight") : valueIn(state.plane("count")),
        ];
        return (cell) => sums(cell) / weight(cell);
      });
    case "var":
      return float((state) => variances(state, sumsIntegers, isWeighted));
    case "std":
      return float((state) => {
        const variance = variances(state, sumsIntegers, isWeighted);
        return (cell) => Math.sqrt(variance(cell));
      });
    case "any":
    case "all": {
      const isTrue = (state: State) => {
        const [counts, nonzero] = [state.plane("count"), state.plane("nonzero")];
        return (cell: number) =>
          Number(method === "any" ? nonzero[cell]! > 0 : nonzero[cell] === counts[cell]);
      };
      if (minCount > 0) return float(isTrue);
      return { data: new Uint8Array(cells), dtype: DType.simple("bool"), finish: isTrue };
    }
    case "argmin":
    case "argmax":
      return {
        data: new Float64Array(cells),
        dtype: DType.simple("float64"),
        finish(state) {
          const [counts, positions] = [state.plane("count"), state.plane(method, 1)];
          return (cell) => (counts[cell]! < least ? -1 : positions[cell]!);
        },
      };
    default: {
      const made = likeElements(rule, cells);
      const isBig = made.data instanceof BigInt64Array || made.data instanceof BigUint64Array;
      const nothing = isTime ? notATime : isBig ? 0n : isInteger ? 0 : Number.NaN;
      const isWide = isExact(values) && values.number.endsWith("64");
      return {
        ...made,
        finish(state) {
          const counts = state.plane("count");
          const own = isWide ? wideIn(state.integers(method), values) : valueIn(state.plane(method));
          const value = isWide && !isBig ? (cell: number) => Number(own(cell)) : own;
          return (cell) => (counts[cell]! < least ? nothing : value(cell));
        },
      };
    }
  }
}

const valueIn = (plane: Float64Array) => (cell: number) => plane[cell]!;
const wideIn = (plane: BigInt64Array, { number }: ValueRule) =>
  number === "uint64" ? (cell: number) => BigInt.asUintN(64, plane[cell]!) : (cell: number) => plane[cell]!;

function variances(state: State, sumsIntegers: boolean, isWeighted: boolean): (cell: number) => number {
  const parts = sumsIntegers ? state.exactParts() : undefined;
  const sums = parts
    ? (cell: number) => parts(cell).reduce<Twofold>((total, part) => add(total, [part, 0]), [0, 0])
    : state.twofold("sum");
  const counts = state.plane("count");
  const weights = isWeighted ? state.twofold("weight") : (cell: number): Twofold => [counts[cell]!, 0];
  const squares = state.twofold("squares");
  return (cell) => {
    const [sum, weight, square] = [sums(cell), weights(cell), squares(cell)];
    const rest = subtract(square, divide(multiply(sum, sum), weight));
    return rest[0] < square[0] * roundingError ? 0 : rounded(divide(rest, weight));
  };
}

/** Makes a result of the type of the decoded elements; of float64 if integers may be missing. */
function likeElements(
  { values, dtype, mayBeEmpty }: ResultRule,
  cells: number,
): Pick<Output, "data" | "dtype"> {
  const { decode, number } = values;
  const isNarrow = decode ? decode.isFloat32 : /float(16|32)$/.test(number);
  if (isNarrow) return { data: new Float32Array(cells), dtype: DType.simple("float32") };
  if (!isExact(values) || mayBeEmpty)
    return { data: new Float64Array(cells), dtype: DType.simple("float64") };
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
