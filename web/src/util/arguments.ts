/** Checks of arguments, so that what is of the wrong type is said in one sentence. */
import { invalidArgument, shown } from "./errors.js";

/** @throws InvalidArgument for what is no object. */
export function checkObject(value: unknown, what = "options"): void {
  if (typeof value !== "object" || value === null) throw invalidArgument(`${what} cannot be ${shown(value)}`);
}

/** @throws InvalidArgument for what is no AbortSignal; undefined and null are none. */
export function checkSignal(value: unknown): void {
  if (value === undefined || value === null) return;
  const { throwIfAborted, addEventListener } = value as Partial<AbortSignal>;
  if (typeof throwIfAborted !== "function" || typeof addEventListener !== "function")
    throw invalidArgument(`signal must be an AbortSignal, not ${shown(value)}`);
}

/** @throws InvalidArgument for options that are no object, or have a signal that is none. */
export function checkSignalIn(options: { readonly signal?: unknown }): void {
  checkObject(options);
  checkSignal(options.signal);
}
