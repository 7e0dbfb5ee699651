// <zarr-viewer> in React 19 with TypeScript. The first import registers the element, the second one has its JSX types.
import { type JSX, useRef, useState } from "react";
import type { ZarrViewerElement } from "zarr-wasm-viewer/element";
import "zarr-wasm-viewer/element";
import type { ZarrViewerReactProps } from "zarr-wasm-viewer/react";

type ArrayViewProps = Required<Pick<ZarrViewerReactProps, "src">> & Pick<ZarrViewerReactProps, "colormap">;

export function ArrayView({ src, colormap = "viridis" }: ArrayViewProps): JSX.Element {
  const viewer = useRef<ZarrViewerElement>(null);
  const [value, setValue] = useState("");
  const [error, setError] = useState<string>();
  return (
    <figure>
      <zarr-viewer
        ref={viewer}
        src={src}
        colormap={colormap}
        controls="minimal"
        onload={() => setError(undefined)}
        onpointer={({ detail }) => setValue(detail?.text ?? "")}
        onerror={({ detail }) => setError(detail.message)}
      />
      <figcaption>{error ?? value}</figcaption>
      <button type="button" onClick={() => void viewer.current?.reload()}>
        Reload
      </button>
    </figure>
  );
}
