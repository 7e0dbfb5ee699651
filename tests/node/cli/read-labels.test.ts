// `zarr-wasm read` with labels, decoded values and CSV: the tables are those that xarray and pandas write.
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { create, createGroup, set } from "zarr-wasm";
import { run, temporaryFolder } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";

const folder = temporaryFolder();
const place = path.join(folder, "climate.zarr");

/** Months of two years on a small grid: packed temperatures, a curvilinear area, and names of regions. */
beforeAll(async () => {
  const group = await createGroup(urlOf(place));
  const add = async (
    name: string,
    dimensionNames: string[],
    shape: number[],
    dtype: "int16" | "float32" | "float64" | "int32" | "string",
    values: unknown,
    attributes: Record<string, string | number> = {},
  ) => {
    const array = await create(group, { path: name, shape, dtype, dimensionNames, attributes });
    await set(array, null, values as never);
  };
  const days = Int32Array.from(
    { length: 24 },
    (_, i) => (Date.UTC(2001, i, 1) - Date.UTC(2001, 0, 1)) / 864e5,
  );
  await add("time", ["time"], [24], "int32", days, { units: "days since 2001-01-01" });
  const hours = Float64Array.of(0, 0.25, 6);
  await add("step", ["step"], [3], "float64", hours, { units: "hours since 2001-01-01" });
  await add("noleap", ["noleap"], [2], "int32", Int32Array.of(0, 59), {
    units: "days since 2001-01-01",
    calendar: "noleap",
  });
  await add("lat", ["lat"], [3], "float32", Float32Array.of(40, 45.1, 50));
  await add("name", ["name"], [2], "string", ["2001", 'a "b", c']);
  await add("area", ["lat", "name"], [3, 2], "float64", Float64Array.of(1, 2, 3, 4, 5, 6));
  const packed = { scale_factor: 0.5, add_offset: 10, _FillValue: -1, coordinates: "area" };
  const values = Int16Array.from({ length: 24 * 3 * 2 }, (_, i) => (i === 1 ? -1 : i));
  await add("t", ["time", "lat", "name"], [24, 3, 2], "int16", values, packed);
  await add("plain", ["time", "x"], [24, 2], "int16", new Int16Array(48));
});

const read = (array: string, ...args: string[]) => run("read", place, "--path", array, ...args);
const text = async (array: string, ...args: string[]) => {
  const { text: out, err, status } = await read(array, ...args);
  expect({ err, status }).toEqual({ err: "", status: 0 });
  return out;
};

describe("--sel", () => {
  it.each([
    ["a time and a number", ["time=2001-07-01,lat=50", "name=2001"], "40\n"],
    ["a month, which keeps its dimension", ["time=2001-07,lat=50,name=2001"], "40\n"],
    ["months, both included", ["time=2001-02:2001-04,lat=40,name=2001"], "6\t12\t18\n"],
    ["every second of them", ["time=2001-02:2001-06:2,lat=40,name=2001"], "6\t18\t30\n"],
    ["times to the minute", ["time=2001-02-01T00:00:2001-03-01T00:00,lat=40,name=2001"], "6\t12\n"],
    ["an open interval", ["time=2002-11:,lat=40,name=2001"], "132\t138\n"],
    ["lists", ["lat=50,40,time=2001-01-01,name=2001"], "4\t0\n"],
    ["numbers between two", ["lat=44:51,time=2001-01-01,name=2001"], "2\t4\n"],
    ["quoted strings", ['name="a \\"b\\", c",time=2001-02-01,lat=40'], "7\n"],
    ["float32 coordinates", ["lat=45.1,time=2001-02-01,name=2001"], "8\n"],
    ["everything", ["time=2001-02-01", "lat=:", "name=2001"], "6\t8\t10\n"],
  ])("selects %s", async (_what, sel, expected) => {
    expect(await text("t", ...sel.flatMap((one) => ["--sel", one]))).toBe(expected);
  });

  it("finds the nearest coordinate; a month has all of its elements", async () => {
    expect(await text("t", "--sel", "time=2001-07-20,lat=47,name=2001", "--nearest")).toBe("44\n");
    expect(await text("t", "--sel", "time=2001-07,lat=47,name=2001", "--nearest")).toBe("38\n");
  });

  it.each([
    ["lat=47", 1, '"lat" has no element at 47; its coordinates go from 40 to 50'],
    ["time=2000", 1, /"time" has no element at "2000"; its coordinates go from 2001-01-01T00:00:00.000Z to/],
    ["name=b", 1, /"name" has no element at "b"; labels are "2001", "a \\"b\\", c"/],
    ["height=2", 1, /no array has this name; the dimensions are "time", "lat", "name"/],
    ["area=2", 1, /the array of this name has 2 dimensions/],
    ["lat", 2, '--sel takes NAME=LABEL, such as time=2001-07 or lat=40:50, got "lat"'],
    ["lat=", 2, 'got "lat="'],
    ["", 2, "--sel is empty"],
    ["lat=40,lat=45", 2, '--sel selects twice along "lat"'],
    ["lat=40:45,50", 2, '--sel lat must be one interval or a list of labels, got "40:45,50"'],
    ['name="\\x"', 2, "--sel takes quoted labels as JSON strings"],
  ])("reports %s", async (sel, status, message) => {
    const result = await read("t", "--sel", sel);
    expect([result.status, result.text]).toEqual([status, ""]);
    if (typeof message === "string") expect(result.err).toContain(message);
    else expect(result.err).toMatch(message);
  });

  it("excludes --select, and --nearest requires it", async () => {
    expect((await read("t", "--sel", "lat=40", "--select", "0")).err).toContain(
      "--select and --sel cannot be used together",
    );
    expect((await read("t", "--nearest")).err).toContain("--nearest applies to the labels of --sel");
  });
});

describe("--decode", () => {
  it("unpacks numbers and marks missing ones", async () => {
    expect(await text("t", "--decode", "--select", "0")).toBe("10\tNaN\n11\t11.5\n12\t12.5\n");
    expect(await text("t", "--decode", "--select", "0,0", "--format", "jsonl")).toBe('10\n"NaN"\n');
    expect(await text("plain", "--decode", "--select", "0")).toBe("0\t0\n");
  });

  it("writes times as ISO dates, as precise as they need", async () => {
    expect(await text("time", "--decode", "--select", ":3")).toBe("2001-01-01\t2001-02-01\t2001-03-01\n");
    expect(await text("time", "--decode", "--select", "1", "--format", "jsonl")).toBe('"2001-02-01"\n');
    expect(await text("step", "--decode")).toBe(
      "2001-01-01T00:00:00\t2001-01-01T00:15:00\t2001-01-01T06:00:00\n",
    );
    expect(await text("time", "--select", ":3")).toBe("0\t31\t59\n");
  });

  it("writes times of calendars without real days as their dates", async () => {
    expect(await text("noleap", "--decode")).toBe("2001-01-01\t2001-03-01\n");
    expect(await text("noleap", "--decode", "--format", "jsonl")).toBe('"2001-01-01"\n"2001-03-01"\n');
    expect(await text("noleap", "--format", "csv")).toBe("noleap,noleap\n2001-01-01,0\n2001-03-01,59\n");
  });

  it("writes times of NumPy files as datetime64", async () => {
    const { out } = await read("time", "--decode", "--select", "1", "--format", "npy");
    expect(out.toString("latin1")).toContain("'descr': '<M8[D]'");
    expect(out.readBigInt64LE(out.length - 8)).toBe(11354n);
  });

  it("leaves strings as they are, and abbreviates large tables", async () => {
    expect(await text("name", "--decode")).toBe('2001\ta "b", c\n');
    const { err, text: out } = await read("t", "--decode", "--all");
    expect([err, out.split("\n").length]).toEqual(["", 24 * 4]);
  });
});

describe("--format csv", () => {
  it("has a row per element with its coordinates", async () => {
    expect(await text("t", "--decode", "--format", "csv", "--sel", "time=2001-01:2001-02,lat=40")).toBe(
      [
        "time,name,lat,area,t",
        "2001-01-01,2001,40.0,1.0,10.0",
        '2001-01-01,"a ""b"", c",40.0,2.0,',
        "2001-02-01,2001,40.0,1.0,13.0",
        '2001-02-01,"a ""b"", c",40.0,2.0,13.5',
        "",
      ].join("\n"),
    );
  });

  it("has indices of dimensions without coordinates", async () => {
    expect(await text("plain", "--format", "csv", "--select", "1:20:10,1:")).toBe(
      "time,x,plain\n2001-02-01,1,0\n2001-12-01,1,0\n",
    );
  });

  it("has the labels of one dimension, of lists and of no dimension", async () => {
    expect(await text("lat", "--format", "csv", "--sel", "lat=50,40")).toBe(
      "lat,lat\n50.0,50.0\n40.0,40.0\n",
    );
    expect(await text("t", "--format", "csv", "--sel", "time=2001-02-01,lat=50,name=2001")).toBe(
      "time,lat,name,area,t\n2001-02-01,50.0,2001,5.0,10\n",
    );
    expect(await text("t", "--format", "csv", "--select", "0:0:2")).toBe("time,lat,name,area,t\n");
  });

  it("describes an array without a group", async () => {
    const alone = path.join(folder, "alone.zarr");
    await set(await create(urlOf(alone), { shape: [2], dtype: "int8" }), null, Int8Array.of(3, 4));
    expect((await run("read", alone, "--format", "csv")).text).toBe("dim_0,value\n0,3\n1,4\n");
  });
});
