// HttpStore.getRange against servers of every kind; readRange over stores of every kind.
import { afterEach, describe, expect, it } from "vitest";
import {
  HttpStore,
  type HttpStoreOptions,
  MapStore,
  type RangeQuery,
  readRange,
  type Store,
} from "zarr-wasm";
import { asCors, type Behaviour, corsFetch, ObjectServer } from "../support/store-server.js";
import { errorOf, randomBytes } from "../support/support.js";

const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const object = randomBytes(100_000);

async function start(behaviour: Behaviour = {}, options: HttpStoreOptions = {}, bytes: Uint8Array = object) {
  const server = await new ObjectServer({ "/a": bytes }, behaviour).start();
  servers.push(server);
  // Mandatory headers may be missing only if CORS hides them from a page.
  const fetch = behaviour.exposed === false ? corsFetch : undefined;
  return { server, store: new HttpStore(server.url, { retryDelay: 1, fetch, ...options }) };
}

const expected = (range: RangeQuery, bytes: Uint8Array = object) =>
  "suffixLength" in range
    ? bytes.slice(Math.max(0, bytes.byteLength - range.suffixLength))
    : bytes.slice(range.offset, range.offset + range.length);

const ranges: RangeQuery[] = [
  { offset: 0, length: 1 },
  { offset: 1, length: 999 },
  { offset: 99_999, length: 1 },
  { offset: 99_990, length: 100 },
  { offset: 0, length: 100_000 },
  { offset: 0, length: 200_000 },
  { offset: 100_000, length: 5 },
  { offset: 123_456, length: 5 },
  { offset: 7, length: 0 },
  { offset: 100_000, length: 0 },
  { suffixLength: 0 },
  { suffixLength: 1 },
  { suffixLength: 1000 },
  { suffixLength: 100_000 },
  { suffixLength: 100_001 },
];

const behaviours: Record<string, Behaviour> = {
  "a server that does everything": {},
  "CORS that hides Content-Range": { exposed: false },
  "no suffix ranges, 416": { suffix: 416 },
  "no suffix ranges, 416, hidden": { suffix: 416, exposed: false },
  "no suffix ranges, 501": { suffix: 501 },
  "no suffix ranges, 400": { suffix: 400 },
  "no suffix ranges, 200": { suffix: "whole" },
  "no suffix ranges, 200 without a length": { suffix: "whole", length: false },
  "suffix ranges taken for prefixes": { suffix: "first" },
  "no suffix ranges, no HEAD": { suffix: 416, head: 405, exposed: false },
  "no suffix ranges, HEAD without a length": { suffix: 501, head: "no-length" },
  "no suffix ranges, HEAD forbidden, hidden": { suffix: 501, head: 403, exposed: false },
  "no ranges": { ranges: "whole" },
  "no ranges, no length": { ranges: "whole", length: false },
  "no ranges, no length, no HEAD": { ranges: "whole", length: false, head: 501, exposed: false },
};

describe.each(Object.entries(behaviours))("%s", (_name, behaviour) => {
  it("returns exactly the bytes, also the second time", async () => {
    const { store } = await start(behaviour);
    for (const range of [...ranges, ...ranges]) {
      const bytes = await store.getRange("/a", range);
      expect(Buffer.compare(bytes!, expected(range)), JSON.stringify(range)).toBe(0);
    }
  });

  it("returns a new store's first range, and concurrent ones", async () => {
    for (const range of ranges) {
      const { store } = await start(behaviour);
      expect(Buffer.compare((await store.getRange("/a", range))!, expected(range))).toBe(0);
    }
    const { store } = await start(behaviour);
    const all = await Promise.all(ranges.map((range) => store.getRange("/a", range)));
    for (const [at, range] of ranges.entries()) expect(Buffer.compare(all[at]!, expected(range))).toBe(0);
  });

  it("distinguishes empty from missing objects", async () => {
    const { store } = await start(behaviour, {}, new Uint8Array(0));
    for (const range of ranges) {
      expect(await store.getRange("/a", range)).toEqual(new Uint8Array(0));
      expect(await store.getRange("/b", range)).toBeUndefined();
    }
  });
});

describe("requests", () => {
  it("requests the last bytes with one request, if supported", async () => {
    const { server, store } = await start();
    await store.getRange("/a", { suffixLength: 10 });
    await store.getRange("/a", { offset: 5, length: 10 });
    expect(server.log).toEqual(["GET /a bytes=-10", "GET /a bytes=5-14"]);
  });

  it("remembers that suffix ranges do not work", async () => {
    const { server, store } = await start({ suffix: 501 });
    await store.getRange("/a", { suffixLength: 10 });
    await store.getRange("/a", { suffixLength: 11 });
    expect(server.log).toEqual([
      "GET /a bytes=-10",
      "HEAD /a",
      "GET /a bytes=99990-99999",
      "HEAD /a",
      "GET /a bytes=99989-99999",
    ]);
  });

  it("needs no HEAD if a response contains the size", async () => {
    const { server, store } = await start({ suffix: 416 });
    await store.getRange("/a", { suffixLength: 10 });
    expect(server.log).toEqual(["GET /a bytes=-10", "GET /a bytes=99990-99999"]);
  });

  it("falls back when a connection breaks, as after a refused preflight", async () => {
    const trouble: Behaviour["trouble"] = ({ headers }) =>
      headers.range?.startsWith("bytes=-") ? "break" : undefined;
    const { server, store } = await start({ trouble });
    for (const suffixLength of [10, 11, 12]) {
      const bytes = await store.getRange("/a", { suffixLength });
      expect(Buffer.compare(bytes!, expected({ suffixLength }))).toBe(0);
    }
    // Two failures may be accidents; after that, suffix ranges are not tried again.
    expect(server.log.filter((line) => line.startsWith("GET /a bytes=-"))).toHaveLength(2);
  });

  it("retries when a connection breaks, even if a concurrent request has shown that the server can", async () => {
    const { server, store } = await start();
    server.objects.set("/b", object);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.behaviour.trouble = async ({ url }) => {
      if (url !== "/a" || server.log.filter((line) => line.includes("/a")).length > 1) return undefined;
      await answered;
      return "break";
    };
    const first = store.getRange("/a", { suffixLength: 10 });
    expect(
      Buffer.compare((await store.getRange("/b", { suffixLength: 9 }))!, expected({ suffixLength: 9 })),
    ).toBe(0);
    answer();
    expect(Buffer.compare((await first)!, expected({ suffixLength: 10 }))).toBe(0);
    expect(server.log.sort()).toEqual(["GET /a bytes=-10", "GET /a bytes=-10", "GET /b bytes=-9"]);
  });

  it("reads a whole object once if the server has no ranges", async () => {
    const { server, store } = await start({ ranges: "whole" });
    for (const range of ranges) await store.getRange("/a", range);
    expect(server.log).toEqual(["GET /a bytes=0-0"]);
    server.objects.set("/b", object.slice(5));
    const both = [1, 2, 3].map((offset) => store.getRange("/b", { offset, length: 9 }));
    expect(Buffer.compare((await Promise.all(both))[2]!, object.slice(8, 17))).toBe(0);
    expect(server.log.slice(1)).toEqual(["GET /b"]);
  });

  it("stops reading a long object when the range is complete", async () => {
    const long = new Uint8Array(80 * 2 ** 20).fill(7);
    const { server, store } = await start({ ranges: "whole" }, {}, long);
    expect(await store.getRange("/a", { offset: 1000, length: 3 })).toEqual(new Uint8Array(3).fill(7));
    await store.getRange("/a", { suffixLength: 0 }).catch(() => {});
    expect(server.seen[0]!.sent).toBeLessThan(40 * 2 ** 20);
    const narrow = new HttpStore(server.url, { maxBytes: 1000 });
    expect((await errorOf(() => narrow.getRange("/a", { offset: 995, length: 10 })))._tag).toBe(
      "LimitExceeded",
    );
  });

  it("never reads past the limit", async () => {
    for (const behaviour of [{}, { length: false }, { ranges: "whole", length: false }] as const) {
      const { store } = await start(behaviour, { maxBytes: 1000 });
      for (const work of [
        () => store.get("/a"),
        () => store.getRange("/a", { offset: 0, length: 1001 }),
        () => store.getRange("/a", { suffixLength: 1001 }),
      ]) {
        expect((await errorOf(work))._tag).toBe("LimitExceeded");
      }
    }
  });
});

describe("answers that lie", () => {
  const lies: Record<string, Record<string, string>> = {
    "another start": { "content-range": "bytes 11-20/100000" },
    "another end": { "content-range": "bytes 10-20/100000" },
    "an early end": { "content-range": "bytes 10-15/100000" },
    "an end past the object": { "content-range": "bytes 10-19/15" },
    "another unit": { "content-range": "items 10-19/100000" },
    "no numbers": { "content-range": "bytes x-y/z" },
    "huge numbers": { "content-range": "bytes 10-99999999999999999999/*" },
    "several parts": { "content-type": "multipart/byteranges; boundary=x" },
    "a compressed part": { "content-encoding": "br" },
  };
  it.each(Object.entries(lies))("refuses %s", async (_name, lie) => {
    const { store } = await start({ headers: (headers) => ({ ...headers, ...lie }) });
    const error = await errorOf(() => store.getRange("/a", { offset: 10, length: 10 }));
    expect([error._tag, error.code]).toEqual(["Network", "bad-range"]);
  });

  it("refuses more bytes than requested, and fewer than announced", async () => {
    const answers: [number, Record<string, string>, string, hidden?: "hidden"][] = [
      [11, {}, "bad-range", "hidden"],
      [11, { "content-range": "bytes 10-19/100000" }, "bad-range"],
      [9, { "content-range": "bytes 10-19/100000" }, "truncated-answer"],
      [9, { "content-length": "10" }, "truncated-answer", "hidden"],
    ];
    for (const [length, headers, code, hidden] of answers) {
      const answer = () => {
        const response = new Response(new Uint8Array(length), { status: 206, headers });
        return Promise.resolve(hidden ? asCors(response) : response);
      };
      const store = new HttpStore("http://x/", { fetch: answer, retryDelay: 1 });
      const error = await errorOf(() => store.getRange("/a", { offset: 10, length: 10 }));
      expect([error._tag, error.code]).toEqual(["Network", code]);
    }
  });

  it("rejects a part without a range, unless CORS may hide it", async () => {
    const nodes = (request: Request) => fetch(request);
    for (const [send, isRight] of [
      [undefined, false],
      [nodes, false],
      [corsFetch, true],
    ] as const) {
      // The same bytes for every request.
      const wrong = ({ "content-range": _, ...rest }: Record<string, string>) => rest;
      const { store } = await start({ headers: wrong }, { fetch: send });
      for (const range of [{ offset: 10, length: 10 }, { suffixLength: 10 }]) {
        if (isRight) expect(await store.getRange("/a", range)).toEqual(expected(range));
        else expect(await errorOf(() => store.getRange("/a", range))).toMatchObject({ code: "bad-range" });
      }
    }
  });

  it("does not take the end of a part without a total size as the object's end", async () => {
    for (const [first, range] of [
      ["bytes 10-14/*", { offset: 10, length: 10 }],
      ["bytes 0-9/*", { suffixLength: 10 }],
    ] as const) {
      const { server, store } = await start();
      server.behaviour.send = (_, { headers }) =>
        headers.range?.startsWith("bytes=10-") || headers.range?.startsWith("bytes=-")
          ? (ready, response) =>
              void response
                .writeHead(206, { "content-range": first })
                .end(ready.object.subarray(0, first.startsWith("bytes 10") ? 5 : 10))
          : undefined;
      const answer = await store.getRange("/a", range).catch((error) => error.code);
      expect(answer).toEqual("offset" in range ? "bad-range" : expected(range));
    }
  });

  it("rejects a part in response to a whole request, and a short whole", async () => {
    const answer = (status: number) => () =>
      Promise.resolve(new Response(new Uint8Array(4), { status, headers: { "content-length": "5" } }));
    const store = (status: number) => new HttpStore("http://x/", { fetch: answer(status), retryDelay: 1 });
    expect((await errorOf(() => store(206).get("/a"))).code).toBe("bad-range");
    expect((await errorOf(() => store(200).get("/a"))).code).toBe("truncated-answer");
  });

  it.each([401, 403, 500, 503])("passes on %d", async (status) => {
    const { store } = await start({ trouble: () => ({ status }) });
    for (const range of [{ offset: 0, length: 5 }, { suffixLength: 5 }]) {
      const error = await errorOf(() => store.getRange("/a", range));
      expect([error._tag, error.code, error.status]).toEqual(["Network", "http-status", status]);
    }
  });

  it("passes on a 416 for bytes that exist", async () => {
    const headers = { "content-range": "bytes */100000" };
    const { store } = await start({ trouble: () => ({ status: 416, headers }) });
    expect((await errorOf(() => store.getRange("/a", { offset: 0, length: 5 }))).status).toBe(416);
  });
});

describe("versions", () => {
  it("notices that an object has changed between two reads", async () => {
    const { server, store } = await start();
    const version = {};
    await store.getRange("/a", { suffixLength: 9 }, { version });
    expect(version).toEqual({ etag: '"1"', size: 100_000 });
    await store.getRange("/a", { offset: 0, length: 9 }, { version });
    server.etag = 'W/"1"';
    await store.getRange("/a", { offset: 1, length: 9 }, { version });
    server.etag = '"2"';
    const change = await errorOf(() => store.getRange("/a", { offset: 0, length: 9 }, { version }));
    expect([change._tag, change.code]).toEqual(["Network", "changed"]);
    await store.getRange("/a", { offset: 0, length: 9 });
    server.objects.clear();
    expect((await errorOf(() => store.getRange("/a", { suffixLength: 9 }, { version }))).code).toBe(
      "changed",
    );
    expect(await store.getRange("/a", { suffixLength: 9 })).toBeUndefined();
  });

  it("works without ETags if they are hidden", async () => {
    const { server, store } = await start({ exposed: false });
    const version = {};
    await store.getRange("/a", { suffixLength: 9 }, { version });
    server.etag = '"2"';
    await store.getRange("/a", { suffixLength: 8 }, { version });
    expect(version).toEqual({});
  });
});

describe("readRange", () => {
  const cut: Store = { get: (key) => (key === "/a" ? object : undefined) };
  it.each([
    ["a Map", new Map([["/a", object]]) as Store],
    ["a MapStore", new MapStore(new Map([["a", object]]))],
    ["a store without ranges", cut],
  ])("reads from %s", async (_name, store) => {
    for (const range of ranges) {
      expect(Buffer.compare((await readRange(store, "/a", range))!, expected(range))).toBe(0);
      expect(await readRange(store, "/b", range)).toBeUndefined();
    }
  });

  it("refuses a response that is too long", async () => {
    const store: Store = { get: () => object, getRange: () => object };
    for (const range of [{ offset: 5, length: 10 }, { suffixLength: 10 }]) {
      const error = await errorOf(() => readRange(store, "/a", range));
      expect([error._tag, error.code]).toEqual(["Network", "bad-range"]);
    }
  });

  it("rejects invalid ranges", async () => {
    const { store } = await start();
    for (const range of [
      { offset: -1, length: 5 },
      { offset: 0.5, length: 5 },
      { offset: 0, length: Number.NaN },
      { offset: Number.MAX_SAFE_INTEGER, length: 1 },
      { suffixLength: -1 },
    ]) {
      for (const from of [store, cut, new MapStore()]) {
        expect((await errorOf(() => readRange(from, "/a", range)))._tag).toBe("InvalidArgument");
      }
      expect((await errorOf(() => store.getRange("/a", range)))._tag).toBe("InvalidArgument");
    }
  });

  it("throws the signal's reason", async () => {
    const signal = AbortSignal.abort(new Error("gone"));
    expect((await errorOf(() => readRange(cut, "/a", { suffixLength: 1 }, { signal }))).message).toBe("gone");
  });
});
