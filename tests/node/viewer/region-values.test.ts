// Statistics, series and profiles of regions on a map, against loops over their elements.
import { expect, it } from "vitest";
import { create, createGroup, MapStore, set } from "zarr-wasm";
import { arrayFacts, resolveState } from "#src/viewer/model/state.js";
import { lineProfile, regionSeries, regionStatistics } from "#src/viewer/numbers/region-values.js";
import { openTarget } from "#src/viewer/source/open.js";
import { group } from "../../shared/anndata.js";

const { signal } = new AbortController();
const [times, lats, lons] = [3, 6, 8];
const latitude = (row: number) => 75 - 10 * row;
/** One element is missing. */
const valueAt = (time: number, row: number, column: number) =>
  row === 2 && column === 3 ? Number.NaN : ((time * 31 + row * 17 + column * 7) % 23) - 5;

async function source() {
  const target = new MapStore(new Map());
  await group(target, "", {});
  const add = async (path: string, names: string[], shape: number[], values: number[], units?: string) => {
    const made = await create(target, {
      path,
      shape,
      dtype: "float64",
      dimensionNames: names,
      zarrFormat: 3,
      attributes: units === undefined ? {} : { units },
    });
    await set(made, null, Float64Array.from(values));
  };
  const list = (length: number, at: (i: number) => number) => Array.from({ length }, (_, i) => at(i));
  await add("lat", ["lat"], [lats], list(lats, latitude), "degrees_north");
  await add(
    "lon",
    ["lon"],
    [lons],
    list(lons, (i) => 20 + 5 * i),
    "degrees_east",
  );
  const cells = list(times * lats * lons, (i) =>
    valueAt(Math.floor(i / lats / lons), Math.floor(i / lons) % lats, i % lons),
  );
  await add("t", ["time", "lat", "lon"], [times, lats, lons], cells);
  const found = await openTarget({ source: target, path: "t" }, { signal, onWarning: () => {} });
  if (found.kind !== "dataset") throw new Error(found.kind);
  const state = resolveState(arrayFacts(found.dataset), { index: [1, 0, 0] });
  return { dataset: found.dataset, state, pool: undefined as never, signal };
}

/** The mean of elements by the areas of their bands, and their extremes. */
function truth(time: number, cells: readonly (readonly [number, number])[]) {
  const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
  const known = cells.filter(([row, column]) => !Number.isNaN(valueAt(time, row, column)));
  const values = known.map(([row, column]) => valueAt(time, row, column));
  const weights = known.map(([row]) => sine(latitude(row) + 5) - sine(latitude(row) - 5));
  const total = weights.reduce((a, b) => a + b);
  return {
    mean: values.reduce((sum, value, i) => sum + value * weights[i]!, 0) / total,
    min: Math.min(...values),
    max: Math.max(...values),
    count: values.length,
  };
}

const rectangle = {
  name: "R",
  kind: "rectangle",
  axes: [1, 2],
  points: [
    [0.9, 1.9],
    [4.1, 6.1],
  ],
} as const;
const inside = Array.from({ length: 3 * 4 }, (_, i) => [1 + Math.floor(i / 4), 2 + (i % 4)] as const);

it("means are weighted by latitude; extremes and counts are not", async () => {
  const from = await source();
  const { mean, min, max, count } = await regionStatistics(from, rectangle);
  const expected = truth(1, inside);
  expect({ min, max, count }).toEqual({ min: expected.min, max: expected.max, count: expected.count });
  expect(mean).toBeCloseTo(expected.mean, 12);
  const series = await regionSeries(from, rectangle, 0);
  for (let time = 0; time < times; time++) {
    const one = truth(time, inside);
    expect(series.mean[time]).toBeCloseTo(one.mean, 12);
    expect([series.min[time], series.max[time]]).toEqual([one.min, one.max]);
  }
});

it("profiles have the elements along a line, and gaps outside the array", async () => {
  const line = {
    ...rectangle,
    kind: "line",
    points: [
      [2.5, 0.5],
      [2.5, 9.5],
    ],
  } as const;
  const { mean } = await lineProfile(await source(), line);
  const expected = Array.from({ length: 10 }, (_, column) =>
    column < lons ? valueAt(1, 2, column) : Number.NaN,
  );
  expect(Array.from(mean)).toEqual(expected);
});

/** Labels over an image: 1 is a ring, 2 two parts, 300 absent. Of large ones, the image's elements are halves of theirs. */
async function labelled(labelSide: number) {
  const [side, target] = [24, new MapStore(new Map())];
  const factor = side / labelSide;
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const image = async (
    path: string,
    size: number,
    dtype: "float32" | "uint64",
    values: ArrayLike<number>,
  ) => {
    const scale = side / size;
    const datasets = [
      {
        path: "0",
        coordinateTransformations: [
          { type: "scale", scale: [scale, scale] },
          { type: "translation", translation: [(scale - 1) / 2, (scale - 1) / 2] },
        ],
      },
    ];
    const ome = {
      version: "0.5",
      multiscales: [{ axes, datasets }],
      ...(path === "" ? {} : { "image-label": {} }),
    };
    await createGroup(target, { path, zarrFormat: 3, attributes: { ome } as never });
    const made = await create(target, {
      path: path === "" ? "0" : `${path}/0`,
      shape: [size, size],
      chunkShape: [7, 5],
      dtype,
      zarrFormat: 3,
    });
    await set(
      made,
      null,
      (dtype === "uint64"
        ? BigUint64Array.from(Array.from(values, BigInt))
        : Float32Array.from(values)) as never,
    );
  };
  const labelAt = (row: number, column: number): number => {
    const [y, x] = [Math.floor(row / factor), Math.floor(column / factor)];
    if (y === 1 || (y === 5 && x < 3)) return x < 4 ? 2 : 0;
    return Math.hypot(y - labelSide / 2, x - labelSide / 2) < labelSide / 5 ? 1 : 0;
  };
  const value = (row: number, column: number) => (row * 31 + column * 17) % 29;
  const list = (size: number, at: (row: number, column: number) => number) =>
    Array.from({ length: size * size }, (_, i) => at(Math.floor(i / size), i % size));
  await image("", side, "float32", list(side, value));
  await createGroup(target, {
    path: "labels",
    zarrFormat: 3,
    attributes: { ome: { version: "0.5", labels: ["nuclei"] } } as never,
  });
  await image(
    "labels/nuclei",
    labelSide,
    "uint64",
    list(labelSide, (y, x) => labelAt(y * factor, x * factor)),
  );
  const found = await openTarget({ source: target }, { signal, onWarning: () => {} });
  if (found.kind !== "dataset") throw new Error(found.kind);
  const state = resolveState(arrayFacts(found.dataset), {});
  const inside = (ids: readonly number[]) =>
    list(side, (row, column) =>
      ids.includes(labelAt(row, column)) ? value(row, column) : Number.NaN,
    ).filter((one) => !Number.isNaN(one));
  return { from: { dataset: found.dataset, state, pool: undefined as never, signal }, inside };
}

it.each([24, 12])("labels of %i × %i elements are regions", async (labelSide) => {
  const { from, inside } = await labelled(labelSide);
  const region = (image: string, ...ids: number[]) =>
    ({ name: "L", kind: "labels", axes: [0, 1], points: [], labels: { image, ids } }) as const;
  for (const ids of [[1], [2], [1, 2]]) {
    const values = inside(ids);
    const found = await regionStatistics(from, region("nuclei", ...ids));
    expect(found.count).toBe(values.length);
    expect(found.mean).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 9);
    expect([found.min, found.max]).toEqual([Math.min(...values), Math.max(...values)]);
  }
  await expect(regionStatistics(from, region("nuclei", 300))).rejects.toThrow("no element");
  await expect(regionStatistics(from, region("cells", 1))).rejects.toThrow("no labels cells");
});
