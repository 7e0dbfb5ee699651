/** Reading regions of elements of variable length. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { packStrings } from "../dtypes/strings.js";
export { readValues } from "../read/read-values.js";
