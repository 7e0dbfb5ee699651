import type {} from "zarr-wasm-viewer/solid";

export const view = (
  <zarr-viewer
    class="map"
    src="a.zarr"
    range={[0, 255]}
    attr:select="2,:,:"
    on:progress={({ detail }) => detail.totalChunks satisfies number}
    on:pointer={({ detail }) => detail?.text satisfies string | undefined}
  />
);
// @ts-expect-error not a colour map
export const wrongMap = <zarr-viewer colormap="virdis" />;
// @ts-expect-error not an attribute
export const unknown = <zarr-viewer source="a.zarr" />;
