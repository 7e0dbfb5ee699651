/** Checks arguments, so that one of the wrong type is reported in one sentence. */
import { invalidArgument, shown } from "./errors.js";

/** @throws InvalidArgument if the value is not an object. */
export function checkObject(value: unknown, what = "options"): void {
  if (typeof value !== "object" || value === null) throw invalidArgument(`${what} cannot be ${shown(value)}`);
}

/**
 * Accepts undefined and null, which mean no signal. @throws InvalidArgument for any other value that is not
 * an AbortSignal.
 */
export function checkSignal(value: unknown): void {
  if (value === undefined || value === null) return;
  const { throwIfAborted, addEventListener } = value as Partial<AbortSignal>;
  if (typeof throwIfAborted !== "function" || typeof addEventListener !== "function")
    throw invalidArgument(`signal must be an AbortSignal, not ${shown(value)}`);
}

/** @throws InvalidArgument if the options are not an object or their signal is not an AbortSignal. */
export function checkSignalIn(options: { readonly signal?: unknown }): void {
  checkObject(options);
  checkSignal(options.signal);
}
