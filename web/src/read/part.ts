/** Lazy part: inner chunks of shards, parts of large chunks, bundles of objects, iteration over chunks. */

export { RangeReader } from "../store/http/range-reader.js";
export { bundlesOf } from "./bundles.js";
export { readChunks } from "./chunks.js";
export { partialReader } from "./partial.js";
export { ShardReader } from "./shard-read.js";
