// MapLibre GL requests raster tiles by URL: a custom protocol returns images.
import { addProtocol, Map as GlMap, setWorkerUrl } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import "maplibre-gl/dist/maplibre-gl.css";
import { latitude, longitude, maxZoom, paint, valuesAt, zoom } from "./maps.js";

setWorkerUrl(workerUrl);

addProtocol("zarr", async ({ url }, { signal }) => {
  const [z, x, y] = url.match(/\d+/g).map(Number);
  const values = await valuesAt(z, x, y, signal);
  return { data: await createImageBitmap(values ? paint(values) : new ImageData(1, 1)) };
});

export const map = new GlMap({
  container: "map",
  center: [longitude, latitude],
  zoom: zoom - 1, // MapLibre's zoom levels are for 512-pixel tiles
  renderWorldCopies: true,
  style: {
    version: 8,
    sources: {
      zarr: { type: "raster", tiles: ["zarr://{z}/{x}/{y}"], tileSize: 256, maxzoom: maxZoom },
    },
    layers: [
      {
        id: "zarr",
        type: "raster",
        source: "zarr",
        paint: { "raster-resampling": "nearest", "raster-fade-duration": 0 },
      },
    ],
  },
});
map.on("idle", () => {
  document.body.dataset.state = "idle";
});
map.on("error", ({ error }) => console.error(error));
