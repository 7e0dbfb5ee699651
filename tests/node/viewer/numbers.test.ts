// Statistics of the viewer: extents, percentiles, histograms, envelopes, and texels.

import { expect, it } from "vitest";
import type { DType } from "zarr-wasm";
import { formatScalar } from "#src/viewer/base/format.js";
import { labelCode } from "#src/viewer/base/label-pixels.js";
import type { Plane } from "#src/viewer/base/plane.js";
import { needsCodes, tileCodes } from "#src/viewer/draw/label-look.js";
import { tileTexels } from "#src/viewer/draw/texels.js";
import { Envelope } from "#src/viewer/numbers/envelope.js";
import { Findings } from "#src/viewer/numbers/findings.js";
import { summarize } from "#src/viewer/numbers/summary.js";
import type { Tile } from "#src/viewer/tiles/tile.js";
import { randomizer } from "../support/support.js";

const plane = (values: Plane["values"], rows: number, columns: number): Plane => ({
  values,
  offset: 0,
  rows,
  columns,
  rowStride: columns,
  columnStride: 1,
});

it("summaries skip non-finite values and missing data", () => {
  const values = Float32Array.of(Number.NaN, 3, -Infinity, 1, 2, Infinity);
  const all = summarize(plane(values, 2, 3));
  expect(all).toMatchObject({
    count: 6,
    finite: 3,
    min: 1,
    max: 3,
    missing: 1,
    infinite: 2,
    minusInfinite: 1,
  });
  expect([...all.sample]).toEqual([3, 1, 2]);
  const part = summarize(plane(values, 2, 3), [{ rows: [1, 2], columns: [0, 1] }]);
  expect(part).toMatchObject({ count: 5, finite: 2, min: 2, max: 3 });
  const none = summarize(plane(values, 2, 3), [{ rows: [0, 2], columns: [0, 3] }]);
  expect(none).toMatchObject({ count: 0, min: Number.NaN });
});

const numberTypes = [
  Uint8Array,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
];

it.each(numberTypes)("summaries of %o match an element-by-element computation", (Type) => {
  const random = seeded(Type.name.length);
  for (let round = 0; round < 60; round++) {
    const [rows, columns] = [1 + random(90), 1 + random(120)];
    const isFlat = round % 9 === 8;
    const [rowStride, columnStride] = isFlat ? [0, 0] : round % 2 ? [columns + 3, 1] : [1, rows + 2];
    const values = new Type((columns + 3) * (rows + 2) + 7);
    for (let i = 0; i < values.length; i++) values[i] = random(1 << 16) - 500;
    for (let i = 0; i < values.length; i += 1 + random(40))
      values[i] = [Number.NaN, 1 / 0, -1 / 0][random(3)]!;
    const without = [0, 1, 2].slice(0, round % 4).map(() => {
      const [top, left] = [random(rows), random(columns)];
      return {
        rows: [top, top + 1 + random(rows - top)] as const,
        columns: [left, left + 1 + random(columns - left)] as const,
      };
    });
    const given = { values, offset: 5, rows, columns, rowStride, columnStride };
    expect(summarize(given, without)).toEqual(slowSummary(given, without));
  }
});

function seeded(seed: number): (below: number) => number {
  const random = randomizer(seed);
  return (below) => Math.floor(random() * below);
}

/** Element by element, by definition. */
function slowSummary(plane: Plane, without: Parameters<typeof summarize>[1] = []) {
  const { values, rows, columns } = plane;
  const step = Math.ceil((rows * columns) / 4096) | 1;
  const [finite, sample]: number[][] = [[], []];
  let [missing, infinite, minusInfinite, next] = [0, 0, 0, 0];
  let wasLeftOut = false;
  for (let i = 0; i < rows * columns; i++) {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const isIn = (part: (typeof without)[number]) =>
      row >= part.rows[0] && row < part.rows[1] && column >= part.columns[0] && column < part.columns[1];
    const isLeftOut = without.some(isIn);
    // With every row, and where data begins again, so do even distances, unless the next one is still to come.
    if ((wasLeftOut || column === 0) && !isLeftOut) next = Math.max(next, i);
    wasLeftOut = isLeftOut;
    if (isLeftOut) continue;
    const value = values[plane.offset + row * plane.rowStride + column * plane.columnStride]!;
    if (Number.isNaN(value)) missing++;
    else if (!Number.isFinite(value)) {
      infinite++;
      if (value < 0) minusInfinite++;
    } else {
      finite!.push(value);
      if (i < next) continue;
      sample!.push(value);
      next += step;
    }
  }
  const extent =
    finite!.length > 0
      ? { min: finite!.reduce((a, b) => Math.min(a, b)), max: finite!.reduce((a, b) => Math.max(a, b)) }
      : { min: Number.NaN, max: Number.NaN };
  const Type = values.constructor as new (list: number[]) => Plane["values"];
  const count = finite!.length + missing + infinite;
  const counts = { count, finite: finite!.length, missing, infinite, minusInfinite };
  return { ...extent, ...counts, sample: new Type(sample!) };
}

it("planes with strides are read where they lie", () => {
  const values = Int16Array.from({ length: 24 }, (_, i) => i);
  const column = { values, offset: 5, rows: 3, columns: 2, rowStride: 1, columnStride: 12 };
  expect([...summarize(column).sample]).toEqual([5, 17, 6, 18, 7, 19]);
});

it("the automatic range excludes outliers only", () => {
  const range = (values: number[]) => {
    const findings = new Findings();
    findings.add("a", summarize(plane(Float64Array.from(values), 1, values.length)));
    return findings.automaticRange();
  };
  const even = Array.from({ length: 1000 }, (_, i) => i);
  expect(range(even)).toEqual([0, 999]);
  const [low, high] = range([...even, 1e6])!;
  expect([low, high! < 1000, high! > 980]).toEqual([0, true, true]);
  expect(range([5, 5, 5])).toEqual([5, 5]);
  // A mask with one point.
  expect(range([...Array.from({ length: 999 }, () => 0), 1])).toEqual([0, 1]);
  expect(range([Number.NaN])).toBeUndefined();
  expect(range([-Number.MAX_VALUE, Number.MAX_VALUE])).toEqual([-Number.MAX_VALUE, Number.MAX_VALUE]);
});

it("tiles count by their content; extents and histograms cover all of them", () => {
  const findings = new Findings();
  findings.add(
    "a",
    summarize(
      plane(
        Float64Array.from({ length: 9000 }, () => 1),
        90,
        100,
      ),
    ),
  );
  findings.add(
    "b",
    summarize(
      plane(
        Float64Array.from({ length: 1000 }, () => 2),
        10,
        100,
      ),
    ),
  );
  expect([findings.count, findings.extent]).toEqual([10_000, [1, 2]]);
  expect(findings.percentiles([0.5, 0.95])).toEqual([1, 2]);
  const { bins, below, above } = findings.histogram(2)!;
  expect([below, above]).toEqual([0, 0]);
  expect(bins[0]! / bins[1]!).toBeCloseTo(9, 1);
  const part = findings.histogram(4, [1.5, 3])!;
  expect(part.below).toBeGreaterThan(0.5);
  expect(part.bins[1]! + part.below).toBeCloseTo(1);
});

it("an envelope keeps the minimum and maximum of every stretch, so no spike is lost", () => {
  const values = Float32Array.from({ length: 5003 }, (_, i) => Math.sin(i / 40));
  values[3777] = 50;
  values[100] = Number.NaN;
  values.fill(Number.NaN, 4000, 4100);
  const envelope = new Envelope(plane(values, 1, values.length));
  for (const [from, to] of [
    [0, 5003],
    [3777, 3778],
    [90, 110],
    [3000, 4500],
    [16, 32],
    [15, 49],
    [4990, 6000],
    [-5, 3],
  ] as const) {
    const part = [...values.subarray(Math.max(0, from), to)].filter(Number.isFinite);
    expect(envelope.over(from, to), `${from}:${to}`).toEqual([Math.min(...part), Math.max(...part)]);
  }
  expect(envelope.over(4000, 4100)).toEqual([Number.NaN, Number.NaN]);
  expect(envelope.at(3777)).toBe(50);
});

it("texels share memory if nothing has to be moved", () => {
  const values = Uint16Array.from({ length: 60 }, (_, i) => i);
  const inside = { values, offset: 20, rows: 4, columns: 5, rowStride: 10, columnStride: 1 };
  const shared = tileTexels(inside, [0, 4], [0, 5]);
  expect(shared).toMatchObject({ type: "u16", rows: 4, columns: 5, rowLength: 10, middle: 0, factor: 1 });
  expect([shared.data.buffer, shared.data.byteOffset]).toEqual([values.buffer, 40]);
  const part = tileTexels(inside, [1, 3], [2, 4]);
  expect([part.data[0], part.data[part.rowLength + 1]]).toEqual([32, 43]);
  const turned = tileTexels({ ...inside, rowStride: 1, columnStride: 10, columns: 4 }, [0, 4], [0, 4]);
  expect([...turned.data.subarray(0, 5)]).toEqual([20, 30, 40, 50, 21]);
});

it("numbers of 64 bits become differences to 24 bits of their extent", () => {
  const base = 1.7e12;
  const values = Float64Array.from({ length: 1001 }, (_, i) => base + i);
  values[5] = Number.NaN;
  values[6] = Number.POSITIVE_INFINITY;
  const { type, data, middle, factor } = tileTexels(plane(values, 1, 1001), [0, 1], [0, 1001]);
  expect([type, middle]).toEqual(["f32", base + 500]);
  values.forEach((value, i) => {
    if (Number.isFinite(value)) expect(data[i]! / factor + middle).toBe(value);
  });
  expect([data[5], data[6]]).toEqual([Number.NaN, Number.POSITIVE_INFINITY]);
  const wide = tileTexels(plane(Float64Array.of(-1e300, 0, 1e300), 1, 3), [0, 1], [0, 3]);
  expect([...wide.data]).toEqual([-1, 0, 1]);
  const same = tileTexels(plane(Float64Array.of(7, 7), 1, 2), [0, 1], [0, 2]);
  expect([...same.data, same.middle, same.factor]).toEqual([0, 0, 7, 1]);
});

it("values of object arrays are written out, whatever their type, and cut if they are long or deep", () => {
  const dtype = { name: "object", core: "variable", itemBytes: 0 } as unknown as DType;
  const text = (value: unknown) => formatScalar(dtype, value as never);
  expect(text(Float64Array.of(21, -68.5))).toBe("[21, −68.5]");
  expect(text(BigInt64Array.of(2n ** 53n + 1n))).toBe("[9007199254740993]");
  expect(text({ k: [1, null, "a"], b: true })).toBe('{k: [1, null, "a"], b: true}');
  expect(text(null)).toBe("null");
  expect(text(undefined)).toBe("undefined");
  expect(text("日本")).toBe('"日本"');
  expect(text(-3)).toBe("−3");
  expect(text(new Float32Array(1e6))).toMatch(/^\[0, .*, … \(1000000 in all\)\]$/);
  let deep: unknown = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(text(deep).length).toBeLessThan(20);
});

it("codes of 64-bit labels are exact", () => {
  const [rows, columns] = [6, 20];
  const data = BigUint64Array.from({ length: rows * columns }, (_, i) => 2n ** 63n + BigInt(i * i));
  const tile = {
    plane: plane(Float64Array.from(data, Number), rows, columns),
    block: { region: { data } },
    offsetOf: (row: number, column: number) => row * columns + column,
  } as unknown as Tile;
  expect(needsCodes(tile)).toBe(true);
  const codes = tileCodes(tile);
  expect([...codes.values]).toEqual([...data].map(labelCode));
  expect(tileTexels(codes, [1, 2], [3, 5])).toMatchObject({ type: "u32", rows: 1, columns: 2 });
});
