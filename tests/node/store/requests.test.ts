// Requests of HttpStore: retries, limits, shared reads, aborts, caches.
import { afterEach, describe, expect, it } from "vitest";
import { ByteCache, HttpStore, type HttpStoreOptions } from "zarr-wasm";
import { type Behaviour, ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";

const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(behaviour: Behaviour = {}, options: HttpStoreOptions = {}) {
  const objects = Object.fromEntries(
    [..."abcdefghij"].map((name) => [`/${name}`, bytesOf(`object ${name}`)]),
  );
  const server = await new ObjectServer(objects, behaviour).start();
  servers.push(server);
  return { server, store: new HttpStore(server.url, { retryDelay: 1, ...options }) };
}

const object = bytesOf("object a");
/** Waits until a condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("retries", () => {
  it.each([408, 429, 500, 502, 503, 504, "break"] as const)("tries again after %s", async (how) => {
    const trouble: Behaviour["trouble"] = (_, count) =>
      count > 3 ? undefined : how === "break" ? "break" : { status: how };
    const { server, store } = await start({ trouble });
    expect(await store.get("/a")).toEqual(object);
    expect(server.seen).toHaveLength(4);
  });

  it("gives up after the configured retries, and at once after other statuses", async () => {
    const { server, store } = await start({ trouble: () => ({ status: 503 }) }, { retries: 2 });
    expect((await errorOf(() => store.get("/a"))).status).toBe(503);
    expect(server.seen).toHaveLength(3);
    for (const status of [400, 401, 403, 405, 501]) {
      const other = await start({ trouble: () => ({ status }) });
      expect((await errorOf(() => other.store.get("/a"))).status).toBe(status);
      expect(other.server.seen).toHaveLength(1);
    }
  });

  it("retries after a truncated body", async () => {
    const { store, server } = await start();
    server.behaviour.headers = (headers) =>
      server.seen.length < 3 ? { ...headers, "content-length": "20" } : headers;
    const reading = store.get("/a");
    for (const count of [1, 2]) {
      await until(() => server.seen[count - 1]?.sent === object.byteLength);
      server.drop();
    }
    expect(await reading).toEqual(object);
  });

  it("waits as long as Retry-After requests, up to a limit", async () => {
    const asksFor = (seconds: string): Behaviour => ({
      trouble: (_, count) => (count === 1 ? { status: 429, headers: { "retry-after": seconds } } : undefined),
    });
    const timed = async (behaviour: Behaviour, options: HttpStoreOptions = {}) => {
      const { store } = await start(behaviour, options);
      const begin = performance.now();
      expect(await store.get("/a")).toEqual(object);
      return performance.now() - begin;
    };
    expect(await timed(asksFor("1"))).toBeGreaterThan(990);
    expect(
      await timed(asksFor(new Date(Date.now() + 3_600_000).toUTCString()), { maxRetryDelay: 5 }),
    ).toBeLessThan(900);
    expect(await timed(asksFor("soon"))).toBeLessThan(900);
  });

  it("can be aborted while it waits", async () => {
    const { store, server } = await start(
      { trouble: () => ({ status: 503 }) },
      { retryDelay: 60_000, maxRetryDelay: 60_000 },
    );
    const controller = new AbortController();
    const reading = errorOf(() => store.get("/a", { signal: controller.signal }));
    await until(() => server.seen.length === 1);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    expect((await reading).message).toBe("enough");
  });

  it("does not retry an error of the caller's code", async () => {
    const { store } = await start();
    const inner = await errorOf(() => store.get("/../x"));
    let calls = 0;
    const failing = new HttpStore("http://x/", {
      fetch: () => {
        calls++;
        return Promise.reject(inner);
      },
    });
    expect(await errorOf(() => failing.get("/a"))).toBe(inner);
    expect(calls).toBe(1);
  });
});

describe("a limit on requests", () => {
  it("is kept", async () => {
    const wait = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 10));
    const { server, store } = await start({ trouble: wait }, { concurrency: 3 });
    const all = await Promise.all([..."abcdefghij"].map((name) => store.get(`/${name}`)));
    expect(all[9]).toEqual(bytesOf("object j"));
    expect(server.peak).toBe(3);
  });

  it("releases callers that abort while waiting", async () => {
    let release = () => {};
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const { server, store } = await start({ trouble: () => held }, { concurrency: 1 });
    const first = store.get("/a");
    const controller = new AbortController();
    const second = errorOf(() => store.get("/b", { signal: controller.signal }));
    const third = store.get("/c");
    controller.abort(new Error("gone"));
    expect((await second).message).toBe("gone");
    release();
    expect(await first).toEqual(object);
    expect(await third).toEqual(bytesOf("object c"));
    expect(server.log).toEqual(["GET /a", "GET /c"]);
  });

  it("refuses options that are out of range", () => {
    for (const options of [
      { concurrency: 0 },
      { concurrency: 1.5 },
      { retries: -1 },
      { retries: 0.5 },
      { retryDelay: Number.NaN },
      { maxRetryDelay: -1 },
    ]) {
      expect(() => new HttpStore("http://x/", options)).toThrow(
        expect.objectContaining({ _tag: "InvalidArgument" }),
      );
    }
  });
});

describe("readers of the same object", () => {
  /** A server that holds its responses back until they are released. */
  async function held() {
    let release = () => {};
    const gate = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const started = await start({ trouble: () => gate });
    return { ...started, release };
  }

  it("share a request", async () => {
    const { server, store, release } = await held();
    const reads = [
      store.get("/a"),
      store.get("/a"),
      store.getRange("/a", { offset: 0, length: 6 }),
      store.getRange("/a", { offset: 0, length: 6 }),
      store.getRange("/a", { offset: 0, length: 7 }),
    ];
    await until(() => server.seen.length === 3);
    release();
    const texts = (await Promise.all(reads)).map((bytes) => Buffer.from(bytes!).toString());
    expect(texts).toEqual(["object a", "object a", "object", "object", "object "]);
    expect(server.seen).toHaveLength(3);
  });

  it("are not affected by each other's aborts", async () => {
    const { server, store, release } = await held();
    const controllers = [new AbortController(), new AbortController()];
    const [first, second] = controllers.map(({ signal }) => errorOf(() => store.get("/a", { signal })));
    const third = store.get("/a");
    await until(() => server.seen.length === 1);
    controllers[0]!.abort(new Error("first"));
    expect((await first)!.message).toBe("first");
    controllers[1]!.abort(new Error("second"));
    expect((await second)!.message).toBe("second");
    release();
    expect(await third).toEqual(object);
    expect(server.seen).toHaveLength(1);
  });

  it("abort the request when the last one leaves; the next starts a new one", async () => {
    const { server, store, release } = await held();
    const controllers = [new AbortController(), new AbortController()];
    const reads = controllers.map(({ signal }) => errorOf(() => store.get("/a", { signal })));
    await until(() => server.seen.length === 1);
    for (const controller of controllers) controller.abort(new Error("gone"));
    expect((await Promise.all(reads)).map((error) => error.message)).toEqual(["gone", "gone"]);
    const again = store.get("/a");
    release();
    expect(await again).toEqual(object);
    expect(server.seen).toHaveLength(2);
  });

  it("all receive a failure", async () => {
    const { store } = await start({ trouble: () => ({ status: 403 }) });
    const errors = await Promise.all([1, 2].map(() => errorOf(() => store.get("/a"))));
    expect(errors.map((error) => error.status)).toEqual([403, 403]);
  });
});

describe("caches", () => {
  it("serve cached data, by range", async () => {
    const cache = new ByteCache(10_000);
    const { server, store } = await start({}, { cache });
    for (let round = 0; round < 2; round++) {
      expect(await store.get("/a")).toEqual(object);
      expect(await store.getRange("/a", { suffixLength: 1 })).toEqual(bytesOf("a"));
      expect(await store.getRange("/a", { offset: 0, length: 3 })).toEqual(bytesOf("obj"));
      expect(await store.get("/nothing")).toBeUndefined();
    }
    expect(server.log).toEqual([
      "GET /a",
      "GET /a bytes=-1",
      "GET /a bytes=0-2",
      "GET /nothing",
      "GET /nothing",
    ]);
    const map = new Map<string, Uint8Array>();
    const other = new HttpStore(server.url, { cache: map });
    await other.get("/b");
    await other.get("/b");
    expect(server.log.filter((line) => line === "GET /b")).toHaveLength(1);
    expect(map.size).toBe(1);
  });

  it("do not hide that an object has changed", async () => {
    const { server, store } = await start({}, { cache: new Map() });
    const version = {};
    const index = () => store.getRange("/a", { suffixLength: 1 }, { version });
    await index();
    server.objects.set("/a", bytesOf("object z"));
    server.etag = '"2"';
    expect((await errorOf(() => store.getRange("/a", { offset: 0, length: 2 }, { version }))).code).toBe(
      "changed",
    );
    // Read afresh: the old index is not served again.
    expect(await store.getRange("/a", { suffixLength: 1 }, { version: {} })).toEqual(bytesOf("z"));
  });

  it("stay within their limit, and evict the least recently used entries", () => {
    const cache = new ByteCache(3000);
    for (const id of "abcdefgh") {
      cache.set(id, randomBytes(500));
      cache.get("a");
      expect(cache.bytes).toBeLessThanOrEqual(3000);
    }
    expect([..."abcdefgh"].filter((id) => cache.get(id)).join("")).toBe("afgh");
    cache.set("big", new Uint8Array(3001));
    expect(cache.get("big")).toBeUndefined();
    cache.set("view", new Uint8Array(1000).subarray(0, 10));
    expect(cache.get("view")!.buffer.byteLength).toBe(10);
    cache.clear();
    expect(cache.bytes).toBe(0);
    expect(() => new ByteCache(-1)).toThrow(expect.objectContaining({ _tag: "InvalidArgument" }));
  });
});
