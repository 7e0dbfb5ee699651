// The wells of a plate: the fields and planes that they show, and where fields are.
import { expect, it } from "vitest";
import { createGroup, MapStore, open } from "zarr-wasm";
import {
  acceptedParts,
  type Box,
  fieldPlaces,
  isOnPlate,
  isPlateView,
  plateChoices,
  plateViewText,
  readPlateView,
  wellSettings,
} from "#src/viewer/model/plate-view.js";
import type { Dataset } from "#src/viewer/source/dataset.js";
import { type WellField, wellFields } from "#src/viewer/source/plate.js";

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
  expect(channels).toBe(2);
  expect(fields).toBe(4);
  expect(axes.map(({ axis, length }) => [axis, length])).toEqual([
    [0, 3],
    [2, 5],
  ]);
  const view = readPlateView("channel:1,field:0,2:4");
  const settings = wellSettings(dataset, view);
  expect(settings.index).toEqual([undefined, undefined, 4, undefined, undefined]);
  expect((settings.channels as { isOn: boolean }[]).map(({ isOn }) => isOn)).toEqual([false, true]);
  expect(wellSettings(dataset, { ...view, channel: null }).channels).toBeUndefined();
});

it("planes that a plate does not have are recognised", () => {
  const choices = {
    channels: 2,
    fields: 3,
    axes: [{ axis: 2, length: 5 }],
  };
  const isOn = (text: string) => isOnPlate(readPlateView(text), choices);
  expect(["", "channel:1", "field:2,2:4"].map(isOn)).toEqual([true, true, true]);
  expect(["channel:2", "field:3", "2:5", "1:0"].map(isOn)).toEqual([false, false, false, false]);
  expect(acceptedParts(choices)).toBe("channel:0 to channel:1, field:0 to field:2, 2:0 to 2:4");
  expect(acceptedParts({ channels: 0, fields: 1, axes: [] })).toBe("none: there is one plane");
  expect(["", "channel:1,field:0", "2:5"].map(isPlateView)).toEqual([true, true, true]);
  expect(["chanel:1", "channel=1", "channel:1,"].map(isPlateView)).toEqual([false, false, false]);
});

it("fields, acquisitions and sizes are kept by links", () => {
  for (const text of ["", "field:2", "acquisition:1,size:64", "field:0,acquisition:0,size:480"]) {
    const parts = readPlateView(text);
    expect(readPlateView(plateViewText(parts))).toEqual(parts);
  }
  expect(readPlateView("size:0").size).toBe(20);
  expect(readPlateView("size:999999999").size).toBe(480);
  expect(readPlateView("").field).toBeNull();
});

const box = (top: number, left: number): Box => ({ top, left, height: 10, width: 10 });

it("fields are laid out at their places on the stage, or else row by row", () => {
  const corners = (boxes: Parameters<typeof fieldPlaces>[0]) =>
    fieldPlaces(boxes).map((place) => place && [place.top, place.left].map((at) => Number(at.toFixed(3))));
  expect(corners([box(0, 20), box(0, 10), undefined, box(10, 0)])).toEqual([
    [0.167, 0.667],
    [0.167, 0.333],
    undefined,
    [0.5, 0],
  ]);
  // Fields without places are all at 0; the others are too far apart to be seen.
  for (const boxes of [
    [box(0, 0), box(0, 0), box(0, 0)],
    [box(0, 0), undefined, undefined],
    [box(0, 0), box(0, 1e6), box(1e6, 0)],
    [box(0, Number.NaN), box(0, 10), box(0, 20)],
  ])
    expect(corners(boxes)).toEqual([
      [0, 0],
      [0, 0.5],
      [0.5, 0],
    ]);
  expect(fieldPlaces([])).toEqual([]);
  expect(fieldPlaces([{ top: 0, left: 0, height: 5, width: 20 }])).toEqual([
    { top: 0.375, left: 0, height: 0.25, width: 1 },
  ]);
});

it("invalid fields of damaged wells are ignored", async () => {
  const fieldsOf = async (attributes: Record<string, unknown>): Promise<readonly WellField[]> => {
    const store = new MapStore();
    await createGroup(store, { zarrFormat: 3, attributes: attributes as never });
    return wellFields(await open(store, { kind: "group" }));
  };
  const images = [{ path: "0" }, { path: "../1" }, { path: 2 }, null, { path: "a/b", acquisition: 3 }, 7];
  expect(await fieldsOf({ well: { images } })).toEqual([
    { path: "0", acquisition: undefined },
    { path: "a/b", acquisition: 3 },
  ]);
  for (const well of [{}, { well: null }, { well: { images: 3 } }, { ome: { well: { images: [] } } }])
    expect(await fieldsOf(well)).toEqual([]);
  expect(await fieldsOf({ ome: { multiscales: [] } })).toEqual([{ path: "", acquisition: undefined }]);
  const many = Array.from({ length: 1000 }, (_, i) => ({ path: String(i) }));
  expect(await fieldsOf({ well: { images: many } })).toHaveLength(256);
});
