// Pools of workers: results are the same as without, even if workers fail.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type ElementData,
  get,
  getBytes,
  MapStore,
  type Selection,
  type Store,
  slice,
  WorkerPool,
} from "zarr-wasm";
import type { CoreChunkCodec } from "#src/chain/chunk-codec.js";
import {
  errorOf,
  goldenCases,
  openArray,
  product,
  randomBytes,
  randomizer,
  sha256,
  storeOf,
  v1Store,
} from "../support/support.js";
import {
  blosc,
  bytesBig,
  bytesLittle,
  crc32c,
  filled,
  gzip,
  regular,
  sharded,
  transposed,
  v3Meta,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const script = new URL("../../../dist/workers/worker.js", import.meta.url);
const root = new URL("../../../", import.meta.url).pathname;

/** A pool that records its workers. */
function watchedPool(size = 2, onPost?: (worker: Worker, posts: number) => void) {
  const workers: Worker[] = [];
  const seen = { posts: 0 };
  const pool = new WorkerPool({
    size,
    createWorker: () => {
      const worker = new Worker(script, { execArgv: [] });
      workers.push(worker);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (...args: Parameters<typeof post>) => {
        post(...args);
        onPost?.(worker, ++seen.posts);
      };
      return worker;
    },
  });
  return { pool, workers, seen };
}

async function sample(fields: Record<string, unknown>, bytes: number, options = {}) {
  const meta = v3Meta(filled(fields));
  const elements = randomBytes(product(meta["shape"] as number[]) * bytes, 3);
  for (let i = 0; i < elements.length; i++) elements[i]! &= 0x0f; // so that compressors find something
  const store = new MapStore();
  await writeV3(store, meta, elements, options);
  return store;
}

/** 6 slabs of 240 KiB, of 5 chunks each. */
const plainSample = () =>
  sample(
    {
      shape: [220, 300],
      data_type: "int32",
      chunk_grid: regular(40, 64),
      codecs: [transposed(1, 0), bytesBig, blosc()],
    },
    4,
    { isMissing: (key: string) => key === "c/1/2" },
  );

const bytesIn = ({ buffer, byteOffset, byteLength }: ElementData) =>
  new Uint8Array(buffer, byteOffset, byteLength);

async function expectBytes(reading: Promise<{ bytes: Uint8Array }>, expected: Uint8Array) {
  expect(Buffer.compare((await reading).bytes, expected)).toBe(0);
}

const kinds: Record<string, () => Promise<Store>> = {
  "transposed, byte-swapped blosc with a missing chunk": plainSample,
  "zstd in three dimensions": () =>
    sample(
      {
        shape: [40, 30, 50],
        data_type: "int16",
        chunk_grid: regular(16, 30, 17),
        codecs: [bytesLittle, zstd],
      },
      2,
    ),
  "one chunk": () =>
    sample(
      { shape: [100, 120], data_type: "float64", chunk_grid: regular(128, 128), codecs: [bytesBig, gzip] },
      8,
    ),
  "one dimension": () =>
    sample({ shape: [70_000], chunk_grid: regular(16_384), codecs: [bytesLittle, zstd, crc32c] }, 4),
  "shards with missing chunks": () =>
    sample(
      {
        shape: [150, 260],
        chunk_grid: regular(64, 128),
        codecs: [sharded([32, 64], [transposed(1, 0), bytesBig, zstd])],
      },
      4,
      { missing: 0.3, order: "shuffled" },
    ),
  "items of three bytes": () =>
    sample(
      {
        shape: [130, 200],
        data_type: "r24",
        chunk_grid: regular(60, 90),
        codecs: [{ name: "bytes" }, zstd],
      },
      3,
      { isMissing: (key: string) => key === "c/0/1" },
    ),
};

const selections: Selection[] = [
  null,
  ["..."],
  [slice(3, 97)],
  [slice(1, null, 2)],
  ["...", slice(5, 29, 3)],
  [[7, 3, 3, 35]],
];

/** Hides a store's support for ranges, so that shards are read whole. */
const withoutRanges = (store: Store): Store => ({ get: (key, options) => store.get(key, options) });

let rejections: unknown[] = [];
const note = (error: unknown) => rejections.push(error);

beforeAll(() => void process.on("unhandledRejection", note));
// Otherwise the calling thread would decode with fast codecs, and while workers are busy.
beforeEach(() => {
  vi.spyOn(WorkerPool.prototype, "outweighsCopy").mockReturnValue(true);
  vi.spyOn(WorkerPool.prototype, "helps").mockReturnValue(false);
});
afterAll(() => void process.off("unhandledRejection", note));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  const found = rejections;
  rejections = [];
  expect(found).toEqual([]);
});

describe("a pool", () => {
  const seen = { posts: 0 };
  const { pool } = watchedPool(2, () => seen.posts++);
  afterAll(() => pool.destroy());

  it.each(Object.keys(kinds))("reads the same: %s", async (kind) => {
    const store = await kinds[kind]!();
    const before = seen.posts;
    for (const source of [store, withoutRanges(store)]) {
      const array = await openArray(source);
      for (const selection of selections) {
        const { bytes } = await getBytes(array, selection);
        const pooled = await getBytes(array, selection, { pool });
        expect(Buffer.from(pooled.bytes).equals(bytes)).toBe(true);
        const options = { pool, useSharedArrayBuffer: true, concurrency: 3 };
        const shared = await getBytes(array, selection, options);
        expect(shared.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
        expect(Buffer.from(shared.bytes).equals(bytes)).toBe(true);
      }
      const { data } = await get(array);
      const out = data.slice();
      (out as Uint8Array).fill(0);
      expect((await get(array, null, { pool, out })).data).toBe(out);
      expect(Buffer.compare(bytesIn(out), bytesIn(data))).toBe(0);
    }
    expect(seen.posts).toBeGreaterThan(before);
  });

  it("reads chunks", async () => {
    const array = await openArray(await plainSample());
    const before = seen.posts;
    // These chunks of 10 KiB are too small for workers; the one below is large enough.
    expect(await array.getChunk([0, 1], { pool })).toEqual(await array.getChunk([0, 1]));
    expect(seen.posts).toBe(before);
    const large = await openArray(await kinds["one chunk"]!());
    expect(await large.getChunk([0, 0], { pool })).toEqual(await large.getChunk([0, 0]));
    expect(seen.posts).toBe(before + 1);
  });

  it("decodes a series at one point in workers, chunk by chunk", async () => {
    const fields = {
      shape: [40, 64, 64],
      chunk_grid: regular(2, 64, 64), // 32 KiB
      codecs: [bytesBig, zstd],
    };
    const isMissing = (key: string) => key.startsWith("c/7/");
    const array = await openArray(await sample(fields, 4, { isMissing }));
    const series = [null, 50, 60];
    const { data, shape } = await get(array, series);
    const before = seen.posts;
    expect(await get(array, series, { pool })).toMatchObject({ data, shape });
    expect(seen.posts).toBe(before + 19);
    const whole = await getBytes(array, [null, slice(20, 60), slice(1, null, 7)]);
    await expectBytes(getBytes(array, [null, slice(20, 60), slice(1, null, 7)], { pool }), whole.bytes);
  });

  it("starts before there is work, if the option is set", async () => {
    const { pool, workers } = watchedPool(3);
    expect(workers).toHaveLength(0);
    pool.start();
    pool.start();
    await expect.poll(() => workers.length).toBe(3);
    pool.destroy();
  });

  it("leaves fast codecs to the calling thread, except in a page and in shared memory", async () => {
    vi.restoreAllMocks();
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    const read = async (options = {}) => {
      const before = seen.posts;
      await expectBytes(getBytes(array, null, { pool, ...options }), bytes);
      return seen.posts - before;
    };
    expect(await read()).toBe(0);
    expect(await read({ useSharedArrayBuffer: true })).toBe(6);
    vi.stubGlobal("document", {});
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await read()).toBe(6);
  });

  it("reads the golden arrays", async () => {
    for (const sample of goldenCases("v1")) {
      const array = await openArray(storeOf(sample));
      const { bytes } = await getBytes(array, null, { pool });
      expect(sha256(bytes), sample.name).toBe(sample.sha256);
    }
  });

  it("leaves the bytes of stores alone", async () => {
    const store = await plainSample();
    const array = await openArray(store);
    const kept = (await store.get("/c/0/0"))!;
    const copy = kept.slice();
    await get(array, null, { pool });
    expect((await store.get("/c/0/0"))!).toEqual(copy);
    expect(kept.byteLength).toBe(copy.byteLength);
  });

  it("reports progress", async () => {
    const array = await openArray(await plainSample());
    const reports: number[] = [];
    await get(array, null, { pool, onProgress: ({ chunks }) => reports.push(chunks) });
    expect(reports).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it("names the chunk that is corrupt, and its codec", async () => {
    const store = await plainSample();
    await store.set("/c/2/3", (await store.get("/c/2/3"))!.slice(0, 100));
    const array = await openArray(store);
    const plain = await errorOf(() => get(array));
    const pooled = await errorOf(() => get(array, null, { pool }));
    expect({ ...pooled }).toEqual({ ...plain });
    expect(pooled).toMatchObject({ _tag: "CorruptChunk", chunkKey: "/c/2/3", codec: "blosc" });
    expect(pooled.message).toBe(plain.message);
  });

  it("loads the full module if a chunk needs it", async () => {
    const golden = (name: string) => readFileSync(new URL(`../../golden/zstd-v07/${name}`, import.meta.url));
    const [chunk, raw] = [golden("bool.chunk"), golden("bool.raw")];
    const makeArray = () => {
      const shape = [240, 4, 7, 5];
      const store = v1Store({ shape, chunks: [2, 4, 7, 5], dtype: "|b1", compression: "blosc" });
      for (let i = 0; i < 120; i++) store.set(`/${i}.0.0.0`, chunk);
      return openArray(store);
    };
    const array = await makeArray();
    const codec = array.spec.firstLayout.leaf as CoreChunkCodec;
    expect(codec.decodeModule).toBe("decode");
    const before = seen.posts;
    await expectBytes(getBytes(array, null, { pool }), Buffer.concat(new Array<Buffer>(120).fill(raw)));
    expect(codec.decodeModule).toBe("full");
    expect(seen.posts).toBe(before + 2);
    const again = (await makeArray()).spec.firstLayout.leaf as CoreChunkCodec;
    expect(Buffer.compare(await pool.decode(again, chunk, undefined), raw)).toBe(0);
    expect(again.decodeModule).toBe("full");
  });

  it("rejects with the signal's reason", async () => {
    const array = await openArray(await plainSample());
    const reason = new Error("enough");
    expect(await errorOf(() => get(array, null, { pool, signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const reading = get(array, null, {
      pool,
      signal: controller.signal,
      onProgress: ({ chunks }) => chunks === 7 && controller.abort(reason),
    });
    expect(await errorOf(() => reading)).toBe(reason);
    const before = await getBytes(array);
    await expectBytes(getBytes(array, null, { pool }), before.bytes);
  });

  it("survives many reads of which some are aborted", async () => {
    const array = await openArray(await plainSample());
    const expected = sha256((await getBytes(array)).bytes);
    const random = randomizer(11);
    let aborted = 0;
    const read = async () => {
      const controller = new AbortController();
      const isAborted = random() < 0.5;
      const timer = isAborted && setTimeout(() => controller.abort(new Error("gone")), random() * 300);
      const useSharedArrayBuffer = random() < 0.3;
      try {
        const { bytes } = await getBytes(array, null, {
          pool,
          signal: controller.signal,
          useSharedArrayBuffer,
        });
        expect(sha256(bytes)).toBe(expected);
      } catch (error) {
        expect((error as Error).message).toBe("gone");
        aborted++;
      }
      if (timer) clearTimeout(timer);
    };
    await Promise.all(Array.from({ length: 200 }, read));
    expect(aborted).toBeGreaterThan(0);
  });
});

describe("workers that fail", () => {
  it.each([1, 2, 5])("a worker killed at message %i is replaced", async (nth) => {
    const { pool, workers } = watchedPool(2, (worker, posts) => {
      if (posts === nth) void worker.terminate();
    });
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    for (let i = 0; i < 3; i++) await expectBytes(getBytes(array, null, { pool }), bytes);
    expect(workers.length).toBeGreaterThan(2);
    pool.destroy();
  });

  it("workers that always die leave the work to the calling thread", async () => {
    const { pool, workers } = watchedPool(2, (worker) => void worker.terminate());
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    for (let i = 0; i < 5; i++) await expectBytes(getBytes(array, null, { pool }), bytes);
    expect(pool.size).toBe(0);
    expect(workers.length).toBeLessThan(20);
    pool.destroy();
  });

  const broken: Record<string, () => never> = {
    throws: () => {
      throw new Error("no workers here");
    },
    rejects: () => Promise.reject(new Error("no workers here")) as never,
    "gives nothing": () => undefined as never,
    "gives a script that fails": () => new Worker("throw new Error('no')", { eval: true }) as never,
    "gives a script that ends": () => new Worker("0", { eval: true }) as never,
    "gives a script that does not exist": () => new Worker(new URL("file:///nowhere.mjs")) as never,
  };
  it.each(Object.keys(broken))("createWorker that %s", async (name) => {
    const pool = new WorkerPool({ size: 2, createWorker: broken[name]! });
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    await expectBytes(getBytes(array, null, { pool }), bytes);
    await expectBytes(getBytes(array, null, { pool, useSharedArrayBuffer: true }), bytes);
    pool.destroy();
  });

  it("a worker that sends many messages is ignored", async () => {
    const source = `const { parentPort } = require("node:worker_threads");
      for (const said of [1, "x", null, {}, { id: 99 }]) parentPort.postMessage(said);
      import(${JSON.stringify(script.href)});`;
    const pool = new WorkerPool({ size: 1, createWorker: () => new Worker(source, { eval: true }) });
    const array = await openArray(await plainSample());
    await expectBytes(getBytes(array, null, { pool }), (await getBytes(array)).bytes);
    expect(pool.size).toBe(1);
    pool.destroy();
  });
});

describe("a worker that is sent other messages", () => {
  const strange: unknown[] = [
    ..."ping",
    ...[undefined, null, 5, 5n, true, Number.NaN, "", [], {}, new Map(), new Date(), new Uint8Array(3)],
    ...[{ fetch: 0 }, { fetch: 1, url: 5, headers: 7 }, { fetch: null, url: "http://[", headers: [[1]] }],
    ...[{ more: 5 }, { more: {} }, { drop: "x" }, { fetch: "x", more: null, drop: [] }],
    ...[{ id: "x", kind: "decode" }, { id: {}, kind: 5 }, { id: 1e9 }, { type: "message", id: "a" }],
  ];
  const malformed: object[] = [
    { kind: "decode" },
    { kind: "other", plans: [], module: "decode", wasm: "x" },
    { kind: "decode", plans: 5, module: "decode" },
    { kind: "decode", plans: [null], module: "decode" },
    { kind: "encode", plans: [], module: "none", work: {} },
    { kind: "decode", plans: [], module: "decode", wasm: 5, work: null },
    { kind: "decode", plans: [], module: "decode", wasm: new Uint8Array(4), input: 5, work: { steps: [1] } },
    { kind: "decode", plans: [], module: "decode", work: { steps: [{ plan: 9 }], bytes: 10 } },
    { kind: "decode", plans: [], module: "decode", work: { steps: [], bytes: 2 ** 50 } },
    { kind: "decode", plans: [], module: "decode", work: { steps: [], bytes: "x", place: 5 } },
    { kind: "encode", plans: [], module: "full", work: { source: 5, places: "x", move: null } },
  ].map((message, i) => ({ id: -1 - i, ...message }));

  it("goes on working, and answers only malformed work", async () => {
    const workers: Worker[] = [];
    const said: { id?: number; failure?: unknown; ready?: boolean; fetched?: unknown }[] = [];
    const pool = new WorkerPool({
      size: 1,
      createWorker: () => {
        const worker = new Worker(script, { execArgv: [] });
        workers.push(worker);
        worker.on("message", (message) => said.push(message));
        for (const message of [...strange, ...malformed]) worker.postMessage(message);
        return worker;
      },
    });
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    for (let i = 0; i < 3; i++) await expectBytes(getBytes(array, null, { pool }), bytes);
    for (const message of strange) workers[0]!.postMessage(message);
    await expectBytes(getBytes(array, null, { pool }), bytes);
    expect(workers).toHaveLength(1);
    expect(pool.size).toBe(1);
    const answers = said.filter(({ ready, fetched, id }) => !ready && fetched === undefined && !(id! >= 0));
    expect(answers.map(({ id }) => id).sort()).toEqual(malformed.map(({ id }: { id?: number }) => id).sort());
    for (const { failure } of answers) expect(failure).toBeDefined();
    pool.destroy();
  });
});

it("the script of workers does nothing in scopes that cannot post, such as service workers", () => {
  const source = `globalThis.WorkerGlobalScope = class {};
    globalThis.addEventListener = () => {};
    await import(${JSON.stringify(script.href)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

describe("a pool of no workers", () => {
  it("has size 0", async () => {
    const createWorker = () => {
      throw new Error("asked for a worker");
    };
    const pool = new WorkerPool({ size: 0, createWorker });
    const array = await openArray(await plainSample());
    await expectBytes(getBytes(array, null, { pool }), (await getBytes(array)).bytes);
  });

  it("is destroyed, also during a read", async () => {
    const array = await openArray(await plainSample());
    const { bytes } = await getBytes(array);
    for (const delay of [0, 1, 5, 30, 60, 90]) {
      const pool = new WorkerPool({ size: 2 });
      const reads = [getBytes(array, null, { pool }), getBytes(array, null, { pool })];
      setTimeout(() => pool.destroy(), delay);
      for (const read of reads) await expectBytes(read, bytes);
      pool.destroy();
      await expectBytes(getBytes(array, null, { pool }), bytes);
    }
  });

  it.each([-1, 1.5, Number.NaN, "2"])("cannot have the size %s", async (size) => {
    const error = await errorOf(() => new WorkerPool({ size: size as number }));
    expect(error._tag).toBe("InvalidArgument");
  });
});

describe("the process", () => {
  it("lets the process exit while workers are idle, but not while they work", () => {
    const code = `
      const { get, getBytes, open, WorkerPool } = await import("zarr-wasm");
      const array = await open("file://${root}examples/field.zarr", { kind: "array" });
      const pool = new WorkerPool({ size: 2 });
      const [pooled, plain] = [await getBytes(array, null, { pool }), await getBytes(array)];
      console.log(pool.size, Buffer.compare(pooled.bytes, plain.bytes));`;
    const args = ["--input-type=module", "-e", code];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
      timeout: 60_000,
    });
    expect([stdout.trim(), stderr, status]).toEqual(["2 0", "", 0]);
  });
});
