/**
 * Lazy part: maps, selections by label, sparse matrices, OME-Zarr pyramids and coordinate transformations.
 */
export { readCells } from "./cells/read.js";
export { readGeoreference } from "./geo/read.js";
export { findParts, findTile } from "./geo/tile.js";
export { readValues } from "./geo/values.js";
export { writeMultiscale } from "./ome/pyramid/write.js";
export { readGraph } from "./ome/transforms/graph.js";
export { select } from "./sel/select.js";
export { read as readSparse } from "./sparse/read.js";
