/** Numbers laid out as rows and columns. */

/** Typed arrays of JavaScript numbers (64-bit integers are converted first). */
export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Element [row, column] is at `offset + row · rowStride + column · columnStride`. */
export interface Plane {
  readonly values: Numbers;
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
}
