// Workers return encoded chunks in memory that is reused: stored chunks must not share it.
import { Worker } from "node:worker_threads";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { create, set, WorkerPool } from "zarr-wasm";
import { randomizer } from "../support/support.js";

type Files = Map<string, Uint8Array>;
const workerScript = new URL("../../../dist/workers/worker.js", import.meta.url);

/** For each answer of a worker, whether each of its chunks lies in the memory that was sent along. */
const answers: boolean[][] = [];
const pool = new WorkerPool({
  size: 2,
  createWorker: () => {
    const worker = new Worker(workerScript, { execArgv: [] });
    worker.on("message", ({ chunks, input }) => {
      if (chunks) answers.push(chunks.map(({ bytes }: { bytes: Uint8Array }) => bytes.buffer === input));
    });
    return worker;
  },
});
afterAll(() => pool.destroy());

beforeEach(() => {
  vi.spyOn(WorkerPool.prototype, "outweighsCopy").mockReturnValue(true);
  vi.spyOn(WorkerPool.prototype, "helps").mockReturnValue(false);
  answers.length = 0;
});

const MiB = 2 ** 20;
const random = randomizer(5);
const noise = Uint8Array.from({ length: 64 * 1024 }, () => random() * 256);

function values(bytes: number, isShared: boolean): Uint8Array {
  const made = new Uint8Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  for (let at = 0; at < bytes; at += noise.length) made.set(noise.subarray(0, bytes - at), at);
  for (let i = 0; i < bytes; i += 1000) made[i] = i >> 12;
  return made;
}

async function written(given: Uint8Array, chunk: number, using: WorkerPool | undefined): Promise<Files> {
  const store: Files = new Map();
  const options = { shape: [given.length], chunkShape: [chunk], dtype: "uint8", codecs: "lz4" } as const;
  await set(await create(store, options), null, given, { pool: using });
  return store;
}

it.each([
  [false, 32 * 1024, 2 * MiB],
  [true, 32 * 1024, 2 * MiB],
  [false, MiB, 8 * MiB],
  [true, MiB, 8 * MiB],
  [true, 6 * MiB, 12 * MiB],
])("chunks have their own memory: shared %s, %i of %i bytes", async (isShared, chunk, bytes) => {
  const given = values(bytes, isShared);
  const found = await written(given, chunk, pool);
  const expected = await written(given, chunk, undefined);
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  const buffers = new Set<ArrayBufferLike>();
  for (const [key, stored] of found) {
    expect(Buffer.compare(stored, expected.get(key)!), key).toBe(0);
    expect(stored.buffer.byteLength, key).toBe(stored.byteLength);
    buffers.add(stored.buffer);
  }
  expect(buffers.size).toBe(found.size);
  expect(answers.flat().length).toBeGreaterThan(1);
  if (!isShared) expect(answers.flat()).not.toContain(false);
});
