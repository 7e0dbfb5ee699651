/** Selections by label. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { select } from "../conventions/sel/select.js";
