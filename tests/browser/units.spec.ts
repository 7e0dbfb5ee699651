// Parts of the viewer that need no browser: plans, addresses, numbers to pixels, values to text.
import { expect, test } from "@playwright/test";
import { DType } from "zarr-wasm";
import { roundValues, ticksBetween } from "../../dist/viewer/axes.js";
import { colormapNames, colorTable } from "../../dist/viewer/colormaps.js";
import {
  formatBriefly,
  formatByteCount,
  formatNumber,
  formatScalar,
  formatTime,
} from "../../dist/viewer/format.js";
import { leavesOf } from "../../dist/viewer/leaf.js";
import { planSlice } from "../../dist/viewer/plan.js";
import { readQuery, writeQuery } from "../../dist/viewer/query.js";
import { labelEntry, paintPlane } from "../../dist/viewer/render.js";
import { type ArrayFacts, resolveSettings, type WantedSettings } from "../../dist/viewer/settings.js";
import { quantiles, statisticsOf } from "../../dist/viewer/statistics.js";
import { zoomedWindows } from "../../dist/viewer/zoom.js";

const float32 = DType.simple("float32");
const facts = (shape: number[], chunkShape: number[], dtype = float32): ArrayFacts => ({
  shape,
  chunkShape,
  dtype,
});
const plan = (array: ArrayFacts, wanted: WantedSettings = {}) =>
  planSlice(array, resolveSettings(array, wanted));

test("the axes shown first: the last two, or those before a few channels", () => {
  const axes = (shape: number[]) => resolveSettings(facts(shape, shape), {}).axes;
  expect(axes([5, 6, 7])).toEqual([1, 2]);
  expect(axes([300, 400, 3])).toEqual([0, 1]);
  expect(axes([2, 3, 4])).toEqual([1, 2]);
  expect(axes([9])).toEqual([0]);
  expect(axes([])).toEqual([]);
});

test("plans keep pictures small and say with which step", () => {
  const { axes, narrowed } = plan(facts([2048, 2049], [1024, 1024]));
  expect(axes).toMatchObject([
    { start: 0, stop: 2048, step: 1, count: 2048 },
    { start: 0, stop: 2049, step: 2, count: 1025 },
  ]);
  expect(narrowed).toBeUndefined();
});

test("plans stay affordable unless a part is asked for", () => {
  const array = facts([100_000, 100_000], [1000, 1000]);
  const free = plan(array);
  expect(free.narrowed).toEqual({ chunks: 10_000, bytes: 10_000 * 4e6 });
  const chunks = free.axes.map(({ start, stop }) => (stop - start) / 1000);
  expect(chunks[0]! * chunks[1]! * 4e6).toBeLessThanOrEqual(256 * 2 ** 20);
  for (const { start, stop } of free.axes) {
    expect([start % 1000, stop % 1000]).toEqual([0, 0]);
    expect(Math.abs((start + stop) / 2 - 50_000)).toBeLessThanOrEqual(1000);
  }
  const asked = plan(array, {
    window: [
      [0, 100_000],
      [0, 100_000],
    ],
  });
  expect(asked.narrowed).toBeUndefined();
  expect(asked.axes.map(({ step }) => step)).toEqual([49, 49]);
});

test("chunks that are skipped by a step cost nothing", () => {
  const { narrowed } = plan(facts([3, 4_000_000], [1, 1]), { axes: [0, 1] });
  expect(narrowed?.chunks).toBe(3 * 2048);
});

test("an address and its settings", () => {
  const array = facts([4, 50, 60], [1, 50, 60]);
  const target = { source: "https://example.org/a b?sig=x&y=1", path: "deep/er" };
  expect(writeQuery(target, { array, settings: resolveSettings(array, {}) })).toBe(
    "?source=https://example.org/a%20b%3Fsig%3Dx%26y%3D1&path=deep/er",
  );
  const wanted: WantedSettings = {
    axes: [2, 0],
    index: [0, 7, 0],
    window: [null, null, [10, 20]],
    colormap: "magma",
    range: { mode: "manual", low: -1.5, high: 1e-7 },
  };
  const settings = resolveSettings(array, wanted);
  const query = writeQuery(target, { array, settings });
  expect(query).toContain("&axes=2,0&select=:,7,10:20&map=magma&range=-1.5:1e-7");
  const read = readQuery(query)!;
  expect(read).toMatchObject({ ...target, v1Order: undefined });
  const again = resolveSettings(array, read.settings!);
  // The index of an axis that is shown is not kept: it is not seen.
  expect({ ...again, index: [0, 7, 0] }).toEqual(settings);
  expect(readQuery("?map=gray")).toBeUndefined();
  expect(readQuery("?source=x&order=writer")!.v1Order).toBe("writer");
});

test("numbers to pixels: ends, NaN, infinity, ranges without extent and without limit", () => {
  const table = Uint32Array.from({ length: 256 }, (_, i) => i + 1);
  const paint = (list: number[], low: number, high: number) => {
    const pixels = new Uint32Array(list.length);
    const values = Float64Array.from(list);
    const plane = { values, rows: 1, columns: list.length, rowStride: list.length, columnStride: 1 };
    paintPlane(plane, table, low, high, pixels);
    return [...pixels];
  };
  expect(paint([0, 1, 127.5, 255.9, 256, -1, 300], 0, 256)).toEqual([1, 2, 128, 256, 256, 1, 256]);
  expect(paint([Number.NaN, Infinity, -Infinity], 0, 1)).toEqual([0, 256, 1]);
  expect(paint([4, 5, 6, Number.NaN], 5, 5)).toEqual([1, 129, 256, 0]);
  const { MAX_VALUE } = Number;
  expect(paint([-MAX_VALUE, 0, MAX_VALUE], -MAX_VALUE, MAX_VALUE)).toEqual([1, 129, 256]);
  expect([0, 1, 255, 256, -1].map(labelEntry)).toEqual([0, 1, 255, 1, 254]);
});

test("every colour map has 256 opaque colours", () => {
  for (const name of colormapNames) {
    const bytes = new Uint8Array(colorTable(name).buffer);
    expect(bytes).toHaveLength(1024);
    expect(bytes.every((byte, i) => i % 4 !== 3 || byte === 255)).toBe(true);
  }
  const grays = new Uint8Array(colorTable("gray").buffer);
  expect(grays.every((byte, i) => i % 4 === 3 || byte === i >> 2)).toBe(true);
});

test("statistics leave out what is not finite", () => {
  const values = Float32Array.of(Number.NaN, 3, -Infinity, 1, 2, Infinity);
  const plane = { values, rows: 2, columns: 3, rowStride: 3, columnStride: 1 };
  expect(statisticsOf(plane)).toEqual({ min: 1, max: 3, missing: 1, infinite: 2 });
  expect(quantiles(plane, [0, 0.5, 1])).toEqual([1, 2, 3]);
});

test("values as text, with the digits that the type holds", () => {
  expect(formatNumber(float32, Math.fround(0.1))).toBe("0.1");
  expect(formatNumber(float32, Math.fround(16777217))).toBe("16777216");
  expect(formatNumber(DType.simple("float64"), 0.1 + 0.2)).toBe("0.30000000000000004");
  expect(formatNumber(float32, Number.NEGATIVE_INFINITY)).toBe("−∞");
  expect(formatScalar(DType.simple("uint64"), 2n ** 64n - 1n)).toBe("18446744073709551615");
  expect(formatScalar(DType.simple("complex64"), [1.5, -2])).toBe("1.5 − 2i");
  expect(formatScalar(DType.raw(3), Uint8Array.of(0, 171, 255))).toBe("00 ab ff");
  expect(formatScalar(DType.fixedUtf32(4), "a\nb")).toBe('"a\\nb"');
  expect([0.1 + 0.2, 123456, 4294967295, -2e6, 0.00001].map(formatBriefly)).toEqual([
    "0.3",
    "123456",
    "4.295e9",
    "−2e6",
    "1e−5",
  ]);
  expect([0, 1023, 1536, 5 * 2 ** 40].map(formatByteCount)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.5 KiB",
    "5 TiB",
  ]);
});

test("times as text, to the precision of their unit", () => {
  const time = (unit: Parameters<typeof DType.time>[1], count: bigint, scale = 1) =>
    formatTime(DType.time("datetime64", unit, scale), count);
  expect(time("ns", 1_577_836_800_000_000_001n)).toBe("2020-01-01 00:00:00.000000001");
  expect(time("s", -1n)).toBe("1969-12-31 23:59:59");
  expect(time("ms", -1n)).toBe("1969-12-31 23:59:59.999");
  expect(time("D", 18262n)).toBe("2020-01-01");
  expect(time("W", 1n)).toBe("1970-01-08");
  expect(time("M", 7n, 3)).toBe("1971-10");
  expect(time("Y", -1n)).toBe("1969");
  expect(time("h", 30n)).toBe("1970-01-02 06:00:00");
  expect(time("generic", 5n)).toBe("5 units since 1970");
  expect(time("D", 2n ** 60n)).toBe(`${2n ** 60n} D since 1970`);
  expect(time("us", -(2n ** 63n))).toBe("NaT");
  expect(formatScalar(DType.time("timedelta64", "m", 15), -3n)).toBe("−45 m");
});

test("fields down to the leaves", () => {
  const inner = DType.struct([{ name: "x", dtype: float32 }]);
  const dtype = DType.struct([
    { name: "a", dtype: float32, shape: [2, 2] },
    { name: "b", dtype: inner },
    { name: "c", dtype: DType.fixedBytes(2) },
  ]);
  expect(leavesOf(dtype).map(({ name }) => name)).toEqual([
    "a[0,0]",
    "a[0,1]",
    "a[1,0]",
    "a[1,1]",
    "b.x",
    "c",
  ]);
});

test("ticks are round and inside", () => {
  expect(ticksBetween(0, 1024, 5)).toEqual([0, 500, 1000]);
  expect(ticksBetween(7, 10, 10)).toEqual([7, 8, 9]);
  expect(ticksBetween(0, 1, 4)).toEqual([0]);
  expect(roundValues(-0.05, 0.31, 4)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(roundValues(1, 1, 4)).toEqual([]);
});

test("zooming keeps inside the array and around the cell", () => {
  const axes = [
    { axis: 0, start: 0, stop: 100, step: 1, count: 100 },
    { axis: 1, start: 40, stop: 60, step: 1, count: 20 },
  ];
  const zoom = (direction: "in" | "out", cell?: { row: number; column: number }) =>
    zoomedWindows(axes, [100, 200], direction, cell);
  expect(zoom("in")).toEqual([
    [25, 75],
    [45, 55],
  ]);
  expect(zoom("in", { row: 99, column: 0 })).toEqual([
    [50, 100],
    [36, 46],
  ]);
  expect(zoom("out")).toEqual([
    [0, 100],
    [30, 70],
  ]);
});
