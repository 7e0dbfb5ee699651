/** Icechunk repositories as stores. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { IcechunkStore } from "../store/icechunk.js";
