/** Checks of arguments that several calls take. */
import { checkObject } from "../base/arguments.js";
import { invalidArgument, shown } from "../base/errors.js";

/** Options that every read has. */
interface CommonOptions {
  readonly signal?: unknown;
  readonly pool?: unknown;
}

/** @throws InvalidArgument for options that are not an object, an invalid signal or pool. */
export function checkOptions(options: CommonOptions): void {
  checkObject(options);
  check(options, "signal", "throwIfAborted");
  check(options, "pool", "makeSink");
}

function check(options: CommonOptions, name: keyof CommonOptions, method: string): void {
  const value = options[name] as Record<string, unknown> | null | undefined;
  if (value !== undefined && typeof value?.[method] !== "function")
    throw invalidArgument(`options.${name} cannot be ${shown(value)}`);
}
