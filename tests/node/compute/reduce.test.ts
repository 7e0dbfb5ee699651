// `reduce`: dimensions, coordinates, groups of times in all calendars, periods, weights, options, progress, aborts, failures.
import { describe, expect, it } from "vitest";
import {
  create,
  createGroup,
  get,
  open,
  set,
  slice,
  WorkerPool,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import { type LabelledRegion, reduce } from "zarr-wasm/compute";
import { errorOf } from "../support/support.js";

interface Stored {
  readonly shape: number[];
  readonly chunkShape?: number[];
  readonly dimensionNames?: string[];
  readonly attributes?: object;
  readonly dtype?: string;
}

/** Creates an array in a group and writes its elements. */
async function add(group: ZarrGroup, path: string, data: ArrayLike<number>, how: Stored): Promise<ZarrArray> {
  const { attributes = {}, chunkShape, dimensionNames, dtype = "float64", shape } = how;
  const array = (await create(group, {
    path,
    shape,
    chunkShape: chunkShape ?? shape,
    dtype: dtype as "float64",
    attributes: attributes as never,
    ...(dimensionNames ? { dimensionNames } : {}),
  })) as ZarrArray;
  const Kind = { float64: Float64Array, int32: Int32Array, int16: Int16Array }[dtype]!;
  await set(array, null, Kind.from(data as number[]) as never);
  return array;
}

const sequence = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A cube of the numbers 0, 1, …, with coordinates. */
async function makeCube(
  timeAttributes: object = { units: "days since 2000-01-01" },
  days: readonly number[] = sequence(12),
) {
  const store = new Map<string, Uint8Array>();
  const group = await createGroup(store);
  const shape = [days.length, 3, 4];
  const names = ["time", "lat", "lon"];
  const how = {
    shape,
    chunkShape: [5, 2, 3],
    dimensionNames: names,
    attributes: { units: "K", coordinates: "height" },
  };
  const cube = await add(group, "cube", sequence(days.length * 12), how);
  await add(group, "time", days, {
    shape: [days.length],
    dimensionNames: ["time"],
    attributes: timeAttributes,
  });
  await add(group, "lat", [-60, 0, 60], {
    shape: [3],
    dimensionNames: ["lat"],
    attributes: { units: "degrees_north" },
  });
  await add(group, "lon", [0, 90, 180, 270], { shape: [4], dimensionNames: ["lon"] });
  await add(group, "height", [2], { shape: [] });
  return { store, group, cube };
}

const listOf = ({ data }: { data: ArrayLike<number | bigint> }) => Array.from(data, Number);

describe("results", () => {
  it("keep dimensions, coordinates and attributes", async () => {
    const { cube } = await makeCube();
    const mean = await reduce(cube, { method: "mean", over: "time" });
    expect([mean.shape, mean.stride, mean.dimensionNames, mean.dtype.name]).toEqual([
      ...[[3, 4], [4, 1], ["lat", "lon"], "float64"],
    ]);
    expect(mean.attributes).toEqual({ units: "K" });
    expect(Object.keys(mean.coordinates).sort()).toEqual(["height", "lat", "lon"]);
    expect(mean.coordinates["lat"]).toMatchObject({ dimensionNames: ["lat"], shape: [3] });
    expect(listOf(mean)).toEqual(sequence(12).map((i) => i + 66));
  });

  it("have scalar coordinates of dimensions that an index drops", async () => {
    const { cube } = await makeCube();
    const max = await reduce(cube, {
      method: "max",
      over: "lon",
      selection: { time: 3, lat: slice(1, null) },
    });
    expect([max.shape, max.dimensionNames, listOf(max)]).toEqual([[2], ["lat"], [43, 47]]);
    expect(max.coordinates["time"]).toMatchObject({ shape: [], dimensionNames: [] });
    expect(Array.from(max.coordinates["lat"]!.data as Float64Array)).toEqual([0, 60]);
  });

  it("of several methods come from one pass over the chunks", async () => {
    const { store, cube } = await makeCube();
    const requests: string[] = [];
    const counting = {
      get: async (key: string) => {
        requests.push(key);
        return store.get(key);
      },
    };
    const array = await open(counting, { path: "cube", kind: "array" });
    const { mean, min, count } = await reduce(array, { method: ["mean", "min", "count"] });
    expect([listOf(mean), listOf(min), listOf(count)]).toEqual([[71.5], [0], [144]]);
    const chunks = requests.filter((key) => key.startsWith("/cube/c/"));
    expect(chunks.length).toBe(new Set(chunks).size);
    expect(cube.gridShape.reduce((a, b) => a * b)).toBe(chunks.length);
  });

  it("of arrays without dimensions and of empty selections", async () => {
    const group = await createGroup(new Map());
    const scalar = await add(group, "s", [7], { shape: [] });
    expect(listOf(await reduce(scalar, { method: "sum" }))).toEqual([7]);
    const list = await add(group, "l", [1, 2], { shape: [2] });
    const all = {
      method: ["sum", "mean", "count", "min", "argmin", "any", "all"] as const,
      selection: [slice(0, 0)],
    };
    const empty = await reduce(list, all);
    expect(Object.values(empty).map((region) => listOf(region)[0])).toEqual([
      ...[0, Number.NaN, 0, Number.NaN, -1, 0, 1],
    ]);
    expect(listOf(await reduce(list, { method: "mean", over: [], selection: [slice(0, 0)] }))).toEqual([]);
  });

  it("are exact 64-bit sums, and errors if these overflow", async () => {
    const group = await createGroup(new Map());
    const array = await create(group, { path: "n", shape: [4], chunkShape: [3], dtype: "int64" });
    await set(array, null, BigInt64Array.of(2n ** 62n, 2n ** 62n, -1n, 0n));
    expect((await reduce(array, { method: "sum" })).data).toEqual(BigInt64Array.of(2n ** 63n - 1n));
    expect((await reduce(array, { method: "max" })).data).toEqual(BigInt64Array.of(2n ** 62n));
    await set(array, [2], BigInt64Array.of(0n));
    expect(await errorOf(() => reduce(array, { method: "sum" }))).toMatchObject({ _tag: "LimitExceeded" });
    expect(listOf(await reduce(array, { method: "mean" }))).toEqual([2 ** 61]);
  });

  it("count chunks that are not stored as the fill value, without decoding", async () => {
    const array = await create(new Map(), {
      shape: [1000, 1000],
      chunkShape: [10, 10],
      dtype: "int16",
      fillValue: 3,
    });
    expect((await reduce(array, { method: "sum" })).data).toEqual(BigInt64Array.of(3_000_000n));
  });

  it.each(["calling thread", "pool"])("count many missing chunks at once: %s", async (thread) => {
    const [side, length] = [256, 11];
    const array = await create(new Map(), {
      shape: [length, 2 * side, 2 * side + 1],
      chunkShape: [1, side, side],
      dtype: "float64",
      fillValue: 0.5,
      codecs: [
        { name: "bytes", configuration: { endian: "little" } },
        { name: "zstd", configuration: { level: 1, checksum: false } },
      ],
    });
    await set(array, [4, slice(side), slice(side)], new Float64Array(side * side).fill(-3));
    const method = ["count", "sum", "mean", "var", "min", "max", "any", "argmin", "last"] as const;
    const workers = thread === "pool" ? new WorkerPool({ size: 1 }) : undefined;
    let done = 0;
    const onProgress = ({ bytes, totalBytes }: { bytes: number; totalBytes: number }) => {
      done = bytes / totalBytes;
    };
    const [count, stored] = [length * 2 * side * (2 * side + 1), side * side];
    const sum = 0.5 * (count - stored) - 3 * stored;
    const mean = sum / count;
    const variance = (0.25 * (count - stored) + 9 * stored) / count - mean ** 2;
    for (const part of [method.slice(0, 7), method]) {
      const all = await reduce(array, { method: part, pool: workers, onProgress });
      const found = Object.fromEntries(Object.entries(all).map(([name, region]) => [name, region.data[0]]));
      expect(found).toMatchObject({ count, sum, min: -3, max: 0.5, any: 1 });
      expect([found["mean"], found["var"]]).toEqual([expect.closeTo(mean, 12), expect.closeTo(variance, 12)]);
      expect(done).toBe(1);
      if (part === method)
        expect([found["argmin"], found["last"]]).toEqual([4 * 2 * side * (2 * side + 1), 0.5]);
    }
    const along = await reduce(array, { method: "sum", over: 0, pool: workers });
    expect([along.data[0], along.data.at(-1)]).toEqual([0.5 * 10 - 3, 0.5 * length]);
    workers?.destroy();
  });
});

describe("groups", () => {
  const middle = 15;
  const monthsOf = (calendar: string, length: number) => ({
    attributes: { units: "days since 2000-01-01", calendar },
    days: sequence(24).map((month) => month * length + middle),
  });

  it.each([
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
    "julian",
    "standard",
    "proleptic_gregorian",
  ])("of months in the calendar %s", async (calendar) => {
    const length = calendar === "360_day" ? 30 : calendar.match(/366|all/) ? 30.5 : 30.42;
    const { attributes, days } = monthsOf(calendar, length);
    const { cube } = await makeCube(attributes, days);
    const first = await reduce(cube, {
      method: "first",
      groupBy: "time.month",
      selection: { lat: 0, lon: 0 },
    });
    expect(first.dimensionNames).toEqual(["month"]);
    expect(Array.from(first.coordinates["month"]!.data as Int32Array)).toEqual(
      sequence(12).map((i) => i + 1),
    );
    expect(listOf(first)).toEqual(sequence(12).map((i) => i * 12));
    const years = await reduce(cube, { method: "count", groupBy: "time.year", over: ["lat", "lon"] });
    expect([Array.from(years.coordinates["year"]!.data as Int32Array), listOf(years)]).toEqual([
      [2000, 2001],
      [144, 144],
    ]);
  });

  it("of seasons are sorted as xarray sorts them, and leave out missing times", async () => {
    const { cube } = await makeCube(undefined, [
      0,
      31,
      60,
      91,
      121,
      152,
      182,
      213,
      244,
      274,
      305,
      Number.NaN,
    ]);
    const count = await reduce(cube, { method: "count", groupBy: "time.season", over: ["lat", "lon"] });
    expect(count.coordinates["season"]!.data).toEqual(["DJF", "JJA", "MAM", "SON"]);
    expect(listOf(count)).toEqual([24, 36, 36, 36]);
  });

  it("by hour, day of the year and day of the week", async () => {
    const { cube } = await makeCube(
      { units: "hours since 2000-02-28 22:00" },
      sequence(12).map((i) => i * 5),
    );
    const keys = async (part: "hour" | "dayofyear" | "dayofweek") => {
      const { coordinates } = await reduce(cube, { method: "count", groupBy: `time.${part}` });
      return Array.from(coordinates[part]!.data as Int32Array);
    };
    expect(await keys("dayofyear")).toEqual([59, 60, 61, 62]); // 2000-02-29 exists
    expect(await keys("dayofweek")).toEqual([0, 1, 2, 3]);
    const hours = sequence(12).map((i) => (22 + i * 5) % 24);
    expect(await keys("hour")).toEqual([...new Set(hours)].sort((a, b) => a - b));
  });

  it("by a coordinate and by labels", async () => {
    const { cube } = await makeCube();
    const zonal = await reduce(cube, { method: "sum", groupBy: "lat", over: ["time", "lon"] });
    expect([zonal.dimensionNames, zonal.shape]).toEqual([["lat"], [3]]);
    const regions = await reduce(cube, {
      method: "count",
      groupBy: { dimension: "lon", labels: ["b", "a", null, "b"], name: "region" },
      over: ["time", "lat"],
    });
    expect([regions.coordinates["region"]!.data, listOf(regions)]).toEqual([
      ["a", "b"],
      [36, 72],
    ]);
  });

  it("of datetime64 coordinates", async () => {
    const { group, cube } = await makeCube();
    const time = await create(group, {
      path: "time",
      shape: [12],
      dtype: "<M8[D]" as never,
      dimensionNames: ["time"],
      overwrite: true,
    });
    await set(time as ZarrArray, null, BigInt64Array.from({ length: 12 }, (_, i) => BigInt(i * 40)) as never);
    const { coordinates } = await reduce(cube, { method: "count", groupBy: "time.year" });
    expect(Array.from(coordinates["year"]!.data as Int32Array)).toEqual([1970, 1971]);
    const bins = await reduce(cube, { method: "count", resample: { time: "YS" }, over: ["lat", "lon"] });
    expect(bins.coordinates["time"]!.data).toEqual(BigInt64Array.of(0n, 365n));
  });
});

describe("periods", () => {
  it.each([
    ["5D", [0, 5, 10]],
    ["MS", [0]],
    ["QS-DEC", [-31]],
    [
      "12h",
      sequence(24)
        .map((i) => i / 2)
        .slice(0, 23),
    ],
  ])("of %s begin where pandas begins them", async (period, starts) => {
    const { cube } = await makeCube();
    const count = await reduce(cube, {
      method: "count",
      resample: { time: period as "MS" },
      over: ["lat", "lon"],
    });
    expect(Array.from(count.coordinates["time"]!.data as Float64Array)).toEqual(starts);
    expect(listOf(count).reduce((a, b) => a + b)).toBe(144);
  });

  it("without elements have no mean, and a sum of 0", async () => {
    const { cube } = await makeCube(undefined, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 71]);
    const { mean, count, sum } = await reduce(cube, {
      method: ["mean", "count", "sum"],
      resample: { time: "MS" },
      over: [1, 2],
    });
    expect(listOf(count)).toEqual([120, 0, 24]);
    expect(listOf(mean)[1]).toBeNaN();
    expect(Number(sum.data[1])).toBe(0);
  });
});

describe("weights", () => {
  it("of latitudes are areas of bands", async () => {
    const { cube } = await makeCube();
    const { mean } = await reduce(cube, {
      method: ["mean"],
      weights: "latitude",
      over: "lat",
      selection: [0, null, 0],
    });
    const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
    const [outer, inner] = [sine(90) - sine(30), 2 * sine(30)];
    expect(listOf(mean)[0]).toBeCloseTo((0 * outer + 4 * inner + 8 * outer) / (2 * outer + inner), 12);
  });

  it("and groups request each document and chunk once", async () => {
    const { group } = await makeCube();
    const { store } = group;
    const requested: string[] = [];
    const get = async (key: string) => {
      requested.push(key);
      return store.get(key as never);
    };
    const cube = await open({ get } as never, { path: "cube", kind: "array" });
    requested.length = 0;
    await reduce(cube, { method: "mean", groupBy: "time.month", weights: "latitude" });
    expect(requested).toEqual(expect.arrayContaining(["/zarr.json", "/lat/zarr.json", "/lat/c/0"]));
    expect(requested).toEqual([...new Set(requested)]);
  });

  it("of latitudes use bounds", async () => {
    const { group, cube } = await makeCube();
    const attributes = { units: "degrees_north", bounds: "lat_bnds" };
    const lat = await create(group, {
      path: "lat",
      shape: [3],
      dtype: "float64",
      dimensionNames: ["lat"],
      attributes,
      overwrite: true,
    });
    await set(lat, null, Float64Array.of(-60, 0, 60));
    await add(group, "lat_bnds", [-90, 0, 0, 30, 30, 90], { shape: [3, 2] });
    const mean = await reduce(cube, {
      method: "mean",
      weights: "latitude",
      over: "lat",
      selection: [0, null, 0],
    });
    expect(listOf(mean)[0]).toBeCloseTo((4 * 0.5 + 8 * 0.5) / 2, 12);
  });

  it("may be a result, or an array of the store", async () => {
    const { group, cube } = await makeCube();
    const weights = await add(group, "w", [1, 0, 3], { shape: [3], dimensionNames: ["lat"] });
    const direct = await reduce(cube, { method: "mean", weights });
    const region = await reduce(weights, { method: "sum", over: [] });
    expect(listOf(await reduce(cube, { method: "mean", weights: region }))).toEqual(listOf(direct));
  });
});

const { cube: anyCube } = await makeCube();

describe("invalid options", () => {
  it.each<[object, RegExp]>([
    [{}, /method is required, one of count/],
    [{ method: "median" }, /unknown method median; quantile\(\) computes medians/],
    [{ method: "men" }, /unknown method men; did you mean "mean"\?/],
    [{ method: [] }, /at least one of/],
    [{ method: "mean", over: "level" }, /unknown dimension "level"; the dimensions are "time", "lat", "lon"/],
    [{ method: "mean", over: 3 }, /unknown dimension 3/],
    [{ method: "mean", axis: 0 }, /unknown option "axis"; did you mean over\?/],
    [{ method: "mean", groupBy: "time.moon" }, /unknown part "moon"; expected year/],
    [
      { method: "mean", groupBy: "x" },
      /no coordinate "x"; the coordinates are "time", "lat", "lon", "height"/,
    ],
    [{ method: "mean", groupBy: "lat.month" }, /"lat" has no times/],
    [{ method: "mean", groupBy: 5 }, /groupBy must be/],
    [{ method: "mean", groupBy: { dimension: "lat", labels: [1] } }, /3 labels are needed/],
    [{ method: "mean", groupBy: "height" }, /not|one/],
    [{ method: "mean", groupBy: "lat", rolling: { time: 2 } }, /only one of/],
    [{ method: "mean", rolling: { time: 0 } }, /positive integer/],
    [{ method: "mean", rolling: { time: 2 }, over: "lat" }, /second step/],
    [{ method: "mean", center: true }, /needs rolling/],
    [{ method: "mean", resample: { time: "1W" } }, /resample periods are/],
    [{ method: "mean", resample: { time: "0D" } }, /resample periods are/],
    [{ method: "mean", resample: {} }, /one entry/],
    [{ method: "mean", weights: "longitude" }, /weights must be "latitude"/],
    [{ method: "mean", weights: { data: [1], dimensionNames: ["lat"] } }, /3 values are needed, got 1/],
    [{ method: "mean", decode: 5 }, /decode must be/],
    [{ method: "mean", skipMissing: 1 }, /skipMissing must be/],
    [{ method: "mean", onPartial: 1 }, /onPartial must be a function/],
    [{ method: "mean", concurrency: 0 }, /concurrency must be/],
  ])("%j", async (options, message) => {
    const error = await errorOf(() => reduce(anyCube, options as never));
    expect([error["_tag"], error.message]).toEqual(["InvalidArgument", expect.stringMatching(message)]);
  });

  it("of other kinds", async () => {
    const tag = async (work: () => unknown) => (await errorOf(work))["_tag"];
    expect(await tag(() => reduce({} as never, { method: "sum" }))).toBe("InvalidArgument");
    expect(await tag(() => reduce(anyCube, { method: "sum", selection: [99] }))).toBe("InvalidSelection");
    for (const [method, list] of [
      ["first", [2, 1]],
      ["sum", [2, 1, 2]],
    ] as const)
      expect(await tag(() => reduce(anyCube, { method, selection: [list] }))).toBe("InvalidSelection");
    const text = await create(new Map(), { shape: [2], dtype: "string" });
    expect(await tag(() => reduce(text as never, { method: "count" }))).toBe("Unsupported");
    const complex = await create(new Map(), { shape: [2], dtype: "complex64" });
    expect(await tag(() => reduce(complex, { method: "count" }))).toBe("Unsupported");
  });

  it("results that exceed the limit are refused before anything is read", async () => {
    const reads: string[] = [];
    const { store } = await makeCube();
    const source = {
      async get(key: string) {
        reads.push(key);
        return store.get(key);
      },
    };
    const array = await open(source, { path: "cube", kind: "array", limits: { resultBytes: 64 } });
    const error = await errorOf(() => reduce(array, { method: "mean", over: "time" }));
    expect(error).toMatchObject({ _tag: "LimitExceeded", message: expect.stringContaining("96 bytes") });
    expect(reads.filter((key) => key.includes("/c/"))).toEqual([]);
  });
});

describe("while it runs", () => {
  it("reports progress in bytes, and partial results", async () => {
    const { cube } = await makeCube();
    const progress: number[] = [];
    const partial: number[] = [];
    const options = {
      method: "sum",
      onProgress: ({ bytes, totalBytes }: { bytes: number; totalBytes: number }) =>
        progress.push(bytes / totalBytes),
      onPartial: (results: { sum: LabelledRegion }) => partial.push(Number(results.sum.data[0])),
    } as const;
    await reduce(cube, options);
    expect(progress.at(-1)).toBe(1);
    expect(partial.at(-1)).toBe((143 * 144) / 2);
  });

  it.each(["calling thread", "pool"])("stops at an abort: %s", async (where) => {
    const { store } = await makeCube();
    const stop = new AbortController();
    const waiting = {
      get: (key: string) =>
        key.includes("/c/") ? new Promise<never>(() => stop.abort("enough")) : store.get(key),
    };
    const array = await open(waiting as never, { path: "cube", kind: "array" });
    const pool = where === "pool" ? new WorkerPool({ size: 1 }) : undefined;
    const work = reduce(array, { method: "sum", signal: stop.signal, pool });
    await expect(work).rejects.toBe("enough");
    pool?.destroy();
  });

  it.each(["calling thread", "pool"])("damaged chunks and failing stores are errors: %s", async (where) => {
    const { store } = await makeCube();
    const pool = where === "pool" ? new WorkerPool({ size: 1 }) : undefined;
    store.set("/cube/c/1/0/1", new Uint8Array(9));
    const array = await open(store, { path: "cube", kind: "array" });
    const error = await errorOf(() => reduce(array, { method: "sum", pool }));
    expect(error).toMatchObject({ _tag: "CorruptChunk", chunkKey: "/cube/c/1/0/1" });
    const broken = {
      get: async (key: string) => {
        if (key === "/cube/c/2/1/0") throw new Error("no disk");
        return store.get(key);
      },
    };
    const other = await open(broken, { path: "cube", kind: "array" });
    const failed = await errorOf(() => reduce(other, { method: "sum", selection: [slice(10, 12)], pool }));
    expect(failed.message).toContain("no disk");
    pool?.destroy();
  });

  it("bounds memory: blocks of a large result are computed one after another", async () => {
    const array = await create(new Map(), {
      shape: [4, 3000, 3000],
      chunkShape: [4, 500, 500],
      dtype: "uint8",
      fillValue: 2,
    });
    const sum = await reduce(array, { method: "sum", over: 0 });
    expect([sum.data.length, sum.data.every((value) => value === 8n)]).toEqual([9_000_000, true]);
  });
});

it("reads the same elements as get", async () => {
  const { cube } = await makeCube();
  const { data } = await get(cube);
  const same = await reduce(cube, { method: "first", over: [] });
  expect(Array.from(same.data as Float64Array)).toEqual(Array.from(data as Float64Array));
});
