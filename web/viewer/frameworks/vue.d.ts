// Types of <zarr-viewer> in Vue's templates and JSX: import type {} from "zarr-wasm-viewer/vue".
import type { HTMLAttributes } from "vue";
import type { ZarrLayerAttributes, ZarrViewerEvents, ZarrViewerProps } from "../define.js";

/** Listeners: `@pointer` in templates. */
export type ZarrViewerHandlers = {
  [K in keyof ZarrViewerEvents as `on${Capitalize<K>}`]?: ((event: ZarrViewerEvents[K]) => void) | undefined;
};

/** Props of `<zarr-viewer>`. */
export type ZarrViewerVueProps = Omit<HTMLAttributes, keyof ZarrViewerProps | keyof ZarrViewerHandlers> &
  ZarrViewerProps &
  ZarrViewerHandlers;

declare module "vue" {
  interface GlobalComponents {
    "zarr-viewer": new () => { $props: ZarrViewerVueProps };
    "zarr-layer": new () => { $props: ZarrLayerAttributes };
  }
}

declare module "vue/jsx-runtime" {
  namespace JSX {
    interface IntrinsicElements {
      "zarr-viewer": ZarrViewerVueProps;
      "zarr-layer": ZarrLayerAttributes;
    }
  }
}
