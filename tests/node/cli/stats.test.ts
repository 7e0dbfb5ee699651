// `zarr-wasm stats`: statistics of all elements, reductions as tables, JSON, CSV and Zarr, and stored statistics.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import {
  append,
  create,
  createGroup,
  get,
  open,
  resize,
  set,
  setChunk,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import { reduce } from "zarr-wasm/compute";
import { run, temporaryFolder } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";

const folder = temporaryFolder();
const place = path.join(folder, "climate.zarr");

/** Days of four months at two latitudes: packed numbers that count the days, with one missing. */
beforeAll(async () => {
  const group = await createGroup(urlOf(place));
  const add = async (
    name: string,
    dimensionNames: string[],
    values: Int16Array | Float64Array,
    attributes = {},
  ) => {
    const shape = dimensionNames.length === 1 ? [values.length] : [120, 2];
    const dtype = values instanceof Int16Array ? "int16" : "float64";
    const options = {
      path: name,
      shape,
      dtype,
      dimensionNames,
      attributes,
      chunkShape: shape.map((n) => Math.min(n, 50)),
    };
    await set(await create(group, options as never), null, values as never);
  };
  const count = (length: number) => Int16Array.from({ length }, (_, i) => i);
  await add("time", ["time"], count(120), { units: "days since 2001-01-01" });
  await add("lat", ["lat"], Float64Array.of(-60, 0), { units: "degrees_north" });
  await add("half", ["lat"], Float64Array.of(1, 3));
  await add("pr", ["time", "lat"], count(240), { scale_factor: 0.5, _FillValue: 3, units: "mm" });
  await add("plain", ["x"], Int16Array.of(1, 2, 3, 4));
  const big = await create(group, { path: "big", shape: [3], dtype: "int64" });
  await set(big, null, BigInt64Array.of(2n ** 53n + 1n, 1n, -5n));
});

const stats = (array: string, ...args: string[]) => run("stats", place, "--path", array, ...args);
const text = async (array: string, ...args: string[]) => {
  const { text: out, err, status } = await stats(array, ...args);
  expect({ err, status }).toEqual({ err: "", status: 0 });
  return out;
};

describe("all elements", () => {
  it("prints a table with a sketch of the histogram", async () => {
    const lines = (await text("pr", "--quantile", "0,0.5")).split("\n");
    expect(lines[0]).toBe("/pr  int16 [time: 120, lat: 2]  (mm, packed)");
    const facts = Object.fromEntries(lines.slice(1, 9).map((line) => line.split(/ {2,}/)));
    expect(facts).toMatchObject({ count: "239", missing: "1", min: "0", max: "119.5", "quantile 0": "0" });
    expect(Number(facts["mean"])).toBeCloseTo((28680 - 3) / 2 / 239, 12);
    expect(facts["quantile 0.5"]).toBe("60");
    expect(lines[9]).toBe("histogram");
    expect(lines.slice(10).join("\n")).toMatch(/^ +0 to +[\d.]+ +\d+ {2}█+$/m);
  });

  it("prints JSON and CSV", async () => {
    const facts = JSON.parse(await text("pr", "--json", "--quantile", "0.5"));
    expect(facts).toMatchObject({ count: 239, missing: 1, min: 0, max: 119.5, quantiles: { "0.5": 60 } });
    const { counts, edges } = facts.histogram as { counts: number[]; edges: number[] };
    expect(edges.length).toBe(counts.length + 1);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(239);
    const rows = (await text("plain", "--format", "csv")).trim().split("\n");
    expect(rows.slice(0, 6)).toEqual([
      "statistic,value",
      "count,4",
      "missing,0",
      "min,1",
      "max,4",
      "mean,2.5",
    ]);
    expect(JSON.parse(await text("big", "--json"))).toMatchObject({ min: -5, max: 2 ** 53 });
  });

  it("takes selections", async () => {
    expect(JSON.parse(await text("pr", "--json", "--sel", "time=2001-02,lat=0"))).toMatchObject({
      ...{ count: 28, min: 31.5, max: 58.5 },
    });
    expect(JSON.parse(await text("plain", "--json", "--select", "0:2"))).toMatchObject({ count: 2, max: 2 });
  });
});

describe("reductions", () => {
  it("prints a row for each element that remains", async () => {
    expect(await text("pr", "--over", "time", "--method", "min,count")).toBe(
      ["  lat  min  count", "-60.0  0.0  120.0", "  0.0  0.5  119.0", ""].join("\n"),
    );
    expect(await text("plain", "--method", "sum", "--format", "csv")).toBe("sum\n10\n");
    expect(await text("plain", "--over", "0")).toBe("mean\n 2.5\n");
  });

  it("groups times", async () => {
    const csv = await text(
      "pr",
      "--group-by",
      "time.month",
      "--over",
      "lat",
      "--method",
      "max,count",
      "--format",
      "csv",
    );
    expect(csv).toBe("month,max,count\n1,30.5,61.0\n2,58.5,56.0\n3,89.5,62.0\n4,119.5,60.0\n");
    const rows = (await text("pr", "--group-by", "time.month", "--format", "csv")).split("\n");
    expect([rows.length, rows[0], rows[1]]).toEqual([10, "month,lat,mean", "1,-60.0,15.0"]);
  });

  it("takes weights", async () => {
    const mean = async (...args: string[]) =>
      Number(
        (await text("pr", "--over", "lat", "--select", "10", "--format", "csv", ...args))
          .split("\n")[1]!
          .split(",")
          .at(-1),
      );
    expect(await mean("--weights", "half")).toBeCloseTo((10 + 3 * 10.5) / 4, 12);
    expect(await mean("--weights", "latitude")).toBeGreaterThan(10.25);
  });

  it("prints JSON that xarray reads", async () => {
    const { coords, data_vars: variables } = JSON.parse(
      await text("pr", "--over", "time", "--select", "1:2", "--method", "mean,sum", "--json"),
    );
    expect(coords.lat).toEqual({ dims: ["lat"], attrs: { units: "degrees_north" }, data: [-60, 0] });
    expect(variables.mean).toMatchObject({ dims: ["lat"], data: [1, null] });
    expect(variables.sum.data).toEqual([1, 0]);
    const { data_vars: two } = JSON.parse(await text("pr", "--group-by", "time.month", "--json"));
    expect([two.mean.dims, two.mean.data.length, two.mean.data[0].length]).toEqual([["month", "lat"], 4, 2]);
  });

  it("uses several threads", async () => {
    const sums = await Promise.all(["1", "2"].map((n) => text("pr", "--over", "time", "--threads", n)));
    expect(sums[0]).toBe(sums[1]);
  });
});

describe("--out", () => {
  it("writes a group with coordinates", async () => {
    const dest = path.join(folder, "monthly.zarr");
    const out = await text("pr", "--group-by", "time.month", "--method", "mean,max", "--out", dest);
    expect(out).toBe(`wrote pr_mean, pr_max to ${dest}\n`);
    const group = (await open(urlOf(dest), { kind: "group" })) as ZarrGroup;
    const opened = async (name: string) => (await group.open(name, { kind: "array" })) as ZarrArray;
    const most = await opened("pr_max");
    expect([most.shape, most.dimensionNames, most.attributes["units"]]).toEqual([
      [4, 2],
      ["month", "lat"],
      "mm",
    ]);
    expect(most.attributes).not.toHaveProperty("scale_factor");
    expect(Array.from((await get(most)).data as Float64Array)).toEqual([
      30, 30.5, 58, 58.5, 89, 89.5, 119, 119.5,
    ]);
    expect(Array.from((await get(await opened("month"))).data as Int32Array)).toEqual([1, 2, 3, 4]);
    expect((await opened("lat")).attributes).toEqual({ units: "degrees_north" });
  });

  it("names the only array like its source, and keeps the selected coordinates", async () => {
    const dest = path.join(folder, "one.zarr");
    await text("pr", "--over", "lat", "--sel", "time=2001-03", "--out", dest);
    const group = (await open(urlOf(dest), { kind: "group" })) as ZarrGroup;
    const time = (await group.open("time", { kind: "array" })) as ZarrArray;
    expect([time.shape, time.attributes["units"]]).toEqual([[31], "days since 2001-01-01"]);
    expect(((await group.open("pr", { kind: "array" })) as ZarrArray).dimensionNames).toEqual(["time"]);
  });

  it("replaces data only with --overwrite", async () => {
    const dest = path.join(folder, "again.zarr");
    await text("pr", "--over", "lat", "--out", dest);
    const again = await stats("pr", "--over", "lat", "--out", dest);
    expect([again.status, again.err]).toEqual([
      1,
      `zarr-wasm: "${dest}" already exists; pass --overwrite to replace it\n`,
    ]);
    expect((await stats("pr", "--over", "lat", "--out", dest, "--overwrite")).status).toBe(0);
  });

  it("writes nothing if the reduction fails", async () => {
    const dest = path.join(folder, "none.zarr");
    expect((await stats("pr", "--over", "depth", "--out", dest)).status).toBe(1);
    expect(existsSync(dest)).toBe(false);
  });
});

describe("errors", () => {
  it.each([
    [["--over", "depth"], 1, /unknown dimension "depth"; the dimensions are "time", "lat"/],
    [["--group-by", "time.moon"], 1, /unknown part "moon"; expected year, quarter, month/],
    [["--group-by", "depth.month"], 1, /no coordinate "depth"; the coordinates are "time", "lat"/],
    [["--weights", "nothing", "--over", "lat"], 1, /nothing/],
    [["--method", "median"], 2, /--method must be of count, sum, mean, .*, got "median"/],
    [["--format", "xml"], 2, /--format must be one of text, json, csv, got "xml"/],
    [["--quantile", "1.5"], 2, /--quantile takes numbers from 0 to 1, such as 0.1,0.5, got "1.5"/],
    [["--quantile", "0.5", "--over", "time"], 2, /omit --over and --method/],
    [["--out", "x.zarr"], 2, /--out writes the result of a reduction/],
    [["--over", "time", "--out", "x.zarr", "--format", "csv"], 2, /omit --format/],
    [["--write", "--over", "time"], 2, /--write stores the statistics of the whole array/],
    [["--json", "--format", "csv"], 2, /--json and --format csv cannot be used together/],
    [["--over", ""], 2, /--over takes names or numbers of dimensions/],
    [["--threads", "0"], 2, /--threads must be an integer of at least 1/],
  ])("%s", async (args, status, message) => {
    const result = await stats("pr", ...args);
    expect([result.status, result.text]).toEqual([status, ""]);
    expect(result.err).toMatch(message);
  });

  it("suggests an array for a group", async () => {
    expect((await run("stats", place)).err).toMatch(
      /expected an array, found a group at "\/"; name an array in it/,
    );
  });
});

describe("--write", () => {
  const file = path.join(folder, "stored.zarr");
  const open8 = async () => (await open(urlOf(file), { kind: "array" })) as ZarrArray;
  const name = "zarr-wasm:statistics";
  const write = async (zarrFormat: 2 | 3 = 3) => {
    const attributes = { scale_factor: 0.5, units: "K" };
    const array = await create(urlOf(file), {
      ...{ shape: [4, 2], chunkShape: [2, 2], dtype: "int16", zarrFormat, attributes, overwrite: true },
    });
    await set(array, null, Int16Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    expect((await run("stats", file, "--write")).status).toBe(0);
    return open8();
  };

  it.each([2, 3] as const)("stores statistics and the range in Zarr v%i", async (zarrFormat) => {
    const { attributes } = await write(zarrFormat);
    expect(attributes).toMatchObject({
      ...{ scale_factor: 0.5, units: "K", actual_range: [0.5, 4] },
      [name]: { shape: [4, 2], count: 8, missing: 0, min: 0.5, max: 4, mean: 2.25 },
    });
  });

  it("refuses files of other formats", async () => {
    const nc = fileURLToPath(new URL("../../golden/files/netcdf3/attributes-data64.nc", import.meta.url));
    const { status, err } = await run("stats", nc, "--path", "packed", "--write");
    expect([status, err]).toEqual([
      1,
      `zarr-wasm: --write: "${nc}" is read-only; copy it to Zarr first, with zarr-wasm copy\n`,
    ]);
  });

  it("gives minima and maxima without reading elements", async () => {
    const array = await write();
    const { min, max } = await reduce(array, { method: ["min", "max"] });
    expect([min.data[0], max.data[0]]).toEqual([0.5, 4]);
    rmSync(path.join(file, "c"), { recursive: true });
    expect((await reduce(array, { method: "max" })).data[0]).toBe(4);
    expect((await reduce(array, { method: "max", selection: [0] })).data[0]).toBe(0);
    expect((await reduce(array, { method: "max", decode: false })).data[0]).toBe(0);
    expect((await reduce(array, { method: "sum" })).data[0]).toBe(0);
  });

  const changes: Record<string, (array: ZarrArray) => Promise<unknown>> = {
    set: (array) => set(array as ZarrArray<"int16">, [0], Int16Array.of(9, 9)),
    setChunk: (array) => setChunk(array as ZarrArray<"int16">, [0, 0], Int16Array.of(9, 9, 9, 9)),
    append: (array) => append(array as ZarrArray<"int16">, Int16Array.of(9, 9)),
    resize: (array) => resize(array, [2, 2]),
    "a new array like it": async (array) => {
      await create(urlOf(`${file}-like`), { like: array, overwrite: true });
      const like = (await open(urlOf(`${file}-like`), { kind: "array" })) as ZarrArray;
      expect(like.attributes).toEqual({ scale_factor: 0.5, units: "K" });
      await set(array as ZarrArray<"int16">, null, 0);
    },
  };

  it.each(Object.keys(changes))("%s removes them", async (change) => {
    const array = await write();
    await changes[change]!(array);
    expect(array.attributes).toEqual({ scale_factor: 0.5, units: "K" });
    expect((await open8()).attributes).toEqual({ scale_factor: 0.5, units: "K" });
  });

  it("keeps them in copies, and ignores them for another shape", async () => {
    await write();
    const [whole, part] = [`${file}-whole`, `${file}-part`];
    await run("copy", file, whole, "--overwrite");
    await run("copy", file, part, "--select", "0:2", "--overwrite");
    const most = async (copied: string) => {
      const array = (await open(urlOf(copied), { kind: "array" })) as ZarrArray;
      return (await reduce(array, { method: "max" })).data[0];
    };
    expect([await most(whole), await most(part)]).toEqual([4, 2]);
  });
});
