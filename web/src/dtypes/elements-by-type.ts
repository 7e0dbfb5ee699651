/** Types of element data by data type, for programs that know the data type in advance. */
import type { ElementData } from "./typed-arrays.js";

/** Element data of any type: typed arrays, or lists of values of variable length. */
export type Elements = ElementData | readonly unknown[];

/**
 * Element data by data type. Omits types whose typed array depends on the engine (float16) and types that the
 * name alone does not determine (structured types, times).
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

/** Element data if the data type is not known: typed arrays, unless the caller specifies otherwise. */
export type ReadAs<D extends Elements> = Elements extends D ? ElementData : D;
