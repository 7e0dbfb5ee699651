// OpenLayers: tiles of numbers, which the graphics card colours. Data in other reference systems it reprojects itself.
import TileLayer from "ol/layer/WebGLTile.js";
import OlMap from "ol/Map.js";
import "ol/ol.css";
import { fromLonLat } from "ol/proj.js";
import { register } from "ol/proj/proj4.js";
import DataTile from "ol/source/DataTile.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import View from "ol/View.js";
import proj4 from "proj4";
import { get } from "zarr-wasm";
import { colours, latitude, longitude, maxZoom, pool, reference, valuesAt, zoom } from "./maps.js";

const missing = -9_999_999;

/** What stands for missing values: not every graphics card tells NaN from numbers. */
function withoutNaN(data) {
  for (let i = 0; i < data.length; i++) if (Number.isNaN(data[i])) data[i] = missing;
  return data;
}

const nothing = new Float32Array(256 * 256).fill(missing);

/** Web mercator and degrees come as tiles of the map. */
const inMercator = () =>
  new DataTile({
    bandCount: 1,
    maxZoom,
    wrapX: true,
    transition: 0,
    async loader(z, x, y, { signal }) {
      const values = await valuesAt(z, x, y, signal);
      return values ? withoutNaN(values.data) : nothing;
    },
  });

/** Other systems come as tiles of their own: the levels, cut into squares. */
function inItsOwnSystem() {
  proj4.defs("EPSG:32633", "+proj=utm +zone=33 +datum=WGS84 +units=m");
  register(proj4);
  const levels = [...reference.levels].reverse();
  const [west, , , north] = reference.bounds;
  return new DataTile({
    bandCount: 1,
    projection: reference.crs.code,
    transition: 0,
    tileGrid: new TileGrid({
      extent: reference.bounds,
      origin: [west, north],
      resolutions: levels.map(({ resolution }) => resolution[0]),
      tileSize: 256,
    }),
    async loader(z, x, y, { signal }) {
      const array = await levels[z].open();
      const [rows, columns] = [y, x].map((i) => ({ start: 256 * i, stop: 256 * (i + 1), step: 1 }));
      const { data, shape } = await get(array, [rows, columns], { pool, signal });
      const tile = nothing.slice();
      for (let row = 0; row < shape[0]; row++)
        tile.set(data.subarray(row * shape[1], (row + 1) * shape[1]), row * 256);
      return tile;
    },
  });
}

const isTiled = ["EPSG:3857", "EPSG:4326"].includes(reference.crs?.code);
const stops = colours.flatMap(([value, rgb]) => [value, [...rgb, 1]]);

export const map = new OlMap({
  target: "map",
  layers: [
    new TileLayer({
      source: isTiled ? inMercator() : inItsOwnSystem(),
      style: {
        color: [
          "case",
          ["<", ["band", 1], missing / 2],
          [0, 0, 0, 0],
          ["interpolate", ["linear"], ["band", 1], ...stops],
        ],
      },
    }),
  ],
  view: new View({ center: fromLonLat([longitude, latitude]), zoom }),
});
map.on("rendercomplete", () => {
  document.body.dataset.state = "idle";
});
