// Opening sources in the viewer, without a browser: images, plates, variables with coordinates, trees; never nothing.
import { expect, it } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  get,
  MapStore,
  open,
  set,
  slice,
  updateAttributes,
} from "zarr-wasm";
import { multiscales, writeMultiscale } from "zarr-wasm/conventions";
import { planeAspect, planLayers } from "../../../web/viewer/model/layers.ts";
import { arrayFacts, resolveState } from "../../../web/viewer/model/state.ts";
import { coordinateText, dateText, placeText, unitText } from "../../../web/viewer/panels/coordinates.ts";
import type { Dataset } from "../../../web/viewer/source/dataset.ts";
import { openTarget, RefusedAddress, resolveTarget } from "../../../web/viewer/source/open.ts";
import type { Opened } from "../../../web/viewer/source/opened.ts";
import { volumeSpace } from "../../../web/viewer/volume/space.ts";
import { groupInMemory, packed } from "../../shared/viewer-groups.js";
import { ObjectServer } from "../support/store-server.js";

const signal = new AbortController().signal;
const context = { signal, onWarning: () => {} };

async function opened(name: string, path?: string, as?: "contents"): Promise<Opened> {
  return openTarget({ source: await groupInMemory(name), name, path, as }, context);
}

/** Content that must be of a kind. */
function as<K extends Opened["kind"]>(kind: K, found: Opened): Extract<Opened, { kind: K }> {
  if (found.kind !== kind) throw new Error(found.kind);
  return found as Extract<Opened, { kind: K }>;
}

const dataset = async (name: string, path?: string): Promise<Dataset> =>
  as("dataset", await opened(name, path)).dataset;

it.each(["image", "image-v2", "image-0.6"])("%s: levels, axes with units, coordinates", async (name) => {
  const image = await dataset(name);
  expect(image.levels.map(({ factor }) => factor)).toEqual([
    [1, 1],
    [2, 2],
    [4, 4],
  ]);
  // The finest and the coarsest are open, others wait.
  expect(image.levels.map(({ array }) => array !== undefined)).toEqual([true, false, true]);
  expect(image.axes).toMatchObject([
    { name: "y", role: "y", unit: "micrometer", scale: 0.5, length: 32 },
    { name: "x", role: "x", unit: "micrometer", scale: 0.5, length: 32 },
  ]);
  expect(coordinateText(image.axes[0]!, 3)).toBe("1.5 µm");
  expect(image.label).toBe("cells");
  expect(await image.labels!.find()).toEqual([]);
  expect(planeAspect(image, { axes: [0, 1] })).toBe(1);
});

it.each(["labelled", "labelled-0.6"])(
  "labels are joined to their image, and placed in it: %s",
  async (name) => {
    const image = await dataset(name);
    const [labels] = await image.labels!.find();
    expect(labels).toMatchObject({ name: "cells", path: "labels/cells" });
    const state = resolveState(arrayFacts(image), {});
    expect(planLayers(image, state).map(({ id }) => id)).toEqual(["image"]);
    const own = await labels!.open();
    expect(own.isLabels).toBe(true);
    expect(own.levels.map(({ factor, origin }) => [factor[0], origin[0]])).toEqual([
      [1, 0],
      [2, 0],
      [4, 0],
    ]);
    const layers = planLayers(image, state);
    expect(layers.map(({ id }) => id)).toEqual(["image", "labels cells"]);
    expect(layers[1]).toMatchObject({
      axes: [0, 1],
      style: { kind: "labels", opacity: 0.5, isOverlay: true },
    });
    const off = resolveState(arrayFacts(image), { labels: { isOn: false } });
    expect(planLayers(image, off).length).toBe(1);
    // Alone, they are labels, too.
    const alone = await dataset(name, "labels/cells");
    expect(resolveState(arrayFacts(alone), {}).colormap).toBe("labels");
    const listed = await opened(name, "labels");
    expect(listed).toMatchObject({ kind: "dataset", path: "labels/cells" });
  },
);

it("labels lie where their image says, in OME-Zarr 0.6", async () => {
  const image = await dataset("linked-0.6");
  const [labels] = await image.labels!.find();
  const placed = await labels!.open();
  // Pixels of half a micrometre: 2 and −1 micrometres are 4 and −2 of them.
  expect(placed.levels.map(({ factor, origin }) => [...factor, ...origin])).toEqual([
    [1, 1, 4, -2],
    [2, 2, 4, -2],
    [4, 4, 4, -2],
  ]);
});

it("plates, series and scenes of OME-Zarr 0.6 lead to their images", async () => {
  const plate = as("plate", await opened("plate-0.6"));
  expect([plate.plate.rows, plate.plate.pathAt([0, 0])]).toEqual([["A"], "A/1"]);
  expect(await opened("plate-0.6", "A/1")).toMatchObject({ kind: "dataset", path: "A/1/0" });
  for (const [name, paths] of [
    ["converted-0.6", ["second", "first"]],
    ["scene-0.6", ["a", "b"]],
  ] as const) {
    const found = as("dataset", await opened(name));
    expect(found.path).toBe(paths[0]);
    expect(await found.collection(signal)).toMatchObject({
      title: "Images",
      entries: paths.map((path) => ({ path })),
    });
  }
});

it("bioformats2raw, plates and wells lead to their images", async () => {
  const converted = as("dataset", await opened("converted"));
  expect(converted.path).toBe("0");
  expect(await converted.collection(signal)).toMatchObject({
    title: "Images",
    entries: [{ path: "0" }, { path: "1" }],
  });
  const plate = as("plate", await opened("plate"));
  expect(plate.plate.count).toBe(2);
  expect([plate.plate.pathAt([0, 0]), plate.plate.pathAt([1, 1])]).toEqual(["A/1", "B/2"]);
  const well = as("dataset", await opened("plate", "B/2"));
  expect(well.path).toBe("B/2/0");
  expect(await well.collection(signal)).toMatchObject({
    title: "Fields of view",
    entries: [{ path: "B/2/0" }, { path: "B/2/1" }],
  });
  // One of the fields still knows the others.
  const field = as("dataset", await opened("plate", "B/2/1"));
  expect((await field.collection(signal))?.title).toBe("Fields of view");
});

it("a dataset shows its first variable, decoded, with what surrounds it", async () => {
  const found = as("dataset", await opened("from-south"));
  const { dataset: sea } = found;
  expect(found.path).toBe("sst");
  expect(sea).toMatchObject({
    title: "sst",
    label: "sea surface temperature",
    unit: "K",
    geography: { kind: "degrees", vertical: 1, horizontal: 2 },
  });
  expect(placeText(sea.axes, [1, 0, 5])).toBe("time 2020-02-29 · lat 30°\u00a0S · lon 50°\u00a0E");
  const stored = await get(sea.array, [0, slice(0, 4), slice(0, 6)]);
  const { data, dtype } = sea.decode!(stored);
  expect(dtype.core).toBe("float64");
  expect(data[0]).toBeCloseTo(273.15);
  expect(data[6]).toBeCloseTo(273.15 + packed(0, 1, 0) / 100);
  expect(data[8]).toBeNaN();
  const collection = await found.collection(signal);
  expect(collection).toMatchObject({
    title: "Variables",
    entries: [
      { name: "sst", facts: { unit: "K" } },
      { name: "wind", facts: { label: "wind speed" } },
    ],
  });
  expect(collection!.others.map(({ name }) => name)).toEqual(["lat", "lon", "time"]);
});

it("a variable that does not exist is named, with those that do", async () => {
  const requested = async (name: string, target: object) => {
    const source = await groupInMemory(name);
    const found = await openTarget({ source, name, ...target }, context);
    return [found.kind === "dataset" ? found.path : found.kind, found.unusable];
  };
  expect(await requested("from-south", { variable: "nope" })).toEqual([
    "sst",
    ['variable="nope" cannot be used; expected sst, wind'],
  ]);
  expect(await requested("from-south", { variable: "wind" })).toEqual(["wind", []]);
  // Coordinates can be shown as well.
  expect(await requested("from-south", { variable: "lat" })).toEqual(["lat", []]);
  expect(await requested("from-south", {})).toEqual(["sst", []]);
  expect(await requested("pyramid", { variable: "nope" })).toEqual([
    "2/rain",
    ['variable="nope" cannot be used; expected rain, snow'],
  ]);
  expect(await requested("pyramid", { variable: "snow" })).toEqual(["2/snow", []]);
  const [, messages] = await requested("image", { variable: "a", plate: "field:1" });
  expect(messages).toEqual([
    'variable="a" cannot be used; expected none: the source has no variables',
    'plate="field:1" cannot be used; expected none: the source is not a plate',
  ]);
  expect((await requested("plate", { plate: "channel:1", path: undefined }))[1]).toEqual([]);
});

it("points and shapes opened alone say how they are shown", async () => {
  const source = new MapStore();
  await createGroup(source);
  await createGroup(source, { path: "points/tx", attributes: { "encoding-type": "ngff:points" } });
  const found = await openTarget({ source, path: "points/tx" }, context);
  expect([found.kind, found.notes]).toEqual([
    "contents",
    [
      "Points are drawn over a picture: open an image, and add the path points/tx in its panel Layers, or as <zarr-layer>.",
    ],
  ]);
});

it("a coordinate that equals its fill value is a coordinate: the map stays", async () => {
  const seaWith = async (attributes: object, fillValue: number, zarrFormat: 2 | 3) => {
    const source = new MapStore();
    await createGroup(source, { zarrFormat });
    const lengths = { lat: 3, lon: 4 };
    const dimensionNames = Object.keys(lengths);
    await create(source, { path: "t", shape: [3, 4], dtype: "float32", dimensionNames, zarrFormat });
    for (const [name, length] of Object.entries(lengths)) {
      const units = { lat: "degrees_north", lon: "degrees_east" }[name]!;
      const array = await create(source, {
        path: name,
        shape: [length],
        dtype: "float64",
        dimensionNames: [name],
        fillValue,
        zarrFormat,
        attributes: { units, ...attributes },
      });
      const values = Array.from({ length }, (_, i) => i * 10 - (name === "lat" ? 10 : 0));
      await set(array, null, Float64Array.from(values));
    }
    await consolidate(source);
    const found = as("dataset", await openTarget({ source }, context));
    const { geography, axes } = found.dataset;
    return [geography?.kind, axes[0]!.coordinates!.at(1), axes[1]!.coordinates!.at(0), found.notes];
  };
  expect(await seaWith({}, 0, 2)).toEqual(["degrees", 0, 0, []]);
  expect(await seaWith({}, 0, 3)).toEqual(["degrees", 0, 0, []]);
  const notes = ["lat", "lon"].map(
    (name) => `A coordinate of ${name} equals its fill value. Coordinates cannot be missing, so it is used.`,
  );
  expect(await seaWith({ _FillValue: 0 }, 0, 2)).toEqual(["degrees", 0, 0, notes]);
  expect(await seaWith({ missing_value: 0 }, 1, 3)).toEqual(["degrees", 0, 0, notes]);
});

it("missing coordinates are reported", async () => {
  const source = new MapStore();
  await createGroup(source);
  await create(source, { path: "t", shape: [2, 4], dtype: "float32", dimensionNames: ["y", "lon"] });
  const attributes = { units: "degrees_east", _FillValue: -999 };
  const lon = await create(source, {
    path: "lon",
    shape: [4],
    dtype: "float64",
    dimensionNames: ["lon"],
    attributes,
  });
  await consolidate(source);
  const notes = async (...values: number[]) => {
    await set(lon, null, Float64Array.from(values));
    return (await openTarget({ source }, context)).notes;
  };
  expect(await notes(0, -999, 20, -999)).toEqual(["2 coordinates of lon are missing."]);
  expect(await notes(-999, 10, 20, 30)).toEqual(["A coordinate of lon is missing."]);
  expect(await notes(0, 10, 20, 30)).toEqual([]);
});

it("north is up for both directions of latitude", async () => {
  const south = await dataset("from-south");
  const north = await dataset("from-north");
  expect(south.axes[1]).toMatchObject({ role: "latitude", goesUp: true, scale: 20, translation: -30 });
  expect(north.axes[1]).toMatchObject({ role: "latitude", goesUp: false, scale: -20, translation: 30 });
  // A part of the world: degrees of longitude are a little shorter. Here the equator is in the middle.
  expect(planeAspect(south, { axes: [1, 2] })).toBeCloseTo(-1);
  expect(planeAspect(north, { axes: [1, 2] })).toBeCloseTo(1);
  // Time and longitude have no common scale: they fill the frame.
  const [time, , lon] = north.axes.map(({ length }) => length) as [number, number, number];
  expect(planeAspect(north, { axes: [0, 2] })).toBeCloseTo((0.6 * lon) / time);
});

it("an array of a dataset has the same coordinates when it is opened by itself", async () => {
  const sea = await dataset("from-north", "sst");
  expect(sea.axes.map(({ role }) => role)).toEqual(["time", "latitude", "longitude"]);
  expect(coordinateText(sea.axes[0]!, 2)).toBe("2020-03-01");
  const time = await dataset("from-north", "time");
  expect(time.decodedKind).toBe("milliseconds");
});

it("a pyramid of groups is one dataset, finest first", async () => {
  const rain = await dataset("pyramid");
  expect(rain.levels.map(({ factor, array }) => [factor[0], array!.shape[0]])).toEqual([
    [1, 32],
    [2, 16],
    [4, 8],
  ]);
  expect(rain.axes.map(({ role, goesUp }) => [role, goesUp])).toEqual([
    ["y", true],
    ["x", false],
  ]);
});

it("other groups are trees", async () => {
  const found = as("contents", await opened("anndata"));
  expect(found.what).toBe("AnnData");
  expect(found.branch.items.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "X array",
    "obs group",
    "obsm group",
    "var group",
  ]);
  const [x, obs] = found.branch.items;
  expect(await x!.facts()).toMatchObject({ what: "array", shape: [5, 3], bytes: 60 });
  expect(await obs!.facts()).toMatchObject({ what: "dataframe" });
  expect((await obs!.branch()).items.map(({ path }) => path)).toEqual(["obs/size"]);
  const empty = await opened("empty");
  expect(empty).toMatchObject({ kind: "contents", branch: { items: [] } });
  expect(await opened("from-south", undefined, "contents")).toMatchObject({ kind: "contents" });
});

it("data that differs from its metadata is shown as its actual kind, with the reason", async () => {
  const broken = await opened("broken");
  expect(broken).toMatchObject({ kind: "contents", notes: [expect.stringContaining("axes")] });
  const missing = await opened("levels-missing");
  expect(missing).toMatchObject({ kind: "contents", notes: [expect.stringContaining("cannot be shown")] });
});

async function timeAxis(calendar: string) {
  const store = new MapStore();
  const names = (name: string) => ({ dimensionNames: [name] });
  await createGroup(store);
  const attributes = { units: "days since 2000-01-01", calendar };
  const time = await create(store, {
    path: "time",
    shape: [3],
    dtype: "float64",
    attributes,
    ...names("time"),
  });
  await set(time, null, Float64Array.of(15, 45, 75));
  await create(store, { path: "tas", shape: [3], dtype: "float32", ...names("time") });
  const found = as("dataset", await openTarget({ source: store, name: "x" }, context));
  expect(found.notes).toEqual([]);
  const { axes } = found.dataset;
  return { axes, axis: axes[0]!, at: [0, 1, 2].map((i) => axes[0]!.coordinates!.at(i)) };
}

it("times in an unknown calendar are counts, with their unit", async () => {
  const { axes, axis, at } = await timeAxis("mayan");
  expect(axis).toMatchObject({ role: "time", unit: "days since 2000-01-01 (mayan)" });
  expect(at).toEqual([15, 45, 75]);
  expect(placeText(axes, [1])).toBe("time 45 days since 2000-01-01 (mayan)");
});

it("times of a calendar without real days are its dates", async () => {
  const { axes, axis, at } = await timeAxis("360_day");
  expect([axis.role, axis.unit]).toEqual(["time", undefined]);
  expect(at).toEqual(["2000-01-16", "2000-02-16", "2000-03-16"]);
  expect(placeText(axes, [1])).toBe("time 2000-02-16");
});

it("a group that only consolidated metadata know is opened by its path", async () => {
  const store = new MapStore();
  await createGroup(store);
  await createGroup(store, { path: "a" });
  await create(store, { path: "a/b", shape: [3], dtype: "uint8" });
  await consolidate(store);
  await store.delete("/a/zarr.json");
  const found = as("contents", await openTarget({ source: store, name: "x", path: "a" }, context));
  expect(found.branch.items.map(({ path }) => path)).toEqual(["a/b"]);
  await expect(openTarget({ source: store, name: "x", path: "c" }, context)).rejects.toMatchObject({
    _tag: "NotFound",
  });
});

it.each([
  ["a.zarr", undefined, 6],
  ["a.zarr", "b", 8], // the last two are for consolidated metadata of the root
  ["a", undefined, 8], // the last two are for a file and for the server's listing of the folder
  ["a", "b", 9],
])("a URL at which nothing exists, %s with path %s, costs %i requests", async (name, path, count) => {
  const server = await new ObjectServer({}).start();
  try {
    const source = `${server.url}/${name}`;
    await expect(openTarget({ source, path }, context)).rejects.toMatchObject({ _tag: "NotFound" });
    expect(server.log).toHaveLength(count);
    expect(new Set(server.log).size).toBe(count);
  } finally {
    await server.close();
  }
});

it("a folder of stores leads to them", async () => {
  const store = new MapStore();
  for (const name of ["plain", "image"])
    for (const [key, bytes] of await keysOf(await groupInMemory(name)))
      await store.set(`/sub/${name}${key}`, bytes);
  const several = as("contents", await openTarget({ source: store, name: "folder" }, context));
  expect(several.branch.items.map(({ path }) => path)).toEqual(["sub/image", "sub/plain"]);
  await expect(openTarget({ source: new MapStore(), name: "nothing" }, context)).rejects.toMatchObject({
    _tag: "NotFound",
  });
});

async function keysOf(store: MapStore): Promise<[string, Uint8Array][]> {
  const entries: [string, Uint8Array][] = [];
  for await (const key of store.list("")) entries.push([key, (await store.get(key))!]);
  return entries;
}

it("addresses are read as the source that they point to, with a sentence about it", () => {
  expect(resolveTarget({ source: "s3://bucket/a.zarr/0" })).toMatchObject({
    target: { source: "https://bucket.s3.amazonaws.com/a.zarr", path: "0" },
    note: expect.stringContaining("opened as https://bucket"),
  });
  expect(resolveTarget({ source: "/stores/a", path: "b" })).toEqual({
    target: { source: "/stores/a", path: "b" },
    note: undefined,
  });
  expect(() => resolveTarget({ source: "ftp://example.org/a" })).toThrow(RefusedAddress);
});

it("units are written as people write them", () => {
  const units = ["m s-1", "kg m-2 s-1", "degC", "W m**-2", "micrometer", "1e-3 m", "m2", "percent"];
  expect(units.map(unitText)).toEqual([
    "m s⁻¹",
    "kg m⁻² s⁻¹",
    "°C",
    "W m**-2",
    "µm",
    "1e-3 m",
    "m²",
    "percent",
  ]);
});

it("dates are as short as they can be", () => {
  const at = (text: string) => dateText(Date.parse(text));
  expect(at("2020-02-29T00:00:00Z")).toBe("2020-02-29");
  expect(at("2020-02-29T06:30:00Z")).toBe("2020-02-29 06:30");
  expect(at("2020-02-29T06:30:15Z")).toBe("2020-02-29 06:30:15");
  expect(dateText(Number.NaN)).toBe("no time");
});

it("the matrix of a volume comes from an affine transformation of OME-Zarr 0.6", async () => {
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space" as const, unit: "micrometer" }));
  const rows = [
    [1, 0, 0.5, 9],
    [0, 2, 0, 9],
    [0, 0, 1, 9],
  ];
  const affineOf = async (systemAxes: readonly object[], affine: readonly (readonly number[])[]) => {
    const store = new MapStore();
    await writeMultiscale(store, { data: new Uint8Array(24), shape: [2, 3, 4] }, { axes, levels: 1 });
    const group = await open(store, { kind: "group" });
    const [path] = multiscales(group)[0]!.levels.map((level) => level.path);
    const [input, output] = [{ name: "physical" }, { name: "world" }];
    const scale = { type: "scale", scale: [1, 1, 1], input: { path }, output: input };
    const image = {
      coordinateSystems: [
        { name: "physical", axes },
        { name: "world", axes: systemAxes },
      ],
      datasets: [{ path, coordinateTransformations: [scale] }],
      coordinateTransformations: [{ type: "affine", affine, input, output }],
    };
    await updateAttributes(group, { ome: { version: "0.6", multiscales: [image] } });
    const found = as("dataset", await openTarget({ source: store, name: "volume" }, context));
    return found.dataset.affine;
  };
  const plain = rows.map((row) => row.slice(0, 3));
  expect(await affineOf(axes, rows)).toEqual(plain);
  expect(await affineOf([...axes].reverse(), [...rows].reverse())).toEqual(plain);
  const scales = rows.map((row, i) => row.map((value, k) => (k === i ? value : 0)));
  expect(await affineOf(axes, scales)).toBeUndefined();
  const others = axes.map(({ name, ...axis }) => ({ ...axis, name: `${name}2` }));
  expect(await affineOf(others, rows)).toBeUndefined();
});

it("a volume has the proportions of its scales, and a stretched third axis", async () => {
  const store = new MapStore();
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space" as const, unit: "micrometer" }));
  const image = { data: new Uint8Array(4 * 6 * 8), shape: [4, 6, 8] };
  await writeMultiscale(store, image, { axes, scale: [2, 0.5, 0.5], levels: 1 });
  const found = as("dataset", await openTarget({ source: store, name: "volume" }, context));
  const space = (exaggeration: number) =>
    volumeSpace(found.dataset, [0, 1, 2], { exaggeration, places: "auto" });
  expect(space(1)).toEqual({ extent: [8, 6, 4], spacing: [1, 1, 4] });
  expect(space(2.5).spacing).toEqual([1, 1, 10]);
  expect(space(0.125).spacing).toEqual([2, 2, 1]);
});
