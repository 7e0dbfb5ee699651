/** Writing the resolution levels of OME-Zarr images. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { writeMultiscale } from "../conventions/ome/pyramid/write.js";
