/** Kinds of data types. */
import type { DType } from "zarr-wasm";

export const isComplex = ({ core }: DType) => core === "complex64" || core === "complex128";
export const isInteger = ({ core }: DType) => core === "bool" || /^u?int\d+$/.test(core);
export const isTime = ({ core }: DType) => core === "datetime64" || core === "timedelta64";
export const isFloat = ({ core }: DType) => /^float\d+$/.test(core);

/** NumPy's "not a time". */
export const notATime = -(2n ** 63n);
