/** Checks of arguments: what does not fit is said in a typed error, where zarrita fails somewhere further down. */

import { isStore } from "../../store/store.js";
import { invalidArgument, shown } from "../../util/errors.js";

/** @throws InvalidArgument for what is no function. */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== "function")
    throw invalidArgument(`${what} must be a function, and cannot be ${shown(value)}`);
}

/** @throws InvalidArgument for what nothing can be read from. */
export function checkStore(store: unknown): void {
  if (!isStore(store)) throw invalidArgument(`${shown(store)} is no store: it has no method get`);
}

/** @throws InvalidArgument for a key or a path that is no text. */
export function checkText(value: unknown, what: string): void {
  if (typeof value !== "string")
    throw invalidArgument(`${what} must be a string, and cannot be ${shown(value)}`);
}
