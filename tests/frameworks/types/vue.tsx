import type { GlobalComponents } from "vue";
import type {} from "zarr-wasm-viewer/vue";

type Props = InstanceType<GlobalComponents["zarr-viewer"]>["$props"];
export const props: Props = {
  src: "a.zarr",
  onPointer: ({ detail }) => detail?.text satisfies string | undefined,
};
// @ts-expect-error not a colour map
export const wrongMap: Props = { colormap: "virdis" };
export const view = <zarr-viewer src="a.zarr" class="map" />;
// @ts-expect-error not an attribute
export const unknown = <zarr-viewer source="a.zarr" />;
