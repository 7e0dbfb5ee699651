/**
 * The data types and fill values of most arrays. Metadata with others loads what reads them all: v3.ts and fill.ts,
 * which say the same of these.
 */
import { type Json, JsonNumber, type PlainJson } from "../util/json.js";
import { lazy } from "../util/lazy.js";
import type { DType } from "./dtype.js";
import { toElements } from "./elements.js";
import type { FillRules } from "./fill-source.js";
import type { FillOptions, FillValue } from "./fill-value.js";
import { usualTypes } from "./usual-types.js";

const otherTypes = lazy("other data types", () => import("../lazy/other-types.js"));

/** A data type of Zarr v3, as `parseDataType` reads it. */
export async function readDataType(json: PlainJson): Promise<DType> {
  const usual = typeof json === "string" ? usualTypes.get(json) : undefined;
  return usual ?? (await otherTypes()).parseDataType(json);
}

/** A fill value, as `parseFill` reads it. */
export async function readFill(
  dtype: DType,
  json: Json,
  rules: FillRules,
  options: FillOptions = {},
): Promise<FillValue> {
  const usual = usualFill(dtype, json, rules, options);
  return usual ?? (await otherTypes()).parseFill(dtype, json, rules, options);
}

/** Fill values that need no care: null where it may be, booleans, small integers, NaN, texts; undefined for others. */
export function usualFill(
  dtype: DType,
  json: Json,
  rules: FillRules,
  { allowNull }: FillOptions,
): FillValue | undefined {
  const item = new Uint8Array(dtype.itemBytes);
  if (json === null) return rules !== "strict" || allowNull ? { value: null, item } : undefined;
  if (dtype.name === "string") return typeof json === "string" ? { value: json, item } : undefined;
  if (dtype.name === "bool")
    return typeof json === "boolean" ? { value: json, item: toItem(json) } : undefined;
  const value = smallNumber(dtype, json);
  if (value === undefined) return undefined;
  const element = toElements(dtype, item); // shares its memory
  element[0] = value;
  return Object.is(element[0], value) ? { value, item } : undefined;
}

const toItem = (value: boolean) => Uint8Array.of(Number(value));

/** A number that every type of the kind holds exactly, up to the limits of small integers; undefined for others. */
function smallNumber({ name }: DType, json: Json): number | bigint | undefined {
  const isFloat = /^float(32|64)$/.test(name);
  if (isFloat && json === "NaN") return Number.NaN;
  if (!(json instanceof JsonNumber)) return undefined;
  const { text } = json;
  if (isFloat) return /^-?\d{1,6}(\.0+)?$/.test(text) ? Number(text) : undefined;
  if (!/^u?int(8|16|32|64)$/.test(name) || !/^(0|-?[1-9]\d{0,5})$/.test(text)) return undefined;
  return name.endsWith("64") ? BigInt(text) : Number(text);
}
