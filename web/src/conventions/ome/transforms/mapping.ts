/**
 * Mappings of points, which can be chained, combined by axes, and inverted if they have an inverse; affine ones as
 * matrices.
 */

import type { ZarrGroup } from "../../../hierarchy/group.js";
import { invalidMetadata, limitExceeded, unsupported } from "../../../util/errors.js";
import type { MappingOptions } from "../coordinates.js";

export interface Mapping {
  readonly inputs: number;
  readonly outputs: number;
  /** The matrix of an affine mapping. */
  readonly matrix: Matrix | undefined;
  point(point: Float64Array): Float64Array;
  /** @throws Unsupported (not-invertible) */
  inverse(): Mapping;
}

export const notInvertible = (what: string) =>
  unsupported(`${what} has no inverse`, { code: "not-invertible" });

/** @param back returns a known inverse, which is more exact than inverting the matrix. */
export function linear(matrix: Matrix, back?: () => Mapping): Mapping {
  if (!isAllFinite(matrix))
    throw invalidMetadata('"coordinateTransformations" exceed the range of float64', {
      code: "bad-convention",
    });
  return {
    inputs: matrix.inputs,
    outputs: matrix.outputs,
    matrix,
    point: (point) => transformed(matrix, point),
    inverse() {
      if (back) return back();
      const turned = inverse(matrix);
      if (turned) return linear(turned, () => linear(matrix));
      const size = `${matrix.outputs} × ${matrix.inputs}`;
      throw notInvertible(matrix.inputs === matrix.outputs ? "a singular matrix" : `a matrix of ${size}`);
    },
  };
}

export const identity = (rank: number): Mapping => linear(diagonal(rank, undefined), () => identity(rank));

/** Chains mappings: at least one, each with as many inputs as the one before has outputs. */
export function chain(parts: readonly Mapping[]): Mapping {
  const [first] = parts as [Mapping];
  if (parts.length === 1) return first;
  const back = () => chain(parts.map((part) => part.inverse()).reverse());
  const matrices = parts.map(({ matrix }) => matrix);
  if (matrices.every((matrix) => matrix !== undefined))
    return linear(
      matrices.reduce((before, next) => product(next, before)),
      back,
    );
  return {
    inputs: first.inputs,
    outputs: parts.at(-1)!.outputs,
    matrix: undefined,
    point: (point) => parts.reduce((at, part) => part.point(at), point),
    inverse: back,
  };
}

/** A mapping of some axes to others. */
export interface AxesPart {
  readonly mapping: Mapping;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Combines mappings of separate axes: each output belongs to one part; an input may belong to several or
 * none.
 */
export function byAxes(parts: readonly AxesPart[], inputs: number, outputs: number): Mapping {
  const back = () => {
    const used = parts.flatMap(({ from }) => from);
    const isEachOnce = inputs === outputs && used.length === inputs && new Set(used).size === inputs;
    if (!isEachOnce) throw notInvertible("a byDimension that does not use each axis once");
    const turned = parts.map(({ mapping, from, to }) => ({ mapping: mapping.inverse(), from: to, to: from }));
    return byAxes(turned, outputs, inputs);
  };
  if (parts.every(({ mapping }) => mapping.matrix)) {
    const rows = new Map(
      parts.flatMap(({ mapping, from, to }) => to.map((row, i) => [row, { mapping, from, i }])),
    );
    const matrix = makeMatrix(outputs, inputs, (row, column) => {
      const { mapping, from, i } = rows.get(row)!;
      const { values } = mapping.matrix!;
      const start = i * (from.length + 1);
      if (column === inputs) return values[start + from.length]!;
      return from.reduce((sum, axis, k) => (axis === column ? sum + values[start + k]! : sum), 0);
    });
    return linear(matrix, back);
  }
  return {
    inputs,
    outputs,
    matrix: undefined,
    point(point) {
      const result = new Float64Array(outputs);
      for (const { mapping, from, to } of parts) {
        const moved = mapping.point(Float64Array.from(from, (axis) => point[axis]!));
        for (const [i, axis] of to.entries()) result[axis] = moved[i]!;
      }
      return result;
    },
    inverse: back,
  };
}

/** A mapping with an explicitly given inverse. */
export const bijection = (forward: Mapping, back: Mapping): Mapping => ({
  ...forward,
  inverse: () => bijection(back, forward),
});

export interface Context {
  /** The group that holds it; paths are relative to it. */
  readonly group: ZarrGroup;
  /** Name in messages. */
  readonly where: string;
  readonly options: MappingOptions;
  /** Counts transformations. @throws LimitExceeded */
  readonly count: () => void;
  /** Counts bytes that are read. @throws LimitExceeded */
  readonly take: (bytes: number, path: string) => void;
}

/** Maximum number of transformations read for one mapping, including nested ones. */
const maxTransformations = 1000;

export const tooMany = (what: string, most: number) => limitExceeded(`${what} exceed the limit of ${most}`);

/** Returns counters that enforce the limits of a mapping. */
export function budget(maxBytes: number): Pick<Context, "count" | "take"> {
  let bytesLeft = maxBytes;
  let left = maxTransformations;
  return {
    count() {
      if (--left < 0) throw tooMany("the transformations of this mapping", maxTransformations);
    },
    take(bytes, path) {
      bytesLeft -= bytes;
      if (bytesLeft >= 0) return;
      throw limitExceeded(
        `the vector field at "${path}" takes ${bytes} bytes; all of them may take ${maxBytes} (maxBytes)`,
      );
    },
  };
}

/** In C order: row i starts at i · (inputs + 1). */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly values: Float64Array;
}

/** @param at returns the number in a row and a column; the last column is the offset. */
export function makeMatrix(
  outputs: number,
  inputs: number,
  at: (row: number, column: number) => number,
): Matrix {
  const width = inputs + 1;
  const values = Float64Array.from({ length: outputs * width }, (_, i) =>
    at(Math.floor(i / width), i % width),
  );
  return { inputs, outputs, values };
}

/** Returns a diagonal matrix with offsets. */
export function diagonal(
  rank: number,
  scale: readonly number[] | undefined,
  translation?: readonly number[],
): Matrix {
  return makeMatrix(rank, rank, (row, column) => {
    if (column === rank) return translation?.[row] ?? 0;
    return row === column ? (scale?.[row] ?? 1) : 0;
  });
}

/** Returns a matrix whose outputs are each one input, or 0 for undefined. */
export function selecting(inputs: number, axes: readonly (number | undefined)[]): Matrix {
  return makeMatrix(axes.length, inputs, (row, column) => (axes[row] === column && column < inputs ? 1 : 0));
}

/** Returns the matrix that applies `first`, then `second`. */
export function product(second: Matrix, first: Matrix): Matrix {
  const width = first.inputs + 1;
  const inner = second.inputs;
  return makeMatrix(second.outputs, first.inputs, (row, column) => {
    const start = row * (inner + 1);
    let sum = column === first.inputs ? second.values[start + inner]! : 0;
    for (let k = 0; k < inner; k++) {
      const factor = second.values[start + k]!;
      if (factor !== 0) sum += factor * first.values[k * width + column]!;
    }
    return sum;
  });
}

export function transformed({ inputs, outputs, values }: Matrix, point: Float64Array): Float64Array {
  const result = new Float64Array(outputs);
  for (let row = 0; row < outputs; row++) {
    const start = row * (inputs + 1);
    let sum = values[start + inputs]!;
    for (let k = 0; k < inputs; k++) {
      const factor = values[start + k]!;
      if (factor !== 0) sum += factor * point[k]!;
    }
    result[row] = sum;
  }
  return result;
}

/** Returns the factors of a square matrix as rows, without offsets. */
const squareRows = ({ inputs: n, values }: Matrix): number[][] =>
  Array.from({ length: n }, (_, row) => Array.from(values.subarray(row * (n + 1), row * (n + 1) + n)));

/**
 * Gauss-Jordan elimination with partial pivoting: turns the first n columns of n rows into the identity.
 * @returns the determinant of those columns; 0 if they are singular.
 */
function eliminate(rows: number[][]): number {
  let determinant = 1;
  for (let column = 0; column < rows.length; column++) {
    let pivot = column;
    for (let row = column + 1; row < rows.length; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    if (pivot !== column) determinant = -determinant;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const divisor = rows[column]![column]!;
    if (divisor === 0) return 0;
    determinant *= divisor;
    rows[column] = rows[column]!.map((value) => value / divisor);
    for (let row = 0; row < rows.length; row++) {
      const factor = rows[row]![column]!;
      if (row !== column && factor !== 0)
        rows[row] = rows[row]!.map((value, i) => value - factor * rows[column]![i]!);
    }
  }
  return determinant;
}

/** Returns the determinant of a square matrix, ignoring offsets. */
export const determinant = (matrix: Matrix): number => eliminate(squareRows(matrix));

/** Returns undefined for a singular matrix. */
export function inverse(matrix: Matrix): Matrix | undefined {
  const { inputs: n, outputs, values } = matrix;
  if (n !== outputs) return undefined;
  const rows = squareRows(matrix).map((row, i) => [
    ...row,
    ...row.map((_, column) => (column === i ? 1 : 0)),
  ]);
  if (eliminate(rows) === 0) return undefined;
  const linear = makeMatrix(n, n, (row, column) => (column < n ? rows[row]![n + column]! : 0));
  const back = makeMatrix(n, n, (row, column) => {
    if (column < n) return row === column ? 1 : 0;
    return -values[row * (n + 1) + n]!;
  });
  const whole = product(linear, back);
  return isAllFinite(whole) ? whole : undefined;
}

export const isAllFinite = ({ values }: Matrix): boolean => values.every(Number.isFinite);
