/**
 * Reads untrusted objects such as attributes and options: only own properties count, and every value is
 * checked before use.
 */

/** An object with properties of unknown types. */
export type Properties = { readonly [name: string]: unknown };

/** Whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of an own property; undefined if there is none or the value is not an object. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Whether a value contains an array with undefined or a hole, which `every` and `map` skip. Visits each
 * object once.
 */
export function hasHole(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value))
    return false;
  seen.add(value);
  if (Array.isArray(value) && value.includes(undefined)) return true;
  return Object.values(value).some((child) => hasHole(child, seen));
}

/** Whether a string has no lone surrogates, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Returns the value if it is a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
