/** Reading chunks inside shards. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { ShardReader } from "../region/fetch/shard-read.js";
