/** `viewer.min.js`: `<zarr-viewer>` for pages without a bundler. */
import { useForeignWorkers } from "./foreign-workers.js";

useForeignWorkers();

export * from "./define.js";
