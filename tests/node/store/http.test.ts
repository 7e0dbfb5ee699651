// HttpStore and FileSystemStore, against real servers and files.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { get, getBytes, HttpStore, isZarrError, open } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { type Answer, errorOf, goldenCases, serve, sha256, storeOf, v1Store } from "../support/support.js";

const golden = goldenCases("v1").find((g) => g.name.includes("010-blosc-lz4-s2"))!;
const fresh = new URL("../../../build/tmp/", import.meta.url).pathname;
const open_: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(open_.splice(0).map((close) => close()));
});

/** A server of a Map store below /data/, with some paths answered differently. */
async function serveStore(store: Map<string, Uint8Array>, special: Record<string, Answer> = {}) {
  const server = await serve((url) => {
    const { pathname } = new URL(url, "http://x");
    return special[pathname] ?? store.get(decodeURIComponent(pathname.slice("/data".length)));
  });
  open_.push(server.close);
  return server;
}

describe("HttpStore", () => {
  it("reads an array over HTTP", async () => {
    const server = await serveStore(storeOf(golden));
    for (const source of [`${server.url}/data`, `${server.url}/data/`, new URL(`${server.url}/data/`)]) {
      const array = await open(source, { kind: "array" });
      expect(sha256((await getBytes(array)).bytes)).toBe(golden.sha256);
    }
  });

  it("opens below a path, percent-encodes keys and keeps the query", async () => {
    const store = new Map([...v1Store()].map(([key, value]) => [`/a b/é?#%2e${key}`, value]));
    const server = await serveStore(store);
    const array = await open(`${server.url}/data?token=a/b`, { kind: "array", path: "a b/é?#%2e" });
    expect(array.shape).toEqual([4, 6]);
    expect(server.requests.map((r) => r.path)).toContain("/data/a%20b/%C3%A9%3F%23%252e/meta?token=a/b");
    await get(array); // missing chunks: 404
    const away = new HttpStore(`${server.url}/data`);
    expect(await away.get("//evil.example/x")).toBeUndefined(); // stays on its host
    expect(server.requests.at(-1)!.path).toBe("/data//evil.example/x");
    for (const key of ["/../x", "/a/./b", "/a/..", "/\ud800"]) {
      expect((await errorOf(() => away.get(key)))._tag, key).toBe("InvalidArgument");
    }
  });

  it.each([404, 410])("treats %d as missing", async (status) => {
    const server = await serveStore(v1Store({ fill_value: 9 }), { "/data/0.0": { status } });
    const region = await get(await open(`${server.url}/data`, { kind: "array" }), [0, 0]);
    expect(region.data[0]).toBe(9);
  });

  it.each([400, 401, 403, 416, 429, 500, 502, 503])("never treats %d as missing", async (status) => {
    const server = await serveStore(v1Store({ fill_value: 9 }), { "/data/0.0": { status, body: "oops" } });
    const array = await open(new HttpStore(`${server.url}/data`, { retryDelay: 1 }), { kind: "array" });
    for (const work of [() => get(array), () => array.getChunk([0, 0])]) {
      const error = await errorOf(work);
      expect([error._tag, error.status, error.chunkKey]).toEqual(["Network", status, "/0.0"]);
      expect(error.message).toContain(`/data/0.0 answered ${status}`);
    }
    expect((await get(array, [3])).data.length).toBe(6);
  });

  it("does not treat a failed meta as missing", async () => {
    const server = await serveStore(new Map(), { "/data/meta": { status: 500 } });
    const store = new HttpStore(`${server.url}/data`, { retryDelay: 1 });
    expect(isZarrError(await errorOf(() => open(store)), "Network")).toBe(true);
    expect(isZarrError(await errorOf(() => open(`${server.url}/nothing`)), "NotFound")).toBe(true);
  });

  it("does not treat an HTML page as data", async () => {
    const page = {
      status: 200,
      body: "<!doctype html><h1>Sorry</h1>",
      headers: { "content-type": "text/html" },
    };
    const server = await serveStore(v1Store({ compression: "blosc" }), { "/data/0.0": page });
    const array = await open(`${server.url}/data`, { kind: "array" });
    expect(await errorOf(() => get(array))).toMatchObject({ _tag: "Network", code: "html-page" });
    const other = await serveStore(new Map(), { "/data/meta": page });
    const error = await errorOf(() => open(`${other.url}/data`));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "not-json"]);
    expect(error.message).toMatch(/meta is not valid JSON: .*HTML page/);
  });

  it("sends headers, uses the caller's fetch, limits answers", async () => {
    const server = await serveStore(v1Store());
    const urls: string[] = [];
    const store = new HttpStore(`${server.url}/data`, {
      headers: { authorization: "Bearer x" },
      fetch: (request) => {
        urls.push(request.url);
        return fetch(request);
      },
    });
    await open(store);
    expect(server.requests.every((r) => r.headers.authorization === "Bearer x")).toBe(true);
    expect(urls.length).toBe(server.requests.length);
    const narrow = new HttpStore(`${server.url}/data`, { maxBytes: 10 });
    expect((await errorOf(() => narrow.get("/meta")))._tag).toBe("LimitExceeded");
  });
});

describe("FileSystemStore", () => {
  mkdirSync(fresh, { recursive: true });
  const folder = mkdtempSync(path.join(fresh, "store-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("reads an array from a folder, by path and by file URL", async () => {
    const dir = path.join(folder, "a.zarr");
    mkdirSync(dir);
    for (const [key, bytes] of storeOf(golden)) writeFileSync(path.join(dir, key), bytes);
    for (const source of [
      new FileSystemStore(dir),
      new FileSystemStore(pathToFileURL(dir)),
      pathToFileURL(dir),
      pathToFileURL(dir).href,
    ]) {
      expect(sha256((await getBytes(await open(source, { kind: "array" }))).bytes)).toBe(golden.sha256);
    }
    const above = await open(new FileSystemStore(folder), { path: "a.zarr" });
    expect(above.path).toBe("a.zarr");
  });

  it("distinguishes missing from unreadable files", async () => {
    const store = new FileSystemStore(folder);
    expect(await store.get("/nothing")).toBeUndefined();
    expect(await store.get("/a.zarr")).toBeUndefined(); // a folder
    expect(await store.get("/a.zarr/meta/below")).toBeUndefined();
    symlinkSync("loop", path.join(folder, "loop"));
    expect((await errorOf(() => store.get("/loop")))._tag).toBe("Network");
  });
});

describe("missing: [403]", () => {
  const [documentKey] = [...v1Store().keys()].filter((key) => key.endsWith("meta"));

  /** A bucket that responds to unknown keys with a status. */
  const serveBucket = async (status: number) => {
    const store = v1Store();
    const server = await serve((url) => store.get(url) ?? { status });
    open_.push(server.close);
    return server;
  };

  it("is an error by default", async () => {
    const server = await serveBucket(403);
    const store = new HttpStore(server.url);
    await expect(store.get("/none")).rejects.toMatchObject({ _tag: "Network", status: 403 });
    await expect(store.getRange("/none", { offset: 0, length: 4 })).rejects.toMatchObject({ status: 403 });
    await expect(open(store, { kind: "array" })).rejects.toMatchObject({ status: 403 });
  });

  it.each([401, 403] as const)(
    "treats %d as a missing object, for whole objects and ranges",
    async (status) => {
      const server = await serveBucket(status);
      const store = new HttpStore(server.url, { missing: [status] });
      expect(await store.get("/none")).toBeUndefined();
      expect(await store.getRange("/none", { offset: 0, length: 4 })).toBeUndefined();
      expect(await store.getRange("/none", { suffixLength: 4 })).toBeUndefined();
      expect(await store.get(documentKey!)).toBeInstanceOf(Uint8Array);
      expect((await open(store, { kind: "array" })).zarrFormat).toBe(1);
      expect(server.requests.filter(({ path: key }) => key === "/none").length).toBeLessThanOrEqual(4);
    },
  );

  it("does not include other statuses", async () => {
    const server = await serveBucket(401);
    await expect(new HttpStore(server.url, { missing: [403] }).get("/none")).rejects.toMatchObject({
      status: 401,
    });
  });

  it.each([[[500]], [[404, 500]], [["403"]], [403], ["403"]])("rejects %j", (missing) => {
    const options = { missing: missing as never };

    expect(() => new HttpStore("http://x", options)).toThrow(/missing must be a list of 401 and 403, got/);
  });
});
