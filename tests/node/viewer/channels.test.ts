// The viewer's interpretation of channels, coordinates and maps, before anything is drawn.

import { expect, it } from "vitest";
import { DType } from "zarr-wasm";
import { coastlines } from "#src/viewer/base/coastlines.js";
import { colorTable } from "#src/viewer/base/color-tables.js";
import { loadColormap } from "#src/viewer/base/colormaps.js";
import { MapLines, screenProjection } from "#src/viewer/draw/map-lines.js";
import { layerColors } from "#src/viewer/draw/table.js";
import { defaultChannels, findChannelAxis, isPicture } from "#src/viewer/model/channels.js";
import { planLayers } from "#src/viewer/model/layers.js";
import { readQuery, writeQuery } from "#src/viewer/model/query.js";
import { arrayFacts, resolveState } from "#src/viewer/model/state.js";
import { Findings } from "#src/viewer/numbers/findings.js";
import { summarize } from "#src/viewer/numbers/summary.js";
import { noteText } from "#src/viewer/panels/histogram.js";
import { planScaleBar, roundBelow } from "#src/viewer/panels/scale-bar.js";
import type { ChannelInfo, Dataset, DatasetAxis } from "#src/viewer/source/dataset.js";

/** A dataset with metadata only. */
function described(
  axes: readonly Partial<DatasetAxis>[],
  type: "uint8" | "uint16" | "float32",
  more: Partial<Dataset> = {},
): Dataset {
  const all = axes.map((axis) => ({ name: undefined, length: 1, ...axis }));
  const shape = all.map(({ length }) => length);
  const array = { shape, chunkShape: shape, dtype: DType.simple(type) } as unknown as Dataset["array"];
  return { title: "", axes: all, dtype: array.dtype, array, levels: [] as never, ...more };
}

const channel = (color: string | undefined, window?: [number, number], active?: boolean): ChannelInfo => ({
  label: undefined,
  color,
  active,
  window,
});

it("channels have the colours and windows of the metadata", () => {
  const channels = [channel("0000FF", [10, 200]), channel("00FF00", undefined, false)];
  const axes = [
    { name: "c", length: 2 },
    { name: "y", length: 9 },
    { name: "x", length: 9 },
  ];
  const dataset = described(axes, "uint16", { channelAxis: 0, channels });
  expect(defaultChannels(dataset)).toEqual([
    { index: 0, isOn: true, color: "0000ff", range: { mode: "manual", low: 10, high: 200 }, gamma: 1 },
    { index: 1, isOn: false, color: "00ff00", range: { mode: "auto" }, gamma: 1 },
  ]);
});

it("several channels that are all white have different colours", () => {
  const axes = [
    { name: "c", length: 3 },
    { name: "y", length: 9 },
    { name: "x", length: 9 },
  ];
  const colors = (...list: string[]) => {
    const channels = list.map((color) => channel(color, undefined));
    return defaultChannels(described(axes, "uint16", { channelAxis: 0, channels }))!.map(
      ({ color }) => color,
    );
  };
  expect(new Set(colors("FFFFFF", "ffffff", "FFFFFF")).size).toBe(3);
  expect(colors("FFFFFF", "00FF00", "FFFFFF")).toEqual(["ffffff", "00ff00", "ffffff"]);
});

it("of many channels eight are offered, active ones first", () => {
  const channels = Array.from({ length: 20 }, (_, i) => channel(undefined, undefined, i >= 15));
  const axes = [
    { name: "c", length: 20 },
    { name: "y", length: 9 },
    { name: "x", length: 9 },
  ];
  const made = defaultChannels(described(axes, "uint16", { channelAxis: 0, channels }))!;
  expect(made.map(({ index, isOn }) => (isOn ? index : -index))).toEqual([-0, -1, -2, 15, 16, 17, 18, 19]);
  expect(new Set(made.map(({ color }) => color)).size).toBe(8);
});

it("bytes of three or four colours are pictures; other handfuls are not", () => {
  const of = (lengths: number[], type: "uint8" | "uint16", names: (string | undefined)[] = []) => {
    const dataset = described(
      lengths.map((length, i) => ({ length, name: names[i] })),
      type,
    );
    return isPicture(dataset) ? findChannelAxis(dataset) : undefined;
  };
  expect(of([20, 30, 3], "uint8")).toBe(2);
  expect(of([4, 20, 30], "uint8")).toBe(0);
  expect(of([7, 3, 20, 30], "uint8", ["t", "band", "y", "x"])).toBe(1);
  expect(of([20, 30, 3], "uint8", ["y", "x", "s"])).toBe(2); // samples of a TIFF
  expect(of([3, 20, 30], "uint8", ["s", "y", "x"])).toBeUndefined(); // levels of an ocean model
  expect(of([20, 30, 3], "uint16")).toBeUndefined();
  expect(of([20, 30, 5], "uint8")).toBeUndefined();
  expect(of([3, 4, 30], "uint8")).toBeUndefined();
  expect(of([3, 20, 30], "uint8", ["time", "y", "x"])).toBeUndefined();
  expect(of([30, 3], "uint8")).toBeUndefined();
});

it("a picture is shown along its other axes, in three layers and one that hides", () => {
  const dataset = described([{ length: 20 }, { length: 30 }, { length: 4 }], "uint8");
  const state = resolveState(arrayFacts(dataset), {});
  expect(state.axes).toEqual([0, 1]);
  const layers = planLayers(dataset, state);
  expect(layers.map(({ index, style }) => [index[2], style.color, style.blend])).toEqual([
    [0, "ff0000", "add"],
    [1, "00ff00", "add"],
    [2, "0000ff", "add"],
    [3, "ffffff", "mask"],
  ]);
  expect(planLayers(dataset, { ...state, channels: null })).toHaveLength(1);
  // An image with its channel axis on screen is not a colour picture.
  expect(planLayers(dataset, resolveState(arrayFacts(dataset), { axes: [0, 2] }))).toHaveLength(1);
});

it("the address restores every choice", () => {
  const axes = [{ name: "c", length: 3 }, { name: "z", length: 9 }, { length: 9 }, { length: 9 }];
  const dataset = described(axes, "uint16", { channelAxis: 0 });
  const facts = arrayFacts(dataset);
  const plain = resolveState(facts, {});
  expect(writeQuery({ source: "a" }, { array: facts, settings: plain })).toBe("?source=a");
  const [first, second, third] = plain.channels!;
  const changed = resolveState(facts, {
    ...plain,
    channels: [
      { ...first, isOn: false, gamma: 0.5 },
      { ...second, color: "123abc", range: { mode: "manual", low: -1.5, high: 1e-7 } },
      { ...third, range: { mode: "percentile" } },
    ],
    colormap: "vik",
    center: -2.5,
    isReversed: true,
    gamma: 2,
    isRangePerSlice: true,
    isLogHistogram: true,
    frameRate: 20,
    profile: 1,
    depth: 1,
    isGraticuleOn: false,
    labels: { name: "cells", isOn: true, opacity: 0.25 },
  });
  expect(changed.channels![1]!.color).toBe("123abc");
  const query = writeQuery({ source: "a" }, { array: facts, settings: changed });
  expect(resolveState(facts, readQuery(query)!.settings!)).toEqual(changed);
  const alone = { ...plain, channels: null, areCoastsOn: false, isGraticuleOn: false };
  const none = writeQuery({ source: "a" }, { array: facts, settings: alone });
  expect(resolveState(facts, readQuery(none)!.settings!)).toEqual(alone);
});

it("invalid channels are replaced by the default ones", () => {
  const axes = [{ name: "c", length: 3 }, { length: 9 }, { length: 9 }];
  const facts = arrayFacts(described(axes, "uint16", { channelAxis: 0 }));
  const plain = resolveState(facts, {}).channels;
  for (const text of [
    "",
    "x",
    "3:ff0000:auto",
    "0:ff0000:auto,0:ff0000:auto",
    "0:red:auto",
    "0:ff0000:1..x",
    "0:ff0000:auto:99",
  ])
    expect(resolveState(facts, readQuery(`?source=a&channels=${text}`)!.settings!).channels).toEqual(plain);
});

it("cividis goes from end to end, never backwards in lightness", async () => {
  await loadColormap("cividis");
  const bytes = new Uint8Array(colorTable("cividis").buffer);
  const light = Array.from(
    { length: 256 },
    (_, i) => 0.2126 * bytes[4 * i]! + 0.7152 * bytes[4 * i + 1]! + 0.0722 * bytes[4 * i + 2]!,
  );
  expect(light.every((value, i) => i === 0 || value >= light[i - 1]! - 0.5)).toBe(true);
  expect([...bytes.subarray(0, 3)]).toEqual([0x00, 0x22, 0x4e]);
  expect([...bytes.subarray(-4, -1)]).toEqual([0xfe, 0xe8, 0x38]);
});

it("labels over an image have the colours that they have alone, and no background", () => {
  const style = {
    kind: "labels",
    colormap: "labels",
    isReversed: false,
    steps: 0,
    scale: "linear",
    color: "ffffff",
    gamma: 1,
    outside: "clamp",
    isMissingMarked: false,
    opacity: 0.5,
    blend: "over",
  } as const;
  const [alone, over] = [layerColors(style), layerColors({ ...style, isOverlay: true })];
  expect(over[0]).toBe(0);
  expect([...over.subarray(1)]).toEqual([...alone.subarray(1)]);
  // The same label has the same colour everywhere, regardless of other labels.
  expect(new Set(over).size).toBe(2 ** 16);
});

it("bars have round lengths of the axis' unit", () => {
  expect([1.9, 2, 7, 99, 0.03].map(roundBelow)).toEqual([1, 2, 5, 50, 0.02]);
  const image = described(
    ["y", "x"].map((name) => ({ name, length: 100, scale: 0.25, unit: "micrometer" })),
    "uint8",
  );
  expect(planScaleBar(image, [0, 1], 2, 50, 100)).toEqual({ width: 80, text: "10 µm" });
  expect(planScaleBar(image, [0, 1], 2000, 50, 100)).toEqual({ width: 80, text: "10 nm" });
  const map = described(
    [
      { role: "latitude", length: 19, scale: 10, translation: -90, coordinates: numbers(-90, 10) },
      { role: "longitude", length: 36, scale: 10, translation: -180, coordinates: numbers(-180, 10) },
    ],
    "float32",
  );
  const [equator, north] = [9, 15].map((row) => planScaleBar(map, [0, 1], 10, row, 150)!);
  expect(equator!.text).toBe("10000 km");
  expect(north!.text).toBe("5000 km");
  expect(planScaleBar(map, [0, 1], 10, 18, 150)).toBeUndefined(); // at the pole
  expect(planScaleBar(map, [0, 1], 10, undefined, 150)!.text).toMatch(/°$/); // in a volume
  expect(planScaleBar(described([{ length: 5 }, { length: 5 }], "uint8"), [0, 1], 1, 1, 100)).toBeUndefined();
});

const numbers = (first: number, step: number) => ({
  kind: "numbers" as const,
  at: (index: number) => first + index * step,
  read: async () => {},
});

it("degrees are found on regular and other axes, in either direction", () => {
  const regular = screenProjection({ name: "lat", length: 18, scale: -10, translation: 85 })!;
  expect([85, -85, 0].map(regular)).toEqual([0.5, 17.5, 9]);
  const values = [60, 40, 30, 0];
  const coordinates = { kind: "numbers" as const, at: (i: number) => values[i], read: async () => {} };
  const other = screenProjection({ name: "lat", length: 4, coordinates })!;
  expect([60, 50, 30, 15, 0].map(other)).toEqual([0.5, 1, 2.5, 3, 3.5]);
  const mixed = { ...coordinates, at: (i: number) => [1, 3, 2][i] };
  expect(screenProjection({ name: "lat", length: 3, coordinates: mixed })).toBeUndefined();
});

it("meridians are at round degrees, also on maps from 0° to 360°", () => {
  const axes: Partial<DatasetAxis>[] = [
    { role: "latitude", length: 181, scale: 1, translation: -90, coordinates: numbers(-90, 1) },
    { role: "longitude", length: 360, scale: 1, translation: 0, coordinates: numbers(0, 1) },
  ];
  const lines = MapLines.of(described(axes, "float32"), [0, 1])!;
  const look = {
    camera: { row: 90, column: 180, scale: 2 },
    size: { width: 720, height: 362 },
    ratio: 1,
    aspect: -1,
  };
  const seen = { top: 0, left: 0, bottom: 181, right: 360 };
  const { longitudes, latitudes } = lines.graticule(look, seen);
  expect(longitudes).toEqual([0, 45, 90, 135, 180, 225, 270, 315]);
  expect(latitudes).toEqual([-90, -60, -30, 0, 30, 60, 90]);
});

it("coasts are lines on the Earth", () => {
  const lines = coastlines();
  const points = lines.flatMap((line) =>
    Array.from({ length: line.length / 2 }, (_, i) => [line[2 * i]!, line[2 * i + 1]!]),
  );
  expect(points.length).toBeGreaterThan(5000);
  expect(points.every(([x, y]) => Math.abs(x!) <= 180.01 && Math.abs(y!) <= 90)).toBe(true);
  // No line goes around the world at once.
  for (const line of lines)
    for (let i = 2; i < line.length; i += 2) expect(Math.abs(line[i]! - line[i - 2]!)).toBeLessThan(30);
  // Cape Horn, Cape of Good Hope, Ireland: the nearest point of a coast is near.
  for (const [x, y] of [
    [-67.3, -55.9],
    [18.4, -34.2],
    [-10, 52],
  ] as const)
    expect(Math.min(...points.map(([a, b]) => Math.hypot(a! - x, b! - y)))).toBeLessThan(2);
});

it("minimum and maximum are shown only once all values have been read", () => {
  const findings = new Findings();
  const values = Float32Array.from({ length: 1000 }, (_, i) => i);
  findings.add(
    "a",
    summarize({ values, offset: 0, rows: 1, columns: 1000, rowStride: 1000, columnStride: 1 }),
  );
  expect(noteText({ findings, isAllSeen: true })).toBe("All 1,000 values of the slice: 0 to 999");
  expect(noteText({ findings, isAllSeen: false })).toBe(
    "1,000 values read, not all of the slice; 98 % of them from 10 to 989",
  );
  const none = Float32Array.of(Number.NaN);
  findings.add(
    "b",
    summarize({ values: none, offset: 0, rows: 1, columns: 1, rowStride: 1, columnStride: 1 }),
  );
  expect(noteText({ findings, isAllSeen: true })).toBe("All 1,001 elements of the slice: 0 to 999");
});

it("minimum and maximum have digits that tell them apart", () => {
  const findings = new Findings();
  const values = Float64Array.from({ length: 600 }, (_, i) => 101_325 + i * 1e-6);
  findings.add("a", summarize({ values, offset: 0, rows: 1, columns: 600, rowStride: 600, columnStride: 1 }));
  expect(noteText({ findings, isAllSeen: true })).toBe(
    "All 600 values of the slice: 101,325 to 101,325.000599",
  );
});
