/** Types of data type names: of arrays, of the `dtype` option, and of the queries of `array.is`. */
import type { DType, SimpleType, VariableName } from "./dtype.js";
import type { typestrTypes } from "./typestr.js";
import type { dtypeAliases } from "./v3.js";

/** Names of configured data types, with the core type of each. */
interface ConfiguredTypes {
  null_terminated_bytes: "fixed_bytes";
  fixed_length_utf32: "fixed_utf32";
  "numpy.datetime64": "datetime64";
  "numpy.timedelta64": "timedelta64";
  struct: "struct";
}

/** Zarr v3 name of a data type: `array.dtype.name`. */
export type DTypeName = SimpleType | VariableName | keyof ConfiguredTypes | `r${number}`;

type Aliases = typeof dtypeAliases;
type Typestrs = typeof typestrTypes;

/** NumPy kinds of any length, with the Zarr v3 names of the types. */
type SizedName<K> = K extends keyof Typestrs
  ? Typestrs[K]
  : K extends `S${number}`
    ? "null_terminated_bytes"
    : K extends `U${number}`
      ? "fixed_length_utf32"
      : K extends `V${number}`
        ? `r${number}`
        : K extends `M8${string}`
          ? "numpy.datetime64"
          : K extends `m8${string}`
            ? "numpy.timedelta64"
            : K extends `O${string}`
              ? "object"
              : DTypeName;

type Time = "M8" | "m8";

/** NumPy type string with the stored byte order: `"<f4"`, `"|S12"`, `">M8[ns]"`. */
export type NumpyTypestr =
  | `${"<" | ">" | "|"}${keyof Typestrs | `${"S" | "U" | "V"}${number}` | Time | `${Time}[${string}]`}`
  | "|O";

/** Name that `dtype` accepts: of Zarr v3, without a configuration, or of NumPy. */
export type DTypeString = Exclude<DTypeName, keyof ConfiguredTypes | "object"> | keyof Aliases | NumpyTypestr;

/** Zarr v3 data type with a configuration. */
export interface DTypeObject {
  readonly name: string;
  readonly configuration?: { readonly [option: string]: unknown } | undefined;
}

/** Fields of a structured data type, as NumPy describes them. */
export type DTypeFields = readonly (readonly [
  name: string,
  type: NumpyTypestr | DTypeFields,
  shape?: number | readonly number[],
])[];

/** Data type of a new array: a name, a name with a configuration, fields, or the `dtype` of another array. */
export type DTypeInput = DTypeString | DTypeObject | DTypeFields | DType;

/** Zarr v3 name of the data type that an input describes, as far as the input's type determines it. */
export type DTypeNamed<T> = T extends DType
  ? DTypeName
  : T extends keyof Aliases
    ? Aliases[T]
    : T extends DTypeName
      ? T
      : T extends `${"<" | ">" | "|"}${infer K}`
        ? SizedName<K>
        : T extends { readonly name: infer N }
          ? string extends N
            ? DTypeName
            : N extends DTypeName
              ? N
              : DTypeName
          : T extends readonly unknown[]
            ? "struct"
            : DTypeName;

type BigIntName = "int64" | "uint64";

/** Names of the data types of each kind of element. */
interface NamesByKind {
  boolean: "bool";
  bigint: BigIntName;
  number: Exclude<
    Extract<DTypeName, `int${string}` | `uint${string}` | `float${string}` | "bfloat16">,
    BigIntName
  >;
}

/** Query of `array.is`: a data type, or a kind of elements. */
export type DTypeQuery = DTypeName | keyof NamesByKind;

/** Names of the data types that a query matches. */
export type DTypeMatching<Q extends DTypeQuery> = Q extends keyof NamesByKind ? NamesByKind[Q] : Q;

/** Whether a data type matches a query. */
export function matchesDType({ name }: DType, query: DTypeQuery): boolean {
  return name === query || elementKind(name) === query;
}

/** Returns the kind of the elements; undefined for complex, structured and other composite types. */
function elementKind(name: string): keyof NamesByKind | undefined {
  if (name === "bool") return "boolean";
  if (/^u?int64$/.test(name)) return "bigint";
  return /^(u?int|b?float)\d/.test(name) ? "number" : undefined;
}
