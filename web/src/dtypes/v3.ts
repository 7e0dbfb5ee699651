/**
 * Parses Zarr v3 data types.
 * Spec: Zarr v3 core "data types", zarr-extensions "data-types"; unregistered names that zarr-python and
 * zarrs write.
 */

import { closestTo, didYouMean, isRecord, ownProperty } from "../util/arguments.js";
import { invalidMetadata, limitExceeded, unsupported, type ZarrError } from "../util/errors.js";
import {
  DType,
  maxItemBytes,
  maxStructDepth,
  type SimpleType,
  simpleTypes,
  type TimeUnit,
  timeUnits,
  type VariableName,
} from "./dtype.js";

export { fromPlain } from "./plain.js";

/** A JSON object as plain values. */
type Options = { readonly [name: string]: unknown };

/** Types without a configuration, under each of their names. */
const plain = new Map<string, DType>([
  ...simpleTypes.map((name) => [name, DType.simple(name)] as const),
  ["string", DType.variable("string")],
  ["bytes", DType.variable("bytes")],
]);
/** Further names of types, some of them of other implementations. */
export const dtypeAliases = {
  complex_float32: "complex64",
  complex_float64: "complex128",
  variable_length_bytes: "bytes", // zarr-python
  binary: "bytes", // zarrs
} as const satisfies Readonly<Record<string, SimpleType | VariableName>>;
for (const [name, type] of Object.entries(dtypeAliases)) plain.set(name, plain.get(type)!);

/** Types with a configuration: the options in it, and a function that makes the type. */
const configured = new Map<string, { options: readonly string[]; make(c: Options, depth: number): DType }>([
  ["raw_bytes", { options: ["length_bytes"], make: (c) => DType.raw(parseLength(c, "raw_bytes", 1)) }],
  [
    "null_terminated_bytes",
    { options: ["length_bytes"], make: (c) => DType.fixedBytes(parseLength(c, "null_terminated_bytes", 1)) },
  ],
  [
    "fixed_length_utf32",
    { options: ["length_bytes"], make: (c) => DType.fixedUtf32(parseLength(c, "fixed_length_utf32", 4) / 4) },
  ],
  ["numpy.datetime64", { options: ["unit", "scale_factor"], make: (c) => timeType("datetime64", c) }],
  ["numpy.timedelta64", { options: ["unit", "scale_factor"], make: (c) => timeType("timedelta64", c) }],
  ["struct", { options: ["fields"], make: structType }],
  ["structured", { options: ["fields"], make: structType }], // legacy: read, never written
]);

/** Every name of a data type, except `r8`, `r16` and so on. */
export const dataTypeNames: readonly string[] = [...plain.keys(), ...configured.keys()];

const refused = (message: string): ZarrError => invalidMetadata(message, { code: "unknown-dtype" });

/**
 * Parses a data type: a name, an object `{ name, configuration }`, or a DType, which is returned unchanged.
 * @throws InvalidMetadata for an invalid configuration, Unsupported for an unknown name, LimitExceeded for
 *   elements of more than 2²⁰ bytes and deep nesting.
 */
export function parseDataType(value: unknown, depth = 0): DType {
  if (value instanceof DType) return value;
  const { name, configuration } = readExtension(value);
  const type = configured.get(name);
  const bits = /^r([1-9]\d*)$/.exec(name);
  if (!type && !bits && !plain.has(name)) throw unknownType(name);
  checkNames(name, configuration, type?.options ?? []);
  if (type) return type.make(configuration, depth);
  return bits ? rawType(name, Number(bits[1])) : plain.get(name)!;
}

/** Python's and NumPy's names of types whose size the spelling does not tell. */
const unsizedNames = new Map<string, string>([
  ...(["float", "double", "float128", "longdouble"].map((name) => [name, "float64"]) as [string, string][]),
  ...(["int", "long"].map((name) => [name, "int64"]) as [string, string][]),
  ["uint", "uint64"],
  ["complex", "complex128"],
  ["str", "string"],
  ["boolean", "bool"],
]);
const kinds: Readonly<Record<string, string>> = { i: "int", u: "uint", f: "float", c: "complex" };

/** Returns the data type that Python or NumPy calls by a name, such as "float" or "f4"; undefined for other names. */
function numpyName(name: string): string | undefined {
  const [, kind, bytes] = /^([iufc])(\d{1,2})$/.exec(name) ?? [];
  const sized = kind && `${kinds[kind]}${8 * Number(bytes)}`;
  return unsizedNames.get(name) ?? (sized && plain.has(sized) ? sized : undefined);
}

function unknownType(name: string): ZarrError {
  if (Object.hasOwn(unsupportedTypes, name)) {
    const message = `data type "${name}" is not supported: ${unsupportedTypes[name]}`;
    return unsupported(message, { code: "unsupported-dtype" });
  }
  const hint =
    didYouMean(numpyName(name) ?? closestTo(name, dataTypeNames)) ||
    "; supported data types include bool, int8 to uint64, float16 to float64 and string";
  return unsupported(`unknown data type "${name}"${hint}`, { code: "unsupported-dtype" });
}

/** Spec: Zarr v3 core, "extension points": `must_understand: false` has no meaning for data types. */
function readExtension(value: unknown): { name: string; configuration: Options } {
  if (typeof value === "string") return { name: value, configuration: {} };
  const values = valuesOf(value, "name", "configuration", "must_understand");
  const [name, configuration = {}, mustUnderstand = true] = values;
  if (typeof name !== "string" || !isRecord(configuration))
    throw refused("a data type must be a name or an object with a name and a configuration");
  if (mustUnderstand !== true) throw refused(`data type "${name}": "must_understand" must be true`);
  return { name, configuration };
}

/** Returns the values of an object's keys; none if it has other keys or is not an object. */
function valuesOf(value: unknown, ...keys: string[]): unknown[] {
  if (!isRecord(value) || !Object.keys(value).every((key) => keys.includes(key))) return [];
  return keys.map((key) => ownProperty(value, key));
}

function checkNames(name: string, configuration: Options, options: readonly string[]): void {
  const unknown = Object.keys(configuration).find((key) => !options.includes(key));
  if (unknown === undefined) return;
  const known = options.join(", ") || "it has none";
  throw refused(`data type ${name}: "${unknown}" is not one of its options (${known})`);
}

function rawType(name: string, bits: number): DType {
  if (bits % 8 !== 0 || bits / 8 > maxItemBytes) {
    throw refused(`data type "${name}": bits must be a multiple of 8, at most ${8 * maxItemBytes}`);
  }
  return DType.raw(bits / 8);
}

function parseLength(configuration: Options, name: string, unit: number): number {
  const length = ownProperty(configuration, "length_bytes");
  if (typeof length !== "number" || !Number.isInteger(length) || length < unit || length % unit !== 0) {
    throw refused(`data type ${name}: "length_bytes" must be a positive multiple of ${unit}`);
  }
  if (length > maxItemBytes) throw tooWide();
  return length;
}

const tooWide = () => limitExceeded(`elements of more than ${maxItemBytes} bytes`);

function timeType(core: "datetime64" | "timedelta64", configuration: Options): DType {
  const given = ownProperty(configuration, "unit");
  const unit = given === "μs" || given === "µs" ? "us" : given;
  const factor = ownProperty(configuration, "scale_factor") ?? 1; // required by the specification
  const valid =
    timeUnits.includes(unit as TimeUnit) && typeof factor === "number" && Number.isInteger(factor);
  if (!valid || factor < 1 || factor > 2 ** 31 - 1) {
    throw refused(`data type numpy.${core} needs a "unit" of NumPy's and a positive "scale_factor"`);
  }
  return DType.time(core, unit as TimeUnit, factor);
}

/** `fields` is a list of `{name, data_type}` objects; the legacy "structured" wrote `[name, data_type]` pairs. */
function structType(configuration: Options, depth: number): DType {
  const fields = ownProperty(configuration, "fields");
  if (!Array.isArray(fields) || fields.length === 0) {
    throw refused('data type struct needs "fields", a list of at least one field');
  }
  if (depth >= maxStructDepth)
    throw limitExceeded(`structured types nested deeper than ${maxStructDepth} levels`);
  const seen = new Set<string>();
  const dtype = DType.struct(Array.from(fields, (entry: unknown) => readField(entry, depth, seen)));
  if (dtype.itemBytes > maxItemBytes) throw tooWide();
  return dtype;
}

function readField(entry: unknown, depth: number, seen: Set<string>): { name: string; dtype: DType } {
  const isPair = Array.isArray(entry) && entry.length === 2;
  const [name, type] = isPair ? entry : valuesOf(entry, "name", "data_type");
  if (typeof name !== "string" || name === "" || seen.has(name)) {
    throw refused("fields of a struct must have unique names and data types only");
  }
  seen.add(name);
  const dtype = parseDataType(type, depth + 1);
  if (dtype.isVariable) throw refused(`field "${name}" of data type struct has elements of variable length`);
  return { name, dtype };
}

/** Zarr v3 data types that are recognised but not supported, with the reason. */
const proposal = "its proposal to zarr-extensions is not settled";

export const unsupportedTypes: Readonly<Record<string, string>> = {
  float8_e4m3fn:
    "it is tensorstore's own, without a specification; the registered ones are float8_e4m3 and its kin",
  "zarrs.optional": "it is an experiment of zarrs, without a specification",
  binary_fixed_point: proposal,
  fixed_size_list: proposal,
  json: proposal,
  label_multiset: proposal,
  optional: proposal,
};
