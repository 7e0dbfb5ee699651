/** Lazy part: every codec, and the errors for unknown ones. */
export { codecNames, findCodec, unknownError } from "./registry.js";
