/** Types of element data by data type, for programs that know what they read. */
import type { ElementData } from "./typed-arrays.js";

/** Whatever elements come in: typed arrays, or lists of values of variable length. */
export type Elements = ElementData | readonly unknown[];

/**
 * What the elements of a data type come in. Types whose typed array depends on the engine (float16) are not among
 * them, nor those whose name says only half (structured types, times).
 */
export interface ElementsByType {
  bool: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float32: Float32Array;
  float64: Float64Array;
  /** Real and imaginary parts, interleaved. */
  complex64: Float32Array;
  complex128: Float64Array;
  string: string[];
  bytes: Uint8Array[];
}

/** What reading gives where nothing is known of the data type: typed arrays, as long as nobody says otherwise. */
export type ReadAs<D extends Elements> = Elements extends D ? ElementData : D;
