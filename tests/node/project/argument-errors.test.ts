// Arguments of the wrong type: one-sentence typed errors, from conventions, reads of regions and options of stores.
import { describe, expect, it } from "vitest";
import * as library from "zarr-wasm";
import { PersistentCache } from "zarr-wasm/cache";
import { createCodecChain } from "zarr-wasm/codecs";
import * as conventions from "zarr-wasm/conventions";
import * as formats from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { copy } from "zarr-wasm/transfer";
import { errorOf } from "../support/support.js";

const zarr = { ...library, ...conventions, ...formats };
const values = [null, undefined, 5, "x", true, {}, [], () => 1, Symbol("s"), 10n, new Map()];

const group = await zarr.createGroup(new Map());
const array = await zarr.create(group, { path: "a", shape: [4], dtype: "int16", dimensionNames: ["x"] });
const region = await zarr.get(array);
const url = "http://127.0.0.1:9/";
const map = { levels: [] } as never;

type Call = (value: never) => unknown;
const calls: Record<string, [string, Call][]> = {
  "OME-Zarr": [
    ["isMultiscales", zarr.isMultiscales],
    ["multiscales", zarr.multiscales],
    ["labelPaths", zarr.labelPaths],
    ["its options", (v) => zarr.labelPaths(group, v)],
    ["wellPaths", zarr.wellPaths],
    ["fieldPaths", zarr.fieldPaths],
    ["channelAxis", zarr.channelAxis],
  ],
  xarray: [
    ["dimensionsOf", zarr.dimensionsOf],
    ["the group of coordinatesOf", (v) => zarr.coordinatesOf(v, array)],
    ["its array", (v) => zarr.coordinatesOf(group, v)],
    ["its options", (v) => zarr.coordinatesOf(group, array, v)],
  ],
  CF: [
    ["the array", (v) => zarr.decodeCF(v, region)],
    ["the region", (v) => zarr.decodeCF(array, v)],
    ["options", (v) => zarr.decodeCF(array, region, v)],
    ["times", (v) => zarr.decodeCF(array, region, { times: v })],
  ],
  regions: [
    ["strings", zarr.strings],
    ["the region of a field", (v) => zarr.field(v, "x")],
    ["its name", (v) => zarr.field(region, v)],
    ["packStrings", (v) => zarr.packStrings(v, [])],
  ],
  "open options": [["open, virtual", (v) => zarr.open(new Map(), { virtual: v as never })]],
  "options of stores": [
    ["HttpStore", (v) => new zarr.HttpStore(url, v)],
    ["WritableHttpStore", (v) => new zarr.WritableHttpStore(url, v)],
    ["ZipStore", (v) => new zarr.ZipStore(`${url}a.zip`, v)],
    ["ZipWriter", (v) => new zarr.ZipWriter(() => {}, v)],
    ["ReferenceStore", (v) => new zarr.ReferenceStore({}, v)],
    ["ReferenceStore.open", (v) => zarr.ReferenceStore.open({ store: new Map(), key: "/x" } as never, v)],
    ["FileSystemStore", (v) => new FileSystemStore("/tmp", v)],
    ["WorkerPool", (v) => new zarr.WorkerPool(v)],
  ],
};

describe("unknown options", () => {
  type Options = (options: never) => unknown;
  const store = new Map();
  const folder = (options: never) => new FileSystemStore("/tmp", options);
  it.each<[name: string, call: Options]>([
    ["get", (o) => zarr.get(array, null, o)],
    ["getBytes", (o) => zarr.getBytes(array, null, o)],
    ["getChunk", (o) => zarr.getChunk(array, [0], o)],
    ["chunks", (o) => array.chunks(null, o).next()],
    ["fetchChunk", (o) => array.fetchChunk([0], o)],
    ["open", (o) => zarr.open(group.store, o)],
    ["ZarrGroup.open", (o) => group.open("a", o)],
    ["members", (o) => group.members(o)],
    ["set", (o) => zarr.set(array, null, 1, o)],
    ["setChunk", (o) => zarr.setChunk(array, [0], new Int16Array(4), o)],
    ["append", (o) => zarr.append(array, new Int16Array(1), 0, o)],
    ["resize", (o) => zarr.resize(array, [3], o)],
    ["updateAttributes", (o) => zarr.updateAttributes(array, {}, o)],
    ["deleteNode", (o) => zarr.deleteNode(group.store, "/", o)],
    ["consolidate", (o) => zarr.consolidate(group, o)],
    ["create", (o) => zarr.create(store, { ...(o as object), shape: [1], dtype: "int8" })],
    ["sel", (o) => zarr.sel(array, {}, o)],
    ["decodeCF", (o) => zarr.decodeCF(array, region, o)],
    ["georeference", (o) => zarr.georeference(group, o)],
    ["readSparse", (o) => zarr.readSparse(group, o)],
    ["tileAt", (o) => zarr.tileAt(map, [0, 0, 0], o)],
    ["tileParts", (o) => zarr.tileParts(map, [0, 0, 0], o)],
    [
      "createCodecChain",
      (o) => createCodecChain({ ...(o as object), dtype: "int8", shape: [1], codecs: [] }),
    ],
    ["IcechunkStore.open", (o) => zarr.IcechunkStore.open(url, o)],
    ["copy", (o) => copy(array, store, o)],
    ["PersistentCache", (o) => new PersistentCache(o)],
    ...calls["options of stores"]!.map(([name, call]): [string, Options] => [name, call]),
    ["FileSystemStore", folder],
  ])("of %s are refused", async (_, call) => {
    const error = await errorOf(async () => call({ dryRun: true } as never));
    expect(error).toMatchObject({ _tag: "InvalidArgument" });
    expect(error.message).toContain('unknown option "dryRun"');
  });

  it("that other functions of one program need are ignored", async () => {
    const shared = { signal: undefined, pool: undefined, concurrency: 2, onProgress: () => {}, cache: true };
    await zarr.set(array, [0], 7, shared);
    expect((await array.getChunk([0], shared as never)).data[0]).toBe(7);
    await zarr.updateAttributes(array, {}, shared as never);
  });
});

describe("FileSystemStore", () => {
  it.each([undefined, 3, ""])("refuses %o as its folder", (root) => {
    expect(() => new FileSystemStore(root as never)).toThrow("the folder must be a path or a file URL");
  });
  it("refuses URLs, and names the function for them", () => {
    for (const root of ["http://example.org/x", new URL("https://example.org/x")])
      expect(() => new FileSystemStore(root)).toThrow("pass the URL to open(), or to HttpStore");
  });
});

describe.each(Object.entries(calls))("%s", (_, list) => {
  it.each(list)("%s", async (_name, call) => {
    for (const value of values) {
      try {
        await call(value as never);
      } catch (error) {
        expect(zarr.isZarrError(error), `${String(value)}: ${error}`).toBe(true);
      }
    }
  });

  it.each(list)("%s reports null in a readable message", async (_name, call) => {
    const error = await Promise.resolve()
      .then(() => call(null as never))
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ _tag: "InvalidArgument" });
  });
});
