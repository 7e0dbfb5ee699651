// Zarr v2 documents that numcodecs and zarr-python accept beyond the specification: options outside their range, chunks
// of length 0.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { append, get, resize, set } from "zarr-wasm";
import { errorOf, openArray } from "../support/support.js";
import { bytesLittle, v2Store, v3Store } from "../support/zarr-writer.js";

const elements = Int32Array.from({ length: 12 }, (_, i) => i * i);
const fields = { shape: [3, 4], chunks: [3, 4], dtype: "<i4", fill_value: 0 };

describe("options that numcodecs accepts", () => {
  it.each([
    { id: "gzip", level: -1 },
    { id: "zlib", level: -1 },
    { id: "lz4", acceleration: 0 },
    { id: "lz4", acceleration: -5 },
    { id: "lz4", acceleration: 100_000 },
    { id: "zstd", level: 50 },
    { id: "zstd", level: -1_000_000 },
    { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: -1 },
  ])("%o reads and writes", async (compressor) => {
    const array = await openArray(v2Store({ ...fields, compressor }));
    await set(array, null, elements);
    expect((await get(array)).data).toEqual(elements);
  });

  it.each([0, -1])("shuffle with elementsize %i does nothing", async (elementsize) => {
    const store = v2Store({ ...fields, filters: [{ id: "shuffle", elementsize }], compressor: null });
    const array = await openArray(store);
    await set(array, null, elements);
    expect(await store.get("/0.0")).toEqual(new Uint8Array(elements.buffer));
    expect((await get(array)).data).toEqual(elements);
  });

  it("gzip of n5-zarr reads", async () => {
    const store = v2Store({ ...fields, compressor: { id: "gzip", level: -1 } });
    await store.set("/0.0", gzipSync(new Uint8Array(elements.buffer)));
    expect((await get(await openArray(store))).data).toEqual(elements);
  });

  it.each([
    { id: "gzip", level: -2 },
    { id: "gzip", level: 10 },
    { id: "lz4", acceleration: 2 ** 31 },
    { id: "lz4", acceleration: 0.5 },
  ])("but not %o", async (compressor) => {
    const error = await errorOf(() => openArray(v2Store({ ...fields, compressor })));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-configuration"]);
  });
});

it("v3 accepts them only in codecs named after numcodecs", async () => {
  const withCodec = (name: string) =>
    openArray(v3Store({ codecs: [bytesLittle, { name, configuration: { level: -1 } }] }));
  expect((await errorOf(() => withCodec("gzip"))).code).toBe("bad-configuration");
  expect((await get(await withCodec("numcodecs.gzip"))).shape).toEqual([4, 6]);
});

describe("chunks of length 0", () => {
  const empty = { ...fields, shape: [0, 3], chunks: [0, 3], compressor: null };

  it("on axes of length 0 have length 1", async () => {
    const array = await openArray(v2Store(empty));
    expect([array.shape, array.chunkShape]).toEqual([
      [0, 3],
      [1, 3],
    ]);
    expect((await get(array)).data).toEqual(new Int32Array(0));
  });

  it("on other axes are rejected, also by appending", async () => {
    const other = await errorOf(() => openArray(v2Store({ ...empty, chunks: [0, 0] })));
    expect([other._tag, other.code]).toEqual(["InvalidMetadata", "invalid-metadata"]);
    expect(other.message).toContain("axis 1, which has length 3");
    const store = v2Store(empty);
    const before = await store.get("/.zarray");
    const array = await openArray(store);
    for (const work of [() => append(array, new Int32Array(3)), () => resize(array, [5, 3])])
      expect((await errorOf(work))._tag).toBe("InvalidArgument");
    expect(await store.get("/.zarray")).toEqual(before);
  });
});
