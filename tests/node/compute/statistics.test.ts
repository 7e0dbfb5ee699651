// `statistics` and `quantile`: compared with sorted values; ranges of bins, infinite values, options.
import { describe, expect, it } from "vitest";
import { create, set, slice, WorkerPool, type ZarrArray } from "zarr-wasm";
import { quantile, statistics } from "zarr-wasm/compute";
import { errorOf, randomizer } from "../support/support.js";

const kinds = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint32: Uint32Array,
} as const;

async function makeArray(dtype: keyof typeof kinds, values: readonly number[], attributes: object = {}) {
  const array = await create(new Map(), {
    shape: [values.length],
    chunkShape: [97],
    dtype,
    attributes: attributes as never,
  });
  await set(array as ZarrArray, null, kinds[dtype].from(values) as never);
  return array as ZarrArray;
}

function numbers(dtype: keyof typeof kinds, seed: number): number[] {
  const random = randomizer(seed);
  const scale = 10 ** (Math.floor(random() * 12) - 6);
  const list = Array.from({ length: 1000 }, () => (random() - 0.3) * scale * (random() < 0.1 ? 50 : 1));
  return Array.from(
    kinds[dtype].from(dtype.startsWith("float") ? list : list.map((value) => (value / scale) * 100)),
  );
}

/** The quantile of sorted values, as NumPy interpolates it. */
function quantileOf(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const [a, b] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  const part = at - Math.floor(at);
  return a === b ? a : part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

const qs = [0, 0.05, 0.25, 0.5, 0.77, 1];

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("%s", (dtype) => {
  it("has statistics with exact counts in bins", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const list = numbers(dtype, seed);
      const { count, histogram, max, mean, min, missing, std } = await statistics(
        await makeArray(dtype, list),
      );
      expect([count, missing, min, max]).toEqual([1000, 0, Math.min(...list), Math.max(...list)]);
      const average = list.reduce((a, b) => a + b) / 1000;
      const deviation = Math.sqrt(list.reduce((a, b) => a + (b - average) ** 2, 0) / 1000);
      expect([mean / average, std / deviation]).toEqual([expect.closeTo(1, 10), expect.closeTo(1, 10)]);
      const { counts, edges } = histogram;
      expect(counts.length).toBeLessThanOrEqual(256);
      expect(edges.length).toBe(counts.length + 1);
      expect(Math.log2(edges[1]! - edges[0]!)).toSatisfy(Number.isInteger);
      const expected = Array.from(
        counts,
        (_, i) => list.filter((value) => value >= edges[i]! && value < edges[i + 1]!).length,
      );
      expect(Array.from(counts)).toEqual(expected);
      expect(counts[0]! > 0 && counts.at(-1)! > 0).toBe(true);
    }
  });

  it("has exact quantiles, and bounded errors after one pass", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const list = numbers(dtype, seed);
      const array = await makeArray(dtype, list);
      const sorted = list.toSorted((a, b) => a - b);
      const expected = qs.map((q) => quantileOf(sorted, q));
      const { count, errors, values } = await quantile(array, qs);
      expect([count, Array.from(errors)]).toEqual([1000, qs.map(() => 0)]);
      expect(Array.from(values)).toEqual(expected);
      const near = await quantile(array, qs, { approximate: true });
      for (const [i, value] of near.values.entries())
        expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(near.errors[i]! * (1 + 1e-12));
    }
  });
});

it("decodes packed numbers, and leaves out missing ones", async () => {
  const attributes = { scale_factor: 0.5, add_offset: 10, _FillValue: -1 };
  const array = await makeArray("int16", [-1, 0, 2, 4, -1], attributes);
  expect(await statistics(array)).toMatchObject({ count: 3, missing: 2, min: 10, max: 12, mean: 11 });
  expect((await quantile(array, 0.5)).values[0]).toBe(11);
  expect(await statistics(array, null, { decode: false })).toMatchObject({ count: 5, min: -1, max: 4 });
});

it("counts infinite values, but not in bins", async () => {
  const array = await makeArray("float32", [
    1,
    2,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    3,
    Number.NEGATIVE_INFINITY,
  ]);
  const { count, histogram, max, min, missing } = await statistics(array);
  expect([count, missing, min, max]).toEqual([5, 1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  expect(histogram.counts.reduce((a, b) => a + b)).toBe(3);
  const { values } = await quantile(array, [0, 0.5, 1]);
  expect(Array.from(values)).toEqual([Number.NEGATIVE_INFINITY, 2, Number.POSITIVE_INFINITY]);
});

it("counts values in a given range of bins", async () => {
  const array = await makeArray("float64", [0, 1, 2, 3, 4, 5]);
  const { histogram } = await statistics(array, null, { range: [1, 4], bins: 3 });
  expect(histogram).toEqual({ edges: Float64Array.of(1, 2, 3, 4), counts: Float64Array.of(1, 1, 2) });
});

it("takes a selection, and none of its elements", async () => {
  const array = await makeArray("int32", [5, 1, 9, 3]);
  expect(await statistics(array, [slice(1, 3)])).toMatchObject({ count: 2, min: 1, max: 9, mean: 5 });
  const empty = await statistics(array, [slice(0, 0)]);
  expect(empty).toMatchObject({ count: 0, missing: 0, min: Number.NaN, mean: Number.NaN });
  expect(empty.histogram.counts.length).toBe(0);
  expect((await quantile(array, [0.5], { selection: [slice(0, 0)] })).values).toEqual(
    Float64Array.of(Number.NaN),
  );
});

it("gives the same results in a pool, and reports partial statistics", async () => {
  const pool = new WorkerPool({ size: 2 });
  const list = numbers("float32", 9);
  const array = await makeArray("float32", list);
  const partial: number[] = [];
  const onPartial = ({ count }: { count: number }) => partial.push(count);
  const [here, there] = [await statistics(array), await statistics(array, null, { pool, onPartial })];
  expect(there).toEqual(here);
  expect(partial.at(-1)).toBe(1000);
  expect(await quantile(array, qs, { pool })).toEqual(await quantile(array, qs));
  pool.destroy();
});

it.each<[string, () => unknown, string]>([
  ["bins", async () => statistics(await makeArray("int8", [1]), null, { bins: 0 }), "InvalidArgument"],
  [
    "a range",
    async () => statistics(await makeArray("int8", [1]), null, { range: [2, 1] }),
    "InvalidArgument",
  ],
  [
    "an option",
    async () => statistics(await makeArray("int8", [1]), null, { method: "mean" } as never),
    "InvalidArgument",
  ],
  [
    "a selection of options",
    async () => statistics(await makeArray("int8", [1]), { bins: 10 } as never),
    "InvalidArgument",
  ],
  ["q", async () => quantile(await makeArray("int8", [1]), 1.5), "InvalidArgument"],
  ["a list of q", async () => quantile(await makeArray("int8", [1]), []), "InvalidArgument"],
  [
    "approximate",
    async () => quantile(await makeArray("int8", [1]), 1, { approximate: 1 as never }),
    "InvalidArgument",
  ],
  [
    "a list of indices",
    async () => statistics(await makeArray("int8", [1, 2, 3]), [[0, 2, 1]]),
    "InvalidSelection",
  ],
])("refuses %s that is not valid", async (_, work, tag) => {
  expect(await errorOf(work)).toMatchObject({ _tag: tag });
});
