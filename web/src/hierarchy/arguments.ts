/** Argument checks shared by several calls. */
import { checkSignalIn } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";

/** Options common to all reads. */
interface CommonOptions {
  readonly signal?: unknown;
  readonly pool?: unknown;
}

/** @throws InvalidArgument for options that are not an object, an invalid signal or pool. */
export function checkOptions(options: CommonOptions): void {
  checkSignalIn(options);
  const pool = options.pool as { makeSink?: unknown } | null | undefined;
  if (pool !== undefined && typeof pool?.makeSink !== "function")
    throw invalidArgument(`options.pool cannot be ${describeValue(pool)}`);
}
