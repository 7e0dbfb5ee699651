// node data.mjs FOLDER: writes the stores of the examples.
//
//   terrain.zarr       heights of a planet in web mercator, with overviews (zarr-conventions: spatial, proj, multiscales)
//   land.zarr          the same in degrees, without the sea
//   temperature.zarr   a plain CF grid: latitudes, longitudes from 0 to 360, months; packed, missing on land
//   region.zarr        a square of 256 km in UTM zone 33, with overviews
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { create, createGroup, set } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { heightAt, temperatureAt } from "./world.mjs";

const half = Math.PI * 6_378_137;
const latitudeOf = (y) => (Math.atan(Math.sinh((y / half) * Math.PI)) * 180) / Math.PI;

/** Rows of values at the centres of elements. */
function fill(Kind, [rows, columns], [width, , west, , height, north], valueAt) {
  const data = new Kind(rows * columns);
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      data[at++] = valueAt(west + (column + 0.5) * width, north + (row + 0.5) * height);
  return data;
}

/** Halves both axes: each element is the mean of four, ignoring missing ones. */
function halved(data, [rows, columns], missing) {
  const out = new data.constructor(data.length / 4);
  for (let row = 0, at = 0; row < rows; row += 2)
    for (let column = 0; column < columns; column += 2) {
      const four = [0, 1, columns, columns + 1].map((by) => data[row * columns + column + by]);
      const there = four.filter((value) => value !== missing);
      out[at++] = there.length > 0 ? Math.round(there.reduce((a, b) => a + b) / there.length) : missing;
    }
  return out;
}

async function writeLevels(store, code, { shape, transform, levels, missing, shardShape }, valueAt) {
  let data = fill(Int16Array, shape, transform, valueAt);
  const [a, b, c, d, e, f] = transform;
  const layout = Array.from({ length: levels }, (_, i) => ({
    asset: String(i),
    ...(i > 0 && { derived_from: String(i - 1), transform: { scale: [2, 2] } }),
    "spatial:shape": shape.map((length) => length >> i),
    "spatial:transform": [a * 2 ** i, b, c, d, e * 2 ** i, f],
  }));
  await createGroup(store, {
    attributes: { "proj:code": code, "spatial:dimensions": ["y", "x"], multiscales: { layout } },
  });
  for (const [i, level] of layout.entries()) {
    const size = level["spatial:shape"];
    if (i > 0) data = halved(data, layout[i - 1]["spatial:shape"], missing);
    const array = await create(store, {
      path: level.asset,
      shape: size,
      dtype: "int16",
      chunkShape: [256, 256],
      ...(shardShape && size[0] >= shardShape[0] && { shardShape }),
      dimensionNames: ["y", "x"],
      codecs: [{ name: "zstd", configuration: { level: 3 } }],
      attributes: { units: "m", ...(missing !== undefined && { _FillValue: missing }) },
    });
    await set(array, null, data);
  }
}

const rounded = (value) => Math.round(value);

export const writers = {
  "terrain.zarr": (store) => {
    const step = (2 * half) / 2048;
    return writeLevels(
      store,
      "EPSG:3857",
      {
        shape: [2048, 2048],
        transform: [step, 0, -half, 0, -step, half],
        levels: 4,
        shardShape: [1024, 1024],
      },
      (x, y) => rounded(heightAt((x / half) * 180, latitudeOf(y))),
    );
  },

  "land.zarr": (store) =>
    writeLevels(
      store,
      "EPSG:4326",
      {
        shape: [1024, 2048],
        transform: [360 / 2048, 0, -180, 0, -180 / 1024, 90],
        levels: 3,
        missing: -32768,
      },
      (longitude, latitude) => {
        const height = rounded(heightAt(longitude, latitude));
        return height > 0 ? height : -32768;
      },
    ),

  "region.zarr": (store) =>
    writeLevels(
      store,
      "EPSG:32633",
      { shape: [1024, 1024], transform: [250, 0, 372_000, 0, -250, 5_666_000], levels: 3 },
      // Squares of 32 km that rise from the south-west, with a corner where 15° E meets 5538 km north.
      (x, y) => 1000 * (Math.floor((x - 372_000) / 32_000) + Math.floor((y - 5_410_000) / 32_000)),
    ),

  "temperature.zarr": async (store) => {
    await createGroup(store);
    const [rows, columns, months] = [181, 360, 12];
    const line = (length, start, step) => Float64Array.from({ length }, (_, i) => start + i * step);
    const coordinates = {
      lat: [line(rows, 90, -1), { units: "degrees_north", standard_name: "latitude" }],
      lon: [line(columns, 0, 1), { units: "degrees_east", standard_name: "longitude" }],
      time: [line(months, 0, 1), { units: "months since 2020-01-15" }],
    };
    for (const [name, [data, attributes]] of Object.entries(coordinates)) {
      const options = { path: name, shape: [data.length], dtype: "float64", dimensionNames: [name], attributes };
      await set(await create(store, options), null, data);
    }
    const array = await create(store, {
      path: "sst",
      shape: [months, rows, columns],
      dtype: "int16",
      chunkShape: [1, 91, 120],
      dimensionNames: ["time", "lat", "lon"],
      attributes: { units: "degC", scale_factor: 0.01, _FillValue: -32768 },
    });
    const values = Array.from({ length: months }, (_, month) =>
      fill(Int16Array, [rows, columns], [1, 0, -0.5, 0, -1, 90.5], (longitude, latitude) =>
        heightAt(longitude, latitude) > 0 ? -32768 : rounded(100 * temperatureAt(longitude, latitude, month)),
      ),
    );
    await set(array, null, Int16Array.from(values.flatMap((one) => Array.from(one))));
  },
};

/** Writes all stores. */
export async function writeData(folder) {
  for (const [name, write] of Object.entries(writers)) await write(new FileSystemStore(path.join(folder, name)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await writeData(process.argv[2] ?? fileURLToPath(new URL("public/data", import.meta.url)));
