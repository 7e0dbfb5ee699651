/** ZIP archives as stores. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { ZipStore } from "../store/zip/store.js";
