/**
 * Reading user attributes, which anyone may have written: only own properties count, and every value is
 * checked before it is used.
 */

import { invalidArgument, invalidMetadata, shown, type ZarrError } from "../base/errors.js";
import { show } from "../codecs/config.js";

/** An object among attributes. */
export type Properties = { readonly [name: string]: unknown };

export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A property's value; undefined for what is no object or has no such property of its own. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value if it is a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value if it is a finite number; integers too large for a number are rounded. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** An error about an attribute: what is wrong, and what is there. */
export function badAttribute(what: string, found: unknown, code = "bad-attribute"): ZarrError {
  return invalidMetadata(`${what}, not ${show(found)}`, { code });
}

/** @throws InvalidArgument for what is no array or group. */
export function checkNode(node: unknown, what: "an array" | "a group"): void {
  const isNode = isRecord(node) && isRecord(node["attributes"]);
  const isRight = isNode && (what === "a group" || Array.isArray(node["shape"]));
  if (!isRight) throw invalidArgument(`${shown(node)} is not ${what} that was opened or created`);
}
