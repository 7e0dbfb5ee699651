/** `<zarr-viewer>` by one import: what the package exports as `zarr-wasm/viewer/element`, and `viewer.min.js` holds. */
import { defineZarrViewer, useWorkersFrom } from "./element/zarr-viewer.js";

/** Beside the bundle. Not in one expression with its address: bundlers would take it for a file of theirs. */
const workerName = "worker.js";

useWorkersFrom(new URL(workerName, import.meta.url));
defineZarrViewer();

export { ZarrViewerElement, type ZarrViewerEvents } from "./element/zarr-viewer.js";
export * from "./viewer.js";
