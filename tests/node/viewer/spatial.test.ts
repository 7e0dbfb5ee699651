// Layers of SpatialData as its writers make them: coordinate systems, indexes of data frames, tables of several elements.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { create, createGroup, MapStore, open, set } from "zarr-wasm";
import { openLayerContent } from "#src/viewer/source/added-layer.js";
import { frameRows, readColumn } from "#src/viewer/source/columns.js";
import type { Dataset } from "#src/viewer/source/dataset.js";
import { featureTable } from "#src/viewer/source/feature-table.js";
import type { FeatureColumn, Features } from "#src/viewer/source/features.js";
import { placeLayer } from "#src/viewer/source/layer-place.js";
import { groupAt } from "#src/viewer/source/nodes.js";
import { toPicture } from "#src/viewer/source/spaces.js";
import { parquetFile as featuresOfFile } from "#src/viewer/source/spatial.js";
import { spatialSystems } from "#src/viewer/source/spatial-transform.js";
import { root } from "../../shared/places.js";
import { skipFor } from "../../shared/skips.js";
import { polygonWkb } from "../../shared/wkb.js";
import { bytesColumn, longColumn, numberColumn, parquetFile } from "../support/parquet-writer.js";

const { signal } = new AbortController();
const axes = (...names: string[]) => names.map((name) => ({ name, type: "space" }));
const step = (type: string, more: object, names = ["x", "y"], output = "global") => ({
  type,
  ...more,
  input: { name: names.join(""), axes: axes(...names) },
  output: { name: output, axes: axes(...names) },
});
const picture = (list: readonly unknown[] = [], names = ["y", "x"]): Dataset =>
  ({
    axes: names.map((name) => ({ name, role: name, length: 64 })),
    spaces: { systems: spatialSystems(list, names), isFromEdge: true },
  }) as unknown as Dataset;
const spaces = (list: readonly unknown[], names: readonly string[]) => ({
  systems: spatialSystems(list, names),
  isFromEdge: true,
});

describe("coordinate systems", () => {
  it("are those that the picture and the layer share: the picture's transformation counts as well", () => {
    const scaled = picture([step("scale", { scale: [0.5, 0.25] }, ["y", "x"])]);
    const list = [step("identity", {}), step("scale", { scale: [9, 9] }, ["x", "y"], "other")];
    expect(toPicture(scaled, spaces(list, ["x", "y"]), ["x", "y"])).toEqual([4, 0, 0, 2, 0, 0]);
    const other = picture([step("translation", { translation: [3, 4] }, ["y", "x"], "other")]);
    expect(toPicture(other, spaces(list, ["x", "y"]), ["x", "y"])).toEqual([9, 0, 0, 9, -4, -3]);
    expect(toPicture(picture(), spaces(list, ["x", "y"]), ["x", "y"])).toBeUndefined();
  });

  it("have transformations of all kinds, by the names of axes", () => {
    const affine = [
      [1, 0, 0, 0],
      [0, 2, 3, 5],
      [0, 7, 11, 13],
    ];
    const of = (one: object, names: readonly string[]) => spatialSystems([one], names).get("global");
    expect(of(step("affine", { affine }, ["c", "y", "x"]), ["c", "y", "x"])).toEqual(affine);
    // Rows of x and y for an element of y and x.
    expect(
      of(
        step("affine", {
          affine: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        }),
        ["y", "x"],
      ),
    ).toEqual([
      [5, 4, 6],
      [2, 1, 3],
    ]);
    expect(of(step("mapAxis", { map_axis: { x: "y", y: "x" } }), ["x", "y"])).toEqual([
      [0, 1, 0],
      [1, 0, 0],
    ]);
    const transformations = [
      step("scale", { scale: [2, 3] }),
      { type: "translation", translation: [10, 20] },
    ];
    expect(of(step("sequence", { transformations }), ["x", "y"])).toEqual([
      [2, 0, 10],
      [0, 3, 20],
    ]);
    for (const wrong of [
      step("scale", { scale: [1] }),
      step("scale", { scale: [1, "2"] }),
      step("affine", {
        affine: [
          [1, 0],
          [0, 1],
        ],
      }),
      step("affine", { affine: 3 }),
      step("mapAxis", { map_axis: { x: "z" } }),
      step("sequence", { transformations: 3 }),
      step("displacements", {}),
    ])
      expect(of(wrong, ["x", "y"])).toBeInstanceOf(Error);
    let deep: object = step("identity", {});
    for (let i = 0; i < 40; i++) deep = step("sequence", { transformations: [deep] });
    expect(of(deep, ["x", "y"])).toBeInstanceOf(Error);
  });

  it("that turn a layer out of the plane, or have no inverse, are refused", () => {
    const names = ["z", "y", "x"];
    const tilted = [
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [0, 0, 1, 0],
    ];
    const layer = (one: object) => spaces([one], names);
    expect(() => toPicture(picture(), layer(step("affine", { affine: tilted }, names)), names)).toThrow(
      "out of the plane",
    );
    const flat = layer(step("scale", { scale: [1, 0, 1] }, names));
    expect(() => toPicture(picture(), flat, names)).toThrow("no inverse");
    const broken = layer(step("scale", { scale: [1] }, names));
    expect(() => toPicture(picture(), broken, names)).toThrow("no valid scale");
  });

  it("place upright images by levels, and others by a matrix from edge to edge", () => {
    const level = { factor: [1, 1], origin: [0, 0], array: {}, open: async () => {} };
    const layer = (list: readonly unknown[]) => ({ ...picture(list), levels: [level] }) as unknown as Dataset;
    const image = picture([step("scale", { scale: [2, 2] }, ["y", "x"])]);
    const none = { scale: null, translation: [0, 0] } as const;
    const upright = placeLayer(image, layer([step("scale", { scale: [8, 4] }, ["y", "x"])]), none);
    expect(upright.turn).toBeUndefined();
    expect(upright.bounds).toEqual([
      [0, 256],
      [0, 128],
    ]);
    const affine = [
      [0, -4, 10],
      [4, 0, 20],
    ];
    const turned = placeLayer(image, layer([step("affine", { affine }, ["y", "x"])]), {
      scale: [1, 3],
      translation: [2, 6],
    });
    // y = −4 column + 10 is −2 column + 5 of the picture, then shifted by 2; x = 4 row + 20 is 2 row + 10, then × 3, and shifted by 6.
    expect(turned.turn).toEqual({ matrix: [0, -2, 6, 0, 36, 7], down: 0, across: 1 });
    expect(turned.bounds).toEqual([
      [0, 64],
      [0, 64],
    ]);
  });
});

const square = polygonWkb([
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 0],
]);
const geometry = (name: string, count: number) => bytesColumn(name, Array(count).fill(square));
const pandas = (index: unknown) => ({ pandas: JSON.stringify({ index_columns: [index] }) });

describe("indexes of data frames", () => {
  const numbers = (column: FeatureColumn | undefined) =>
    column?.kind === "numbers" ? [...column.values] : column;

  it("are columns with or without a name, ranges, or none", async () => {
    const index = async (columns: Parameters<typeof parquetFile>[1], metadata = {}) =>
      (await featuresOfFile(parquetFile(2, [geometry("geometry", 2), ...columns], 2, metadata))).index;
    expect(numbers(await index([longColumn("__index_level_0__", [7, 9])]))).toEqual([7, 9]);
    expect(numbers(await index([longColumn("cell", [3, 2])], pandas("cell")))).toEqual([3, 2]);
    expect(numbers(await index([], pandas({ kind: "range", start: 5, stop: 9, step: 2 })))).toEqual([5, 7]);
    const names = bytesColumn("cell", [Buffer.from("a"), Buffer.from("b")]);
    expect(await index([names], pandas("cell"))).toMatchObject({ kind: "categories", names: ["a", "b"] });
    expect(await index([])).toBeUndefined();
    expect(await index([], { pandas: "{", geo: "[" })).toBeUndefined();
  });

  it("are not shown without a name, and geometries may have any name", async () => {
    const metadata = { geo: JSON.stringify({ primary_column: "outline" }) };
    const columns = [geometry("outline", 1), longColumn("__index_level_0__", [1]), numberColumn("area", [2])];
    const features = await featuresOfFile(parquetFile(1, columns, 1, metadata));
    expect(features.columns).toEqual(["area"]);
    expect(features.text(0)).toBe("area: 2");
    expect(features.paths.features).toHaveLength(1);
  });

  it("points without finite coordinates are omitted; the others keep their rows", async () => {
    const columns = [numberColumn("x", [1, Number.NaN, 3]), numberColumn("y", [1, 2, 3])];
    const { points, leftOut, count } = await featuresOfFile(parquetFile(3, columns));
    expect({ leftOut, count, rows: [...points.features] }).toEqual({ leftOut: 1, count: 3, rows: [0, 2] });
  });
});

/** A store with a table of two regions, in which instances repeat. */
async function tables(): Promise<MapStore> {
  const store = new MapStore();
  const group = (at: string, attributes: object) =>
    createGroup(store, { path: at, zarrFormat: 3, attributes: attributes as never });
  const array = async (at: string, dtype: string, values: ArrayLike<unknown>) => {
    const shape = [values.length];
    const made = await create(store, {
      path: at,
      shape,
      chunkShape: shape,
      dtype: dtype as "int8",
      zarrFormat: 3,
    });
    await set(made, null, values as never);
  };
  await group("", { spatialdata_attrs: { version: "0.2" } });
  const links = { region: ["a", "b"], region_key: "region", instance_key: "id" };
  await group("tables/t", { "encoding-type": "anndata", ...links });
  await group("tables/t/obs", { "encoding-type": "dataframe", _index: "_index", "column-order": ["region"] });
  await array("tables/t/obs/_index", "string", ["w", "x", "y", "z"]);
  await array("tables/t/obs/id", "int32", Int32Array.of(1, 2, 1, 3));
  await group("tables/t/obs/region", { "encoding-type": "categorical" });
  await array("tables/t/obs/region/codes", "int8", Int8Array.of(0, 0, 1, -1));
  await array("tables/t/obs/region/categories", "string", ["a", "b"]);
  // A nullable integer as index, nullable strings as categories, a mask over everything.
  await group("frame", { "encoding-type": "dataframe", _index: "n", "column-order": ["c", "old", "fixed"] });
  await group("frame/n", { "encoding-type": "nullable-integer" });
  await array("frame/n/values", "int64", BigInt64Array.of(4n, 5n, 6n));
  await array("frame/n/mask", "bool", Uint8Array.of(0, 1, 0));
  await group("frame/c", { "encoding-type": "categorical" });
  await array("frame/c/codes", "int8", Int8Array.of(1, -1, 0));
  await group("frame/c/categories", { "encoding-type": "nullable-string-array" });
  await array("frame/c/categories/values", "string", ["p", "q"]);
  await array("frame/c/categories/mask", "bool", Uint8Array.of(0, 0));
  return store;
}

describe("tables of several elements", () => {
  it("link each by its own rows, which element and identifier name", async () => {
    const store = await tables();
    for (const [name, expected] of [
      ["a", [1, 0]],
      ["b", [-1, 0]],
    ] as const) {
      await createGroup(store, { path: `shapes/${name}`, zarrFormat: 3 });
      const group = await open(store, { path: `shapes/${name}`, kind: "group" });
      const index: FeatureColumn = { kind: "numbers", values: Float64Array.of(2, 1) };
      const link = await featureTable(group, { index, count: 2 } as Features, signal);
      expect([...link!.rows]).toEqual(expected);
      expect(link!.observations.id(0)).toBe(`${name}:1`);
    }
    await createGroup(store, { path: "shapes/c", zarrFormat: 3 });
    const other = await open(store, { path: "shapes/c", kind: "group" });
    expect(await featureTable(other, { count: 2 } as Features, signal)).toBeUndefined();
  });

  it("have columns of nullable and categorical kinds, with missing values", async () => {
    const frame = (await groupAt(await tables(), "frame", 3, signal))!;
    expect(await frameRows(frame, signal)).toBe(3);
    expect(await readColumn(frame, "n", 3, signal)).toEqual({
      kind: "numbers",
      values: Float64Array.of(4, Number.NaN, 6),
    });
    expect(await readColumn(frame, "c", 3, signal)).toEqual({
      kind: "categories",
      codes: Int32Array.of(1, -1, 0),
      names: ["p", "q"],
    });
  });
});

// Public samples beside the checkout.
const real = path.join(root, "../shared/fixtures/real");
const noSamples = existsSync(real) ? undefined : "there are no public samples beside the checkout";
describe("a store of spatialdata 0.7", skipFor(noSamples), () => {
  const layer = async (at: string) => {
    const url = pathToFileURL(path.join(real, "vitessce-spatialdata-0.7/blobs.sdata.zarr/"));
    const { store } = await open(url);
    return openLayerContent({ source: store, path: at, kind: "auto" }, picture(), signal);
  };

  it("has points with an index, labels and images", async () => {
    const points = await layer("points/blobs_points");
    if (points.kind !== "features") throw new Error("expected points");
    const { features } = points;
    expect(features.count).toBe(6);
    expect(features.columns).toEqual(["x", "y", "genes", "instance_id"]);
    expect(features.text(0)).toBe("x: 20, y: 72, genes: gene_a, instance_id: 8");
    expect(features.index).toMatchObject({ kind: "numbers" });
    expect(await layer("labels/blobs_multiscale_labels")).toMatchObject({ kind: "image" });
    expect(await layer("images/blobs_image")).toMatchObject({ kind: "image" });
    await expect(layer("tables/table")).rejects.toThrow("it has no positions obsm/spatial");
  });
});

describe("a table of anndata 0.7", skipFor(noSamples), () => {
  it("has categories beside its columns", async () => {
    const { store } = await open(pathToFileURL(path.join(real, "anndata-0.7.8/adata.zarr.zip")));
    const obs = (await groupAt(store, "obs", 2, signal))!;
    const rows = await frameRows(obs, signal);
    expect(rows).toBe(30);
    const column = await readColumn(obs, "obs_cat", rows!, signal);
    if (column?.kind !== "categories") throw new Error("expected categories");
    expect(column.names.slice(0, 4)).toEqual(["A", "B", "E", "F"]);
    expect([...column.codes.slice(0, 4)]).toEqual([13, 0, 9, 1]);
  });
});
