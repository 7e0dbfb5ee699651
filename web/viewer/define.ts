/**
 * Defines `<zarr-viewer>` on import: the package exports it as `zarr-wasm/viewer/element`, bundled in
 * `viewer.min.js`.
 */
import { defineZarrViewer, useWorkersFrom } from "./element/zarr-viewer.js";

/** Next to the bundle. Kept out of the URL expression, or bundlers would treat it as an asset of theirs. */
const workerName = "worker.js";

useWorkersFrom(new URL(workerName, import.meta.url));
defineZarrViewer();

export type {
  RangeText,
  ZarrLayerAttributes,
  ZarrViewerAttributes,
  ZarrViewerProperties,
  ZarrViewerProps,
} from "./element/attributes.js";
export { ZarrViewerElement, type ZarrViewerEventMap, type ZarrViewerEvents } from "./element/zarr-viewer.js";
export * from "./viewer.js";
