import type { JSX } from "react";
import type {} from "zarr-wasm-viewer/react";

export const view: JSX.Element = (
  <zarr-viewer
    className="map"
    src={new Map([["zarr.json", new Uint8Array()]])}
    range={[0, 255]}
    fps={10}
    settings={{ isReversed: true }}
    onchange={({ detail }) => detail.view.settings.colormap satisfies string}
    onpointer={({ detail }) => detail?.index satisfies readonly number[] | undefined}
  />
);
// @ts-expect-error not a colour map
export const wrongMap = <zarr-viewer colormap="virdis" />;
// @ts-expect-error not a mode
export const wrongMode = <zarr-viewer controls="some" />;
// @ts-expect-error not an attribute
export const unknown = <zarr-viewer source="a.zarr" />;
// @ts-expect-error events of the element do not reach React's own listeners
export const unheard = <zarr-viewer onChange={() => {}} />;
export const layered: JSX.Element = (
  <zarr-viewer src="a.zarr">
    <zarr-layer key="b" src="b.geojson" opacity={0.5} blend="add" by="class" />
  </zarr-viewer>
);
// @ts-expect-error a layer needs a source
export const sourceless = <zarr-layer opacity={1} />;
