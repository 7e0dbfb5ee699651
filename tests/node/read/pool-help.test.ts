// Pools whose calling thread runs tasks as well: results and errors are the same as without a pool.
import { Worker } from "node:worker_threads";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { create, get, getBytes, MapStore, set, slice, WorkerPool, type ZarrArray } from "zarr-wasm";
import { errorOf, openArray, product, randomBytes } from "../support/support.js";
import { bytesLittle, filled, regular, v3Meta, writeV3, zstd } from "../support/zarr-writer.js";

const script = new URL("../../../dist/workers/worker.js", import.meta.url);
const shape = [96, 64, 64];
/** 12 slabs of 64 KiB, of two chunks each. */
const meta = v3Meta(
  filled({ shape, data_type: "uint16", chunk_grid: regular(8, 64, 32), codecs: [bytesLittle, zstd] }),
);
const elements = randomBytes(2 * product(shape), 3);
let store: MapStore;
let array: ZarrArray;

beforeAll(async () => {
  store = new MapStore();
  await writeV3(store, meta, elements);
  array = await openArray(store);
});
beforeEach(() => void vi.spyOn(WorkerPool.prototype, "outweighsCopy").mockReturnValue(true));

function poolOf(createWorker: () => Worker | Promise<Worker>): WorkerPool {
  const pool = new WorkerPool({ size: 2, createWorker });
  onTestFinished(() => pool.destroy());
  return pool;
}

const startWorker = () => new Worker(script, { execArgv: [] });
const neverStarts = () => new Promise<never>(() => {});

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

async function expectSame(pool: WorkerPool): Promise<void> {
  for (const selection of [null, [slice(3, 90, 2), slice(1, 60)], [[5, 5, 1, 80]]]) {
    const { bytes } = await getBytes(array, selection);
    expect(Buffer.compare((await getBytes(array, selection, { pool })).bytes, bytes)).toBe(0);
  }
}

describe("a pool whose calling thread helps", () => {
  it("reads the same before and after its workers have started", async () => {
    const pool = poolOf(startWorker);
    await expectSame(pool);
    while (pool.status.state !== "running") await turn();
    for (let i = 0; i < 5; i++) await expectSame(pool);
  });

  it("reads the same without a worker", () => expectSame(poolOf(neverStarts)));

  it("writes the same", async () => {
    for (const createWorker of [startWorker, neverStarts]) {
      const pool = poolOf(createWorker);
      const copy = await create(new MapStore(), {
        shape,
        chunkShape: [8, 64, 32],
        dtype: "uint16",
        codecs: [zstd],
      });
      const data = new Uint16Array(elements.slice().buffer);
      for (let i = 0; i < 3; i++) await set(copy, null, data, { pool });
      expect(Buffer.compare((await getBytes(copy)).bytes, elements)).toBe(0);
    }
  });

  it("reads single chunks without a worker, and several at a time with workers", async () => {
    let workers = 0;
    const pool = poolOf(() => {
      workers++;
      return startWorker();
    });
    const chunks = Array.from({ length: 8 }, (_, i) => [slice(8 * i, 8 * i + 8), null, slice(0, 32)]);
    const expected = await Promise.all(chunks.map((chunk) => getBytes(array, chunk)));
    const isSame = (bytes: Uint8Array, i: number) => Buffer.compare(bytes, expected[i]!.bytes) === 0;
    for (const [i, chunk] of chunks.entries()) {
      expect(isSame((await getBytes(array, chunk, { pool })).bytes, i)).toBe(true);
      const { data } = await array.getChunk([i, 0, 0], { pool });
      const { buffer, byteOffset, byteLength } = data as Uint16Array;
      expect(isSame(new Uint8Array(buffer, byteOffset, byteLength), i)).toBe(true);
      const out = new Uint16Array(8 * 64 * 32);
      await get(array, chunk, { pool, out });
      expect(isSame(new Uint8Array(out.buffer), i)).toBe(true);
    }
    expect(workers).toBe(0);
    const regions = await Promise.all(chunks.map((chunk) => getBytes(array, chunk, { pool })));
    expect(regions.every(({ bytes }, i) => isSame(bytes, i))).toBe(true);
    expect(workers).toBeGreaterThan(0);
  });

  it("aborts between tasks", async () => {
    const abort = new AbortController();
    const pool = poolOf(neverStarts);
    setImmediate(() => abort.abort(new Error("enough")));
    await expect(get(array, null, { pool, signal: abort.signal })).rejects.toThrow("enough");
    await expectSame(pool);
  });

  it("reads the same while workers are killed", async () => {
    const workers: Worker[] = [];
    const pool = poolOf(() => {
      const worker = startWorker();
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (...message: Parameters<typeof post>) => {
        post(...message);
        void worker.terminate();
      };
      workers.push(worker);
      return worker;
    });
    while (workers.length < 3) await expectSame(pool);
  });

  it("reads the same if it is destroyed in the middle", async () => {
    for (const createWorker of [startWorker, neverStarts]) {
      const pool = poolOf(createWorker);
      const reading = getBytes(array, null, { pool });
      await turn();
      pool.destroy();
      expect(Buffer.compare((await reading).bytes, elements)).toBe(0);
    }
  });

  it("reports the chunk that is corrupt", async () => {
    const corrupt = new MapStore(new Map(store.entries));
    corrupt.set("/c/10/0/1", randomBytes(100, 5));
    const broken = await openArray(corrupt);
    const { message: _, ...expected } = await errorOf(() => get(broken));
    for (const createWorker of [startWorker, neverStarts]) {
      const { message: __, ...error } = await errorOf(() =>
        get(broken, null, { pool: poolOf(createWorker) }),
      );
      expect(error).toEqual(expected);
    }
    expect(expected).toMatchObject({ _tag: "CorruptChunk", chunkKey: "/c/10/0/1" });
  });
});
