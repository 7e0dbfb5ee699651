// Persistent caches: requests of later visits, other versions of objects, responses that are never stored.
import { readdir, rm } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { getBytes, HttpStore, open, slice } from "zarr-wasm";
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
import { bytesOf, errorOf, randomBytes } from "../support/support.js";
import { bytesLittle, documents, pick, regular, sharded, v2Meta, writeV2 } from "../support/zarr-writer.js";

useCacheServer();

describe("a second visit", () => {
  it("confirms documents, and takes fresh chunks without a request", async () => {
    const written = await putArray("/a", 1);
    server.headers = fresh;
    for (const expected of [200, 304]) {
      const { store, cache } = visit();
      const array = await open(store, { path: "a", version: 3 });
      expect((await getBytes(array as never)).bytes).toEqual(written.elements);
      await cache.flush();
      const log = server.log();
      expect(log[0]).toBe(`/a/zarr.json ${expected}`);
      expect(log.length).toBe(expected === 200 ? 5 : 1);
    }
  });

  it.each([
    ["max-age", { "cache-control": "max-age=3600" }],
    ["quoted max-age", { "cache-control": 'public, max-age="3600"' }],
    ["immutable", { "cache-control": "public, immutable" }],
  ])("sends no request for responses fresh by %s", async (_name, headers) => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = () => headers;
    expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
    expect(await read(["/c/0"])).toEqual([]);
  });

  it.each([
    ["nothing", {}],
    ["no-cache", { "cache-control": "no-cache, max-age=3600" }],
    ["max-age=0", { "cache-control": "max-age=0" }],
    ["Age", { "cache-control": "max-age=60", age: "61" }],
    ["an old Date", { "cache-control": "max-age=60", date: new Date(Date.now() - 90_000).toUTCString() }],
    ["Expires alone", { expires: new Date(Date.now() + 3.6e6).toUTCString() }],
    ["s-maxage alone", { "cache-control": "s-maxage=3600" }],
    ["an invalid max-age", { "cache-control": "max-age=soon" }],
  ])("confirms responses stale by %s, without its body", async (_name, headers) => {
    server.set("/c/0", randomBytes(5000));
    server.headers = () => headers;
    expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(randomBytes(5000));
    expect(server.sent).toBe(0);
    expect(server.log()).toEqual(["/c/0 304"]);
  });

  it("confirms by Last-Modified if it is old enough to tell versions apart", async () => {
    for (const [seconds, status] of [
      [3600, 304],
      [10, 200],
    ] as const) {
      const lastModified = new Date(Date.now() - seconds * 1000).toUTCString();
      server.objects.set(`/c/${seconds}`, { body: bytesOf("chunk"), lastModified });
      await read([`/c/${seconds}`]);
      expect(await read([`/c/${seconds}`])).toEqual([`/c/${seconds} ${status}`]);
    }
  });

  it("uses the lifetime of a confirmation", async () => {
    server.set("/c/0", bytesOf("chunk"));
    await read(["/c/0"]);
    server.headers = fresh;
    expect(await read(["/c/0"])).toEqual(["/c/0 304"]);
    expect(await read(["/c/0"])).toEqual([]);
  });

  it("remembers missing objects as long as the server says", async () => {
    server.headers = (at) => (at === "/c/0" ? fresh() : {});
    expect(await read(["/c/0", "/c/1"])).toEqual(["/c/0 404", "/c/1 404"]);
    const { store } = await openVisit();
    expect([await store.get("/c/0"), await store.get("/c/1")]).toEqual([undefined, undefined]);
    expect(server.log()).toEqual(["/c/1 404"]);
  });

  it("keeps bodies without their content coding", async () => {
    server.intercept = (_, response) => {
      const headers = { "content-encoding": "gzip", etag: '"z"', "cache-control": "max-age=60" };
      response.writeHead(200, headers).end(gzipSync(bytesOf("chunk")));
      return true;
    };
    await read(["/c/0"]);
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(bytesOf("chunk"));
    expect(server.log()).toEqual([]);
  });

  it("confirms fresh chunks that were stored before their document was read", async () => {
    await putArray("/a", 5);
    server.headers = fresh;
    const key = "/a/c/0/0";
    await read([key]);
    const visited = () => read(["/a/zarr.json", key]);
    expect(await visited()).toEqual(["/a/zarr.json 200", `${key} 304`]);
    expect(await visited()).toEqual(["/a/zarr.json 304"]);
  });

  it("reads ranges of shards without a request", async () => {
    const written = await putArray("/s", 2, {
      chunk_grid: regular(8, 8),
      codecs: [sharded([4, 4], [bytesLittle])],
    });
    server.headers = fresh;
    const selection = [slice(0, 4), slice(4, 8)];
    for (const requests of [3, 1]) {
      const { store, cache } = visit();
      const array = await open(store, { path: "s", version: 3, kind: "array" });
      const { bytes } = await getBytes(array, selection, { wholeShardBytes: 0 });
      expect(bytes).toEqual(
        pick(written, [
          [0, 1, 2, 3],
          [4, 5, 6, 7],
        ]),
      );
      await cache.flush();
      const log = server.log();
      expect(log).toHaveLength(requests);
      expect(log.slice(1).every((line) => line.endsWith("206"))).toBe(true);
    }
  });

  it("reads visited data offline, and never infers that from failures", async () => {
    const written = await putArray("/a", 3);
    server.objects.delete("/a/c/1/1"); // a missing chunk
    const store2 = documents({});
    await writeV2(store2, v2Meta(), { dataType: "int32", codecs: [bytesLittle] }, randomBytes(96, 4));
    for (const [key, body] of store2.entries) server.set(`/b${key}`, body);
    const all = async (offline = false) => {
      const { store, cache } = visit();
      cache.offline = offline;
      const a = await open(store, { path: "a", kind: "array" });
      const b = await open(new HttpStore(server.url, { retryDelay: 1, persistentCache: cache }), {
        path: "b",
        kind: "array",
      });
      const read = [await getBytes(a), await getBytes(b)].map(({ bytes }) => bytes);
      await cache.flush();
      return read;
    };
    const online = await all();
    expect(online[0]!.subarray(0, 8)).toEqual(written.elements.subarray(0, 8));
    await server.stop();
    expect((await errorOf(all)).code).toBe("fetch-failed");
    expect(await all(true)).toEqual(online);
    const { store, cache } = visit();
    cache.offline = true;
    expect((await errorOf(() => store.get("/never-seen"))).code).toBe("offline");
    await server.start();
  });

  it("offline does not use responses that must be confirmed", async () => {
    for (const control of ["no-cache", "must-revalidate", "max-age=0, must-revalidate"]) {
      server.set("/c/0", bytesOf("chunk"), `"${control}"`);
      server.headers = () => ({ "cache-control": control });
      await read(["/c/0"]);
      const { store, cache } = visit();
      cache.offline = true;
      expect((await errorOf(() => store.get("/c/0"))).code).toBe("offline");
    }
  });

  it("retries a connection that breaks once instead of using a stale response", async () => {
    server.set("/c/0", bytesOf("old"), '"1"');
    await read(["/c/0"]);
    server.set("/c/0", bytesOf("new"), '"2"');
    let isFirst = true;
    server.intercept = (request) => {
      if (!isFirst) return false;
      isFirst = false;
      request.socket.destroy();
      return true;
    };
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(bytesOf("new"));
  });
});

describe("another version", () => {
  it("of an object replaces the stored one", async () => {
    server.set("/c/0", bytesOf("old"), '"1"');
    await read(["/c/0"]);
    server.set("/c/0", bytesOf("new"), '"2"');
    expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(bytesOf("new"));
    expect(server.log()).toEqual(["/c/0 304"]);
  });

  it("of a metadata document makes fresh chunks be confirmed", async () => {
    server.headers = fresh;
    await putArray("/g/a", 5);
    const look = async (at: string) => {
      const { store, cache } = visit({}, 2 ** 26, server.url + at);
      const array = await open(store, { path: "a", version: 3, kind: "array" });
      const { bytes } = await getBytes(array);
      await cache.flush();
      return bytes;
    };
    await look("/g");
    server.log();
    // The same elements, in place: only the document and one chunk have changed.
    const next = await putArray("/g/a", 6, { attributes: { version: 2 } });
    server.objects.get("/g/a/c/0/0")!.etag = '"5/c/0/0"';
    server.objects.get("/g/a/c/0/0")!.body = server.objects.get("/g/a/c/0/0")!.body.slice();
    const bytes = await look("/g");
    const log = server.log();
    expect(log.filter((line) => line.endsWith("304"))).toEqual(["/g/a/c/0/0 304"]);
    expect(log.filter((line) => line.endsWith("200"))).toHaveLength(4);
    expect(bytes.subarray(8, 16)).toEqual(next.elements.subarray(8, 16));
    expect(await look("/g")).toEqual(bytes);
    expect(server.log()).toEqual(["/g/a/zarr.json 304"]);
  });

  it("of a group's consolidated metadata concerns all arrays below it", async () => {
    server.headers = fresh;
    await putArray("/g/a", 7);
    const group = (attributes: object) => ({
      zarr_format: 3,
      node_type: "group",
      attributes,
      consolidated_metadata: {
        kind: "inline",
        must_understand: false,
        metadata: { a: JSON.parse(Buffer.from(server.objects.get("/g/a/zarr.json")!.body).toString()) },
      },
    });
    const look = async () => {
      const { store, cache } = visit();
      const opened = await open(store, { path: "g", version: 3, kind: "group" });
      await getBytes(await opened.open("a", { kind: "array" }));
      await cache.flush();
      return server.log();
    };
    server.set("/g/zarr.json", bytesOf(JSON.stringify(group({}))), '"g1"');
    await look();
    expect(await look()).toEqual(["/g/zarr.json 304"]);
    server.set("/g/zarr.json", bytesOf(JSON.stringify(group({ changed: true }))), '"g2"');
    const log = await look();
    expect(log[0]).toBe("/g/zarr.json 200");
    expect(log.slice(1).map((line) => line.split(" ")[1])).toEqual(["304", "304", "304", "304"]);
    expect(await look()).toEqual(["/g/zarr.json 304"]);
  });

  it("of a shard is never combined with stored parts: one read fails", async () => {
    server.headers = fresh;
    const shape = { chunk_grid: regular(8, 8), codecs: [sharded([4, 4], [bytesLittle])] };
    const one = [slice(0, 4), slice(0, 4)];
    const look = async (selection: ReturnType<typeof slice>[]) => {
      const { store, cache } = visit();
      const array = await open(store, { path: "s", version: 3, kind: "array" });
      const { bytes } = await getBytes(array, selection, { wholeShardBytes: 0 });
      await cache.flush();
      return bytes;
    };
    await putArray("/s", 8, shape);
    const document = server.objects.get("/s/zarr.json")!;
    await look(one);
    // The shard is replaced, in another order, and its document is not: stored parts are still fresh.
    const next = await putArray("/s", 9, shape, { order: "reverse", gap: 20 });
    server.objects.set("/s/zarr.json", document);
    const everything = [slice(0, 8), slice(0, 8)];
    const { store, cache } = visit();
    const array = await open(store, { path: "s", version: 3, kind: "array" });
    const read = () => getBytes(array, everything, { wholeShardBytes: 0 });
    expect(await errorOf(read)).toMatchObject({ _tag: "Network", code: "outdated" });
    expect((await read()).bytes).toEqual(next.elements);
    await cache.flush();
    expect(await look(one)).toEqual(
      pick(next, [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
      ]),
    );
  });

  it("is not hidden by a server that confirms another ETag", async () => {
    server.set("/c/0", bytesOf("old"), '"1"');
    await read(["/c/0"]);
    server.intercept = ({ headers }, response) => {
      if (headers["if-none-match"] === undefined) return false;
      response.writeHead(304, { etag: '"other"' }).end();
      return true;
    };
    server.set("/c/0", bytesOf("new"), '"2"');
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(bytesOf("new"));
  });

  it("is read after a chunk could not be decoded", async () => {
    server.headers = fresh;
    await putArray("/a", 10);
    const right = server.objects.get("/a/c/0/0")!;
    server.objects.set("/a/c/0/0", { body: bytesOf("short"), etag: right.etag });
    const { store, cache } = visit();
    const array = await open(store, { path: "a", version: 3, kind: "array" });
    expect((await errorOf(() => getBytes(array)))._tag).toBe("CorruptChunk");
    server.objects.set("/a/c/0/0", right);
    expect((await getBytes(array)).bytes).toEqual(randomBytes(128, 10));
    await cache.flush();
  });
});

describe("is not stored", () => {
  const object = { "cache-control": "max-age=3600" };
  const answers: [string, Record<string, string>][] = [
    ["no-store", { "cache-control": "no-store, max-age=3600" }],
    ["private", { "cache-control": "private, max-age=3600" }],
    ["Private in capitals", { "cache-control": 'PRIVATE="x", max-age=3600' }],
    ["no-store before a semicolon", { "cache-control": "no-store; max-age=100" }],
    ["no-store after a space", { "cache-control": "max-age=100 no-store" }],
    ["NO-STORE after a quoted age", { "cache-control": 'max-age="100",NO-STORE' }],
    ["private before a semicolon", { "cache-control": "private; max-age=100" }],
    ["a cookie", { ...object, "set-cookie": "session=1" }],
    ["Vary: *", { ...object, vary: "*" }],
    ["Vary: Cookie", { ...object, vary: "Accept-Encoding, Cookie" }],
    ["Vary: Authorization", { ...object, vary: "authorization" }],
    ["Vary: X-Tenant", { ...object, vary: "X-Tenant" }],
  ];
  it.each(answers)("a response with %s", async (_name, headers) => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = () => headers;
    await read(["/c/0"]);
    expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
  });

  it.each([
    ["Authorization", { authorization: "Bearer 1" }],
    ["Cookie", { cookie: "a=b" }],
    ["X-Api-Key", { "x-api-key": "1" }],
    ["a header of the application", { "x-anything": "1" }],
    ["a condition", { "if-none-match": '"x"' }],
  ])("the response to a request with %s", async (_name, headers) => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = fresh;
    await read(["/c/0"], { headers });
    expect(await readdir(folder).catch(() => [])).toEqual([]);
    await read(["/c/0"]); // and stored responses are not used for such requests
    expect(await read(["/c/0"], { headers })).toHaveLength(1);
  });

  it.each([
    "X-Amz-Signature=abc&X-Amz-Credential=x",
    "sig=abc&se=2030",
    "sv=2020&sp=r",
    "X-Goog-Signature=1",
    "Signature=1&Key-Pair-Id=2&Expires=3",
    "token=1",
    "access_token=1",
    "api_key=1",
    "apikey=1",
    "key=1",
    "auth=1",
    "hdnts=1",
    "password=1",
    ...["pass", "pwd", "ticket", "bearer", "pin", "ak", "sk", "appkey", "anything"].map(
      (name) => `${name}=1`,
    ),
    "q=0123456789abcdef0123456789abcdef",
  ])("the response to a URL with ?%s", async (query) => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = fresh;
    for (const _ of [1, 2]) {
      const { store, cache } = await openVisit({}, 2 ** 26, `${server.url}?${query}`);
      await store.get("/c/0");
      await cache.flush();
      expect(server.log()).toHaveLength(1);
    }
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });

  it("but a response to a URL with a version is", async () => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = fresh;
    for (const requests of [1, 0]) {
      const { store, cache } = await openVisit(
        {},
        2 ** 26,
        `${server.url}?versionId=0123456789abcdef0123456789abcdef&v=2`,
      );
      await store.get("/c/0");
      await cache.flush();
      expect(server.log()).toHaveLength(requests);
    }
  });

  it("the response to a custom fetch, which may send credentials", async () => {
    server.set("/c/0", bytesOf("chunk"));
    server.headers = fresh;
    await read(["/c/0"], { fetch: (request) => fetch(request, { credentials: "include" }) });
    expect(await read(["/c/0"], { fetch: globalThis.fetch })).toEqual(["/c/0 200"]);
    expect(await read(["/c/0"], { fetch: globalThis.fetch })).toEqual([]);
  });

  it("a part without a strong validator", async () => {
    server.headers = fresh;
    for (const [etag, requests] of [
      [undefined, 1],
      ['W/"1"', 1],
      ['"1"', 0],
    ] as const) {
      server.objects.set("/s", { body: randomBytes(100), etag });
      const part = async () => {
        const { store, cache } = await openVisit();
        expect(await store.getRange("/s", { offset: 10, length: 5 })).toEqual(randomBytes(100).slice(10, 15));
        await cache.flush();
        return server.log().length;
      };
      await part();
      expect(await part()).toBe(requests);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("a page, an error, or a body that breaks off", async () => {
    let how = 0;
    server.intercept = (_, response) => {
      how++;
      const headers = { "cache-control": "max-age=3600", etag: '"1"' };
      if (how === 1) response.writeHead(200, { ...headers, "content-type": "text/html" }).end("chunk");
      else if (how === 2) response.writeHead(500, headers).end("chunk");
      else if (how === 3) {
        response.writeHead(200, { ...headers, "content-length": "9" }).write("chun");
        setTimeout(() => response.destroy(), 20);
      } else return false;
      return true;
    };
    server.set("/c/0", bytesOf("right"));
    await read(["/c/0"]);
    const { store } = await openVisit();
    expect(await store.get("/c/0")).toEqual(bytesOf("right"));
  });
});
