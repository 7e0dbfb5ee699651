/** Reading chunks inside shards, and objects that lie close together in the files of their store. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { bundlesOf } from "../region/fetch/bundles.js";
export { ShardReader } from "../region/fetch/shard-read.js";
