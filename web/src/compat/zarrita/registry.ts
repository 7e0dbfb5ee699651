/** The codec registry: this library's codecs, and those that the application adds. */

import type { Store } from "../../store/store.js";
import { lazy } from "../../util/lazy.js";
import type { LoadEntry, OwnCodecStore, OwnEntries } from "./own-codecs.js";

/** Lazy part: writing, codecs of the application, and replacements of `getChunk`. */
export const zarritaPart = lazy("writing and extensions with zarrita's interface", () => import("./part.js"));

/** Codecs of zarrita; codecs of Zarr v2 are registered as "numcodecs." and their id. */
const names = ["blosc", "lz4", "zstd", "gzip", "zlib", "vlen-utf8", "json2", "bitround"];
const namesOfV3 = ["transpose", "bytes", "crc32c", "cast_value", "scale_offset"];
const namesOfV2 = ["shuffle", "delta"];

/** Entries for this library's codecs. Arrays are read without them. */
const standard = new Map<string, LoadEntry>(
  [...names, ...namesOfV3, ...[...names, ...namesOfV2].map((id) => `numcodecs.${id}`)].map((name) => [
    name,
    async () => (await zarritaPart()).codecEntry(name),
  ]),
);

/**
 * Codecs by name ("numcodecs.<id>" for ids of Zarr v2): the standard ones, for programs that look them up, and those
 * that the application adds, which replace this library's. Added codecs may end a chain: bytes-to-bytes codecs, and one
 * array-to-bytes codec before them. Elsewhere in a chain, and in shards, they are not looked up.
 */
export const registry: Map<string, LoadEntry> = new Map(standard);

/** The codecs that the application has added. */
export const ownEntries = (): OwnEntries =>
  new Map([...registry].filter(([name, load]) => standard.get(name) !== load));

/** A store that decodes and encodes the application's codecs; undefined if it has added none. */
export async function withOwnCodecs(store: Store): Promise<OwnCodecStore | undefined> {
  const entries = ownEntries();
  return entries.size > 0 ? (await zarritaPart()).ownCodecStore(store, entries) : undefined;
}
