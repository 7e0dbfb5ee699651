/** Judges which codecs are slow enough to run in other threads. */

import { type CoreCodec, coreCodecs } from "../engine/codec-table.js";
import type { Plan } from "../engine/plan.js";

/**
 * Codecs that take longer than copying the bytes to another thread, in both directions: also those that only decode. blosc
 * depends on its compressor.
 */
const slowCodecs: ReadonlySet<CoreCodec> = new Set<CoreCodec>([
  ...(["zlib", "gzip", "zstd", "blosc", "bz2", "lzma", "zfp", "lzw"] as const),
  ...coreCodecs.filter(({ encode }) => encode === "none").map(({ core }) => core),
]);

/** Whether decoding, or encoding, takes longer than copying the bytes to another thread and back. */
export function isSlow({ steps }: Plan, direction: "decode" | "encode"): boolean {
  const fastest = direction === "decode" ? 3 : 1; // compressors of Blosc: snappy, lz4
  return steps.some(({ core, params }) => {
    if (core === "lz4") return direction === "encode"; // without a shuffle before it, as Blosc has
    return slowCodecs.has(core) && !(core === "blosc" && params[0]! <= fastest);
  });
}
