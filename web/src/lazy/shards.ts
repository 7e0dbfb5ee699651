/** Reading chunks inside shards, and objects that lie close together in the files of their store. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { bundlesOf } from "../read/bundles.js";
export { ShardReader } from "../read/shard-read.js";
