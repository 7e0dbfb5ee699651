// Folders of references in Parquet files: detection, opening, which files are read when, and caching.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  get,
  getBytes,
  HttpStore,
  listChildren,
  MapStore,
  open,
  type Store,
  slice,
  ZipStore,
} from "zarr-wasm";
import { ReferenceStore } from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { FolderReferences } from "#src/formats/kerchunk/folder.js";
import { temporaryFolder, writeStore } from "../support/cli-tool.js";
import { data, sampleFolder, sampleJson, sampleValues } from "../support/parquet-sample.js";
import { recordFile, referenceFolder, type TestReference } from "../support/parquet-writer.js";
import { ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf } from "../support/support.js";
import { writeZip } from "../support/zip-builder.js";

const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(objects: Record<string, Uint8Array>) {
  const server = await new ObjectServer(objects).start();
  servers.push(server);
  return server;
}

const below = (folder: string, files: Record<string, Uint8Array>) =>
  Object.fromEntries(Object.entries(files).map(([key, bytes]) => [folder + key, bytes]));

/** Reads all arrays of the sample. */
async function readAll(source: string | URL | Store) {
  const group = await open(source, { kind: "group" });
  const values: Record<string, number[]> = {};
  for (const name of Object.keys(sampleValues))
    values[name] = [...(await getBytes(await group.open(name, { kind: "array" }))).bytes];
  return values;
}

describe("a folder is opened", () => {
  it("by its URL, if its name ends with .parq or .parquet", async () => {
    const server = await start({
      ...below("/sample.parquet", sampleFolder("../data.bin")),
      ...below("/other", sampleFolder(`/data.bin`)),
      "/data.bin": data,
    });
    expect(await readAll(`${server.url}/sample.parquet`)).toEqual(sampleValues);
    expect(await readAll(`${server.url}/sample.parquet/`)).toEqual(sampleValues);
    expect((await errorOf(() => open(`${server.url}/other`))).code).toBe("not-found");
    const array = await open(`${server.url}/sample.parquet`, {
      path: "deep/grid",
      kind: "array",
      version: 2,
    });
    expect(array.shape).toEqual([3, 6]);
    expect((await open(`${server.url}/sample.parquet`, { path: "scalar" })).kind).toBe("array");
  });

  it("of files, in a store, in an archive", async () => {
    const folder = temporaryFolder();
    const place = path.join(folder, "refs #1.parq");
    writeStore(
      place,
      Object.entries(sampleFolder("../data.bin")).map(([key, bytes]) => [key.slice(1), bytes]),
    );
    writeFileSync(path.join(folder, "data.bin"), data);
    expect(await readAll(pathToFileURL(place))).toEqual(sampleValues);
    expect(await readAll(new FileSystemStore(place))).toEqual(sampleValues);
    expect(await readAll(new FileSystemStore(pathToFileURL(place)))).toEqual(sampleValues);
    expect(await readAll(await ReferenceStore.open(place))).toEqual(sampleValues);

    const server = await start({ "/data.bin": data });
    const files = sampleFolder(`${server.url}/data.bin`);
    expect(await readAll(new Map(Object.entries(files)))).toEqual(sampleValues);
    const parts = Object.entries(files).map(([key, bytes]) => ({ name: key.slice(1), bytes }));
    expect(await readAll(new ZipStore(writeZip(parts)))).toEqual(sampleValues);
    server.objects.set("/refs.zip", writeZip(parts));
    expect(await readAll(`${server.url}/refs.zip`)).toEqual(sampleValues);
  });

  it("by ReferenceStore.open, with its options", async () => {
    const server = await start({ ...below("/r", sampleFolder("x://far/data.bin")), "/d": data });
    const resolve = (target: string) => (target === "x://far/data.bin" ? `${server.url}/d` : undefined);
    const names = [`${server.url}/r/.zmetadata`, new URL(`${server.url}/r/.zmetadata?a=b`)];
    for (const name of names)
      expect(await readAll(await ReferenceStore.open(name, { resolve }))).toEqual(sampleValues);
    const whole = new MapStore(
      new Map(Object.entries(below("/in/it.parquet", sampleFolder("x://far/data.bin")))),
    );
    for (const key of ["/in/it.parquet", "in/it.parquet/", "/in/it.parquet/.zmetadata"])
      expect(await readAll(await ReferenceStore.open({ store: whole, key }, { resolve }))).toEqual(
        sampleValues,
      );
    expect((await errorOf(() => ReferenceStore.open(`${server.url}/none.parq`))).code).toBe("not-found");
    expect((await errorOf(() => ReferenceStore.open(whole))).code).toBe("not-found");
    const error = await errorOf(() =>
      ReferenceStore.open(`${server.url}/r/.zmetadata`, { limits: { references: -1 } }),
    );
    expect(error._tag).toBe("InvalidArgument");
  });

  it("by ReferenceStore.open without a name that tells, or not at all", async () => {
    const folder = temporaryFolder();
    const place = path.join(folder, "refs_unc");
    const files = Object.entries(sampleFolder("../data.bin"));
    writeStore(
      place,
      files.map(([key, bytes]) => [key.slice(1), bytes]),
    );
    writeFileSync(path.join(folder, "data.bin"), data);
    expect(await readAll(await ReferenceStore.open(place))).toEqual(sampleValues);
    expect(await readAll(await ReferenceStore.open(pathToFileURL(place)))).toEqual(sampleValues);
    const server = await start({ ...below("/r", sampleFolder("/data.bin")), "/data.bin": data });
    expect(await readAll(await ReferenceStore.open(`${server.url}/r`))).toEqual(sampleValues);
    mkdirSync(path.join(folder, "empty"));
    const error = await errorOf(() => ReferenceStore.open(path.join(folder, "empty")));
    expect([error._tag, error.message.includes("empty/.zmetadata")]).toEqual(["NotFound", true]);
    const before = server.log.length;
    expect((await errorOf(() => ReferenceStore.open(`${server.url}/none.json`))).code).toBe("not-found");
    expect(server.log.slice(before)).toEqual(["GET /none.json"]);
  });

  it("even with a group's document beside it", async () => {
    const files = { ...sampleFolder("x"), "/.zgroup": bytesOf('{"zarr_format":2}') };
    const store = new Map(Object.entries(files));
    const group = await open(store, { kind: "group" });
    expect(group.store).toBeInstanceOf(ReferenceStore);
    expect([...(await getBytes(await group.open("scalar", { kind: "array" }))).bytes]).toEqual([77]);
  });

  it("gives what the same references in JSON give", async () => {
    const server = await start({ "/data.bin": data });
    const store = new ReferenceStore(sampleJson(`${server.url}/data.bin`));
    expect(await readAll(store)).toEqual(sampleValues);
  });

  it("of kerchunk's own", async () => {
    const place = new URL("../../golden/kerchunk/combined.parq", import.meta.url);
    const group = await open(place, { kind: "group" });
    expect(group.attributes["MAP_PROJ_CHAR"]).toBe("Lambert Conformal");
    expect(await group.members()).toHaveLength(11);
    const { data: hours } = await get(await group.open("time", { kind: "array" }));
    expect([...(hours as Int32Array)]).toEqual([0, 1]);
    const urls: string[] = [];
    const store = await ReferenceStore.open(place, {
      fetch: async (request) => {
        urls.push(`${request.url} ${request.headers.get("range")}`);
        return new Response(null, { status: 404 });
      },
    });
    expect((await errorOf(() => store.get("/T2/1.0.0"))).code).toBe("bad-target");
    const bucket = "https://smn-ar-wrf.s3.amazonaws.com/DATA/WRF/DET/2022/12/31/12/";
    expect(urls).toEqual([`${bucket}WRFDETAR_01H_20221231_12_001.nc bytes=856217-3377159`]);
  });
});

describe("requests", () => {
  it("are for the document, and for the file that has the chunk", async () => {
    const server = await start({ ...below("/s.parquet", sampleFolder("/data.bin")), "/data.bin": data });
    const group = await open(`${server.url}/s.parquet`, { kind: "group" });
    const array = await group.open("t", { kind: "array" });
    expect(server.log).toEqual(["GET /s.parquet/.zmetadata"]);
    await get(array, [slice(6, 7)]);
    expect(server.log.slice(1)).toEqual(["GET /s.parquet/t/refs.1.parq"]);
    await get(array, [slice(0, 4)]);
    expect(server.log.slice(2).sort()).toEqual([
      "GET /data.bin bytes=10-11",
      "GET /data.bin bytes=20-21",
      "GET /s.parquet/t/refs.0.parq",
    ]);
    const before = server.log.length;
    await get(await group.open("empty", { kind: "array" }));
    await get(await group.open("empty", { kind: "array" }));
    expect(server.log.slice(before)).toEqual(["GET /s.parquet/empty/refs.0.parq"]);
  });

  it("are shared, and continue for the callers that still wait", async () => {
    const server = await start(sampleFolder("x://y"));
    const store = await ReferenceStore.open(`${server.url}/.zmetadata`, {
      resolve: () => ({ store: new Map([["/k", data]]), key: "/k" }),
    });
    const controller = new AbortController();
    const first = store.get("/t/0", { signal: controller.signal });
    const others = [store.get("/t/0"), store.get("/t/1"), store.get("/t/2")];
    controller.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect((await Promise.all(others)).map((bytes) => bytes?.byteLength)).toEqual([2, 2, undefined]);
    expect(server.log.filter((line) => line.includes("parq"))).toEqual(["GET /t/refs.0.parq"]);
  });

  it("are repeated after a failure", async () => {
    const server = await start(sampleFolder("x://y"));
    const store = await ReferenceStore.open(`${server.url}/.zmetadata`, { retries: 0 });
    server.behaviour = { trouble: () => ({ status: 500 }) };
    expect((await errorOf(() => store.get("/t/3")))._tag).toBe("Network");
    server.behaviour = { trouble: () => ({ status: 403 }) };
    expect((await errorOf(() => store.get("/t/3"))).status).toBe(403);
    server.behaviour = {};
    expect([...(await store.get("/t/3"))!]).toEqual([1, 2]);
  });

  it("send the folder's headers to the folder's origin alone", async () => {
    const [own, other] = [await start({}), await start({ "/data.bin": data })];
    for (const [key, bytes] of Object.entries(sampleFolder(`${other.url}/data.bin`)))
      own.objects.set(key, bytes);
    const seen: (string | undefined)[] = [];
    const look = (request: { headers: Record<string, unknown> }) => {
      seen.push(request.headers["x-key"] as string | undefined);
      return undefined;
    };
    own.behaviour = other.behaviour = { trouble: look as never };
    const store = await ReferenceStore.open(`${own.url}/.zmetadata`, { headers: { "x-key": "secret" } });
    expect([...(await store.get("/t/0"))!]).toEqual([...data.slice(10, 12)]);
    expect(seen).toEqual(["secret", "secret", undefined]);
  });

  it("of files are repeated if few are cached", async () => {
    const many = Array.from({ length: 40 }, (_, i): TestReference => Uint8Array.of(i));
    const array = {
      zarr_format: 2,
      shape: [40],
      chunks: [1],
      dtype: "|u1",
      compressor: null,
      filters: null,
      fill_value: 0,
    };
    const server = await start(
      referenceFolder({ ".zgroup": { zarr_format: 2 }, "a/.zarray": array }, { a: many }, 10),
    );
    const place = { store: new HttpStore(server.url), folder: "" };
    const count = async (cacheBytes: number) => {
      server.seen.length = 0;
      const limits = { fileBytes: 2 ** 20, rows: 100, cacheBytes };
      const references = (await FolderReferences.find(place, limits, undefined))!;
      for (const at of [0, 1, 10, 0, 30, 31, 0])
        expect(await references.find(`/a/${at}`, undefined)).toMatchObject({ bytes: Uint8Array.of(at) });
      return server.log.filter((line) => line.includes("refs.")).length;
    };
    expect(await count(2 ** 20)).toBe(3);
    expect(await count(0)).toBe(5);
  });
});

describe("keys", () => {
  const store = ReferenceStore.open(new Map(Object.entries(sampleFolder("x"))));
  it("of documents", async () => {
    const references = await store;
    expect(await listChildren(references, "")).toEqual(["deep", "empty", "scalar", "slashed", "t"]);
    expect([...references.list("t")].sort()).toEqual(["/t/.zarray", "/t/.zattrs"]);
    const root = JSON.parse(Buffer.from((await references.get("/.zmetadata"))!).toString());
    expect(root.zarr_consolidated_format).toBe(1);
    expect(root.metadata["t/.zattrs"]).toEqual({ _ARRAY_DIMENSIONS: ["t"] });
  });

  it("that are none of the grid are missing", async () => {
    const references = await store;
    const keys = [
      "/t/4",
      "/t/0.0",
      "/t/99999999999999999999",
      "/t",
      "/t/x",
      "/nothing/0",
      "/deep/grid/0",
      "/deep/grid/2.0",
    ];
    for (const key of [
      ...keys,
      "/scalar/1",
      "/0",
      "/t/-1",
      "/t/refs.0.parq",
      "/t/.zattrs2",
      "/slashed/0",
      "/slashed/0/2",
    ])
      expect(await references.get(key), key).toBeUndefined();
    expect([...(await references.getRange("/t/3", { offset: 1, length: 5 }))!]).toEqual([2]);
  });

  it("keep numbers in documents as they are written", async () => {
    const text =
      '{"metadata":{".zgroup":{"zarr_format":2},".zattrs":{"a":1.0,"b":12345678901234567890}},"record_size":3}';
    const references = await ReferenceStore.open(new Map([["/.zmetadata", bytesOf(text)]]));
    expect(Buffer.from((await references.get("/.zattrs"))!).toString()).toBe(
      '{"a":1.0,"b":12345678901234567890}',
    );
  });
});

describe("documents that cannot be", () => {
  const array = { shape: [10], chunks: [1] };
  const cases: [string, unknown, string][] = [
    ["no size", { metadata: {}, record_size: null }, "bad-reference"],
    ["a size of nothing", { metadata: {}, record_size: 0 }, "bad-reference"],
    ["half a size", { metadata: {}, record_size: 1.5 }, "bad-reference"],
    ["no metadata", { record_size: 1 }, "bad-reference"],
    ["metadata that is a string", { metadata: "x", record_size: 1 }, "bad-reference"],
    ["a document that is a string", { metadata: { ".zgroup": "{}" }, record_size: 1 }, "bad-reference"],
    ["Zarr v3", { metadata: { "zarr.json": {} }, record_size: 1 }, "parquet-references"],
    ["no record_size", { metadata: {} }, "not-found"],
    ["a list", [1], "not-found"],
    ["no JSON", undefined, "not-json"],
  ];
  it.each(cases)("%s", async (_name, document, code) => {
    const bytes = bytesOf(document === undefined ? "<p>" : JSON.stringify(document));
    expect((await errorOf(() => ReferenceStore.open(new Map([["/.zmetadata", bytes]])))).code).toBe(code);
  });

  it("are recognised by open, too", async () => {
    const cut = bytesOf(JSON.stringify({ metadata: {}, record_size: 5 }).slice(0, 20));
    const server = await start({
      "/a.parq/.zmetadata": cut,
      "/b/.zmetadata": cut,
      "/v2/.zmetadata": cut,
      "/v2/.zgroup": bytesOf('{"zarr_format":2}'),
    });
    for (const read of [open, ReferenceStore.open]) {
      const error = await errorOf(() => read(`${server.url}/a.parq`));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "not-json"]);
      expect(error.message).toContain(`${server.url}/a.parq/.zmetadata is not valid JSON`);
    }
    // In any other folder, it is only the reason why nothing was found.
    const stores = {
      b: { "/.zmetadata": cut },
      v2: { "/.zmetadata": cut, "/.zgroup": bytesOf('{"zarr_format":2}') },
    };
    for (const [name, options] of [
      ["b", {}],
      ["v2", { path: "none", version: 2 as const }],
    ] as const) {
      const error = await errorOf(() => open(new Map(Object.entries(stores[name])), options));
      expect([error._tag, error.code]).toEqual(["NotFound", "not-found"]);
      expect(error.message).toMatch(/^no Zarr array or group found.*\.zmetadata is not valid JSON/);
      const remote = await errorOf(() => open(`${server.url}/${name}`, options));
      expect([remote._tag, remote.code]).toEqual(["NotFound", "not-found"]);
    }
    expect((await open(`${server.url}/v2`)).kind).toBe("group");
  });

  it("are named once by errors of chunks", async () => {
    const store = await ReferenceStore.open(new Map(Object.entries(sampleFolder("x://y"))), {
      resolve: () => ({ store: new Map([["/x", new Uint8Array(11)]]), key: "/x" }),
    });
    const array = await open(store, { path: "t", kind: "array" });
    const error = await errorOf(() => get(array, [slice(0, 1)]));
    expect(error.message).toBe("chunk /t/0: /x is 1 bytes too short");
    expect(error["chunkKey"]).toBe("/t/0");
    expect((await errorOf(() => store.get("/t/0"))).message).toBe("/t/0: /x is 1 bytes too short");
  });

  it.each<[string, { shape: number[]; chunks?: number[] }]>([
    ["no chunks", { shape: [1] }],
    ["other dimensions", { shape: [1, 2], chunks: [1] }],
    ["chunks of nothing", { shape: [1], chunks: [0] }],
    ["negative ones", { shape: [-1], chunks: [1] }],
    ["fractions", { shape: [1.5], chunks: [1] }],
    ["more chunks than can be counted", { shape: [2 ** 53 - 1, 2 ** 53 - 1], chunks: [1, 1] }],
  ])("arrays with %s", async (_name, own) => {
    const document = { metadata: { "a/.zarray": own }, record_size: 10 };
    const store = await ReferenceStore.open(new Map([["/.zmetadata", bytesOf(JSON.stringify(document))]]));
    const key = own.shape.length > 1 && own.chunks?.length === 2 ? "/a/9007199254740990.5" : "/a/0";
    expect((await errorOf(() => store.get(key))).code).toBe("bad-reference");
  });

  it("arrays with very many chunks cost nothing before they are read", async () => {
    const own = {
      ...array,
      zarr_format: 2,
      shape: [2 ** 52],
      dtype: "|u1",
      compressor: null,
      filters: null,
      fill_value: 3,
    };
    const document = { metadata: { "a/.zarray": own }, record_size: 10 };
    const last = Math.floor((2 ** 52 - 1) / 10);
    const rows = Array.from({ length: 10 }, (_, i): TestReference => Uint8Array.of(i));
    const files = new Map([
      ["/.zmetadata", bytesOf(JSON.stringify(document))],
      [`/a/refs.${last}.parq`, recordFile(rows)],
    ]);
    const store = await ReferenceStore.open(files);
    expect([...(await store.get(`/a/${2 ** 52 - 1}`))!]).toEqual([(2 ** 52 - 1) % 10]);
  });

  it("ignores keys that point outside the folder", async () => {
    const document = { metadata: { "../a/.zarray": array, "b/../c/.zarray": array }, record_size: 1 };
    const store = await ReferenceStore.open(new Map([["/.zmetadata", bytesOf(JSON.stringify(document))]]));
    expect([...store.list("")]).toEqual(["/.zmetadata"]);
  });
});

it("remote documents cannot refer to local files", async () => {
  const folder = temporaryFolder();
  const secret = path.join(folder, "secret");
  mkdirSync(folder, { recursive: true });
  writeFileSync(secret, data);
  const server = await start(sampleFolder(pathToFileURL(secret).href));
  const array = await open(await ReferenceStore.open(server.url), { path: "t", kind: "array" });
  expect((await errorOf(() => get(array))).code).toBe("unsupported-reference");
  const inMemory = await open(new Map(Object.entries(sampleFolder(pathToFileURL(secret).href))), {
    path: "t",
    kind: "array",
  });
  expect((await errorOf(() => get(inMemory))).code).toBe("unsupported-reference");
});
