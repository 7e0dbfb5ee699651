/**
 * Reads numbers and paths in user attributes, and creates errors about invalid attributes. util/arguments.ts reads
 * properties.
 */

import { formatValue } from "../../codecs/definition.js";
import { normalizePath } from "../../store/path.js";
import { asString, isRecord, ownProperty } from "../../util/arguments.js";
import {
  describeValue,
  invalidArgument,
  invalidMetadata,
  isZarrError,
  type ZarrError,
} from "../../util/errors.js";

/** Returns the value if it is a finite number; integers too large for a number are rounded. */
export function finiteNumber(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns an error about an attribute, stating the requirement and the value found. */
export function badAttribute(what: string, found: unknown): ZarrError {
  return invalidMetadata(`${what}, got ${formatValue(found)}`, { code: "bad-convention" });
}

/** @throws InvalidArgument unless it is an array or group. */
export function checkNode(node: unknown, what: "an array" | "a group"): void {
  const isNode = isRecord(node) && isRecord(node["attributes"]);
  const isRight = isNode && (what === "a group" || Array.isArray(node["shape"]));
  if (!isRight)
    throw invalidArgument(`expected ${what} returned by open() or create(), got ${describeValue(node)}`);
}

/** Returns the name in the attribute `grid_mapping`: "crs", or "crs: x y". */
export function gridMappingName(attributes: unknown): string | undefined {
  return /^\s*([^\s:]+)/.exec(asString(ownProperty(attributes, "grid_mapping")) ?? "")?.[1];
}

/** Returns a path below a group in its normal form; undefined for other values. */
export function pathBelow(path: unknown): string | undefined {
  try {
    return (typeof path === "string" && normalizePath(path)) || undefined;
  } catch (error) {
    if (isZarrError(error)) return undefined;
    throw error;
  }
}
