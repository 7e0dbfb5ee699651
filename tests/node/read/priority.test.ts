// The order in which chunks are requested, and copied into the result.
import { describe, expect, it } from "vitest";
import { type GetOptions, get, getBytes, MapStore, slice, WorkerPool } from "zarr-wasm";
import { errorOf, openArray, product, randomBytes, v1Store } from "../support/support.js";
import {
  bytesBig,
  bytesLittle,
  CountingStore,
  filled,
  gzip,
  regular,
  sharded,
  v3Meta,
  type WriteOptions,
  writeV3,
} from "../support/zarr-writer.js";

async function sample(fields: Record<string, unknown>, options: WriteOptions = {}) {
  const meta = v3Meta(filled({ data_type: "int16", ...fields }));
  const elements = randomBytes(2 * product(meta["shape"] as number[]), 5);
  const store = new MapStore();
  await writeV3(store, meta, elements, options);
  const counting = new CountingStore(store);
  const array = await openArray(counting);
  counting.reset();
  return { elements, counting, array };
}

/** 5 × 7 chunks, the last ones cut. */
const grid = { shape: [48, 68], chunk_grid: regular(10, 10), codecs: [bytesBig, gzip] };
const keys = (store: CountingStore) => store.requests.map(({ key }) => key);
const cells = Array.from({ length: 35 }, (_, i) => [Math.floor(i / 7), i % 7] as const);

/** The slow twin: all chunks, sorted by a number, C order among equals. */
const sorted = (rank: (cell: readonly [number, number]) => number, list = cells) =>
  [...list].sort((a, b) => rank(a) - rank(b)).map((cell) => `/c/${cell.join("/")}`);

type Priority = NonNullable<GetOptions["priority"]>;

describe("priority", () => {
  it("centre requests the chunks nearest to the centre of the selection first", async () => {
    const { elements, counting, array } = await sample(grid);
    const { bytes } = await getBytes(array, null, { priority: "centre" });
    expect(Buffer.compare(bytes, elements)).toBe(0);
    const middle = (cell: number, length: number) => (10 * cell + Math.min(10 * cell + 10, length)) / 2;
    const expected = sorted(([y, x]) => (middle(y, 48) - 24) ** 2 + (middle(x, 68) - 34) ** 2);
    expect(keys(counting)).toEqual(expected);
    expect(expected[0]).toBe("/c/2/3");
  });

  it("centre may be spelled center", async () => {
    const { counting, array } = await sample(grid);
    const order = async (priority: Priority) => {
      counting.requests.length = 0;
      await getBytes(array, null, { priority });
      return counting.requests.map((request) => JSON.stringify(request));
    };
    const centre = await order("centre");
    expect(await order("center")).toEqual(centre);
    expect(await order(() => 0)).not.toEqual(centre);
  });

  it("centre counts from the part that is selected", async () => {
    const { counting, array } = await sample(grid);
    const selection = [slice(2, 31), slice(15, 68)];
    const plain = await getBytes(array, selection);
    counting.reset();
    const { bytes } = await getBytes(array, selection, { priority: "centre" });
    expect(Buffer.compare(bytes, plain.bytes)).toBe(0);
    const middle = (cell: number, start: number, stop: number) =>
      (Math.max(10 * cell, start) + Math.min(10 * cell + 10, stop)) / 2;
    const touched = cells.filter(([y, x]) => y <= 3 && x >= 1);
    const rank = ([y, x]: readonly [number, number]) =>
      (middle(y, 2, 31) - 16.5) ** 2 + (middle(x, 15, 68) - 41.5) ** 2;
    expect(keys(counting)).toEqual(sorted(rank, touched));
  });

  it("as a function takes coordinates; equal chunks stay in C order", async () => {
    const { elements, counting, array } = await sample(grid);
    for (const priority of [([y, x]) => (3 * y! + 5 * x!) % 11, () => 0, ([y]) => -y!] as Priority[]) {
      counting.reset();
      const { bytes } = await getBytes(array, null, { priority, concurrency: 4 });
      expect(Buffer.compare(bytes, elements)).toBe(0);
      expect(keys(counting)).toEqual(sorted(priority as (cell: readonly number[]) => number));
    }
  });

  it("copies chunks into the result as they arrive", async () => {
    for (const codecs of [[bytesBig, gzip], [bytesLittle]]) {
      const { elements, array } = await sample({ ...grid, codecs });
      const out = new Int16Array(48 * 68).fill(-1);
      const whole = new Int16Array(elements.buffer);
      const order = sorted((cell) => -cell[0] - cell[1]).map((key) => key.slice(3).split("/").map(Number));
      await get(array, null, {
        out,
        concurrency: 1,
        priority: ([y, x]) => -y! - x!,
        onProgress: ({ chunks }) => {
          const [y, x] = order[chunks - 1]!;
          const rows = Array.from({ length: Math.min(10, 48 - 10 * y!) }, (_, i) => 10 * y! + i);
          for (const row of rows) {
            const [start, end] = [row * 68 + 10 * x!, row * 68 + Math.min(68, 10 * x! + 10)];
            expect(out.subarray(start, end)).toEqual(whole.subarray(start, end));
          }
        },
      });
      expect(out).toEqual(whole);
    }
  });

  it("sorts shards by the first of their chunks, and the requests of a shard", async () => {
    const { elements, counting, array } = await sample({
      shape: [40, 60],
      chunk_grid: regular(20, 20),
      codecs: [sharded([5, 20], [bytesLittle])],
    });
    const priority = ([y, x]: readonly number[]) => Math.abs(y! - 6) + 10 * Math.abs(x! - 1);
    const options = { priority, concurrency: 1, coalesceMaxGap: 0, coalesceMaxBytes: 200 };
    const { bytes } = await getBytes(array, null, options);
    expect(Buffer.compare(bytes, elements)).toBe(0);
    const objects = [...new Set(keys(counting))];
    expect(objects).toEqual(["/c/1/1", "/c/0/1", "/c/1/0", "/c/1/2", "/c/0/0", "/c/0/2"]);
    const ranges = counting.requests.filter(
      ({ key, range }) => key === "/c/1/1" && range && "offset" in range,
    );
    // Inner chunks of 200 bytes, rows 4 to 7 of chunks: 6 first.
    expect(ranges.map(({ range }) => (range as { offset: number }).offset)).toEqual([400, 200, 600, 0]);
  });

  it("works with lists, lists of values, missing chunks and pools", async () => {
    const pool = new WorkerPool({ size: 2 });
    const large = { shape: [300, 400], chunk_grid: regular(140, 150), codecs: [bytesBig, gzip] };
    try {
      const { array } = await sample(large, { missing: 0.3 });
      const plain = await getBytes(array, [[290, 3, 150], slice(7, 390)]);
      for (const options of [{}, { pool }, { pool, useSharedArrayBuffer: true }]) {
        const read = { ...options, priority: "centre" as const };
        const { bytes } = await getBytes(array, [[290, 3, 150], slice(7, 390)], read);
        expect(Buffer.compare(bytes, plain.bytes)).toBe(0);
      }
    } finally {
      pool.destroy();
    }
  });

  it("must be one, and give numbers, before anything is read", async () => {
    const { counting, array } = await sample(grid);
    for (const priority of ["middle", 3, () => Number.NaN, () => "1"]) {
      const error = await errorOf(() => get(array, null, { priority: priority as Priority }));
      expect(error["_tag"]).toBe("InvalidArgument");
    }
    const own = new Error("own");
    const failing = () => {
      throw own;
    };
    expect(await errorOf(() => get(array, null, { priority: failing }))).toBe(own);
    expect(counting.requests).toEqual([]);
    expect(
      (await get(await openArray(v1Store({ shape: [0], chunks: [1] })), null, { priority: "centre" })).shape,
    ).toEqual([0]);
  });
});
