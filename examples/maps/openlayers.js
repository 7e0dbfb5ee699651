// OpenLayers: tiles of numbers, coloured on the GPU. OpenLayers reprojects data in other reference systems.
import { getWidth, intersects } from "ol/extent.js";
import TileLayer from "ol/layer/WebGLTile.js";
import OlMap from "ol/Map.js";
import "ol/ol.css";
import { fromLonLat, get as getProjection } from "ol/proj.js";
import { register } from "ol/proj/proj4.js";
import DataTile from "ol/source/DataTile.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import View from "ol/View.js";
import proj4 from "proj4";
import TileState from "ol/TileState.js";
import { get } from "zarr-wasm";
import { colours, latitude, longitude, maxZoom, pool, reference, valuesAt, zoom } from "./maps.js";

const missing = -9_999_999;

/** Replaces missing values by a number, because not every GPU distinguishes NaN from numbers. */
function withoutNaN(data) {
  for (let i = 0; i < data.length; i++) if (Number.isNaN(data[i])) data[i] = missing;
  return data;
}

const nothing = new Float32Array(256 * 256).fill(missing);

/** Tiles in flight, with their abort controllers and extents. */
const pending = new Map();

/** Reads a tile unless it leaves the view first. */
async function whileInView(extent, signal, read) {
  const controller = new AbortController();
  pending.set(controller, extent);
  try {
    return await read(AbortSignal.any([signal, controller.signal]));
  } finally {
    pending.delete(controller);
  }
}

/** Aborts tiles that left the view, which OpenLayers continues to load; they are read again when they return. */
function abortOutOfView(map, source) {
  const world = getWidth(getProjection("EPSG:3857").getExtent());
  map.on("moveend", () => {
    const [west, south, east, north] = map.getView().calculateExtent();
    const turns = Math.round((west + east) / 2 / world);
    const inView = ([left, bottom, right, top]) =>
      [-1, 0, 1].some((turn) => {
        const by = (turn - turns) * world;
        return intersects([west + by, south, east + by, north], [left, bottom, right, top]);
      });
    for (const [controller, extent] of pending) if (!inView(extent)) controller.abort();
  });
  source.on("tileloaderror", ({ tile }) => {
    if (tile.getError()?.name !== "AbortError") return;
    // Deferred until all other listeners have been notified of the end of the request.
    setTimeout(() => tile.setState(TileState.IDLE));
  });
}

/** A source for web mercator and degrees: tiles of the map. */
function inMercator() {
  const source = new DataTile({
    bandCount: 1,
    maxZoom,
    wrapX: true,
    transition: 0,
    async loader(z, x, y, { signal }) {
      const extent = source.getTileGrid().getTileCoordExtent([z, x, y]);
      const values = await whileInView(extent, signal, (aborted) => valuesAt(z, x, y, aborted));
      return values ? withoutNaN(values.data) : nothing;
    },
  });
  return source;
}

/** A source for other reference systems: the levels, divided into square tiles. */
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

const source = isTiled ? inMercator() : inItsOwnSystem();

export const map = new OlMap({
  target: "map",
  layers: [
    new TileLayer({
      source,
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
if (isTiled) abortOutOfView(map, source);
