/** Data types that a name says all of. */
import { DType, simpleTypes } from "./dtype.js";

/** Data types by their names in Zarr v3. */
export const usualTypes: ReadonlyMap<string, DType> = new Map([
  ...simpleTypes.map((name) => [name, DType.simple(name)] as const),
  ["string", DType.variable("string")],
]);
