// Selections by label: xarray's results (recorded by tests/golden/labels.py), and selections that xarray rejects.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  create,
  createGroup,
  type DimensionSelection,
  type DTypeInput,
  get,
  open,
  type Store,
  set,
  slice,
  type ZarrArray,
} from "zarr-wasm";
import { type LabelSelection, type SelOptions, sel, writeMultiscale } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

type Numbers = readonly number[];
interface Query {
  readonly label?: number | string;
  readonly interval?: readonly [number | string | null, number | string | null];
  readonly each?: readonly (number | string)[];
  readonly method?: SelOptions["method"];
  readonly found: number | Numbers | null;
}
interface Axis {
  readonly name: string;
  readonly values: readonly (number | string)[];
  readonly dtype: string;
  readonly attributes: Record<string, string>;
  readonly queries: readonly Query[];
}

const recorded = JSON.parse(readFileSync(new URL("../../golden/labels.json", import.meta.url), "utf8")) as {
  axes: Axis[];
};

type NewAxis = Pick<Axis, "values" | "dtype"> & { attributes?: Record<string, unknown>; chunk?: number };

/** A group with one-dimensional coordinates, and an array with all of these dimensions. */
async function groupOf(axes: Record<string, NewAxis>, store: Store = new Map()) {
  const group = await createGroup(store, {});
  for (const [path, { values, dtype, attributes = {}, chunk = values.length }] of Object.entries(axes)) {
    const array = await create(store, {
      path,
      shape: [values.length],
      chunkShape: [chunk],
      dtype: dtype as DTypeInput,
      dimensionNames: [path],
      attributes: attributes as never,
    });
    const data = dtype === "string" ? values : (await get(array)).data;
    if (ArrayBuffer.isView(data))
      (data as Float64Array).set(values.map((v) => (dtype === "int64" ? BigInt(v) : v)) as number[]);
    await set(array, null, data as never);
  }
  const shape = Object.values(axes).map(({ values }) => values.length);
  const data = await create(store, {
    path: "data",
    shape,
    dtype: "int16",
    dimensionNames: Object.keys(axes),
  });
  return { group, data, store };
}

/** The elements that an entry of a selection selects. */
function elementsOf(entry: DimensionSelection, length: number): number | Numbers {
  if (typeof entry === "number") return entry;
  if (Array.isArray(entry)) return entry as Numbers;
  const { start, stop, step } = entry as ReturnType<typeof slice>;
  const all = Array.from({ length }, (_, i) => i).slice(start ?? 0, stop ?? length);
  return all.filter((_, i) => i % (step ?? 1) === 0);
}

const wantedBy = ({ label, interval, each }: Query): LabelSelection => {
  if (interval) return { start: interval[0], stop: interval[1] };
  return each ? { each } : label!;
};

describe.each(recorded.axes.map((axis) => [axis.name, axis] as const))("as xarray: %s", (_, axis) => {
  it.each([
    ["in one chunk", 1e9],
    ["in small chunks", 7],
  ] as const)("%s", async (_, chunk) => {
    const { group, data } = await groupOf({ x: { ...axis, chunk: Math.min(chunk, axis.values.length) } });
    for (const query of axis.queries) {
      const wanted = { x: wantedBy(query) };
      const what = axis.name + JSON.stringify({ ...query, found: undefined });
      const options = { method: query.method };
      if (query.found === null) {
        expect((await errorOf(() => sel(group, wanted, options)))._tag, what).toBe("InvalidSelection");
        continue;
      }
      const selection = (await sel(group, wanted, options)) as { x: DimensionSelection };
      expect(elementsOf(selection.x, axis.values.length), what).toEqual(query.found);
      expect(await sel(data, wanted, options), what).toEqual([selection.x]);
    }
  });
});

const range = (start: number, stop: number, step = 1) =>
  Array.from({ length: Math.ceil((stop - start) / step) }, (_, i) => start + i * step);
const chosen = async (node: Parameters<typeof sel>[0], wanted: object, options?: SelOptions) =>
  sel(node, wanted as never, options);

describe("selections that xarray rejects", () => {
  it("[from, to] is an interval whichever way coordinates run", async () => {
    const { group } = await groupOf({
      y: { values: range(60, -61, -20), dtype: "float32" },
      x: { values: range(0, 5), dtype: "int16" },
    });
    const both = { y: [20, 40], x: [3, 1] };
    expect(await chosen(group, both)).toEqual({ y: slice(1, 3, 1), x: slice(1, 4, 1) });
    expect(await chosen(group, { y: [40, 20] })).toEqual({ y: slice(1, 3, 1) });
    expect(await chosen(group, { y: [1, 19] })).toEqual({ y: slice(3, 3, 1) });
    expect(await chosen(group, { x: { start: 1, stop: null, step: 2 } })).toEqual({ x: slice(1, 5, 2) });
  });

  it("longitudes go round", async () => {
    const attributes = { standard_name: "longitude", units: "degrees_east" };
    const { group } = await groupOf({
      east: { values: range(0, 360, 10), dtype: "float64", attributes },
      both: { values: range(-180, 180, 10), dtype: "float32", attributes: { units: "degrees_east" } },
      falling: { values: range(350, -1, -10), dtype: "float64", attributes },
      part: { values: range(350, 371), dtype: "float64", attributes },
      plain: { values: range(0, 360, 10), dtype: "float64" },
    });
    const one = async (wanted: object, options?: SelOptions) =>
      Object.values(await chosen(group, wanted, options))[0];
    expect(await one({ east: -10 })).toBe(35);
    expect(await one({ both: 190 })).toBe(1);
    expect(await one({ falling: -350 })).toBe(34);
    expect(await one({ east: 356 }, { method: "nearest" })).toBe(0);
    expect(await one({ east: -14 }, { method: "nearest" })).toBe(35);
    expect(await one({ both: 177 }, { method: "nearest" })).toBe(0);
    expect(await one({ east: -1 }, { method: "pad" })).toBe(35);
    expect(await one({ east: [-20, 10] })).toEqual([34, 35, 0, 1]);
    expect(await one({ falling: [-20, 10] })).toEqual([34, 35, 0, 1]);
    expect(await one({ both: [170, -170] })).toEqual([35, 0, 1]);
    expect(await one({ both: [170, 190] })).toEqual([35, 0, 1]);
    expect(await one({ east: [-180, 180] })).toEqual(slice(0, 36, 1));
    expect(await one({ east: [20, 40] })).toEqual(slice(2, 5, 1));
    expect(await one({ part: [-5, 5] })).toEqual(slice(5, 16, 1));
    expect(await one({ part: [200, 352] })).toEqual(slice(0, 3, 1));
    expect((await errorOf(() => one({ part: 20 }))).code).toBe("no-such-label");
    expect((await errorOf(() => one({ plain: -10 }))).code).toBe("no-such-label");
  });

  it("coordinates in any order", async () => {
    const { group } = await groupOf({ x: { values: [3, 9, -2, 7, 9, 5], dtype: "float64", chunk: 2 } });
    expect(await chosen(group, { x: 7 })).toEqual({ x: 3 });
    expect(await chosen(group, { x: 9 })).toEqual({ x: [1, 4] });
    expect(await chosen(group, { x: [3, 7] })).toEqual({ x: [0, 3, 5] });
    expect(await chosen(group, { x: 6 }, { method: "nearest" })).toEqual({ x: 3 });
    expect((await errorOf(() => sel(group, { x: 7 }, { method: "pad" }))).code).toBe("no-coordinates");
  });

  it("times as Dates, and as milliseconds; a day with several times is a slice", async () => {
    const attributes = { units: "hours since 2020-01-01" };
    const { group } = await groupOf({ time: { values: range(0, 96, 6), dtype: "int32", attributes } });
    const day = Date.UTC(2020, 0, 3);
    expect(await sel(group, { time: new Date(day) })).toEqual({ time: 8 });
    expect(await sel(group, { time: day })).toEqual({ time: 8 });
    expect(await sel(group, { time: "2020-01-03" })).toEqual({ time: slice(8, 12, 1) });
    expect(await sel(group, { time: "2020-01-03" }, { method: "nearest" })).toEqual({ time: 8 });
    expect(await sel(group, { time: "2020-01-03T06:00+03:00" }, { method: "pad" })).toEqual({ time: 8 });
    expect(await sel(group, { time: "2020-01-03T13" }, { method: "nearest", tolerance: 3.6e6 })).toEqual({
      time: 10,
    });
    const far = { method: "nearest", tolerance: 3.5e6 } as const;
    const missed = await errorOf(() => sel(group, { time: "2020-01-03T13" }, far));
    expect(missed.code).toBe("no-such-label");
    expect(missed.message).toMatch(
      /nearest is 2020-01-03T12:00:00\.000Z, farther than the tolerance of 3500000 ms/,
    );
    const { group: unsorted } = await groupOf({ lat: { values: [3, 1, 2], dtype: "float64" } });
    const near = { method: "nearest", tolerance: 0.25 } as const;
    const unfound = await errorOf(() => sel(unsorted, { lat: 4 }, near));
    expect(unfound.message).toMatch(/no element at 4; the nearest is 3, farther than the tolerance of 0\.25/);
  });

  it("the regions that the selections read", async () => {
    const { group, data } = await groupOf({
      time: { values: range(0, 5), dtype: "int16", attributes: { units: "days since 2020-01-13" } },
      lat: { values: range(60, 0, -10), dtype: "float64" },
    });
    await set(
      data,
      null,
      Int16Array.from({ length: 30 }, (_, i) => i),
    );
    const wanted = { time: "2020-01-15", lat: [30, 50] } as const;
    expect((await get(data, await sel(group, wanted))).data).toEqual(Int16Array.of(13, 14, 15));
    const turned = { lat: [30, 50], time: { each: ["2020-01-17", "2020-01-13"] } } as const;
    expect((await get(data, await sel(data, turned))).data).toEqual(Int16Array.of(25, 26, 27, 1, 2, 3));
  });
});

describe("OME-Zarr images", () => {
  const image = async () => {
    const data = new Uint8Array(2 * 6 * 10);
    return writeMultiscale(
      new Map(),
      { data, shape: [2, 6, 10] },
      {
        axes: ["c", { name: "y", unit: "micrometer" }, { name: "x", unit: "micrometer" }],
        scale: [1, 0.5, 0.25],
        translation: [0, 10, 0],
        levels: 2,
        ome: { omero: { channels: [{ label: "DAPI" }, { label: "GFP" }] } },
      },
    );
  };

  it("in physical units, channels by their labels", async () => {
    const group = await image();
    const wanted = { channel: "GFP", y: [10.5, 11], x: 1.1 } as const;
    expect(await sel(group, wanted, { method: "nearest" })).toEqual([1, slice(1, 3, 1), 4]);
    expect(await sel(group, { c: "DAPI" })).toEqual([0, null, null]);
    expect(await sel(group, { c: ["GFP", "DAPI"] })).toEqual([[1, 0], null, null]);
    // The centres of the second level's elements lie half an element of the first one farther on.
    const coarse = await sel(group, { y: 10.25, x: 1.125 }, { level: 1 });
    expect(coarse).toEqual([null, 0, 2]);
    const level = await open(group.store, { path: "1", kind: "array" });
    expect(await sel(level, { y: 10.25, x: 1.125 })).toEqual(coarse);
    expect((await errorOf(() => sel(group, { y: 0 }, { level: 2 })))._tag).toBe("InvalidArgument");
    const unnamed = await errorOf(() => sel(group, { space: 3 }));
    expect(unnamed.code).toBe("no-coordinates");
    const unknown = await errorOf(() => sel(group, { channel: "TRITC" }));
    expect([unknown.code, unknown.message]).toEqual([
      "no-such-label",
      expect.stringMatching(/"DAPI", "GFP"/),
    ]);
  });
});

describe("errors", () => {
  const axes = {
    lat: { values: range(0, 10), dtype: "float64" },
    name: { values: ["a", "b"], dtype: "string" },
    time: { values: [1, 2], dtype: "int16", attributes: { units: "days since 2000-01-01" } },
  };
  it.each([
    [{ lat: 40 }, "no-such-label", /"lat" has no element at 40; its coordinates go from 0 to 9/],
    [{ name: "c" }, "no-such-label", /"name" has no element at "c"; labels are "a", "b"/],
    [{ time: "2001" }, "no-such-label", /2000-01-02/],
    [{ lat: "40" }, "no-such-label", /its labels are numbers/],
    [
      { lat: Number.NaN },
      "no-such-label",
      /NaN is not a label of "lat": its labels are numbers, and NaN equals none/,
    ],
    [{ lat: Number.NaN }, "no-such-label", /numbers/],
    [{ time: "soon" }, "no-such-label", /strings such as/],
    [{ time: "2021-02-30" }, "no-such-label", /times/],
    [{ time: new Date(Number.NaN) }, "no-such-label", /times/],
    [{ name: 5 }, "no-such-label", /strings/],
    [{ lat: [1, 2, 3] }, "no-such-label", /each/],
    [{ lat: { start: 1, stop: 2, step: -1 } }, "no-such-label", /positive integer/],
    [{ lat: { near: 1 } }, "no-such-label", /\[from, to\]/],
    [{ lon: 3 }, "no-coordinates", /"lon" has no coordinates to select by: no array has this name/],
    [{ data: 3 }, "no-coordinates", /3 dimensions/],
    [{ "../x": 3 }, "no-coordinates", /not the name/],
  ])("%j", async (wanted, code, message) => {
    const { group } = await groupOf(axes);
    const error = await errorOf(() => sel(group, wanted as never));
    expect([error._tag, error.code, error.message]).toEqual([
      "InvalidSelection",
      code,
      expect.stringMatching(message),
    ]);
  });

  it("arrays without coordinates, or with unreachable ones", async () => {
    const { data, store } = await groupOf(axes);
    expect((await errorOf(() => sel(data, { lon: 3 }))).code).toBe("no-coordinates");
    const bare = await create(store, { path: "bare", shape: [4, 3], dtype: "int8" });
    expect((await errorOf(() => sel(bare, { lat: 3 }))).code).toBe("no-coordinates");
    const short = await create(store, { path: "short", shape: [4], dtype: "int8", dimensionNames: ["lat"] });
    expect((await errorOf(() => sel(short, { lat: 3 }))).message).toMatch(/10 coordinates for 4 elements/);
    const root = await create(new Map(), { shape: [4], dtype: "int8", dimensionNames: ["lat"] });
    expect((await errorOf(() => sel(root, { lat: 3 }))).message).toMatch(/open the group above it/);
  });

  it.each([
    [[{}, null], /labels/],
    [[{}, []], /dimension names as keys/],
    [[{}, {}, { method: "near" }], /"exact", "nearest" or "pad"/],
    [[{}, {}, { tolerance: -1 }], /tolerance/],
  ])("%j", async ([, wanted, options], message) => {
    const { group } = await groupOf({});
    const error = await errorOf(() => sel(group, wanted as never, options as never));
    expect([error._tag, error.message]).toEqual(["InvalidArgument", expect.stringMatching(message)]);
    expect((await errorOf(() => sel({} as ZarrArray, {})))._tag).toBe("InvalidArgument");
  });
});

describe("stores written by other libraries", () => {
  it.each(["complex64", "r16", "bytes"] as const)("coordinates of %s are none", async (dtype) => {
    const store = new Map();
    const group = await createGroup(store, {});
    await create(store, { path: "x", shape: [4], dtype, dimensionNames: ["x"] });
    expect((await errorOf(() => sel(group, { x: 0 }))).code).toBe("no-coordinates");
  });

  it.each([[1e20], [Number.POSITIVE_INFINITY]])("times that no Date holds: %d", async (last) => {
    const x = { values: [0, last], dtype: "float64", attributes: { units: "days since 1970-01-01" } };
    const { group } = await groupOf({ x });
    expect((await errorOf(() => sel(group, { x: "2020" }))).code).toBe("no-such-label");
    expect(await sel(group, { x: ["1970", "2020"] })).toEqual({ x: slice(0, 1, 1) });
  });

  it("attributes that are not strings", async () => {
    const attributes = { units: { toString: 1 }, _Unsigned: { toString: 1, valueOf: 1 } };
    const { group } = await groupOf({ x: { values: [1, 2], dtype: "int16", attributes } });
    expect(await sel(group, { x: 2 })).toEqual({ x: 1 });
  });

  it("names that dimensions share", async () => {
    const { group, store } = await groupOf({ x: { values: [1, 2], dtype: "int16" } });
    const square = await create(store, {
      path: "square",
      shape: [2, 2],
      dtype: "int8",
      dimensionNames: ["x", "x"],
    });
    expect((await errorOf(() => sel(square, { x: 2 }))).code).toBe("no-coordinates");
    expect(await sel(group, { x: 2 })).toEqual({ x: 1 });
  });

  it("a dimension called __proto__", async () => {
    const store = new Map();
    const group = await createGroup(store, {});
    const common = { shape: [2], dtype: "int16" as const, dimensionNames: ["__proto__"] };
    const x = await create(store, { path: "x", ...common });
    await set(x, null, Int16Array.of(5, 6));
    const data = await create(store, { path: "data", ...common });
    const selection = await sel(group, { x: 6 });
    expect(Object.entries(selection)).toEqual([["__proto__", 1]]);
    expect((await get(data, selection)).shape).toEqual([]);
    expect(await sel(data, { x: 6 })).toEqual([1]);
  });

  it("more coordinates than fit in memory are refused, unread", async () => {
    const store = new Map();
    const group = await createGroup(store, {});
    const shape = { shape: [2 ** 40], chunkShape: [2 ** 28] };
    await create(store, { path: "x", ...shape, dtype: "int8", dimensionNames: ["x"] });
    expect((await errorOf(() => sel(group, { x: 5 })))._tag).toBe("LimitExceeded");
  });

  it.each([
    [{ x: { each: new Array(2) } }, {}, "InvalidSelection"],
    [new Map([["x", 1]]), {}, "InvalidArgument"],
    [{}, { level: "length" }, "InvalidArgument"],
  ])("arguments %#", async (wanted, options, tag) => {
    const { group } = await groupOf({ x: { values: [1, 2], dtype: "int16" } });
    expect((await errorOf(() => sel(group, wanted as never, options as never)))._tag).toBe(tag);
  });
});

describe("longitudes, against a search from end to end", () => {
  const around = (a: number, b: number) => {
    const apart = Math.abs(a - b) % 360;
    return Math.min(apart, 360 - apart);
  };
  const west = (from: number, step: number, count: number) =>
    Array.from({ length: count }, (_, i) => from + i * step);
  const rolled = west(0, 10, 36).map((value) => (value >= 180 ? value - 360 : value));
  const axes = {
    "0 to 360": west(0, 0.1, 3600),
    "-180 to 180": west(-180, 0.1, 3600),
    falling: west(-180, 2.5, 144).reverse(),
    rolled,
  };
  describe.each(["float32", "float64"])("%s", (dtype) => {
    it.each(Object.entries(axes))("%s", async (_, values) => {
      const { group } = await groupOf({ x: { values, dtype, attributes: { standard_name: "longitude" } } });
      const off = dtype === "float32" ? 5e-5 : 1e-9;
      for (let i = 0; i < values.length; i += Math.ceil(values.length / 36)) {
        for (const turns of [-360, 0, 360]) {
          const label = values[i]! + turns;
          expect(await sel(group, { x: label }), String(label)).toEqual({ x: i });
          expect(await sel(group, { x: label }, { method: "nearest" }), String(label)).toEqual({ x: i });
          const entry = (await sel(group, { x: [label, label + 30] })) as { x: DimensionSelection };
          const found = elementsOf(entry.x, values.length) as Numbers;
          const inside = values.flatMap((value, at) => (around(value, label + 15) <= 15 + off ? [at] : []));
          const sure = inside.filter((at) => around(values[at]!, label + 15) < 15 - off);
          expect(found).toContain(i);
          expect([...found].sort((a, b) => a - b)).toEqual(
            inside.filter((at) => sure.includes(at) || found.includes(at)),
          );
        }
      }
    });
  });
});

it("a long coordinate with unsorted values in the middle is searched from end to end", async () => {
  const values = Float64Array.from({ length: 300_000 }, (_, i) => i);
  values[150_000] = 7.5;
  const { group } = await groupOf({ x: { values: [...values], dtype: "float64", chunk: 5000 } });
  expect(await sel(group, { x: 150_003 })).toEqual({ x: 150_003 });
  expect(await sel(group, { x: 7.5 })).toEqual({ x: 150_000 });
});

describe("maps without coordinate arrays", () => {
  const spatial = {
    "spatial:dimensions": ["y", "x"],
    "spatial:shape": [4, 6],
    "spatial:transform": [10, 0, 500, 0, -5, 900],
  };
  const createMap = (attributes: object, store: Store = new Map(), path = "") =>
    create(store, {
      path,
      shape: [4, 6],
      chunkShape: [4, 6],
      dtype: "uint8",
      dimensionNames: ["y", "x"],
      attributes: attributes as never,
    });

  it("labels are the centres of elements", async () => {
    const array = await createMap(spatial);
    expect(await sel(array, { y: 887.5, x: 515 })).toEqual([2, 1]);
    expect(await sel(array, { y: [880, 890], x: 531 }, { method: "nearest" })).toEqual([slice(2, 4, 1), 3]);
    expect((await errorOf(() => sel(array, { y: 0 }))).code).toBe("no-such-label");
    expect((await errorOf(() => sel(array, { band: 0 }))).code).toBe("no-coordinates");
  });

  it("of a GeoTIFF file", async () => {
    const file = new URL("../../golden/files/tiff/geo-utm.tif", import.meta.url);
    const array = await open(file, { kind: "array" });
    expect(await sel(array, { x: 500_015, y: 4_600_000 - 395 })).toEqual([null, 39, 1]);
  });

  it("of the levels of a pyramid", async () => {
    const coarse = { asset: "1", "spatial:shape": [2, 3], "spatial:transform": [20, 0, 500, 0, -10, 900] };
    const attributes = { ...spatial, multiscales: { layout: [{ asset: "0" }, coarse] } };
    const group = await createGroup(new Map(), { attributes: attributes as never });
    expect(await sel(group, { x: 531 }, { method: "nearest" })).toEqual({ x: 3 });
    expect(await sel(group, { x: 531 }, { method: "nearest", level: 1 })).toEqual({ x: 1 });
    expect((await errorOf(() => sel(group, { x: 0 }, { level: 2 }))).code).toBe("invalid-argument");
  });

  it("an array with the name of the dimension counts", async () => {
    const { group, store } = await groupOf({ x: { values: [3, 4, 5, 6, 7, 8], dtype: "float64" } });
    const array = await createMap(spatial, store, "map");
    expect(await sel(array, { x: 5, y: 887.5 })).toEqual([2, 2]);
    expect(await sel(group, { x: 5 })).toEqual({ x: 2 });
  });

  it("a rotated map has no coordinates along its dimensions", async () => {
    const array = await createMap({ ...spatial, "spatial:transform": [10, 1, 500, 1, -5, 900] });
    const error = await errorOf(() => sel(array, { x: 5 }));
    expect([error.code, error.message]).toEqual(["no-coordinates", expect.stringContaining("rotated")]);
  });
});
