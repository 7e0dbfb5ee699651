// Several programs append to one array at the same time: no appended element is lost.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  get,
  isZarrError,
  MapStore,
  open,
  type Store,
  WritableHttpStore,
  type ZarrArray,
} from "zarr-wasm";
import { S3Server } from "../support/s3-server.js";
import { errorOf } from "../support/support.js";
import { lateStore } from "../support/writing-tools.js";

let server: S3Server;
beforeAll(async () => {
  server = await new S3Server().start();
});
afterAll(() => server.close());

let logs = 0;

/** Places with conditional writes; each writer has a separate store, as programs on several machines do. */
const places: Record<string, () => () => Store> = {
  "memory with versions": () => {
    const entries = new Map<string, Uint8Array>();
    return () => lateStore(entries);
  },
  "an object store": () => {
    const url = `${server.url}/log${++logs}.zarr`;
    return () => new WritableHttpStore(url, { bucket: server.url });
  },
};

/** Appends, and repeats the call if other writers were faster ten times. */
async function insistently(array: ZarrArray, ...rest: [Int32Array | object, number?]): Promise<void> {
  for (;;) {
    try {
      return await append(array, rest[0] as Int32Array, rest[1]);
    } catch (error) {
      if (!isZarrError(error, "Conflict") || error.chunkKey !== undefined) throw error;
    }
  }
}

describe.each(Object.entries(places))("appenders at the same time: %s", (_, place) => {
  it.each([
    { path: "plain", shardShape: undefined, zarrFormat: 3 },
    { path: "sharded", shardShape: [8, 2], zarrFormat: 3 },
    { path: "old", shardShape: undefined, zarrFormat: 2 },
  ] as const)("lose nothing: $path", async ({ path, shardShape, zarrFormat }) => {
    const storeOf = place();
    const root = `${path}-root`;
    const group = await createGroup(storeOf(), { path: root, zarrFormat });
    const options = { path: "a", shape: [0, 2], chunkShape: [4, 2], dtype: "int32" as const, zarrFormat };
    await create(group, shardShape ? { ...options, shardShape } : options);
    await consolidate(group);
    const [writers, times, rows] = [5, 4, 3];
    const write = async (writer: number) => {
      const array = (await open(storeOf(), { path: `${root}/a` })) as ZarrArray;
      for (let i = 0; i < times; i++)
        await insistently(array, new Int32Array(2 * rows).fill(1 + 100 * writer + i));
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const array = (await open(storeOf(), { path: `${root}/a` })) as ZarrArray;
    expect(array.shape).toEqual([writers * times * rows, 2]);
    const found = [...((await get(array)).data as Int32Array)];
    // Rows appended in one call are adjacent.
    const blocks = Array.from({ length: writers * times }, (_, i) => found.slice(6 * i, 6 * i + 6));
    expect(blocks.map((block) => new Set(block).size)).toEqual(blocks.map(() => 1));
    const wanted = Array.from(
      { length: writers * times },
      (_, i) => 1 + 100 * Math.floor(i / times) + (i % times),
    );
    expect(blocks.map(([value]) => value!).sort((a, b) => a - b)).toEqual(wanted);
    // The group's consolidated metadata has the last shape, whichever writer wrote it last.
    const fromGroup = (await (await open(storeOf(), { path: root, kind: "group" })).open("a")) as ZarrArray;
    expect(fromGroup.shape).toEqual(array.shape);
  });

  it("write into a chunk that both have begun", async () => {
    const storeOf = place();
    const slow = storeOf();
    await create(storeOf(), { path: "both", shape: [0], chunkShape: [8], dtype: "int32", codecs: "none" });
    const mine = (await open(slow, { path: "both" })) as ZarrArray;
    const theirs = (await open(storeOf(), { path: "both" })) as ZarrArray;
    // The array is already longer, and the other writer writes its elements first.
    const read = slow.get.bind(slow);
    let isFirst = true;
    slow.get = async (key, options) => {
      const bytes = await read(key, options);
      if (/c\/0$/.test(key) && isFirst) {
        isFirst = false;
        await append(theirs, Int32Array.of(4, 5));
      }
      return bytes;
    };
    await append(mine, Int32Array.of(1, 2, 3));
    expect(isFirst).toBe(false);
    const { data } = await get((await open(storeOf(), { path: "both" })) as ZarrArray);
    expect([...(data as Int32Array)]).toEqual([1, 2, 3, 4, 5]);
  });

  it("get a conflict error if they ask for it", async () => {
    const storeOf = place();
    const store = storeOf();
    await create(storeOf(), { path: "asked", shape: [0], chunkShape: [8], dtype: "int32" });
    const mine = (await open(store, { path: "asked" })) as ZarrArray;
    const theirs = (await open(storeOf(), { path: "asked" })) as ZarrArray;
    const read = store.get.bind(store);
    let others = 1;
    store.get = async (key, options) => {
      const bytes = await read(key, options);
      if (key.endsWith("zarr.json") && others-- > 0) await append(theirs, Int32Array.of(7));
      return bytes;
    };
    const error = await errorOf(() => append(mine, Int32Array.of(1), 0, { conflicts: "error" }));
    expect(error._tag).toBe("Conflict");
    expect((await open(storeOf(), { path: "asked", kind: "array" })).shape).toEqual([1]);
    others = 2;
    await append(mine, Int32Array.of(1));
    const now = await open(storeOf(), { path: "asked", kind: "array" });
    expect([...((await get(now)).data as Int32Array)]).toEqual([7, 7, 7, 1]);
    expect(mine.shape).toEqual([4]);
  });
});

describe("an append whose chunks can be neither written nor removed", () => {
  it.each(["a full disk", "missing permissions", "no delete()", "a store that throws at once"])(
    "is undone: %s",
    async (reason) => {
      const memory = new MapStore();
      let isBroken = false;
      const refused = () => {
        const error = new Error(reason);
        if (reason.endsWith("at once")) throw error;
        return Promise.reject(error);
      };
      const store: Store = {
        conditional: true,
        get: (...args) => memory.get(...args),
        set: (key, ...args) => (isBroken && key.includes("c/") ? refused() : memory.set(key, ...args)),
        delete: (key) => (isBroken && reason === "missing permissions" ? refused() : memory.delete(key)),
      };
      if (reason === "no delete()") delete store.delete;
      const array = await create(store, { shape: [0], chunkShape: [4], dtype: "int32" });
      await append(array, Int32Array.of(1, 2));
      isBroken = true;
      const error = await errorOf(() => append(array, Int32Array.of(3, 4, 5)));
      expect([error._tag, error.code]).toEqual(["Network", "store-failed"]);
      expect(error.message).toMatch(/^nothing was appended: /);
      isBroken = false;
      await append(array, Int32Array.of(6));
      expect([...((await get((await open(store)) as ZarrArray)).data as Int32Array)]).toEqual([1, 2, 6]);
    },
  );
});
