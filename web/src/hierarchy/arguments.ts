/** Checks of arguments that several calls take. */
import { invalidArgument, shown } from "../base/errors.js";

/** Options that every read has. */
interface CommonOptions {
  readonly signal?: unknown;
  readonly pool?: unknown;
}

/** @throws InvalidArgument for options that are no object, and a signal or pool that is none. */
export function checkOptions(options: CommonOptions): void {
  if (typeof options !== "object" || options === null)
    throw invalidArgument(`options must be an object, not ${shown(options)}`);
  checkMethod(options.signal, "signal", "throwIfAborted", "an AbortSignal");
  checkMethod(options.pool, "pool", "makeSink", "a WorkerPool");
}

function checkMethod(value: unknown, name: string, method: string, kind: string): void {
  const found = value as Record<string, unknown> | null | undefined;
  if (value === undefined || typeof found?.[method] === "function") return;
  throw invalidArgument(`${name} must be ${kind}, not ${shown(value)}`);
}
