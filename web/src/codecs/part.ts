/** Lazy part: every codec, and the errors for unknown ones. */
export { codecNames, findCodec } from "./registry.js";
export { unknownError } from "./unknown.js";
