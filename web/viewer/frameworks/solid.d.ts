// Types of <zarr-viewer> in Solid: import type {} from "zarr-wasm-viewer/solid".
import type { JSX } from "solid-js";
import type {
  ZarrLayerAttributes,
  ZarrViewerAttributes,
  ZarrViewerElement,
  ZarrViewerEvents,
  ZarrViewerProperties,
  ZarrViewerProps,
} from "../define.js";

/** Listeners: `on:pointer={…}`. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on:${K}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

/**
 * Solid sets expressions as properties of custom elements; attributes without a property need `attr:`, except as
 * literals.
 */
export type ZarrViewerExplicitProps = {
  [K in keyof ZarrViewerAttributes as `attr:${K}`]?: ZarrViewerAttributes[K];
} & {
  [K in keyof ZarrViewerProperties as `prop:${K}`]?: ZarrViewerProperties[K];
};

type Unheard = "onLoad" | "onChange" | "onProgress" | "onError";

/** Props of `<zarr-viewer>`. */
export type ZarrViewerSolidProps = Omit<
  JSX.HTMLAttributes<ZarrViewerElement>,
  keyof ZarrViewerProps | keyof ZarrViewerHandlers | Unheard | Lowercase<Unheard>
> &
  ZarrViewerProps &
  ZarrViewerExplicitProps &
  ZarrViewerHandlers;

/** Attributes of `<zarr-layer>`: expressions need `attr:`, literals do not. */
export type ZarrLayerSolidProps = {
  [K in keyof ZarrLayerAttributes as K | `attr:${K}`]?: ZarrLayerAttributes[K];
};

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerSolidProps;
      "zarr-layer": ZarrLayerSolidProps;
    }
  }
}
