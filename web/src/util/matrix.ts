/** Affine mappings of points with any number of coordinates. */

/** One row per output: a factor for each input, then an offset. At least one row. */
export type Rows = readonly (readonly number[])[];

/** @param at returns the number in a row and a column; the last column is the offset. */
export function makeRows(
  outputs: number,
  inputs: number,
  at: (row: number, column: number) => number,
): number[][] {
  return Array.from({ length: outputs }, (_, row) =>
    Array.from({ length: inputs + 1 }, (_, column) => at(row, column)),
  );
}

/** Returns the mapping that scales each coordinate and then moves it; without arguments, the identity. */
export function diagonalRows(
  rank: number,
  scale?: readonly number[],
  translation?: readonly number[],
): number[][] {
  return makeRows(rank, rank, (row, column) => {
    if (column === rank) return translation?.[row] ?? 0;
    return row === column ? (scale?.[row] ?? 1) : 0;
  });
}

/** Returns a row's sum of factors and values, and its offset. Factors of 0 hide values that are not finite. */
const rowSum = (row: readonly number[], offset: number, valueAt: (input: number) => number): number => {
  let sum = offset;
  for (let k = 0; k < row.length - 1; k++) if (row[k] !== 0) sum += row[k]! * valueAt(k);
  return sum;
};

/** Returns the mapping that applies `first`, then `second`. */
export function productRows(second: Rows, first: Rows): number[][] {
  const inputs = first[0]!.length - 1;
  return makeRows(second.length, inputs, (row, column) =>
    rowSum(second[row]!, column === inputs ? second[row]!.at(-1)! : 0, (k) => first[k]![column]!),
  );
}

export function applyRows(rows: Rows, point: ArrayLike<number>): Float64Array {
  return Float64Array.from(rows, (row) => rowSum(row, row.at(-1)!, (k) => point[k]!));
}

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

/** Returns the determinant of the factors of a square matrix. */
export const determinant = (rows: Rows): number => eliminate(rows.map((row) => row.slice(0, -1)));

/** Returns undefined for a matrix that is singular or not square, or has an inverse that is not finite. */
export function inverseRows(rows: Rows): number[][] | undefined {
  const n = rows.length;
  if (rows[0]!.length !== n + 1) return undefined;
  const augmented = rows.map((row, i) => [...row.slice(0, n), ...diagonalRows(n)[i]!.slice(0, n)]);
  if (eliminate(augmented) === 0) return undefined;
  const linear = augmented.map((row) => [...row.slice(n), 0]);
  const back = diagonalRows(
    n,
    undefined,
    rows.map((row) => -row[n]!),
  );
  const inverse = productRows(linear, back);
  return isFiniteRows(inverse) ? inverse : undefined;
}

export const isFiniteRows = (rows: Rows): boolean => rows.every((row) => row.every(Number.isFinite));
