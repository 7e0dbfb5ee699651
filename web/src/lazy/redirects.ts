/** Following redirects. */
// Loaded in any case (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { followRedirects } from "../store/http/follow-redirects.js";
