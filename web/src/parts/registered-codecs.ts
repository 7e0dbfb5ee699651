/** The entries of the zarrita drop-in's registry. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";
import "../zarrita/indexing.js";
import "../zarrita/open.js";

export { entryOf } from "../zarrita/codec-entries.js";
