/** Data types as numcodecs writes them in filters: NumPy type strings, with or without byte order, or names. */
import { type DType, DType as DTypes, type SimpleType, simpleTypes } from "../dtypes/dtype.js";
import { type Endian, parseTypestr } from "../dtypes/typestr.js";
import { type ConfigReader, show } from "./config.js";

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
  throw config.error(`"${name}" must be a NumPy data type such as "<i4", not ${show(value)}`);
}
