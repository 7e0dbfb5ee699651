// Compares zarr-wasm/zarrita with npm zarrita: the same program, with one import changed.
import { describe, expect, it } from "vitest";
import { MapStore, WorkerPool } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { both, ours, type Zarrita } from "../support/both-libraries.js";
import { dataTypes, elementsOf, randomSelection } from "../support/random-arrays.js";
import { ObjectServer } from "../support/store-server.js";
import { errorOf, everyIndex, product, randomizer } from "../support/support.js";
import {
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  concat,
  documents,
  encodeBytes,
  filled,
  gzip,
  json,
  regular,
  sharded,
  transposed,
  v2Meta,
  v3Meta,
  writeStrings,
  writeV2,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

type AnyArray = zarrita.Array<zarrita.DataType>;
const openArray = (library: Zarrita, store: unknown, options = {}): Promise<AnyArray> =>
  library.open(store as never, { kind: "array", ...options });

/** A result in one form: values in C order, whatever the strides. */
function valuesOf(result: unknown): { shape: readonly number[]; values: unknown[] } {
  const isChunk = typeof result === "object" && result !== null && "stride" in result;
  if (!isChunk) return { shape: [], values: [result] };
  const { data, shape, stride } = result as zarrita.Chunk<"int8">;
  const at = (i: number) => ("get" in data ? (data as never as zarrita.BoolArray).get(i) : data[i]);
  const offset = (index: number[]) => index.reduce((sum, i, axis) => sum + i * stride[axis]!, 0);
  return { shape, values: everyIndex(shape).map((index) => at(offset(index))) };
}

/** Compares metadata, regions, chunks and single elements. */
async function compare(store: unknown, seed = 1): Promise<void> {
  const [theirs, own] = [await openArray(zarrita, store), await openArray(ours, store)];
  for (const key of ["path", "shape", "chunks", "dtype", "attrs", "dimensionNames", "kind"] as const)
    expect([key, own[key]]).toEqual([key, theirs[key] ?? (key === "attrs" ? {} : undefined)]);
  for (const query of ["number", "bigint", "boolean", "string", "object", theirs.dtype] as const)
    expect([query, own.is(query)]).toEqual([query, theirs.is(query)]);
  const random = randomizer(seed);
  const selections = [null, ...Array.from({ length: 8 }, () => randomSelection(theirs.shape, random))];
  selections.push(theirs.shape.map((length) => Math.floor(random() * length)));
  for (const selection of selections) {
    const [a, b] = [await zarrita.get(theirs, selection), await ours.get(own, selection)];
    expect(valuesOf(b), JSON.stringify(selection)).toEqual(valuesOf(a));
    expect(kindOf(b)).toBe(kindOf(a));
  }
  const coordinates = theirs.shape.map(() => 0);
  const [a, b] = [await theirs.getChunk(coordinates), await own.getChunk(coordinates)];
  expect(valuesOf(b)).toEqual(valuesOf(a));
}

const kindOf = (result: unknown) =>
  typeof result === "object" && result !== null && "data" in result
    ? (result as { data: object }).data.constructor.name
    : typeof result;

const shape = [7, 11, 13];
const count = product(shape);
const chains: [string, Codec[]][] = [
  ["bytes, big", [bytesBig]],
  ["gzip", [bytesLittle, gzip]],
  ["zstd", [bytesBig, zstd]],
  ["blosc", [bytesLittle, blosc({ cname: "zstd", shuffle: "bitshuffle" })]],
  ["transpose", [transposed(1, 2, 0), bytesLittle]],
  ["crc32c", [bytesLittle, { name: "crc32c" }]],
  ["shards", [sharded([2, 3, 5], [bytesLittle, zstd])]],
];

describe("arrays are read as zarrita reads them", () => {
  it.each(dataTypes)("v3 %s", async (dataType) => {
    const store = new MapStore();
    const meta = v3Meta(filled({ shape, data_type: dataType, chunk_grid: regular(3, 4, 5) }));
    Object.assign(meta, { attributes: { a: [1, { b: "c" }] }, dimension_names: ["z", "y", "x"] });
    await writeV3(store, meta, elementsOf(dataType, count, 41), { isMissing: (key) => key.endsWith("1") });
    await compare(store);
  });

  it.each(chains)("v3 with %s", async (_, codecs) => {
    const store = new MapStore();
    const meta = v3Meta(filled({ shape, data_type: "int32", chunk_grid: regular(4, 6, 10), codecs }));
    await writeV3(store, meta, elementsOf("int32", count, 42), { missing: 0.2 });
    await compare(store, 2);
  });

  it.each(["C", "F"])("v2 in %s order", async (order) => {
    for (const [dtype, dataType] of [
      ["|b1", "bool"],
      ["<i2", "int16"],
      [">f4", "float32"],
      ["<u8", "uint64"],
    ]) {
      const store = documents({ "/.zattrs": { _ARRAY_DIMENSIONS: ["t", "y", "x"], units: "K" } });
      const meta = v2Meta({ shape, chunks: [3, 4, 5], dtype, order, compressor: { id: "zlib", level: 1 } });
      const codecs = [
        dtype!.startsWith(">") ? bytesBig : bytesLittle,
        { name: "numcodecs.zlib", configuration: {} },
      ];
      await writeV2(store, meta, { dataType, codecs }, elementsOf(dataType!, count, 43));
      await compare(store, 3);
    }
  });

  it("strings of any length", async () => {
    const store = new MapStore();
    const values = Array.from({ length: 42 }, (_, i) => "aé漢😀".repeat(i % 4) + i);
    const codecs = [{ name: "vlen-utf8" }, zstd];
    const meta = v3Meta({
      shape: [6, 7],
      data_type: "string",
      chunk_grid: regular(4, 3),
      codecs,
      fill_value: "",
    });
    await writeStrings(store, meta, values);
    await compare(store);
  });

  it("v2 objects", async () => {
    const store = documents({
      "/.zarray": v2Meta({
        shape: [2],
        chunks: [2],
        dtype: "|O",
        filters: [{ id: "json2" }],
        fill_value: null,
      }),
      "/0": [{ a: 1 }, "b", "|O", [2]],
    });
    await compare(store);
  });

  it.each([
    [
      "<U3",
      ["abc", "d", "", "é漢😀"],
      (text: string) => Uint32Array.from([0, 1, 2], (i) => [...text][i]?.codePointAt(0) ?? 0),
    ],
    [
      "|S3",
      ["abc", "d", "", "é"],
      (text: string) => Uint8Array.from([0, 1, 2], (i) => Buffer.from(text)[i] ?? 0),
    ],
  ])("fixed-length strings %s", async (dtype, texts, pack) => {
    const items = texts.map((text) => new Uint8Array(pack(text).buffer));
    const meta = v2Meta({ shape: [2, 2], chunks: [2, 1], dtype, fill_value: "" });
    const store = documents({ "/.zarray": meta });
    store.set("/0.0", concat([items[0]!, items[2]!]));
    store.set("/0.1", concat([items[1]!, items[3]!]));
    await compare(store);
    const { data } = (await ours.get(await openArray(ours, store))) as never as {
      data: zarrita.ByteStringArray;
    };
    expect([...data]).toEqual(texts);
    expect([data.length, data.chars, data.byteLength / 4]).toEqual([4, 3, items[0]!.length]);
  });

  it("of all ranks", async () => {
    for (const lengths of [[], [17], [2, 1, 3, 2, 3]]) {
      const store = new MapStore();
      const chunks = lengths.map((length) => Math.ceil(length / 2));
      const meta = v3Meta({ shape: lengths, data_type: "uint16", chunk_grid: regular(...chunks) });
      await writeV3(store, meta, elementsOf("uint16", product(lengths), 44));
      await compare(store, 4);
    }
  });

  it("with fill values", async () => {
    for (const [data_type, fill_value] of [
      ["int16", -7],
      ["bool", true],
      ["float32", "NaN"],
      ["int64", 5],
      ["string", "x"],
    ]) {
      const codecs = data_type === "string" ? [{ name: "vlen-utf8" }] : [bytesLittle];
      const store = documents({ "/zarr.json": v3Meta({ data_type, fill_value, codecs }) });
      await compare(store);
      // zarrita leaves the strings NaN and Infinity unchanged.
      const fills = [await openArray(ours, store), await openArray(zarrita, store)].map(
        (array) => array.fillValue,
      );
      if (fill_value !== "NaN") expect(fills[0]).toEqual(fills[1]);
      else expect(fills[0]).toBeNaN();
    }
  });
});

/** A case of bench/peers. */
type Case = {
  name: string;
  right: unknown[] | "error";
  store: () => object;
  same?: (values: unknown[]) => boolean | undefined;
  when?: () => boolean;
};
const load = (name: string): Promise<Record<string, Case[]>> =>
  import(new URL(`../../../bench/peers/cases/${name}.mjs`, import.meta.url).href);
const modules = await Promise.all(["chains", "sharding", "types"].map(load));
const cases = modules
  .flatMap((module) => Object.values(module).flat())
  .filter(({ when }) => when?.() !== false);

describe("arrays that zarrita misreads or cannot read", () => {
  it.each(cases.map((entry) => [entry.name, entry] as const))("%s", async (_, { store, right, same }) => {
    const source = await store();
    const read = async () => {
      const array = await openArray(ours, source);
      const region = (await ours.get(array)) as zarrita.Chunk<"int8">;
      const isPacked =
        "data" in region && ArrayBuffer.isView(region.data) && region.data.length !== product(region.shape);
      return isPacked ? [...region.data] : valuesOf(region).values;
    };
    if (right === "error") {
      const error = await errorOf(read);
      expect(error["_tag"]).toMatch(/^(CodecPipelineError|InvalidMetadataError|UnsupportedError)$/);
      expect(ours.isZarritaError(error)).toBe(true);
      return;
    }
    const values = await read();
    if (same?.(values) !== true) expect(values).toEqual(right);
  });
});

/** A hierarchy with an array, of one Zarr version. */
async function hierarchy(version: 2 | 3): Promise<MapStore> {
  const elements = elementsOf("int16", 24, 45);
  if (version === 3) {
    const group = (attributes: object) => ({ zarr_format: 3, node_type: "group", attributes });
    const store = documents({ "/zarr.json": group({ root: 1 }), "/a/zarr.json": group({}) });
    await writeV3(store, v3Meta({ data_type: "int16" }), elements, { path: "a/b c" });
    return store;
  }
  const store = documents({
    "/.zgroup": { zarr_format: 2 },
    "/.zattrs": { root: 1 },
    "/a/.zgroup": { zarr_format: 2 },
  });
  await writeV2(store, v2Meta({ dtype: "<i2" }), { dataType: "int16", codecs: [bytesLittle] }, elements, {
    path: "a/b c",
  });
  return store;
}

/** The same with consolidated metadata, reduced to the root's document. */
async function consolidated(version: 2 | 3): Promise<MapStore> {
  const store = await hierarchy(version);
  const found: Record<string, unknown> = {};
  for (const [key, bytes] of [...store.entries]) {
    if (!/(zarr\.json|\.z\w+)$/.test(key)) continue;
    found[key.slice(1)] = JSON.parse(new TextDecoder().decode(bytes));
    store.entries.delete(key);
  }
  if (version === 2) store.set("/.zmetadata", json({ zarr_consolidated_format: 1, metadata: found }));
  else {
    const { "zarr.json": root, ...rest } = found;
    const metadata = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key.replace("/zarr.json", ""), value]),
    );
    store.set(
      "/zarr.json",
      json({
        ...(root as object),
        consolidated_metadata: { kind: "inline", must_understand: false, metadata },
      }),
    );
  }
  return store;
}

describe.each(both)("hierarchies with %s", (_, zarr) => {
  it.each([2, 3] as const)("open by location, v%i", async (version) => {
    const store = await hierarchy(version);
    const group = await zarr.open(store as never, { kind: "group" });
    expect([group.path, group.attrs, group.store, group.kind]).toEqual(["/", { root: 1 }, store, "group"]);
    expect(group).toBeInstanceOf(zarr.Group);
    for (const location of [group.resolve("a/b c"), zarr.root(store).resolve("/a/x/../b c")]) {
      const array = await zarr.open(location as never, { kind: "array" });
      expect(array).toBeInstanceOf(zarr.Array);
      expect([array.path, array.store, array.shape]).toEqual(["/a/b c", store, [4, 6]]);
      expect(array.resolve("..").path).toBe("/a/");
    }
    const pinned = version === 2 ? zarr.open.v2 : zarr.open.v3;
    expect((await pinned(group.resolve("a/b c") as never)).kind).toBe("array");
    const other = version === 2 ? zarr.open.v3 : zarr.open.v2;
    expect(await errorOf(() => other(group.resolve("a/b c") as never))).toMatchObject({
      _tag: "NotFoundError",
    });
  });

  it.each([2, 3] as const)("with consolidated metadata, v%i", async (version) => {
    const counting = new CountingStore(await consolidated(version));
    const store = await zarr.extendStore(
      counting as never,
      zarr.withConsolidatedMetadata,
      zarr.withRangeCoalescing,
    );
    const listable = store as unknown as { contents(): { path: string }[] };
    expect(listable.contents().sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "/", kind: "group" },
      { path: "/a", kind: "group" },
      { path: "/a/b c", kind: "array" },
    ]);
    counting.reset();
    const group = await zarr.open(store as never, { kind: "group" });
    const array = await zarr.open(group.resolve("a/b c") as never, { kind: "array" });
    if (zarr === ours) expect(counting.requests).toEqual([]);
    expect(valuesOf(await zarr.get(array))).toEqual(
      valuesOf(
        await zarrita.get(await openArray(zarrita, zarrita.root(await hierarchy(version)).resolve("a/b c"))),
      ),
    );
  });

  it("reports missing consolidated metadata", async () => {
    const plain = await hierarchy(2);
    expect(await errorOf(async () => zarr.withConsolidatedMetadata(plain as never))).toMatchObject({
      _tag: "NotFoundError",
    });
    expect(await zarr.withMaybeConsolidatedMetadata(plain as never)).toBe(plain);
  });
});

describe.each(both)("errors of %s", (_, zarr) => {
  it("have the tags and properties of zarrita's errors", async () => {
    const store = await hierarchy(3);
    const found = await errorOf(() => zarr.open(store as never, { kind: "array" }));
    expect(found).toMatchObject({ _tag: "NotFoundError", name: "NotFoundError", path: "/", found: "group" });
    const missing = await errorOf(() => zarr.open.v3(zarr.root(store).resolve("nothing") as never));
    expect(missing).toMatchObject({ _tag: "NotFoundError" });
    expect(missing["message"]).toMatch(/^Not found: /);
    expect(zarr.isZarritaError(missing)).toBe(true);
    expect(zarr.isZarritaError(missing, "NotFoundError")).toBe(true);
    expect(zarr.isZarritaError(missing, "UnknownCodecError")).toBe(false);
    expect(missing).toBeInstanceOf(zarr.NotFoundError);
    const bad = documents({ "/zarr.json": "{" });
    expect(await errorOf(() => zarr.open.v3(bad as never))).toMatchObject({ _tag: "InvalidMetadataError" });
    const unknown = documents({
      "/zarr.json": v3Meta({ codecs: [bytesLittle, { name: "nobody", configuration: {} }] }),
    });
    unknown.set("/c/0/0", new Uint8Array(24));
    const error = await errorOf(async () => zarr.get(await openArray(zarr, unknown)));
    expect(error).toMatchObject({ _tag: "UnknownCodecError", codec: "nobody" });
    const corrupt = documents({
      "/zarr.json": v3Meta({ codecs: [bytesLittle, gzip] }),
      "/c/0/0": "no gzip at all",
    });
    const failed = await errorOf(async () => zarr.get(await openArray(zarr, corrupt)));
    expect(failed).toMatchObject({ _tag: "CodecPipelineError", direction: "decode", codec: "gzip" });
    expect(failed["cause"]).toBeInstanceOf(Error);
  });

  it("refuse selections", async () => {
    const array = await openArray(zarr, documents({ "/zarr.json": v3Meta() }));
    for (const selection of [
      [4, null],
      [0, 6],
      [-5],
      [null, null, null],
      [zarr.slice(0, 3, 0)],
      [zarr.slice(3, 0, -1)],
    ])
      expect(await errorOf(() => zarr.get(array, selection as never))).toMatchObject({
        _tag: "InvalidSelectionError",
      });
    for (const work of [() => zarr.select(array, { z: 1 }), () => zarr.slice(2n ** 60n)])
      expect(await errorOf(async () => work())).toMatchObject({ _tag: "InvalidSelectionError" });
  });

  it("pass on errors of stores, and aborts", async () => {
    const broken = { get: () => Promise.reject(new TypeError("broken")) };
    expect(await errorOf(() => zarr.open(broken as never))).toMatchObject({ message: "broken" });
    const array = await openArray(zarr, documents({ "/zarr.json": v3Meta({ codecs: [bytesLittle, gzip] }) }));
    const reason = new Error("enough");
    for (const options of [
      { signal: AbortSignal.abort(reason) },
      { opts: { signal: AbortSignal.abort(reason) } },
    ])
      expect(await errorOf(() => zarr.get(array, null, options))).toBe(reason);
    expect(await errorOf(() => zarr.open(new Map(), { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe.each(both)("selections of %s", (_, zarr) => {
  it("are made as zarrita makes them", async () => {
    expect([
      zarr.slice(3),
      zarr.slice(1, 3),
      zarr.slice(null),
      zarr.slice(1, null, 2),
      zarr.slice(1n, 3n),
    ]).toEqual([
      { start: null, stop: 3, step: null },
      { start: 1, stop: 3, step: null },
      { start: null, stop: null, step: null },
      { start: 1, stop: null, step: 2 },
      { start: 1, stop: 3, step: null },
    ]);
    const store = new MapStore();
    await writeV3(store, v3Meta({ dimension_names: ["y", "x"] }), elementsOf("int32", 24, 46));
    const array = await openArray(zarr, store);
    expect(zarr.select(array, { x: 2 })).toEqual([null, 2]);
    const whole = valuesOf(await zarr.get(array)).values;
    expect(await zarr.get(array, [1.9, -1])).toBe(whole[11]);
    expect(valuesOf(await zarr.get(array, [null, zarr.slice(-2, null)])).values).toEqual(
      whole.filter((_, i) => i % 6 >= 4),
    );
  });

  it("into shared memory", async () => {
    const store = new MapStore();
    await writeV3(store, v3Meta({ codecs: [bytesLittle, zstd] }), elementsOf("int32", 24, 47));
    const array = await openArray(zarr, store);
    const region = (await zarr.get(array, null, { useSharedArrayBuffer: true })) as zarrita.Chunk<"int32">;
    expect(region.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(valuesOf(region)).toEqual(valuesOf(await zarr.get(array)));
    const missing = await openArray(zarr, documents({ "/zarr.json": v3Meta({ fill_value: 3 }) }));
    const chunk = (await missing.getChunk(
      [0, 0],
      {},
      { useSharedArrayBuffer: true },
    )) as zarrita.Chunk<"int32">;
    expect(chunk.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...chunk.data]).toEqual([3, 3, 3, 3, 3, 3]);
  });
});

describe.each(both)("extensions with %s", (_, zarr) => {
  it("may replace getChunk, by the array and by the store", async () => {
    const store = new MapStore();
    await writeV3(
      store,
      v3Meta({ shape: [5, 7], codecs: [transposed(1, 0), bytesLittle] }),
      elementsOf("int32", 35, 48),
    );
    const calls: string[] = [];
    const withLog = zarr.defineArrayExtension((array, name: string = "array") => ({
      name,
      getChunk(coordinates: number[], options?: object, more?: object) {
        calls.push(`${name} ${coordinates}`);
        return array.getChunk(coordinates, options as never, more as never);
      },
    }));
    const plain = await openArray(zarr, store);
    const array = await zarr.extendArray(plain, withLog);
    expect([array.name, array.shape, array.dtype, array instanceof zarr.Array]).toEqual([
      "array",
      [5, 7],
      "int32",
      true,
    ]);
    for (const selection of [null, [2, null], [zarr.slice(1, 5, 2), zarr.slice(2, null)], [4, 6]] as never[])
      expect(valuesOf(await zarr.get(array, selection))).toEqual(valuesOf(await zarr.get(plain, selection)));
    expect(calls).toContain("array 2,2");
    const shared = (await zarr.get(array, null, { useSharedArrayBuffer: true })) as zarrita.Chunk<"int32">;
    expect(shared.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(valuesOf(shared)).toEqual(valuesOf(await zarr.get(plain)));
    const carrying = zarr.extendStore(
      store as never,
      zarr.defineStoreExtension(() => ({
        extra: () => 7,
        arrayExtensions: [((inner: AnyArray) => withLog(inner, "store")) as never],
      })),
    );
    expect((carrying as unknown as { extra(): number }).extra()).toBe(7);
    calls.length = 0;
    await zarr.get(await openArray(zarr, carrying), [0, 0]);
    expect(calls).toEqual(["store 0,0"]);
  });

  it("cache bytes", async () => {
    const store = new MapStore();
    await writeV3(store, v3Meta({ codecs: [sharded([1, 3])] }), elementsOf("int32", 24, 49));
    const counting = new CountingStore(store);
    const cache = new Map<string, Uint8Array | undefined>();
    const cached = zarr.withByteCaching(counting as never, { cache });
    const read = async () => valuesOf(await zarr.get(await openArray(zarr, cached)));
    const first = await read();
    const requests = counting.requests.length;
    expect(await read()).toEqual(first);
    expect(counting.requests.length).toBe(requests);
    expect(cache.size).toBeGreaterThan(0);
  });
});

describe("FetchStore", () => {
  it.each(both)("of %s reads over HTTP, with its options", async (_, zarr) => {
    const written = new MapStore();
    await writeV3(written, v3Meta({ codecs: [sharded([1, 3])] }), elementsOf("int32", 24, 54), {
      path: "data.zarr",
    });
    const server = await new ObjectServer(Object.fromEntries(written.entries)).start();
    try {
      const url = `${server.url}/data.zarr`;
      const seen: string[] = [];
      const store = new zarr.FetchStore(url, {
        overrides: { headers: { "x-token": "t" }, cache: "no-store" },
        fetch: (request) => {
          seen.push(`${request.headers.get("x-token")} ${request.cache}`);
          return fetch(request);
        },
      });
      expect(store.url).toBe(url);
      const expected = valuesOf(
        await zarr.get(await openArray(zarr, zarr.root(written).resolve("data.zarr"))),
      );
      expect(valuesOf(await zarr.get(await openArray(zarr, store)))).toEqual(expected);
      expect(new Set(seen)).toEqual(new Set(["t no-store"]));
      expect(await store.get("/nothing")).toBeUndefined();
      expect(await store.getRange("/zarr.json", { offset: 0, length: 1 })).toEqual(Uint8Array.of(123));
      server.behaviour.trouble = () => ({ status: 403 });
      expect(await errorOf(async () => store.get("/zarr.json"))).toBeInstanceOf(Error);
    } finally {
      await server.close();
    }
  });
});

describe("options that zarrita lacks", () => {
  it("pools, by option and for all reads", async () => {
    const store = new MapStore();
    const large = [256, 512];
    const meta = v3Meta({ shape: large, chunk_grid: regular(128, 256), codecs: [bytesLittle, zstd] });
    await writeV3(store, meta, elementsOf("int32", product(large), 51));
    const array = await dropIn.open(store as never, { kind: "array" });
    const expected = valuesOf(
      await ours.get(await openArray(zarrita, store).then(() => openArray(ours, store))),
    );
    const pool = new WorkerPool({ size: 2 });
    expect(pool.size).toBe(2);
    try {
      expect(valuesOf(await dropIn.get(array, null, { pool }))).toEqual(expected);
      dropIn.setPool(pool);
      expect(valuesOf(await dropIn.get(array))).toEqual(expected);
      const chunk = await array.getChunk([0, 0]);
      expect(chunk.shape).toEqual([128, 256]);
      const theirs = await (await openArray(zarrita, store)).getChunk([0, 0]);
      expect(valuesOf(chunk)).toEqual(valuesOf(theirs));
    } finally {
      dropIn.setPool(undefined);
      pool.destroy();
    }
  });

  it("limits on concurrent reads, including queues", async () => {
    const store = new MapStore();
    await writeV3(
      store,
      v3Meta({ shape: [40, 3], codecs: [bytesLittle, zstd] }),
      elementsOf("int32", 120, 52),
    );
    const counting = new CountingStore(store);
    counting.before = () => new Promise((resolve) => setTimeout(resolve, 1));
    const array = await dropIn.open(counting as never, { kind: "array" });
    const queue = { concurrency: 3, add: () => {}, onIdle: async () => {} };
    for (const [options, peak] of [
      [{ concurrency: 2 }, 2],
      [{ createQueue: () => queue }, 3],
    ] as const) {
      counting.reset();
      await dropIn.get(array, null, options);
      expect(counting.peak).toBe(peak);
    }
  });

  it("progress and priorities", async () => {
    const store = new MapStore();
    await writeV3(store, v3Meta({ codecs: [bytesLittle, zstd] }), elementsOf("int32", 24, 56));
    const array = await dropIn.open(store as never, { kind: "array" });
    const done: number[] = [];
    const onProgress = ({ chunks }: { chunks: number }) => done.push(chunks);
    const seen = valuesOf(await dropIn.get(array, null, { onProgress, priority: "centre" }));
    expect(seen).toEqual(valuesOf(await zarrita.get(await openArray(zarrita, store))));
    expect(done).toEqual([1, 2, 3, 4]);
  });

  it("a signal instead of the options", async () => {
    const array = await dropIn.open(
      documents({ "/zarr.json": v3Meta({ codecs: [bytesLittle, gzip] }) }) as never,
      { kind: "array" },
    );
    const reason = new Error("enough");
    expect(await errorOf(() => dropIn.get(array, null, AbortSignal.abort(reason) as never))).toBe(reason);
  });
});

describe("registerCodecs", () => {
  const count = 24;
  const elements = elementsOf("int32", count, 53);
  const known = [...zarrita.registry];
  const restore = () => {
    zarrita.registry.clear();
    for (const [name, load] of known) zarrita.registry.set(name, load);
  };

  it("gives zarrita this library's codecs", async () => {
    const chains: Codec[][] = [
      [bytesLittle, zstd],
      [bytesLittle, blosc()],
      [bytesLittle, { name: "crc32c", configuration: {} }],
      [bytesLittle, { name: "numcodecs.bz2", configuration: { level: 1 } }],
      [sharded([1, 3], [bytesLittle, gzip])],
    ];
    for (const codecs of chains) {
      const store = new MapStore();
      await writeV3(store, v3Meta({ codecs }), elements);
      const expected = valuesOf(await ours.get(await openArray(ours, store)));
      dropIn.registerCodecs(zarrita.registry);
      expect(valuesOf(await zarrita.get(await openArray(zarrita, store)))).toEqual(expected);
      restore();
    }
  });

  it("reads v2's, and lets zarrita write the ones it could not", async () => {
    dropIn.registerCodecs(zarrita.registry);
    try {
      const store = documents({
        "/.zarray": v2Meta({
          shape: [6],
          chunks: [6],
          compressor: { id: "lzma", format: 1, check: -1, preset: null, filters: null },
        }),
      });
      store.set(
        "/0",
        await encodeBytes(elements.slice(0, 24), [{ name: "numcodecs.lzma", configuration: {} }]),
      );
      expect(valuesOf(await zarrita.get(await openArray(zarrita, store))).values).toEqual([
        ...new Int32Array(elements.buffer, 0, 6),
      ]);
      const entries = new Map<string, Uint8Array>();
      const codecs = [bytesLittle, gzip, { name: "crc32c", configuration: {} }] as never;
      const array = await zarrita.create(entries as never, {
        shape: [6],
        chunkShape: [4],
        dtype: "int32",
        codecs,
        fillValue: 0,
      });
      const data = Int32Array.of(1, 2, 3, 4, 5, 6);
      await zarrita.set(array, null, { data, shape: [6], stride: [1] });
      expect(valuesOf(await ours.get(await openArray(ours, entries))).values).toEqual([...data]);
      entries.get("/c/0")![3]! ^= 1;
      expect(await errorOf(() => zarrita.get(array))).toMatchObject({
        _tag: "CodecPipelineError",
        codec: "crc32c",
      });
    } finally {
      restore();
    }
  });
});
