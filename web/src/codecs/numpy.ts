/** NumPy data types and values in the configuration of filters. */

import { type DType, DType as DTypes, type SimpleType, simpleTypes } from "../dtypes/dtype.js";
import { coreRow } from "../dtypes/table.js";
import { type Endian, parseTypestr } from "../dtypes/typestr.js";
import { type CodecContext, type ConfigReader, formatValue, type ParsedCodec } from "./definition.js";

export interface NumpyType {
  readonly dtype: DType;
  /** Byte order of its elements; undefined for single bytes, little if not specified. */
  readonly endian: Endian | undefined;
}

/** Names that NumPy's dtype() accepts. */
const names = new Set<string>(
  simpleTypes.filter((name) => /^(bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128))$/.test(name)),
);

/**
 * Parses a data type such as `"<i4"`, `"|u1"`, `"=f8"`, `"i4"`, `"float32"`, `">M8[ns]"`.
 * @throws InvalidMetadata or Unsupported for anything else.
 */
export function parseNumpyName(text: string): NumpyType {
  if (names.has(text)) {
    const dtype = DTypes.simple(text as SimpleType);
    return { dtype, endian: dtype.itemBytes > 1 ? "little" : undefined };
  }
  // NumPy's "=" and a missing mark mean the writer's native order: little-endian on machines that write Zarr.
  const marked = /^[<>|]/.test(text) ? text : `<${text.replace(/^=/, "")}`;
  const { dtype, endians } = parseTypestr(marked);
  return { dtype, endian: endians[0] };
}

/** Parses a data type in an option; `fallback` if absent (an error without one). */
export function readNumpyType(config: ConfigReader, name: string, fallback?: NumpyType): NumpyType {
  const value = config.get(name) ?? undefined;
  if (value === undefined && fallback) return fallback;
  if (typeof value === "string") {
    try {
      return parseNumpyName(value);
    } catch {
      // reported below, with the codec's name
    }
  }
  throw config.error(`"${name}" must be a NumPy data type such as "<i4", not ${formatValue(value)}`);
}

/** Kinds of elements that a codec can process. */
export type Arithmetic = "any" | "numbers" | "floats";

const accepted: Readonly<Record<Arithmetic, RegExp>> = {
  any: /^(bool|u?int(8|16|32|64)|float\d+|complex\d+|datetime64|timedelta64)$/,
  numbers: /^(u?int(8|16|32|64)|float\d+|datetime64|timedelta64)$/,
  floats: /^float\d+$/,
};

export interface FilterTypes {
  readonly decoded: NumpyType;
  readonly encoded: NumpyType;
}

/** Returns the default type of calculations in filters. Times become integers: NumPy cannot add or scale times. */
export const calculableType = (dtype: DType): DType =>
  dtype.unit === undefined ? dtype : DTypes.simple("int64");

/**
 * Parses the data types of a filter.
 *
 * The decoded type may differ from the array's, but must have the same width: numcodecs reinterprets the
 * bytes as the filter's type (for example, as integers if the array has times).
 */
export function readFilterTypes(
  config: ConfigReader,
  { array }: CodecContext,
  [decodedName, encodedName]: readonly [string, string],
  arithmetic: Arithmetic,
): FilterTypes {
  const dtype = arithmetic === "any" ? array.dtype : calculableType(array.dtype);
  const decoded = readNumpyType(config, decodedName, { dtype, endian: undefined });
  const encoded = readNumpyType(config, encodedName, decoded);
  if (decoded.dtype.itemBytes !== array.dtype.itemBytes) {
    throw config.error(`"${decodedName}" is ${decoded.dtype}, but the array's data type is ${array.dtype}`);
  }
  for (const { dtype: type } of [decoded, encoded]) {
    if (type.fields || !accepted[arithmetic].test(type.core))
      throw config.error(`does not support data type ${type}`);
  }
  return { decoded, encoded };
}

/** Returns a parsed filter: parameters that start with the two types, and the output array. */
export function filterResult(
  { decoded, encoded }: FilterTypes,
  { array }: CodecContext,
  params: readonly number[] = [],
): ParsedCodec {
  return {
    params: [coreRow(decoded.dtype.core).id, coreRow(encoded.dtype.core).id, ...params],
    encoded: { dtype: encoded.dtype, shape: array.shape },
    endian: encoded.endian,
    givenEndian: decoded.endian,
  };
}

/** Returns a float64 as two words, the low one first. */
export function float64Words(value: number): [number, number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}

/** Returns an element of at most 8 bytes as two words, the low one first, zero-extended. */
export function itemWords(item: Uint8Array): [number, number] {
  const bytes = new Uint8Array(8);
  bytes.set(item);
  const view = new DataView(bytes.buffer);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}
