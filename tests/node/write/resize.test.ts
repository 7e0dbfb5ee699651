// Shapes that shrink and grow again: removed elements do not come back, unless the caller keeps them.
import { describe, expect, it } from "vitest";
import {
  append,
  type CreateOptions,
  create,
  type DTypeInput,
  get,
  isZarrError,
  open,
  resize,
  type Store,
  set,
  setChunk,
  slice,
  type ZarrArray,
} from "zarr-wasm";
import { bytesOf, errorOf } from "../support/support.js";

type Files = Map<string, Uint8Array>;
const files = (): Files => new Map();
const values = async (array: ZarrArray) => [...((await get(array)).data as Iterable<unknown>)];

const make = (store: Store | Files, options: Partial<CreateOptions> = {}) =>
  create(store, {
    shape: [6, 6],
    chunkShape: [4, 4],
    dtype: "int16",
    codecs: "zstd",
    fillValue: 7,
    ...options,
  });
const counted = Int16Array.from({ length: 36 }, (_, i) => i + 100);

/** The remaining counted elements in a shape, and the fill value around it in 6 × 6. */
const left = (rows: number, columns: number) =>
  Array.from(counted, (value, i) => (Math.floor(i / 6) < rows && i % 6 < columns ? value : 7));

describe.each([
  { zarrFormat: 1, codecs: "zlib" },
  { zarrFormat: 2, order: "F" },
  { zarrFormat: 3 },
  { zarrFormat: 3, chunkShape: [2, 1], shardShape: [4, 4] },
] as const)("a smaller shape: %j", (options) => {
  it.each([
    [3, 2],
    [3, 5],
    [5, 6],
    [6, 1],
    [1, 1],
    [4, 4],
    [4, 3],
    [0, 3],
  ])("of %i × %i clears the elements outside", async (rows, columns) => {
    const store = files();
    const array = await make(store, options as Partial<CreateOptions>);
    await set(array, null, counted);
    await resize(array, [rows, columns]);
    await resize(array, [6, 6]);
    expect(await values(array)).toEqual(left(rows, columns));
    expect(await values((await open(store)) as ZarrArray)).toEqual(left(rows, columns));
  });

  it('leaves them with edges: "keep"', async () => {
    const store = files();
    const array = await make(store, options as Partial<CreateOptions>);
    await set(array, null, counted);
    const before = new Map(store);
    await resize(array, [3, 3], { edges: "keep" });
    const [first] = [...before.keys()].filter((key) => /0.0$/.test(key));
    expect(store.get(first!)).toBe(before.get(first!));
    await resize(array, [6, 6]);
    expect(await values(array)).toEqual(left(4, 4));
  });
});

describe("a smaller shape", () => {
  it("goes by the stored shape, not by the handle's", async () => {
    const store = files();
    const array = await make(store, { shape: [2, 6] });
    const outdated = (await open(store)) as ZarrArray;
    await append(array, { data: new Int16Array(60).fill(1), shape: [10, 6] });
    await resize(outdated, [1, 6]);
    expect([...store.keys()].sort()).toEqual(
      ["/c/0/0", "/c/0/1", "/zarr.json"].filter((key) => store.has(key)),
    );
    await resize(outdated, [12, 6]);
    expect(await values(outdated)).toEqual(new Array(72).fill(7));
  });

  it("copies inner chunks of shards within the shape, and removes those outside", async () => {
    const store = files();
    const array = await make(store, { shape: [8], chunkShape: [2], shardShape: [8], codecs: "crc32c" });
    await set(array, null, Int16Array.of(1, 2, 3, 4, 5, 6, 8, 9));
    const shard = store.get("/c/0")!;
    shard[0]! ^= 1; // decoding the first inner chunk fails
    await resize(array, [5]);
    expect(store.get("/c/0")!.subarray(0, 16)).toEqual(shard.subarray(0, 16));
    expect(await array.fetchChunk([2])).not.toEqual(shard.slice(16, 24));
    await resize(array, [8]);
    expect(await array.fetchChunk([3])).toBeUndefined();
    expect(await values(await reread(array, [slice(2, 8)]))).toEqual([3, 4, 5, 7, 7, 7]);
    expect((await errorOf(() => get(array)))._tag).toBe("CorruptChunk");
  });

  it("writes no chunks for missing ones, even without a fill value", async () => {
    for (const options of [{ fillValue: null, zarrFormat: 2 }, { fillValue: 3 }] as const) {
      const store = files();
      const array = await make(store, { ...options, shape: [8, 6] });
      await set(array, [slice(0, 4)], 1);
      const keys = [...store.keys()].sort();
      await resize(array, [6, 5]);
      expect([...store.keys()].sort()).toEqual(keys);
    }
  });

  it("clears elements of every kind", async () => {
    const strings = await make(files(), { shape: [3], chunkShape: [3], dtype: "string", fillValue: "?" });
    await set(strings, null, ["a", "b", "c"]);
    await resize(strings, [1]);
    await resize(strings, [3]);
    expect(await values(strings)).toEqual(["a", "?", "?"]);
    const nan = await make(files(), {
      shape: [3],
      chunkShape: [3],
      dtype: "float32",
      fillValue: "0x7fc00001",
    });
    await set(nan, null, Float32Array.of(1, 2, 3));
    await resize(nan, [2]);
    await resize(nan, [3]);
    expect(new Uint32Array(((await get(nan)).data as Float32Array).buffer)[2]).toBe(0x7fc00001);
    const struct = [
      ["a", "|u1"],
      ["b", ">i2"],
    ] as [string, string][];
    const records = await make(files(), {
      shape: [3],
      chunkShape: [3],
      dtype: struct as DTypeInput,
      zarrFormat: 2,
      fillValue: null,
    });
    await set(records, null, new Uint8Array(9).fill(5));
    await resize(records, [1]);
    await resize(records, [3]);
    expect(await values(records)).toEqual([5, 5, 5, 0, 0, 0, 0, 0, 0]);
  });

  it("in a rectilinear grid", async () => {
    const store = files();
    const array = await make(store, { shape: [9], chunkShape: [3], codecs: "none" });
    const document = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")!));
    document.chunk_grid = {
      name: "rectilinear",
      configuration: { kind: "inline", chunk_shapes: [[2, 4, [3, 2]]] },
    };
    store.set("/zarr.json", bytesOf(JSON.stringify(document)));
    const opened = await open(store, { kind: "array" });
    await set(opened, null, Int16Array.of(1, 2, 3, 4, 5, 6, 8, 9, 10));
    await resize(opened, [4]);
    await resize(opened, [9]);
    expect(await values(opened)).toEqual([1, 2, 3, 4, 7, 7, 7, 7, 7]);
    expect(array.shape).toEqual([9]);
  });

  it("changes listed edge chunks, if there may be too many to request", async () => {
    const store = files();
    const array = await make(store, { shape: [3_000_000, 4], chunkShape: [2, 3], codecs: "none" });
    await setChunk(array, [1000, 0], Int16Array.of(1, 2, 3, 4, 5, 6));
    await setChunk(array, [1000, 1], Int16Array.of(1, 2, 3, 4, 5, 6));
    await resize(array, [3_000_000, 2]);
    await resize(array, [3_000_000, 4]);
    expect([...((await get(array, [2000])).data as Int16Array)]).toEqual([1, 2, 7, 7]);
    const blind: Store = {
      get: (key) => store.get(key),
      set: (key, value) => void store.set(key, value),
      delete: () => {},
    };
    const limits = { readChunks: 1000 };
    const limited = (await open(blind, { limits })) as ZarrArray;
    const shrink = (edges: "clear" | "keep") => errorOf(() => resize(limited, [3_000_000, 2], { edges }));
    expect((await shrink("clear")).message).toMatch(/1500000 chunks would have to be/);
    expect(limited.shape).toEqual([3_000_000, 4]);
  });

  it("is not written if a chunk cannot be changed: nothing is deleted, and the error names the chunk", async () => {
    const store = files();
    const array = await make(store);
    await set(array, null, counted);
    store.set("/c/0/0", Uint8Array.of(1, 2, 3));
    const error = await errorOf(() => resize(array, [3, 3]));
    expect([error._tag, error.chunkKey]).toEqual(["CorruptChunk", "/c/0/0"]);
    expect([array.shape, ((await open(store)) as ZarrArray).shape]).toEqual([
      [6, 6],
      [6, 6],
    ]);
    expect(store.size).toBe(5);
    await resize(array, [3, 3], { edges: "keep" });
    expect([...store.keys()].sort()).toEqual(["/c/0/0", "/zarr.json"]);
    expect((await errorOf(() => resize(array, [2, 2], { edges: "cut" as "keep" })))._tag).toBe(
      "InvalidArgument",
    );
  });

  it("leaves whole objects wherever a store fails", async () => {
    for (let failAt = 1; ; failAt++) {
      const entries = files();
      let count = Number.NEGATIVE_INFINITY;
      const step = () => {
        if (++count === failAt) throw new Error("the store has failed");
      };
      const store: Store = {
        get: (key) => {
          step();
          return entries.get(key);
        },
        set: (key, bytes) => {
          step();
          entries.set(key, bytes.slice());
        },
        delete: (key) => {
          step();
          entries.delete(key);
        },
      };
      const array = await make(store);
      await set(array, null, counted);
      count = 0;
      const error = await resize(array, [3, 5]).catch((thrown: unknown) => thrown);
      count = Number.NEGATIVE_INFINITY;
      const now = (await open(store)) as ZarrArray;
      // Some elements beyond the new shape may be cleared, all others are unchanged; calling again completes the resize.
      const isKept = (i: number) => i < 18 && i % 6 < 5;
      if (now.shape[0] === 6) {
        const either = [...counted].map((value, i) => (isKept(i) ? value : expect.toBeOneOf([value, 7])));
        expect(await values(now)).toEqual(either);
        await resize(now, [3, 5]);
      }
      expect(await values(now)).toEqual([...counted].filter((_, i) => isKept(i)));
      if (error === undefined) {
        expect(failAt).toBeGreaterThan(8);
        return;
      }
      if (!isZarrError(error)) throw error;
      expect(error.message).toContain("the store has failed");
    }
  });
});

/** A part of an array as a separate array. */
async function reread(array: ZarrArray, selection: Parameters<typeof get>[1]): Promise<ZarrArray> {
  const region = await get(array, selection);
  const copy = await create(files(), { shape: region.shape, dtype: array.dtype });
  await set(copy, null, region);
  return copy;
}
