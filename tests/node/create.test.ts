// Creating nodes, changing their metadata and deleting them, in stores of all kinds.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import {
  type CreateOptions,
  consolidate,
  create,
  createGroup,
  DType,
  deleteNode,
  get,
  MapStore,
  open,
  resize,
  type Store,
  updateAttributes,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import * as zarrita from "zarrita";
import { hasZarr, python } from "./python-zarr.js";
import { bytesOf, errorOf } from "./support.js";

type Files = Map<string, Uint8Array>;
const files = (): Files => new Map();
const text = (store: Files, key: string) => new TextDecoder().decode(store.get(key));
const json = (store: Files, key: string) => JSON.parse(text(store, key));
const versions = [1, 2, 3] as const;
const mainKey = { 1: "/meta", 2: "/.zarray", 3: "/zarr.json" };
const small: CreateOptions = { shape: [10, 20], dtype: "float32" };

/** A store with conditional writes, as object stores have them, that counts what it is asked. */
class ConditionalStore implements Store {
  readonly conditional = true;
  readonly files: Files = new Map();
  readonly log: string[] = [];
  readonly #tags = new Map<string, number>();
  #next = 1;
  /** Called before each write. */
  before: (key: string) => void | Promise<void> = () => {};

  get(key: string, options?: { version?: { etag?: string | undefined } | undefined }) {
    if (options?.version && this.files.has(key)) options.version.etag = String(this.#tags.get(key));
    return this.files.get(key);
  }
  async set(
    key: string,
    value: Uint8Array,
    options?: { ifVersion?: { etag?: string | undefined } | "absent" | undefined },
  ) {
    await this.before(key);
    this.log.push(`set ${key}`);
    const { ifVersion } = options ?? {};
    const isThere = this.files.has(key);
    const fits =
      ifVersion === undefined ||
      (ifVersion === "absent" ? !isThere : isThere && ifVersion.etag === String(this.#tags.get(key)));
    if (!fits) throw new ZarrError("Conflict", `${key} has changed`);
    this.files.set(key, value);
    this.#tags.set(key, this.#next++);
  }
  delete(key: string) {
    this.log.push(`delete ${key}`);
    this.files.delete(key);
  }
  *list(folder: string) {
    for (const key of [...this.files.keys()])
      if (key.startsWith(folder === "" ? "/" : `/${folder}/`)) yield key;
  }
}

describe.each(versions)("create in Zarr v%i", (zarrFormat) => {
  it("makes an array of all fill value, which opens as it was made", async () => {
    const store = files();
    const array = await create(store, {
      ...small,
      zarrFormat,
      fillValue: 1.5,
      attributes: { a: [1, { b: 2n ** 60n }] },
    });
    const again = await open(store, { kind: "array" });
    for (const { shape, dtype, fillValue, attributes, codecs } of [array, again]) {
      expect([shape, String(dtype), fillValue]).toEqual([[10, 20], "float32", 1.5]);
      expect(attributes).toEqual({ a: [1, { b: 2n ** 60n }] });
      expect(codecs.map(({ name }) => name)).toEqual(["bytes", "blosc"]);
    }
    expect((await get(array, [0, null])).data).toEqual(new Float32Array(20).fill(1.5));
    expect([...store.keys()].at(-1)).toBe(mainKey[zarrFormat]);
  });

  it("has attributes that cannot be changed", async () => {
    const array = await create(files(), { ...small, zarrFormat, attributes: { a: { b: [1] } } });
    const attributes = array.attributes as { a?: { b: number[] }; foo?: number };
    expect(() => {
      attributes.foo = 1;
    }).toThrow(TypeError);
    expect(() => attributes.a!.b.push(2)).toThrow(TypeError);
    expect(Object.isFrozen((await create(files(), { ...small, zarrFormat })).attributes)).toBe(true);
  });

  it("refuses to overwrite a node of any version, and does when told to", async () => {
    for (const before of versions) {
      const store = files();
      await create(store, { ...small, zarrFormat: before, attributes: { old: true } });
      store.set(before === 3 ? "/c/0/0" : "/0.0", bytesOf("chunk"));
      const size = store.size;
      for (const make of [create, zarrFormat > 1 && createGroup]) {
        if (!make) continue;
        const error = await errorOf(() => make(store, { ...small, zarrFormat }));
        expect([error._tag, store.size]).toEqual(["AlreadyExists", size]);
      }
      await create(store, { ...small, zarrFormat, overwrite: true });
      expect([...store.keys()]).toEqual(zarrFormat === 1 ? ["/attrs", "/meta"] : [mainKey[zarrFormat]]);
    }
  });

  it("sees chunks that somebody has left, and attributes without an array", async () => {
    for (const key of ["/c/0/0", "/0.0", "/a/zarr.json"]) {
      const error = await errorOf(() => create(new Map([[key, bytesOf("x")]]), { ...small, zarrFormat }));
      expect([error._tag, error.code]).toEqual(["AlreadyExists", "not-empty"]);
    }
    if (zarrFormat === 3) return;
    const store = new Map([[zarrFormat === 1 ? "/attrs" : "/.zattrs", bytesOf('{"a": 1}')]]);
    expect((await errorOf(() => create(store, { ...small, zarrFormat })))._tag).toBe("AlreadyExists");
    expect(store.size).toBe(1);
  });

  it("loses to another writer who was faster, and leaves that one's array alone", async () => {
    const store = new ConditionalStore();
    const theirs = await create(files(), { shape: [1], dtype: "int8", zarrFormat });
    store.before = (key) => {
      if (key === mainKey[zarrFormat] && !store.files.has(key)) store.files.set(key, bytesOf("theirs"));
    };
    const error = await errorOf(() => create(store, { ...small, zarrFormat, attributes: { a: 1 } }));
    expect(error._tag).toBe("AlreadyExists");
    expect([...store.files.keys()]).toEqual([mainKey[zarrFormat]]);
    expect(text(store.files, mainKey[zarrFormat])).toBe("theirs");
    expect(theirs.zarrFormat).toBe(zarrFormat);
  });

  it("leaves no part of an array where the store fails at any write", async () => {
    for (let failing = 0; ; failing++) {
      const store = new ConditionalStore();
      let writes = 0;
      store.before = () => {
        if (writes++ === failing) throw new ZarrError("Network", "disk full");
      };
      const options = { ...small, zarrFormat, path: "g/h", attributes: { a: 1 } } as const;
      const error = await create(store, options).then(
        () => undefined,
        (reason) => reason as ZarrError,
      );
      if (!error) {
        expect(failing).toBe(zarrFormat === 1 ? 2 : zarrFormat === 2 ? 4 : 3);
        break;
      }
      expect(error._tag).toBe("Network");
      expect([...store.files.keys()].filter((key) => key.startsWith("/g/h"))).toEqual([]);
      for (const key of store.files.keys()) expect(key).toMatch(/\/(\.zgroup|zarr\.json)$/);
    }
  });

  it("refuses arguments that fit no array, before anything is written", async () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const hostile: [Record<string, unknown>, RegExp][] = [
      [{ shape: "10" }, /InvalidArgument/],
      [{ shape: [-1, 2] }, /InvalidArgument/],
      [{ shape: [1.5, 2] }, /InvalidArgument/],
      [{ shape: [2 ** 60, 2] }, /InvalidArgument/],
      [{ shape: new Array(65).fill(1) }, /InvalidArgument|LimitExceeded/],
      [{ chunkShape: [0, 5] }, /InvalidArgument/],
      [{ chunkShape: [5] }, /InvalidArgument/],
      [{ chunkShape: [2 ** 40, 2 ** 10] }, /LimitExceeded/],
      [{ shardShape: [7, 7], chunkShape: [2, 2] }, /InvalidArgument|Unsupported/],
      [{ dtype: "float99" }, /Unsupported/],
      [{ dtype: {} }, /InvalidArgument/],
      [{ dtype: "<f3" }, /Unsupported|InvalidArgument/],
      [{ dtype: undefined }, /InvalidArgument/],
      [{ dtype: "<U99999999" }, /LimitExceeded/],
      [
        {
          dtype: [
            ["a", "<i2"],
            ["a", "<i2"],
          ],
        },
        /InvalidArgument/,
      ],
      [{ dtype: "uint8", fillValue: 256 }, /InvalidArgument/],
      [{ dtype: "uint8", fillValue: 1.5 }, /InvalidArgument/],
      [{ fillValue: "red" }, /InvalidArgument/],
      [{ fillValue: loop }, /InvalidArgument/],
      [{ fillValue: () => 1 }, /InvalidArgument/],
      [{ codecs: "zstd:five" }, /InvalidArgument|Unsupported/],
      [{ codecs: "zlib:1:2" }, /InvalidArgument/],
      [{ codecs: "pickle" }, /Unsupported|UnknownCodec/],
      [{ codecs: "best" }, /UnknownCodec/],
      [{ codecs: [42] }, /InvalidArgument/],
      [{ codecs: ["zlib", "bytes"] }, /InvalidArgument/],
      [{ codecs: [{ name: "zlib", configuration: { level: 99 } }] }, /InvalidArgument/],
      [{ codecs: ["zlib", { name: "transpose", configuration: { order: [1, 0] } }] }, /InvalidArgument/],
      [{ order: "A" }, /InvalidArgument/],
      [{ dimensionNames: ["y"] }, /InvalidArgument/],
      [{ dimensionNames: [1, 2] }, /InvalidArgument/],
      [{ attributes: [1] }, /InvalidArgument/],
      [{ attributes: { a: Number.NaN } }, /InvalidArgument/],
      [{ attributes: { a: () => 1 } }, /InvalidArgument/],
      [{ attributes: { a: new Date() } }, /InvalidArgument/],
      [{ attributes: loop }, /InvalidArgument/],
      [{ chunkKeyEncoding: { separator: "-" } }, /InvalidArgument/],
      [{ path: "a/../b" }, /InvalidArgument/],
      [{ path: "__proto__" }, /InvalidArgument/],
      [{ path: "a/zarr.json" }, /InvalidArgument/],
      [{ path: "..." }, /InvalidArgument/],
      [{ path: 7 }, /InvalidArgument/],
      [{ overwrite: "yes" }, /InvalidArgument/],
      [{ zarrFormat: 4 }, /InvalidArgument/],
      [{ limits: { rank: -1 } }, /InvalidArgument/],
    ];
    for (const [options, tag] of hostile) {
      const store = new ConditionalStore();
      const error = await errorOf(() => create(store, { ...small, zarrFormat, ...options } as never));
      expect(`${error._tag} ${error.message}`, JSON.stringify(Object.keys(options))).toMatch(tag);
      expect(store.log).toEqual([]);
    }
    const aborted = AbortSignal.abort(new Error("enough"));
    const store = new ConditionalStore();
    expect((await errorOf(() => create(store, { ...small, zarrFormat, signal: aborted }))).message).toBe(
      "enough",
    );
    expect(store.log).toEqual([]);
  });
});

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
    expect(json(store, "/meta")).toEqual({
      zarr_format: 1,
      shape: [4, 4],
      chunks: [2, 3],
      dtype: ">i4",
      compression: "blosc",
      compression_opts: { cname: "zstd", clevel: 3, shuffle: 1 },
      fill_value: 0,
      order: "F",
    });
    expect(json(store, "/attrs")).toEqual({});
    const error = await errorOf(() =>
      create(files(), { ...small, order: "F", codecs: "zlib", zarrFormat: 1 }),
    );
    expect([error._tag, error.code]).toEqual(["Unsupported", "v1-order"]);
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
    expect(json(store, "/zarr.json")).toEqual({ zarr_format: 3, node_type: "group", attributes: {} });
    expect(json(store, "/a/zarr.json")).toEqual({ zarr_format: 3, node_type: "group", attributes: {} });
    const little = { name: "bytes", configuration: { endian: "little" } };
    expect(json(store, "/a/b/zarr.json")).toEqual({
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
      const endian = Array.isArray(codecs) && codecs[0] === "bytes";
      const given = endian
        ? [{ name: "bytes", configuration: { endian: "little" } }, "numcodecs.zlib"]
        : codecs;
      const array = await create(files(), { ...small, codecs: given });
      const last = array.codecs.at(-1)!;
      if (name === "") expect(array.codecs.map((codec) => codec.name)).toEqual(["bytes"]);
      else expect([last.name, last.configuration]).toEqual([name, configuration]);
    }
    const delta = await create(files(), { ...small, codecs: ["delta", "zlib:2"] });
    expect(delta.codecs.map((codec) => codec.name)).toEqual(["numcodecs.delta", "bytes", "numcodecs.zlib"]);
    expect(delta.codecs[0]!.configuration).toEqual({ dtype: "<f4" });
  });

  it("takes shards by a codec of their own: index at the start, without checksums", async () => {
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

  it("takes fill values as programs have them", async () => {
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
      const document = json(store, "/zarr.json");
      if (written === undefined) expect(text(store, "/zarr.json")).toContain(`"fill_value": ${fillValue}`);
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
    expect(json(store, "/.zarray")).toMatchObject({
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

  it("makes the groups that a path lacks, and changes none that is there", async () => {
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
      expect([mixed._tag, mixed.code]).toEqual(["InvalidArgument", "mixed-versions"]);
    }
  });

  it("says of a store that cannot write which method it lacks", async () => {
    const error = await errorOf(() => create({ get: () => undefined }, small));
    expect([error._tag, error.message]).toEqual(["ReadOnly", expect.stringContaining("set")]);
    const http = await errorOf(() => create("http://127.0.0.1:9/", { ...small, zarrFormat: 3 }));
    expect(http._tag).toMatch(/ReadOnly|Network/);
    expect((await errorOf(() => create(42 as never, small)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => create(files(), undefined as never)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => createGroup(files(), { zarrFormat: 1 })))._tag).toBe("Unsupported");
  });
});

describe("create like another array", () => {
  it("keeps all that is not changed, exactly, in its version and in others", async () => {
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
    const attributes = text(store, "/a/.zattrs").replace('"a": 1', '"a": 1.50, "10": NaN, "b": 1e400');
    store.set("/a/.zattrs", bytesOf(attributes));
    const copies = files();
    await create(copies, { like: source });
    expect(json(copies, "/.zarray")).toEqual(json(store, "/a/.zarray"));
    expect(text(copies, "/.zattrs").replace(/\s/g, "")).toBe(attributes.replace(/\s/g, ""));
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
    expect(text(other, "/zarr.json")).toMatch(/"a": 1\.50,\s*"10": NaN,\s*"b": 1e400/);
    expect(text(other, "/zarr.json")).toContain('"endian": "big"');
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
    store.set("/meta", bytesOf(text(store, "/meta").replace('"C"', '"F"')));
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
    expect(text(copy, "/zarr.json")).toMatch(/"a": 1\.0,\s*"b": Infinity/);
    expect((await createGroup(files(), { like })).zarrFormat).toBe(2);
    expect((await createGroup(files(), { like, attributes: {} })).attributes).toEqual({});
  });
});

describe.each(versions)("changes in Zarr v%i", (zarrFormat) => {
  const chunkOf = (array: ZarrArray, ...coordinates: number[]) => array.chunkKey(coordinates);
  const make = (store: Store, more: Partial<CreateOptions> = {}) =>
    create(store, {
      shape: [10, 10],
      chunkShape: [4, 4],
      dtype: "int8",
      codecs: "none",
      zarrFormat,
      ...more,
    });

  it("of the shape are seen by the array and by others, and delete what lies outside", async () => {
    const store = files();
    const array = await make(store);
    const all = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => chunkOf(array, i, j)));
    for (const key of all) store.set(key, new Uint8Array(16).fill(7));
    await resize(array, [5, 4]);
    expect(array.shape).toEqual([5, 4]);
    expect(array.gridShape).toEqual([2, 1]);
    expect((await open(store, { kind: "array" })).shape).toEqual([5, 4]);
    expect([...store.keys()].filter((key) => all.includes(key))).toEqual([
      chunkOf(array, 0, 0),
      chunkOf(array, 1, 0),
    ]);
    await resize(array, [20, 10]);
    expect((await get(array, [10, null])).data).toEqual(new Int8Array(10));
    expect((await get(array, [0, null])).data).toEqual(Int8Array.of(7, 7, 7, 7, 0, 0, 0, 0, 0, 0));
    for (const shape of [[1], [1, -1], [1, 0.5], "1,1"]) {
      expect((await errorOf(() => resize(array, shape as never)))._tag).toBe("InvalidArgument");
    }
    expect(array.shape).toEqual([20, 10]);
  });

  it("of the shape find chunks by listing, where those that may be there are many", async () => {
    const store = new MapStore();
    const array = await make(store, { shape: [4_000_000, 4_000_000] });
    const [far, near] = [chunkOf(array, 999_999, 999_999), chunkOf(array, 0, 0)];
    for (const key of [far, near, "/readme.txt"]) store.set(key, new Uint8Array(16));
    await resize(array, [10, 10]);
    expect([store.get(far), store.get(near) !== undefined, store.get("/readme.txt") !== undefined]).toEqual([
      undefined,
      true,
      true,
    ]);
    const blind: Store = {
      get: (key) => store.get(key),
      set: (key, value) => store.set(key, value),
      delete: (key) => store.delete(key),
    };
    await resize(array, [4_000_000, 4_000_000]);
    const error = await errorOf(async () => resize(await open(blind, { kind: "array" }), [10, 10]));
    expect(error._tag).toBe("LimitExceeded");
    expect((await open(store, { kind: "array" })).shape).toEqual([4_000_000, 4_000_000]);
  });

  it("of attributes are merged or replaced, and seen by the array", async () => {
    const store = files();
    const array = await make(store, { attributes: { a: 1, b: { c: 2 } } });
    await updateAttributes(array, { b: 3, d: 2n ** 62n });
    expect(array.attributes).toEqual({ a: 1, b: 3, d: 2n ** 62n });
    expect((await open(store)).attributes).toEqual(array.attributes);
    await updateAttributes(array, { e: "é" }, { mode: "replace" });
    expect((await open(store)).attributes).toEqual({ e: "é" });
    expect(Object.isFrozen(array.attributes)).toBe(true);
    expect((await errorOf(() => updateAttributes(array, { x: Number.NaN })))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => updateAttributes(array, {}, { mode: "mix" as never })))._tag).toBe(
      "InvalidArgument",
    );
    await deleteNode(store);
    expect((await errorOf(() => updateAttributes(array, { x: 1 })))._tag).toBe("NotFound");
    expect((await errorOf(() => resize(array, [1, 1])))._tag).toBe("NotFound");
    expect(store.size).toBe(0);
  });

  it("keep what they do not know, number for number", async () => {
    const store = files();
    const array = await make(store, { attributes: { a: 1 } });
    const key = mainKey[zarrFormat];
    const foreign = '"foreign": {"must_understand": false, "big": 12345678901234567890, "e": 1.50}, ';
    store.set(key, bytesOf(text(store, key).replace("{", `{${foreign}`)));
    await resize(array, [3, 3]);
    await updateAttributes(array, { b: 2 });
    expect(text(store, key)).toContain("12345678901234567890");
    expect(text(store, key)).toContain("1.50");
    expect((await open(store)).attributes).toEqual({ a: 1, b: 2 });
  });

  it("of two writers at the same time lose nothing, where the store has conditions", async () => {
    const store = new ConditionalStore();
    const array = await make(store, { attributes: {} });
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => open(store, { kind: "array" })));
    await Promise.all(others.map((other, i) => updateAttributes(other, { [`writer${i}`]: i })));
    expect((await open(store)).attributes).toEqual({
      writer0: 0,
      writer1: 1,
      writer2: 2,
      writer3: 3,
      writer4: 4,
    });
    let n = 0;
    store.before = (key) => {
      store.before = () => {};
      const rival = store.files.get(key)!;
      store.set(key, rival);
      store.before = loop;
    };
    const loop = store.before;
    const key = zarrFormat === 1 ? "/attrs" : zarrFormat === 2 ? "/.zattrs" : "/zarr.json";
    store.before = async (written) => {
      if (written !== key || n++ % 2 === 1) return;
      await store.set(key, store.files.get(key)!);
    };
    expect((await errorOf(() => updateAttributes(array, { x: 1 })))._tag).toBe("Conflict");
  });

  it("of many writers at once leave consolidated metadata that names all", async () => {
    if (zarrFormat === 1) return;
    const slow = new MapStore();
    const get = slow.get.bind(slow);
    slow.get = ((key: string) => new Promise((resolve) => setTimeout(() => resolve(get(key)), 1))) as never;
    for (const store of [new ConditionalStore(), slow]) {
      await createGroup(store, { zarrFormat });
      await consolidate(store);
      const names = Array.from({ length: 20 }, (_, i) => `a${i + 10}`);
      const attributes = { mine: 1 };
      await Promise.all([
        createGroup(store, { path: "g", zarrFormat, attributes }),
        ...names.map((name) => make(store, { path: `g/${name}` })),
      ]);
      const blind: Store = { get: (key) => store.get(key) };
      const group = await open(blind, { path: "", kind: "group" });
      const inside = (await group.open("g", { kind: "group" })) as typeof group;
      expect(inside.attributes).toEqual(attributes);
      expect((await inside.members()).map(({ name }) => name)).toEqual(names);
    }
  });

  it("of many writers at once make a node once", async () => {
    const store = new MapStore();
    const get = store.get.bind(store);
    store.get = ((key: string) => new Promise((resolve) => setTimeout(() => resolve(get(key)), 1))) as never;
    const made = await Promise.allSettled([1, 2, 3].map((a) => make(store, { attributes: { a } })));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await open(store)).attributes).toEqual({ a: 1 });
    await Promise.all([2, 3, 4].map(async (i) => updateAttributes(await open(store), { [`b${i}`]: i })));
    expect((await open(store)).attributes).toEqual({ a: 1, b2: 2, b3: 3, b4: 4 });
  });

  it("delete nodes with all below them", async () => {
    if (zarrFormat === 1) return;
    const store = files();
    const root = await createGroup(store, { zarrFormat });
    await make(store, { path: "g/a" });
    await make(store, { path: "g2" });
    store.set("/g/a/c/0/0", bytesOf("x"));
    await deleteNode(root, "g");
    expect([...store.keys()].filter((key) => key.startsWith("/g/"))).toEqual([]);
    expect((await root.members()).map(({ name }) => name)).toEqual(["g2"]);
    expect((await errorOf(() => deleteNode(root, "g")))._tag).toBe("NotFound");
    const blind = { get: (key: string) => store.get(key), delete: (key: string) => store.delete(key) };
    expect((await errorOf(() => deleteNode(blind, "g2")))._tag).toBe("ReadOnly");
    expect((await open(store, { path: "g2" })).kind).toBe("array");
  });
});

describe("rectilinear grids", () => {
  it("grow as far as their chunks reach", async () => {
    const store = files();
    const array = await create(store, { shape: [8], chunkShape: [4], dtype: "int8" });
    const document = json(store, "/zarr.json");
    document.chunk_grid = {
      name: "rectilinear",
      configuration: { kind: "inline", chunk_shapes: [[4, [3, 2]]] },
    };
    store.set("/zarr.json", bytesOf(JSON.stringify(document)));
    const opened = await open(store, { kind: "array" });
    await resize(opened, [10]);
    expect([opened.shape, opened.gridShape]).toEqual([[10], [3]]);
    expect((await errorOf(() => resize(opened, [11])))._tag).toBe("InvalidArgument");
    expect(opened.shape).toEqual([10]);
    for (const key of ["/c/0", "/c/1", "/c/2"]) store.set(key, new Uint8Array(4));
    await resize(opened, [4]);
    expect(["/c/0", "/c/1", "/c/2"].map((key) => store.has(key))).toEqual([true, false, false]);
    expect(array.shape).toEqual([8]);
  });
});

const folder = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-create-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dtypes = [
  ...["|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"],
  ...["|S5", "<U4", ">U2", "<M8[ns]", "<m8[10s]", "|V3"],
];
const chains: CreateOptions["codecs"][] = [
  undefined,
  "none",
  ...["zstd:3", "zlib:2", "gzip", "bz2:1", "lz4", "blosc:zstd:1", "blosc:blosclz"],
];

describe("what is created is read by others", () => {
  it("into a folder, by its URL", async () => {
    const url = pathToFileURL(path.join(folder, "plain.zarr/"));
    await create(url, { ...small, path: "a" });
    expect(readdirSync(path.join(folder, "plain.zarr"))).toEqual(["a", "zarr.json"]);
    expect((await open(url, { path: "a", kind: "array" })).shape).toEqual([10, 20]);
    await deleteNode(url, "a");
    expect((await errorOf(() => open(url, { path: "a" })))._tag).toBe("NotFound");
  });

  it.skipIf(!hasZarr())("v2 by zarr-python", async () => {
    const url = pathToFileURL(path.join(folder, "v2.zarr/"));
    const wanted: Record<string, unknown> = {};
    let i = 0;
    for (const dtype of dtypes) {
      const name = `a${i}`;
      const codecs = chains[i++ % chains.length];
      const order = i % 2 === 0 ? "F" : "C";
      const attributes = { i, text: "é" };
      await create(url, {
        path: name,
        shape: [7, 5],
        chunkShape: [3, 2],
        dtype,
        codecs,
        order,
        attributes,
        zarrFormat: 2,
      });
      wanted[name] = [[7, 5], [3, 2], dtype, order, attributes];
    }
    await create(url, { path: "text", shape: [3], dtype: "string", fillValue: "none", zarrFormat: 2 });
    await create(url, { path: "nan", shape: [3], dtype: "<f4", fillValue: Number.NaN, zarrFormat: 2 });
    const script = `
import json, sys, zarr, numpy as np
g = zarr.open_group(sys.argv[1], mode="r")
out = {}
for name, a in g.arrays():
    a[:]
    if name.startswith("a"):
        assert not np.any(a[:] != np.zeros((), a.dtype)), name
        out[name] = [a.shape, a.chunks, a.dtype.str, a.order, dict(a.attrs)]
assert list(g["text"][:]) == ["none"] * 3
assert np.isnan(g["nan"][:]).all()
print(json.dumps(out))`;
    expect(JSON.parse(python(script, path.join(folder, "v2.zarr")))).toEqual(wanted);
  });

  it("v3 by zarrita", async () => {
    const store = new MapStore();
    for (const dtype of [
      "bool",
      "int8",
      "int16",
      "int32",
      "int64",
      "uint8",
      "uint16",
      "uint32",
      "uint64",
      "float32",
      "float64",
    ]) {
      for (const codecs of [undefined, "none", "zstd:3", "gzip", ["zstd", "crc32c"]]) {
        const path_ = `${dtype}-${JSON.stringify(codecs)?.replace(/\W/g, "")}`;
        const shards = codecs === undefined ? {} : { shardShape: [4, 8] };
        const attributes = { a: 1 };
        await create(store, {
          path: path_,
          shape: [5, 8],
          chunkShape: [2, 4],
          ...shards,
          dtype,
          codecs,
          fillValue: dtype === "bool" ? true : 3,
          attributes,
          order: "F",
        });
        const array = await zarrita.open(zarrita.root(store as never).resolve(path_), { kind: "array" });
        expect([array.shape, array.dtype, array.attrs]).toEqual([[5, 8], dtype, { a: 1 }]);
        const { data } = await zarrita.get(array);
        expect(Array.from(data as ArrayLike<unknown>, (value) => Number(value))).toEqual(
          new Array(40).fill(dtype === "bool" ? 1 : 3),
        );
      }
    }
  });
});
