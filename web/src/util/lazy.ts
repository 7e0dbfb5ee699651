/**
 * Loads parts of the library on demand. Each part is a `part.ts`, which `import()` loads once something asks for it, and
 * bundlers make a file of it; docs/architecture.md lists them.
 */
import { engineFailed, messageOf } from "./errors.js";

/**
 * A function that loads a part, once; what has failed is tried again at the next call.
 * @param what stands in the part, for messages.
 */
export function lazy<T>(what: string, load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined; // kept: asking the engine again costs microseconds
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

/** Starts loading a part that will be asked for. If that fails, whoever asks for it will say so. */
export function preload(load: () => Promise<unknown>): void {
  load().catch(() => {});
}
