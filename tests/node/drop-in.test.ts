// What programs ask of zarrita beside reading: requests, options of stores, the registry, names of older versions.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { MapStore, open as openOwn } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { elementsOf } from "./random-arrays.js";
import { ObjectServer } from "./store-server.js";
import { randomBytes } from "./support.js";
import {
  bytesLittle,
  CountingStore,
  documents,
  regular,
  sharded,
  v2Meta,
  v3Meta,
  writeV2,
  writeV3,
  zstd,
} from "./zarr-writer.js";

type Zarrita = typeof zarrita;
const ours = dropIn as unknown as Zarrita;
const both: [string, Zarrita][] = [
  ["zarrita", zarrita],
  ["zarr-wasm/zarrita", ours],
];
const root = new URL("../../", import.meta.url).pathname;
const v3Group = { zarr_format: 3, node_type: "group", attributes: {} };

/** A store that notes what it is asked for, and with which options. */
function noting(inner: MapStore) {
  const asked: { key: string; options: Record<string, unknown> }[] = [];
  const store = {
    async get(key: string, options: object = {}) {
      asked.push({ key, options: { ...options } });
      return inner.get(key);
    },
    async getRange(key: string, range: { offset: number; length: number }, options: object = {}) {
      asked.push({ key, options: { ...options } });
      return inner.getRange(key, range);
    },
  };
  return { store, asked, keys: () => asked.splice(0).map(({ key }) => key) };
}

const raw = { dataType: "int32", codecs: [bytesLittle] };

async function hierarchy(version: 2 | 3): Promise<MapStore> {
  const store =
    version === 2
      ? documents({
          "/.zgroup": { zarr_format: 2 },
          "/.zattrs": { a: 1 },
          "/g/.zgroup": { zarr_format: 2 },
          "/g/x/.zattrs": { b: 2 },
        })
      : documents({ "/zarr.json": v3Group, "/g/zarr.json": v3Group });
  for (const path of ["x", "y", "g/x"]) {
    if (version === 2) await writeV2(store, v2Meta(), raw, elementsOf("int32", 24, 1), { path });
    else await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path });
  }
  return store;
}

describe("requests of open", () => {
  /** What programs open, one after the other, in one store. */
  const programs: Record<string, [string, object][]> = {
    "a map layer": [
      ["", { kind: "group" }],
      ["x", { kind: "array" }],
      ["y", { kind: "array" }],
      ["g/x", { kind: "array" }],
    ],
    "whatever is there": [
      ["", {}],
      ["g", {}],
      ["g/x", {}],
      ["x", {}],
    ],
    "an array alone": [["x", { kind: "array" }]],
    "the other kind": [
      ["x", { kind: "array" }],
      ["g", { kind: "array" }],
      ["x", { kind: "group" }],
    ],
    "what is not there": [
      ["x", { kind: "array" }],
      ["nothing", {}],
      ["nothing", { kind: "group" }],
    ],
    "without attributes": [
      ["g/x", { kind: "array", attrs: false }],
      ["x", { kind: "array", attrs: false }],
    ],
  };

  it.each(Object.entries(programs).flatMap(([name, steps]) => [2, 3].map((v) => [name, v, steps] as const)))(
    "%s, v%i: no more than zarrita's",
    async (_, version, steps) => {
      const counts = new Map<string, number>();
      for (const [name, zarr] of both) {
        const { store, asked } = noting(await hierarchy(version as 2 | 3));
        for (const [path, options] of steps)
          await zarr.open(zarr.root(store as never).resolve(path), options).catch(() => undefined);
        counts.set(name, asked.length);
      }
      expect(counts.get("zarr-wasm/zarrita")).toBeLessThanOrEqual(counts.get("zarrita")!);
    },
  );

  it("looks for v1 where nothing else has been found", async () => {
    const v1 = documents({
      "/meta": {
        zarr_format: 1,
        shape: [2],
        chunks: [2],
        dtype: "<i4",
        compression: null,
        compression_opts: null,
        fill_value: 7,
        order: "C",
      },
      "/attrs": {},
    });
    const array = await dropIn.open(v1 as never, { kind: "array" });
    expect([...((await dropIn.get(array)).data as Int32Array)]).toEqual([7, 7]);
    const { store, keys } = noting(await hierarchy(3));
    await dropIn.open(store, { kind: "group" });
    keys();
    await expect(dropIn.open(dropIn.root(store).resolve("nothing"))).rejects.toThrow(dropIn.NotFoundError);
    expect(keys()).not.toContain("/nothing/meta");
  });

  it("says what is wrong with the version that is there, not that another is not", async () => {
    const store = documents({ "/.zarray": { zarr_format: 2, shape: "no" } });
    await expect(dropIn.open(store as never)).rejects.toThrow(dropIn.InvalidMetadataError);
  });

  it("this library's asks for the version first that it found last", async () => {
    for (const version of [2, 3] as const) {
      const { store, keys } = noting(await hierarchy(version));
      await openOwn(store, { path: "x" });
      expect(new Set(keys())).toEqual(
        new Set([
          "/x/meta",
          "/x/zarr.json",
          "/x/.zarray",
          "/x/.zgroup",
          ...(version === 2 ? ["/x/.zattrs"] : []),
        ]),
      );
      await openOwn(store, { path: "y" });
      expect(keys().sort()).toEqual(
        version === 2 ? ["/y/.zarray", "/y/.zattrs", "/y/.zgroup"] : ["/y/zarr.json"],
      );
    }
  });

  it("this library's finds nodes of other versions still, and believes an explicit one for one call", async () => {
    const store = await hierarchy(2);
    await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path: "new" });
    await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path: "x" });
    const of = async (path: string, options = {}) => {
      const node = await openOwn(store, { path, ...options });
      return node.zarrFormat;
    };
    expect(await of("x", { version: 2 })).toBe(2);
    expect([await of("x"), await of("y"), await of("new"), await of("x")]).toEqual([3, 2, 3, 3]);
    await of("y");
    expect(await of("x")).toBe(2); // both are there: the store was last seen to hold v2
  });
});

describe("options for stores", () => {
  it.each(both)("of getChunk, with %s", async (_, zarr) => {
    const written = new MapStore();
    const meta = v3Meta({ shape: [4, 6], chunk_grid: regular(4, 6), codecs: [sharded([2, 3])] });
    await writeV3(written, meta, elementsOf("int32", 24, 1));
    const { store, asked, keys } = noting(written);
    const array = await zarr.open(store as never, { kind: "array" });
    keys();
    const { signal } = new AbortController();
    const options = () => ({ signal, headers: { "x-token": "t" }, cache: "no-store" }) as never;
    const chunk = await array.getChunk([0, 0], options());
    const requests = asked.length;
    expect(asked.every(({ options: o }) => o["cache"] === "no-store")).toBe(true);
    expect(asked.map(({ options: o }) => o["headers"])).toEqual(asked.map(() => ({ "x-token": "t" })));
    const again = await array.getChunk([0, 1], options());
    expect(asked.length - requests).toBe(1); // the shard's index is known by now
    expect(again.shape).toEqual(chunk.shape);
  });

  it("of get, as programs for zarrita before 0.7 give them", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta(), elementsOf("int32", 24, 1));
    const { store, asked, keys } = noting(written);
    const array = await dropIn.open(store, { kind: "array" });
    keys();
    await dropIn.get(array, null, { opts: { headers: { a: "b" } } });
    expect(asked.length).toBeGreaterThan(0);
    for (const { options } of asked) expect(options["headers"]).toEqual({ a: "b" });
  });

  it.each(both)("of single requests of %s's FetchStore", async (_, zarr) => {
    const server = await new ObjectServer({ "/x": randomBytes(100), "/y": randomBytes(100) }).start();
    try {
      const seen: (string | null)[] = [];
      const store = new zarr.FetchStore(server.url, {
        overrides: { headers: { "x-usual": "u", "x-token": "u" }, cache: "no-store" },
        fetch: (request) => {
          const { headers } = request;
          seen.push(`${headers.get("x-usual")} ${headers.get("x-token")} ${request.cache}`);
          return fetch(request);
        },
      });
      await store.get("/x", { headers: { "x-token": "a" } } as never);
      await store.getRange("/x", { offset: 1, length: 2 }, {
        headers: { "x-token": "b" },
        cache: "reload",
      } as never);
      // At the same time, for the same bytes: what one asks with is not what the other does.
      await Promise.all([
        store.get("/y", { headers: { "x-token": "c" } } as never),
        store.get("/y", { headers: { "x-token": "d" } } as never),
        store.get("/y"),
      ]);
      expect(seen.slice(0, 2)).toEqual(["u a no-store", "u b reload"]);
      expect(seen.slice(2).sort()).toEqual(["u c no-store", "u d no-store", "u u no-store"]);
      const aborted = AbortSignal.abort(new Error("enough"));
      await expect(store.get("/x", { signal: aborted })).rejects.toThrow("enough");
    } finally {
      await server.close();
    }
  });

  it.each(both)("a FetchStore of %s without a URL fails when it is asked", async (_, zarr) => {
    const store = new zarr.FetchStore("");
    expect(store.url).toBe("");
    await expect(store.get("/x")).rejects.toThrow();
  });

  it.each(both)("attrs: false reads no attributes of v2, with %s", async (_, zarr) => {
    const { store, keys } = noting(await hierarchy(2));
    const array = await zarr.open.v2(zarr.root(store as never).resolve("g/x"), {
      kind: "array",
      attrs: false,
    });
    expect(array.attrs).toEqual({});
    expect(keys()).toEqual(["/g/x/.zarray"]);
    const group = await zarr.open.v2(store as never, { kind: "group", attrs: false });
    expect([group.attrs, keys()]).toEqual([{}, ["/.zgroup"]]);
    expect((await zarr.open.v2(store as never, { kind: "group" })).attrs).toEqual({ a: 1 });
  });
});

describe("nodes from metadata", () => {
  const metadata = {
    ...v3Meta({ codecs: [bytesLittle, zstd] }),
    attributes: { a: 1 },
    dimension_names: ["y", "x"],
  } as unknown as zarrita.ArrayMetadata;

  it.each(both)("are made by %s", async (_, zarr) => {
    const store = new MapStore();
    await writeV3(store, v3Meta({ codecs: [bytesLittle, zstd] }), elementsOf("int32", 24, 3), { path: "a" });
    store.delete("/a/zarr.json");
    const array = new zarr.Array(store as never, "/a", metadata);
    const { shape, chunks, dtype, attrs, path, fillValue, dimensionNames } = array;
    expect({ shape, chunks, dtype, attrs, path, fillValue, dimensionNames }).toEqual({
      shape: [4, 6],
      chunks: [2, 3],
      dtype: "int32",
      attrs: { a: 1 },
      path: "/a",
      fillValue: 0,
      dimensionNames: ["y", "x"],
    });
    const { data } = await zarr.get(array);
    expect(new Uint8Array((data as Int32Array).buffer)).toEqual(elementsOf("int32", 24, 3));
    const group = new zarr.Group(new Map() as never, "/g", { ...v3Group, attributes: { b: 2 } } as never);
    expect([group.attrs, group.path, group.kind]).toEqual([{ b: 2 }, "/g", "group"]);
  });

  it.each([
    ["int64", 9007199254740993n, 9007199254740993n],
    ["uint64", 5, 5n],
    ["float64", Number.NaN, Number.NaN],
    ["float32", "-Infinity", Number.NEGATIVE_INFINITY],
  ])("with fill values: %s %s", async (dataType, fill, value) => {
    const meta = { ...metadata, data_type: dataType, fill_value: fill } as never;
    const array = new dropIn.Array<dropIn.DataType>(new Map(), "/", meta);
    expect(array.fillValue).toBe(value);
    expect((await dropIn.get(array, [0, 0])) as unknown).toBe(value);
  });

  it("are refused when they are read, where the metadata is wrong, and at once, where it says no chunks", async () => {
    const wrong = new dropIn.Array(new Map(), "/", {
      ...metadata,
      codecs: [{ name: "unheard-of" }],
    } as never);
    await expect(dropIn.get(wrong)).rejects.toThrow(dropIn.UnknownCodecError);
    const none = { ...metadata, chunk_grid: { name: "regular", configuration: {} } };
    expect(() => new dropIn.Array(new Map(), "/", none as never)).toThrow(dropIn.InvalidMetadataError);
  });
});

describe("the registry's standard codecs", () => {
  const shape = [3, 4];
  const plain = (dataType: string, data: unknown) => ({
    chunk: { data, shape, stride: [4, 1] },
    meta: { dataType, shape, codecs: [], fillValue: 0 },
  });
  const numbers = Array.from({ length: 12 }, (_, i) => (i * 37) % 101);
  const int32 = () => plain("int32", Int32Array.from(numbers));
  const float64 = () =>
    plain(
      "float64",
      Float64Array.from(numbers, (n) => n / 8),
    );
  const text = () =>
    plain(
      "string",
      numbers.map((n) => `é${n}`),
    );

  it("are those of zarrita", () => {
    expect([...dropIn.registry.keys()].sort()).toEqual([...zarrita.registry.keys()].sort());
  });

  it.each([
    ...["blosc", "lz4", "zstd", "gzip", "zlib"].flatMap((id) => [id, `numcodecs.${id}`]),
    "crc32c",
    "numcodecs.shuffle",
  ])("%s, on bytes", async (name) => {
    const meta = int32().meta as never;
    const configuration = name.endsWith("shuffle") ? { elementsize: 4 } : {};
    const bytes = randomBytes(400, 3).map((byte) => byte & 15);
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    const Theirs = await zarrita.registry.get(name)!();
    const theirs = Theirs.fromConfig(configuration, meta) as never as Codec;
    const encoded = await own.encode(bytes);
    expect(new Uint8Array((await theirs.decode(encoded)) as ArrayBuffer)).toEqual(bytes);
    expect(await own.decode(encoded)).toEqual(bytes);
  });

  interface Codec {
    readonly kind: string;
    encode(data: unknown): Promise<Uint8Array>;
    decode(data: unknown): Promise<unknown>;
    getEncodedMeta?(meta: object): object;
  }
  type Made = ReturnType<typeof plain>;

  it.each<[string, object, () => Made]>([
    ["bytes", { endian: "big" }, int32],
    ["vlen-utf8", {}, text],
    ["numcodecs.vlen-utf8", {}, text],
    ["json2", {}, text],
    ["numcodecs.json2", {}, text],
  ])("%s, from arrays to bytes", async (name, configuration, make) => {
    const { chunk, meta } = make();
    // zarrita writes the lists of json2 flat, where numcodecs nests them.
    if (name.endsWith("json2")) for (const made of [chunk, meta]) Object.assign(made, { shape: [12] });
    if (name.endsWith("json2")) chunk.stride = [1];
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    expect(own.kind).toBe("array_to_bytes");
    const encoded = await own.encode(chunk);
    const Theirs = await zarrita.registry.get(name)!();
    const theirs = Theirs.fromConfig(configuration, meta as never) as never as Codec;
    expect(await theirs.decode(encoded)).toEqual(chunk);
    expect(await own.decode(encoded)).toEqual(chunk);
  });

  it.each<[string, object, () => Made]>([
    ["bitround", { keepbits: 30 }, float64],
    ["numcodecs.bitround", { keepbits: 30 }, float64],
    ["numcodecs.delta", { dtype: "<i4" }, int32],
    ["scale_offset", { scale: 2, offset: 1 }, float64],
    ["cast_value", { data_type: "float64" }, int32],
    ["transpose", { order: [1, 0] }, int32],
    ["transpose", { order: "F" }, int32],
  ])("%s, from arrays to arrays", async (name, configuration, make) => {
    const { chunk, meta } = make();
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    expect(own.kind).toBe("array_to_array");
    expect(own.getEncodedMeta?.(meta)).toMatchObject({
      dataType: name === "cast_value" ? "float64" : meta.dataType,
    });
    expect(await own.decode(await own.encode(chunk))).toEqual(chunk);
  });

  it("take chunks in other orders, and zarrita 0.6's name of the data type", async () => {
    const { meta } = int32();
    const { dataType: data_type, ...rest } = meta;
    const Own = await dropIn.registry.get("bytes")!();
    const own = Own.fromConfig(
      { endian: "little" } as never,
      { ...rest, data_type } as never,
    ) as never as Codec;
    const columns = Int32Array.from(numbers, (_, i) => numbers[(i % 3) * 4 + Math.floor(i / 3)]!);
    const encoded = await own.encode({ data: columns, shape, stride: [1, 3] });
    expect(new Int32Array(encoded.buffer)).toEqual(Int32Array.from(numbers));
  });

  it("do not stand between an array and the core", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta({ codecs: [sharded([1, 3])] }), elementsOf("int32", 24, 1));
    const store = new CountingStore(written);
    await dropIn.get(await dropIn.open(store as never, { kind: "array" }), [0, 0]);
    // Ranges are read, which stores with codecs of the application's own between cannot do.
    expect(store.requests.some((request) => request.range !== undefined)).toBe(true);
  });
});

describe("names that programs for other versions import", () => {
  it("0.5 and 0.6", () => {
    expect(dropIn.NodeNotFoundError).toBe(dropIn.NotFoundError);
    expect(dropIn.KeyError).toBe(dropIn.NotFoundError);
    expect(dropIn.IndexError).toBe(dropIn.InvalidSelectionError);
    expect(dropIn._zarrita_internal_get_strides([2, 3, 4], "C")).toEqual([12, 4, 1]);
    expect(dropIn._zarrita_internal_get_strides([2, 3, 4], "F")).toEqual([1, 2, 6]);
    expect(dropIn._zarrita_internal_slice_indices(dropIn.slice(1, -1, 2), 10)).toEqual([1, 9, 2]);
  });

  it("every name of zarrita 0.7", () => {
    const names = Object.keys(zarrita);
    expect(Object.keys(dropIn)).toEqual(expect.arrayContaining(names));
  });

  it("every type of zarrita 0.7", () => {
    // The compiler is the test: each name is there, and as many arguments as zarrita's take.
    type Storage = [dropIn.AbsolutePath, dropIn.RangeQuery, dropIn.Readable, dropIn.AsyncReadable];
    type Writing = [dropIn.SyncReadable, dropIn.Writable, dropIn.AsyncWritable, dropIn.SyncWritable];
    type Stores = [dropIn.AsyncMutable, dropIn.SyncMutable, dropIn.Mutable, dropIn.FetchStoreOptions];
    type Others = [dropIn.ReferenceStore, dropIn.ZipFileStore, dropIn.FileSystemStore];
    type Ints = [dropIn.Int8, dropIn.Int16, dropIn.Int32, dropIn.Int64, dropIn.Bool, dropIn.ObjectType];
    type Uints = [dropIn.Uint8, dropIn.Uint16, dropIn.Uint32, dropIn.Uint64];
    type Floats = [dropIn.Float16, dropIn.Float32, dropIn.Float64];
    type Texts = [dropIn.UnicodeStr, dropIn.ByteStr, dropIn.String, dropIn.StringDataType];
    type Kinds = [dropIn.NumberDataType, dropIn.BigintDataType, dropIn.DataType, dropIn.Attributes];
    type Values = [dropIn.Scalar<"int8">, dropIn.TypedArray<"int8">, dropIn.TypedArrayConstructor<"int8">];
    type Metadata = [dropIn.ArrayMetadata<"int8">, dropIn.GroupMetadata, dropIn.CodecMetadata];
    type MetadataV2 = [dropIn.ArrayMetadataV2, dropIn.GroupMetadataV2, dropIn.Chunk<"int8">];
    type Indexing = [dropIn.GetOptions, dropIn.SetOptions, dropIn.Indices, dropIn.Projection, dropIn.Slice];
    type Extending = [dropIn.ByteCache, dropIn.CacheKeyFor, dropIn.ArrayExtension, dropIn.FlushReport];
    type Consolidated = [
      dropIn.ConsolidatedFormat,
      dropIn.ConsolidatedMetadataOptions,
      dropIn.Listable<Map<1, 2>>,
    ];
    type All = [
      Storage,
      Writing,
      Stores,
      Others,
      Ints,
      Uints,
      Floats,
      Texts,
      Kinds,
      Values,
      Metadata,
      MetadataV2,
    ];
    type AllOthers = [Indexing, Extending, Consolidated];
    const count: [All, AllOthers]["length"] = 2;
    const bools: dropIn.BoolArray<ArrayBuffer> = new dropIn.BoolArray(new ArrayBuffer(3));
    const buffer: ArrayBuffer = bools.buffer;
    const text: dropIn.ByteStringArray<ArrayBuffer> = new dropIn.ByteStringArray(2, buffer, 0, 1);
    expect([count, buffer.byteLength, text.length]).toEqual([2, 3, 1]);
  });

  it("0.7's for @zarrita/ndarray: regions in another form", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta(), elementsOf("int32", 24, 1));
    const array = await dropIn.open(written as never, { kind: "array" });
    const prepare = (data: unknown, shape: number[], stride: number[]) => ({
      data,
      shape,
      stride,
      made: true,
    });
    const setter = { prepare, setScalar() {}, setFromChunk() {} } as never;
    const region = await dropIn._zarrita_internal_get(array, [0, null], {}, setter);
    expect(region).toMatchObject({ made: true, shape: [6], stride: [1] });
    expect(typeof (await dropIn._zarrita_internal_get(array, [0, 0], {}, setter))).toBe("number");
  });

  it("classes have their names in the bundles, which are minified", () => {
    const names = [
      ...["Array", "Group", "Location", "FetchStore", "BoolArray", "ByteStringArray", "UnicodeStringArray"],
      ...["NotFoundError", "InvalidMetadataError", "UnknownCodecError", "CodecPipelineError"],
      ...["InvalidSelectionError", "UnsupportedError", "WorkerPool", "FileSystemStore", "ZarrError"],
    ];
    const code = `
      const zarr = await import("zarr-wasm/zarrita");
      const numcodecs = await import("zarr-wasm/numcodecs");
      console.log(${JSON.stringify(names)}.map((name) => zarr[name].name).join());
      console.log(["Blosc", "GZip", "LZ4", "Zlib", "Zstd"].map((name) => numcodecs[name].name).join());`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual([names.join(), "Blosc,GZip,LZ4,Zlib,Zstd"]);
  });
});

it.each(both)("text of any length without codecs opens with %s", async (_, zarr) => {
  const meta = v3Meta({
    data_type: "string",
    fill_value: "none",
    codecs: [],
    shape: [3],
    chunk_grid: regular(2),
  });
  const array = await zarr.open(documents({ "/zarr.json": meta }) as never, { kind: "array" });
  expect([array.dtype, array.fillValue]).toEqual(["string", "none"]);
  expect((await zarr.get(array)).data).toEqual(["none", "none", "none"]);
});

describe("withRangeCoalescing", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i & 255);
  function counted() {
    const asked: { offset: number; length: number; signal?: AbortSignal }[] = [];
    const store = {
      get: async () => bytes,
      async getRange(
        _: string,
        range: { offset: number; length: number },
        options?: { signal?: AbortSignal },
      ) {
        asked.push({ ...range, ...options });
        options?.signal?.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 5));
        options?.signal?.throwIfAborted();
        return bytes.slice(range.offset, range.offset + range.length);
      },
    };
    return { store: store as never as Required<dropIn.AsyncReadable>, asked };
  }

  it.each(both)("of %s makes one request of several", async (_, zarr) => {
    const { store, asked } = counted();
    const reports: object[] = [];
    const merged = zarr.withRangeCoalescing(store, {
      coalesceSize: 10,
      onFlush: (r) => reports.push(r),
    });
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const parts = await Promise.all([read(100, 10), read(0, 10), read(15, 5), read(2, 3)]);
    expect(asked.map(({ offset, length }) => [offset, length])).toEqual([
      [0, 20],
      [100, 10],
    ]);
    expect(parts.map((part) => part?.[0])).toEqual([100, 0, 15, 2]);
    expect(reports).toEqual([{ path: "/x", groupCount: 2, requestCount: 4, bytesFetched: 30 }]);
  });

  it("lets one caller go without the others", async () => {
    const { store, asked } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const read = (offset: number, signal: AbortSignal) =>
      merged.getRange!("/x", { offset, length: 4 }, { signal });
    const results = [read(0, leaving.signal), read(4, staying.signal)];
    setTimeout(() => leaving.abort(new Error("gone")), 1);
    await expect(results[0]).rejects.toThrow("gone");
    expect(await results[1]).toEqual(bytes.slice(4, 8));
    expect(asked).toHaveLength(1);
    const all = new AbortController();
    const both = [read(0, all.signal), read(4, all.signal)];
    setTimeout(() => all.abort(new Error("all gone")), 1);
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked[1]!.signal!.aborted).toBe(true);
  });

  it("refuses what is no range, alone", async () => {
    const { store } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const results = await Promise.allSettled([read(0, 4), read(Number.NaN, 4), read(-1, 4), read(4, 4)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  });

  it("reads what lies at the end of an object, and beyond, as without it", async () => {
    const { store } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const parts = await Promise.all([read(980, 10), read(990, 20), read(1000, 5)]);
    expect(parts.map((part) => part?.length)).toEqual([10, 10, 0]);
  });
});
