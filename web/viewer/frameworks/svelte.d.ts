// Types of <zarr-viewer> in Svelte 5: import type {} from "zarr-wasm-viewer/svelte".
import type { HTMLAttributes } from "svelte/elements";
import type { ZarrLayerAttributes, ZarrViewerElement, ZarrViewerEvents, ZarrViewerProps } from "../define.js";

/** Listeners: `onpointer={…}`. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on${K}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

/** Props of `<zarr-viewer>`. */
export type ZarrViewerSvelteProps = Omit<
  HTMLAttributes<ZarrViewerElement>,
  keyof ZarrViewerProps | keyof ZarrViewerHandlers
> &
  ZarrViewerProps &
  ZarrViewerHandlers;

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "zarr-viewer": ZarrViewerSvelteProps;
    "zarr-layer": ZarrLayerAttributes;
  }
}
