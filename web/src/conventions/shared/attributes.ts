/** Numbers among user attributes, and what is said of those that are wrong. util/own-property.ts reads properties. */

import { show } from "../../codecs/config.js";
import { invalidArgument, invalidMetadata, shown, type ZarrError } from "../../util/errors.js";
import { isRecord } from "../../util/own-property.js";

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
