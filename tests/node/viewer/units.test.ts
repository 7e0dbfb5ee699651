// Parts of the viewer without a page: plans, addresses, pixels, formatted values.
import { expect, it } from "vitest";
import { DType } from "zarr-wasm";
import { pixelColor } from "#src/viewer/base/color-tables.js";
import {
  formatBriefly,
  formatByteCount,
  formatNumber,
  formatScalar,
  formatTime,
} from "#src/viewer/base/format.js";
import { paintPlane } from "#src/viewer/draw/paint.js";
import { readQuery, writeQuery } from "#src/viewer/model/query.js";
import { type ArrayFacts, resolveState, type WantedState } from "#src/viewer/model/state.js";
import { roundValues, ticksBetween } from "#src/viewer/panels/rulers.js";
import { dtypeLeaves } from "#src/viewer/source/leaf.js";

const float32 = DType.simple("float32");
const facts = (shape: number[], chunkShape: number[], dtype = float32): ArrayFacts => ({
  shape,
  chunkShape,
  dtype,
});

it("the axes shown first: the last two, or those before a few channels", () => {
  const axes = (shape: number[]) => resolveState(facts(shape, shape), {}).axes;
  expect(axes([5, 6, 7])).toEqual([1, 2]);
  expect(axes([300, 400, 3])).toEqual([0, 1]);
  expect(axes([2, 3, 4])).toEqual([1, 2]);
  expect(axes([9])).toEqual([0]);
  expect(axes([])).toEqual([]);
});

it("an address and its settings", () => {
  const array = facts([4, 50, 60], [1, 50, 60]);
  const target = { source: "https://example.org/a b?sig=x&y=1", path: "deep/er" };
  expect(writeQuery(target, { array, settings: resolveState(array, {}) })).toBe(
    "?source=https://example.org/a%20b%3Fsig%3Dx%26y%3D1&path=deep/er",
  );
  const wanted: WantedState = {
    axes: [2, 0],
    index: [0, 7, 0],
    window: [null, null, [10, 20]],
    colormap: "magma",
    range: { mode: "manual", low: -1.5, high: 1e-7 },
  };
  const settings = resolveState(array, wanted);
  const query = writeQuery(target, { array, settings });
  expect(query).toContain("&axes=2,0&select=:,7,10:20&index=0,,0&map=magma&range=-1.5:1e-7");
  const read = readQuery(query)!;
  expect(read).toMatchObject({ ...target, v1Order: undefined });
  expect(resolveState(array, read.settings!)).toEqual(settings);
  expect(readQuery("?map=gray")).toBeUndefined();
  expect(readQuery("?source=x&order=writer")!.v1Order).toBe("writer");
});

it("numbers to pixels: ends, NaN, infinity, ranges without extent and without limit", () => {
  const table = Uint32Array.from({ length: 256 }, (_, i) => i + 1);
  const outside = { below: [0, 0, 255], above: [255, 0, 0] } as const;
  const paint = (list: number[], low: number, high: number, marks?: typeof outside) => {
    const pixels = new Uint32Array(list.length);
    const values = Float64Array.from(list);
    const plane = {
      values,
      offset: 0,
      rows: 1,
      columns: list.length,
      rowStride: list.length,
      columnStride: 1,
    };
    paintPlane(plane, table, { low, high, scale: "linear" }, marks, pixels);
    return [...pixels];
  };
  expect(paint([0, 1, 127.5, 255.9, 256, -1, 300], 0, 256)).toEqual([1, 2, 128, 256, 256, 1, 256]);
  const [minus, plus] = [outside.below, outside.above].map((color) => pixelColor(color));
  expect(paint([Number.NaN, Infinity, -Infinity], 0, 1)).toEqual([0, 256, 1]);
  expect(paint([Number.NaN, Infinity, -Infinity, 2, -1], 0, 1, outside)).toEqual([
    0,
    plus,
    minus,
    plus,
    minus,
  ]);
  expect(paint([4, 5, 6, Number.NaN], 5, 5)).toEqual([1, 129, 256, 0]);
  const { MAX_VALUE } = Number;
  expect(paint([-MAX_VALUE, 0, MAX_VALUE], -MAX_VALUE, MAX_VALUE)).toEqual([1, 129, 256]);
});

it("values as text, with the digits that the type holds", () => {
  expect(formatNumber(float32, Math.fround(0.1))).toBe("0.1");
  expect(formatNumber(float32, Math.fround(16777217))).toBe("16777216");
  expect(formatNumber(DType.simple("float64"), 0.1 + 0.2)).toBe("0.30000000000000004");
  expect(formatNumber(float32, Number.NEGATIVE_INFINITY)).toBe("−∞");
  expect(formatScalar(DType.simple("uint64"), 2n ** 64n - 1n)).toBe("18446744073709551615");
  expect(formatScalar(DType.simple("complex64"), [1.5, -2])).toBe("1.5 − 2i");
  expect(formatScalar(DType.raw(3), Uint8Array.of(0, 171, 255))).toBe("00 ab ff");
  expect(formatScalar(DType.fixedUtf32(4), "a\nb")).toBe('"a\\nb"');
  expect([0.1 + 0.2, 123456, 4294967295, -2e6, 0.00001].map((value) => formatBriefly(value))).toEqual([
    "0.3",
    "123,456",
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

it("times as text, to the precision of their unit", () => {
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

it("fields down to the leaves", () => {
  const inner = DType.struct([{ name: "x", dtype: float32 }]);
  const dtype = DType.struct([
    { name: "a", dtype: float32, shape: [2, 2] },
    { name: "b", dtype: inner },
    { name: "c", dtype: DType.fixedBytes(2) },
  ]);
  expect(dtypeLeaves(dtype).map(({ name }) => name)).toEqual([
    "a[0,0]",
    "a[0,1]",
    "a[1,0]",
    "a[1,1]",
    "b.x",
    "c",
  ]);
});

it("ticks are at round values inside the range", () => {
  expect(ticksBetween(0, 1024, 5)).toEqual([0, 500, 1000]);
  expect(ticksBetween(7, 10, 10)).toEqual([7, 8, 9]);
  expect(ticksBetween(0, 1, 4)).toEqual([0]);
  expect(roundValues(-0.05, 0.31, 4)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(roundValues(1, 1, 4)).toEqual([]);
});
