// Hostile arrays, attributes and options: huge extents and grids, values near the limits of float64, statistics that lie.
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { create, createGroup, get, open, resize, set, slice, WorkerPool, type ZarrArray } from "zarr-wasm";
import { quantile, reduce, series, statistics } from "zarr-wasm/compute";
import { cellsInside } from "#src/compute/places/areas.js";
import { PlaceAxis } from "#src/compute/places/place-axis.js";
import { errorOf } from "../support/support.js";

interface Stored {
  readonly shape: number[];
  readonly chunkShape?: number[];
  readonly dtype: string;
  readonly attributes?: object;
  readonly data?: ArrayBufferView;
}

/** Creates an array in memory; attributes are stored after the data, as by another program. */
async function make({ attributes, data, dtype, ...how }: Stored): Promise<ZarrArray> {
  const store = new Map<string, Uint8Array>();
  const names = how.shape.map((_, axis) => "xyz"[axis]!);
  const given = { ...how, dtype: dtype as "int32", codecs: [], dimensionNames: names, fillValue: 2 };
  const array = (await create(store, given)) as ZarrArray;
  if (data) await set(array, null, data as never);
  const document = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  const stored = JSON.stringify({ ...document, attributes });
  store.set("/zarr.json", new TextEncoder().encode(stored));
  return open(store, { kind: "array" });
}

const count = (length: number) => Int32Array.from({ length }, (_, i) => i);

/** Creates an array of 4 by 4 elements with coordinates. */
async function located(): Promise<ZarrArray> {
  const group = await createGroup(new Map<string, Uint8Array>());
  for (const path of ["y", "x", "v"]) {
    const names = path === "v" ? ["y", "x"] : [path];
    const shape = names.map(() => 4);
    const array = await create(group, { path, shape, dtype: "float64", dimensionNames: names });
    await set(
      array as ZarrArray,
      null,
      Float64Array.from({ length: 4 ** names.length }, (_, i) => i),
    );
  }
  return open(group.store, { path: "v", kind: "array" });
}

describe("statistics in attributes", () => {
  const known = { shape: [4, 4], min: -100, max: 100, missing: 0, count: 16 };
  const knowing = (statistics: object) => ({ "zarr-wasm:statistics": { ...known, ...statistics } });
  const square = (attributes: object) => make({ shape: [4, 4], dtype: "int32", data: count(16), attributes });

  it("do not answer for the cells of areas", async () => {
    const labels = await make({ shape: [4, 4], dtype: "int32", data: count(16).map((i) => Number(i > 12)) });
    const inside = { labels, label: 1 };
    const least = await series(await square(knowing({})), { inside, method: "min", weights: "none" });
    expect(least.data[0]).toBe(13);
  });

  it("are ignored if the type of the elements cannot hold them", async () => {
    for (const [lie, found] of [
      [{ max: 1e300 }, 15],
      [{ max: 2.5 }, 15],
      [{ max: 5 }, 5],
    ] as const)
      expect((await reduce(await square(knowing(lie)), { method: "max" })).data[0]).toBe(found);
  });

  it("are ignored if they have another shape or type", async () => {
    for (const lie of [{ shape: [16] }, { min: "1" }, { min: null }, { min: 5, max: 1 }, { missing: "0" }])
      expect((await reduce(await square(knowing(lie)), { method: "min" })).data[0]).toBe(0);
  });
});

describe("areas", () => {
  it("may be none", async () => {
    const [array, labels] = [
      await make({ shape: [4, 4], dtype: "int32" }),
      await make({ shape: [4, 4], dtype: "int8" }),
    ];
    await set(labels, null, new Int8Array(16));
    const none = await series(array, { inside: { labels }, weights: "none", method: ["sum", "max"] });
    expect(none).toMatchObject({ sum: { shape: [0] }, max: { shape: [0] } });
  });

  it("refuse features inside features", async () => {
    const cyclic: Record<string, unknown> = { type: "Feature" };
    cyclic["geometry"] = cyclic;
    const array = await located();
    expect(await errorOf(() => series(array, { inside: cyclic as never }))).toMatchObject({
      _tag: "InvalidArgument",
    });
  });

  it("with many rings can be aborted before all of them are read", async () => {
    const array = await located();
    const controller = new AbortController();
    const reason = new Error("stopped");
    let read = 0;
    const triangle = [
      [0, 0],
      [3, 0],
      [0, 3],
    ];
    const ring = new Proxy(triangle, {
      get(target, key) {
        if (key === "0" && ++read === 10) setImmediate(() => controller.abort(reason));
        return Reflect.get(target, key);
      },
    });
    // More rings than the steps of several slices, however fast they run.
    const polygon = { type: "MultiPolygon", coordinates: new Array(100_000).fill([ring]) };
    const { signal } = controller;
    expect(await errorOf(() => series(array, { inside: polygon, signal }))).toBe(reason);
    expect(read).toBeLessThan(50_000);
  });
});

describe("workers that fail", () => {
  const script = new URL("../../../dist/workers/worker.js", import.meta.url);

  /** A pool whose workers are terminated after a message; counts its messages. */
  function failingPool(fails: (posts: number) => boolean) {
    let posts = 0;
    const createWorker = () => {
      const worker = new Worker(script, { execArgv: [] });
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (...args: Parameters<typeof post>) => {
        post(...args);
        if (fails(++posts)) void worker.terminate();
      };
      return worker;
    };
    return { pool: new WorkerPool({ size: 2, createWorker }), posts: () => posts };
  }

  it.each([
    ["at message 1", (n: number) => n === 1],
    ["at message 2", (n: number) => n === 2],
    ["at message 5", (n: number) => n === 5],
    ["at every message", () => true],
  ])("%s add no chunk twice and omit none", async (_, fails) => {
    const shape = [32, 128, 128];
    const data = Int32Array.from({ length: 32 * 128 * 128 }, (_, i) => (i * 7919) % 100_003);
    const store = new Map<string, Uint8Array>();
    const options = { shape, chunkShape: [4, 32, 64], dtype: "int32", codecs: ["zstd"] } as const;
    const array = (await create(store, options)) as ZarrArray;
    await set(array, null, data as never);
    const method = ["sum", "min", "max", "argmax"] as const;
    const { pool, posts } = failingPool(fails);
    for (const over of [[0], [1, 2]]) {
      const found = await reduce(array, { method, over, pool });
      const wanted = await reduce(array, { method, over });
      for (const name of method) expect([name, found[name].data]).toEqual([name, wanted[name].data]);
    }
    expect(posts()).toBeGreaterThan(0);
    pool.destroy();
  });
});

describe("areas of many vertices", () => {
  it("are searched in steps that are short, however many cells and vertices there are", () => {
    let work = 0;
    const axis = (name: string, number: number) => {
      const at = (i: number) => {
        work++;
        return i;
      };
      const kind = "numbers" as const;
      const how = { isLongitude: false, isLinear: true, rounded: Number, texts: [] };
      return new PlaceAxis({ name, length: 2000, kind, at, ...how }, number);
    };
    const convert = (point: readonly [number, number]) => {
      work++;
      return point;
    };
    const surface = { areDegrees: false, convert, cells: { x: axis("x", 1), y: axis("y", 0) } };
    const ring = Array.from({ length: 100_000 }, (_, i) => {
      const angle = (2 * Math.PI * i) / 100_000;
      const radius = 900 + 50 * Math.sin(40 * angle);
      return [1000 + radius * Math.cos(angle), 1000 + radius * Math.sin(angle)];
    });
    const steps = cellsInside(surface, [ring, ring.slice(0, 50_000)]);
    let [most, turns] = [0, 0];
    for (let next = steps.next(); ; next = steps.next()) {
      most = Math.max(most, work);
      work = 0;
      if (next.done) {
        const inside = next.value.tables[0]!.filter((area) => area !== 0xffffffff).length;
        expect(Math.abs(inside - Math.PI * (900 ** 2 + 50 ** 2 / 2))).toBeLessThan(1000);
        break;
      }
      turns++;
    }
    expect(turns).toBeGreaterThan(1000);
    expect(most).toBeLessThan(2 ** 17); // readings of coordinates, some nanoseconds each
  });
});

describe("times", () => {
  /** Creates an array of ones along times. */
  async function timed(times: ArrayLike<number>, attributes: object): Promise<ZarrArray> {
    const group = await createGroup(new Map<string, Uint8Array>());
    for (const path of ["time", "v"]) {
      const options = { path, shape: [times.length], dtype: "float64", dimensionNames: ["time"] } as const;
      const array = await create(group, {
        ...options,
        attributes: (path === "time" ? attributes : {}) as never,
      });
      await set(
        array,
        null,
        path === "time" ? Float64Array.from(times) : new Float64Array(times.length).fill(1),
      );
    }
    return open(group.store, { path: "v", kind: "array" });
  }
  const months = (array: ZarrArray) => reduce(array, { method: "count", groupBy: "time.month" });
  const units = "days since 2000-01-01";

  it.each([
    ["an unknown calendar", { units, calendar: "mayan" }, "Unsupported", /mayan/],
    ["units of months", { units: "months since 2000-01-01" }, "Unsupported", /weeks and nanoseconds/],
    ["units without a date", { units: "days since the flood" }, "InvalidMetadata", /flood/],
    ["no units", {}, "InvalidArgument", /no times/],
  ])("refuse %s", async (_, attributes, tag, message) => {
    const array = await timed([0, 40], attributes);
    for (const work of [
      () => months(array),
      () => reduce(array, { method: "sum", resample: { time: "MS" } }),
    ]) {
      const error = await errorOf(work);
      expect(error).toMatchObject({ _tag: tag });
      expect(error).toHaveProperty("message", expect.stringMatching(message));
    }
  });

  it("refuse years that no calendar has, and infinite times", async () => {
    for (const time of [365.25e9, -365.25e9, Number.POSITIVE_INFINITY, 1e300])
      expect(await errorOf(async () => months(await timed([0, time], { units })))).toMatchObject({
        _tag: "Unsupported",
        code: "unsupported-time",
      });
  });

  it("that are missing belong to no group and no period", async () => {
    const array = await timed([0, Number.NaN, 40, 41], { units });
    expect([...(await months(array)).data]).toEqual([1, 2]);
    const monthly = await reduce(array, { method: "count", resample: { time: "MS" } });
    expect([...monthly.data]).toEqual([1, 2]);
    const none = await timed([Number.NaN, Number.NaN], { units });
    expect((await months(none)).shape).toEqual([0]);
    expect((await reduce(none, { method: "sum", resample: { time: "D" } })).shape).toEqual([0]);
  });

  it("may be in any order, in every calendar", async () => {
    for (const calendar of ["standard", "noleap", "all_leap", "360_day", "julian"]) {
      const array = await timed([95, 3, 64, 4, 33, 2], { units, calendar });
      expect([...(await months(array)).data]).toEqual([3, 1, 1, 1]);
      const monthly = await reduce(array, { method: "count", resample: { time: "MS" } });
      expect([...monthly.data]).toEqual([3, 1, 1, 1]);
    }
  });

  it("refuse periods of too many bins, before anything is allocated", async () => {
    const array = await timed([0, 300_000], { units });
    expect(await errorOf(() => reduce(array, { method: "sum", resample: { time: "s" } }))).toMatchObject({
      _tag: "LimitExceeded",
    });
  });

  it("of another length than their dimension are not a coordinate", async () => {
    const array = await timed([0, 40], { units });
    const time = await open(array.store, { path: "time", kind: "array" });
    await resize(time, [1]);
    expect(await errorOf(() => months(array))).toMatchObject({ _tag: "InvalidArgument" });
    expect((await reduce(array, { method: "sum" })).data[0]).toBe(2);
  });
});

describe("huge extents", () => {
  const huge = () => make({ shape: [2 ** 40], chunkShape: [2 ** 20], dtype: "float32" });

  it("are read with steps above 2^32", async () => {
    const selection = [slice(0, 2 ** 40, 2 ** 38)];
    expect(await get(await huge(), selection)).toMatchObject({ data: Float32Array.of(2, 2, 2, 2) });
    expect((await reduce(await huge(), { method: "sum", selection })).data[0]).toBe(8);
  });

  it("refuse lists of indices and labels that need large tables", async () => {
    const array = await huge();
    const repeated = [...new Array<number>(2000).fill(0), 10 ** 6];
    for (const [list, tag] of [
      [[0, 5, 2 ** 39], "LimitExceeded"],
      [repeated, "InvalidSelection"],
    ] as const)
      expect(await errorOf(() => reduce(array, { method: "sum", selection: [list] }))).toMatchObject({
        _tag: tag,
      });
    const groupBy = { dimension: "x", labels: { length: 2 ** 40 } };
    expect(await errorOf(() => reduce(array, { method: "sum", groupBy }))).toMatchObject({
      _tag: "LimitExceeded",
    });
  });

  it("are reduced with chunks of one element, in bounded tasks that can be aborted", async () => {
    const array = await make({ shape: [10 ** 9], chunkShape: [1], dtype: "uint8" });
    const controller = new AbortController();
    const reason = new Error("stopped");
    let most = 0;
    const onProgress = ({ bytes }: { bytes: number }) => {
      most = bytes;
      controller.abort(reason);
    };
    const { signal } = controller;
    expect(await errorOf(() => reduce(array, { method: "mean", signal, onProgress }))).toBe(reason);
    expect(most).toBeLessThan(2 ** 16);
  });
});

it("bounds tasks of grids whose first chunk is much larger than others", async () => {
  const sizes = [10 ** 6, [1, 10 ** 6]];
  const document = {
    ...{ zarr_format: 3, node_type: "array", shape: [2 * 10 ** 6], data_type: "uint8", fill_value: 1 },
    ...{ codecs: [{ name: "bytes" }], chunk_key_encoding: { name: "default" } },
    chunk_grid: { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [sizes] } },
  };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
  const controller = new AbortController();
  const progress: number[] = [];
  const onProgress = ({ bytes }: { bytes: number }) => {
    progress.push(bytes);
    if (progress.length === 3) controller.abort();
  };
  const array = await open(store, { kind: "array" });
  const { signal } = controller;
  await errorOf(() => reduce(array, { method: "sum", signal, onProgress }));
  expect(progress[0]).toBeLessThan(10 ** 6 + 2 ** 16);
  expect(progress[2]! - progress[0]!).toBeLessThan(2 ** 16);
});

describe("histograms", () => {
  it("hold values near the limits of float64, and infinite ones only in the counts", async () => {
    const data = Float64Array.of(-1.79e308, 1.79e308, 1, Number.POSITIVE_INFINITY, Number.NaN);
    const all = await statistics(await make({ shape: [5], chunkShape: [2], dtype: "float64", data }));
    expect(all).toMatchObject({ count: 4, missing: 1, min: -1.79e308, max: Number.POSITIVE_INFINITY });
    expect(all.histogram.counts.reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(all.histogram.edges.every(Number.isFinite)).toBe(true);
  });

  it("take integers and floats that become infinite when they are decoded", async () => {
    for (const [dtype, data] of [
      ["int16", Int16Array.of(1, 200)],
      ["float64", Float64Array.of(1, 200)],
    ] as const) {
      const array = await make({ shape: [2], dtype, data, attributes: { scale_factor: 1e307 } });
      expect(await statistics(array)).toMatchObject({ count: 2, min: 1e307, max: Number.POSITIVE_INFINITY });
    }
  });

  it("refuse ranges whose bins are not numbers", async () => {
    const array = await make({ shape: [2], dtype: "float64" });
    for (const range of [
      [-1.7e308, 1.7e308],
      [0, 5e-324],
    ] as const)
      expect(await errorOf(() => statistics(array, null, { range }))).toMatchObject({
        _tag: "InvalidArgument",
      });
  });
});

it("bounds the errors of approximate quantiles that are infinite", async () => {
  const data = Float64Array.of(Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY);
  const found = await quantile(await make({ shape: [3], dtype: "float64", data }), [0, 1], {
    approximate: true,
  });
  expect([...found.values]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  expect([...found.errors]).not.toContain(Number.NaN);
});

it("refuses more missing values than the core compares", async () => {
  const attributes = { missing_value: [...count(100)] };
  const array = await make({ shape: [4], dtype: "int32", attributes });
  expect(await errorOf(() => reduce(array, { method: "sum" }))).toMatchObject({ _tag: "Unsupported" });
});

it("sums no elements to 0", async () => {
  for (const [dtype, zero] of [
    ["int32", 0n],
    ["uint8", 0n],
    ["float32", 0],
  ] as const) {
    const array = await make({ shape: [2, 0], chunkShape: [1, 1], dtype });
    const { mean, sum } = await reduce(array, { method: ["sum", "mean"], over: "y" });
    expect([...sum.data]).toEqual([zero, zero]);
    expect([...mean.data]).toEqual([Number.NaN, Number.NaN]);
  }
});
