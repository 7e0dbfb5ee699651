/** Codecs for elements of variable length. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { objectCodecs } from "../codecs/object/list.js";
