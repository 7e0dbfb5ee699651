// The range of colours: one for all slices from a sample of them, declared by metadata, or one for each slice.

import { describe, expect, it } from "vitest";
import { DType, type ZarrArray } from "zarr-wasm";
import { sampleSize } from "#src/viewer/element/range-sampler.js";
import { Ranges } from "#src/viewer/element/ranges.js";
import { type Layer, planLayers } from "#src/viewer/model/layers.js";
import { arrayFacts, resolveState, type WantedState } from "#src/viewer/model/state.js";
import { chosenSlices } from "#src/viewer/numbers/slice-choice.js";
import { arrayDataset } from "#src/viewer/source/arrays.js";
import type { Dataset } from "#src/viewer/source/dataset.js";
import { findDecoding } from "#src/viewer/source/decoding.js";
import type { Tile } from "#src/viewer/tiles/tile.js";

function volume(shape: readonly number[], more: Partial<Dataset> = {}): Dataset {
  const array = { shape, chunkShape: shape, dtype: DType.simple("float64") } as unknown as ZarrArray;
  const axes = shape.map((length) => ({ name: undefined, length }));
  return { title: "", axes, dtype: array.dtype, array, levels: [] as never, ...more };
}

const layerOf = (dataset: Dataset, wanted: WantedState = {}): Layer =>
  planLayers(dataset, resolveState(arrayFacts(dataset), wanted))[0]!;

let tiles = 0;
function tile(values: readonly number[], gaps: Tile["gaps"] = [], level = 0): Tile {
  const plane = {
    values: Float64Array.from(values),
    offset: 0,
    rows: 1,
    columns: values.length,
    rowStride: values.length,
    columnStride: 1,
  };
  return { key: `tile ${tiles++}`, level, plane, gaps } as unknown as Tile;
}

const all = { isPerSlice: false, isCommon: false };

describe("the range of a volume", () => {
  const ofCoarsest = { isPerSlice: true, isCommon: false, isOfCoarsest: true };
  const coarse = (values: readonly number[]) => tile(values, [], 2);
  const fine = () => tile([0, 1, 2, 249, 3, 4], [], 1);
  const minmax = { range: { mode: "minmax" } } as const;

  it.each(["after it", "while it is read"])("is that of the coarsest level if finer ones come %s", (when) => {
    const layer = layerOf(volume([5, 2, 2]), minmax);
    const ranges = new Ranges();
    ranges.begin([layer], ofCoarsest);
    ranges.add(coarse([1, 231]), layer);
    if (when === "while it is read") ranges.add(fine(), layer);
    expect(ranges.limits(layer)).toEqual([1, 231]);
    ranges.add(coarse([0.5, 7]), layer);
    ranges.settle();
    expect(ranges.limits(layer)).toEqual([0.5, 231]);
    ranges.add(fine(), layer);
    expect(ranges.limits(layer)).toEqual([0.5, 231]);
    expect(ranges.outside(layer)).toEqual({ isBelow: true, isAbove: true });
  });

  it("is that of a finer level if the coarsest has no numbers, and that of metadata if there is one", () => {
    const layer = layerOf(volume([5, 2, 2]), minmax);
    const declared = layerOf(volume([5, 2, 2], { actualRange: [-1, 500] }), minmax);
    const ranges = new Ranges();
    ranges.begin([layer], ofCoarsest);
    ranges.add(coarse([Number.NaN]), layer);
    ranges.add(fine(), layer);
    expect(ranges.limits(layer)).toEqual([0, 249]);
    ranges.begin([declared], ofCoarsest);
    ranges.add(fine(), declared);
    expect(ranges.limits(declared)).toEqual([-1, 500]);
  });
});

describe("one range for all slices", () => {
  it("is that of the first slice until a sample has been read, then the sample's", () => {
    const dataset = volume([5, 2, 2]);
    const ranges = new Ranges();
    const [first, second] = [0, 1].map((at) => layerOf(dataset, { index: [at, 0, 0] })) as [Layer, Layer];
    ranges.begin([first], all);
    expect(ranges.isKnown(first)).toBe(false);
    ranges.add(tile([1, 2, 3]), first);
    ranges.settle();
    expect(ranges.limits(first)).toEqual([1, 3]);
    ranges.begin([second], all);
    ranges.add(tile([10, 20, 30]), second);
    expect(ranges.limits(second)).toEqual([1, 3]);
    expect(ranges.outside(second)).toEqual({ isBelow: false, isAbove: true });
    expect(ranges.needsSample(second)).toBe(true);
    ranges.beginSample(second);
    expect(ranges.needsSample(second)).toBe(false);
    ranges.addSample(tile([0, 25, 50]), second);
    expect(ranges.limits(second)).toEqual([1, 3]);
    ranges.endSample(second, 5);
    expect(ranges.limits(second)).toEqual([0, 50]);
    expect(ranges.sampledSlices(second)).toBe(5);
    ranges.begin([first], all);
    expect(ranges.limits(first)).toEqual([0, 50]);
    expect(ranges.outside(first)).toEqual({ isBelow: false, isAbove: false });
  });

  it("is not taken from a sample without numbers", () => {
    const layer = layerOf(volume([5, 2, 2]));
    const ranges = new Ranges();
    ranges.begin([layer], all);
    ranges.add(tile([4, 5]), layer);
    ranges.beginSample(layer);
    ranges.addSample(tile([Number.NaN]), layer);
    ranges.endSample(layer, 5);
    expect(ranges.limits(layer)).toEqual([4, 5]);
    expect(ranges.sampledSlices(layer)).toBeUndefined();
  });

  it("needs no sample for a plane, for slices with their own ranges, and if metadata or users give it", () => {
    const ranges = new Ranges();
    ranges.begin([], all);
    expect(ranges.needsSample(layerOf(volume([2, 2])))).toBe(false);
    expect(ranges.needsSample(layerOf(volume([1, 2, 2])))).toBe(false);
    expect(
      ranges.needsSample(layerOf(volume([9, 2, 2]), { range: { mode: "manual", low: 0, high: 1 } })),
    ).toBe(false);
    expect(ranges.needsSample(layerOf(volume([9, 2, 2], { actualRange: [0, 1] })))).toBe(false);
    ranges.begin([], { isPerSlice: true, isCommon: false });
    expect(ranges.needsSample(layerOf(volume([9, 2, 2])))).toBe(false);
  });

  it("is that of the metadata", () => {
    const layer = layerOf(volume([9, 2, 2], { actualRange: [-3, 8] }));
    const ranges = new Ranges();
    ranges.begin([layer], all);
    expect([ranges.isKnown(layer), ranges.limits(layer)]).toEqual([true, [-3, 8]]);
    // Stored values have other units.
    expect(ranges.isKnown({ ...layer, isRaw: true })).toBe(false);
  });

  it("has no 0 on a logarithmic scale", () => {
    const layer = layerOf(volume([2, 2]), { scale: "log" });
    const ranges = new Ranges();
    ranges.begin([layer], all);
    ranges.add(tile([0, 0.5, 4, 100]), layer);
    expect(ranges.limits(layer)).toEqual([0.5, 100]);
  });
});

it("chunks that are not stored count with their fill value, unreadable ones do not", () => {
  const layer = layerOf(volume([2, 4]));
  const ranges = new Ranges();
  ranges.begin([layer], all);
  const gap = (kind: "missing" | "damaged", from: number) =>
    ({ kind, rows: [0, 1], columns: [from, from + 1] }) as const;
  ranges.add(tile([7, -1, 9, 99], [gap("missing", 1), gap("damaged", 3)]), layer);
  expect(ranges.limits(layer)).toEqual([-1, 9]);
  expect(ranges.hasMissing(layer)).toBe(true);
  expect(ranges.isAllSeen(layer)).toBe(false);
});

describe("the sampled slices", () => {
  it("are all of a few, else evenly spread, whichever slice is in view", () => {
    expect(chosenSlices([2, 3], 8)).toEqual([
      ...[
        [0, 0],
        [0, 1],
        [0, 2],
      ],
      ...[
        [1, 0],
        [1, 1],
        [1, 2],
      ],
    ]);
    expect(chosenSlices([365], 5)).toEqual([[0], [91], [182], [273], [364]]);
    expect(chosenSlices([365], 1)).toEqual([[0]]);
    const many = chosenSlices([40, 90, 7], 12);
    expect(many).toHaveLength(12);
    expect(many.every((at) => at.every((i, axis) => i >= 0 && i < [40, 90, 7][axis]!))).toBe(true);
    // Each third of the longest axis has some.
    expect(new Set(many.map(([, at]) => Math.floor(at! / 30))).size).toBe(3);
  });

  it("stay within a budget, and are all there are of a small array", () => {
    const limit = 32 * 2 ** 20;
    const cost = (bytesPerTile: number, slicesPerBlock = 1, wholeBytes = 1e12) => ({
      ...{ bytesPerTile, slicesPerBlock, wholeBytes },
      maxBytes: limit,
    });
    expect(sampleSize([120], 4, cost(1e6, 1, 2 ** 22))).toEqual({ slices: 120, tiles: 4 });
    expect(sampleSize([365], 100, cost(2 ** 17))).toEqual({
      slices: 12,
      tiles: 4,
    });
    expect(sampleSize([365], 100, cost(2 ** 22))).toEqual({
      slices: 8,
      tiles: 1,
    });
    expect(sampleSize([365], 1, cost(2 ** 28))).toEqual({ slices: 0, tiles: 0 });
    // All slices of the blocks that are read.
    expect(sampleSize([256], 1, cost(2 ** 19, 64)).slices).toBe(96);
    expect(sampleSize([6400], 1, cost(2 ** 19, 64)).slices).toBe(12);
    for (const bytesPerTile of [1, 1e3, 1e5, 1e6, 8e6]) {
      const { slices, tiles: each } = sampleSize([50, 60], 9, cost(bytesPerTile));
      expect(slices * each * bytesPerTile).toBeLessThanOrEqual(limit);
    }
  });
});

const described = (attributes: object, dtype = DType.simple("int16")) => {
  const array = { attributes, dtype, fillValue: 0, shape: [4], dimensionNames: null, zarrFormat: 3 };
  return arrayDataset(array as unknown as ZarrArray, "a");
};

it("the range in metadata is actual_range, of decoded values", async () => {
  const found = async (attributes: object) => (await described(attributes)).actualRange;
  expect(await found({ actual_range: [2.5, 7], scale_factor: 0.5 })).toEqual([2.5, 7]);
  expect(await found({ actual_range: [2.5, 7] })).toEqual([2.5, 7]);
  expect(await found({ actual_range: [2.5, 7], units: "days since 2000-01-01" })).toBeUndefined();
  expect(await found({ valid_range: [0, 100], valid_min: 0, valid_max: 10 })).toBeUndefined();
  for (const actual_range of [[1], [2, 1], ["0", "1"], [0, Number.NaN], { 0: 1, 1: 2 }, "0 1"])
    expect(await found({ actual_range })).toBeUndefined();
});

it("arrays without attributes of CF are decoded as by the whole code, which finds nothing", async () => {
  const all = [{}, { units: "K" }, { units: "1" }, { dtype: "bool" }, { _FillValue: "x" }, { valid_min: 1 }];
  for (const attributes of [...all, { units: "d\tsince 2000-01-01" }, { calendar: "noleap" }]) {
    const array = { attributes, dtype: DType.simple("int16"), fillValue: 0, zarrFormat: 3 };
    const whole = findDecoding(array as unknown as ZarrArray);
    const { decodedKind, problems } = await described(attributes);
    expect({ decodedKind, problems }).toEqual({ decodedKind: whole.decodedKind, problems: whole.problems });
  }
});
