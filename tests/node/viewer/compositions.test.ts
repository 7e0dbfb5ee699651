// Groups that open as compositions: AnnData, MuData, SpatialData, and pyramids without metadata.
import { describe, expect, it } from "vitest";
import { create, createGroup, MapStore, type Store } from "zarr-wasm";
import { arrayFacts, resolveState } from "#src/viewer/model/state.js";
import { openTarget } from "#src/viewer/source/open.js";
import { annData, array, frame, group } from "../../shared/anndata.js";

const context = { signal: new AbortController().signal, onWarning: () => {} };
const opened = (source: MapStore, more = {}) => openTarget({ source, ...more }, context);
const empty = () => new MapStore(new Map());

async function cells(target: MapStore, at: string, embeddings: readonly string[]): Promise<void> {
  const below = (name: string) => (at === "" ? name : `${at}/${name}`);
  await annData(target, at);
  await frame(target, below("obs"), {
    _index: ["a", "b", "c"],
    count: Int32Array.of(1, 2, 3),
    sample: { categories: ["one"], codes: Int8Array.of(0, 0, 0) },
    type: { categories: ["x", "y"], codes: Int8Array.of(0, 1, -1) },
  });
  await group(target, below("obsm"), { "encoding-type": "dict" });
  for (const name of embeddings)
    await array(target, below(`obsm/${name}`), [3, 2], Float32Array.of(0, 0, 1, 2, 3, 4));
}

describe("compositions", () => {
  it("of AnnData are the preferred embedding, by the first column with categories", async () => {
    for (const [names, first] of [
      [["X_pca", "X_umap", "a"], "X_umap"],
      [["X_pca", "X_tsne"], "X_tsne"],
      [["a", "spatial"], "spatial"],
      [["a", "b"], "a"],
    ] as const) {
      const target = empty();
      await cells(target, "", names);
      const found = await opened(target);
      if (found.kind !== "dataset") throw new Error(found.kind);
      expect(found.path).toBe(`obsm/${first}`);
      const state = (wanted = {}) => resolveState(arrayFacts(found.dataset), wanted);
      expect(state().by).toBe("type");
      expect(state({ by: "" }).by).toBe("");
      expect((await found.collection(context.signal))?.entries).toHaveLength(names.length);
      const contents = await opened(target, { as: "contents" });
      expect(contents).toMatchObject({ kind: "contents", embeddings: expect.any(Function) });
    }
    const none = empty();
    await cells(none, "", []);
    expect((await opened(none)).kind).toBe("contents");
  });

  it("of MuData belong to the first modality with an embedding", async () => {
    const target = empty();
    await group(target, "", { "encoding-type": "MuData" });
    await group(target, "mod", { "mod-order": ["missing", "rna", "atac"] });
    await cells(target, "mod/atac", ["X_umap"]);
    await cells(target, "mod/rna", ["X_pca"]);
    expect(await opened(target)).toMatchObject({ kind: "dataset", path: "mod/rna/obsm/X_pca" });
  });

  it("of SpatialData have the elements of the first image's first coordinate system", async () => {
    const target = empty();
    const step = (name: string) => ({ type: "identity", input: { name: "xy" }, output: { name } });
    const raster = async (path: string, systems: readonly string[]) => {
      const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
      const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }];
      const multiscales = [{ axes, datasets, coordinateTransformations: systems.map(step) }];
      await group(target, path, { ome: { version: "0.5", multiscales } });
      await array(
        target,
        `${path}/0`,
        [4, 4],
        Int32Array.from({ length: 16 }, (_, i) => i),
      );
    };
    await createGroup(target, { zarrFormat: 3, attributes: { spatialdata_attrs: { version: "0.2" } } });
    for (const folder of ["images", "labels", "shapes"]) await group(target, folder, {});
    await raster("images/a", ["slide", "global"]);
    await raster("images/b", ["slide"]);
    await raster("labels/cells", ["global", "slide"]);
    await raster("labels/other", ["elsewhere"]);
    await raster("labels/second", ["slide"]);
    const attributes = { "encoding-type": "ngff:shapes", axes: ["x", "y"] };
    await group(target, "shapes/outlines", { ...attributes, coordinateTransformations: [step("slide")] });
    const found = await opened(target);
    if (found.kind !== "dataset") throw new Error(found.kind);
    expect(found.path).toBe("images/a");
    const { layers } = resolveState(arrayFacts(found.dataset), {});
    expect(layers.map(({ path, kind, isOn, isOutline }) => [path, kind, isOn, isOutline])).toEqual([
      ["images/b", "image", false, false],
      ["labels/cells", "labels", true, true],
      ["labels/second", "labels", false, true],
      ["shapes/outlines", "shapes", true, false],
    ]);
    expect(layers.every(({ source }) => source === target)).toBe(true);
    expect(resolveState(arrayFacts(found.dataset), { layers: [] }).layers).toEqual([]);
    expect((await opened(target, { as: "contents" })).kind).toBe("contents");
  });

  describe("of SpatialData on servers that do not list", () => {
    const attributes = { "encoding-type": "anndata", region: ["cells"], region_key: "r", instance_key: "i" };

    async function container(zarrFormat: 2 | 3): Promise<MapStore> {
      const target = empty();
      const make = (path: string, attributes: object) =>
        createGroup(target, { path, zarrFormat, attributes: attributes as never });
      await make("", { spatialdata_attrs: { version: "0.2" } });
      for (const folder of ["images", "labels", "tables"]) await make(folder, {});
      const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
      const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }];
      const multiscales = [{ axes, datasets, version: "0.4" }];
      for (const path of ["images/slide one", "labels/cells"]) {
        await make(path, zarrFormat === 2 ? { multiscales } : { ome: { version: "0.5", multiscales } });
        await create(target, { path: `${path}/0`, shape: [4, 4], dtype: "int32", zarrFormat });
      }
      await make("tables/table", attributes);
      return target;
    }

    /** The objects of a store, without a listing; the requested keys. */
    function unlisted(store: MapStore, more: Readonly<Record<string, string>> = {}) {
      const asked: string[] = [];
      const source: Store = {
        get(key, options) {
          asked.push(key);
          const own = more[key.slice(1)];
          return own === undefined ? store.get(key, options) : new TextEncoder().encode(own);
        },
      };
      return { source, asked };
    }

    it("have the elements that the tables annotate", async () => {
      for (const format of [2, 3] as const) {
        const { source, asked } = unlisted(await container(format));
        const found = await openTarget({ source }, context);
        expect(found).toMatchObject({ kind: "dataset", path: "labels/cells" });
        expect(asked.length).toBeLessThan(120);
      }
    });

    it("have those of consolidated metadata without a dot in the name", async () => {
      const metadata = {
        "images/slide one/.zattrs": {},
        "images/slide one/0/.zarray": {},
        "x/y": {},
        "images/.zgroup": {},
      };
      const { source } = unlisted(await container(2), { zmetadata: JSON.stringify({ metadata }) });
      const found = await openTarget({ source }, context);
      expect(found).toMatchObject({ kind: "dataset", path: "images/slide one" });
    });

    it("are trees with an explanation if nothing names an element", async () => {
      for (const document of ["{", "[]", '{"metadata":3}', '{"metadata":{"images/../.zattrs":{}}}']) {
        const store = await container(2);
        await createGroup(store, { path: "tables/table", zarrFormat: 2, overwrite: true });
        const { source } = unlisted(store, { zmetadata: document });
        const found = await openTarget({ source }, context);
        expect(found.kind).toBe("contents");
        expect(found.notes.join(" ")).toContain("write_consolidated_metadata");
      }
    });
  });

  it("of numbered arrays of halving lengths are pyramids; others are not", async () => {
    const made = async (shapes: Readonly<Record<string, readonly number[]>>) => {
      const target = empty();
      await group(target, "", {});
      for (const [name, shape] of Object.entries(shapes))
        await array(target, name, shape, new Int32Array(shape.reduce((a, b) => a * b)));
      return opened(target);
    };
    const levels = async (shapes: Parameters<typeof made>[0]) => {
      const found = await made(shapes);
      return found.kind === "dataset" ? found.dataset.levels.map(({ factor }) => factor) : [];
    };
    expect(await levels({ 0: [2, 9, 8], 1: [2, 5, 4], 2: [2, 2, 2] })).toEqual([
      [1, 1, 1],
      [1, 9 / 5, 2],
      [1, 9 / 2, 4],
    ]);
    expect(await levels({ s1: [4, 4], s0: [8, 8] })).toHaveLength(2);
    for (const shapes of [
      { 0: [8, 8], 2: [4, 4] },
      { 0: [8, 8], 1: [8, 8] },
      { 0: [8, 8], 1: [4, 3] },
      { 0: [8, 8], 1: [4, 4], other: [2, 2] },
      { 0: [8, 8], 1: [4, 4, 1] },
    ])
      expect((await made(shapes as Parameters<typeof made>[0])).kind).toBe("contents");
  });
});
