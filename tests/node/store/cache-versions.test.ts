// Persistent caches and versions: servers that break connections, replace data, redirect, and lie.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { getBytes, HttpStore, open, slice, ZipStore } from "zarr-wasm";
import { PersistentCache } from "zarr-wasm/cache";
import { ReferenceStore } from "zarr-wasm/formats";
import {
  folder,
  fresh,
  openVisit,
  putArray,
  read,
  server,
  useCacheServer,
  visit,
} from "../support/cache-visits.js";
import { bytesOf, errorOf } from "../support/support.js";
import { bytesLittle, json, regular, sharded, v2Meta, v3Meta } from "../support/zarr-writer.js";
import { writeZip } from "../support/zip-builder.js";

useCacheServer();

/** Chunks of 4 × 4 bytes that hold the version, and documents of that version. */
const side = 16;
const chunks = Array.from({ length: 16 }, (_, i) => [Math.floor(i / 4), i % 4] as const);
const chunkOf = (version: number) => new Uint8Array(16).fill(version);
const v3 = (version: number) =>
  v3Meta({
    ...{ shape: [side, side], data_type: "uint8", chunk_grid: regular(4, 4), codecs: [{ name: "bytes" }] },
    attributes: { version },
  });
const v2 = v2Meta({
  ...{ shape: [side, side], chunks: [4, 4], dtype: "|u1", compressor: null, filters: null },
});

const put = {
  /** Documents and chunks of a v3 array. */
  v3(version: number) {
    server.set("/a/zarr.json", json(v3(version)), `"d${version}"`);
    for (const [i, k] of chunks) server.set(`/a/c/${i}/${k}`, chunkOf(version), `"${version}"`);
  },
  /** A v2 array of which only the attributes and chunks change. */
  v2(version: number) {
    server.set("/a/.zarray", json(v2), '"same"');
    server.set("/a/.zattrs", json({ version }), `"d${version}"`);
    for (const [i, k] of chunks) server.set(`/a/${i}.${k}`, chunkOf(version), `"${version}"`);
  },
  /** References to one file that is replaced with them. */
  references(version: number) {
    const refs: Record<string, unknown> = {
      ".zarray": JSON.stringify(v2),
      ".zattrs": `{"version":${version}}`,
    };
    for (const [n, [i, k]] of chunks.entries())
      refs[`${i}.${k}`] = [`${server.url}/data/file.nc`, 16 * n, 16];
    server.set("/refs/a.json", json({ version: 1, refs }), `"d${version}"`);
    server.set("/data/file.nc", new Uint8Array(256).fill(version), `"${version}"`);
  },
  sharded(version: number) {
    return putArray(
      "/a",
      version,
      { chunk_grid: regular(8, 8), codecs: [sharded([4, 4], [bytesLittle])], attributes: { version } },
      { order: version % 2 ? "reverse" : "shuffled", gap: 4 * version },
    );
  },
};

/** Opens the array in a new visit and reads it; returns the values that occur, and the version of the attributes. */
async function readAll(given = visit({ retries: 8 }), version: 2 | 3 = 3) {
  const array = await open(given.store, { path: "a", kind: "array", version });
  const { bytes } = await getBytes(array);
  await given.cache.flush();
  return { values: [...new Set(bytes)], attributes: array.attributes["version"] };
}

/** Stores about half of the chunks of version 1. */
async function storeHalf(version: 2 | 3 = 3) {
  const { store, cache } = visit();
  const array = await open(store, { path: "a", kind: "array", version });
  await getBytes(array, [slice(0, 8), null]);
  await cache.flush();
}

describe("one get", () => {
  it("over a server that breaks 30 % of its connections returns one version, 40 times", async () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    server.headers = fresh;
    for (let round = 0; round < 40; round++) {
      server.intercept = () => false;
      put.v3(1);
      await storeHalf();
      put.v3(2);
      server.intercept = (request) => random() < 0.3 && Boolean(request.socket.destroy());
      expect(await readAll()).toEqual({ values: [2], attributes: 2 });
      await visit().cache.clear();
    }
  });

  it.each([
    ["max-age", { "cache-control": "max-age=3600" }],
    ["immutable", { "cache-control": "immutable" }],
    ["nothing but ETags", {}],
  ])(
    "returns one version after .zattrs and chunks with %s were replaced, .zarray was not",
    async (_, headers) => {
      server.headers = () => headers;
      put.v2(1);
      await storeHalf(2);
      put.v2(2);
      expect(await readAll(visit(), 2)).toEqual({ values: [2], attributes: 2 });
      expect(await readAll(visit(), 2)).toEqual({ values: [2], attributes: 2 });
    },
  );

  it.each(["max-age=3600", "immutable"])(
    "returns one version after a kerchunk file was replaced (%s)",
    async (control) => {
      server.headers = () => ({ "cache-control": control });
      const look = async (rows: ReturnType<typeof slice> | null) => {
        const persistentCache = new PersistentCache({ name: "test", folder });
        const store = await ReferenceStore.open(`${server.url}/refs/a.json`, { persistentCache });
        const array = await open(store, { kind: "array" });
        const { bytes } = await getBytes(array, [rows, null]);
        await persistentCache.flush();
        return { values: [...new Set(bytes)], attributes: array.attributes["version"] };
      };
      for (const version of [1, 2, 3]) {
        put.references(version);
        expect(await look(slice(0, 8))).toEqual({ values: [version], attributes: version });
        expect(await look(null)).toEqual({ values: [version], attributes: version });
      }
    },
  );

  it("of a sharded array that was replaced returns the new one, whatever was stored", async () => {
    server.headers = fresh;
    for (let round = 1; round <= 10; round++) {
      await put.sharded(2 * round);
      const first = visit();
      const before = await open(first.store, { path: "a", kind: "array", version: 3 });
      await getBytes(before, [slice(0, 4), null], { wholeShardBytes: 0 });
      await first.cache.flush();
      const next = await put.sharded(2 * round + 1);
      const { store, cache } = visit();
      const array = await open(store, { path: "a", kind: "array", version: 3 });
      expect((await getBytes(array, null, { wholeShardBytes: 0 })).bytes).toEqual(next.elements);
      expect(array.attributes["version"]).toBe(2 * round + 1);
      await cache.clear();
    }
  });

  it("fails if a shard turns out replaced that the server calls fresh, and the next one is right", async () => {
    server.headers = fresh;
    await put.sharded(1);
    const document = server.objects.get("/a/zarr.json")!;
    const first = visit();
    const before = await open(first.store, { path: "a", kind: "array", version: 3 });
    await getBytes(before, [slice(0, 4), slice(0, 4)], { wholeShardBytes: 0 });
    await first.cache.flush();
    const next = await put.sharded(2);
    server.objects.set("/a/zarr.json", document);
    const array = await open(visit().store, { path: "a", kind: "array", version: 3 });
    const all = () => getBytes(array, null, { wholeShardBytes: 0 });
    expect(await errorOf(all)).toMatchObject({ _tag: "Network", code: "outdated" });
    expect((await all()).bytes).toEqual(next.elements);
  });

  it("uses no chunk of a document that is not stored, has vanished, or cannot be confirmed", async () => {
    for (const control of ["no-store", "private"]) {
      server.headers = (path) => (path.endsWith("json") ? { "cache-control": control } : fresh());
      put.v3(1);
      await storeHalf();
      put.v3(2);
      expect(await readAll()).toEqual({ values: [2], attributes: 2 });
      await visit().cache.clear();
    }
    server.headers = fresh;
    put.v2(1);
    await storeHalf(2);
    put.v2(2);
    server.objects.delete("/a/.zattrs");
    expect((await readAll(visit(), 2)).values).toEqual([2]);
  });

  it("of a zip that is replaced fails at most once, and later visits do not fail", async () => {
    server.headers = fresh;
    const zipOf = (version: number, gap: number) =>
      writeZip([
        { name: "padding", bytes: new Uint8Array(gap) },
        { name: "zarr.json", bytes: json(v3(version)) },
        ...chunks.map(([i, k]) => ({ name: `c/${i}/${k}`, bytes: chunkOf(version) })),
      ]);
    const start = () => {
      const persistentCache = new PersistentCache({ name: "test", folder });
      const store = new ZipStore(`${server.url}/a.zip`, { persistentCache });
      const look = async () => {
        const array = await open(store, { kind: "array" });
        return [...new Set((await getBytes(array)).bytes), array.attributes["version"]];
      };
      return { look, flush: () => persistentCache.flush() };
    };
    for (let version = 1; version <= 20; version++) {
      server.set("/a.zip", zipOf(version, 100 * version), `"${version}"`);
      const { look, flush } = start();
      expect(await look()).toEqual([version, version]);
      server.set("/a.zip", zipOf(version + 100, 7000), `"${version}b"`);
      const failure = await look().then(
        () => undefined,
        (error) => error,
      );
      if (failure) expect(failure).toMatchObject({ _tag: "Network", code: "changed" });
      expect(await look()).toEqual([version + 100, version + 100]);
      await flush();
    }
  });
});

describe("offline", () => {
  it("never combines versions of documents and chunks", async () => {
    put.v3(1);
    await storeHalf();
    put.v3(2);
    const second = visit();
    const array = await open(second.store, { path: "a", kind: "array", version: 3 });
    await getBytes(array, [slice(0, 4), null]);
    await second.cache.flush();
    const offline = visit();
    offline.cache.offline = true;
    const stored = await open(offline.store, { path: "a", kind: "array", version: 3 });
    expect(stored.attributes["version"]).toBe(2);
    expect([...new Set((await getBytes(stored, [slice(0, 4), null])).bytes)]).toEqual([2]);
    // The chunks of the second row are of version 1.
    expect(await errorOf(() => getBytes(stored))).toMatchObject({ _tag: "Network", code: "offline" });
  });

  it("data are confirmed once the program is online again", async () => {
    put.v3(1);
    await storeHalf();
    put.v3(2);
    const { store, cache } = visit();
    cache.offline = true;
    const stored = await open(store, { path: "a", kind: "array", version: 3 });
    expect([...new Set((await getBytes(stored, [slice(0, 8), null])).bytes)]).toEqual([1]);
    cache.offline = false;
    expect([...new Set((await getBytes(stored)).bytes)]).toEqual([2]);
    expect(await readAll({ store, cache })).toEqual({ values: [2], attributes: 2 });
  });

  it("data need not be opened again if the server has the same", async () => {
    put.v3(1);
    await storeHalf();
    const { store, cache } = visit();
    cache.offline = true;
    const stored = await open(store, { path: "a", kind: "array", version: 3 });
    cache.offline = false;
    expect([...new Set((await getBytes(stored)).bytes)]).toEqual([1]);
  });

  it("applies to browsers that report it, except for servers on the same machine", async () => {
    put.v3(1);
    const { fetch } = globalThis;
    // Names of other machines lead here.
    vi.stubGlobal("fetch", (url: URL | Request, init?: RequestInit) => {
      const at = new URL(url instanceof Request ? url.url : url);
      return fetch(String(at).replace(/^http:\/\/data\.example/, server.url), init);
    });
    const at = (origin: string) => visit({ retries: 0 }, 2 ** 26, origin);
    expect(await readAll(at("http://data.example"))).toEqual({ values: [1], attributes: 1 });
    vi.stubGlobal("navigator", { onLine: false });
    server.log();
    expect(await readAll(at("http://data.example"))).toEqual({ values: [1], attributes: 1 });
    expect(server.log()).toEqual([]);
    put.v3(2);
    expect(await readAll(at(server.url))).toEqual({ values: [2], attributes: 2 });
  });

  it("sends no requests at all, also none that are never stored", async () => {
    put.v3(1);
    const { store, cache } = visit({ headers: { authorization: "Bearer 1" } });
    cache.offline = true;
    expect(await errorOf(() => store.get("/a/zarr.json"))).toMatchObject({ code: "offline" });
    expect(server.log()).toEqual([]);
  });
});

describe("is not stored", () => {
  it.each([
    ["private", { "cache-control": "private" }],
    ["no-store", { "cache-control": "no-store" }],
    ["a cookie", { "set-cookie": "a=b" }],
    ["nothing", {}],
  ])("a response through a redirect with %s", async (_, headers) => {
    server.headers = fresh;
    server.set("/target", bytesOf("chunk"));
    for (const target of ["/target", "/target?X-Amz-Signature=1"]) {
      server.intercept = ({ url }, response) => {
        if (url !== "/c/0") return false;
        response.writeHead(302, { ...headers, location: target, "cache-control": "max-age=60" }).end();
        return true;
      };
      for (const options of [{}, { fetch: globalThis.fetch }])
        for (const _again of [1, 2]) expect(await read(["/c/0"], options)).toHaveLength(2);
    }
  });

  it("a response whose stored version now redirects, also if the target confirms it", async () => {
    server.headers = fresh;
    server.set("/c/0", bytesOf("old"), '"1"');
    await read(["/c/0"]);
    server.set("/target", bytesOf("new"), '"1"');
    server.set("/zarr.json", bytesOf("{ }"), '"new"');
    server.intercept = ({ url }, response) => {
      if (url !== "/c/0") return false;
      response.writeHead(302, { location: "/target" }).end();
      return true;
    };
    expect(await (await openVisit()).store.get("/c/0")).toEqual(bytesOf("new"));
  });

  it("an object any longer after a 304 or another response with no-store", async () => {
    for (const isReplaced of [false, true]) {
      server.headers = () => ({});
      server.set("/c/0", bytesOf("chunk"), '"1"');
      await read(["/c/0"]);
      if (isReplaced) server.set("/c/0", bytesOf("other"), '"2"');
      server.headers = (path) => (path === "/c/0" ? { "cache-control": "no-store" } : {});
      expect(await read(["/c/0"])).toEqual([`/c/0 ${isReplaced ? 200 : 304}`]);
      expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
      const { store, cache } = visit();
      cache.offline = true;
      expect(await errorOf(() => store.get("/c/0"))).toMatchObject({ code: "offline" });
    }
  });
});

describe("clocks", () => {
  it.each([
    [
      "a Date in the future",
      () => ({ date: new Date(Date.now() + 1e8).toUTCString(), "cache-control": "max-age=1" }),
    ],
    ["an invalid Age", () => ({ age: "old", "cache-control": "max-age=1" })],
    ["several lifetimes", () => ({ "cache-control": "max-age=100000, max-age=1" })],
    ["Expires before Date", () => ({ date: new Date().toUTCString(), expires: new Date(0).toUTCString() })],
  ])("a response with %s is confirmed after two seconds", async (_, headers) => {
    server.set("/c/0", bytesOf("chunk"), '"1"');
    server.headers = (path) => (path === "/c/0" ? headers() : {});
    await read(["/c/0"]);
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now + 2000);
    expect(await read(["/c/0"])).toEqual(["/c/0 304"]);
    vi.restoreAllMocks();
  });
});

it("two programs of which one still has the old documents leave no mixed entries", async () => {
  server.headers = fresh;
  put.v3(1);
  const old = visit();
  const array = await open(old.store, { path: "a", kind: "array", version: 3 });
  await getBytes(array, [slice(0, 4), null]);
  put.v3(2);
  expect(await readAll()).toEqual({ values: [2], attributes: 2 });
  await getBytes(array, [slice(4, 8), null]);
  await old.cache.flush();
  expect(await readAll()).toEqual({ values: [2], attributes: 2 });
  put.v3(3);
  expect(await readAll()).toEqual({ values: [3], attributes: 3 });
});

it("a server of another port is another origin", async () => {
  server.headers = fresh;
  server.set("/c/0", bytesOf("chunk"));
  await read(["/c/0"]);
  const other = http.createServer((_, response) => response.writeHead(404).end()).listen(0);
  await new Promise((resolve) => other.once("listening", resolve));
  const { cache } = visit();
  const at = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await new HttpStore(at, { persistentCache: cache }).get("/c/0")).toBeUndefined();
  other.close();
});
