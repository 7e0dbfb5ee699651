/** Reductions, quantiles, series and expressions in the engine: exact values of arrays in memory. */
import { create, createGroup, get, set, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { anomaly, expression, quantile, reduce, series, statistics } from "zarr-wasm/compute";
import { equal, errorOf, test } from "./registry.js";

const [days, lats, lons] = [60, 4, 6];

async function add(
  group: ZarrGroup,
  path: string,
  names: string[],
  values: Int16Array | Float64Array,
  attributes = {},
) {
  const shape = names.length === 1 ? [values.length] : [days, lats, lons];
  const dtype = values instanceof Int16Array ? "int16" : "float64";
  const chunkShape = shape.map((length) => Math.min(length, 25));
  const array = await create(group, { path, shape, chunkShape, dtype, dimensionNames: names, attributes });
  await set(array as ZarrArray, null, values as never);
  return array as ZarrArray;
}

/** Packed days of two months; each value is twice its index, one is missing. */
async function packed(): Promise<ZarrArray> {
  const group = await createGroup(new Map<string, Uint8Array>());
  const count = (length: number) => Int16Array.from({ length }, (_, i) => i);
  await add(group, "time", ["time"], count(days), { units: "days since 2001-01-01" });
  await add(group, "lat", ["lat"], Float64Array.of(-45, -15, 15, 45), { units: "degrees_north" });
  await add(
    group,
    "lon",
    ["lon"],
    Float64Array.from({ length: lons }, (_, i) => 60 * i),
    { units: "degrees_east" },
  );
  const attributes = { scale_factor: 2, _FillValue: 0 };
  return add(group, "v", ["time", "lat", "lon"], count(days * lats * lons), attributes);
}

test("computing: reductions of all elements and of months", async () => {
  const array = await packed();
  const { count, mean, min, sum } = await reduce(array, { method: ["count", "mean", "min", "sum"] });
  const last = days * lats * lons - 1;
  equal([count.data[0], mean.data[0], min.data[0], sum.data[0]], [last, last + 1, 2, last * (last + 1)]);
  const months = await reduce(array, { method: "count", groupBy: "time.month", over: ["lat", "lon"] });
  equal([[...months.data], months.dimensionNames], [[31 * 24 - 1, 28 * 24, 24], ["month"]]);
});

test("computing: statistics and quantiles", async () => {
  const array = await packed();
  const { count, histogram, max, missing } = await statistics(array, null, { bins: 8 });
  const last = days * lats * lons - 1;
  equal([count, missing, max], [last, 1, 2 * last]);
  equal(
    histogram.counts.reduce((sum, n) => sum + n, 0),
    last,
  );
  equal([...(await quantile(array, [0, 0.5, 1])).values], [2, last + 1, 2 * last]);
});

test("computing: series at a place, and inside an area", async () => {
  const array = await packed();
  const here = await series(array, { at: { lat: 15, lon: 120 }, selection: { time: [1, 2] } });
  equal([...(here.data as Float64Array)], [2 * (24 + 14), 2 * (48 + 14)]);
  const area = await series(array, { inside: [90, 0, 150, 30], selection: { time: [1, 2] } });
  equal([...area.data], [2 * (24 + 14), 2 * (48 + 14)]);
});

test("computing: expressions and anomalies are arrays", async () => {
  const array = await packed();
  const half = await expression("where(isMissing(v), -1, v / 2)", { v: array });
  equal([...((await get(half, [0, 0])).data as Float64Array)], [-1, 1, 2, 3, 4, 5]);
  const difference = await anomaly(array, { over: ["time", "lat", "lon"] });
  equal([...((await get(difference, [days - 1, lats - 1, lons - 1])).data as Float64Array)], [1438]);
});

test("computing: an aborted reduction throws the reason", async () => {
  const reason = new Error("stopped");
  equal(
    await errorOf(async () => reduce(await packed(), { method: "sum", signal: AbortSignal.abort(reason) })),
    reason,
  );
});
