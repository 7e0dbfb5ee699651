/** Lazy part: inner chunks of shards, parts of large chunks, bundles of objects. */
export { bundlesOf } from "./bundles.js";
export { partialReader } from "./partial.js";
export { ShardReader } from "./shard-read.js";
