/**
 * Parses NumPy type strings and descriptions, the data types of Zarr v1 and v2.
 * Spec: Zarr v1 and v2, "Data type encoding".
 */

import { invalidMetadata, limitExceeded, unsupported } from "../util/errors.js";
import { type Json, JsonNumber } from "../util/json.js";
import { countOf } from "../util/shapes.js";
import {
  componentsOf,
  DType,
  maxItemBytes,
  maxStructDepth,
  type SimpleType,
  type TimeUnit,
  timeUnits,
} from "./dtype.js";

export type Endian = "little" | "big";

/** A data type and its stored byte order. */
export interface StoredType {
  dtype: DType;
  /** One entry per run of components (see componentsOf); undefined if byte order does not apply. */
  endians: (Endian | undefined)[];
}

/** Types of fixed size by NumPy kind and number of bytes. */
export const typestrTypes = {
  b1: "bool",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
  c8: "complex64",
  c16: "complex128",
} as const satisfies Readonly<Record<string, SimpleType>>;

export interface DescrOptions {
  /** Accepts `|O` as elements of variable length; the caller must then find an object codec. */
  objects?: boolean | undefined;
  /** Accepts times without a unit, which NumPy calls generic (Zarr v1; v2 requires a unit). */
  genericTimes?: boolean | undefined;
}

/**
 * Parses a type string such as `<f8`, `|S12`, `>M8[10s]`.
 * @throws InvalidMetadata for a malformed string, Unsupported for a NumPy type that is not supported here.
 */
export function parseTypestr(text: string, options: DescrOptions = {}): StoredType {
  const match = /^([<>|])([a-zA-Z])(0|[1-9]\d*|)(?:\[([1-9]\d*|)([^\]]*)\])?$/.exec(text);
  if (!match) throw invalidMetadata(`dtype "${text}" is not a NumPy type string`, { code: "unknown-dtype" });
  const [, order, kind, digits, multiple, unit] = match as unknown as [
    string,
    string,
    string,
    string,
    string?,
    string?,
  ];
  if (kind === "O") return objectType(text, options.objects === true && unit === undefined);
  const isTime = unit !== undefined || (options.genericTimes && /[Mm]/.test(kind));
  const dtype = isTime
    ? timeType(text, kind, digits, multiple, unit ?? "generic")
    : plainType(text, kind, Number(digits));
  return { dtype, endians: [parseEndian(text, order, componentsOf(dtype)[0]!.bytes)] };
}

/** Parses `|O`, which old NumPy followed by the width of a pointer. */
function objectType(text: string, objects: boolean): StoredType {
  if (!objects || !/^.O[48]?$/.test(text)) {
    throw unsupported(`object arrays (dtype "${text}") need an object codec`, { code: "unsupported-dtype" });
  }
  return { dtype: DType.variable("object"), endians: [] };
}

function plainType(text: string, kind: string, size: number): DType {
  const simple = (typestrTypes as Readonly<Record<string, SimpleType>>)[`${kind}${size}`];
  if (simple) return DType.simple(simple);
  if (kind === "S" || kind === "V" || kind === "U") {
    if (size < 1) throw unsupported(`elements of no bytes (dtype "${text}")`, { code: "unsupported-dtype" });
    const bytes = kind === "U" ? 4 * size : size;
    if (!(bytes <= maxItemBytes))
      throw limitExceeded(`dtype "${text}" has elements larger than ${maxItemBytes} bytes`);
    return kind === "S" ? DType.fixedBytes(size) : kind === "V" ? DType.raw(size) : DType.fixedUtf32(size);
  }
  if (kind === "M" || kind === "m") {
    throw invalidMetadata(`dtype "${text}" needs a unit, such as "${text}[ns]"`, { code: "unknown-dtype" });
  }
  if (kind === "f" || kind === "c") throw unsupported(`dtype "${text}"`, { code: "unsupported-dtype" });
  throw invalidMetadata(`unknown dtype "${text}"`, { code: "unknown-dtype" });
}

function timeType(text: string, kind: string, size: string, multiple = "", unit = ""): DType {
  const name = (unit === "μs" || unit === "µs" ? "us" : unit) as TimeUnit;
  const factor = multiple === "" ? 1 : Number(multiple);
  if ((kind !== "M" && kind !== "m") || size !== "8" || !timeUnits.includes(name) || factor > 2 ** 31 - 1) {
    throw invalidMetadata(`unknown dtype "${text}"`, { code: "unknown-dtype" });
  }
  return DType.time(kind === "M" ? "datetime64" : "timedelta64", name, factor);
}

function parseEndian(text: string, order: string, componentBytes: number): Endian | undefined {
  if (componentBytes === 1) return undefined; // any of the three marks is accepted and ignored
  if (order === "|")
    throw invalidMetadata(`dtype "${text}" needs a byte order, "<" or ">"`, { code: "unknown-dtype" });
  return order === "<" ? "little" : "big";
}

/**
 * Parses the JSON form of a data type: a type string, or a list of `[name, type]` fields. Fields cannot be
 * objects.
 * @param subarrays whether fields may have a third element, the shape of a subarray (Zarr v2).
 * @throws InvalidMetadata, Unsupported (see parseTypestr), LimitExceeded for wide elements and deep nesting.
 */
export function parseDescr(
  json: Json | undefined,
  subarrays: boolean,
  { objects, genericTimes }: DescrOptions = {},
): StoredType {
  return typeof json === "string"
    ? parseTypestr(json, { objects, genericTimes })
    : parseNested(json, { subarrays, genericTimes }, 0);
}

interface NestedOptions extends Pick<DescrOptions, "genericTimes"> {
  readonly subarrays: boolean;
}

function parseNested(json: Json | undefined, options: NestedOptions, depth: number): StoredType {
  if (typeof json === "string") return parseTypestr(json, options);
  if (!Array.isArray(json))
    throw invalidMetadata("dtype must be a type string or a list of fields", { code: "unknown-dtype" });
  if (depth >= maxStructDepth)
    throw limitExceeded(`structured types nested deeper than ${maxStructDepth} levels`);
  if (json.length === 0)
    throw invalidMetadata("a structured dtype needs at least one field", { code: "unknown-dtype" });
  const seen = new Set<string>();
  const parsed = json.map((entry, position) => parseField(entry, { options, depth, seen, position }));
  const dtype = DType.struct(parsed);
  if (!(dtype.itemBytes <= maxItemBytes)) throw limitExceeded(`elements of more than ${maxItemBytes} bytes`);
  return { dtype, endians: parsed.flatMap((field) => field.endians) };
}

interface FieldContext {
  readonly options: NestedOptions;
  readonly depth: number;
  readonly position: number;
  /** Names of the preceding fields. */
  readonly seen: Set<string>;
}

/** Whether a field is the padding of an aligned structured type, which NumPy describes as `["", "|V4"]`. */
const isPadding = ([name, type]: readonly Json[]) =>
  name === "" && typeof type === "string" && /^\|V\d+$/.test(type);

function parseField(entry: Json, { options, depth, position, seen }: FieldContext) {
  const { subarrays } = options;
  const most = subarrays ? 3 : 2;
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > most) {
    throw invalidMetadata(
      `a field of a structured dtype must be a list of ${subarrays ? "two or three" : "two"} elements`,
      { code: "unknown-dtype" },
    );
  }
  const [given, type, dims] = entry as [Json, Json, Json?];
  const name = isPadding(entry) ? `f${position}` : given; // NumPy's own name for fields without one
  if (typeof name !== "string" || name === "" || seen.has(name)) {
    throw invalidMetadata("field names of a structured dtype must be unique, non-empty strings", {
      code: "unknown-dtype",
    });
  }
  seen.add(name);
  const inner = parseNested(type, options, depth + 1);
  const shape = dims === undefined ? [] : parseSubarray(dims);
  const times = countOf(shape);
  if (!(times * inner.dtype.itemBytes <= maxItemBytes))
    throw limitExceeded(`elements of more than ${maxItemBytes} bytes`);
  // componentsOf repeats the runs of a subarray of structs, and merges those of a plain type.
  const repeats = inner.endians.length === 1 ? 1 : times;
  const endians = Array.from({ length: repeats }, () => inner.endians).flat();
  return { name, dtype: inner.dtype, shape, endians };
}

function parseSubarray(dims: Json): number[] {
  const list = Array.isArray(dims) ? dims : [dims];
  return list.map((dim) => {
    const length = dim instanceof JsonNumber && dim.isInteger ? dim.value : 0;
    if (length < 1 || length > maxItemBytes) {
      throw invalidMetadata("the shape of a subarray field must be a list of positive integers", {
        code: "unknown-dtype",
      });
    }
    return length;
  });
}
