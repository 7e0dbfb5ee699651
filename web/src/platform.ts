/**
 * What differs between runtimes. Nothing here is imported by name, so that every module of the package
 * loads as it is in a browser, and no bundler stumbles over modules of Node's.
 */

/** A built-in module of Node's (also in Deno and Bun). Fails where there are none. */
export async function nodeModule<T>(name: `node:${string}`): Promise<T> {
  const host = (globalThis as { process?: { getBuiltinModule?: (name: string) => T | undefined } }).process;
  return (
    host?.getBuiltinModule?.(name) ??
    (import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<T>)
  );
}

/**
 * Lets a signal have as many listeners as requests wait on it. Node warns beyond ten, taking them for a leak;
 * other runtimes do not.
 */
export function allowListeners(signal: AbortSignal): void {
  type Events = { setMaxListeners(count: number, target: EventTarget): void };
  type Host = { process?: { getBuiltinModule?: (name: string) => Events | undefined } };
  try {
    (globalThis as Host).process?.getBuiltinModule?.("node:events")?.setMaxListeners(0, signal);
  } catch {
    // A runtime that only resembles Node: the warning, should there be one, is all that is at stake.
  }
}

/** True for URLs of files, which only Node, Deno and Bun can read. */
export function isFileUrl(url: URL): boolean {
  return url.protocol === "file:";
}

/** Reads the file behind a file URL. */
export async function readFileUrl(url: URL, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile } = await nodeModule<typeof import("node:fs/promises")>("node:fs/promises");
  const bytes = await readFile(url, signal ? { signal } : {});
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
