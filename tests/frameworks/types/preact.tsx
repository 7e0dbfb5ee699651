import type {} from "zarr-wasm-viewer/preact";

export const view = (
  <zarr-viewer
    class="map"
    src="a.zarr"
    range="minmax"
    onload={({ detail }) => detail.array.shape satisfies readonly number[]}
    onpointer={({ detail }) => detail?.text satisfies string | undefined}
  />
);
// @ts-expect-error not a colour map
export const wrongMap = <zarr-viewer colormap="virdis" />;
// @ts-expect-error not an attribute
export const unknown = <zarr-viewer source="a.zarr" />;
