/**
 * Loads rarely used features with `import()` on first use. Each such part is one file `part.ts`, which bundlers
 * turn into a chunk; docs/architecture.md lists them.
 */
import { engineFailed, messageOf } from "./errors.js";

/**
 * Returns a function that loads a part once; a failed load is retried at the next call.
 * @param what contents of the part, for messages.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazy<T>(what: string, load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined; // cached: importing again costs microseconds
  const attempt = async (): Promise<T> => {
    try {
      return await load();
    } catch (cause) {
      loading = undefined;
      const message = `the part of the library for ${what} could not be loaded: ${messageOf(cause)}`;
      throw engineFailed(message, { cause });
    }
  };
  return () => {
    loading ??= attempt();
    return loading;
  };
}

/** Starts loading a part that will be needed soon. A failure surfaces at the first real use. */
export function preload(load: () => Promise<unknown>): void {
  load().catch(() => {});
}
