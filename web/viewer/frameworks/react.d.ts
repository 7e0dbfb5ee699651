// Types of <zarr-viewer> in React 19: import type {} from "zarr-wasm-viewer/react".
import type { DetailedHTMLProps, HTMLAttributes, Key } from "react";
import type { ZarrLayerAttributes, ZarrViewerElement, ZarrViewerEvents, ZarrViewerProps } from "../define.js";

/** React passes props in lower case to the element: `onpointer` listens to `pointer`. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on${K}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

/** React's own `onLoad` and the like listen on the document, which events that do not bubble never reach. */
type Unheard = "onLoad" | "onChange" | "onProgress" | "onError";
type Inherited = DetailedHTMLProps<HTMLAttributes<ZarrViewerElement>, ZarrViewerElement>;

/** Props of `<zarr-viewer>`. */
export type ZarrViewerReactProps = Omit<
  Inherited,
  keyof ZarrViewerProps | Unheard | `${Unheard}Capture` | "dangerouslySetInnerHTML"
> &
  ZarrViewerProps &
  ZarrViewerHandlers;

/** Props of `<zarr-layer>`. */
export interface ZarrLayerReactProps extends ZarrLayerAttributes {
  key?: Key | null | undefined;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerReactProps;
      "zarr-layer": ZarrLayerReactProps;
    }
  }
}

declare global {
  /** React 18 and earlier. */
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerReactProps;
      "zarr-layer": ZarrLayerReactProps;
    }
  }
}
