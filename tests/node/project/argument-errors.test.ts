// Arguments of the wrong type: one-sentence typed errors, from conventions, reads of regions and options of stores.
import { describe, expect, it } from "vitest";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";

const values = [null, undefined, 5, "x", true, {}, [], () => 1, Symbol("s"), 10n, new Map()];

const group = await zarr.createGroup(new Map());
const array = await zarr.create(group, { path: "a", shape: [4], dtype: "int16", dimensionNames: ["x"] });
const region = await zarr.get(array);
const url = "http://127.0.0.1:9/";

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
