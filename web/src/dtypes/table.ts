import { unsupported } from "../util/errors.js";

/**
 * The core's data types, in the order of src/dtypes/dtype_list.inc: the index of a row is its id in plans.
 * Tests in tests/node compare the two lists through the wasm module.
 */
export const coreTypes = [
  { core: "bool", itemBytes: 1, componentBytes: 1 },
  { core: "int8", itemBytes: 1, componentBytes: 1 },
  { core: "int16", itemBytes: 2, componentBytes: 2 },
  { core: "int32", itemBytes: 4, componentBytes: 4 },
  { core: "int64", itemBytes: 8, componentBytes: 8 },
  { core: "uint8", itemBytes: 1, componentBytes: 1 },
  { core: "uint16", itemBytes: 2, componentBytes: 2 },
  { core: "uint32", itemBytes: 4, componentBytes: 4 },
  { core: "uint64", itemBytes: 8, componentBytes: 8 },
  { core: "float16", itemBytes: 2, componentBytes: 2 },
  { core: "float32", itemBytes: 4, componentBytes: 4 },
  { core: "float64", itemBytes: 8, componentBytes: 8 },
  { core: "complex64", itemBytes: 8, componentBytes: 4 },
  { core: "complex128", itemBytes: 16, componentBytes: 8 },
  { core: "raw", itemBytes: 0, componentBytes: 1 },
  { core: "fixed_bytes", itemBytes: 0, componentBytes: 1 },
  { core: "fixed_utf32", itemBytes: 0, componentBytes: 4 },
  { core: "datetime64", itemBytes: 8, componentBytes: 8 },
  { core: "timedelta64", itemBytes: 8, componentBytes: 8 },
  { core: "struct", itemBytes: 0, componentBytes: 0 },
  { core: "bfloat16", itemBytes: 2, componentBytes: 2 },
  { core: "int2", itemBytes: 1, componentBytes: 1 },
  { core: "int4", itemBytes: 1, componentBytes: 1 },
  { core: "uint2", itemBytes: 1, componentBytes: 1 },
  { core: "uint4", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e3m4", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e4m3", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e5m2", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e4m3b11fnuz", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e4m3fnuz", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e5m2fnuz", itemBytes: 1, componentBytes: 1 },
  { core: "float8_e8m0fnu", itemBytes: 1, componentBytes: 1 },
  { core: "float6_e2m3fn", itemBytes: 1, componentBytes: 1 },
  { core: "float6_e3m2fn", itemBytes: 1, componentBytes: 1 },
  { core: "float4_e2m1fn", itemBytes: 1, componentBytes: 1 },
  { core: "complex_bfloat16", itemBytes: 4, componentBytes: 2 },
  { core: "complex_float16", itemBytes: 4, componentBytes: 2 },
  { core: "complex_float8_e3m4", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e4m3", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e5m2", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e4m3b11fnuz", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e4m3fnuz", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e5m2fnuz", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float8_e8m0fnu", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float6_e2m3fn", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float6_e3m2fn", itemBytes: 2, componentBytes: 1 },
  { core: "complex_float4_e2m1fn", itemBytes: 2, componentBytes: 1 },
] as const satisfies readonly CoreRow[];

interface CoreRow {
  /** Name in the core. */
  core: string;
  /** Size of one element in bytes; 0 if it depends on the data type's parameters. */
  itemBytes: number;
  /** Width of the unit that byte order applies to; 0 if it differs by field. */
  componentBytes: number;
}

export type CoreType = (typeof coreTypes)[number]["core"];

/** Replaces the core type if elements have no fixed width: the core never processes them. */
export type VariableCore = "variable";

const rows = new Map(coreTypes.map((row, id) => [row.core, { ...row, id }]));

/**
 * Returns the row of a core type, with its id.
 * @throws Unsupported for a variable-length type, which has none.
 */
export function coreRow(core: CoreType | VariableCore) {
  if (core === "variable") {
    throw unsupported("elements of variable length cannot pass through codecs for elements of fixed width", {
      code: "variable-length",
    });
  }
  return rows.get(core)!;
}
