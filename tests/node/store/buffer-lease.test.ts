// Reused buffers for chunks: bytes that another holder still has must not change.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  ByteCache,
  create,
  get,
  getBytes,
  HttpStore,
  type HttpStoreOptions,
  MapStore,
  open,
  type Store,
  type StoreGetOptions,
  slice,
  WorkerPool,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { readLeased, releaseBytes, takeBytes } from "#src/store/read.js";
import { ObjectServer } from "../support/store-server.js";
import { product, randomBytes, sha256 } from "../support/support.js";
import {
  all,
  bytesLittle,
  gzip,
  pick,
  regular,
  v3Meta,
  type Written,
  writeV3,
} from "../support/zarr-writer.js";

const shape = [96, 112];
const chunkKeys = all(12).flatMap((i) => all(7).map((j) => `/c/${i}/${j}`));
const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const folder = mkdtempSync(path.join(tmp, "lease-"));
let server: ObjectServer;
let written: Written;
let truth: string;

/** 84 chunks of different sizes, so that memory is used for larger ones and smaller ones in turn. */
beforeAll(async () => {
  const elements = randomBytes(4 * product(shape), 3);
  for (let at = 0; at < elements.length; at += 4096) elements.fill(7, at, at + (at % 3) * 700);
  const store = new MapStore();
  const fields = { data_type: "int32", shape, chunk_grid: regular(8, 16), codecs: [bytesLittle, gzip] };
  written = await writeV3(store, v3Meta(fields), elements);
  truth = sha256(pick(written, shape.map(all)));
  server = await new ObjectServer(Object.fromEntries(store.entries)).start();
  const files = new FileSystemStore(folder);
  for (const [key, bytes] of store.entries) await files.set(key, bytes);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const openArray = (store: Store) => open(store, { kind: "array" });
const httpStore = (options?: HttpStoreOptions) => new HttpStore(server.url, options);

describe("reads of regions", () => {
  it("take memory for a few chunks, not for all of them", async () => {
    const sizes = chunkKeys.map((key) => server.objects.get(key)!.byteLength);
    expect(new Set(sizes).size).toBeGreaterThan(10);
    const array = await openArray(httpStore());
    const made = vi.spyOn(Buffer, "allocUnsafeSlow");
    expect(sha256((await getBytes(array, null, { concurrency: 4 })).bytes)).toBe(truth);
    const count = made.mock.calls.filter(([bytes]) => bytes >= Math.min(...sizes)).length;
    made.mockRestore();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(chunkKeys.length / 2);
  });

  it("are correct for many concurrent reads, over one store and several", async () => {
    const store = httpStore({ concurrency: 7 });
    const array = await openArray(store);
    const selections = all(30).map((i) => [slice(i, 96 - i), slice(2 * i, 112 - i)]);
    const reads = selections.map(async ([rows, columns], i) => {
      const other = i % 3 === 0 ? await openArray(store) : array;
      const { bytes } = await getBytes(other, [rows!, columns!], { concurrency: 1 + (i % 5) });
      const lists = [all(96).slice(i, 96 - i), all(112).slice(2 * i, 112 - i)];
      expect(sha256(bytes), `${i}`).toBe(sha256(pick(written, lists)));
    });
    await Promise.all(reads);
  });

  it("are correct with workers", async () => {
    const pool = new WorkerPool({ size: 2 });
    try {
      const array = await openArray(httpStore());
      for (let round = 0; round < 3; round++) {
        const { data } = await get(array, null, { pool, concurrency: 5 });
        expect(sha256(new Uint8Array((data as Int32Array<ArrayBuffer>).buffer))).toBe(truth);
      }
    } finally {
      pool.destroy();
    }
  });
});

describe("bytes that something else holds", () => {
  const digests = (list: readonly (Uint8Array | undefined)[]) => list.map((bytes) => sha256(bytes!));
  const objects = () => digests(chunkKeys.map((key) => server.objects.get(key)));

  /** Reads the whole array a few times, and checks bytes held during the reads against the chunks. */
  async function expectKept(store: Store, held: () => readonly (Uint8Array | undefined)[]) {
    const array = await openArray(store);
    for (let round = 0; round < 3; round++) {
      expect(sha256((await getBytes(array, null, { concurrency: 3 })).bytes)).toBe(truth);
      expect(digests(held())).toEqual(objects());
      for (const bytes of held()) expect(bytes!.buffer.byteLength).toBe(bytes!.byteLength);
    }
  }

  it.each([
    ["over HTTP", () => httpStore()],
    ["in files", () => new FileSystemStore(folder)],
  ])("stay unchanged: of the store itself, and of fetchChunk, %s", async (_, makeStore) => {
    const store: Store = makeStore();
    const array = await openArray(store);
    const own = await Promise.all(chunkKeys.map(async (key) => store.get(key)));
    await expectKept(store, () => own);
    const fetched = await Promise.all(all(12).flatMap((i) => all(7).map((j) => array.fetchChunk([i, j]))));
    await expectKept(store, () => fetched);
  });

  it("stay unchanged: of concurrent callers for the same chunk", async () => {
    const store = httpStore();
    const array = await openArray(store);
    const region = getBytes(array, null, { concurrency: 3 });
    const own = await Promise.all(chunkKeys.map((key) => store.get(key)));
    expect(sha256((await region).bytes)).toBe(truth);
    await expectKept(store, () => own);
  });

  it("stay unchanged: in a cache", async () => {
    const cache = new ByteCache(2 ** 24);
    const store = httpStore({ cache });
    await expectKept(store, () => chunkKeys.map((key) => cache.get(`${server.url}${key} `)));
  });

  const kept = new Map<string, Uint8Array>();
  class Keeping extends HttpStore {
    override async get(key: string, options?: StoreGetOptions) {
      return keep(key, await super.get(key, options));
    }
  }
  function keep(key: string, bytes: Uint8Array | undefined) {
    if (bytes) kept.set(key, bytes);
    return bytes;
  }
  const wrappers: Record<string, () => Store> = {
    "a class made of the store": () => new Keeping(server.url),
    "an object around it": () => {
      const store = httpStore();
      return { get: async (key, options) => keep(key, await store.get(key, options)) };
    },
    "a replaced method": () => {
      const store = httpStore();
      const own = store.get.bind(store);
      store.get = async (key, options) => keep(key, await own(key, options));
      return store;
    },
    "a proxy": () => {
      const store = httpStore();
      const own = async (key: string, options?: StoreGetOptions) => keep(key, await store.get(key, options));
      return new Proxy(store, { get: (_, name) => (name === "get" ? own : undefined) });
    },
  };

  it.each(Object.keys(wrappers))("stay unchanged: in %s", async (name) => {
    kept.clear();
    await expectKept(wrappers[name]!(), () => chunkKeys.map((key) => kept.get(key)));
  });
});

describe("files", () => {
  it("are read into the buffer of an earlier file, whole or in part", async () => {
    const store = new FileSystemStore(folder);
    const [first, second] = chunkKeys.toSorted(
      (a, b) => server.objects.get(b)!.byteLength - server.objects.get(a)!.byteLength,
    ) as [string, string];
    const one = (await readLeased(store, first, {}))!;
    const { buffer } = one;
    releaseBytes(one);
    const two = (await readLeased(store, second, {}))!;
    expect(two.buffer).toBe(buffer);
    expect(two).toEqual(server.objects.get(second));
    const three = (await readLeased(store, first, {}))!;
    expect(three.buffer).not.toBe(buffer);
    const unused = new FileSystemStore(folder);
    const four = (await readLeased(unused, first, {}))!;
    expect(takeBytes(four)).toBe(true); // it fills its buffer, as none has come back
    releaseBytes(four); // has no effect: the reader owns it
    expect((await readLeased(unused, first, {}))!.buffer).not.toBe(four.buffer);
    expect(takeBytes(two)).toBe(two.byteLength === buffer.byteLength);
  });

  it("that are not compressed become results, which later reads do not change", async () => {
    const elements = randomBytes(2 * 12 * 10 * 8, 5);
    const fields = {
      data_type: "uint16",
      shape: [12, 10, 8],
      chunk_grid: regular(6, 5, 8),
      codecs: [bytesLittle],
    };
    const [memory, files] = [new MapStore(), new FileSystemStore(path.join(folder, "raw"))];
    await writeV3(memory, v3Meta(fields), elements);
    for (const [key, bytes] of memory.entries) await files.set(key, bytes);
    const [expected, array] = [await openArray(memory), await openArray(files)];
    const down = (count: number) => all(count).reverse();
    const rows = [slice(0, 6), slice(6, 12), slice(0, 12, 2), slice(0, 5), down(6), all(6)];
    const columns = [slice(0, 5), slice(5, 10), slice(0, 10, 2), down(5)];
    const selections = rows.flatMap((row) =>
      columns.flatMap((column) => [slice(0, 8), down(8)].map((last) => [row, column, last])),
    );
    const results = [];
    for (const selection of selections) results.push(await get(array, selection));
    for (const [i, { data }] of results.entries())
      expect(data, `${i}`).toEqual((await get(expected, selections[i])).data);
    const buffers = new Set(results.map(({ data }) => (data as Uint16Array).buffer));
    expect(buffers.size).toBe(results.length);
  });
});

it("reads at most four large raw chunks at a time", async () => {
  let [running, most] = [0, 0];
  const documents = new Map<string, Uint8Array>();
  await create(documents, {
    ...{ shape: [12, 2 ** 24], chunkShape: [1, 2 ** 24], dtype: "uint8" as const },
    ...{ codecs: [], fillValue: 7 },
  });
  const store: Store = {
    async get(key) {
      if (!key.startsWith("/c/")) return documents.get(key);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve));
      running--;
      return undefined;
    },
  };
  const { data } = await get(await open(store, { kind: "array" }), [null, slice(0, 64)]);
  expect(data).toEqual(new Uint8Array(12 * 64).fill(7));
  expect(most).toBe(4);
});
