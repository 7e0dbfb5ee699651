/** Affine mappings as matrices: M rows of N factors and one offset. */

/** In C order: row i starts at i · (inputs + 1). */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly values: Float64Array;
}

/** @param at returns the number in a row and a column; the last column is the offset. */
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

/** Returns a diagonal matrix with offsets. */
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

/** Returns a matrix whose outputs are each one input, or 0 for undefined. */
export function selecting(inputs: number, axes: readonly (number | undefined)[]): Matrix {
  return matrixOf(axes.length, inputs, (row, column) => (axes[row] === column && column < inputs ? 1 : 0));
}

/** Returns the matrix that applies `first`, then `second`. */
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
  const linear = matrixOf(n, n, (row, column) => (column < n ? rows[row]![n + column]! : 0));
  const back = matrixOf(n, n, (row, column) => {
    if (column < n) return row === column ? 1 : 0;
    return -values[row * (n + 1) + n]!;
  });
  const whole = product(linear, back);
  return isAllFinite(whole) ? whole : undefined;
}

export const isAllFinite = ({ values }: Matrix): boolean => values.every(Number.isFinite);
