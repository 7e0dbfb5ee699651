// The options of create, and the resulting documents.
import { describe, expect, it } from "vitest";
import { type CreateOptions, create, createGroup, DType, open } from "zarr-wasm";
import { errorOf } from "../support/support.js";
import { files, jsonIn, small, textIn, versions } from "../support/writing-tools.js";

describe("create", () => {
  it("writes all eight keys of v1, and the byte order into its data type", async () => {
    const store = files();
    await create(store, {
      shape: [4, 4],
      dtype: ">i4",
      order: "F",
      zarrFormat: 1,
      chunkShape: [2, 3],
      codecs: "blosc:zstd:3",
    });
    expect(jsonIn(store, "/meta")).toEqual({
      zarr_format: 1,
      shape: [4, 4],
      chunks: [2, 3],
      dtype: ">i4",
      compression: "blosc",
      compression_opts: { cname: "zstd", clevel: 3, shuffle: 1 },
      fill_value: 0,
      order: "F",
    });
    expect(jsonIn(store, "/attrs")).toEqual({});
    const error = await errorOf(() =>
      create(files(), { ...small, order: "F", codecs: "zlib", zarrFormat: 1 }),
    );
    expect([error._tag, error.code]).toEqual(["Unsupported", "not-in-version"]);
  });

  it("writes permutations, plain names and whole configurations into v3", async () => {
    const store = files();
    await create(store, {
      path: "a/b",
      shape: [8, 8, 8],
      dtype: "<u2",
      order: "F",
      chunkShape: [2, 2, 2],
      shardShape: [4, 4, 8],
      codecs: ["zstd:5", "crc32c"],
      dimensionNames: ["z", null, "x"],
      chunkKeyEncoding: { separator: "." },
    });
    expect(jsonIn(store, "/zarr.json")).toEqual({ zarr_format: 3, node_type: "group", attributes: {} });
    expect(jsonIn(store, "/a/zarr.json")).toEqual({ zarr_format: 3, node_type: "group", attributes: {} });
    const little = { name: "bytes", configuration: { endian: "little" } };
    expect(jsonIn(store, "/a/b/zarr.json")).toEqual({
      zarr_format: 3,
      node_type: "array",
      shape: [8, 8, 8],
      data_type: "uint16",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [4, 4, 8] } },
      chunk_key_encoding: { name: "default", configuration: { separator: "." } },
      fill_value: 0,
      codecs: [
        {
          name: "sharding_indexed",
          configuration: {
            chunk_shape: [2, 2, 2],
            codecs: [
              { name: "transpose", configuration: { order: [2, 1, 0] } },
              little,
              { name: "zstd", configuration: { level: 5, checksum: false } },
              { name: "crc32c" },
            ],
            index_codecs: [little, { name: "crc32c" }],
            index_location: "end",
          },
        },
      ],
      attributes: {},
      dimension_names: ["z", null, "x"],
      storage_transformers: [],
    });
  });

  it("takes codecs in many forms", async () => {
    const cases: [CreateOptions["codecs"], string, unknown][] = [
      ["none", "", undefined],
      [[], "", undefined],
      ["zstd", "zstd", { level: 0, checksum: false }],
      ["blosc:9", "blosc", { cname: "lz4", clevel: 9, shuffle: "shuffle", typesize: 4, blocksize: 0 }],
      [
        "blosc:zstd:1:bitshuffle",
        "blosc",
        { cname: "zstd", clevel: 1, shuffle: "bitshuffle", typesize: 4, blocksize: 0 },
      ],
      ["lz4:3", "numcodecs.lz4", { acceleration: 3 }],
      [{ name: "gzip", configuration: { level: 2 } }, "gzip", { level: 2 }],
      [["bytes", "numcodecs.zlib"], "numcodecs.zlib", { level: 6 }],
      [["delta", "zlib:2"], "numcodecs.zlib", { level: 2 }],
    ];
    for (const [codecs, name, configuration] of cases) {
      const array = await create(files(), { ...small, codecs });
      const last = array.codecs.at(-1)!;
      if (name === "") expect(array.codecs.map((codec) => codec.name)).toEqual(["bytes"]);
      else expect([last.name, last.configuration]).toEqual([name, configuration]);
    }
    for (const [dtype, codec, configuration] of [
      ["<f4", "bytes", { endian: "little" }],
      [">f4", { name: "bytes" }, { endian: "big" }],
      ["uint8", "bytes", undefined],
    ] as const)
      expect((await create(files(), { ...small, fillValue: 0, dtype, codecs: [codec] })).codecs).toEqual([
        { name: "bytes", configuration },
      ]);
    const delta = await create(files(), { ...small, codecs: ["delta", "zlib:2"] });
    expect(delta.codecs.map((codec) => codec.name)).toEqual(["numcodecs.delta", "bytes", "numcodecs.zlib"]);
    expect(delta.codecs[0]!.configuration).toEqual({ dtype: "<f4" });
  });

  it("takes shards through an explicit codec: index at the start, without checksums", async () => {
    const little = { name: "bytes", configuration: { endian: "little" } };
    const sharding = {
      name: "sharding_indexed",
      configuration: {
        codecs: [little, { name: "zstd", configuration: {} }],
        index_codecs: [little],
        index_location: "start",
      },
    };
    const array = await create(files(), {
      ...small,
      chunkShape: [2, 5],
      shardShape: [4, 10],
      codecs: sharding,
    });
    expect([array.chunkShape, array.shardShape]).toEqual([
      [2, 5],
      [4, 10],
    ]);
    expect(array.codecs[0]!.configuration).toMatchObject({ index_location: "start", index_codecs: [little] });
    expect((await errorOf(() => create(files(), { ...small, codecs: sharding })))._tag).toBe(
      "InvalidArgument",
    );
    expect(
      (await errorOf(() => create(files(), { ...small, zarrFormat: 2, shardShape: [4, 10] })))._tag,
    ).toBe("Unsupported");
  });

  it("accepts fill values in common forms", async () => {
    const time = { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } };
    const struct = {
      name: "struct",
      configuration: {
        fields: [
          { name: "a", data_type: "int8" },
          { name: "b", data_type: "float32" },
        ],
      },
    };
    const cases: [CreateOptions["dtype"], unknown, unknown][] = [
      ["float32", Number.NaN, "NaN"],
      ["float64", Number.NEGATIVE_INFINITY, "-Infinity"],
      ["float64", -0, -0],
      ["float32", "0x7fc00001", "0x7fc00001"],
      ["float32", 0.1, 0.1],
      ["int64", 2n ** 62n, undefined],
      ["bool", true, true],
      ["complex64", [1, Number.NaN], [1, "NaN"]],
      ["complex64", 2, [2, 0]],
      ["|S4", "abcd", "YWJjZA=="],
      ["<U3", "é", "é"],
      ["r16", Uint8Array.of(1, 2), [1, 2]],
      [time, "NaT", "NaT"],
      [struct, { a: 1, b: Number.NaN }, { a: 1, b: "NaN" }],
      ["string", "none", "none"],
      ["bytes", Uint8Array.of(255), "/w=="],
    ];
    for (const [dtype, fillValue, written] of cases) {
      const store = files();
      const array = await create(store, { shape: [2], dtype, fillValue: fillValue as never });
      const document = jsonIn(store, "/zarr.json");
      if (written === undefined) expect(textIn(store, "/zarr.json")).toContain(`"fill_value": ${fillValue}`);
      else expect(document.fill_value).toEqual(written);
      expect((await open(store, { kind: "array" })).fillValue).toEqual(array.fillValue);
    }
    for (const dtype of [
      "float16",
      "uint64",
      "bool",
      "string",
      "bytes",
      "complex128",
      time,
      struct,
      "r24",
    ] as const) {
      for (const zarrFormat of versions) {
        const made = create(files(), { shape: [2], dtype, zarrFormat });
        if (zarrFormat === 1 && /string|bytes/.test(String(dtype)))
          expect((await errorOf(() => made))._tag).toBe("Unsupported");
        else expect((await made).shape).toEqual([2]);
      }
    }
    expect((await create(files(), { ...small, zarrFormat: 2, fillValue: null })).fillValue).toBe(null);
    expect((await errorOf(() => create(files(), { ...small, fillValue: null })))._tag).toBe(
      "InvalidArgument",
    );
  });

  it("chooses chunks of about 1 MiB", async () => {
    const chunks = async (
      shape: number[],
      dtype: CreateOptions["dtype"],
      more: Partial<CreateOptions> = {},
    ) => (await create(files(), { shape, dtype, ...more })).chunkShape;
    expect(await chunks([10_000, 10_000], "float32")).toEqual([512, 512]);
    expect(await chunks([1000, 1000, 1000], "uint16")).toEqual([64, 64, 128]);
    expect(await chunks([3, 4000, 4000], "uint8")).toEqual([3, 512, 512]);
    expect(await chunks([100], "float64")).toEqual([100]);
    expect(await chunks([0, 512, 512], "uint16")).toEqual([2, 512, 512]);
    expect(await chunks([0], "float64")).toEqual([131072]);
    expect(await chunks([], "float64")).toEqual([]);
    expect(await chunks([1_000_000], "string")).toEqual([65536]);
    expect(await chunks([5000, 5000], "float32", { shardShape: [1000, 1500] })).toEqual([500, 500]);
  });

  it("makes objects and mixed byte orders in v2 only", async () => {
    const store = files();
    const array = await create(store, {
      shape: [3],
      dtype: "|O",
      codecs: ["vlen-utf8", "zlib"],
      zarrFormat: 2,
    });
    expect(String(array.dtype)).toBe("string");
    expect(jsonIn(store, "/.zarray")).toMatchObject({
      dtype: "|O",
      filters: [{ id: "vlen-utf8" }],
      compressor: { id: "zlib" },
    });
    const mixed = await create(files(), {
      shape: [3],
      dtype: [
        ["a", "<i2"],
        ["b", ">f4"],
      ],
      zarrFormat: 2,
    });
    expect(mixed.dtype).toEqual(
      DType.struct([
        { name: "a", dtype: DType.simple("int16") },
        { name: "b", dtype: DType.simple("float32") },
      ]),
    );
    const error = await errorOf(() =>
      create(files(), {
        shape: [3],
        dtype: [
          ["a", "<i2"],
          ["b", ">f4"],
        ],
      }),
    );
    expect(error._tag).toBe("Unsupported");
  });

  it("makes the missing groups of a path, and changes no existing one", async () => {
    for (const zarrFormat of [2, 3] as const) {
      const store = files();
      await createGroup(store, { attributes: { root: 1 }, zarrFormat });
      await create(store, { ...small, path: "/a//b/c/", zarrFormat });
      expect((await open(store)).attributes).toEqual({ root: 1 });
      const group = await open(store, { path: "a/b", kind: "group" });
      expect(group.zarrFormat).toBe(zarrFormat);
      const inside = await create(group, { ...small, path: "d" });
      expect([inside.path, inside.zarrFormat]).toEqual(["a/b/d", zarrFormat]);
      expect((await group.members()).map(({ name }) => name)).toEqual(["c", "d"]);
      const below = await errorOf(() => create(store, { ...small, path: "a/b/c/e", zarrFormat }));
      expect([below._tag, below.code]).toEqual(["AlreadyExists", "parent-is-array"]);
      const mixed = await errorOf(() =>
        create(store, { ...small, path: "a/x", zarrFormat: zarrFormat === 2 ? 3 : 2 }),
      );
      expect([mixed._tag, mixed.code]).toEqual(["InvalidArgument", "invalid-argument"]);
    }
  });

  it("names the method that a store lacks for writing", async () => {
    const error = await errorOf(() => create({ get: () => undefined }, small));
    expect([error._tag, error.message]).toEqual(["ReadOnly", expect.stringContaining("set")]);
    const http = await errorOf(() => create("http://127.0.0.1:9/", { ...small, zarrFormat: 3 }));
    expect(http._tag).toMatch(/ReadOnly|Network/);
    expect((await errorOf(() => create(42 as never, small)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => create(files(), undefined as never)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => createGroup(files(), { zarrFormat: 1 })))._tag).toBe("Unsupported");
  });
});
