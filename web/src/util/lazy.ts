/**
 * What most viewers do without is loaded by `import()` when something asks for it. Each such part is one file in
 * `lazy/`, of which bundlers make a file; docs/architecture.md lists them.
 *
 * Those files name what is loaded in any case as imports, for nothing but its place in bundles: esbuild makes a file of
 * what each combination of parts has in common, and with these imports that is one file instead of twenty. Imports
 * without names have no effect otherwise, as package.json says of all modules here.
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
