// Zarr v1 metadata: the values that each key accepts, and the errors for others.
import { describe, expect, it } from "vitest";
import { field, get, strings, type ZarrWarning } from "zarr-wasm";
import { bytesOf, errorOf, openArray, v1Store } from "../support/support.js";

const openWith = (fields: Record<string, unknown>, options = {}) => openArray(v1Store(fields), options);

describe("Zarr v1 metadata", () => {
  it("opens with its properties", async () => {
    const store = v1Store({
      dtype: ">i2",
      fill_value: 7,
      order: "F",
      compression: "zlib",
      compression_opts: 1,
    });
    store.set("/attrs", bytesOf('{"units": "m", "n": 9007199254740993}'));
    const array = await openArray(store);
    expect(array.kind).toBe("array");
    expect(array.zarrFormat).toBe(1);
    expect(array.shape).toEqual([4, 6]);
    expect(array.chunkShape).toEqual([2, 3]);
    expect(array.shardShape).toBeUndefined();
    expect(String(array.dtype)).toBe("int16");
    expect(array.fillValue).toBe(7);
    expect(array.attributes).toEqual({ units: "m", n: 9007199254740993n });
    expect(array.codecs).toEqual([
      { name: "transpose", configuration: { order: [1, 0] } },
      { name: "bytes", configuration: { endian: "big" } },
      { name: "zlib", configuration: { level: 1 } },
    ]);
    expect(array.chunkKey([1, 0])).toBe("/1.0");
  });

  it.each([
    ["zarr_format", 2],
    ["zarr_format", "1"],
    ["zarr_format", null],
    ["compression", "lz5"],
    ["compression", 5],
    ["compression", "bytes"],
    ["compression", "__proto__"],
  ])("names the wrong key: %s = %j", async (key, value) => {
    const error = await errorOf(() => openWith({ [key]: value }));
    expect(error._tag).toMatch(/^(InvalidMetadata|UnknownCodec|Unsupported)$/);
    expect(error.message).toContain(key);
  });

  it("lists the known compressors for an unknown one", async () => {
    const error = await errorOf(() => openWith({ compression: "lz5" }));
    expect([error._tag, error.codec]).toEqual(["UnknownCodec", "lz5"]);
    expect(error.message).toMatch(/"lz5".*none, zlib, gzip, blosc, bz2, lzma/);
  });

  it.each([
    ["zlib", 9],
    ["zlib", "9"],
    ["zlib", null],
    ["bz2", 9],
    ["blosc", { cname: "lz4", clevel: 5, shuffle: 1 }],
    ["blosc", { cname: "zstd", clevel: 1, shuffle: -1 }],
    ["blosc", null],
    ["lzma", { format: 1, check: 0, preset: null, filters: null }],
    ["none", null],
    [null, null],
    ["none", {}],
  ])("accepts compression %j with options %j", async (compression, compression_opts) => {
    await expect(openWith({ compression, compression_opts })).resolves.toBeDefined();
  });

  it.each([
    ["zlib", 10],
    ["zlib", "fast"],
    ["zlib", [1]],
    ["bz2", 0],
    ["blosc", { cname: "lz5" }],
    ["blosc", { cname: "lz4", clevel: 11 }],
    ["blosc", { cname: "lz4", shuffle: 3 }],
    ["lzma", { format: 4 }],
  ])("refuses compression %j with options %j", async (compression, compression_opts) => {
    const error = await errorOf(() => openWith({ compression, compression_opts }));
    expect(error._tag).toBe("InvalidMetadata");
    expect(error.codec).toBe(compression);
  });

  it.each([
    ["none", 5],
    ["none", { level: 1 }],
    [null, "x"],
    ["zlib", -1],
    ["zlib", { cname: "lz4" }],
    ["zlib", true],
    ["zlib", 1.5],
    ["bz2", { level: 0 }],
    ["blosc", "fast"],
    ["blosc", 10],
    ["blosc", [5]],
    ["lzma", 5],
    ["lzma", "5"],
  ])("refuses compression %j with options %j that mean nothing", async (compression, compression_opts) => {
    const error = await errorOf(() => openWith({ compression, compression_opts }));
    expect([error._tag, error.codec]).toEqual(["InvalidMetadata", compression ?? "none"]);
  });

  it.each([
    [5, { clevel: 5 }],
    [{ level: 5 }, { clevel: 5 }],
    [
      { clevel: 3, level: 5, cname: "lz4", more: 1 },
      { clevel: 3, cname: "lz4", more: 1 },
    ],
    [null, {}],
  ])("takes Blosc's options %j for %j", async (compression_opts, configuration) => {
    const array = await openWith({ compression: "blosc", compression_opts });
    expect(array.codecs[1]).toEqual({ name: "blosc", configuration });
  });

  it.each([
    ["|S12", "test", "test"],
    ["|S12", "none", "none"],
    ["|S12", "null", "null"],
    ["|S12", "data", "data"],
    ["|S12", "0000", "0000"],
    ["|S12", "ca==", "ca=="],
    ["|S12", "", ""],
    ["|S2", "é", "é"],
    ["|V4", "test", "test"],
    ["|V4", "ab", "ab"],
  ])("%s has the fill value %j as it is written", async (dtype, fill_value, text) => {
    const array = await openWith({ dtype, fill_value });
    const width = array.dtype.itemBytes;
    const expected = new Uint8Array(24 * width);
    for (let i = 0; i < 24; i++) expected.set(bytesOf(text), i * width);
    expect((await get(array)).data).toEqual(expected);
  });

  it("has fill values of Unicode strings and of structured types as they are written", async () => {
    const names = await openWith({ dtype: ">U4", fill_value: "test" });
    expect(new Set(strings(await get<Uint8Array>(names)))).toEqual(new Set(["test"]));
    const dtype = [
      ["a", "|S4"],
      ["b", ">i2"],
      ["c", [["d", "|V2"]]],
    ];
    for (const fill_value of [["data", 258, [[1, 2]]], { a: "data", b: 258, c: { d: [1, 2] } }]) {
      const array = await openWith({ dtype, fill_value, shape: [1], chunks: [1] });
      expect([...((await get(array)).data as Uint8Array)]).toEqual([...bytesOf("data"), 2, 1, 1, 2]);
    }
    for (const fill_value of ["ZGF0YQECAQI=", ["data", 258], ["data", 258, [[1]]], [0, 0, 0, 0]])
      expect((await errorOf(() => openWith({ dtype, fill_value })))?.code).toBe("bad-fill-value");
    expect((await errorOf(() => openWith({ dtype: "|S3", fill_value: "test" })))?.code).toBe(
      "bad-fill-value",
    );
    expect((await errorOf(() => openWith({ dtype: "<c8", fill_value: "AACAPwAAAEA=" })))?.code).toBe(
      "bad-fill-value",
    );
  });

  it("opens NumPy's aligned structs, and times without a unit", async () => {
    const store = v1Store({
      dtype: [
        ["a", "|u1"],
        ["", "|V3"],
        ["b", "<i4"],
      ],
      shape: [2],
      chunks: [2],
      fill_value: null,
    });
    store.set("/0", Uint8Array.of(1, 9, 9, 9, 5, 0, 0, 0, 2, 8, 8, 8, 6, 0, 0, 0));
    const region = await get<Uint8Array>(await openArray(store));
    expect([...field(region, "b").data]).toEqual([5, 6]);
    expect([...field(region, "f1").data]).toEqual([9, 9, 9, 8, 8, 8]);
    const times = await openWith({ dtype: "<M8", fill_value: 7 });
    expect([times.dtype.name, times.dtype.unit, times.fillValue]).toEqual([
      "numpy.datetime64",
      "generic",
      7n,
    ]);
    expect((await errorOf(() => openWith({ dtype: "<i08" })))._tag).toBe("InvalidMetadata");
  });

  it("ignores keys that it does not know", async () => {
    await expect(openWith({ something: { else: [1] }, constructor: 1 })).resolves.toBeDefined();
  });

  it("refuses attributes that are not an object, tolerates that they are missing", async () => {
    const store = v1Store();
    store.set("/attrs", bytesOf("[1]"));
    expect((await errorOf(() => openArray(store))).message).toContain("attrs");
    store.delete("/attrs");
    const warnings: ZarrWarning[] = [];
    const array = await openArray(store, { onWarning: (warning) => warnings.push(warning) });
    expect(array.attributes).toEqual({});
    expect(warnings.map((w) => w.code)).toEqual(["missing-attrs"]);
  });

  it("reports a missing node, and names the key", async () => {
    const error = await errorOf(() => openArray(new Map(), { path: "a/b" }));
    expect(error._tag).toBe("NotFound");
    expect(error.message).toContain("/a/b/meta");
  });

  it("opens below a path, and keeps paths inside the store", async () => {
    const store = new Map([...v1Store()].map(([key, value]) => [`/deep/down${key}`, value]));
    expect((await openArray(store, { path: "/deep//down/" })).path).toBe("deep/down");
    for (const path of ["../deep", "deep/./down", "a\\..\\b", "a\0b"]) {
      expect((await errorOf(() => openArray(store, { path })))._tag, path).toBe("InvalidArgument");
    }
  });

  it("warns about F order with a compressor that zarr-python 1.x wrote in C order, once", async () => {
    const warnings = async (fields: Record<string, unknown>, options = {}) => {
      const seen: string[] = [];
      await openWith(fields, { onWarning: (w: ZarrWarning) => seen.push(w.code), ...options });
      return seen;
    };
    expect(await warnings({ order: "F" })).toEqual(["v1-order"]);
    expect(await warnings({ order: "F" }, { v1Order: "writer" })).toEqual([]);
    expect(await warnings({ order: "F", compression: "blosc" })).toEqual([]);
    expect(await warnings({ order: "F", shape: [4], chunks: [2] })).toEqual([]);
    expect(await warnings({ order: "C" })).toEqual([]);
  });

  it("rejects limits that do not exist", async () => {
    for (const limits of [{ chunkBytes: -1 }, { nonsense: 1 }])
      expect((await errorOf(() => openWith({}, { limits })))._tag).toBe("InvalidArgument");
  });

  it("opens an array with a grid of 10^12 chunks as quickly as any", async () => {
    const array = await openWith({ shape: [10 ** 12], chunks: [1], fill_value: 3 });
    expect([
      ...((await get(array, [{ start: 10 ** 12 - 2, stop: null, step: null }])).data as Int32Array),
    ]).toEqual([3, 3]);
  });

  it("has a 0-d array under the key 0", async () => {
    const store = v1Store({ shape: [], chunks: [], order: "C" });
    store.set("/0", Uint8Array.of(5, 0, 0, 0));
    const array = await openArray(store);
    const region = await get(array);
    expect([[...region.shape], [...(region.data as Int32Array)]]).toEqual([[], [5]]);
  });
});
