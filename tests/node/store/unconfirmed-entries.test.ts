// Persistent caches with `onOutdated`: stored metadata documents and chunks are used while requests confirm them.
import { describe, expect, it } from "vitest";
import { getBytes, HttpStore, open, PersistentCache, type Slice, slice } from "zarr-wasm";
import { folder, fresh, putArray, server, useCacheServer } from "../support/cache-visits.js";
import { errorOf } from "../support/support.js";

useCacheServer();

/** A visit that uses stored documents at once; `outdated` has the URLs of those that had changed. */
function visit() {
  const outdated: string[] = [];
  const notices: (() => void)[] = [];
  const cache = new PersistentCache({
    name: "test",
    folder,
    onOutdated: (url) => {
      outdated.push(url.slice(server.url.length));
      for (const notify of notices.splice(0)) notify();
    },
  });
  const store = new HttpStore(server.url, { retries: 0, persistentCache: cache });
  /** @param rows Default: all. */
  const read = async (rows: Slice | null = null) => {
    const array = await open(store, { path: "a", kind: "array", version: 3 });
    return (await getBytes(array, [rows, null])).bytes;
  };
  const notice = () => new Promise<void>((resolve) => notices.push(resolve));
  return { cache, store, outdated, read, notice };
}

/** Reads rows of the array, so that they are stored. Default: all. */
async function firstVisit(seed = 1, rows: Slice | null = null) {
  const written = await putArray("/a", seed);
  await store(rows);
  return written;
}

/** Reads rows of the array in another visit. */
async function store(rows: Slice | null): Promise<void> {
  const { cache, read } = visit();
  await read(rows);
  await cache.flush();
  server.log();
}

/** The elements on the server. */
async function newest(): Promise<Uint8Array> {
  const array = await open(new HttpStore(server.url), { path: "a", kind: "array", version: 3 });
  return (await getBytes(array)).bytes;
}

/** Rows of chunks. */
const [above, below] = [slice(0, 4), slice(4, 8)];

/** Holds back the responses for some paths until `release` is called. */
function hold(isHeld: (path: string) => boolean) {
  const waiting: (() => void)[] = [];
  let isOver = false;
  server.intercept = (request, response) => {
    if (isOver || !isHeld(request.url!)) return false;
    waiting.push(() => server.answer(request, response));
    return true;
  };
  return {
    waiting,
    release() {
      isOver = true;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

const isDocument = (path: string) => path.endsWith(".json");

describe("stored documents", () => {
  it("are used before they are confirmed, once each", async () => {
    server.headers = fresh;
    const { elements } = await firstVisit();
    const held = hold(isDocument);
    const { read, outdated } = visit();
    expect(await read()).toEqual(elements);
    expect(await read()).toEqual(elements);
    expect(held.waiting).toHaveLength(1);
    held.release();
    await expect.poll(() => server.log()).toEqual(["/a/zarr.json 304"]);
    // Later reads wait for the server.
    await read();
    expect(server.log()).toEqual(["/a/zarr.json 304"]);
    expect(outdated).toEqual([]);
  });

  it("are used with chunks that are confirmed at the same time", async () => {
    const { elements } = await firstVisit();
    const held = hold(isDocument);
    const { read } = visit();
    expect(await read()).toEqual(elements);
    held.release();
    await expect.poll(() => server.asked.filter(({ status }) => status !== 0).length).toBe(5);
    expect(server.log().sort()).toEqual([
      "/a/c/0/0 304",
      "/a/c/0/1 304",
      "/a/c/1/0 304",
      "/a/c/1/1 304",
      expect.stringMatching(/^\/a\/zarr\.json/),
    ]);
  });

  it("are not used if they must be revalidated, or without the option", async () => {
    server.headers = (path) => (isDocument(path) ? { "cache-control": "no-cache" } : fresh());
    await firstVisit();
    await putArray("/a", 2);
    const { read, outdated } = visit();
    await read();
    expect(server.log()[0]).toBe("/a/zarr.json 200");
    expect(outdated).toEqual([]);
  });

  it("are used without a connection", async () => {
    server.headers = fresh;
    const { elements } = await firstVisit();
    await server.stop();
    const { read, outdated } = visit();
    expect(await read()).toEqual(elements);
    await server.start();
    expect(outdated).toEqual([]);
  });
});

describe("a changed document", () => {
  it("is reported, and read again", async () => {
    server.headers = fresh;
    const before = await firstVisit();
    const after = await putArray("/a", 2);
    const { read, outdated, notice } = visit();
    const noticed = notice();
    expect(await read()).toEqual(before.elements);
    await noticed;
    expect(outdated).toEqual(["/a/zarr.json"]);
    expect(await read()).toEqual(after.elements);
    expect(outdated).toHaveLength(1);
  });

  it.each([
    ["a missing one", 404],
    ["an error", 500],
  ])("is also %s", async (_, status) => {
    server.headers = fresh;
    const { elements } = await firstVisit();
    server.intercept = ({ url }, response) => {
      if (!isDocument(url!)) return false;
      response.writeHead(status).end();
      return true;
    };
    const { read, notice } = visit();
    const noticed = notice();
    expect(await read()).toEqual(elements);
    await noticed;
    expect(await errorOf(read)).toMatchObject({ _tag: status === 404 ? "NotFound" : "Network" });
  });

  it("is never combined with a new chunk, whichever response arrives first", async () => {
    for (const isFirst of [isDocument, (path: string) => !isDocument(path)]) {
      const before = await firstVisit(1, above);
      const after = await putArray("/a", 2);
      const held = hold(isFirst);
      const { cache, read, outdated, notice } = visit();
      const noticed = notice();
      const reading = errorOf(read);
      await expect.poll(() => server.asked.length).toBe(5);
      held.release();
      expect(await reading).toMatchObject({ _tag: "Network", code: "changed" });
      await noticed;
      expect(outdated).toEqual(["/a/zarr.json"]);
      expect(await read()).toEqual(after.elements);
      expect(after.elements).not.toEqual(before.elements);
      await cache.clear();
      server.intercept = () => false;
    }
  });

  it("does not fail reads of stored chunks that are unchanged", async () => {
    const before = await firstVisit();
    const first = server.objects.get("/a/c/0/0")!;
    await putArray("/a", 2);
    server.objects.set("/a/c/0/0", first);
    const held = hold(isDocument);
    const { store, notice } = visit();
    const noticed = notice();
    const array = await open(store, { path: "a", kind: "array", version: 3 });
    const { bytes } = await getBytes(array, [slice(0, 4), slice(0, 4)]);
    expect(bytes.subarray(0, 8)).toEqual(before.elements.subarray(0, 8));
    held.release();
    await noticed;
  });
});

/** Overwrites a chunk in place. */
const overwrite = (key: string) =>
  server.set(
    key,
    server.objects.get(key)!.body.map((byte) => ~byte),
    '"new"',
  );
const isChunk = (path: string) => path.includes("/c/");

describe("stored chunks", () => {
  it("are used before they are confirmed, once each", async () => {
    const { elements } = await firstVisit();
    const held = hold(() => true);
    const { read, outdated } = visit();
    expect(await read()).toEqual(elements);
    await expect.poll(() => held.waiting.length).toBe(5);
    held.release();
    await expect.poll(() => server.asked.every(({ status }) => status === 304)).toBe(true);
    const later = hold(isChunk);
    const reading = read();
    await expect.poll(() => later.waiting.length).toBe(4);
    later.release();
    expect(await reading).toEqual(elements);
    expect(outdated).toEqual([]);
    expect(server.sent).toBe(0);
  });

  it("are reported once if some have changed, and read again", async () => {
    const before = await firstVisit();
    for (const key of ["/a/c/0/0", "/a/c/1/1"]) overwrite(key);
    const { read, outdated, notice } = visit();
    const noticed = notice();
    expect(await read()).toEqual(before.elements);
    await noticed;
    const after = await read();
    expect(after).not.toEqual(before.elements);
    expect(after).toEqual(await newest());
    expect(outdated).toEqual(["/a/zarr.json"]);
  });

  it("of one visit are never combined with chunks of another visit, or of a server", async () => {
    for (const isStored of [true, false]) {
      const before = await firstVisit(1, above);
      if (isStored) await store(below);
      overwrite("/a/c/0/0");
      const held = hold((path) => path === "/a/c/0/0");
      const { cache, read, notice } = visit();
      expect(await read(above)).toEqual(before.elements.subarray(0, 64));
      const noticed = notice();
      const reading = errorOf(() => read(below));
      await expect.poll(() => server.asked.filter(({ status }) => status !== 0).length).toBeGreaterThan(3);
      held.release();
      expect(await reading).toMatchObject({ _tag: "Network", code: "changed" });
      await noticed;
      expect(await read()).toEqual(await newest());
      await cache.clear();
      server.intercept = () => false;
    }
  });

  it("are confirmed first after chunks of a server were used", async () => {
    const { elements } = await firstVisit(1, above);
    const { read } = visit();
    await read(below);
    const held = hold(isChunk);
    const reading = read(above);
    await expect.poll(() => held.waiting.length).toBe(2);
    held.release();
    expect(await reading).toEqual(elements.subarray(0, 64));
  });

  it("that must be revalidated are confirmed first", async () => {
    server.headers = (path) => (isDocument(path) ? {} : { "cache-control": "no-cache" });
    await firstVisit();
    for (const key of ["/a/c/0/0", "/a/c/1/1"]) overwrite(key);
    const { read, outdated } = visit();
    expect(await read()).toEqual(await newest());
    expect(outdated).toEqual([]);
  });
});
