// Selections beyond an array, sizes of pictures, slender arrays.
import { expect, it } from "vitest";
import { create, MapStore, type ZarrArray } from "zarr-wasm";
import { settingProblems } from "#src/viewer/element/setting-check.js";
import { checkPictureOptions } from "#src/viewer/model/figure.js";
import { depthAspect, planeAspect } from "#src/viewer/model/layers.js";
import {
  givenTexts,
  givenValues,
  readSettings,
  settingNames,
  writeSettings,
} from "#src/viewer/model/query.js";
import { arrayFacts, resolveState } from "#src/viewer/model/state.js";
import { arrayDataset } from "#src/viewer/source/arrays.js";
import type { Dataset, DatasetAxis } from "#src/viewer/source/dataset.js";

const datasetOf = async (...shape: number[]): Promise<Dataset> => {
  const array: ZarrArray = await create(new MapStore(), { shape, chunkShape: shape, dtype: "uint8" });
  return arrayDataset(array, "array");
};

it("a selection beyond the array is reported with the shown one", async () => {
  const problems = async (shape: readonly number[], value: string, name = "select") =>
    settingProblems(await datasetOf(...shape), [{ name, value, isText: true }]);
  expect(await problems([100], "9999")).toEqual([
    'select="9999" does not fit the array of shape [100]; select="99" is shown',
  ]);
  expect(await problems([4, 50, 60], "7,:,10:90")).toEqual([
    'select="7,:,10:90" does not fit the array of shape [4, 50, 60]; select="3,:,10:60" is shown',
  ]);
  expect(await problems([4, 50, 60], "7,,", "index")).toEqual([
    'index="7,," does not fit the array of shape [4, 50, 60]; index="3,," is shown',
  ]);
  expect(await problems([4, 50, 60], "3,:50,10:")).toEqual([]);
  const wrong = "cannot be used; expected an index, : or start:stop for every axis, such as 4,:,100:200";
  expect(await problems([4, 50], "9,:,:")).toEqual([`select="9,:,:" ${wrong}`]);
  expect(await problems([4, 50], "-1,:")).toEqual([`select="-1,:" ${wrong}`]);
});

it("settings of programs are reported with what they accept", async () => {
  const dataset = await datasetOf(4, 50, 60);
  const problems = (settings: object) => settingProblems(dataset, givenValues(settings));
  expect(problems({ tool: "foo" })).toEqual([
    'tool="foo" cannot be used; expected pan, zoom, pick, measure, point, line, rectangle, ellipse, polygon',
  ]);
  expect(problems({ outside: "foo", isReversed: "yes", range: [0, 1], byColormap: "nope" })).toEqual([
    'outside="foo" cannot be used; expected mark or clamp',
    'isReversed="yes" cannot be used; expected true or false',
    'range="[0,1]" cannot be used; expected { mode: "manual", low, high }, or the mode auto, minmax or percentile',
    'byColormap="nope" cannot be used; expected a colour map, as for colormap',
  ]);
  expect(problems({ frameRate: 3, volumeBudget: 1 })).toEqual([
    'frameRate="3" cannot be used; expected 1, 2, 5, 10, 20, 30',
    expect.stringContaining('volumeBudget="1" cannot be used'),
  ]);
  expect(problems({ tool: "pick", center: null, window: [null, [10, 90], null], steps: undefined })).toEqual(
    [],
  );
  // The last setting wins; an attribute that it replaces is not to blame.
  const both = [{ name: "tool", value: "pick", isText: true }, ...givenValues({ tool: "foo" })];
  expect(settingProblems(dataset, both)).toHaveLength(1);
});

it("settings that the viewer writes into addresses cause no messages", async () => {
  const dataset = await datasetOf(4, 50, 60);
  const facts = arrayFacts(dataset);
  for (const wanted of [
    {},
    { axes: [0, 2], index: [1, 7, 9], window: [null, null, [3, 9]], colormap: "#ABCDEF", isReversed: true },
    { range: { mode: "manual", low: -1.5, high: 1e21 }, gamma: 0.7, scale: "log", steps: 8, outside: "mark" },
    { camera: { row: 1.23456789, column: -7.1, scale: 0.0123456 }, sample: 0, meridian: -12.5, tool: "zoom" },
    { view: "volume", mode: "mean", orbit: { yaw: 31.4159, pitch: -20, zoom: 1.5 }, planes: ["xy", "xz"] },
    { labels: { name: "cells", opacity: 0.25, isOutline: true, hidden: [3, 5] }, isRangePerSlice: true },
    { byRange: { mode: "minmax" }, byColormap: "magma", pointSize: 7, profile: 1, depth: 0, center: 2 },
  ]) {
    const state = resolveState(facts, wanted);
    const texts = new Map(writeSettings(facts, state));
    const given = givenTexts(settingNames, (name) => texts.get(name) ?? null);
    expect(settingProblems(dataset, [...given, ...givenValues(state as object)])).toEqual([]);
  }
  const given = givenTexts(settingNames, (name) => (name === "map" ? "virdis" : null));
  expect(settingProblems(dataset, given)[0]).toContain('map="virdis" cannot be used; expected gray');
});

it("intervals may have one end", async () => {
  const facts = arrayFacts(await datasetOf(4, 50, 60));
  const windowOf = (select: string) =>
    resolveState(
      facts,
      readSettings((name) => (name === "select" ? select : null)),
    ).window;
  expect(windowOf("0,5:,:7")).toEqual([null, [5, 50], [0, 7]]);
  expect(windowOf("0,:,5:7")).toEqual([null, null, [5, 7]]);
});

it("pictures have sizes in pixels", () => {
  const refusal = (options: object) => {
    try {
      checkPictureOptions(options);
    } catch (error) {
      return String(error);
    }
    return undefined;
  };
  expect(refusal({ width: -1 })).toBe("RangeError: width must be 160 to 8000 CSS pixels, got -1");
  expect(refusal({ height: Number.NaN })).toBe("RangeError: height must be 160 to 8000 CSS pixels, got NaN");
  expect(refusal({ width: "340" })).toBe("RangeError: width must be 160 to 8000 CSS pixels, got 340");
  expect(refusal({ dpi: 0 })).toBe("RangeError: dpi must be 24 to 1200 pixels per inch, got 0");
  expect(refusal({ isTitled: "no" })).toBe('RangeError: isTitled must be true or false, got "no"');
  expect(refusal({ width: 340, height: 200, dpi: 300, isTitled: false, type: "svg" })).toBeUndefined();
});

it("pictures without a scale that would be slender fill the frame", async () => {
  const heightByWidth = (dataset: Dataset) => {
    const [down, across] = dataset.axes as [DatasetAxis, DatasetAxis];
    return (Math.abs(planeAspect(dataset, { axes: [0, 1] })) * down.length) / across.length;
  };
  for (const [rows, columns] of [
    [20_000, 12],
    [3, 3072],
    [1, 4096],
  ] as const)
    expect(heightByWidth(await datasetOf(rows, columns))).toBeCloseTo(0.6);
  expect(heightByWidth(await datasetOf(80, 10))).toBe(8);
  expect(heightByWidth(await datasetOf(10, 80))).toBe(1 / 8);
  // A common unit is respected, whatever the shape.
  const strip = await datasetOf(4, 4000);
  const axes = strip.axes.map((axis, i) => ({ ...axis, role: i ? "x" : "y", scale: 2 }) as DatasetAxis);
  expect(planeAspect({ ...strip, axes }, { axes: [0, 1] })).toBe(1);
  expect(
    planeAspect({ ...strip, axes: axes.map((axis) => ({ ...axis, goesUp: true })) }, { axes: [0, 1] }),
  ).toBe(-1);
  // Flat volumes stay flat.
  expect(depthAspect(await datasetOf(4, 500, 500), 0, 2)).toBe(1);
});
