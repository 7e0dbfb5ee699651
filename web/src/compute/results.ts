/** Converts accumulators to results. */

import { DType, type SimpleType } from "../dtypes/dtype.js";
import { type ElementData, toElements } from "../dtypes/elements.js";
import { type Field, isExact, planesOf, type ValueRule } from "../engine/box-reduction.js";
import { limitExceeded, unsupported } from "../util/errors.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import type { Block } from "./boxes.js";
import { add, divide, multiply, rounded, subtract, type Twofold } from "./twofold.js";

/** Accumulators of each method, in addition to the count. */
const needs = {
  count: [],
  sum: ["sum"],
  mean: ["sum", "weight"],
  std: ["sum", "squares", "weight"],
  var: ["sum", "squares", "weight"],
  min: ["min"],
  max: ["max"],
  argmin: ["argmin"],
  argmax: ["argmax"],
  any: ["nonzero"],
  all: ["nonzero"],
  first: ["first"],
  last: ["last"],
} as const satisfies Readonly<Record<string, readonly Field[]>>;

/** Methods of {@link reduce}. */
export type Method = keyof typeof needs;
export const methods = Object.keys(needs) as readonly Method[];

/** Returns the accumulators that methods need. The weight of elements without weights is their count. */
export function fieldsOf(wanted: readonly Method[], isWeighted: boolean): Field[] {
  const fields = new Set<Field>(["count", ...wanted.flatMap((method): readonly Field[] => needs[method])]);
  if (!isWeighted) fields.delete("weight");
  return [...fields];
}

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

  /** The state of a cell without elements. */
  static empty(fields: readonly Field[]): State {
    return new State(new Uint8Array(8 * planesOf(fields).count), fields, 1);
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
  readonly finish: Finish;
}

type Finish = (state: State) => (cell: number) => number | bigint;

const isTime = ({ core }: DType): boolean => /^(datetime|timedelta)64$/.test(core);
const notATime = -(2n ** 63n);
/** Of a sum of squares; equal values have no variance. */
const roundingError = 2 ** -100;

/** Makes the results of a method, of a number of cells. @throws Unsupported for methods that do not apply to the type. */
export function makeOutput(method: Method, rule: ResultRule, cells: number): Output {
  const { dtype: stored, minCount, mayBeEmpty } = rule;
  if (isTime(stored) && (/^(sum|mean|std|var|any|all)$/.test(method) || mayBeEmpty))
    throw unsupported(`${method} of ${stored} is not supported; convert the counts to numbers first`, {
      code: "unsupported-dtype",
    });
  const type = typeOf(method, rule);
  const dtype = typeof type === "string" ? DType.simple(type) : type;
  const data = toElements(dtype, new Uint8Array(cells * dtype.itemBytes));
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const least = Math.max(/^(count|sum|any|all)$/.test(method) ? 0 : 1, minCount);
  const nothing = isTime(dtype) ? notATime : isBig ? 0n : method.startsWith("arg") ? -1 : Number.NaN; // 0 in integers
  const value = cellValue(method, rule, isBig);
  const finish: Finish = (state) => {
    const [counts, at] = [state.plane("count"), value(state)];
    return (cell) => (counts[cell]! < least ? nothing : at(cell));
  };
  return { data, dtype, finish };
}

const isExactSum = ({ values, isWeighted }: ResultRule): boolean => isExact(values) && !isWeighted;

/** Returns the type of a method's results; float64 if integers or booleans may be missing. */
function typeOf(method: Method, rule: ResultRule): DType | SimpleType {
  const { dtype, minCount, mayBeEmpty, values } = rule;
  const { decode, number } = values;
  if (method === "sum" && isExactSum(rule) && minCount === 0)
    return number.startsWith("u") ? "uint64" : "int64";
  if (/^(any|all)$/.test(method) && minCount === 0) return "bool";
  if (!/^(min|max|first|last)$/.test(method)) return "float64";
  if (isTime(dtype)) return dtype;
  if (decode ? decode.isFloat32 : /float(16|32)$/.test(number)) return "float32";
  return isExact(values) && !mayBeEmpty ? (number as SimpleType) : "float64";
}

/** Returns the value of a method in cells with enough elements. @param isBig whether results are BigInts. */
function cellValue(method: Method, rule: ResultRule, isBig: boolean): Finish {
  const { isWeighted, values } = rule;
  const isUnsigned = values.number.startsWith("u");
  switch (method) {
    case "any":
    case "all":
      return (state) => {
        const [counts, nonzero] = [state.plane("count"), state.plane("nonzero")];
        return (cell) => Number(method === "any" ? nonzero[cell]! > 0 : nonzero[cell] === counts[cell]);
      };
    case "sum":
    case "mean":
    case "var":
    case "std":
      if (isBig) return (state) => integerSum(state.exact(), isUnsigned);
      return (state) => {
        const [of, counts] = [moments[method], state.plane("count")];
        const sum = isExactSum(rule) ? state.exactTwofold() : state.twofold("sum");
        const weight = isWeighted ? state.twofold("weight") : (cell: number): Twofold => [counts[cell]!, 0];
        const squares = state.twofold("squares");
        return (cell) => of(sum(cell), weight(cell), squares(cell));
      };
    default:
      return (state) => {
        if (method === "count" || method.startsWith("arg") || !isWide(values)) {
          const plane = state.plane(method, method.startsWith("arg") ? 1 : 0);
          return (cell) => plane[cell]!;
        }
        const plane = state.integers(method);
        const value = (cell: number) => (isUnsigned ? BigInt.asUintN(64, plane[cell]!) : plane[cell]!);
        return isBig ? value : (cell) => Number(value(cell));
      };
  }
}

const isWide = (values: ValueRule): boolean => isExact(values) && values.number.endsWith("64");

const moments = {
  sum: rounded,
  mean: (sum: Twofold, weight: Twofold) => rounded(sum) / rounded(weight),
  var: variance,
  std: (sum: Twofold, weight: Twofold, squares: Twofold) => Math.sqrt(variance(sum, weight, squares)),
};

function variance(sum: Twofold, weight: Twofold, squares: Twofold): number {
  const rest = subtract(squares, divide(multiply(sum, sum), weight));
  return rest[0] < squares[0] * roundingError ? 0 : rounded(divide(rest, weight));
}

function integerSum(exact: (cell: number) => bigint, isUnsigned: boolean): (cell: number) => bigint {
  const wrapped = isUnsigned ? BigInt.asUintN : BigInt.asIntN;
  return (cell) => {
    const sum = exact(cell);
    if (wrapped(64, sum) === sum) return sum;
    throw limitExceeded(`the sum ${sum} does not fit into ${isUnsigned ? "uint64" : "int64"}`);
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
  const state = new State(bytes, fields, countOf(shape));
  const strides = stridesOf(cells);
  const start = spans.reduce((sum, { from }, axis) => sum + from * strides[axis + 1]!, 0);
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
