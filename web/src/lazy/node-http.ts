/** HTTP by the client of Node. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { nodeTransport } from "../store/http/node.js";
