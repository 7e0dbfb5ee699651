/** Checks of arguments, so that what is of the wrong type is said in one sentence. */
import { invalidArgument, shown } from "./errors.js";

/** @throws InvalidArgument for what is no object. */
export function checkObject(value: unknown, what = "options"): void {
  if (typeof value !== "object" || value === null) throw invalidArgument(`${what} cannot be ${shown(value)}`);
}
