/** `viewer.min.js`: `<zarr-viewer>` for pages without a bundler, with its worker script beside it. */
import { useWorkersFrom } from "./element/zarr-viewer.js";

useWorkersFrom(new URL("worker.js", import.meta.url));

export * from "./define.js";
