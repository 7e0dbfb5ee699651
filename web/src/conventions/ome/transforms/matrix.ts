/** Affine maps as matrices: M rows of N numbers, which are multiplied, and one that is added. */

/** In C order: row i is at i · (inputs + 1). */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly values: Float64Array;
}

/** @param at the number in a row and a column, of which the last is what is added. */
export function matrixOf(
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

/** Numbers along the diagonal, and what is added. */
export function diagonal(
  rank: number,
  scale: readonly number[] | undefined,
  translation?: readonly number[],
): Matrix {
  return matrixOf(rank, rank, (row, column) => {
    if (column === rank) return translation?.[row] ?? 0;
    return row === column ? (scale?.[row] ?? 1) : 0;
  });
}

/** Each output is one input, or 0 where that is undefined. */
export function selecting(inputs: number, axes: readonly (number | undefined)[]): Matrix {
  return matrixOf(axes.length, inputs, (row, column) => (axes[row] === column && column < inputs ? 1 : 0));
}

/** `second` after `first`. */
export function product(second: Matrix, first: Matrix): Matrix {
  const width = first.inputs + 1;
  const inner = second.inputs;
  return matrixOf(second.outputs, first.inputs, (row, column) => {
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

/** The part of a square matrix that is multiplied, as rows. */
const squareRows = ({ inputs: n, values }: Matrix): number[][] =>
  Array.from({ length: n }, (_, row) => Array.from(values.subarray(row * (n + 1), row * (n + 1) + n)));

/**
 * Gauss and Jordan, with the largest pivot of each column: the first n columns of n rows become those of the identity.
 * @returns the determinant of those columns; 0 where they cannot.
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

/** Of a square matrix, without what is added. */
export const determinant = (matrix: Matrix): number => eliminate(squareRows(matrix));

/** undefined for a matrix that has none. */
export function inverse(matrix: Matrix): Matrix | undefined {
  const { inputs: n, outputs, values } = matrix;
  if (n !== outputs) return undefined;
  const rows = squareRows(matrix).map((row, i) => [
    ...row,
    ...row.map((_, column) => (column === i ? 1 : 0)),
  ]);
  if (eliminate(rows) === 0) return undefined;
  const linear = matrixOf(n, n, (row, column) => (column < n ? rows[row]![n + column]! : 0));
  const back = matrixOf(n, n, (row, column) => {
    if (column < n) return row === column ? 1 : 0;
    return -values[row * (n + 1) + n]!;
  });
  const whole = product(linear, back);
  return isAllFinite(whole) ? whole : undefined;
}

export const isAllFinite = ({ values }: Matrix): boolean => values.every(Number.isFinite);
