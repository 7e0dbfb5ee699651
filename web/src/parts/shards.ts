/** Reading chunks inside shards. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { ShardReader } from "../region/shard-read.js";
