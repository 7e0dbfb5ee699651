import { unsupported } from "../util/errors.js";

/**
 * The core's data types, in the order of src/dtypes/dtype_list.inc: the index of a row is its id in plans.
 * Tests in tests/node compare the two lists through the wasm module.
 */
const table = [
  ["bool", 1, 1],
  ["int8", 1, 1],
  ["int16", 2, 2],
  ["int32", 4, 4],
  ["int64", 8, 8],
  ["uint8", 1, 1],
  ["uint16", 2, 2],
  ["uint32", 4, 4],
  ["uint64", 8, 8],
  ["float16", 2, 2],
  ["float32", 4, 4],
  ["float64", 8, 8],
  ["complex64", 8, 4],
  ["complex128", 16, 8],
  ["raw", 0, 1],
  ["fixed_bytes", 0, 1],
  ["fixed_utf32", 0, 4],
  ["datetime64", 8, 8],
  ["timedelta64", 8, 8],
  ["struct", 0, 0],
  ["bfloat16", 2, 2],
  ["int2", 1, 1],
  ["int4", 1, 1],
  ["uint2", 1, 1],
  ["uint4", 1, 1],
  ["float8_e3m4", 1, 1],
  ["float8_e4m3", 1, 1],
  ["float8_e5m2", 1, 1],
  ["float8_e4m3b11fnuz", 1, 1],
  ["float8_e4m3fnuz", 1, 1],
  ["float8_e5m2fnuz", 1, 1],
  ["float8_e8m0fnu", 1, 1],
  ["float6_e2m3fn", 1, 1],
  ["float6_e3m2fn", 1, 1],
  ["float4_e2m1fn", 1, 1],
  ["complex_bfloat16", 4, 2],
  ["complex_float16", 4, 2],
  ["complex_float8_e3m4", 2, 1],
  ["complex_float8_e4m3", 2, 1],
  ["complex_float8_e5m2", 2, 1],
  ["complex_float8_e4m3b11fnuz", 2, 1],
  ["complex_float8_e4m3fnuz", 2, 1],
  ["complex_float8_e5m2fnuz", 2, 1],
  ["complex_float8_e8m0fnu", 2, 1],
  ["complex_float6_e2m3fn", 2, 1],
  ["complex_float6_e3m2fn", 2, 1],
  ["complex_float4_e2m1fn", 2, 1],
] as const satisfies readonly (readonly [core: string, itemBytes: number, componentBytes: number])[];

/** Name of a data type in the core. */
export type CoreType = (typeof table)[number][0];

interface CoreRow {
  readonly core: CoreType;
  /** Size of one element in bytes; 0 if it depends on the data type's parameters. */
  readonly itemBytes: number;
  /** Width of the unit that byte order applies to; 0 if it differs by field. */
  readonly componentBytes: number;
  readonly id: number;
}

export const coreTypes: readonly CoreRow[] = table.map(([core, itemBytes, componentBytes], id) => ({
  core,
  itemBytes,
  componentBytes,
  id,
}));

/** Replaces the core type if elements have no fixed width: the core never processes them. */
export type VariableCore = "variable";

const rows = new Map(coreTypes.map((row) => [row.core, row]));

/**
 * Returns the row of a core type, with its id.
 * @throws Unsupported for a variable-length type, which has none.
 */
export function coreRow(core: CoreType | VariableCore): CoreRow {
  if (core === "variable") {
    throw unsupported("elements of variable length cannot pass through codecs for elements of fixed width", {
      code: "unsupported-dtype",
    });
  }
  return rows.get(core)!;
}
