/** Codecs for elements of variable length. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { objectCodecs } from "../codecs/vlen/list.js";
