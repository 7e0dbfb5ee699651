// ReferenceStore: documents of every kind, targets everywhere, and hostile ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { getBytes, listChildren, MapStore, open } from "zarr-wasm";
import { ReferenceStore, type ReferenceStoreOptions } from "zarr-wasm/formats";
import { ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf, goldenCases, randomBytes, sha256, storeOf } from "../support/support.js";

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const folder = mkdtempSync(path.join(tmp, "references-"));
afterAll(() => rmSync(folder, { recursive: true }));
const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const object = randomBytes(1000);
const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

async function start(objects: Record<string, Uint8Array>) {
  const server = await new ObjectServer(objects).start();
  servers.push(server);
  return server;
}

/** A store whose targets are read from memory, with the URL as key. */
function inMemory(
  document: unknown,
  objects: Record<string, Uint8Array> = { "x://a": object },
  options = {},
) {
  const store = new MapStore(new Map(Object.entries(objects)));
  return new ReferenceStore(document, { resolve: (key) => ({ store, key }), ...options });
}

/** The targets of references, without fetching anything. */
async function urlsOf(
  store: (fetch: NonNullable<ReferenceStoreOptions["fetch"]>) => ReferenceStore,
  keys: string[],
) {
  const urls: string[] = [];
  const fetch = (request: Request) => {
    urls.push(`${request.url} ${request.headers.get("range") ?? ""}`.trim());
    return Promise.resolve(new Response(null, { status: 404 }));
  };
  const opened = store(fetch);
  for (const key of keys) {
    expect((await errorOf(() => opened.get(key))).code, key).toBe("bad-target");
  }
  return urls;
}

describe("references", () => {
  const document = {
    ".zgroup": '{"zarr_format":2}',
    "a/.zattrs": { units: "K", n: [1, 2] },
    "a/0": ["x://a", 10, 20],
    "a/1": ["x://a"],
    "a/2": `base64:${Buffer.from(object).toString("base64")}`,
    "a/3": ["x://a", 5, 0],
    "a/ü": "ünï",
    "/b/lead": "slash",
  };
  for (const [version, whole] of [
    [0, document],
    [1, { version: 1, refs: document }],
  ] as const) {
    it(`of version ${version}`, async () => {
      const store = inMemory(whole);
      expect(textOf(await store.get("/.zgroup"))).toBe('{"zarr_format":2}');
      expect(textOf(await store.get("/a/.zattrs"))).toBe('{"units":"K","n":[1,2]}');
      expect(await store.get("/a/0")).toEqual(object.slice(10, 30));
      expect(await store.get("/a/1")).toEqual(object);
      expect(await store.get("/a/2")).toEqual(object);
      expect(await store.get("/a/3")).toEqual(new Uint8Array(0));
      expect(textOf(await store.get("/a/ü"))).toBe("ünï");
      expect(textOf(await store.get("/b/lead"))).toBe("slash");
      expect(await store.get("/a")).toBeUndefined();
      expect(await store.get("/__proto__")).toBeUndefined();
    });
  }

  it("are read in parts", async () => {
    const store = inMemory(document);
    const wholes = {
      "/a/0": object.slice(10, 30),
      "/a/1": object,
      "/a/2": object,
      "/a/3": new Uint8Array(0),
    };
    for (const [key, whole] of Object.entries(wholes)) {
      expect(await store.getRange(key, { offset: 5, length: 10 })).toEqual(whole.slice(5, 15));
      expect(await store.getRange(key, { offset: 15, length: 100_000 })).toEqual(whole.slice(15));
      expect(await store.getRange(key, { offset: 5000, length: 1 })).toEqual(new Uint8Array(0));
      expect(await store.getRange(key, { suffixLength: 7 })).toEqual(whole.slice(-7));
      expect(await store.getRange(key, { suffixLength: 5000 })).toEqual(whole);
    }
    expect(await store.getRange("/none", { suffixLength: 5 })).toBeUndefined();
    expect((await errorOf(() => store.getRange("/a/1", { offset: -1, length: 1 })))._tag).toBe(
      "InvalidArgument",
    );
  });

  it("are listed", async () => {
    const store = inMemory({ ...document, "c/d/e/f": "", "../out": "", "c/../x": "", "c/\u0000": "" });
    expect([...store.list("a")].sort()).toEqual(["/a/.zattrs", "/a/0", "/a/1", "/a/2", "/a/3", "/a/ü"]);
    expect([...store.list("c")]).toEqual(["/c/d/e/f"]);
    expect(await listChildren(store, "")).toEqual(["a", "b", "c"]);
    expect(await listChildren(store, "c")).toEqual(["d"]);
    expect(await listChildren(store, "nothing")).toEqual([]);
  });

  it("make an array", async () => {
    const one = goldenCases("v1")[0]!;
    const chunks = storeOf(one);
    const file = path.join(folder, "all #1%20.bin");
    const refs: Record<string, unknown> = {};
    let offset = 0;
    for (const [key, bytes] of chunks) {
      refs[`x${key}`] = ["all #1%20.bin", offset, bytes.byteLength];
      offset += bytes.byteLength;
    }
    writeFileSync(file, Buffer.concat([...chunks.values()]));
    const document = path.join(folder, "refs.json");
    writeFileSync(document, JSON.stringify({ version: 1, refs }));
    for (const source of [document, pathToFileURL(document), pathToFileURL(document).href]) {
      const array = await open(await ReferenceStore.open(source), { kind: "array", path: "x" });
      expect(sha256((await getBytes(array)).bytes)).toBe(one.sha256);
    }
  });
});

describe("targets", () => {
  it("are found beside the document, read by ranges", async () => {
    const refs = { a: ["data/file.nc", 10, 20], b: ["/other.nc", 0, 5], c: ["../up.nc"], d: [null, 1, 2] };
    const server = await start({
      "/x/y/refs.json": bytesOf(JSON.stringify(refs)),
      "/x/y/data/file.nc": object,
      "/other.nc": object,
      "/x/up.nc": object,
    });
    const store = await ReferenceStore.open(`${server.url}/x/y/refs.json?t=1`, {
      target: "../up.nc",
      headers: { x: "y" },
    });
    expect(await store.get("/a")).toEqual(object.slice(10, 30));
    expect(await store.get("/b")).toEqual(object.slice(0, 5));
    expect(await store.get("/c")).toEqual(object);
    expect(await store.get("/d")).toEqual(object.slice(1, 3));
    expect(await store.getRange("/a", { suffixLength: 3 })).toEqual(object.slice(27, 30));
    expect(server.log).toEqual([
      "GET /x/y/refs.json?t=1",
      "GET /x/y/data/file.nc bytes=10-29",
      "GET /other.nc bytes=0-4",
      "GET /x/up.nc",
      "GET /x/up.nc bytes=1-2",
      "GET /x/y/data/file.nc bytes=27-29",
    ]);
  });

  it("in buckets have public endpoints", async () => {
    const refs = {
      a: ["s3://bucket/key/a b#1?.nc", 1, 2],
      b: ["s3://dotted.bucket/key"],
      c: ["gs://bucket/k/%41"],
      d: ["gcs://bucket/k"],
      e: ["s3a://bucket/k"],
    };
    const urls = await urlsOf((fetch) => new ReferenceStore(refs, { fetch }), ["/a", "/b", "/c", "/d", "/e"]);
    expect(urls).toEqual([
      "https://bucket.s3.amazonaws.com/key/a%20b%231%3F.nc bytes=1-2",
      "https://s3.amazonaws.com/dotted.bucket/key",
      "https://storage.googleapis.com/bucket/k/%2541",
      "https://storage.googleapis.com/bucket/k",
      "https://bucket.s3.amazonaws.com/k",
    ]);
  });

  it("can be named by the caller", async () => {
    const refs = { a: ["s3://bucket/a"], b: ["ipfs://x"], c: ["gs://bucket/c"] };
    const resolve = (target: string) =>
      target.startsWith("s3:")
        ? target.replace("s3://", "https://minio.example/")
        : target === "ipfs://x"
          ? new URL("http://gate/x")
          : undefined;
    const urls = await urlsOf((fetch) => new ReferenceStore(refs, { fetch, resolve }), ["/a", "/b", "/c"]);
    expect(urls).toEqual([
      "https://minio.example/bucket/a",
      "http://gate/x",
      "https://storage.googleapis.com/bucket/c",
    ]);
  });

  it("that cannot be read are refused", async () => {
    const refs = {
      a: ["ipfs://x"],
      b: ["file:///etc/passwd"],
      c: ["relative.nc"],
      d: ["simplecache::s3://b/k"],
      e: ["C:\\x"],
    };
    for (const base of [undefined, "https://example.org/refs.json"]) {
      const store = new ReferenceStore(refs, {
        base,
        fetch: () => Promise.reject(new Error("must not be asked")),
      });
      for (const key of base ? ["/a", "/b", "/d", "/e"] : ["/a", "/b", "/c", "/d", "/e"]) {
        const error = await errorOf(() => store.get(key));
        expect([error._tag, error.code], key).toEqual(["Unsupported", "unsupported-reference"]);
      }
    }
    const local = new ReferenceStore({ a: ["C:\\d\\x 1"], b: ["c:/x"] }, { base: "file:///C:/refs.json" });
    expect((await errorOf(() => local.get("/a"))).message).toContain("file:///C:/d/x%201");
    const nowhere = new ReferenceStore({ a: [null, 0, 1] });
    expect((await errorOf(() => nowhere.get("/a")))._tag).toBe("InvalidArgument");
  });

  it("to missing or short targets are errors, not missing chunks", async () => {
    const store = inMemory({
      a: ["x://none"],
      b: ["x://none", 0, 5],
      c: ["x://a", 990, 11],
      d: ["x://a", 5000, 1],
    });
    for (const [key, code] of [
      ["/a", "bad-target"],
      ["/b", "bad-target"],
      ["/c", "bad-target"],
      ["/d", "bad-target"],
    ]) {
      const error = await errorOf(() => store.get(key!));
      expect([error._tag, error.code]).toEqual(["Network", code]);
    }
    expect((await errorOf(() => store.getRange("/c", { suffixLength: 1 }))).code).toBe("bad-target");
    expect(await store.getRange("/c", { offset: 0, length: 10 })).toEqual(object.slice(990));
  });
});

describe("templates", () => {
  it("are filled in", async () => {
    const refs = { a: ["{{u}}/x.nc"], b: ["http://{{ h }}/{{v}}"], c: ["http://h/}}{{ u2 }}{"] };
    const document = { version: 1, templates: { u: "https://h/p", h: "host", v: "1", u2: "z" }, refs };
    const urls = await urlsOf(
      (fetch) => new ReferenceStore(document, { fetch, templates: { v: "2" } }),
      ["/a", "/b", "/c"],
    );
    expect(urls).toEqual(["https://h/p/x.nc", "http://host/2", "http://h/%7D%7Dz%7B"]);
    const without = await urlsOf((fetch) => new ReferenceStore({ a: ["http://h/{{u}}"] }, { fetch }), ["/a"]);
    expect(without).toEqual(["http://h/%7B%7Bu%7D%7D"]);
  });

  it("with expressions are refused", async () => {
    const templates = { f: "{{ c }}", u: "x", constructor: "y" };
    for (const text of [
      "{{ f(c='text') }}",
      "{{ f }}",
      "{{ none }}",
      "{{ toString }}",
      "{{ u | upper }}",
      "{{ u + 1 }}",
      "{{ 5 }}",
      "{{ '%02d' % 5 }}",
      "{{ 1 / 2 }}",
      "{{ 1 // 0 }}",
      "{{ (1 }}",
      "{{ 1 2 }}",
      "{{ }}",
      `{{ ${"(".repeat(1e5)}1${")".repeat(1e5)} }}`,
      `{{ ${"-".repeat(1e5)}1 }}`,
      "{{ 99999999999999999999 }}",
    ]) {
      const store = new ReferenceStore({ version: 1, templates, refs: { a: [text] } });
      const error = await errorOf(() => store.get("/a"));
      expect([error._tag, error.code], text.slice(0, 30)).toEqual(["Unsupported", "unsupported-reference"]);
      expect(error.message).toContain(text.slice(0, 30));
    }
  });

  it("generate no references: `gen` is refused by name, unless it is empty", async () => {
    const refs = { a: "data" };
    const gen = [{ key: "{{i}}", url: "u", dimensions: { i: { stop: 2 } } }];
    const error = await errorOf(() => new ReferenceStore({ version: 1, gen, refs }));
    expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-reference"]);
    expect(error.message).toContain("`gen`");
    expect([...new ReferenceStore({ version: 1, gen: [], refs }).list("")]).toEqual(["/a"]);
  });

  it("of great length fill in thousands of references", async () => {
    const templates = { u: `https://h/${"x".repeat(60_000)}` };
    const refs = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`a/${i}`, [`{{u}}/${i}`, i, 1]]));
    const targets: string[] = [];
    const resolve = (target: string) => {
      targets.push(target);
      return { store: new MapStore(), key: "/x" };
    };
    const store = new ReferenceStore({ version: 1, templates, refs }, { resolve });
    for (const i of [0, 2999]) await errorOf(() => store.get(`/a/${i}`));
    expect(targets).toEqual([0, 2999].map((i) => `${templates.u}/${i}`));
  });
});

describe("documents that cannot be read", () => {
  const rule = { key: "{{i}}", url: "u", dimensions: { i: { stop: 2 } } };
  it.each<[string, unknown, string, string]>([
    ["a list", [], "InvalidMetadata", "bad-reference"],
    ["null", null, "InvalidMetadata", "bad-reference"],
    ["a text", "x", "InvalidMetadata", "bad-reference"],
    ["another version", { version: 2, refs: {} }, "Unsupported", "unsupported-reference"],
    ["Parquet", { metadata: {}, record_size: 10 }, "Unsupported", "parquet-references"],
    ["refs that are a list", { version: 1, refs: [] }, "InvalidMetadata", "bad-reference"],
    ["templates that are numbers", { version: 1, templates: { a: 1 } }, "InvalidMetadata", "bad-reference"],
    ["gen that is not a list", { version: 1, gen: {} }, "InvalidMetadata", "bad-reference"],
    ["gen with a rule", { version: 1, gen: [rule], refs: {} }, "Unsupported", "unsupported-reference"],
  ])("%s", async (_name, document, tag, code) => {
    const error = await errorOf(() => new ReferenceStore(document));
    expect([error._tag, error.code]).toEqual([tag, code]);
  });

  it.each<[string, unknown]>([
    ["a number", 5],
    ["null", null],
    ["an empty list", []],
    ["an offset alone", ["x://a", 5]],
    ["four parts", ["x://a", 5, 5, 5]],
    ["a negative offset", ["x://a", -5, 5]],
    ["a fraction", ["x://a", 0.5, 5]],
    ["a string for a number", ["x://a", "0", 5]],
    ["an end past 2^53", ["x://a", 2 ** 53 - 1, 5]],
    ["a number for a URL", [5]],
    ["no base64", "base64:é"],
  ])("a reference that is %s", async (_name, value) => {
    const error = await errorOf(() => inMemory({ a: value }).get("/a"));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-reference"]);
  });

  it("no JSON, no document, a Parquet folder, too many references", async () => {
    const server = await start({ "/page.json": bytesOf("<!doctype html>") });
    const cases: [string, string][] = [
      ["/page.json", "not-json"],
      ["/none.json", "not-found"],
      ["/refs.parq/", "not-found"],
      ["/refs.parquet?x=y", "not-found"],
    ];
    for (const [at, code] of cases) {
      expect((await errorOf(() => ReferenceStore.open(`${server.url}${at}`))).code, at).toBe(code);
    }
    const many = { a: "", b: "", c: "" };
    expect((await errorOf(() => new ReferenceStore(many, { limits: { references: 2 } })))._tag).toBe(
      "LimitExceeded",
    );
    const inStore = { store: new MapStore(new Map([["/r", bytesOf(JSON.stringify(many))]])), key: "/r" };
    expect(await (await ReferenceStore.open(inStore)).get("/b")).toEqual(new Uint8Array(0));
    const signal = AbortSignal.abort(new Error("gone"));
    expect((await errorOf(() => ReferenceStore.open(`${server.url}/page.json`, { signal }))).message).toBe(
      "gone",
    );
  });
});
