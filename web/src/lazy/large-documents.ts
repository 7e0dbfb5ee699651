/** Metadata documents of more than 128 KiB, and groups with thousands of members. */
// Loaded from the start (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { parseInSlices, sortInSlices } from "../metadata/large-documents.js";
