/** Listing stores, and groups whose nodes only their store knows. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { listedMembers } from "../hierarchy/listed-members.js";
export { childrenOf } from "../store/children.js";
