/** Reference systems and affine transformations of arrays, in the order in which attributes count. */
import { expect, it } from "vitest";
import { create, createGroup, open } from "zarr-wasm";
import { arrayDataset, variableDataset } from "#src/viewer/source/arrays.js";

type Attributes = Readonly<Record<string, never>>;

async function datasetOf(own: object, group: object, mapping?: object) {
  const store = new Map<string, Uint8Array>();
  await createGroup(store, { attributes: group as Attributes });
  const shape = { shape: [4, 6], chunkShape: [4, 6], dtype: "uint8", codecs: [] } as const;
  const attributes = (mapping ? { ...own, grid_mapping: "crs" } : own) as Attributes;
  await create(store, { path: "t", ...shape, dimensionNames: ["y", "x"], attributes });
  const crs = { shape: [], dtype: "int8", codecs: [], attributes: mapping as Attributes } as const;
  if (mapping) await create(store, { path: "crs", ...crs });
  for (const path of ["y", "x"]) await create(store, { path, shape: [], dtype: "int8", codecs: [] });
  const root = await open(store, { kind: "group" });
  const array = await root.open("t", { kind: "array" });
  return { variable: await variableDataset(array, root, "t"), plain: await arrayDataset(array, "t") };
}

const matrix = (scale: number, shear = 0) => [scale, shear, 1000, 0, -scale, 5000];
const scalesOf = ({ axes }: { axes: readonly { scale?: number | undefined }[] }) =>
  axes.map(({ scale }) => scale);

it("the transformation of a grid mapping precedes that of the array, and this that of the group", async () => {
  const own = { "spatial:transform": matrix(20) };
  const group = { "spatial:transform": matrix(30) };
  const mapping = { GeoTransform: "1000 10 0 5000 0 -10", crs_wkt: 'PROJCRS["a system",BASE["b"]]' };
  const all = await datasetOf(own, group, mapping);
  expect(scalesOf(all.variable)).toEqual([-10, 10]);
  expect(all.variable.geography).toMatchObject({ kind: "projected", crs: "a system" });
  expect(all.variable.axes.map(({ translation }) => translation)).toEqual([4995, 1005]);
  expect(scalesOf(all.plain)).toEqual([-20, 20]);
  expect(all.plain.geography?.crs).toBeUndefined();
  const two = await datasetOf(own, { ...group, "proj:code": "EPSG:32633" });
  expect(scalesOf(two.variable)).toEqual([-20, 20]);
  expect(two.variable.geography).toMatchObject({ crs: "EPSG:32633", vertical: 0, horizontal: 1 });
  expect((await two.variable.geography!.converter!.load()).forward(15, 0)?.[0]).toBeCloseTo(500_000, 3);
  const last = await datasetOf({}, group);
  expect(scalesOf(last.variable)).toEqual([-30, 30]);
  expect(scalesOf(last.plain)).toEqual([undefined, undefined]);
  expect(last.plain.geography).toBeUndefined();
});

it("turned grids have positions instead of axes, if their system is stated", async () => {
  const own = { "spatial:transform": matrix(20, 3) };
  const { variable } = await datasetOf(own, { "proj:code": "EPSG:32633" });
  expect(scalesOf(variable)).toEqual([undefined, undefined]);
  expect(variable.geography).toBeUndefined();
  await variable.positions!.read();
  expect(variable.positions!.known!.longitudes).toHaveLength(24);
  expect((await datasetOf(own, {})).variable.positions).toBeUndefined();
});

it.each([["1 2 3"], ["1 a 0 0 0 1"], [7], [[]]])(
  "other transformations have no effect: %j",
  async (GeoTransform) => {
    const { variable } = await datasetOf({ "spatial:transform": GeoTransform }, {}, { GeoTransform });
    expect(scalesOf(variable)).toEqual([undefined, undefined]);
    expect([variable.geography, variable.positions]).toEqual([undefined, undefined]);
  },
);
