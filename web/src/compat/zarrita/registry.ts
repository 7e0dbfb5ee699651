/** The codec registry, for programs that look codecs up. */

import { lazy } from "../../util/lazy.js";
import type { CodecEntry } from "./types.js";

/** Lazy part: writing, codecs as classes, and replacements of `getChunk`. */
export const zarritaPart = lazy("writing and extensions with zarrita's interface", () => import("./part.js"));

/** Codecs of zarrita; codecs of Zarr v2 are registered as "numcodecs." and their id. */
const names = ["blosc", "lz4", "zstd", "gzip", "zlib", "vlen-utf8", "json2", "bitround"];
const namesOfV3 = ["transpose", "bytes", "crc32c", "cast_value", "scale_offset"];
const namesOfV2 = ["shuffle", "delta"];

/** zarrita's codecs by name ("numcodecs.<id>" for ids of Zarr v2). Arrays are read and written without it. */
export const registry: Map<string, () => CodecEntry | Promise<CodecEntry>> = new Map(
  [...names, ...namesOfV3, ...[...names, ...namesOfV2].map((id) => `numcodecs.${id}`)].map((name) => [
    name,
    async () => (await zarritaPart()).codecEntry(name),
  ]),
);
