// Writes that fail in the middle, and several writers of one array.
import { describe, expect, it } from "vitest";
import {
  append,
  type Store as CustomStore,
  create,
  get,
  MapStore,
  open,
  set,
  slice,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import { errorOf } from "../support/support.js";
import { lateStore } from "../support/writing-tools.js";

/** A store that fails at one of its operations, before it has done anything. */
class FailingStore implements CustomStore {
  readonly files = new Map<string, Uint8Array>();
  /** Everything that was ever written, by key. */
  readonly written = new Map<string, string[]>();
  count = 0;
  failAt = Number.POSITIVE_INFINITY;

  get(key: string) {
    this.#step();
    return this.files.get(key);
  }
  set(key: string, bytes: Uint8Array) {
    this.#step();
    this.files.set(key, bytes.slice());
    this.written.set(key, [...(this.written.get(key) ?? []), String(bytes)]);
  }
  delete(key: string) {
    this.#step();
    this.files.delete(key);
  }
  #step() {
    if (++this.count === this.failAt) throw new Error("the store has failed");
  }
}

/** Writes of all kinds to one array. */
async function script(store: CustomStore, array: ZarrArray): Promise<void> {
  const data = Int16Array.from({ length: 9 * 11 }, (_, i) => i + 1);
  const options = { concurrency: 1 };
  await set(array, null, data, options);
  await set(array, [slice(1, 8), slice(2, 9)], -5, options);
  await set(array, [slice(0, 4), slice(0, 6)], 0, options);
  await set(
    array,
    [
      [8, 0, 3],
      [10, 2],
    ],
    Int16Array.of(1, 2, 3, 4, 5, 6),
    options,
  );
  await append(array, new Int16Array(22).fill(4), 0, options);
  expect(store).toBe(array.store);
}

describe.each([undefined, [4, 6]])("a store that fails at each operation, shards of %j", (shardShape) => {
  const make = (store: CustomStore) =>
    create(store, { shape: [9, 11], chunkShape: [2, 3], shardShape, dtype: "int16", codecs: "zstd" });

  it("keeps complete objects, and the error reports the progress", async () => {
    const model = new FailingStore();
    await script(model, await make(model));
    let [k, failed] = [1, 0];
    for (; ; k++) {
      const store = new FailingStore();
      const array = await make(store);
      const first = store.count;
      store.failAt = first + k;
      const error = await script(store, array).then(
        () => undefined,
        (thrown) => thrown as ZarrError,
      );
      if (!error) break;
      expect(error.message).toContain("the store has failed");
      expect([error._tag, error.code]).toEqual(["Network", "store-failed"]);
      if (error.chunkKey !== undefined) {
        expect(error.written!.chunks).toBeLessThan(error.written!.totalChunks);
        failed++;
      }
      for (const [key, bytes] of store.files) expect(model.written.get(key), key).toContain(String(bytes));
      store.failAt = Number.POSITIVE_INFINITY;
      await get((await open(store)) as ZarrArray);
      // Repeating the call gives the intended result.
      if (k % 10 === 1) {
        const again = await make(new FailingStore());
        await script(again.store, again);
        expect((again.store as FailingStore).files).toEqual(model.files);
      }
    }
    expect(k).toBeGreaterThan(25);
    expect(failed).toBeGreaterThan(k - 8); // all but those that concern the metadata
  });

  it("writes nothing if a stored chunk to be changed in part is damaged", async () => {
    const store = new FailingStore();
    const array = await make(store);
    await set(array, null, 7);
    const key = array.chunkKey([0, 0]);
    store.files.set(key, store.files.get(key)!.slice(0, 5));
    const error = await errorOf(() => set(array, [0, 0], 1));
    expect([error._tag, error.chunkKey]).toEqual(["CorruptChunk", key]);
    expect(store.files.get(key)).toHaveLength(5);
    await set(array, null, 8);
    expect((await get(array, [0, 0])).data[0]).toBe(8);
  });
});

describe("several writers of one array", () => {
  // Writers on a server, in several programs: concurrent-writers.test.ts.
  it("lose no element", async () => {
    const entries = new Map<string, Uint8Array>();
    const storeOf = () => lateStore(entries); // each writer has a separate store
    for (const [path, shardShape] of [
      ["plain", undefined],
      ["sharded", [8, 16]],
    ] as const) {
      await create(storeOf(), { path, shape: [16, 32], chunkShape: [8, 8], shardShape, dtype: "int32" });
      const writers = 10;
      const log = new Map<number, number>();
      const paint = async (writer: number) => {
        const array = (await open(storeOf(), { path })) as ZarrArray;
        for (let i = 0; i < 5; i++) {
          const place = writer + writers * Math.floor(Math.random() * Math.floor(512 / writers));
          const value = 1 + writer * 100 + i;
          await paintAt(array, place, value);
          log.set(place, value);
        }
      };
      const paintAt = async (array: ZarrArray, place: number, value: number): Promise<void> => {
        try {
          await set(array, [Math.floor(place / 32), place % 32], value);
        } catch (error) {
          // The write was reported as failed, not lost: the writer may retry.
          if (!(error instanceof ZarrError && error._tag === "Conflict")) throw error;
          await paintAt(array, place, value);
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, writer) => paint(writer)));
      const { data } = await get((await open(storeOf(), { path })) as ZarrArray);
      const found = [...(data as Int32Array)].flatMap((value, i) => (value === 0 ? [] : [[i, value]]));
      expect(found).toEqual([...log].sort(([a], [b]) => a - b));
    }
  });

  it("get a conflict error, or not, by their options", async () => {
    const entries = new Map<string, Uint8Array>();
    const array = await create(new MapStore(entries), {
      shape: [4],
      chunkShape: [4],
      dtype: "uint8",
      codecs: "none",
    });
    await set(array, null, 1);
    const store = new MapStore(entries);
    const read = store.get.bind(store);
    const mine = (await open(store)) as ZarrArray;
    let others = 0;
    store.get = ((...args: Parameters<typeof read>) => {
      const bytes = read(...args);
      if (others-- > 0) entries.set("/c/0", Uint8Array.of(others, 5, 5, 5));
      return bytes;
    }) as never;
    others = 1;
    expect((await errorOf(() => set(mine, [3], 9, { conflicts: "error" })))._tag).toBe("Conflict");
    expect([...entries.get("/c/0")!]).toEqual([0, 5, 5, 5]);
    others = 2;
    await set(mine, [3], 9);
    expect([...entries.get("/c/0")!]).toEqual([0, 5, 5, 9]);
    others = 1;
    await set(mine, [2], 9, { conflicts: "ignore" });
    expect([...entries.get("/c/0")!]).toEqual([0, 5, 9, 9]);
    others = 1;
    entries.delete("/c/0");
    expect((await errorOf(() => set(mine, [3], 9, { conflicts: "error" })))._tag).toBe("AlreadyExists");
  });

  it("do not delete chunks that another writer may have written into", async () => {
    const entries = new Map<string, Uint8Array>();
    const array = await create(new MapStore(entries), {
      shape: [4],
      chunkShape: [4],
      dtype: "uint8",
      codecs: "none",
    });
    await set(array, [0], 1);
    await set(array, [0], 0);
    expect([...(entries.get("/c/0") ?? [])]).toEqual([0, 0, 0, 0]);
    entries.clear();
    const sharded = { path: "s", shape: [4], chunkShape: [2], shardShape: [4], dtype: "uint8" as const };
    const shards = await create(new MapStore(entries), sharded);
    await set(shards, [0], 1);
    await set(shards, [0], 0);
    expect(entries.get("/s/c/0")!.subarray(0, 32)).toEqual(new Uint8Array(32).fill(255));
    expect((await get(shards)).data).toEqual(new Uint8Array(4));
    await set(shards, null, 0);
    expect(entries.has("/s/c/0")).toBe(false);
  });
});
