/** Helpers that the viewer shares with the library; the build copies them into the viewer's modules. */
export { ownProperty } from "./arguments.js";
export { type Kept, LruCache } from "./lru.js";
export { diagonalRows, productRows, type Rows } from "./matrix.js";
export { inSlices, type Steps } from "./slices.js";
