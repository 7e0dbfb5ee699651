// Types of <zarr-viewer> in Preact: import type {} from "zarr-wasm-viewer/preact".
import type { HTMLAttributes, Key } from "preact";
import type { ZarrLayerAttributes, ZarrViewerElement, ZarrViewerEvents, ZarrViewerProps } from "../define.js";

/** Preact listens to `pointer` for the prop `onpointer`. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on${K}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

type Unheard = "onLoad" | "onChange" | "onProgress" | "onError";

/** Props of `<zarr-viewer>`. */
export type ZarrViewerPreactProps = Omit<
  HTMLAttributes<ZarrViewerElement>,
  keyof ZarrViewerProps | keyof ZarrViewerHandlers | Unheard | `${Unheard}Capture`
> &
  ZarrViewerProps &
  ZarrViewerHandlers;

/** Props of `<zarr-layer>`. */
export interface ZarrLayerPreactProps extends ZarrLayerAttributes {
  key?: Key | undefined;
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerPreactProps;
      "zarr-layer": ZarrLayerPreactProps;
    }
  }
}
