/**
 * Four-byte checksums: crc32c (Zarr v3 core), crc32, adler32 and fletcher32 of numcodecs. All are verified
 * when a chunk is decoded.
 */

import type { CoreCodec } from "../engine/codec-table.js";
import type { CodecDefinition, ZarrVersion } from "./definition.js";

/** Location of the checksum; indices are the core's numbers. */
const places = ["start", "end"];
const end = 1;

/** Returns the names of a checksum of numcodecs. */
export const extended = (id: string) => ({ 2: [id], 3: [`numcodecs.${id}`] });

/** Returns the size of data with its checksum. */
export const withChecksum = (bytes: number) => bytes + 4;

/** Defines a checksum before or after the data. */
function placed(
  core: CoreCodec,
  names: { readonly [V in ZarrVersion]?: readonly string[] },
  fallback: "start" | "end",
): CodecDefinition {
  return {
    core,
    kind: "bytes-to-bytes",
    names,
    encodedBytes: withChecksum,
    parse(config) {
      config.only("location");
      return { params: [config.choice("location", places, fallback)] };
    },
  };
}

/** The v3 specification has no location, but other implementations write one. */
export const crc32c = placed("crc32c", { 2: ["crc32c"], 3: ["crc32c", "numcodecs.crc32c"] }, "end");
export const crc32 = placed("crc32", extended("crc32"), "start");
export const adler32 = placed("adler32", extended("adler32"), "start");

export const fletcher32: CodecDefinition = {
  core: "fletcher32",
  kind: "bytes-to-bytes",
  names: extended("fletcher32"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only();
    return { params: [end] };
  },
};
