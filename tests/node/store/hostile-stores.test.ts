// Stores that attack their readers: bodies and archives that expand far beyond their size, documents that
// take unbounded time, false responses, and requests that carry secrets elsewhere.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createBrotliCompress, createGzip, deflateRawSync, gzipSync, constants as zlib } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  getBytes,
  HttpStore,
  type HttpStoreOptions,
  isZarrError,
  MapStore,
  open,
  type ZarrGroup,
  ZipStore,
} from "zarr-wasm";
import { ReferenceStore, type ReferenceStoreOptions } from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { listChildren } from "#src/index.js";
import { runAll } from "../../shared/steps.js";
import { measure } from "../support/hostile-child.js";
import { asCors, ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";
import { json, regular, v3Meta } from "../support/zarr-writer.js";
import { writeZip, type ZipPart } from "../support/zip-builder.js";

const mebibyte = 2 ** 20;

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;
let servers: http.Server[] = [];

async function serve(handler: Handler) {
  const met: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    met.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, met };
}

afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const scratch = mkdtempSync(path.join(tmp, "hostile-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** A number of MiB of zeros, compressed without being in memory. */
async function zeros(mebibytes: number, stream: ReturnType<typeof createGzip>): Promise<Uint8Array> {
  const piece = new Uint8Array(mebibyte);
  const packed: Uint8Array[] = [];
  stream.on("data", (bytes) => packed.push(bytes));
  for (let i = 0; i < mebibytes; i++)
    if (!stream.write(piece)) await new Promise((resolve) => stream.once("drain", resolve));
  await new Promise<void>((resolve) => stream.on("end", resolve).end());
  return Buffer.concat(packed);
}

describe("decompression bombs in bodies", () => {
  /** Bodies of a few hundred bytes, by their coding, that stand for 256 MiB. */
  const bombs: Record<string, Uint8Array> = {};
  beforeAll(async () => {
    bombs["br"] = await zeros(256, createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }));
    bombs["gzip, gzip"] = gzipSync(await zeros(256, createGzip({ level: 9 })), { level: 9 });
  }, 60_000);

  const codings = ["br", "gzip, gzip"];
  const asByFetch = `const options = args.byFetch ? { fetch: (request) => fetch(request) } : {};`;

  describe.each([
    { name: "by Node's client", byFetch: false },
    { name: "by fetch", byFetch: true },
  ])("$name", ({ byFetch }) => {
    it.each(codings)("are aborted at the read's size limit, %s", async (coding) => {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { "content-encoding": coding }).end(bombs[coding]);
      });
      const chunks = `
        ${asByFetch}
        const store = new zarr.HttpStore(args.url, options);
        return Promise.all(Array.from({ length: 8 }, (_, i) => codeOf(store.get("/" + i, { maxBytes: 1000 }))));`;
      const { result, mebibytes, seconds } = await measure(chunks, { url, byFetch });
      expect(bombs[coding]!.byteLength).toBeLessThan(4000);
      expect(result).toEqual(Array(8).fill("LimitExceeded limit-exceeded"));
      expect(mebibytes).toBeLessThan(100);
      expect(seconds).toBeLessThan(3);
    });

    it("are ended at the limit of metadata, and of documents of references", async () => {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { "content-encoding": "br" }).end(bombs["br"]);
      });
      const documents = `
        const limits = { metadataBytes: 2 ** 20 };
        ${asByFetch}
        return [
          await codeOf(zarr.open(new zarr.HttpStore(args.url, options), { limits })),
          await codeOf(formats.ReferenceStore.open(args.url, { ...options, limits: { indexBytes: 2 ** 20 } })),
        ];`;
      const { result, mebibytes } = await measure(documents, { url, byFetch });
      expect(result).toEqual(Array(2).fill("LimitExceeded limit-exceeded"));
      expect(mebibytes).toBeLessThan(100);
    });

    it("take only the memory of the range if the server sends the whole object", async () => {
      const { url } = await serve(({ method }, response) => {
        response.writeHead(200, { "content-encoding": "br" }).end(method === "HEAD" ? "" : bombs["br"]);
      });
      const ranges = `
        ${asByFetch}
        const store = new zarr.HttpStore(args.url, options);
        const all = [{ offset: 2 ** 27, length: 1000 }, { suffixLength: 1000 }];
        return Promise.all(all.map(async (range) => (await store.getRange("/a", range)).length));`;
      const { result, mebibytes } = await measure(ranges, { url, byFetch });
      expect(result).toEqual([1000, 1000]);
      expect(mebibytes).toBeLessThan(100);
    });
  });

  it("without a limit of the read end at the store's own", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "br" }).end(bombs["br"]);
    });
    const read = new HttpStore(url, { maxBytes: mebibyte }).get("/a");
    expect(await errorOf(() => read)).toMatchObject({ _tag: "LimitExceeded" });
  });
});

describe("false responses", () => {
  const at = (url: string, options: HttpStoreOptions = {}) =>
    new HttpStore(url, { retries: 0, timeout: 500, ...options });

  it("announce gibibytes, and cost no memory", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-length": 2 ** 31 - 2 ** 20 }).write(new Uint8Array(10));
    });
    const body = `
      const store = new zarr.HttpStore(args.url, { retries: 0, timeout: 300 });
      return Promise.all(Array.from({ length: 32 }, (_, i) => codeOf(store.get("/" + i))));`;
    const { result, mebibytes } = await measure(body, { url });
    expect(result).toEqual(Array(32).fill("Network timeout"));
    expect(mebibytes).toBeLessThan(100);
  });

  it("never end", async () => {
    const { url } = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(new Uint8Array(65536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    expect(await errorOf(() => at(url).get("/a", { maxBytes: mebibyte }))).toMatchObject({
      _tag: "LimitExceeded",
    });
    // Compressed bodies without any output count as silence.
    const empty = gzipSync(new Uint8Array());
    const silent = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      const timer = setInterval(() => response.write(empty), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await errorOf(() => at(silent.url).get("/a"))).toMatchObject({ code: "timeout" });
  });

  it.each<[string, Record<string, string | string[]>]>([
    ["headers without end", { "x-a": "a".repeat(100_000) }],
    ["a size beyond all numbers", { "content-range": `bytes */${"9".repeat(400)}` }],
    ["two lengths", { "content-range": ["bytes 0-1/2", "bytes 0-1/3"] }],
    ["a long ETag", { etag: `"${"x".repeat(10_000)}"`, "content-range": "bytes 0-0/*" }],
  ])("%s end in typed errors", async (_name, headers) => {
    for (const status of [200, 206, 302, 416]) {
      const { url } = await serve((_, response) => response.writeHead(status, headers).end());
      for (const range of [{ suffixLength: 10 }, { offset: 0, length: 10 }]) {
        const outcome = await at(url)
          .getRange("/a", range)
          .catch((error) => error);
        expect(outcome instanceof Uint8Array || isZarrError(outcome), `${status}: ${outcome}`).toBe(true);
      }
    }
  });

  it("remember no ETags that are longer than ETags are", async () => {
    const { url } = await serve((_, response) => response.writeHead(200, { etag: "x".repeat(600) }).end("a"));
    const version = {};
    await at(url).get("/a", { version });
    expect(version).toEqual({ size: 1 });
  });

  it("are absent if the caller's fetch returns none", async () => {
    const answers = [undefined, null, {}, "text"];
    for (const answer of answers) {
      const store = at("http://x/", { fetch: () => Promise.resolve(answer as never) });
      expect(await errorOf(() => store.get("/a"))).toMatchObject({ _tag: "Network", code: "fetch-failed" });
    }
    const unsent = at("http://x/", { headers: { "a b": "c" } });
    expect(await errorOf(() => unsent.get("/a"))).toMatchObject({ _tag: "InvalidArgument" });
  });

  it("have fewer bytes than requested, and CORS hides their range", async () => {
    // The object has 1000 bytes: the size from HEAD shows which parts end at its end.
    const send = (bytes: number) => (request: Request) =>
      Promise.resolve(
        asCors(
          request.method === "HEAD"
            ? new Response(null, { headers: { "content-length": "1000" } })
            : new Response(new Uint8Array(bytes), { status: 206 }),
        ),
      );
    const read = (bytes: number) =>
      at("http://x/", { fetch: send(bytes) }).getRange("/a", { offset: 990, length: 20 });
    expect(await read(10)).toHaveLength(10);
    expect(await errorOf(() => read(9))).toMatchObject({ _tag: "Network", code: "bad-range" });
  });
});

describe("archives", () => {
  const bytes = new Uint8Array(20_000);
  const packed = deflateRawSync(bytes);
  const zipOf = (parts: ZipPart[]) => new ZipStore(writeZip(parts));

  it("whose objects overlap are refused, whatever the order of their directory", async () => {
    const parts = (offsets: number[]): ZipPart[] =>
      offsets.map((offset, i) => ({ name: `${i}`, bytes, method: 8, lie: { offset } }));
    const size = 31 + packed.byteLength;
    for (const offsets of [
      [0, 0, 0],
      [0, 1, 2],
      [0, size - 2, 2 * size],
      [2 * size, 0, 31],
      [2 * size, size, size + 1],
    ]) {
      const error = await errorOf(() => zipOf(parts(offsets)).get("/0"));
      expect(error, String(offsets)).toMatchObject({ _tag: "InvalidMetadata", code: "bad-zip" });
      expect(error.message).toContain("overlap");
    }
    for (const offsets of [
      [0, size, 2 * size],
      [2 * size, 0, size],
    ]) {
      for (const key of ["/0", "/1", "/2"]) {
        // The header that is found has another name, which is not checked.
        expect(await zipOf(parts(offsets)).get(key), String(offsets)).toEqual(bytes);
      }
    }
  });

  it("of a million objects are checked quickly", async () => {
    const { Extents } = await import("#src/store/zip/directory.js");
    const extents = new Extents();
    const count = 1_000_000;
    for (let i = 0; i < count; i++) extents.add({ offset: ((i * 7919) % count) * 100, storedBytes: 70 });
    expect(runAll(extents.overlap())).toBe(false);
    extents.add({ offset: 5000, storedBytes: 0 });
    expect(runAll(extents.overlap())).toBe(true);
  });

  it("with declared sizes above a read's limit are neither inflated nor read", async () => {
    const zip = writeZip([{ name: "a", bytes: randomBytes(100), method: 8, lie: { bytes: 90_000 } }]);
    const asked: string[] = [];
    const source = {
      get: () => undefined,
      getRange: (_: string, range: object) => {
        asked.push(Object.keys(range)[0]!);
        return zip; // its last bytes contain all of it
      },
    };
    const store = new ZipStore({ store: source, key: "/a.zip" });
    const limited = { _tag: "LimitExceeded" };
    expect(await errorOf(() => store.get("/a", { maxBytes: 1000 }))).toMatchObject(limited);
    expect(
      await errorOf(() => store.getRange("/a", { suffixLength: 2000 }, { maxBytes: 1000 })),
    ).toMatchObject(limited);
    expect(asked).toEqual(["suffixLength"]);
  });

  it("inflate to the declared size at most", async () => {
    const bomb = await zeros(256, createGzip({ level: 9 }));
    const body = bomb.subarray(10, -8); // a raw stream without gzip's own header and checksum
    const zip = path.join(scratch, "bomb.zip");
    writeFileSync(zip, writeZip([{ name: "a", bytes: new Uint8Array(1000), body, method: 8 }]));
    const read = `return codeOf(new zarr.ZipStore(args.zip).get("/a"));`;
    const { result, mebibytes } = await measure(read, { zip });
    expect(result).toBe("CorruptChunk size-mismatch");
    expect(mebibytes).toBeLessThan(60);
  });

  it("with names of tens of thousands of folders list quickly", async () => {
    const deep = (i: number) => `${i}/${"a/".repeat(30_000)}x`;
    const store = zipOf(Array.from({ length: 20 }, (_, i) => ({ name: deep(i), bytes: new Uint8Array(1) })));
    expect(await store.listChildren("")).toHaveLength(20);
    expect(await store.listChildren("7/a/a")).toEqual(["a"]);
  });
});

describe("references", () => {
  const digits =
    '{"big":9007199254740993,"zero":-0.0,"huge":1e400,"most":9223372036854775807,"n":[NaN,{"a":-0}]}';

  async function opened(document: string, options: ReferenceStoreOptions = {}) {
    const store = new MapStore(new Map([["/refs.json", bytesOf(document)]]));
    return ReferenceStore.open({ store, key: "/refs.json" }, options);
  }
  const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes!).toString();

  it("keep every digit of objects in the document", async () => {
    for (const document of [
      `{"a":${digits},"b":["http://h/x",1,2],"c":"text"}`,
      `\ufeff{"version":1,"templates":{"u":"v"},"refs":{"a":${digits},"b":["http://h/x",1,2],"c":"text"}}`,
    ]) {
      const store = await opened(document);
      expect(textOf(await store.get("/a"))).toBe(digits);
      expect(textOf(await store.get("/c"))).toBe("text");
      expect([...store.list("")]).toEqual(["/a", "/b", "/c"]);
    }
  });

  it("print the numbers of a parsed document without loss", async () => {
    const values = { z: -0, i: Number.POSITIVE_INFINITY, n: Number.NaN, b: 2n ** 63n, u: undefined, f: 0.1 };
    const store = new ReferenceStore({ a: values });
    expect(textOf(await store.get("/a"))).toBe(
      '{"z":-0.0,"i":Infinity,"n":NaN,"b":9223372036854775808,"f":0.1}',
    );
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(await errorOf(() => new ReferenceStore({ a: circle }).get("/a"))).toMatchObject({
      _tag: "LimitExceeded",
    });
  });

  it("read fill values exactly", async () => {
    for (const [dtype, fill, value] of [
      ["int64", "9007199254740993", 9007199254740993n],
      ["uint64", "18446744073709551615", 2n ** 64n - 1n],
    ] as const) {
      const meta = JSON.stringify(
        v3Meta({ shape: [1], chunk_grid: regular(1), data_type: dtype, fill_value: "FILL" }),
      ).replace('"FILL"', fill);
      const array = await open(await opened(`{"zarr.json":${meta}}`), { kind: "array" });
      expect(new BigUint64Array((await getBytes(array)).bytes.slice().buffer)[0]).toBe(value);
    }
  });

  it("that nest without end, and documents that are too long, are refused", async () => {
    const nested = `{"a":{"b":${"[".repeat(1000)}${"]".repeat(1000)}}}`;
    expect(await errorOf(() => opened(nested))).toMatchObject({ _tag: "LimitExceeded" });
    expect(await errorOf(() => opened("[".repeat(1e6)))).toMatchObject({ _tag: "LimitExceeded" });
    expect(await errorOf(() => opened('{"a":"b"}', { limits: { indexBytes: 5 } }))).toMatchObject({
      _tag: "LimitExceeded",
    });
  });

  it.each([
    "s3://a/\ud800",
    "gs://b/\udc00x",
    "s3://xn--a/x",
    "s3://\ud800/x",
    "C:\\\ud800",
    "http://[",
    "http://a b/",
    "\ud800",
  ])("to %j are typed errors", async (target) => {
    for (const base of [undefined, "http://h/refs.json", "file:///tmp/refs.json"]) {
      const store = new ReferenceStore(
        { a: [target] },
        { base, fetch: () => Promise.reject(new Error("no")), retries: 0 },
      );
      expect(isZarrError(await errorOf(() => store.get("/a"))), base).toBe(true);
    }
  });

  it("expand templates to a bounded length only", async () => {
    const templates = { a: "x".repeat(mebibyte), b: "y" };
    const refs = { a: ["{{a}}".repeat(600)], b: ["{{b}}".repeat(600)], c: [`{{${"{{".repeat(500_000)}`] };
    const store = new ReferenceStore({ version: 1, templates, refs }, { base: "http://h/" });
    expect(await errorOf(() => store.get("/a"))).toMatchObject({ _tag: "LimitExceeded" });
    const found = new ReferenceStore(
      { version: 1, templates, refs },
      { resolve: (key) => ({ store: new Map(), key }) },
    );
    expect((await errorOf(() => found.get("/b"))).message).toContain("y".repeat(600));
    expect(await errorOf(() => found.get("/c"))).toMatchObject({ code: "bad-target" });
  });

  describe("and secrets", () => {
    const secret = { authorization: "Bearer t", cookie: "c=1", "x-api-key": "k" };
    const namesOf = (request: http.IncomingMessage) =>
      Object.keys(secret).filter((name) => request.headers[name] !== undefined);

    async function hosts() {
      const other = await serve((_, response) => response.writeHead(200).end("there"));
      const own = await serve(({ url }, response) => {
        if (url === "/away") return response.writeHead(302, { location: other.url }).end();
        if (url !== "/refs.json") return response.writeHead(200).end("here");
        return response.end(JSON.stringify({ here: ["data"], there: [`${other.url}/x`], away: ["away"] }));
      });
      return { own, other };
    }

    it("go to the document's origin alone", async () => {
      const { own, other } = await hosts();
      const store = await ReferenceStore.open(`${own.url}/refs.json`, { headers: secret });
      for (const key of ["/here", "/there", "/away"])
        expect((await store.get(key))!.length).toBeGreaterThan(3);
      expect(own.met.map(namesOf)).toEqual(Array(3).fill(Object.keys(secret)));
      expect(other.met.map(namesOf)).toEqual([[], []]);
      // A document passed directly has its base as origin; without a base it has none.
      const document = { a: [`${own.url}/data`] };
      await new ReferenceStore(document, { headers: secret, base: own.url }).get("/a");
      await new ReferenceStore(document, { headers: secret, base: other.url }).get("/a");
      await new ReferenceStore(document, { headers: secret }).get("/a");
      expect(own.met.slice(3).map(namesOf)).toEqual([Object.keys(secret), [], []]);
      // The base of relative targets does not determine the document's origin.
      const elsewhere = { headers: secret, base: `${other.url}/` };
      await (await ReferenceStore.open(`${own.url}/refs.json`, elsewhere)).get("/here");
      expect(namesOf(other.met.at(-1)!)).toEqual([]);
    });

    it("for targets are set per target", async () => {
      const { own, other } = await hosts();
      const withKey = new HttpStore(other.url, { headers: { "x-api-key": "other" } });
      const resolve = (target: string) =>
        target.startsWith(other.url) ? { store: withKey, key: new URL(target).pathname } : undefined;
      const store = await ReferenceStore.open(`${own.url}/refs.json`, { headers: secret, resolve });
      await store.get("/here");
      await store.get("/there");
      expect(namesOf(own.met[1]!)).toEqual(Object.keys(secret));
      expect([namesOf(other.met[0]!), other.met[0]!.headers["x-api-key"]]).toEqual([["x-api-key"], "other"]);
    });

    it("on this machine are refused for remote documents", async () => {
      const file = path.join(scratch, "secret");
      writeFileSync(file, "secret");
      const { url } = await serve((_, response) => response.end(JSON.stringify({ a: [`file://${file}`] })));
      const store = await ReferenceStore.open(url);
      expect(await errorOf(() => store.get("/a"))).toMatchObject({ code: "unsupported-reference" });
    });
  });
});

describe("folders with links in circles", () => {
  const group = json({ zarr_format: 3, node_type: "group" });

  function fill(name: string, folders: string[], links: Record<string, string>): string {
    const root = path.join(scratch, name);
    for (const folder of ["", ...folders]) {
      mkdirSync(path.join(root, folder), { recursive: true });
      writeFileSync(path.join(root, folder, "zarr.json"), group);
    }
    for (const [at, target] of Object.entries(links)) symlinkSync(target, path.join(root, at));
    return root;
  }

  async function walked(root: string): Promise<string[]> {
    const names: string[] = [];
    const top = (await open(new FileSystemStore(root), { kind: "group" })) as ZarrGroup;
    for await (const node of top.walk()) names.push(node.path);
    return names;
  }
  async function listed(root: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of new FileSystemStore(root).list("")) keys.push(key);
    return keys;
  }

  it("are walked and listed to the end", async () => {
    const root = fill("self", ["a", "a/b"], { self: ".", "a/up": "..", "a/b/top": "../..", other: "a" });
    expect(await walked(root)).toEqual(["a", "a/b", "other", "other/b"]);
    const keys = ["/a/b/zarr.json", "/a/zarr.json", "/other/b/zarr.json", "/other/zarr.json", "/zarr.json"];
    expect((await listed(root)).sort()).toEqual(keys);
    expect(await listChildren(new FileSystemStore(root), "self")).toEqual(["a", "other"]);
  });

  it("also by way of a folder above the store", async () => {
    const root = fill("above/store", ["a"], { "a/out": "../.." });
    expect(await listChildren(new FileSystemStore(root), "a/out")).toEqual([]);
    expect(await walked(root)).toEqual(["a"]);
  });

  it("end also where every folder links to every other", async () => {
    const names = Array.from({ length: 9 }, (_, i) => `f${i}`);
    const links = names.flatMap((from) => names.map((to) => [`${from}/to-${to}`, `../${to}`] as const));
    const root = fill("mesh", names, Object.fromEntries(links));
    const found = await walked(root);
    // 9 folders, in each 8 links to others, in each of those 7 to others still.
    expect(found).toHaveLength(9 + 9 * 8 + 9 * 8 * 7);
    expect(await listed(root)).toHaveLength(1 + found.length);
  });

  it("are shown by the command line", () => {
    const root = fill("shown", ["a"], { self: "." });
    const cli = new URL("../../../dist/cli/main.js", import.meta.url).pathname;
    const { status, stdout } = spawnSync(process.execPath, [cli, "info", root], {
      timeout: 20_000,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).not.toContain("self");
  });
});

it("a store without ranges gets no size limit for a part", async () => {
  const { readRange } = await import("zarr-wasm");
  const heard: unknown[] = [];
  const store = {
    get: (_: string, options?: { maxBytes?: number | undefined }) => {
      heard.push(options?.maxBytes);
      return randomBytes(100);
    },
  };
  expect(await readRange(store, "/a", { offset: 5, length: 5 }, { maxBytes: 5 })).toHaveLength(5);
  expect(heard).toEqual([undefined]);
});

it("files and cached bytes are checked against a read's limit", async () => {
  writeFileSync(path.join(scratch, "a"), randomBytes(100));
  const store = new FileSystemStore(scratch);
  const limited = { _tag: "LimitExceeded" };
  expect(await errorOf(() => store.get("/a", { maxBytes: 99 }))).toMatchObject(limited);
  expect(await store.get("/a", { maxBytes: 100 })).toHaveLength(100);
  const server = await new ObjectServer({ "/a": randomBytes(100) }).start();
  try {
    const cached = new HttpStore(server.url, { cache: new Map() });
    expect(await cached.get("/a")).toHaveLength(100);
    expect(await errorOf(() => cached.get("/a", { maxBytes: 99 }))).toMatchObject(limited);
    expect(server.seen).toHaveLength(1);
    // Two readers with different limits do not share a response.
    const fresh = new HttpStore(server.url);
    const both = [99, 100].map((maxBytes) => fresh.get("/a", { maxBytes }).catch((error) => error._tag));
    expect(await Promise.all(both)).toEqual(["LimitExceeded", expect.any(Uint8Array)]);
  } finally {
    await server.close();
  }
});
