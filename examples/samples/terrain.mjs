// A landscape: its heights, and its relief seen from above.
import { writeImage } from "./images.mjs";
import { clamp, roughSurface, smoothStep } from "./noise.mjs";

const metres = { type: "space", unit: "meter", step: 10 };
const axes = [
  { name: "y", ...metres },
  { name: "x", ...metres },
];

/** Writes `terrain.zarr` and `relief.zarr`, with this many elements along each axis. */
export async function writeTerrain(folder, size) {
  const heights = makeHeights(size);
  const levels = Math.log2(size) - 7;
  const terrain = { data: heights, shape: [size, size] };
  await writeImage(new URL("terrain.zarr/", folder), terrain, {
    name: "Heights in metres above the deepest point",
    axes,
    levels,
    chunkShape: [256, 256],
    shardShape: [2048, 2048],
  });
  const relief = { data: paintRelief(heights, size), shape: [3, size, size] };
  await writeImage(new URL("relief.zarr/", folder), relief, {
    name: "The landscape from above",
    axes: [{ name: "c", type: "channel", step: 1 }, ...axes],
    levels,
    chunkShape: [1, 256, 256],
    shardShape: [3, 1024, 1024],
    ome: { omero: { channels: [red, green, blue], rdefs: { model: "color" } } },
  });
}

const channel = (label, color) => ({
  label,
  color,
  active: true,
  window: { min: 0, max: 255, start: 0, end: 255 },
});
const red = channel("red", "FF0000");
const green = channel("green", "00FF00");
const blue = channel("blue", "0000FF");

const seaLevel = 1500;

/** Sea floors and valleys are smooth, mountains rough. */
function makeHeights(size) {
  const surface = roughSurface({
    rows: size,
    columns: size,
    start: 8,
    seed: 29,
    persistence: 0.52,
    roughness: (height) => 0.42 + 0.9 * smoothStep(-0.1, 0.9, height),
  });
  return Uint16Array.from(surface, (value) => clamp(seaLevel + 2900 * (value - 0.02), 0, 8000));
}

/** Colours by height: sea, shore, meadows, woods, rock, snow. */
const tints = [
  [0, 12, 38, 84],
  [1200, 28, 84, 140],
  [1499, 98, 168, 196],
  [1500, 214, 200, 150],
  [1580, 128, 156, 84],
  [2200, 70, 112, 60],
  [3000, 118, 100, 76],
  [3700, 150, 142, 136],
  [4100, 240, 244, 248],
  [8001, 255, 255, 255],
];

/** Colours by height, as a table. */
function tintTable() {
  const table = new Float32Array(8001 * 3);
  for (let i = 1; i < tints.length; i++) {
    const [from, to] = [tints[i - 1], tints[i]];
    for (let height = from[0]; height < to[0]; height++) {
      const share = (height - from[0]) / (to[0] - from[0]);
      for (let c = 0; c < 3; c++) table[height * 3 + c] = from[c + 1] + (to[c + 1] - from[c + 1]) * share;
    }
  }
  return table;
}

/** The land lit from the north-west; the sea has no waves. */
function paintRelief(heights, size) {
  const table = tintTable();
  const plane = size * size;
  const out = new Uint8ClampedArray(3 * plane);
  const steepness = (1.6 * size) / 4096;
  for (let y = 0; y < size; y++) {
    const above = Math.max(0, y - 1) * size;
    const below = Math.min(size - 1, y + 1) * size;
    for (let x = 0; x < size; x++) {
      const at = y * size + x;
      const height = heights[at];
      let light = 1;
      if (height >= seaLevel) {
        const dx =
          (heights[y * size + Math.min(size - 1, x + 1)] - heights[y * size + Math.max(0, x - 1)]) *
          steepness;
        const dy = (heights[below + x] - heights[above + x]) * steepness;
        light = 0.3 + (0.78 * (100 + 0.62 * (dx + dy))) / Math.sqrt(10000 + dx * dx + dy * dy);
      }
      for (let c = 0; c < 3; c++) out[c * plane + at] = table[height * 3 + c] * light;
    }
  }
  return new Uint8Array(out.buffer);
}
