import type { SvelteHTMLElements } from "svelte/elements";
import type {} from "zarr-wasm/viewer/svelte";

type Props = SvelteHTMLElements["zarr-viewer"];
export const props: Props = {
  src: "a.zarr",
  class: "map",
  onpointer: ({ detail }) => detail?.text satisfies string | undefined,
};
// @ts-expect-error not a colour map
export const wrongMap: Props = { colormap: "virdis" };
