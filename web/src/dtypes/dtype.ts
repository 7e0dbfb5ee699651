/** Data types of array elements, independent of the Zarr version. */

import { invalidArgument } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { type CoreType, coreRow, coreTypes, type VariableCore } from "./table.js";

/** Units of datetime64 and timedelta64, as NumPy names them. */
export const timeUnits = [
  "generic",
  "Y",
  "M",
  "W",
  "D",
  "h",
  "m",
  "s",
  "ms",
  "us",
  "ns",
  "ps",
  "fs",
  "as",
] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** Maximum size of one element in bytes; kMaxItemBytes in the core. */
export const maxItemBytes = 2 ** 20;
/** Maximum nesting depth of structured types. */
export const maxStructDepth = 16;

/** One field of a structured data type. */
export interface Field {
  readonly name: string;
  readonly dtype: DType;
  /** Offset of the field in the packed element, in bytes. */
  readonly offset: number;
  /** Shape of a subarray field, C order; empty for a plain field. */
  readonly shape: readonly number[];
}

/**
 * A data type. Immutable; `String(dtype)` is its name.
 *
 * Elements in memory are always little-endian and packed: structured types have no padding, complex
 * numbers are real part then imaginary part.
 */
export class DType {
  /** The name that consoles show, also in minified programs. */
  static get name(): string {
    return "DType";
  }

  /** Zarr v3 name: `"int16"`, `"complex64"`, `"r24"`, `"null_terminated_bytes"`, `"struct"`, `"string"`. */
  readonly name: string;
  /** Size of one element in bytes; 0 if elements have no fixed width. */
  readonly itemBytes: number;
  /** Unit of datetimes and timedeltas; undefined for other types. */
  readonly unit: TimeUnit | undefined;
  /** Number of units per count (datetimes and timedeltas); undefined for other types. */
  readonly scaleFactor: number | undefined;
  /** Fields of a structured type, in storage order; undefined for other types. */
  readonly fields: readonly Field[] | undefined;
  /** Name in the core's table; "variable" for elements of variable length, which are not in that table. */
  readonly core: CoreType | VariableCore;

  private constructor(
    core: CoreType | VariableCore,
    name: string,
    itemBytes: number,
    rest: Partial<DType> = {},
  ) {
    this.core = core;
    this.name = name;
    this.itemBytes = itemBytes;
    this.unit = rest.unit;
    this.scaleFactor = rest.scaleFactor;
    this.fields = rest.fields;
    Object.freeze(this);
  }

  /** Whether elements are JavaScript values of any length: strings, byte strings, objects. */
  get isVariable(): boolean {
    return this.core === "variable";
  }

  toString(): string {
    return this.name;
  }

  /** Returns a fixed-width type that has the same name in the core: bool, integers, floats, complex. */
  static simple(core: SimpleType): DType {
    return new DType(core, core, coreRow(core).itemBytes);
  }
  /** Returns the type of `bytes` uninterpreted bytes (v3 `r*`, NumPy `V`). */
  static raw(bytes: number): DType {
    return new DType("raw", `r${8 * bytes}`, bytes);
  }
  /** Returns the type of byte strings of fixed length, padded with NULs (NumPy `S`). */
  static fixedBytes(bytes: number): DType {
    return new DType("fixed_bytes", "null_terminated_bytes", bytes);
  }
  /** Returns the type of Unicode strings of `length` 4-byte code points, padded with NULs (NumPy `U`). */
  static fixedUtf32(length: number): DType {
    return new DType("fixed_utf32", "fixed_length_utf32", 4 * length);
  }
  /**
   * Returns a type of variable length: "string" and "bytes" as in Zarr v3, "object" for the values that an
   * object codec of Zarr v2 decodes from `|O` (strings, byte strings, lists, JSON values).
   */
  static variable(name: VariableName): DType {
    return new DType("variable", name, 0);
  }
  static time(core: "datetime64" | "timedelta64", unit: TimeUnit, scaleFactor = 1): DType {
    return new DType(core, `numpy.${core}`, 8, { unit, scaleFactor });
  }
  /**
   * Returns a packed struct with the fields in order. Names must be unique and not empty: the parsers check
   * that.
   */
  static struct(fields: readonly { name: string; dtype: DType; shape?: readonly number[] }[]): DType {
    let offset = 0;
    if (fields.includes(undefined as never))
      throw invalidArgument("the fields of a structured type have a missing entry");
    const placed = fields.map(({ name, dtype, shape = [] }) => {
      const field: Field = Object.freeze({ name, dtype, offset, shape: Object.freeze([...shape]) });
      offset += dtype.itemBytes * countOf(shape);
      return field;
    });
    return new DType("struct", "struct", offset, { fields: Object.freeze(placed) });
  }
}

/** Names of the types whose elements have variable length. */
export type VariableName = "string" | "bytes" | "object";

/** Core types that have parameters. */
const parametric = ["raw", "fixed_bytes", "fixed_utf32", "datetime64", "timedelta64", "struct"] as const;

/** Core types fully described by name and width. */
export type SimpleType = Exclude<CoreType, (typeof parametric)[number]>;
export const simpleTypes: readonly SimpleType[] = coreTypes
  .map(({ core }) => core)
  .filter((core): core is SimpleType => !parametric.some((name) => name === core));

/** A run of `count` components of `bytes` bytes each: the units that byte order applies to. */
export interface Component {
  readonly bytes: number;
  readonly count: number;
}

/**
 * Returns the runs of components of one element, in storage order; a struct has a run per leaf field.
 * @throws Unsupported for elements of variable length.
 */
export function componentsOf(dtype: DType): Component[] {
  if (dtype.fields) {
    return dtype.fields.flatMap((field) => {
      const times = countOf(field.shape);
      const runs = componentsOf(field.dtype);
      if (runs.length === 1) return [{ bytes: runs[0]!.bytes, count: runs[0]!.count * times }];
      return Array.from({ length: times }, () => runs).flat();
    });
  }
  const bytes = coreRow(dtype.core).componentBytes;
  return [{ bytes, count: dtype.itemBytes / bytes }];
}
