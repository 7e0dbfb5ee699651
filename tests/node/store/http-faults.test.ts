// Faulty servers: every fault with every kind of read has the outcome stated in docs/networks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { getBytes, HttpStore, MapStore, open, slice } from "zarr-wasm";
import { makeReads, type Reads, resultOf } from "../support/fault-reads.js";
import {
  type Fault,
  FaultServer,
  faults,
  faultTable,
  outcomeOf,
  type ReadKind,
  readKinds,
} from "../support/fault-server.js";
import type { Behaviour } from "../support/store-server.js";
import { errorOf, randomBytes } from "../support/support.js";
import {
  bytesLittle,
  type Codec,
  concat,
  pick,
  regular,
  sharded,
  v3Meta,
  writeV3,
} from "../support/zarr-writer.js";

const file = new URL("../../../docs/networks.md", import.meta.url);
const rewrite = process.env["ZARR_WASM_WRITE_NETWORKS"] === "1";
const [begins, ends] = ["<!-- faults -->", "<!-- end of faults -->"];

let objects: Reads["objects"];
let kinds: Reads["kinds"];
beforeAll(async () => {
  ({ objects, kinds } = await makeReads());
});

const typed: NonNullable<Behaviour["headers"]> = (own, { url }) => ({
  ...own,
  "content-type": url!.endsWith(".html") ? "text/html" : "application/octet-stream",
});

let servers: FaultServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

/** Outcome of a read: "right" and the number of extra requests, or the error and the number of all requests. */
async function outcome(fault: Fault, kind: ReadKind): Promise<string> {
  const read = kinds[kind];
  const { key, isMeant = () => true, needed } = read;
  const server = await new FaultServer(objects, { headers: typed }).start();
  server.err(key, fault, isMeant);
  const result = await resultOf(read, server.url, { retryDelay: 1, timeout: fault.timeout });
  await server.close();
  if (result !== "right") return `${result}, ${server.met}`;
  return `right, ${server.met < needed ? "" : "+"}${server.met - needed}`;
}

/** Node's two transports: its HTTP client, and fetch, which is used once the global has been replaced. */
const transports = [
  { name: "by Node's client", fetch: undefined },
  { name: "by fetch", fetch: (...asked: Parameters<typeof fetch>) => nodesFetch(...asked) },
];
const nodesFetch = globalThis.fetch;

describe.each(transports)("a server with this fault, $name", ({ fetch }) => {
  beforeAll(() => {
    if (fetch) vi.stubGlobal("fetch", fetch);
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });

  const check = async (fault: Fault) => {
    const found = await Promise.all(readKinds.map((kind) => outcome(fault, kind)));
    const stated = readKinds.map((kind) => [kind, outcomeOf(fault.outcomes, kind)]);
    expect(Object.fromEntries(readKinds.map((kind, i) => [kind, found[i]]))).toEqual(
      Object.fromEntries(stated),
    );
  };
  it.each(faults.filter(({ timeout }) => timeout === undefined))("$name", check);
  // These wait for timeouts.
  it.concurrent.each(faults.filter(({ timeout }) => timeout !== undefined))("$name", check);
});

describe("an object that is replaced between two reads", () => {
  const fields = { data_type: "int16", shape: [64, 1024], chunk_grid: regular(64, 1024) };
  /** Two versions of an array that share only their metadata. */
  async function versions(codecs: Codec[], sizes: "alike" | "other") {
    const meta = v3Meta({ ...fields, codecs });
    return Promise.all(
      [1, 2].map(async (seed) => {
        const store = new MapStore();
        const gap = sizes === "other" ? 40 * seed : 0;
        const written = await writeV3(store, meta, randomBytes(2 * 64 * 1024, seed), {
          order: "shuffled",
          seed,
          gap,
        });
        return { entries: Object.fromEntries(store.entries), written };
      }),
    );
  }

  const long = (seed: number) => new Date(Date.UTC(2020, 1, seed)).toUTCString();
  /** The headers that distinguish versions. */
  const signs: Record<string, [sizes: "alike" | "other", headers: (seed: number) => Record<string, string>]> =
    {
      ETag: ["alike", (seed) => ({ etag: `"${seed}"` })],
      "a weak ETag": ["alike", (seed) => ({ etag: `W/"${seed}"` })],
      "Last-Modified": ["alike", (seed) => ({ "last-modified": long(seed) })],
      size: ["other", () => ({})],
      "size, while every answer is said to be new": [
        "other",
        () => ({ "last-modified": new Date().toUTCString() }),
      ],
    };

  async function start(sign: string, codecs: Codec[]) {
    const [sizes, told] = signs[sign]!;
    const [before, after] = (await versions(codecs, sizes)) as [Version, Version];
    let isNew = false;
    const headers: Behaviour["headers"] = ({ etag: _, ...own }) => ({ ...own, ...told(isNew ? 2 : 1) });
    const server = await new FaultServer(before.entries, { headers }).start();
    servers.push(server);
    const replace = (by: Version) => {
      isNew = by === after;
      for (const [key, bytes] of Object.entries(by.entries)) server.objects.set(key, bytes);
    };
    return { server, before, after, replace };
  }
  type Version = Awaited<ReturnType<typeof versions>>[number];

  const selection = [slice(3, 20), slice(70, 300)];
  const lists = [Array.from({ length: 17 }, (_, i) => 3 + i), Array.from({ length: 230 }, (_, i) => 70 + i)];

  it.each(Object.keys(signs))("a shard, by its %s: index and chunks are read again", async (sign) => {
    const { server, after, replace } = await start(sign, [sharded([8, 64])]);
    const array = await open(new HttpStore(server.url), { kind: "array" });
    server.behaviour.trouble = ({ url, headers: { range } }) => {
      if (url === "/c/0/0" && !range?.startsWith("bytes=-")) replace(after);
      return undefined;
    };
    expect((await getBytes(array, selection)).bytes).toEqual(pick(after.written, lists));
  });

  it.each(Object.keys(signs))("a shard of which the index is kept, by its %s", async (sign) => {
    const { server, before, after, replace } = await start(sign, [sharded([8, 64])]);
    const array = await open(new HttpStore(server.url), { kind: "array" });
    expect((await getBytes(array, selection)).bytes).toEqual(pick(before.written, lists));
    replace(after);
    expect((await getBytes(array, selection)).bytes).toEqual(pick(after.written, lists));
  });

  it("a shard that changes with every request", async () => {
    const { server, before, after, replace } = await start("ETag", [sharded([8, 64])]);
    const array = await open(new HttpStore(server.url), { kind: "array" });
    server.behaviour.trouble = (_, count) => void replace(count % 2 ? after : before);
    expect(await errorOf(() => getBytes(array, selection))).toMatchObject({
      _tag: "Network",
      code: "changed",
    });
  });

  it("a shard whose size had to be asked for", async () => {
    const { server, after, replace } = await start("size", [sharded([8, 64])]);
    server.behaviour.suffix = 501;
    const array = await open(new HttpStore(server.url), { kind: "array" });
    server.behaviour.trouble = ({ method }) => {
      if (server.seen.some((seen) => seen.method === "HEAD") && method !== "HEAD") replace(after);
      return undefined;
    };
    expect((await getBytes(array, selection)).bytes).toEqual(pick(after.written, lists));
  });

  it("a chunk that is read in parts: it is read whole", async () => {
    const { server, after, replace } = await start("ETag", [bytesLittle]);
    const array = await open(new HttpStore(server.url, { concurrency: 1 }), { kind: "array" });
    server.behaviour.trouble = ({ headers: { range } }) => {
      if (range && server.seen.filter((seen) => seen.range).length === 2) replace(after);
      return undefined;
    };
    const { bytes } = await getBytes(array, [slice(3, 5), slice(5, 9)]);
    const part = [
      [3, 4],
      [5, 6, 7, 8],
    ];
    expect(bytes).toEqual(pick(after.written, part));
  });

  it("a chunk of another size than it should have, read in parts", async () => {
    const { server } = await start("ETag", [bytesLittle]);
    const array = await open(new HttpStore(server.url), { kind: "array" });
    server.objects.set("/c/0/0", concat([server.objects.get("/c/0/0")!, new Uint8Array(9)]));
    const error = await errorOf(() => getBytes(array, [3, slice(5, 9)]));
    expect(error).toMatchObject({ _tag: "CorruptChunk", code: "size-mismatch", chunkKey: "/c/0/0" });
  });
});

describe("a time-out", () => {
  it("must be a positive number", () => {
    for (const timeout of [0, -1, Number.NaN]) {
      expect(() => new HttpStore("http://x/", { timeout })).toThrow(
        expect.objectContaining({ _tag: "InvalidArgument" }),
      );
    }
  });

  it("ends requests, and bodies, of a fetch that ignores signals", async () => {
    const body = () => new ReadableStream({ pull: () => new Promise(() => {}) });
    const deaf: Record<string, () => Promise<Response>> = {
      request: () => new Promise(() => {}),
      body: async () => new Response(body()),
    };
    for (const [what, fetch] of Object.entries(deaf)) {
      const store = new HttpStore("http://x/", { fetch, timeout: 40, retries: 1, retryDelay: 1 });
      expect(await errorOf(() => store.get("/a")), what).toMatchObject({ _tag: "Network", code: "timeout" });
      const endless = new HttpStore("http://x/", { fetch, timeout: Number.POSITIVE_INFINITY });
      const reason = new Error("enough");
      const reading = errorOf(() => endless.get("/a", { signal: abortedSoon(reason) }));
      expect(await reading, what).toBe(reason);
    }
  });

  it("is whole for a request that is sent while others wait already, and has one timer for all", async () => {
    const started = vi.spyOn(globalThis, "setInterval");
    const ended = vi.spyOn(globalThis, "clearInterval");
    try {
      const timeout = 200;
      const fetch = () => new Promise<Response>(() => {});
      const store = new HttpStore("http://x/", { fetch, timeout, retries: 0 });
      const times: number[] = [];
      const wait = async (key: `/${string}`) => {
        const begun = performance.now();
        expect(await errorOf(() => store.get(key))).toMatchObject({ code: "timeout" });
        times.push(performance.now() - begun);
      };
      // Not at the same time as a beat of the first.
      const waits = [];
      for (let i = 0; i < 12; i++) {
        waits.push(wait(`/${i}`));
        await new Promise((resolve) => setTimeout(resolve, 13));
      }
      await Promise.all(waits);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(timeout - 2);
      expect([started.mock.calls.length, ended.mock.calls.length]).toEqual([1, 1]);
    } finally {
      started.mockRestore();
      ended.mockRestore();
    }
  });

  it("leaves no timers behind", async () => {
    const server = await new FaultServer(objects).start();
    servers.push(server);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const store = new HttpStore(server.url);
    await store.get("/packed/zarr.json");
    await errorOf(() => new HttpStore("http://127.0.0.1:1", { retryDelay: 1 }).get("/a"));
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

function abortedSoon(reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 20);
  return controller.signal;
}

describe("docs/networks.md", () => {
  it("has the faults and their outcomes", () => {
    const text = readFileSync(file, "utf8");
    const [head, tail] = [text.slice(0, text.indexOf(begins)), text.slice(text.indexOf(ends))];
    const written = `${head}${begins}\n${faultTable()}${tail}`;
    if (rewrite) writeFileSync(file, written);
    expect(rewrite ? written : text).toBe(written);
  });
});
