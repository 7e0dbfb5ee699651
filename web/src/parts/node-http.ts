/** HTTP by the client of Node. */
// What is there anyway (see parts.ts).
import "../codecs.js";
import "../get.js";
import "../open.js";

export { nodeTransport } from "../store/http/node.js";
