// React 19 supports properties and events of custom elements. (React 18: set attributes, and listen through a ref.)
import { useState } from "react";
import "zarr-wasm-viewer/element";

export function ArrayView({ src, colormap = "viridis" }) {
  const [value, setValue] = useState("");
  return (
    <figure>
      <zarr-viewer
        src={src}
        colormap={colormap}
        controls="minimal"
        onpointer={(event) => setValue(event.detail?.text ?? "")}
        onerror={(event) => console.warn(event.detail.message)}
      />
      <figcaption>{value}</figcaption>
    </figure>
  );
}
