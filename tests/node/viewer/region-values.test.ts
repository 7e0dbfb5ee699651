// Statistics, series and profiles of regions on a map, against loops over their elements.
import { expect, it } from "vitest";
import { create, MapStore, set } from "zarr-wasm";
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
