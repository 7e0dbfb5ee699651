// A synthetic year of weather on the Earth's real coasts, stored as climate models store their output.
import { consolidate, create, createGroup, set } from "zarr-wasm";
import { columns, landMask, rows } from "./land.mjs";
import { clamp, roughSurface, wave } from "./noise.mjs";

const missing = -32768;
const packed = { _FillValue: missing, scale_factor: 0.01, add_offset: 0, units: "degC" };

/** Writes `climate.zarr`, for this many days. */
export async function writeClimate(folder, days) {
  const target = new URL("climate.zarr/", folder);
  const group = await createGroup(target, {
    attributes: {
      Conventions: "CF-1.11",
      title: "A made-up year of temperatures",
      comment: "Computed for these samples: coasts are real, weather is not",
    },
  });
  const land = landMask();
  await writeCoordinates(group, days);
  await write(group, "land", ["lat", "lon"], [rows, columns], "int8", Int8Array.from(land), {
    long_name: "land or sea",
    flag_values: [0, 1],
    flag_meanings: "sea land",
  });
  const { air, sea } = temperatures(days, land);
  const shape = [days, rows, columns];
  const dimensions = ["time", "lat", "lon"];
  await write(group, "t2m", dimensions, shape, "int16", air, {
    ...packed,
    long_name: "air temperature 2 m above ground",
    standard_name: "air_temperature",
  });
  await write(group, "sst", dimensions, shape, "int16", sea, {
    ...packed,
    long_name: "sea surface temperature",
    standard_name: "sea_surface_temperature",
  });
  await consolidate(target);
}

async function writeCoordinates(group, days) {
  const names = {
    time: [
      Int32Array.from({ length: days }, (_, day) => day),
      "int32",
      { axis: "T", calendar: "standard", units: "days since 2001-01-01 12:00:00" },
    ],
    lat: [degrees(rows, -89.25), "float32", { axis: "Y", units: "degrees_north", long_name: "latitude" }],
    lon: [degrees(columns, -179.25), "float32", { axis: "X", units: "degrees_east", long_name: "longitude" }],
  };
  const standard = { time: "time", lat: "latitude", lon: "longitude" };
  for (const [name, [data, dtype, attributes]] of Object.entries(names))
    await write(group, name, [name], [data.length], dtype, data, {
      standard_name: standard[name],
      ...attributes,
    });
}

const degrees = (length, first) => Float32Array.from({ length }, (_, i) => first + 1.5 * i);

async function write(group, path, dimensionNames, shape, dtype, data, attributes) {
  const chunkShape = shape.length === 3 ? [Math.min(30, shape[0]), 60, 120] : shape;
  const fillValue = attributes._FillValue ?? 0;
  const array = await create(group, {
    path,
    shape,
    chunkShape,
    dtype,
    fillValue,
    dimensionNames,
    attributes,
  });
  await set(array, null, data);
}

/** Temperatures of every day in hundredths of a degree. */
function temperatures(days, land) {
  const cells = rows * columns;
  const inland = blurred(land);
  const fronts = weather(41);
  const spells = weather(43);
  const currents = weather(47);
  const air = new Int16Array(days * cells);
  const sea = new Int16Array(days * cells);
  for (let day = 0; day < days; day++) {
    for (let row = 0; row < rows; row++) {
      const latitude = (row + 0.5) / rows - 0.5; // quarter turns: ±0.5 at the poles
      const height = wave(latitude / 2); // as the sine of the latitude
      const mean = 28 - 46 * height * height - (height < -0.85 ? 24 * (-height - 0.85) * 6 : 0);
      const summer = wave((day - 110) / 365) * height;
      const later = wave((day - 150) / 365) * height;
      const storms = 2 + 9 * Math.abs(height) * (1.1 - height * height);
      for (let column = 0; column < columns; column++) {
        const cell = row * columns + column;
        const i = day * cells + cell;
        const moving =
          sampled(fronts, row, column - day * 3.1) + 0.7 * sampled(spells, row, column + day * 0.7);
        const degree = mean + (6 + 20 * inland[cell]) * summer + storms * moving;
        air[i] = Math.round(100 * clamp(degree - 3 * inland[cell] * height * height, -85, 55));
        const drift = 3.2 * sampled(currents, row, column + day * 0.15);
        sea[i] = land[cell] === 1 ? missing : Math.round(100 * clamp(mean + 1 + 6 * later + drift, -1.8, 33));
      }
    }
  }
  return { air, sea };
}

/** Highs and lows that move around the Earth, on a grid of 128 × 256. */
const weather = (seed) =>
  roughSurface({ rows: 128, columns: 256, start: 8, seed, persistence: 0.55, wraps: true });

/** Interpolates between the grid's columns. */
function sampled(surface, row, column) {
  const turns = column / columns;
  const x = (turns - Math.floor(turns)) * 256;
  const left = Math.floor(x);
  const share = x - left;
  const start = Math.min(127, Math.floor((row * 128) / rows)) * 256;
  return surface[start + (left & 255)] * (1 - share) + surface[start + ((left + 1) & 255)] * share;
}

/** Blurs the coast: 0 at sea, 1 inland. */
function blurred(mask) {
  let values = Float32Array.from(mask);
  for (let pass = 0; pass < 6; pass++) {
    const next = new Float32Array(values.length);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const at = (r, c) => values[clamp(r, 0, rows - 1) * columns + ((c + columns) % columns)];
        const around = at(row - 1, column) + at(row + 1, column) + at(row, column - 1) + at(row, column + 1);
        next[row * columns + column] = (4 * at(row, column) + around) / 8;
      }
    values = next;
  }
  return values;
}
