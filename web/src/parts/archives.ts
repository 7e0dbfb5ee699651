/** ZIP archives as stores. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { ZipStore } from "../store/zip.js";
