/**
 * Reading values that anyone may have written, attributes and options: only objects' own properties count, and every value
 * is checked before it is used.
 */

/** An object whose properties may be anything. */
export type Properties = { readonly [name: string]: unknown };

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A property's value; undefined for what is no object or has no such property of its own. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a list in a value has a hole, which `every` and `map` skip, or undefined. Visits each object once. */
export function hasHole(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value))
    return false;
  seen.add(value);
  if (Array.isArray(value) && value.includes(undefined)) return true;
  return Object.values(value).some((child) => hasHole(child, seen));
}

/** Whether a string has no lone surrogates, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** The value if it is a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
