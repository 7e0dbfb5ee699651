/** Coordinate systems and transformations of OME-Zarr. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readGraph } from "../conventions/ome/transforms/graph.js";
