// WritableHttpStore against a server of S3's semantics that fails as told: retries, conditions, signing, listing, and
// that
// reads know of writes.
import { afterEach, describe, expect, it } from "vitest";
import {
  append,
  ByteCache,
  create,
  deleteNode,
  isZarrError,
  open,
  readRange,
  WritableHttpStore,
  type WritableHttpStoreOptions,
} from "zarr-wasm";
import { Versions } from "#src/store/http/whole-objects.js";
import { pageSteps } from "#src/store/http/writable-store.js";
import { writeObject } from "#src/store/write.js";
import { runAll } from "../../shared/steps.js";
import { type Fault, S3Server } from "../support/s3-server.js";
import { bytesOf, errorOf, goldenCases, randomBytes, serve, sha256, storeOf } from "../support/support.js";

const closing: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((server) => server.close()));
});

async function fresh(options: WritableHttpStoreOptions = {}, path = "/data.zarr") {
  const server = await new S3Server().start();
  closing.push(server);
  const store = new WritableHttpStore(server.url + path, { retryDelay: 1, bucket: server.url, ...options });
  const stored = (key: string) => {
    const object = server.objects.get(`data.zarr${key}`);
    return object && new TextDecoder().decode(object.bytes);
  };
  return { server, store, stored };
}

/** Fails the first requests of a method. */
function failFirst(server: S3Server, method: string, ...faults: (Fault | undefined)[]): void {
  server.fault = (request) => (request.method === method ? faults.shift() : undefined);
}

const seenVersion = async (store: WritableHttpStore, key: string) => {
  const version = {};
  await store.get(key, { version });
  return version;
};

describe("failures that pass", () => {
  const passing: [string, Fault][] = [
    ["503", { status: 503, code: "SlowDown" }],
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "0" } }],
    ["500 after it was written", { status: 500, after: true }],
    ["504 after it was written", { status: 504, after: true }],
    ["a connection that breaks", { break: true }],
    ["a connection that breaks after it was written", { break: true, after: true }],
  ];
  const ways = ["plain", "absent", "seen"] as const;
  it.each(passing.flatMap(([name, fault]) => ways.map((way) => [name, way, fault] as const)))(
    "%s, %s: written, and no false conflict",
    async (_name, way, fault) => {
      const { server, store, stored } = await fresh();
      if (way === "seen") server.put("data.zarr/k", bytesOf("old"));
      const ifVersion = way === "seen" ? await seenVersion(store, "/k") : way === "absent" ? way : undefined;
      failFirst(server, "PUT", fault, fault);
      const error = await store.set("/k", bytesOf("new"), { ifVersion }).catch((thrown) => thrown);
      // If the condition fails, the object may have been changed by this write or by another one.
      const isUnknown = ifVersion !== undefined && fault.after;
      expect(error?.code).toBe(isUnknown ? "unknown-outcome" : undefined);
      expect(stored("/k")).toBe("new");
      expect(await store.get("/k")).toEqual(bytesOf("new"));
    },
  );

  it("409 of S3 is retried, and ends in the actual result", async () => {
    const { server, store, stored } = await fresh();
    failFirst(server, "PUT", { status: 409, code: "ConditionalRequestConflict" });
    await store.set("/k", bytesOf("one"), { ifVersion: "absent" });
    expect(stored("/k")).toBe("one");
    failFirst(server, "PUT", { status: 409, code: "ConditionalRequestConflict" });
    expect((await errorOf(() => store.set("/k", bytesOf("two"), { ifVersion: "absent" })))["_tag"]).toBe(
      "AlreadyExists",
    );
  });

  it("a conflict after a failure without an answer is an unknown outcome, and the newer object stays", async () => {
    const { server, store, stored } = await fresh();
    server.put("data.zarr/k", bytesOf("old"));
    const ifVersion = await seenVersion(store, "/k");
    let isFirst = true;
    server.fault = ({ method }) => {
      if (method !== "PUT" || !isFirst) return undefined;
      isFirst = false;
      server.put("data.zarr/k", bytesOf("somebody else's"));
      return { break: true };
    };
    const error = await errorOf(() => store.set("/k", bytesOf("mine"), { ifVersion }));
    expect([error["_tag"], error["code"]]).toEqual(["Network", "unknown-outcome"]);
    expect((error.cause as { _tag: string })._tag).toBe("Conflict");
    expect(stored("/k")).toBe("somebody else's");
    expect(await store.get("/k")).toEqual(bytesOf("somebody else's"));
  });

  it("an unknown outcome has the last status", async () => {
    const { server, store } = await fresh({ retries: 1 });
    server.fault = ({ method }) => (method === "PUT" ? { status: 503 } : undefined);
    const error = await errorOf(() => store.set("/k", bytesOf("x"), { ifVersion: "absent" }));
    expect([error["code"], error["status"]]).toEqual(["unknown-outcome", 503]);
  });

  it.each(["PUT", "DELETE"])(
    "a repeated %s request that the server carries out late changes no newer object",
    async (method) => {
      const { server, store, stored } = await fresh({ timeout: 200 });
      server.put("data.zarr/k", bytesOf("old"));
      let carryOut = () => {};
      let count = 0;
      server.fault = (request) => {
        if (request.method !== method) return undefined;
        count++;
        if (count === 1) return { status: 503 };
        if (count > 2) return undefined;
        carryOut = () => server.apply(request);
        return new Promise(() => {}); // no answer until the request has timed out
      };
      await (method === "PUT" ? store.set("/k", bytesOf("mine")) : store.delete("/k"));
      expect([count, stored("/k")]).toEqual([3, method === "PUT" ? "mine" : undefined]);
      server.fault = undefined;
      const other = new WritableHttpStore(`${server.url}/data.zarr`);
      await other.set("/k", bytesOf("newer"));
      carryOut();
      expect(stored("/k")).toBe("newer");
    },
  );

  it("a request is repeated with the version that is stored, also if that changes again", async () => {
    const { server, store, stored } = await fresh();
    let count = 0;
    server.fault = ({ method }) => {
      if (method !== "PUT" || ++count > 2) return undefined;
      server.put("data.zarr/k", bytesOf(`other ${count}`));
      return count === 1 ? { status: 503 } : undefined; // the second one has another version
    };
    await store.set("/k", bytesOf("mine"));
    expect([count, stored("/k")]).toEqual([3, "mine"]);
    count = -100;
    server.fault = ({ method }) => {
      if (method !== "PUT") return undefined;
      server.put("data.zarr/k", bytesOf(`other ${++count}`));
      return count === -99 ? { status: 503 } : undefined;
    };
    expect((await errorOf(() => store.set("/k", bytesOf("mine"))))["code"]).toBe("unknown-outcome");
  });

  it("a request is repeated without a condition if the server knows none", async () => {
    const { server, store, stored } = await fresh();
    const etags: unknown[] = [];
    for (const method of ["PUT", "DELETE"]) {
      let isFirst = true;
      server.fault = ({ method: asked, headers }) => {
        if (asked !== method) return undefined;
        etags.push(headers["if-match"] ?? headers["if-none-match"]);
        if (isFirst) {
          isFirst = false;
          return { status: 503 };
        }
        return etags.at(-1) ? { status: 501 } : undefined;
      };
      await (method === "PUT" ? store.set("/k", bytesOf("mine")) : store.delete("/k"));
      expect(stored("/k")).toBe(method === "PUT" ? "mine" : undefined);
    }
    expect(etags).toEqual([undefined, "*", undefined, undefined, expect.any(String), undefined]);
    const other = new WritableHttpStore(`${server.url}/data.zarr`, { conditional: false, retryDelay: 1 });
    server.log.length = 0;
    failFirst(server, "PUT", { status: 503 });
    await other.set("/k", bytesOf("mine"));
    expect(server.log).toEqual(["PUT data.zarr/k", "PUT data.zarr/k"]);
  });

  it("deletions are tried again", async () => {
    const { server, store, stored } = await fresh();
    server.put("data.zarr/k", bytesOf("x"));
    failFirst(server, "DELETE", { status: 503 }, { break: true, after: true });
    await store.delete("/k");
    expect(stored("/k")).toBeUndefined();
    failFirst(server, "DELETE", { status: 404 });
    await store.delete("/k");
  });

  it("tries are counted", async () => {
    const { server, store } = await fresh({ retries: 2 });
    server.fault = () => ({ status: 503, code: "SlowDown" });
    const error = await errorOf(() => store.set("/k", bytesOf("x")));
    expect([error["_tag"], error["code"], error["status"]]).toEqual(["Network", "http-status", 503]);
    expect(server.log.length).toBe(3);
  });

  it("a silent server times out", async () => {
    const { server, store } = await fresh({ retries: 0, timeout: 100 });
    server.fault = () => new Promise<undefined>(() => {});
    const error = await errorOf(() => store.set("/k", bytesOf("x")));
    expect([error["_tag"], error["code"]]).toEqual(["Network", "timeout"]);
  });
});

describe("answers that refuse", () => {
  it.each([
    [403, "AccessDenied", "Network", "http-status"],
    [401, "x", "Network", "http-status"],
    [400, "EntityTooLarge", "Network", "http-status"],
    [405, "MethodNotAllowed", "ReadOnly", "no-set"],
    [501, "NotImplemented", "ReadOnly", "no-set"],
    [507, "x", "Network", "disk-full"],
    [412, "PreconditionFailed", "Network", "http-status"],
    [202, "x", "Network", "http-status"],
  ])("%d", async (status, code, tag, own) => {
    const { server, store, stored } = await fresh();
    server.put("data.zarr/k", bytesOf("old"));
    server.fault = ({ method }) => (method === "PUT" ? { status, code } : undefined);
    const error = await errorOf(() => store.set("/k", bytesOf("x")));
    expect([error["_tag"], error["code"], error["status"]]).toEqual([tag, own, status]);
    expect(error.message).toContain("data.zarr/k");
    expect(error.message).toContain(`(${code})`);
    expect(server.log.length).toBe(1);
    expect(stored("/k")).toBe("old");
  });

  it("a page with status 200 stores nothing", async () => {
    const page = { status: 200, body: "<!doctype html>", headers: { "content-type": "text/html" } };
    const site = await serve((path) => (path === "/made" ? { ...page, status: 201 } : page));
    closing.push(site);
    const store = new WritableHttpStore(site.url);
    const error = await errorOf(() => store.set("/k", bytesOf("x")));
    expect([error["_tag"], error["code"]]).toEqual(["Network", "html-page"]);
    await store.set("/made", bytesOf("x"));
  });

  it("no conditions: server capabilities as reported, unknown, and set by options", async () => {
    const { server, store } = await fresh();
    server.fault = ({ method }) => (method === "PUT" ? { status: 501, code: "NotImplemented" } : undefined);
    const said = await errorOf(() => store.set("/k", bytesOf("x"), { ifVersion: "absent" }));
    expect([said["_tag"], said["code"]]).toEqual(["Unsupported", "no-conditions"]);
    const untold = await errorOf(() => store.set("/k", bytesOf("x"), { ifVersion: {} }));
    expect(untold["code"]).toBe("no-conditions");
    const changed = { etag: "last change 1700000000000" };
    expect((await errorOf(() => store.set("/k", bytesOf("x"), { ifVersion: changed })))["code"]).toBe(
      "no-conditions",
    );
    const other = new WritableHttpStore(server.url, { conditional: false });
    const error = await errorOf(() => writeObject(other, "/k", bytesOf("x"), { ifVersion: "absent" }));
    expect(error["code"]).toBe("no-conditions");
    expect(server.objects.size).toBe(0);
  });
});

describe("ETags that If-Match never matches", () => {
  const puts = ({ log }: S3Server) => log.filter((line) => line.startsWith("PUT"));

  it("are reported as such, with the remedy, and not as another writer", async () => {
    const { server, store, stored } = await fresh();
    server.weakEtags = "strict";
    const array = await create(store, { shape: [4], chunkShape: [4], dtype: "uint8" });
    server.log.length = 0;
    const error = await errorOf(() => append(array, new Uint8Array([1])));
    expect(error).toMatchObject({ _tag: "Unsupported", code: "no-conditions" });
    expect(error.message).toContain("/data.zarr/zarr.json");
    expect(error.message).toContain("conditional: false");
    expect(puts(server)).toHaveLength(2);
    server.put("data.zarr/k", bytesOf("old"));
    const ifVersion = await seenVersion(store, "/k");
    expect(await errorOf(() => store.set("/k", bytesOf("new"), { ifVersion }))).toMatchObject({
      code: "no-conditions",
    });
    expect(stored("/k")).toBe("old");
    const single = new WritableHttpStore(store.url, { conditional: false });
    await append(await open(single, { kind: "array" }), new Uint8Array([1]));
    expect((await open(store, { kind: "array" })).shape).toEqual([5]);
  });

  it("do not matter if the server compares weakly", async () => {
    const { server, store } = await fresh();
    server.weakEtags = "lenient";
    const array = await create(store, { shape: [4], chunkShape: [4], dtype: "uint8" });
    await append(array, new Uint8Array([1]));
    expect(server.refusals).toEqual([]);
  });

  it("are not assumed if the object has changed, or changed and changed back", async () => {
    const { server, store, stored } = await fresh();
    server.weakEtags = "strict";
    server.put("data.zarr/k", bytesOf("old"));
    const ifVersion = await seenVersion(store, "/k");
    server.put("data.zarr/k", bytesOf("other"));
    expect((await errorOf(() => store.set("/k", bytesOf("new"), { ifVersion })))["_tag"]).toBe("Conflict");
    expect(puts(server)).toHaveLength(1);
    server.weakEtags = undefined;
    server.fault = ({ method }) => {
      if (method !== "PUT") server.put("data.zarr/k", bytesOf("old")); // back, before it is read again
      return undefined;
    };
    await store.set("/k", bytesOf("new"), { ifVersion });
    expect(stored("/k")).toBe("new");
  });

  it("a conflict remains one if the object cannot be read again", async () => {
    const { server, store } = await fresh({ retries: 0 });
    server.weakEtags = "strict";
    server.put("data.zarr/k", bytesOf("old"));
    const ifVersion = await seenVersion(store, "/k");
    server.fault = ({ method }) => (method === "GET" ? { status: 500 } : undefined);
    expect((await errorOf(() => store.set("/k", bytesOf("new"), { ifVersion })))["_tag"]).toBe("Conflict");
  });
});

describe("signing", () => {
  it("every attempt is signed, for reads as well", async () => {
    const seen: string[] = [];
    const { server, store, stored } = await fresh({
      sign: async (request) => {
        const body = new Uint8Array(await request.clone().arrayBuffer());
        const headers = new Headers(request.headers);
        headers.set("authorization", `${request.method} ${sha256(body).slice(0, 8)} ${seen.length}`);
        seen.push(request.method);
        return new Request(request, { headers });
      },
    });
    server.allows = ({ method, headers, body }) =>
      Boolean(headers.authorization?.startsWith(`${method} ${sha256(body).slice(0, 8)} `));
    failFirst(server, "PUT", { status: 503 });
    await store.set("/k", bytesOf("x"));
    expect(stored("/k")).toBe("x");
    expect(await store.get("/k")).toEqual(bytesOf("x"));
    expect(await readRange(store, "/k", { suffixLength: 1 })).toEqual(bytesOf("x"));
    expect(await store.listChildren!("")).toEqual([]);
    await store.delete("/k");
    expect(seen).toEqual(["PUT", "GET", "PUT", "GET", "GET", "GET", "DELETE"]);
    const unsigned = new WritableHttpStore(`${server.url}/data.zarr`);
    expect((await errorOf(() => unsigned.set("/k", bytesOf("x"))))["status"]).toBe(403);
  });

  it("the query of a presigned URL is sent with every request", async () => {
    const { server, store, stored } = await fresh({ bucket: undefined }, "/data.zarr?token=1");
    server.allows = ({ query }) => query.get("token") === "1";
    await store.set("/k", bytesOf("x"));
    expect(stored("/k")).toBe("x");
    await store.delete("/k");
    expect(stored("/k")).toBeUndefined();
  });
});

describe("cached reads", () => {
  it("by a server that ignores ranges, in the cache, and in flight, never return the content before a write", async () => {
    let value = bytesOf("old value");
    let isSlow = false;
    const site = await serve((_, request) => {
      if (request.method === "PUT") {
        request.on("data", (piece) => {
          value = new Uint8Array(piece);
        });
      }
      return value;
    });
    closing.push(site);
    const late: (() => void)[] = [];
    const store = new WritableHttpStore(site.url, {
      cache: new ByteCache(2 ** 20),
      fetch: async (request) => {
        const response = await fetch(request);
        if (isSlow && request.method === "GET") await new Promise<void>((resolve) => late.push(resolve));
        return response;
      },
    });
    expect(await readRange(store, "/k", { offset: 0, length: 3 })).toEqual(bytesOf("old"));
    expect(await store.get("/k")).toEqual(bytesOf("old value"));
    isSlow = true;
    // These reads begin before the write and end after it.
    const before = [readRange(store, "/i", { offset: 4, length: 5 }), store.get("/j")];
    while (late.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    isSlow = false;
    await store.set("/k", bytesOf("new thing"));
    await store.set("/j", bytesOf("new thing"));
    await store.set("/i", bytesOf("new thing"));
    for (const go of late) go();
    await Promise.all(before);
    for (let i = 0; i < 2; i++) {
      expect(await readRange(store, "/k", { offset: 0, length: 3 })).toEqual(bytesOf("new"));
      expect(await readRange(store, "/i", { offset: 4, length: 5 })).toEqual(bytesOf("thing"));
      expect(await store.get("/k")).toEqual(bytesOf("new thing"));
      expect(await store.get("/j")).toEqual(bytesOf("new thing"));
    }
    const requests = site.requests.length;
    await store.get("/k");
    expect(site.requests.length).toBe(requests); // the cache works again
  });

  it("are dropped after a conflict: the next read of that writer is fresh", async () => {
    const { server, store } = await fresh({ cache: new ByteCache(2 ** 20) });
    const other = new WritableHttpStore(`${server.url}/data.zarr`, { cache: new ByteCache(2 ** 20) });
    await store.set("/n", bytesOf("0"));
    let conflicts = 0;
    const add = async (by: WritableHttpStore) => {
      for (;;) {
        const version = {};
        const n = Number(new TextDecoder().decode(await by.get("/n", { version })));
        try {
          return await by.set("/n", bytesOf(String(n + 1)), { ifVersion: version });
        } catch (error) {
          if (!isZarrError(error, "Conflict")) throw error;
          conflicts++;
        }
      }
    };
    for (let i = 0; i < 10; i++) {
      await Promise.all([store.get("/n"), other.get("/n")]);
      await add(i % 2 ? store : other);
    }
    expect(new TextDecoder().decode(server.objects.get("data.zarr/n")!.bytes)).toBe("10");
    expect(conflicts).toBe(9);
  });
});

it("which objects were written is forgotten one day, to be on the safe side", () => {
  const versions = new Versions();
  for (let i = 0; i < 10_002; i++) versions.recordWrite(`/${i}`);
  expect(versions.lastWrite("/10001")).toBe(10_002);
  // Evicted entries, and all others, may have been written at that time.
  expect([versions.lastWrite("/0"), versions.lastWrite("/1"), versions.lastWrite("/never")]).toEqual([
    2, 2, 2,
  ]);
  expect(versions.lastWrite("/2")).toBe(3);
});

describe("buckets", () => {
  it("list page by page, whatever the names", async () => {
    const { server, store } = await fresh();
    server.pageLength = 3;
    const keys = ["/a&b/<c>/zarr.json", "/a b/+/zarr.json", "/é/%20/0.0", "/g/zarr.json", "/g/c/0/0", "/top"];
    for (const key of keys) await store.set(key, bytesOf("x"));
    server.put("data.zarr/g/", bytesOf("")); // stands for a folder
    server.put("data.zarr2/x", bytesOf(""));
    const listed: string[] = [];
    for await (const key of store.list!("")) listed.push(key);
    expect(listed.sort()).toEqual([...keys].sort());
    expect(await store.listChildren!("")).toEqual(["a b", "a&b", "g", "é"].sort());
    expect(await store.listChildren!("g")).toEqual(["c"]);
    expect(await store.listChildren!("nothing")).toEqual([]);
    await store.deletePrefix!("g");
    expect([...server.objects.keys()].filter((key) => key.startsWith("data.zarr/g/"))).toEqual([]);
    expect(server.objects.size).toBe(keys.length - 2 + 1);
  });

  it("that list everything regardless of the request delete nothing else", async () => {
    const careless = (request: Request) => {
      const url = new URL(request.url);
      if (!url.searchParams.has("prefix")) return fetch(request);
      url.searchParams.delete("prefix");
      return fetch(new Request(url, request));
    };
    const { store } = await fresh({ fetch: careless });
    for (const key of ["/g/zarr.json", "/g/c/0", "/other/zarr.json", "/zarr.json"])
      await store.set(key, bytesOf("x"));
    await store.deletePrefix!("g");
    const left: string[] = [];
    for await (const key of store.list!("")) left.push(key);
    expect(left.sort()).toEqual(["/other/zarr.json", "/zarr.json"]);
    for await (const key of store.list!("other")) expect(key).toBe("/other/zarr.json");
    expect(await store.listChildren!("other")).toEqual([]);
  });

  it("with a separate host", async () => {
    const { server } = await fresh();
    const store = new WritableHttpStore(server.url, { bucket: server.url });
    await store.set("/g/zarr.json", bytesOf("x"));
    expect(await store.listChildren!("")).toEqual(["g"]);
  });

  it("must contain the store", () => {
    for (const bucket of [
      "http://other/bucket",
      "http://host/bucke",
      "http://host/bucket/data.zarr/deeper",
    ]) {
      expect(() => new WritableHttpStore("http://host/bucket/data.zarr", { bucket }), bucket).toThrow(
        expect.objectContaining({ _tag: "InvalidArgument" }),
      );
    }
  });

  it("without one, nothing is listed", async () => {
    const { store } = await fresh({ bucket: undefined });
    expect([store.list, store.listChildren, store.deletePrefix]).toEqual([undefined, undefined, undefined]);
    await store.set("/zarr.json", bytesOf("{}"));
    expect(await errorOf(() => deleteNode(store, "/"))).toMatchObject({
      _tag: "ReadOnly",
      code: "no-delete",
    });
  });

  it("reject invalid listings", async () => {
    const url = new URL("http://host/bucket/");
    const list = (inside: string) => `<ListBucketResult>${inside}</ListBucketResult>`;
    for (const text of [
      "",
      "<html></html>",
      list("<IsTruncated>true</IsTruncated>"),
      list("<EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents>"),
    ]) {
      expect(() => runAll(pageSteps(text, url)), text).toThrow(
        expect.objectContaining({ code: "bad-answer" }),
      );
    }
    const page = runAll(pageSteps(list("<Contents><Key>a&#38;b&#x26;&amp;&bad;</Key></Contents>"), url));
    expect(page).toEqual({ keys: ["a&b&&&bad;"], prefixes: [], next: undefined });
    const { server, store } = await fresh();
    const again = list("<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>");
    server.fault = undefined;
    const loop = new WritableHttpStore(server.url, {
      bucket: server.url,
      fetch: async () => new Response(again),
    });
    expect((await errorOf(() => loop.listChildren!("")))["code"]).toBe("bad-answer");
    server.fault = () => ({ status: 403, code: "AccessDenied" });
    const error = await errorOf(() => store.listChildren!(""));
    expect([error["code"], error["status"]]).toEqual(["http-status", 403]);
  });
});

describe("endless bucket listings", () => {
  type ListedPage = { keys?: string[]; prefixes?: string[]; token?: string };

  /** A store whose server sends these pages, by the number of the request. */
  function listing(pageAt: (count: number) => ListedPage) {
    const counts = { lists: 0, deletes: 0 };
    const store = new WritableHttpStore("http://host/bucket/data", {
      bucket: "http://host/bucket",
      fetch: async ({ method }) => {
        if (method === "DELETE") counts.deletes++;
        if (method === "DELETE") return new Response(null, { status: 204 });
        if (counts.lists > 20_000) throw new Error("a listing without end");
        const { keys = [], prefixes = [], token } = pageAt(++counts.lists);
        const more = token
          ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`
          : "";
        const entries = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`);
        const folders = prefixes.map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`);
        return new Response(
          `<ListBucketResult>${more}${[...entries, ...folders].join("")}</ListBucketResult>`,
        );
      },
    });
    return { store, counts };
  }

  const operations: Record<string, (store: WritableHttpStore) => Promise<unknown>> = {
    list: async (store) => {
      let count = 0;
      for await (const _ of store.list!("")) count++;
      return count;
    },
    listChildren: async (store) => (await store.listChildren!("")).length,
    deletePrefix: async (store) => store.deletePrefix!("g"),
  };
  const inside = (name: number): ListedPage => ({ keys: [`data/g/${name}`], prefixes: [`data/g${name}/`] });
  const endless: [name: string, maxRequests: number, (count: number) => ListedPage][] = [
    ["empty pages with fresh tokens", 1000, (count) => ({ token: `t${count}` })],
    ["the same keys with fresh tokens", 2, (count) => ({ ...inside(1), token: `t${count}` })],
    ["keys in a cycle with fresh tokens", 100, (count) => ({ ...inside(count % 17), token: `t${count}` })],
    ["fresh keys with tokens in a cycle", 100, (count) => ({ ...inside(count), token: `t${count % 17}` })],
    ["keys of other folders", 1000, (count) => ({ keys: [`other/${count}`], token: `t${count}` })],
    [
      "the same keys, and empty pages between them",
      300,
      (count) => ({ ...(count % 9 ? {} : inside(count % 5)), token: `t${count}` }),
    ],
  ];
  const all = endless.flatMap((page) =>
    Object.keys(operations).map((name) => [page[0], name, page] as const),
  );
  it.each(all)("%s: %s ends", async (_, name, [, maxRequests, pageAt]) => {
    const { store, counts } = listing(pageAt);
    const error = await errorOf(() => operations[name]!(store));
    expect(error).toMatchObject({ _tag: "Network", code: "bad-answer" });
    expect(counts.lists).toBeLessThanOrEqual(maxRequests);
  });

  it("long listings, unordered ones, and those with empty pages are complete", async () => {
    const pages = 3000;
    const { store, counts } = listing((count) => ({
      ...(count % 3 ? {} : inside((count * 7919) % pages)),
      ...(count < pages ? { token: `t${count}` } : {}),
    }));
    expect(await operations["list"]!(store)).toBe(1000);
    counts.lists = 0;
    expect(await operations["listChildren"]!(store)).toBe(1000);
    counts.lists = 0;
    counts.deletes = 0;
    await store.deletePrefix!("g");
    expect(counts.deletes).toBeGreaterThanOrEqual(1000);
  });
});

it("an aborted upload ends, and leaves the old object or the new one", async () => {
  const { server, store } = await fresh();
  await store.set("/k", bytesOf("old"));
  const controller = new AbortController();
  server.fault = async ({ method }) => {
    if (method === "PUT") await new Promise((resolve) => setTimeout(resolve, 50));
    return undefined;
  };
  setTimeout(() => controller.abort(new Error("gone")), 20);
  const large = randomBytes(500_000);
  expect((await errorOf(() => store.set("/k", large, { signal: controller.signal }))).message).toBe("gone");
  server.fault = undefined;
  expect([3, large.byteLength]).toContain((await store.get("/k"))!.byteLength);
});

it("a written array can be opened", async () => {
  const { store } = await fresh();
  const golden = goldenCases("v1")[0]!;
  for (const [key, bytes] of storeOf(golden)) await store.set(key, bytes);
  const array = await open(store, { kind: "array" });
  expect(array.shape).toEqual(golden.shape);
});
