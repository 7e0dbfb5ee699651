/** Defines `<zarr-viewer>` on import: the package exports it as `zarr-wasm-viewer/element`. */
import { defineZarrViewer } from "./element/zarr-viewer.js";

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
