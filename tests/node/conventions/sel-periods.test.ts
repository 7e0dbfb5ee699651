// Selections by label as pandas and xarray resolve them: periods at the ends of intervals, methods, and selections of a
// group that arrays use in part.
import { describe, expect, it } from "vitest";
import { create, createGroup, get, set, slice } from "zarr-wasm";
import { type LabelSelection, type SelOptions, sel } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

const day = 86_400_000;
const daysFrom = (date: string) => Math.round((Date.parse(date) - Date.UTC(2019, 0, 1)) / day);

/** Daily data of 2019 to 2021, and the data of each latitude. @param isFalling whether time goes backwards. */
async function daily(isFalling = false) {
  const store = new Map<string, Uint8Array>();
  const group = await createGroup(store, {});
  const days = Array.from({ length: 1096 }, (_, i) => (isFalling ? 1095 - i : i));
  const common = { dtype: "int32" as const, chunkShape: [100] };
  const attributes = { units: "days since 2019-01-01" };
  const time = await create(store, {
    path: "time",
    shape: [1096],
    dimensionNames: ["time"],
    attributes,
    ...common,
  });
  await set(time, null, Int32Array.from(days));
  const lat = await create(store, { path: "lat", shape: [3], dimensionNames: ["lat"], dtype: "float64" });
  await set(lat, null, Float64Array.of(10, 20, 30));
  /** The first and the last day of the elements found. */
  const found = async (wanted: LabelSelection, options?: SelOptions) => {
    const selection = (await sel(group, { time: wanted }, options)) as { time: ReturnType<typeof slice> };
    if (typeof selection.time === "number") return days[selection.time];
    const own = days.slice(selection.time.start!, selection.time.stop!);
    return own.length === 0 ? [] : [Math.min(...own), Math.max(...own)];
  };
  return { store, group, found };
}

const between = (first: string, last: string) => [daysFrom(first), daysFrom(last)];

describe("periods at the ends of an interval", () => {
  // The results of pandas: DatetimeIndex.slice_indexer, of rising and of falling days.
  it.each<[from: string, to: string, rising: number[], falling: number[]]>([
    ["2020-03-15", "2020", between("2020-03-15", "2020-12-31"), between("2020-01-01", "2020-03-15")],
    ["2020", "2020-03-15", between("2020-01-01", "2020-03-15"), between("2020-03-15", "2020-12-31")],
    ["2020-03-15", "2020-03", between("2020-03-15", "2020-03-31"), between("2020-03-01", "2020-03-15")],
    ["2020-03", "2020", between("2020-03-01", "2020-12-31"), between("2020-01-01", "2020-03-31")],
    ["2020", "2020", between("2020-01-01", "2020-12-31"), between("2020-01-01", "2020-12-31")],
    // Ends that do not overlap may be given in either order.
    ["2020-03-15", "2019", between("2019-01-01", "2020-03-15"), between("2019-01-01", "2020-03-15")],
    ["2019", "2020-03-15", between("2019-01-01", "2020-03-15"), between("2019-01-01", "2020-03-15")],
    ["2021-01-01", "2020", between("2020-01-01", "2021-01-01"), between("2020-01-01", "2021-01-01")],
  ])("%s to %s", async (from, to, rising, falling) => {
    const [up, down] = [await daily(), await daily(true)];
    expect(await up.found([from, to])).toEqual(rising);
    expect(await up.found({ start: from, stop: to })).toEqual(rising);
    expect(await down.found([from, to])).toEqual(falling);
  });

  it("an end that is omitted is open", async () => {
    const [up, down] = [await daily(), await daily(true)];
    expect(await up.found({ start: "2020-06" })).toEqual(between("2020-06-01", "2021-12-31"));
    expect(await up.found({ stop: "2020-06" })).toEqual(between("2019-01-01", "2020-06-30"));
    expect(await down.found({ start: "2020-06" })).toEqual(between("2019-01-01", "2020-06-30"));
    expect(await sel(up.group, { time: { step: 7 } })).toEqual({ time: slice(0, 1096, 7) });
    for (const wrong of [{}, { start: "2020", end: "2021" }, { from: "2020" }]) {
      const error = await errorOf(() => sel(up.group, { time: wrong as LabelSelection }));
      expect([error.code, error.message]).toEqual([
        "no-such-label",
        expect.stringMatching(/\{ start, stop \}/),
      ]);
    }
  });
});

describe("methods", () => {
  it("pad, backfill and their other names", async () => {
    const [up, down] = [await daily(), await daily(true)];
    for (const [method, rising, falling] of [
      ["pad", "2020-05-05", "2020-05-06"],
      ["ffill", "2020-05-05", "2020-05-06"],
      ["backfill", "2020-05-06", "2020-05-05"],
      ["bfill", "2020-05-06", "2020-05-05"],
    ] as const) {
      expect(await up.found("2020-05-05T13:00", { method }), method).toBe(daysFrom(rising));
      expect(await down.found("2020-05-05T13:00", { method }), method).toBe(daysFrom(falling));
      expect(await up.found("2020-05-05", { method }), method).toBe(daysFrom("2020-05-05"));
    }
    const late = await errorOf(() => up.found("2022-05-05", { method: "bfill" }));
    expect(late.code).toBe("no-such-label");
    const far = await errorOf(() => up.found("2020-05-05T13:00", { method: "bfill", tolerance: 10 * 3.6e6 }));
    expect(far.message).toMatch(
      /the one after is 2020-05-06T00:00:00.000Z, farther than the tolerance of 36000000 ms/,
    );
  });

  it("refuse a year or a month instead of choosing one of its elements", async () => {
    const { found } = await daily();
    for (const method of ["nearest", "pad", "ffill", "backfill", "bfill"] as const)
      for (const label of ["2020", "2020-02"]) {
        const error = await errorOf(() => found(label, { method }));
        expect([error._tag, error.code]).toEqual(["InvalidSelection", "no-such-label"]);
        expect(error.message).toMatch(
          /it is a period; pass an instant such as "2020-0\d-01", or \[from, to\]/,
        );
      }
    expect(await found("2020-02", { method: "exact" })).toEqual(between("2020-02-01", "2020-02-29"));
    // Methods do not apply to intervals.
    expect(await found(["2020-02", "2020-02"], { method: "nearest" })).toEqual(
      between("2020-02-01", "2020-02-29"),
    );
  });
});

describe("a selection of a group", () => {
  it("is read from arrays that lack some of its dimensions", async () => {
    const { store, group } = await daily();
    const wanted = { time: ["2020-01-01", "2020-01-02"], lat: 20 } as const;
    const selection = await sel(group, wanted);
    const make = (path: string, shape: number[], dimensionNames: string[] | undefined) =>
      create(store, { path, shape, dtype: "int16", dimensionNames });
    const shapeOf = async (path: string, shape: number[], names?: string[]) =>
      (await get(await make(path, shape, names), selection)).shape;
    expect(await shapeOf("both", [1096, 3], ["time", "lat"])).toEqual([2]);
    expect(await shapeOf("area", [3], ["lat"])).toEqual([]);
    expect(await shapeOf("mean", [1096, 5], ["time", "band"])).toEqual([2, 5]);
    expect(await shapeOf("other", [5], ["band"])).toEqual([5]);
    expect(await shapeOf("crs", [])).toEqual([]);
    // Without names, or with names of the caller's own, no dimension can be missing on purpose.
    expect((await errorOf(() => shapeOf("unnamed", [3])))._tag).toBe("InvalidSelection");
    const area = await group.open("area", { kind: "array" });
    const composed = await errorOf(() => get(area, { ...selection }));
    expect(composed.message).toMatch(/"time" is not the name of one dimension; the names are "lat"/);
  });

  it("is written only to arrays with all of its dimensions", async () => {
    const { store, group } = await daily();
    const selection = await sel(group, { time: "2020-01-01" });
    const area = await create(store, { path: "area", shape: [3], dtype: "int16", dimensionNames: ["lat"] });
    expect((await errorOf(() => set(area, selection, 5)))._tag).toBe("InvalidSelection");
  });

  it("lists the known names for an unknown one", async () => {
    const { store, group } = await daily();
    const error = await errorOf(() => sel(group, { lon: 5 }));
    expect([error.code, error.message]).toEqual([
      "no-coordinates",
      expect.stringMatching(/no array has this name; the group has "lat", "time"$/),
    ]);
    const data = await create(store, { path: "data", shape: [3], dtype: "int16", dimensionNames: ["lat"] });
    const own = await errorOf(() => sel(data, { lon: 5 }));
    expect(own.message).toMatch(/no array has this name; the dimensions are "lat"$/);
  });
});
