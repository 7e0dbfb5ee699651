// What OME-Zarr metadata say about the display of images: rendering settings, single channels, labels.

import { describe, expect, it } from "vitest";
import { create, createGroup, MapStore, open } from "zarr-wasm";
import { multiscales } from "zarr-wasm/conventions";
import { arrayFacts, resolveState } from "#src/viewer/model/state.js";
import { multiscaleDataset } from "#src/viewer/source/multiscale.js";
import { labelInfo, renderingDefaults } from "#src/viewer/source/ome-settings.js";

const axes = (names: string) =>
  [...names].map((name) => ({
    name,
    type: name === "c" ? "channel" : name === "t" ? "time" : "space",
  }));

/** The state in which an image with the given axes, lengths and settings is shown first. */
async function firstState(
  names: string,
  shape: number[],
  dtype: "uint8" | "uint16" | "uint32" | "float32",
  omero?: object,
) {
  const store = new MapStore();
  const scale = [...names].map(() => 1);
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale }] }];
  const ome = { version: "0.5", multiscales: [{ axes: axes(names), datasets }], ...(omero ? { omero } : {}) };
  await createGroup(store, { attributes: { ome } });
  await create(store, { path: "0", shape, dtype, chunkShape: shape });
  const group = await open(store, { kind: "group" });
  const dataset = await multiscaleDataset(multiscales(group)[0]!, { title: "image", group });
  return resolveState(arrayFacts(dataset), {});
}

const channels = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    label: `c${i}`,
    color: ["ff0000", "00ff00", "0000ff"][i]!,
    active: i > 0,
    window: { start: 10 * i, end: 100 + i, min: 0, max: 255 },
  }));

describe("the first state of an image", () => {
  it.each(["uint8", "uint16", "uint32"] as const)("is gray if it has one channel of %s", async (dtype) => {
    expect(await firstState("yx", [4, 5], dtype)).toMatchObject({ colormap: "gray", channels: null });
    expect((await firstState("cyx", [1, 4, 5], dtype)).colormap).toBe("gray");
  });

  it("has the default slices of the rendering settings", async () => {
    const rdefs = { defaultT: 1, defaultZ: 6, model: "color" };
    const omero = { rdefs, channels: channels(2) };
    const { index, channels: shown } = await firstState("tczyx", [3, 2, 9, 4, 5], "uint16", omero);
    expect([index[0], index[2], shown?.length]).toEqual([1, 6, 2]);
    // Slices that do not exist.
    const beyond = { rdefs: { defaultT: 77, defaultZ: -1 }, channels: channels(2) };
    expect((await firstState("tczyx", [3, 2, 9, 4, 5], "uint16", beyond)).index.slice(0, 3)).toEqual([
      2, 0, 4,
    ]);
  });

  it("is the first active channel, in gray, if the model is greyscale", async () => {
    const omero = { rdefs: { model: "greyscale" }, channels: channels(3) };
    expect(await firstState("cyx", [3, 4, 5], "uint16", omero)).toMatchObject({
      channels: null,
      colormap: "gray",
      index: [1, expect.any(Number), expect.any(Number)],
      range: { mode: "manual", low: 10, high: 101 },
    });
  });
});

describe("labels", () => {
  const info = (label: object) => labelInfo({ ome: { "image-label": label } });

  it("have colours and properties", () => {
    const found = info({
      colors: [
        { "label-value": 1, rgba: [10, 20, 30, 255] },
        { "label-value": 70_000, rgba: [1, 2, 3, 4] },
      ],
      properties: [{ "label-value": 1, class: "nucleus", area: 33, touching: false, more: [1] }],
    })!;
    expect([...found.colors!.colors]).toEqual([
      [1, [10, 20, 30, 255]],
      [70_000, [1, 2, 3, 4]],
    ]);
    expect(found.properties(1)).toBe("class: nucleus, area: 33, touching: false");
    expect(found.properties(1n)).toBe(found.properties(1));
    expect(found.properties(2)).toBeUndefined();
  });

  it("of version 0.4 have them as well", () => {
    const colors = [{ "label-value": 5, rgba: [1, 2, 3, 4] }];
    expect(labelInfo({ "image-label": { colors } })!.colors!.colors.get(5)).toEqual([1, 2, 3, 4]);
  });

  it("with hostile metadata have none", () => {
    expect(labelInfo(undefined)).toBeUndefined();
    expect(info({ colors: "red", properties: 3 })).toBeUndefined();
    const wrong = [
      null,
      {},
      { "label-value": "1", rgba: [1, 2, 3, 4] },
      { "label-value": 1, rgba: [1, 2, 3] },
    ];
    const worse = [
      { "label-value": 1, rgba: [1, 2, 3, 256] },
      { "label-value": 1.5, rgba: [1, 2, 3, 4] },
    ];
    expect(info({ colors: [...wrong, ...worse] })!.colors).toBeUndefined();
    const long = {
      "label-value": 1,
      ...Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`p${i}`, i])),
    };
    expect(
      info({ properties: [long] })!
        .properties(1)!
        .split(", "),
    ).toHaveLength(16);
  });
});

it("rendering settings that are not numbers or words are ignored", () => {
  const none = { t: undefined, z: undefined, isGray: false };
  expect(renderingDefaults({ omero: { rdefs: { defaultT: "1", defaultZ: 1.5, model: 3 } } })).toEqual(none);
  expect(renderingDefaults({ omero: null })).toEqual(none);
});
