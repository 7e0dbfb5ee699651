/**
 * Parses fill values from their JSON form to the exact bytes of one element.
 *
 * Works on JSON text, never through a rounded number: 64-bit integers and NaN payloads are exact, decimals
 * are rounded once. Spec: Zarr v1 and v2 "fill_value" (which leave most encodings open), Zarr v3 core and
 * zarr-extensions "fill value representation". docs/dtypes.md has the table.
 */
import { isJsonObject, type Json, type JsonObject } from "../util/json.js";
import type { DType } from "./dtype.js";
import { readBytes, readFixedBytes, readRaw, readStored, readText, readValue } from "./fill-bytes.js";
import { readBool, readComplex, readFloat, readInteger } from "./fill-numbers.js";
import { type FillOptions, type FillScalar, type FillSource, type FillValue, refuse } from "./fill-value.js";

/**
 * Parses a fill value.
 *
 * "strict" selects the rules of Zarr v3. "loose" also accepts the output of v1 and v2 writers: null (zeros);
 * integers as `0.0` or `"0"`; floats as bare tokens or in quotes; bool as 0 or 1; complex as a single number
 * or as base64; byte strings as plain text if they are not base64 of a fitting length; 0 as the zero of
 * strings, bytes and structured types. "plain" selects the rules of v1: loose, but strings are never base64,
 * and structured values are lists of their fields' values.
 * @throws InvalidMetadata (bad-fill-value) for anything else.
 */
export function parseFill(
  dtype: DType,
  json: Json,
  rules: FillSource["rules"],
  options: FillOptions = {},
): FillValue {
  const item = new Uint8Array(dtype.itemBytes);
  if (json === null && (rules !== "strict" || options.allowNull)) return { value: null, item };
  return { value: readFill({ dtype, json, rules, endian: options.endian }, item), item };
}

/** {@link parseFill} with the loose rules. */
export function parseLooseFill(dtype: DType, json: Json, options?: FillOptions): FillValue {
  return parseFill(dtype, json, "loose", options);
}

/** Writes a fill value into the zeroed bytes of one element, and returns it as a {@link FillScalar}. */
function readFill(source: FillSource, item: Uint8Array): FillScalar {
  const { core } = source.dtype;
  switch (core) {
    case "variable":
      return readVariable(source);
    case "bool":
      return readBool(source, item);
    case "raw":
      return readRaw(source, item);
    case "fixed_bytes":
      return readFixedBytes(source, item);
    case "fixed_utf32":
      return readText(source, item);
    case "struct":
      return readStruct(source, item);
    default:
      if (/^u?int|^datetime|^timedelta/.test(core)) return readInteger(source, item);
      return core.startsWith("complex") ? readComplex(source, item) : readFloat(source, item);
  }
}

function readVariable(source: FillSource): FillScalar {
  if (source.dtype.name === "bytes") return readBytes(source);
  return readValue(source);
}

/**
 * Parses an object with a value for every field, or base64 of the packed item; plain: a list of the fields'
 * values is accepted too.
 */
function readStruct(source: FillSource, item: Uint8Array): FillScalar {
  const { dtype, json, rules } = source;
  const fields = dtype.fields!;
  const isList = rules === "plain" && Array.isArray(json);
  if (!isList && !isJsonObject(json)) return readStored(source, item);
  const byName = json as JsonObject;
  const values = isList
    ? json
    : fields.map(({ name }) => (Object.hasOwn(byName, name) ? byName[name] : undefined));
  const isWhole = fields.every(({ shape }, i) => values[i] !== undefined && shape.length === 0);
  if (!isWhole || Object.keys(byName).length !== fields.length) refuse(source);
  fields.forEach(({ dtype: type, offset }, i) => {
    const part = item.subarray(offset, offset + type.itemBytes);
    readFill({ dtype: type, json: values[i]!, rules, endian: undefined }, part);
  });
  return item;
}
