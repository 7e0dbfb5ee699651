// Types of <zarr-viewer> in Preact: import type {} from "zarr-wasm/viewer/preact".
import type { HTMLAttributes } from "preact";
import type { ZarrViewerElement, ZarrViewerEvents, ZarrViewerProps } from "../define.js";

/** Preact listens to `pointer` for the prop `onpointer`. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on${K}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

type Unheard = "onLoad" | "onChange" | "onProgress" | "onError";

/** Props of `<zarr-viewer>`. */
export type ZarrViewerPreactProps = Omit<
  HTMLAttributes<ZarrViewerElement>,
  keyof ZarrViewerProps | keyof ZarrViewerHandlers | Unheard | `${Unheard}Capture` | "children"
> &
  ZarrViewerProps &
  ZarrViewerHandlers;

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerPreactProps;
    }
  }
}
