/** Sparse matrices. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { read } from "../conventions/sparse/read.js";
