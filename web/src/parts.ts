/**
 * Parts of the library that most viewers do without, and how they are loaded: whoever meets the need for one awaits
 * it here. Each is one file in `parts/`, of which bundlers make a file; docs/architecture.md lists them.
 *
 * Those files name what is loaded in any case as imports, for nothing but its place in bundles: esbuild makes a file of
 * what each combination of parts has in common, and with these imports that is one file instead of twenty. Imports
 * without names have no effect otherwise, as package.json says of all modules here.
 */
import { engineFailed } from "./errors.js";

/**
 * A part, loaded when it is asked for. Engines load it once; what has failed is tried again at the next call.
 * @param what stands in the part, for messages.
 */
export function part<T>(what: string, load: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await load();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : cause;
      throw engineFailed(`the part of the library for ${what} could not be loaded: ${reason}`, { cause });
    }
  };
}

/** Zarr v1 and v2: their metadata and NumPy's type strings. */
export const olderVersions = part("Zarr v1 and v2", () => import("./parts/older-versions.js"));
/** All codecs. */
export const allCodecs = part("rare codecs", () => import("./parts/all-codecs.js"));
/** Codecs for elements of variable length. */
export const objectCodecs = part("codecs of strings and objects", () => import("./parts/object-codecs.js"));
/** Data types and fill values of all kinds. */
export const otherTypes = part("other data types", () => import("./parts/other-types.js"));
/** Chunks inside shards. */
export const shards = part("shards", () => import("./parts/shards.js"));
/** Reading chunks in part. */
export const partialReading = part("partial reading", () => import("./parts/partial-reading.js"));
/** ZIP archives. */
export const archives = part("ZIP archives", () => import("./parts/archives.js"));
/** The file system. */
export const fileSystem = part("files", () => import("./parts/file-system.js"));

/** Starts loading a part that will be asked for. If that fails, whoever asks for it will say so. */
export function preload(load: () => Promise<unknown>): void {
  load().catch(() => {});
}
