// The wells of a plate: their common ranges, and the planes that they show.
import { expect, it } from "vitest";
import { plateRanges } from "#src/viewer/element/plate.js";
import type { Thumbnail } from "#src/viewer/element/thumbnail.js";
import type { Layer } from "#src/viewer/model/layers.js";
import {
  acceptedParts,
  isOnPlate,
  isPlateView,
  plateChoices,
  readPlateView,
  wellSettings,
} from "#src/viewer/model/plate-view.js";
import type { Dataset } from "#src/viewer/source/dataset.js";
import { Plate } from "#src/viewer/source/plate.js";

const layerOf = (id: string, range: Layer["range"] = { mode: "auto" }) => ({ id, range }) as Layer;

/** A well with a layer of values from 0 to a maximum. */
const wellOf = (layer: Layer, max: number) =>
  ({
    layers: [
      {
        layer,
        plane: {
          values: Float32Array.from({ length: 100 }, (_, i) => (max * i) / 99),
          offset: 0,
          rows: 10,
          columns: 10,
          rowStride: 10,
          columnStride: 1,
        },
      },
    ],
  }) as unknown as Thumbnail;

it("a channel has one range for all wells", () => {
  const channel = layerOf("channel 0");
  const limits = plateRanges([wellOf(channel, 100), wellOf(channel, 1000)])(channel)!;
  expect(limits[0]).toBeCloseTo(0, 0);
  expect(limits[1]).toBeGreaterThan(500);
  expect(plateRanges([])(channel)).toBeUndefined();
});

it("the first well declares the ranges", () => {
  const [first, second] = [layerOf("channel 0", { mode: "manual", low: 1, high: 9 }), layerOf("channel 0")];
  const ranges = plateRanges([wellOf(first, 100), wellOf(second, 1000)]);
  expect(ranges(second)).toEqual([1, 9]);
});

const dataset = {
  axes: [
    { name: "t", length: 3, role: "time", type: "time" },
    { name: "c", length: 2, type: "channel" },
    { name: "z", length: 5, role: "z", type: "space" },
    { name: "y", length: 32, role: "y", type: "space" },
    { name: "x", length: 32, role: "x", type: "space" },
  ],
  dtype: { core: "uint16" },
  channelAxis: 1,
  array: { chunkShape: [1, 1, 1, 32, 32] },
} as unknown as Dataset;

it("offers channels, fields, z and t", () => {
  const { channels, fields, axes } = plateChoices(dataset, 4);
  expect(channels).toHaveLength(2);
  expect(fields).toBe(4);
  expect(axes.map(({ name, length }) => [name, length])).toEqual([
    ["t", 3],
    ["z", 5],
  ]);
  const view = { channel: 1, field: 0, index: new Map([[2, 4]]) };
  const settings = wellSettings(dataset, view);
  expect(settings.index).toEqual([undefined, undefined, 4, undefined, undefined]);
  expect((settings.channels as { isOn: boolean }[]).map(({ isOn }) => isOn)).toEqual([false, true]);
  expect(wellSettings(dataset, { ...view, channel: null }).channels).toBeUndefined();
});

it("samples wells all over the plate", async () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => String(i));
  const wells = names(40).map((name, i) => ({ path: `A/${name}`, row: 0, column: i }));
  const plate = await Plate.of({ rows: ["A"], columns: names(40), wells }, (path) => path, undefined);
  expect(plate.sample(4)).toEqual(["A/5", "A/15", "A/25", "A/35"]);
  expect(plate.sample(100)).toHaveLength(40);
});

it("planes that a plate does not have are recognised", () => {
  const choices = {
    channels: ["a", "b"],
    fields: 3,
    axes: [{ axis: 2, name: "z", length: 5, at: 2 }],
  };
  const isOn = (text: string) => isOnPlate(readPlateView(text), choices);
  expect(["", "channel:1", "field:2,2:4"].map(isOn)).toEqual([true, true, true]);
  expect(["channel:2", "field:3", "2:5", "1:0"].map(isOn)).toEqual([false, false, false, false]);
  expect(acceptedParts(choices)).toBe("channel:0 to channel:1, field:0 to field:2, 2:0 to 2:4");
  expect(acceptedParts({ channels: [], fields: 1, axes: [] })).toBe("none: there is one plane");
  expect(["", "channel:1,field:0", "2:5"].map(isPlateView)).toEqual([true, true, true]);
  expect(["chanel:1", "channel=1", "channel:1,"].map(isPlateView)).toEqual([false, false, false]);
});
