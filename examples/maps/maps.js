// The data shown by the three pages, and its colours.
import { ByteCache, HttpStore, open, WorkerPool } from "zarr-wasm";
import { georeference, readTile } from "zarr-wasm/conventions";

const heights = [
  [-6000, [8, 24, 64]],
  [-3000, [24, 70, 130]],
  [-1, [120, 180, 210]],
  [0, [70, 120, 70]],
  [1500, [160, 150, 90]],
  [3000, [130, 100, 80]],
  [5000, [250, 250, 250]],
];

/** By name: the store, the colours of values, and the initial view. */
const maps = {
  terrain: { path: "terrain.zarr", colours: heights, view: [12, 25, 3] },
  land: { path: "land.zarr", colours: heights, view: [0, 20, 2] },
  temperature: {
    path: "temperature.zarr",
    variable: "sst",
    selection: { time: 6 },
    colours: [
      [-2, [68, 1, 84]],
      [8, [59, 82, 139]],
      [16, [33, 145, 140]],
      [24, [94, 201, 98]],
      [32, [253, 231, 37]],
    ],
    view: [0, 20, 2],
  },
  region: {
    path: "region.zarr",
    colours: [
      [0, [0, 0, 80]],
      [14_000, [255, 240, 160]],
    ],
    view: [15, 50, 8],
  },
};

const parameters = new URLSearchParams(location.search);
const name = parameters.get("map") ?? "terrain";
const base = new URL(parameters.get("data") ?? "data/", location.href);

const { path, variable, selection, colours, view } = maps[name];
export { colours };

/** Longitude, latitude, and the zoom of 256-pixel tiles. */
export const [longitude, latitude, zoom] = parameters.get("at")?.split(",").map(Number) ?? view;

export const pool = new WorkerPool();

// Neighbouring tiles share chunks: with a cache each chunk is requested once.
const store = new HttpStore(new URL(path, base), { cache: new ByteCache(64 * 2 ** 20) });
const group = await open(store, { kind: "group", version: 3 });
export const reference = await georeference(group, { variable });

/** The zoom beyond which there is no finer data. */
const metres = reference.crs?.code === "EPSG:4326" ? 111_319.49 : 1;
export const maxZoom = Math.ceil(Math.log2(156_543.03 / (reference.levels[0].resolution[0] * metres)) - 1e-6);

/** The values of a tile, north up; undefined outside the data. */
export const valuesAt = (z, x, y, signal) => readTile(reference, [z, x, y], { selection, pool, signal });

/** Red, green, blue and alpha of a value. */
function colourOf(value) {
  const above = Math.max(
    1,
    colours.findIndex(([stop]) => value <= stop),
  );
  const [[low, from], [high, to]] =
    value > colours.at(-1)[0] ? [colours.at(-2), colours.at(-1)] : [colours[above - 1], colours[above]];
  const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return from.map((part, i) => part + (to[i] - part) * share);
}

/** Size of the colour table: looking colours up is faster than computing them. */
const shades = 1024;
const [lowest, highest] = [colours[0][0], colours.at(-1)[0]];
const table = new Uint32Array(shades);
for (let i = 0; i < shades; i++) {
  const rgba = [...colourOf(lowest + ((i + 0.5) / shades) * (highest - lowest)), 255];
  new Uint8ClampedArray(table.buffer, 4 * i, 4).set(rgba);
}

/** An image of a tile; missing values are transparent. */
export function paint({ data, shape: [height, width] }) {
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < data.length; i++) {
    const shade = Math.floor(((data[i] - lowest) / (highest - lowest)) * shades);
    if (data[i] === data[i]) pixels[i] = table[Math.min(Math.max(shade, 0), shades - 1)];
  }
  return image;
}
