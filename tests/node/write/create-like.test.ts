// Nodes modelled on others, in the same version and in other versions.
import { describe, expect, it } from "vitest";
import { create, createGroup, deleteNode, get, open } from "zarr-wasm";
import { bytesOf, errorOf, openArray, v1Store } from "../support/support.js";
import { files, jsonIn, textIn } from "../support/writing-tools.js";

describe("create like another array", () => {
  it("names the part that a version cannot hold, whatever the codecs", async () => {
    const text = await create(files(), { shape: [2], dtype: "string" });
    for (const codecs of [undefined, "none", "zlib"] as const) {
      const error = await errorOf(() => create(files(), { like: text, zarrFormat: 1, codecs }));
      expect(error._tag).toBe("Unsupported");
    }
    const error = await errorOf(() =>
      create(files(), { shape: [2], dtype: "string", zarrFormat: 1, codecs: "none" }),
    );
    expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-dtype"]);
  });

  it("in one byte order, if v3 cannot express the byte orders of both fields and codecs", async () => {
    const mixed = await create(files(), {
      shape: [2],
      dtype: [
        ["a", ">i2"],
        ["b", "<i4"],
      ],
      zarrFormat: 2,
    });
    expect((await errorOf(() => create(files(), { like: mixed, zarrFormat: 3 })))._tag).toBe("Unsupported");
    const array = await create(files(), { like: mixed, zarrFormat: 3, codecs: "none" });
    expect(array.codecs).toEqual([{ name: "bytes", configuration: { endian: "little" } }]);
  });

  it("in C order, if an array of v1 was read in the order of its writer", async () => {
    const store = v1Store({ order: "F", shape: [2, 3], chunks: [2, 3], dtype: "|u1" });
    store.set("/0.0", Uint8Array.of(1, 2, 3, 4, 5, 6));
    const like = await openArray(store, { v1Order: "writer" });
    const copy = files();
    await create(copy, { like });
    copy.set("/0.0", store.get("/0.0")!);
    expect((await get(await openArray(copy))).data).toEqual((await get(like)).data);
  });

  it("in another order", async () => {
    const like = await create(files(), { shape: [2, 3], dtype: "int8", order: "F", codecs: "none" });
    const names = async (options: object) =>
      (await create(files(), { like, ...options })).codecs.map(({ name }) => name);
    expect(await names({})).toEqual(["transpose", "bytes"]);
    expect(await names({ order: "C" })).toEqual(["bytes"]);
    expect(await names({ order: "F" })).toEqual(["transpose", "bytes"]);
    expect(await names({ chunkShape: [1, 1] })).toEqual(["transpose", "bytes"]);
  });

  it("keeps everything that the options do not change, exactly, in its version and in others", async () => {
    const store = files();
    const source = await create(store, {
      path: "a",
      shape: [6, 8],
      chunkShape: [2, 4],
      dtype: ">f4",
      fillValue: 1.5,
      codecs: "blosc:zstd:2",
      dimensionNames: ["y", "x"],
      attributes: { a: 1 },
      zarrFormat: 2,
    });
    const attributes = textIn(store, "/a/.zattrs").replace('"a": 1', '"a": 1.50, "10": NaN, "b": 1e400');
    store.set("/a/.zattrs", bytesOf(attributes));
    const copies = files();
    await create(copies, { like: source });
    expect(jsonIn(copies, "/.zarray")).toEqual(jsonIn(store, "/a/.zarray"));
    expect(textIn(copies, "/.zattrs").replace(/\s/g, "")).toBe(attributes.replace(/\s/g, ""));
    const v3 = await create(copies, { like: source, path: "v3", zarrFormat: 3, overwrite: true }).catch(
      (error) => error,
    );
    expect(v3.code).toBe("parent-is-array");
    const other = files();
    const like = await create(other, { like: source, zarrFormat: 3, chunkShape: [3, 4], shardShape: [6, 8] });
    expect([like.chunkShape, like.shardShape, like.fillValue, like.dimensionNames]).toEqual([
      [3, 4],
      [6, 8],
      1.5,
      ["y", "x"],
    ]);
    expect(textIn(other, "/zarr.json")).toMatch(/"a": 1\.50,\s*"10": NaN,\s*"b": 1e400/);
    expect(textIn(other, "/zarr.json")).toContain('"endian": "big"');
    const back = await create(files(), {
      like,
      zarrFormat: 1,
      shardShape: null,
      codecs: "zlib:1",
      shape: [4, 4],
    });
    expect([back.zarrFormat, back.shape, back.codecs.map(({ name }) => name)]).toEqual([
      1,
      [4, 4],
      ["bytes", "zlib"],
    ]);
    const error = await errorOf(() => create(files(), { like, zarrFormat: 2 }));
    expect([error._tag, error.message]).toEqual(["Unsupported", expect.stringContaining("sharding_indexed")]);
    for (const wrong of [
      { like: {} },
      { like, dtype: "int8" },
      { like, codecs: "best" },
      { like, shape: [1] },
    ])
      expect((await errorOf(() => create(files(), wrong as never)))._tag).toMatch(
        /InvalidArgument|UnknownCodec/,
      );
    await deleteNode(store, "a");
    expect((await errorOf(() => create(files(), { like: source })))._tag).toBe("NotFound");
  });

  it("takes v1's order F as the array was opened with it", async () => {
    const store = files();
    await create(store, { shape: [4, 6], chunkShape: [2, 3], dtype: "int8", zarrFormat: 1, codecs: "zlib" });
    store.set("/meta", bytesOf(textIn(store, "/meta").replace('"C"', '"F"')));
    const names = async (v1Order: "spec" | "writer") => {
      const like = await open(store, { kind: "array", v1Order });
      return (await create(files(), { like, zarrFormat: 3 })).codecs.map(({ name }) => name);
    };
    expect(await names("spec")).toEqual(["transpose", "bytes", "numcodecs.zlib"]);
    expect(await names("writer")).toEqual(["bytes", "numcodecs.zlib"]);
  });

  it("makes groups with another one's attributes", async () => {
    const store = new Map([
      ["/.zgroup", bytesOf('{"zarr_format": 2}')],
      ["/.zattrs", bytesOf('{"a": 1.0, "b": Infinity}')],
    ]);
    const like = await open(store, { kind: "group" });
    const copy = files();
    expect((await createGroup(copy, { like, zarrFormat: 3 })).attributes).toEqual({ a: 1, b: Infinity });
    expect(textIn(copy, "/zarr.json")).toMatch(/"a": 1\.0,\s*"b": Infinity/);
    expect((await createGroup(files(), { like })).zarrFormat).toBe(2);
    expect((await createGroup(files(), { like, attributes: {} })).attributes).toEqual({});
  });
});
