// Stores that give writers false information, or never respond: nothing else is deleted, nothing waits without end,
// errors are typed.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  deleteNode,
  get,
  open,
  resize,
  type Store,
  set,
  slice,
  WorkerPool,
} from "zarr-wasm";
import { errorOf } from "../support/support.js";

const encoder = new TextEncoder();
const oneByte = { shape: [100], chunkShape: [10], dtype: "int8", codecs: "none" } as const;
const never = () => new Promise<never>(() => {});
/** An endless list that yields to other work of the program. */
async function* endless(key: string) {
  for (;;) {
    yield key;
    await new Promise(setImmediate);
  }
}

let entries: Map<string, Uint8Array>;
let deleted: string[];
beforeEach(async () => {
  entries = new Map();
  deleted = [];
  await createGroup(entries);
  for (const path of ["a", "ab", "b"]) await set(await create(entries, { path, ...oneByte }), null, 1);
});

/** A store with the methods that every store has, and others. */
const storeWith = (more: object): Store => ({
  get: (key) => entries.get(key),
  set: (key, value) => void entries.set(key, value),
  delete: (key) => {
    deleted.push(key);
    entries.delete(key);
  },
  ...more,
});
const keysOf = (path: string) => [...entries.keys()].filter((key) => key.startsWith(`/${path}/`));

describe("lists with keys outside the request", () => {
  const all = () => storeWith({ list: () => [...entries.keys()] });

  it("do not make deleteNode delete it", async () => {
    await deleteNode(all(), "a");
    expect([keysOf("a").length, keysOf("ab").length, keysOf("b").length]).toEqual([0, 11, 11]);
    expect(entries.has("/zarr.json")).toBe(true);
  });

  it("do not make overwrite delete it", async () => {
    await create(all(), { path: "a", overwrite: true, ...oneByte });
    expect([keysOf("a"), keysOf("ab").length, keysOf("b").length]).toEqual([["/a/zarr.json"], 11, 11]);
  });

  it("may leave out the leading slash", async () => {
    await deleteNode(storeWith({ list: () => [...entries.keys()].map((key) => key.slice(1)) }), "a");
    expect([keysOf("a").length, keysOf("ab").length]).toEqual([0, 11]);
  });

  it.each<[string, () => unknown, string]>([
    ["keys above", () => ["/a/../b/zarr.json"], "bad-answer"],
    ["numbers", () => [1, 2], "bad-answer"],
    ["null", () => null, "bad-answer"],
    ["a text", () => "abc", "bad-answer"],
    ["an object", () => ({}), "bad-answer"],
    [
      "an exception",
      () => {
        throw 5;
      },
      "store-failed",
    ],
  ])("are refused: %s", async (_, list, code) => {
    const error = await errorOf(() => deleteNode(storeWith({ list }), "a"));
    expect(error).toMatchObject({ _tag: "Network", code });
    expect(deleted.every((key) => /^\/a\/[.a-z]+$/.test(key))).toBe(true);
  });

  it("more than once, too: each object is deleted once", async () => {
    const big = await create(entries, { path: "big", ...oneByte, shape: [100_000] });
    await set(big, [slice(99_000, 100_000)], 1);
    const twice = storeWith({ list: () => [...entries.keys(), ...entries.keys()] });
    await resize(await open(twice, { path: "big", kind: "array" }), [99_500]);
    expect(deleted).toHaveLength(50);
  });
});

describe("a signal ends writing to a store", () => {
  const timers: ReturnType<typeof setTimeout>[] = [];
  afterEach(() => timers.splice(0).forEach(clearTimeout));
  const soon = () => {
    const controller = new AbortController();
    timers.push(setTimeout(() => controller.abort(new Error("enough")), 30));
    return { signal: controller.signal };
  };
  const opened = (store: Store) => open(store, { path: "a", kind: "array" });

  it("that lists without end", async () => {
    const store = storeWith({ list: () => endless("/a/c/1") });
    expect(await errorOf(() => deleteNode(store, "a", soon()))).toMatchObject({ message: "enough" });
    const options = { path: "new", ...oneByte, ...soon() };
    const elsewhere = storeWith({ list: () => endless("/elsewhere") });
    expect(await errorOf(() => create(elsewhere, options))).toMatchObject({ message: "enough" });
  });

  it("that lists without end, all at once", async () => {
    const list = function* () {
      for (;;) yield "/elsewhere";
    };
    const error = await errorOf(() => create(storeWith({ list }), { path: "new", ...oneByte, ...soon() }));
    expect(error).toMatchObject({ message: "enough" });
  });

  it.each<[string, object, (store: Store) => Promise<unknown>]>([
    ["set", { set: never }, async (store) => set(await opened(store), [slice(0, 5)], 2, soon())],
    ["delete", { delete: never }, async (store) => set(await opened(store), null, 0, soon())],
    ["delete", { delete: never, list: () => [...entries.keys()] }, (store) => deleteNode(store, "a", soon())],
    [
      "list",
      { list: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) },
      (store) => deleteNode(store, "a", soon()),
    ],
  ])("whose %s never ends", async (_, method, work) => {
    expect(await errorOf(() => work(storeWith(method)))).toMatchObject({ message: "enough" });
  });

  it("that is waiting for another write, which goes on", async () => {
    let finish = () => {};
    const store = storeWith({
      set: async (key: string, value: Uint8Array) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        entries.set(key, value);
      },
    });
    const array = await opened(store);
    const first = set(array, [slice(0, 10)], 2);
    const second = errorOf(() => set(array, [slice(0, 10)], 3, soon()));
    const third = set(array, [slice(0, 5)], 4);
    expect(await second).toMatchObject({ message: "enough" });
    finish();
    await first;
    await new Promise((resolve) => setTimeout(resolve, 10));
    finish();
    await third;
    expect([...entries.get("/a/c/0")!]).toEqual([4, 4, 4, 4, 4, 2, 2, 2, 2, 2]);
  });

  it("and its late operations replace nothing written since", async () => {
    let finish = () => {};
    let isSlow = true;
    const store = storeWith({
      set: async (key: string, value: Uint8Array) => {
        if (isSlow)
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
        entries.set(key, value);
      },
    });
    const array = await opened(store);
    expect(await errorOf(() => set(array, [slice(0, 10)], 2, soon()))).toMatchObject({ message: "enough" });
    isSlow = false;
    const next = set(array, [slice(0, 10)], 3);
    await new Promise((resolve) => setTimeout(resolve, 10));
    finish();
    await next;
    expect(entries.get("/a/c/0")![0]).toBe(3);
  });
});

describe("stores that keep and use the buffers passed to them", () => {
  const scramble = (value: Uint8Array) => {
    for (const [i, byte] of value.entries()) value[i] = byte ^ 0xff;
  };

  it("may change it: each chunk of a scalar has a separate buffer", async () => {
    const store = storeWith({
      set: (key: string, value: Uint8Array) => {
        if (key.includes("/c/")) scramble(value);
        entries.set(key, value);
      },
    });
    await set(await open(store, { path: "a", kind: "array" }), null, 7);
    expect(keysOf("a/c").map((key) => entries.get(key)![0]! ^ 0xff)).toEqual(Array(10).fill(7));
  });

  it("may transfer it", async () => {
    const store = storeWith({
      set: (key: string, value: Uint8Array) =>
        void entries.set(key, structuredClone(value, { transfer: [value.buffer as ArrayBuffer] })),
    });
    await set(await open(store, { path: "a", kind: "array" }), null, 7);
    expect(keysOf("a/c").map((key) => entries.get(key)!.length)).toEqual(Array(10).fill(10));
  });
});

describe("an array that another program has recreated", () => {
  const changed = (change: (document: Record<string, never>) => object) => {
    const document = JSON.parse(new TextDecoder().decode(entries.get("/a/zarr.json")));
    Object.assign(document, change(document));
    entries.set("/a/zarr.json", encoder.encode(JSON.stringify(document)));
  };
  const grid = (length: number) => ({
    chunk_grid: { name: "regular", configuration: { chunk_shape: [length] } },
  });

  it.each<[string, object, string]>([
    ["of other chunks", grid(1000), "chunks"],
    ["of smaller chunks", grid(3), "chunks"],
    ["of another data type", { data_type: "uint8" }, "data type"],
    ["of another fill value", { fill_value: 3 }, "fill value"],
    [
      "with other codecs",
      { codecs: [{ name: "bytes" }, { name: "gzip", configuration: { level: 1 } }] },
      "codecs",
    ],
    [
      "under other keys",
      { chunk_key_encoding: { name: "v2", configuration: { separator: "." } } },
      "keys of chunks",
    ],
  ])("%s is neither made longer nor shorter by its old handle", async (_, change, what) => {
    const array = await open(entries, { path: "a", kind: "array" });
    changed(() => change);
    const before = new Map(entries);
    const longer = await errorOf(() => append(array, new Int8Array(10)));
    expect(longer).toMatchObject({
      _tag: "NotFound",
      message: expect.stringContaining(`with other ${what}`),
    });
    expect(await errorOf(() => resize(array, [15]))).toMatchObject({ _tag: "NotFound" });
    expect(entries).toEqual(before);
  });

  it("is the same one if only attributes and spellings of codecs differ", async () => {
    const gz = await create(entries, { path: "gz", ...oneByte, codecs: "gzip:1" });
    const document = JSON.parse(new TextDecoder().decode(entries.get("/gz/zarr.json")));
    document.codecs[1].configuration.level = 9;
    document.attributes = { a: 1 };
    entries.set("/gz/zarr.json", encoder.encode(JSON.stringify(document)));
    await append(gz, new Int8Array(10).fill(5));
    expect((await get(gz, [slice(100, 110)])).data).toEqual(new Int8Array(10).fill(5));
  });

  it.each([[null], ["5"], [-5], [1.5]])("whose shape is [%j] is an error with a kind", async (length) => {
    const array = await open(entries, { path: "a", kind: "array" });
    changed(() => ({ shape: [length] }));
    expect(await errorOf(() => append(array, new Int8Array(10)))).toMatchObject({ _tag: "InvalidMetadata" });
    expect(await errorOf(() => resize(array, [15]))).toMatchObject({ _tag: "InvalidMetadata" });
  });
});

describe("values that are detached during a write", () => {
  const numbers = (buffer: ArrayBuffer) => new Int32Array(buffer).fill(5);
  const resizable = () => Reflect.construct(ArrayBuffer, [400_000, { maxByteLength: 400_000 }]);
  const goes: Record<string, [() => ArrayBuffer, (buffer: ArrayBuffer) => unknown]> = {
    detached: [() => new ArrayBuffer(400_000), (buffer) => structuredClone(buffer, { transfer: [buffer] })],
    "made smaller": [resizable, (buffer) => (buffer as unknown as { resize(n: number): void }).resize(4)],
    "made a little smaller": [
      resizable,
      (buffer) => (buffer as unknown as { resize(n: number): void }).resize(399_996),
    ],
  };
  const stored = () => [...entries].filter(([key]) => key.startsWith("/n/c/")).map(([, bytes]) => bytes);
  const whole = (bytes: Uint8Array) => new Int32Array(bytes.slice().buffer).every((n) => n === 5);

  describe.each([{ threads: 0 }, { threads: 1 }])("$threads threads", ({ threads }) => {
    it.each(Object.keys(goes))("%s", async (how) => {
      const [make, go] = goes[how]!;
      const n = await create(entries, {
        path: "n",
        shape: [100_000],
        chunkShape: [10_000],
        dtype: "int32",
        codecs: "none",
      });
      const pool = threads > 0 ? new WorkerPool({ size: threads }) : undefined;
      const buffer = make();
      const onProgress = () => {
        if (buffer.byteLength === 400_000) go(buffer);
      };
      const options = { concurrency: 1, onProgress, ...(pool && { pool }) };
      const error = await errorOf(() => set(n, null, numbers(buffer), options));
      pool?.destroy();
      expect(error).toMatchObject({
        _tag: "EncodeFailed",
        message: expect.stringContaining("detached or shrunk"),
      });
      expect(stored().length).toBeGreaterThan(0);
      expect(stored().every(whole)).toBe(true);
    });
  });
});

it("inner chunks that overlap in a shard's index are not copied many times over", async () => {
  const inner = 256;
  const index_codecs = [{ name: "bytes", configuration: { endian: "little" } }];
  const gzip = { name: "gzip", configuration: { level: 1 } };
  const array = await create(entries, {
    path: "s",
    shape: [inner * 10],
    chunkShape: [10],
    shardShape: [inner * 10],
    dtype: "int8",
    codecs: { name: "sharding_indexed", configuration: { codecs: ["bytes", gzip], index_codecs } },
  });
  const shard = new Uint8Array(10_000 + 16 * inner);
  const view = new DataView(shard.buffer);
  for (let i = 0; i < inner; i++) view.setBigUint64(10_000 + 16 * i + 8, 10_000n, true);
  entries.set("/s/c/0", shard);
  const error = await errorOf(() => set(array, [slice(0, 10)], 1));
  expect(error).toMatchObject({ _tag: "CorruptChunk", message: expect.stringContaining("overlap") });
  expect(entries.get("/s/c/0")).toBe(shard);
});

it("endlessly nested groups do not make consolidation endless", async () => {
  const group = encoder.encode(
    `{"zarr_format":3,"node_type":"group","attributes":{"a":"${"x".repeat(2 ** 20)}"}}`,
  );
  const get = (key: string) => (key.endsWith("/zarr.json") ? group : undefined);
  const error = await errorOf(() => consolidate(storeWith({ get, listChildren: () => ["a", "b"] })));
  expect(error).toMatchObject({ _tag: "LimitExceeded" });
});
