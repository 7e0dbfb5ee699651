/**
 * Mappings of points, which can be chained, combined by axes, and inverted if they have an inverse; affine ones as
 * matrices.
 */

import type { ZarrGroup } from "../../../hierarchy/group.js";
import { invalidMetadata, limitExceeded, unsupported } from "../../../util/errors.js";
import {
  applyRows,
  diagonalRows,
  inverseRows,
  isFiniteRows,
  makeRows,
  productRows,
  type Rows,
} from "../../../util/matrix.js";
import type { MappingOptions } from "../coordinates.js";

export interface Mapping {
  readonly inputs: number;
  readonly outputs: number;
  /** The matrix of an affine mapping. */
  readonly matrix: Rows | undefined;
  point(point: Float64Array): Float64Array;
  /** @throws Unsupported (not-invertible) */
  inverse(): Mapping;
}

export const notInvertible = (what: string) =>
  unsupported(`${what} has no inverse`, { code: "not-invertible" });

/** @param back returns a known inverse, which is more exact than inverting the matrix. */
export function linear(matrix: Rows, back?: () => Mapping): Mapping {
  if (!isFiniteRows(matrix))
    throw invalidMetadata('"coordinateTransformations" exceed the range of float64', {
      code: "bad-convention",
    });
  const [inputs, outputs] = [matrix[0]!.length - 1, matrix.length];
  return {
    inputs,
    outputs,
    matrix,
    point: (point) => applyRows(matrix, point),
    inverse() {
      if (back) return back();
      const turned = inverseRows(matrix);
      if (turned) return linear(turned, () => linear(matrix));
      throw notInvertible(inputs === outputs ? "a singular matrix" : `a matrix of ${outputs} × ${inputs}`);
    },
  };
}

export const identity = (rank: number): Mapping => linear(diagonalRows(rank), () => identity(rank));

/** Chains mappings: at least one, each with as many inputs as the one before has outputs. */
export function chain(parts: readonly Mapping[]): Mapping {
  const [first] = parts as [Mapping];
  if (parts.length === 1) return first;
  const back = () => chain(parts.map((part) => part.inverse()).reverse());
  const matrices = parts.map(({ matrix }) => matrix);
  if (matrices.every((matrix) => matrix !== undefined))
    return linear(
      matrices.reduce((before, next) => productRows(next, before)),
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
    const matrix = makeRows(outputs, inputs, (row, column) => {
      const { mapping, from, i } = rows.get(row)!;
      const own = mapping.matrix![i]!;
      if (column === inputs) return own[from.length]!;
      return from.reduce((sum, axis, k) => (axis === column ? sum + own[k]! : sum), 0);
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

/** Returns a mapping whose outputs are each one input, or 0 for undefined. */
export const selecting = (inputs: number, axes: readonly (number | undefined)[]): Rows =>
  makeRows(axes.length, inputs, (row, column) => (axes[row] === column && column < inputs ? 1 : 0));
