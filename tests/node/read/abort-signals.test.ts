// An invalid signal is the same error in every call that accepts a signal.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import * as library from "zarr-wasm";
import * as conventions from "zarr-wasm/conventions";
import * as formats from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { repository } from "../support/icechunk-repository.js";
import { errorOf } from "../support/support.js";

const zarr = { ...library, ...conventions, ...formats };
const all = new Map<string, Uint8Array>();
const group = await zarr.createGroup(all);
const line = { shape: [4], dtype: "float64" as const, chunkShape: [2], dimensionNames: ["x"] };
const array = await zarr.create(all, { ...line, path: "x" });
await zarr.set(array, null, Float64Array.of(1, 2, 3, 4));
const image = await zarr.writeMultiscale(
  group,
  { data: new Uint8Array(64), shape: [8, 8] },
  { path: "image" },
);
const map = await zarr.create(all, {
  path: "map",
  shape: [4, 4],
  dtype: "uint8",
  dimensionNames: ["y", "x"],
  attributes: { "spatial:transform": [1, 0, 0, 0, -1, 4], "proj:code": "EPSG:3857" },
});
const sparse = await zarr.createGroup(all, {
  path: "sparse",
  attributes: { "encoding-type": "csr_matrix", shape: [2, 3] },
});
for (const [name, values] of Object.entries({ indptr: [0, 1, 1], indices: [2], data: [5] })) {
  const part = await zarr.create(sparse, { path: name, shape: [values.length], dtype: "int32" });
  await zarr.set(part, null, Int32Array.from(values));
}
const icechunk = await zarr.IcechunkStore.open(repository());
const folder = mkdtempSync(path.join(tmpdir(), "signals-"));
writeFileSync(path.join(folder, "a"), "abc");
afterAll(() => rmSync(folder, { recursive: true }));
const part = { offset: 0, length: 1 };
const reference = await zarr.georeference(map);

const pixels = { data: new Uint8Array(64), shape: [8, 8] };
const newest = await zarr.writeMultiscale(group, pixels, { path: "image6", omeVersion: "0.6rc0" });
const graph = await zarr.coordinateGraph(newest);

const first = async (items: AsyncIterable<unknown>) => {
  for await (const item of items) return item;
  return undefined;
};

type Options = { signal: AbortSignal };

/** Every function of the package that accepts a signal. */
const calls: Record<string, (options: Options) => unknown> = {
  open: (options) => zarr.open(all, options),
  get: (options) => zarr.get(array, null, options),
  getBytes: (options) => zarr.getBytes(array, null, options),
  "ZarrArray.getChunk": (options) => array.getChunk([0], options),
  "ZarrArray.chunks": (options) => first(array.chunks(null, options)),
  "ZarrArray.fetchChunk": (options) => array.fetchChunk([0], options),
  "ZarrGroup.open": (options) => group.open("x", options),
  "ZarrGroup.members": (options) => group.members(options),
  "ZarrGroup.walk": (options) => first(group.walk(options)),
  create: (options) => zarr.create(new Map(), { ...line, ...options }),
  createGroup: (options) => zarr.createGroup(new Map(), options),
  set: (options) => zarr.set(array, null, 1, options),
  setChunk: (options) => zarr.setChunk(array, [0], 1, options),
  append: (options) => zarr.append(array, Float64Array.of(5), 0, options),
  resize: (options) => zarr.resize(array, [4], options),
  updateAttributes: (options) => zarr.updateAttributes(array, {}, options),
  consolidate: (options) => zarr.consolidate(all, options),
  deleteNode: (options) => zarr.deleteNode(all, "nothing", options),
  writeMultiscale: (options) =>
    zarr.writeMultiscale(new Map(), { data: new Uint8Array(64), shape: [8, 8] }, options),
  labelPaths: (options) => zarr.labelPaths(image, options),
  coordinateGraph: (options) => zarr.coordinateGraph(newest, options),
  "CoordinateGraph.between": (options) => {
    const [space] = graph.spaces;
    return graph.between(space!, space!, options);
  },
  "OmeLevel.open": (options) => zarr.multiscales(image)[0]!.levels[0]!.open(options),
  coordinatesOf: (options) => zarr.coordinatesOf(group, array, options),
  sel: (options) => zarr.sel(group, { x: 1 }, options),
  readSparse: (options) => zarr.readSparse(sparse, options),
  georeference: (options) => zarr.georeference(map, options),
  "GeoLevel.open": (options) => reference.levels[0].open(undefined, options),
  readRange: (options) => zarr.readRange(all, "/x/zarr.json", part, options),
  "IcechunkStore.open": (options) => zarr.IcechunkStore.open(repository(), options),
  "IcechunkStore.get": (options) => icechunk.get("/zarr.json", options),
  "IcechunkStore.getRange": (options) => icechunk.getRange("/zarr.json", part, options),
  "IcechunkStore.branches": (options) => icechunk.branches(options),
  "IcechunkStore.tags": (options) => icechunk.tags(options),
  "IcechunkStore.history": (options) => first(icechunk.history(options)),
  "HttpStore.get": (options) => new zarr.HttpStore("http://127.0.0.1:9/").get("/a", options),
  "HttpStore.getRange": (options) => new zarr.HttpStore("http://127.0.0.1:9/").getRange("/a", part, options),
  "ReferenceStore.get": (options) => new zarr.ReferenceStore({ a: "text" }).get("/a", options),
  "ReferenceStore.getRange": (options) =>
    new zarr.ReferenceStore({ a: "text" }).getRange("/a", part, options),
  "FileSystemStore.get": (options) => new FileSystemStore(folder).get("/a", options),
  "FileSystemStore.getRange": (options) => new FileSystemStore(folder).getRange("/a", part, options),
};

it.each(Object.entries(calls))("%s", async (_, call) => {
  for (const signal of [5, "now", {}, { aborted: false }]) {
    const error = await errorOf(() => call({ signal: signal as never }));
    expect([error._tag, error.code]).toEqual(["InvalidArgument", "invalid-argument"]);
    expect(error.message).toMatch(/signal must be an AbortSignal, not /);
  }
  const reason = new Error("enough");
  expect(await errorOf(() => call({ signal: AbortSignal.abort(reason) }))).toBe(reason);
});

const reads = ["open", "get", "ZarrArray.getChunk", "ZarrGroup.open", "ZarrGroup.members", "coordinatesOf"];
it.each(reads)("twelve parallel calls of %s share a signal without a warning", async (name) => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 12 }, () => calls[name]!({ signal })));
  await new Promise(setImmediate);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
