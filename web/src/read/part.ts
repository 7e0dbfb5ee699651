/** Lazy part: inner chunks of shards, parts of large chunks, bundles of objects, iteration over chunks, listing. */

export { RangeReader } from "../store/http/range-reader.js";
export { listedMembers } from "../store/listing.js";
export { bundlesOf } from "./bundles.js";
export { readChunks } from "./chunks.js";
export { partialReader } from "./partial.js";
export { ShardReader } from "./shard-read.js";
