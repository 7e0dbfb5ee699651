// Writing with pools of workers: the bytes are the same as without, even if workers fail.
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  append,
  type CreateOptions,
  create,
  get,
  open,
  type Selection,
  set,
  setChunk,
  slice,
  WorkerPool,
  type ZarrArray,
} from "zarr-wasm";
import { codecNames } from "#src/codecs/registry.js";
import { documentsOf, isWritten, valuesFor } from "../support/codec-arrays.js";
import { type TriedType, shape as triedShape, triedTypes } from "../support/data-types.js";
import { bytesOf, errorOf, product, randomizer } from "../support/support.js";

type Files = Map<string, Uint8Array>;
const workerScript = new URL("../../../dist/workers/worker.js", import.meta.url);

/** A pool that records its workers. */
function watchedPool(size: number, onPost?: (worker: Worker, posts: number) => void) {
  const seen = { posts: 0, workers: 0 };
  const pool = new WorkerPool({
    size,
    createWorker: () => {
      const worker = new Worker(workerScript, { execArgv: [] });
      seen.workers++;
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (...args: Parameters<typeof post>) => {
        post(...args);
        seen.posts++;
        onPost?.(worker, seen.posts);
      };
      return worker;
    },
  });
  return { pool, seen };
}

const one = watchedPool(1, () => {});
const three = watchedPool(3, () => {});
const pools = [new WorkerPool({ size: 0 }), one.pool, three.pool];

// Workers encode everything: otherwise the calling thread would encode with fast codecs, and while workers are busy.
beforeEach(() => {
  vi.spyOn(WorkerPool.prototype, "outweighsCopy").mockReturnValue(true);
  vi.spyOn(WorkerPool.prototype, "helps").mockReturnValue(false);
});

let rejections: unknown[] = [];
const note = (error: unknown) => rejections.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => {
  process.off("unhandledRejection", note);
  for (const pool of pools) pool.destroy();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const found = rejections;
  rejections = [];
  expect(found).toEqual([]);
});

/** The same elements in memory that threads share. */
function shared<T extends ArrayBufferView>(data: T): T {
  const bytes = new Uint8Array(new SharedArrayBuffer(data.byteLength));
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const Kind = data.constructor as new (buffer: SharedArrayBuffer) => T;
  return new Kind(bytes.buffer);
}

function expectSame(found: Files, expected: Files, what: string) {
  expect([...found.keys()].sort(), what).toEqual([...expected.keys()].sort());
  for (const [key, bytes] of expected)
    expect(Buffer.compare(found.get(key)!, bytes), `${what}: ${key}`).toBe(0);
}

describe("every codec", () => {
  const versions = [1, 2, 3] as const;
  /** Chunks large enough to be worth a worker, two and a bit along an axis. */
  const [chunk, whole] = [
    [150, 220],
    [310, 230],
  ];
  const candidates = ["uint16", "float32", "uint8", "bool", "unicode strings", "string", "bytes", "objects"];
  const types = candidates.map((label) => triedTypes.find((type) => type.label === label)!);

  /** An array of the matrix of codecs and types, but larger. */
  async function arrayOf(name: string, type: TriedType, version: 1 | 2 | 3) {
    const documents = documentsOf(name, type, version);
    if (!documents) return undefined;
    const store: Files = new Map();
    const isTried = (value: unknown) => Array.isArray(value) && String(value) === String(triedShape);
    for (const [key, document] of Object.entries(documents)) {
      const isSmall = type.dtype.isVariable; // no work for workers, in any case
      const text = JSON.stringify(isSmall ? document : { ...document, shape: whole }, (_, value) =>
        isTried(value) && !isSmall ? chunk : value,
      );
      store.set(`/${key}`, bytesOf(text));
    }
    const array = await open(store, { kind: "array", onWarning: () => {} }).catch(() => undefined);
    return array && { array, store };
  }

  function valuesOf(name: string, type: TriedType, array: ZarrArray): unknown {
    const count = product(array.shape);
    if (array.dtype.isVariable) {
      const list = valuesFor(name, type);
      return Array.from({ length: count }, (_, i) => list[i % list.length]);
    }
    if (type.label === "unicode strings")
      return Array.from({ length: count }, (_, i) => ["ae", "bf", "cg", "dh"][i % 4]);
    const Kind = { uint16: Uint16Array, float32: Float32Array }[type.label] ?? Uint8Array;
    const values = new Kind(count);
    for (let i = 0; i < count; i++) values[i] = type.label === "bool" ? (i >> 3) & 1 : (i >> 4) % 4;
    return values;
  }

  const names = versions.flatMap((version) =>
    codecNames(version)
      .filter((name) => isWritten(name, version))
      .map((name) => ({ name, version })),
  );
  it.each(names)(
    "$name in Zarr v$version writes the same in pools of 0, 1 and 3",
    async ({ name, version }) => {
      let tried = 0;
      const failures: unknown[] = [];
      for (const type of types) {
        if (tried === 1) break;
        const plain = await arrayOf(name, type, version);
        if (!plain) continue;
        const values = valuesOf(name, type, plain.array) as Uint8Array;
        const write = async (array: ZarrArray, given: typeof values, pool?: WorkerPool) => {
          await set(array, null, given, { pool });
          const from = array.dtype.isVariable ? 1 : 200;
          await set(
            array,
            [slice(from, from + 1), slice(1, null, 2)],
            await get(array, [slice(0, 1), slice(1, null, 2)]),
            {
              pool,
            },
          );
        };
        const failure = await write(plain.array, values).then(
          () => undefined,
          (error: Error) => error,
        );
        if (!failure) tried++;
        else failures.push(failure);
        for (const pool of pools) {
          const isOdd = pool.size === 1;
          for (const given of ArrayBuffer.isView(values) && !isOdd ? [values, shared(values)] : [values]) {
            const pooled = (await arrayOf(name, type, version))!;
            const what = `${type.label}, ${pool.size} workers`;
            if (failure) {
              const error = await errorOf(() => write(pooled.array, given, pool));
              expect([error.name, error["_tag"], error["code"]], what).toEqual([
                failure.name,
                (failure as { _tag?: string })._tag,
                (failure as { code?: string }).code,
              ]);
            } else {
              await write(pooled.array, given, pool);
              expectSame(pooled.store, plain.store, what);
            }
          }
        }
      }
      // Zarr v3 has no data type for arrays of variable length.
      if (version < 3 || !name.endsWith("vlen-array")) expect(tried, failures.join()).toBe(1);
    },
  );
});

/** Compressible elements, with no chunk that contains only the fill value. */
function counted(length: number, Kind = Uint16Array): Uint16Array {
  return Kind.from({ length }, (_, i) => 1 + ((i * 7 + (i >> 9)) % 250));
}

const shape = [300, 520];
const data = counted(product(shape));
const bytes = { name: "bytes", configuration: { endian: "big" } };
const sharding = (codecs: object[], location: string, inner = [80, 210]) => ({
  name: "sharding_indexed",
  configuration: { chunk_shape: inner, codecs, index_codecs: [bytes], index_location: location },
});
const kinds: Record<string, Partial<CreateOptions>> = {
  "chunks, transposed and swapped": {
    codecs: [
      { name: "transpose", configuration: { order: [1, 0] } },
      bytes,
      { name: "zstd", configuration: { level: 1 } },
    ],
  },
  "chunks, with a separate checksum": { codecs: [bytes, { name: "crc32c" }], order: "F" },
  shards: { shardShape: [160, 420] },
  "shards, their index at the start": {
    shardShape: [160, 420],
    codecs: sharding([bytes, { name: "zlib", configuration: { level: 1 } }], "start"),
  },
  "shards in shards": {
    chunkShape: [80, 210],
    shardShape: [320, 420],
    codecs: sharding([sharding([bytes, { name: "crc32c" }], "start")], "end", [160, 210]),
  },
  "narrow chunks, which are handed over together": { chunkShape: [300, 60], codecs: "zlib:1" },
  "narrow chunks in shards": { chunkShape: [300, 60], shardShape: [300, 240] },
  "uncompressed chunks": { codecs: "none" },
};

const make = (store: Files, options: Partial<CreateOptions>) =>
  create(store, { shape, chunkShape: [80, 210], dtype: "uint16", codecs: "blosc:lz4", ...options });

/** Writes of every kind. */
async function script(
  array: ZarrArray,
  given: Uint16Array,
  options: Parameters<typeof set>[3],
): Promise<void> {
  await set(array, null, given, options);
  const selections: Selection[] = [
    [slice(3, 297), slice(100, 501)],
    [slice(0, null, 3), slice(1, null, 2)],
    [[299, 5, 5, 80, 81, 7], slice(0, 400)],
    [slice(10, 90), [500, 3, 2, 1, 0, 211, 209]],
    [
      [1, 2, 200],
      [7, 300, 519, 8],
    ],
    [150],
  ];
  for (const [i, selection] of selections.entries()) {
    const region = await get<Uint16Array>(array, selection);
    const values = region.data.map((value) => value + i + 1);
    await set(array, selection, given.buffer instanceof SharedArrayBuffer ? shared(values) : values, options);
  }
  await set(array, [slice(70, 250), slice(0, 300)], 9, options);
  await set(array, [slice(0, 80)], 0, options);
  await setChunk(array, [0, 1], given.slice(0, product(array.chunkShape)), options);
  await append(array, given.slice(0, 520 * 30), 0, options);
}

describe("every kind of write", () => {
  it.each(Object.keys(kinds))("stores the same bytes in pools of any size: %s", async (kind) => {
    const expected: Files = new Map();
    await script(await make(expected, kinds[kind]!), data, { concurrency: 1 });
    for (const pool of pools) {
      for (const [given, concurrency] of [
        [data, 16],
        [shared(data), 3],
      ] as const) {
        const found: Files = new Map();
        const before = three.seen.posts;
        await script(await make(found, kinds[kind]!), given, { pool });
        expectSame(found, expected, `${pool.size} workers, concurrency ${concurrency}`);
        if (pool === three.pool && kind !== "uncompressed chunks")
          expect(three.seen.posts).toBeGreaterThan(before + 10);
      }
    }
    const array = (await open(expected)) as ZarrArray;
    expect(((await get(array, [slice(300, 330)])).data as Uint16Array).length).toBe(30 * 520);
  });

  it("leaves fast codecs to the calling thread, except in a page and for shared values", async () => {
    vi.restoreAllMocks();
    const write = async (given: Uint16Array) => {
      const [before, files] = [three.seen.posts, new Map() as Files];
      await script(await make(files, {}), given, { pool: three.pool });
      return { files, posts: three.seen.posts - before };
    };
    const { files, posts } = await write(data);
    expect(posts).toBe(0);
    const inShared = await write(shared(data));
    vi.stubGlobal("document", {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const inPage = await write(data);
    for (const found of [inShared, inPage]) {
      expect(found.posts).toBeGreaterThan(0);
      expectSame(found.files, files, "by workers");
    }
  });

  it("reports progress, and rejects with the error of an async listener", async () => {
    for (const pool of [undefined, three.pool]) {
      const array = await make(new Map(), {});
      const seen: number[] = [];
      await set(array, null, data, { pool, onProgress: ({ chunks }) => seen.push(chunks) });
      expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
      const reason = new Error("no more");
      for (const onProgress of [
        async () => Promise.reject(reason),
        () => {
          throw reason;
        },
      ])
        expect(await errorOf(() => set(array, null, data, { pool, onProgress }))).toBe(reason);
    }
  });

  it("rejects with the signal's reason, and leaves whole chunks", async () => {
    const whole: Files = new Map();
    await set(await make(whole, {}), null, data);
    const store: Files = new Map();
    const array = await make(store, {});
    const reason = new Error("enough");
    const { pool } = three;
    const options = { pool, concurrency: 2 };
    expect(
      await errorOf(() => set(array, null, data, { ...options, signal: AbortSignal.abort(reason) })),
    ).toBe(reason);
    expect(store.size).toBe(1);
    const abort = new AbortController();
    const onProgress = ({ chunks }: { chunks: number }) => chunks === 3 && abort.abort(reason);
    expect(
      await errorOf(() => set(array, null, data, { ...options, signal: abort.signal, onProgress })),
    ).toBe(reason);
    expect(store.size).toBeLessThan(12);
    for (const [key, value] of store) expect(Buffer.compare(whole.get(key)!, value)).toBe(0);
    await set(array, null, data, { pool });
    expectSame(store, whole, "after an abort");
  });

  it("rejects an invalid pool", async () => {
    const array = await make(new Map(), {});
    const error = await errorOf(() => set(array, null, data, { pool: {} as WorkerPool }));
    expect(error._tag).toBe("InvalidArgument");
  });
});

describe("errors", () => {
  it("name the chunk that is damaged, as without a pool", async () => {
    for (const options of [{ codecs: "zstd" }, { codecs: "zstd", shardShape: [160, 420] }]) {
      const outcomes: unknown[] = [];
      for (const pool of [undefined, ...pools]) {
        const store: Files = new Map();
        const array = await make(store, options);
        await set(array, null, data);
        const key = array.chunkKey([0, 0]);
        store.get(key)![9]! ^= 255; // in the first inner chunk of the shard, if it is one
        const before = new Map([...store].map(([name, value]) => [name, value.slice()]));
        const error = await errorOf(() => set(array, [slice(0, 5), slice(0, 5)], 1, { pool }));
        outcomes.push({ ...error, message: error.message, cause: undefined });
        expect(error).toMatchObject({ _tag: "CorruptChunk", chunkKey: key, codec: "zstd" });
        expectSame(store, before, "after an error");
      }
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    }
  });

  it("report a value that a codec cannot represent, as without a pool", async () => {
    const codecs = [{ name: "cast_value", configuration: { data_type: "uint8" } }, { name: "bytes" }];
    const outcomes: unknown[] = [];
    for (const pool of [undefined, ...pools]) {
      const store: Files = new Map();
      const array = await make(store, { codecs });
      const given = data.slice();
      given[data.length - 1] = 256;
      const error = await errorOf(() => set(array, null, given, { pool }));
      expect(error).toMatchObject({ _tag: "EncodeFailed", chunkKey: "/c/3/2" });
      outcomes.push({ ...error, cause: undefined, written: undefined });
      expect(store.has("/c/3/2")).toBe(false);
    }
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });
});

describe("workers that fail", () => {
  const written = async (pool: WorkerPool, options: Partial<CreateOptions> = {}, given = data) => {
    const store: Files = new Map();
    await set(await make(store, options), null, given, { pool });
    return store;
  };
  const expected = (options: Partial<CreateOptions> = {}) => written(pools[0]!, options);

  it.each([1, 2, 3])("a worker killed at message %i is replaced", async (nth) => {
    for (const options of [{}, { shardShape: [160, 420] }])
      for (const given of [data, shared(data)]) {
        const { pool, seen } = watchedPool(2, (worker, posts) => {
          if (posts === nth) void worker.terminate();
        });
        expectSame(await written(pool, options, given), await expected(options), "a worker died");
        expect(seen.posts).toBeGreaterThan(nth);
        pool.destroy();
      }
  });

  it("workers that always die leave the work to the calling thread", async () => {
    const { pool } = watchedPool(2, (worker) => void worker.terminate());
    // On a busy machine a chunk is written before it is known that a worker has died.
    for (let i = 0; i < 3 || (pool.size > 0 && i < 50); i++)
      expectSame(await written(pool), await expected(), "all died");
    expect(pool.size).toBe(0);
    pool.destroy();
  });

  it("a pool that is destroyed during a write leaves the work to the calling thread", async () => {
    for (const delay of [0, 1, 5, 30]) {
      const pool = new WorkerPool({ size: 2 });
      const writing = written(pool);
      setTimeout(() => pool.destroy(), delay);
      expectSame(await writing, await expected(), "destroyed");
      pool.destroy();
    }
  });

  /** A pool of workers whose answers are given by a function in their script. */
  const answering = (answer: string) =>
    new WorkerPool({
      size: 2,
      createWorker: () =>
        new Worker(
          `const { parentPort } = require("node:worker_threads");
          parentPort.on("message", (message) => {
            const answer = (${answer})(message);
            if (answer) parentPort.postMessage({ id: message.id, ...answer });
          });
          parentPort.postMessage({ ready: true });`,
          { eval: true },
        ),
    });

  const ofEach = (chunk: string) => `({ work }) => ({ chunks: work.places.map(() => (${chunk})) })`;
  const answers = {
    "no bytes": ofEach("{ bytes: new Uint8Array(0) }"),
    "a text": ofEach("{ bytes: 'encoded' }"),
    "another kind of array": ofEach("{ bytes: new Uint16Array(100) }"),
    "memory that threads share": ofEach("{ bytes: new Uint8Array(new SharedArrayBuffer(10)) }"),
    "a failure that is none": ofEach("{ failure: null }"),
    "a failure of no kind": ofEach("{ failure: { kind: 'x', message: 'y' } }"),
    "nothing of a chunk": ofEach("null"),
    "too few chunks": "() => ({ chunks: [] })",
    "a value that is not a list": "() => ({ chunks: { length: 1 } })",
    "as if it had decoded": "() => ({ bytes: new Uint8Array(10) })",
    "that it knows nothing of such work":
      "() => ({ failure: { kind: 'other', name: 'TypeError', message: 'y' } })",
    "that the engine failed": "() => ({ failure: { kind: 'zarr', tag: 'EngineFailed', message: 'y' } })",
    "that the engine failed with a chunk": ofEach(
      "{ failure: { kind: 'zarr', tag: 'EngineFailed', message: 'y' } }",
    ),
  };
  it.each(Object.entries(answers))("workers that answer %s are not trusted", async (_, answer) => {
    const pool = answering(answer);
    for (const options of [{}, { shardShape: [160, 420] }])
      expectSame(await written(pool, options), await expected(options), "wrong answers");
    pool.destroy();
  });

  it("a worker that reports fill value is not trusted if such chunks are stored", async () => {
    const pool = answering(ofEach("{ bytes: undefined }"));
    const store: Files = new Map();
    await set(await make(store, {}), null, data, { pool, writeEmptyChunks: true });
    expectSame(store, await expected(), "wrong answers");
    pool.destroy();
  });

  it("a worker that stops responding times out", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pool = answering("() => undefined");
    const writing = written(pool);
    let isDone = false;
    void writing.finally(() => {
      isDone = true;
    });
    for (let i = 0; i < 40 && !isDone; i++) {
      await vi.advanceTimersByTimeAsync(20_000);
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => process.nextTick(resolve));
    }
    const found = await writing;
    vi.useRealTimers();
    expectSame(found, await expected(), "silent workers");
    pool.destroy();
  });
});

it("neighbours in shards are sent together", async () => {
  const { pool, seen } = watchedPool(2);
  try {
    const shape = [64, 64, 512];
    const options = { shape, chunkShape: [32, 32, 32], shardShape: [64, 64, 128], dtype: "uint16" } as const;
    const random = randomizer(11);
    const values = Uint16Array.from({ length: product(shape) }, () => random() * 100);
    const [alone, pooled] = [new Map(), new Map()] as [Files, Files];
    await set(await create(alone, options), null, values);
    await set(await create(pooled, options), null, values, { pool });
    expect([...pooled.keys()].sort()).toEqual([...alone.keys()].sort());
    for (const [key, bytes] of pooled) expect(Buffer.compare(bytes, alone.get(key)!), key).toBe(0);
    expect(seen.posts).toBeGreaterThan(0);
    expect(seen.posts).toBeLessThanOrEqual(64 / 4); // of 64 chunks, 4 in each row of a shard
  } finally {
    pool.destroy();
  }
});

it("many writes at the same time, through one pool", async () => {
  const random = randomizer(7);
  const { pool } = three;
  const expected: Files = new Map();
  const found: Files = new Map();
  const arrays = [
    await make(expected, { shardShape: [160, 420] }),
    await make(found, { shardShape: [160, 420] }),
  ];
  const boxes = Array.from({ length: 12 }, (_, i) => [
    slice(i * 25, i * 25 + 25),
    slice(Math.floor(random() * 200), 520),
  ]);
  for (const [i, box] of boxes.entries()) await set(arrays[0]!, box, i + 1);
  await Promise.all(boxes.map((box, i) => set(arrays[1]!, box, i + 1, { pool, concurrency: 1 + (i % 4) })));
  expectSame(found, expected, "at the same time");
});
