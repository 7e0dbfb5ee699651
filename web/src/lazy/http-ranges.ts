/** Parts of objects over HTTP: of shards, of large chunks, of archives. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readLast } from "../store/http/last-bytes.js";
export { readAt } from "../store/http/offset-ranges.js";
