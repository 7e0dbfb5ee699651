import type { SvelteHTMLElements } from "svelte/elements";
import type {} from "zarr-wasm-viewer/svelte";

type Props = SvelteHTMLElements["zarr-viewer"];
export const props: Props = {
  src: "a.zarr",
  class: "map",
  onpointer: ({ detail }) => detail?.text satisfies string | undefined,
};
// @ts-expect-error not a colour map
export const wrongMap: Props = { colormap: "virdis" };

type LayerProps = SvelteHTMLElements["zarr-layer"];
export const layer: LayerProps = { src: "b.geojson", opacity: 0.5, blend: "add" };
// @ts-expect-error a layer needs a source
export const sourceless: LayerProps = { opacity: 1 };
