/** The other way round: this library's codecs for an installed zarrita. */
import type { ZarrVersion } from "../../codecs/definition.js";
import { codecNames } from "../../codecs/registry.js";
import { checkFunction } from "./arguments.js";
import { bytesEntry } from "./bytes-codecs.js";

/** zarrita's registry, as far as it matters here. */
export interface CodecRegistry {
  set(name: string, load: () => Promise<never>): unknown;
}

/**
 * Puts this library's bytes-to-bytes codecs into zarrita's `registry`: faster ones for those that it has, with
 * checksums verified, and those that it lacks (bz2, lzma, fletcher32, …). Array codecs stay zarrita's.
 */
export function registerCodecs(registry: CodecRegistry): void {
  checkFunction(registry?.set, "the method set of a registry");
  for (const name of codecNames(3, "bytes-to-bytes")) register(registry, name, 3, name);
  // Zarr v2's ids go by this prefix there; v3 names with it mean the same.
  for (const id of codecNames(2, "bytes-to-bytes")) register(registry, `numcodecs.${id}`, 2, id);
}

function register(registry: CodecRegistry, name: string, version: ZarrVersion, ownName: string): void {
  const entry = bytesEntry(ownName, version, name);
  if (entry) registry.set(name, async () => entry as never);
}
