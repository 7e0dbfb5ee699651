// Writing elements: this library reads back the same values (others: read-by-others.test.ts).
import { describe, expect, it } from "vitest";
import {
  append,
  type CreateOptions,
  create,
  type DTypeInput,
  type ElementData,
  get,
  open,
  type Region,
  set,
  setChunk,
  slice,
  strings,
  type ZarrArray,
} from "zarr-wasm";
import { errorOf } from "../support/support.js";
import { type Files, files, versions } from "../support/writing-tools.js";

/** 0, 1, 2, … in the form of an array's elements. */
function counted(array: ZarrArray, length: number, empty: ElementData): ElementData {
  const Kind = empty.constructor as new (length: number) => ElementData;
  const data = new Kind(length);
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const values = { bool: 2, int4: 8, uint2: 4 }[array.dtype.name] ?? 100;
  for (let i = 0; i < length; i++) (data as Record<number, unknown>)[i] = isBig ? BigInt(i) : i % values;
  return data;
}

const make = (store: Files, options: Partial<CreateOptions> = {}) =>
  create(store, { shape: [7, 10], chunkShape: [3, 4], dtype: "int32", ...options });

async function values(array: ZarrArray, selection: Parameters<typeof get>[1] = null): Promise<unknown[]> {
  return [...((await get(array, selection)).data as Iterable<unknown>)];
}

describe("set", () => {
  it("fills whole chunks and parts of chunks, by every kind of selection", async () => {
    const array = await make(files());
    await set(
      array,
      null,
      Int32Array.from({ length: 70 }, (_, i) => i),
    );
    expect(await values(array)).toEqual(Array.from({ length: 70 }, (_, i) => i));
    await set(array, [1, slice(2, 9, 3)], Int32Array.of(-1, -2, -3));
    expect(await values(array, [1])).toEqual([10, 11, -1, 13, 14, -2, 16, 17, -3, 19]);
    await set(
      array,
      [
        [6, 0, 6],
        [9, 1],
      ],
      Int32Array.of(1, 2, 3, 4, 5, 6),
    );
    expect(
      await values(array, [
        [6, 0],
        [9, 1],
      ]),
    ).toEqual([5, 6, 3, 4]);
    await set(array, [slice(0, 2), null], 5);
    expect(await values(array, [slice(0, 2)])).toEqual(new Array(20).fill(5));
    await set(array, [-1, -1], 77);
    expect(await values(array, [6, 9])).toEqual([77]);
    await set(array, [[false, false, true, false, false, false, false], 3], Int32Array.of(-9));
    expect(await values(array, [2, 3])).toEqual([-9]);
    await set(array, ["...", slice(4, 4)], new Int32Array(0));
  });

  it("takes regions of get, and selections by name", async () => {
    const from = await make(files());
    await set(
      from,
      null,
      Int32Array.from({ length: 70 }, (_, i) => i),
    );
    const to = await make(files(), { dimensionNames: ["y", "x"] });
    await set(to, { x: slice(1, 4) }, await get(from, [null, slice(5, 8)]));
    expect(await values(to, [2, slice(0, 5)])).toEqual([0, 25, 26, 27, 0]);
    const error = await errorOf(() =>
      set(to, { x: slice(1, 4), y: slice(0, 3) }, { data: new Int32Array(9), shape: [9] }),
    );
    expect([error._tag, error.message]).toEqual([
      "InvalidArgument",
      "the values have shape [9], but the selection has shape [3, 3]",
    ]);
  });

  it("does not store chunks of fill value, unless it is asked to", async () => {
    const store = files();
    const array = await make(store, { fillValue: 3 });
    await set(array, null, 3);
    expect(store.size).toBe(1);
    await set(array, [0, 0], 4);
    expect([...store.keys()]).toEqual(["/zarr.json", "/c/0/0"]);
    await set(array, [0, 0], 3);
    expect(store.size).toBe(1);
    await set(array, null, 3, { writeEmptyChunks: true });
    expect(store.size).toBe(10);
    await set(array, [slice(0, 3)], 3);
    expect(store.size).toBe(7);
  });

  it("refuses mismatched values before anything is written", async () => {
    const store = files();
    const array = await make(store, { dtype: "uint8" });
    const attempts: [unknown, unknown][] = [
      [null, new Int32Array(70)],
      [null, new Uint8Array(69)],
      [null, 256],
      [null, -1],
      [null, 1.5],
      [null, "1"],
      [null, ["1"]],
      [null, null],
      [null, undefined],
      [null, { data: new Uint8Array(70), shape: [70] }],
    ];
    for (const [selection, given] of attempts) {
      const error = await errorOf(() => set(array, selection as null, given as number));
      expect(error._tag, String(given)).toBe("InvalidArgument");
    }
    expect((await errorOf(() => set(array, [7], 1)))._tag).toBe("InvalidSelection");
    expect((await errorOf(() => set(array, null, 1, { concurrency: 0 })))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => set(array, null, 1, { conflicts: "x" as "retry" })))._tag).toBe(
      "InvalidArgument",
    );
    expect(store.size).toBe(1);
    const readOnly = await open({ get: (key) => store.get(key) });
    const error = await errorOf(() => set(readOnly as ZarrArray, null, 1));
    expect([error._tag, error.code]).toEqual(["ReadOnly", "no-set"]);
  });

  it("keeps concurrent writes to one chunk apart", async () => {
    const array = await make(files(), { shape: [64], chunkShape: [64] });
    await Promise.all(Array.from({ length: 64 }, (_, i) => set(array, [i], i + 1)));
    expect(await values(array)).toEqual(Array.from({ length: 64 }, (_, i) => i + 1));
  });

  it("writes the same bytes again, and reports progress", async () => {
    const [a, b] = [files(), files()];
    const data = Int32Array.from({ length: 70 }, (_, i) => i * i);
    const seen: number[] = [];
    for (const [store, concurrency] of [
      [a, 1],
      [b, 7],
    ] as const) {
      const array = await make(store);
      await set(array, null, data, { concurrency, onProgress: ({ chunks }) => seen.push(chunks) });
    }
    expect([...a].sort()).toEqual([...b].sort());
    expect(seen.sort((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [n, n]));
  });

  it("ends between chunks when aborted", async () => {
    const store = files();
    const array = await make(store);
    const abort = new AbortController();
    const options = {
      signal: abort.signal,
      concurrency: 1,
      onProgress: () => abort.abort(new Error("enough")),
    };
    await expect(set(array, null, 1, options)).rejects.toThrow("enough");
    expect(store.size).toBe(2);
  });

  it("writes arrays that pass through the core in several pieces", async () => {
    const shape = [40, 50, 4000];
    const data = Uint8Array.from({ length: 40 * 50 * 4000 }, (_, i) => (i * 7 + (i >> 9)) & 255);
    for (const shardShape of [undefined, [32, 16, 3000]]) {
      const options = {
        shape,
        chunkShape: [16, 16, 1500],
        shardShape,
        dtype: "uint8" as const,
        codecs: "none",
      };
      const array = await create(files(), options);
      await set(array, null, data);
      expect(Buffer.compare((await get<Uint8Array>(array)).data, data)).toBe(0);
      const other = await create(files(), options);
      await set(other, null, 1);
      // Chunks that are covered, and in part; then with steps.
      const selection = [slice(3, 37), slice(5, 50), slice(100, 3999)];
      await set(other, selection, await get(array, selection), { concurrency: 3 });
      const steps = [slice(0, 40, 3), slice(1, 50, 7), slice(0, 4000, 2)];
      await set(other, steps, await get(array, steps));
      const wanted = new Uint8Array(data.length).fill(1);
      for (let z = 0, i = 0; z < 40; z++)
        for (let y = 0; y < 50; y++)
          for (let x = 0; x < 4000; x++, i++) {
            const isInside = z >= 3 && z < 37 && y >= 5 && x >= 100 && x < 3999;
            if (isInside || (z % 3 === 0 && y % 7 === 1 && x % 2 === 0)) wanted[i] = data[i]!;
          }
      expect(Buffer.compare((await get<Uint8Array>(other)).data, wanted)).toBe(0);
    }
  });

  it("writes arrays without dimensions and without elements", async () => {
    const scalar = await create(files(), { shape: [], dtype: "float64" });
    await set(scalar, null, 2.5);
    expect(await values(scalar)).toEqual([2.5]);
    await set(scalar, null, Float64Array.of(Number.NaN));
    expect(await values(scalar)).toEqual([Number.NaN]);
    const empty = await create(files(), { shape: [0, 3], dtype: "int8" });
    await set(empty, null, new Int8Array(0));
    await append(empty, Int8Array.of(1, 2, 3));
    expect(await values(empty)).toEqual([1, 2, 3]);
  });
});

describe("values of each data type", () => {
  const dtypes = [
    ...[
      "bool",
      "int8",
      "uint8",
      "int16",
      "uint16",
      "int32",
      "uint32",
      "int64",
      "uint64",
      "float32",
      "float64",
    ],
    ...["complex64", "complex128", "float16", "bfloat16", "int4", "uint2"],
  ];
  const all = dtypes
    .flatMap((dtype) => versions.map((zarrFormat) => ({ dtype, zarrFormat })))
    .filter(({ dtype, zarrFormat }) => zarrFormat === 3 || !/bfloat16|int4|uint2/.test(dtype));
  it.each(all)("$dtype in Zarr v$zarrFormat", async ({ dtype, zarrFormat }) => {
    for (const codecs of ["none", "zstd", "blosc:lz4", "gzip"]) {
      if (zarrFormat === 1 && codecs === "zstd") continue;
      for (const order of ["C", "F"] as const) {
        if (zarrFormat === 1 && order === "F" && !codecs.startsWith("blosc")) continue;
        const array = await create(files(), {
          shape: [5, 6],
          chunkShape: [2, 4],
          dtype: dtype as DTypeInput,
          codecs,
          order,
          zarrFormat,
        });
        const empty = (await get(array)).data;
        const data = counted(array, empty.length, empty);
        await set(array, null, data);
        expect((await get(array)).data).toEqual(data);
        const part = await get(array, [slice(1, 4), [0, 5, 2]]);
        await set(array, null, zero(dtype));
        expect((await get(array)).data).toEqual(empty);
        await set(array, [slice(1, 4), [0, 5, 2]], part);
        expect((await get(array, [slice(1, 4), [0, 5, 2]])).data).toEqual(part.data);
      }
    }
  });

  const zero = (dtype: string) => (dtype === "bool" ? false : dtype.startsWith("complex") ? [0, 0] : 0);

  it("strings, of fixed and of any length, and bytes", async () => {
    for (const [dtype, zarrFormat] of [
      ["<U5", 2],
      ["|S5", 2],
      ["string", 3],
      ["string", 2],
    ] as const) {
      const array = await create(files(), { shape: [5], chunkShape: [2], dtype, zarrFormat });
      await set(array, null, ["a", "bc", "", "d", "ef"]);
      await set(array, [slice(1, 4)], ["x", "yz", "w"]);
      await set(array, [4], "last");
      const { data } = await get(array);
      const texts = array.dtype.isVariable ? data : strings((await get(array)) as Region<ElementData>);
      expect(texts).toEqual(["a", "x", "yz", "w", "last"]);
      expect((await errorOf(() => set(array, null, [1, 2, 3, 4, 5])))._tag).toBe("InvalidArgument");
    }
    const array = await create(files(), { shape: [3], chunkShape: [2], dtype: "bytes" });
    await set(array, null, [Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3)]);
    await set(array, [0], Uint8Array.of(9));
    expect((await get(array)).data).toEqual([Uint8Array.of(9), Uint8Array.of(), Uint8Array.of(2, 3)]);
  });
});

describe("setChunk and append", () => {
  it("write chunks as getChunk returns them", async () => {
    const store = files();
    const array = await make(store);
    const data = Int32Array.from({ length: 12 }, (_, i) => i + 1);
    await setChunk(array, [2, 2], data);
    expect((await array.getChunk([2, 2])).data).toEqual(data);
    expect(await values(array, [6])).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    await setChunk(array, [0, 1], await array.getChunk([2, 2]));
    expect((await array.getChunk([0, 1])).data).toEqual(data);
    expect((await errorOf(() => setChunk(array, [3, 0], data)))._tag).toBe("InvalidSelection");
    expect((await errorOf(() => setChunk(array, [0, 0], new Int32Array(2))))._tag).toBe("InvalidArgument");
  });

  it("make arrays longer along any axis, one after the other, also from outdated handles", async () => {
    const store = files();
    const array = await make(store, { shape: [0, 2] });
    const other = (await open(store)) as ZarrArray;
    await Promise.all([
      append(array, Int32Array.of(1, 2)),
      append(other, Int32Array.of(3, 4)),
      append(array, Int32Array.of(5, 6, 7, 8)),
    ]);
    const now = (await open(store)) as ZarrArray;
    expect(now.shape).toEqual([4, 2]);
    expect(await values(now)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await append(now, { data: Int32Array.of(-1, -2, -3, -4), shape: [4, 1] }, -1);
    expect(await values(now)).toEqual([1, 2, -1, 3, 4, -2, 5, 6, -3, 7, 8, -4]);
    for (const bad of [
      new Int32Array(4),
      new Int8Array(3),
      3,
      null,
      { data: new Int32Array(4), shape: [2, 2] },
    ]) {
      const error = await errorOf(() => append(now, bad as Int32Array));
      expect(error._tag).toBe("InvalidArgument");
    }
    expect((await errorOf(() => append(now, new Int32Array(3), 2)))._tag).toBe("InvalidArgument");
    expect(((await open(store)) as ZarrArray).shape).toEqual([4, 3]);
  });
});

describe("shards", () => {
  const sharded = (store: Files, options: Partial<CreateOptions> = {}) =>
    make(store, { shape: [10, 13], chunkShape: [2, 3], shardShape: [4, 6], ...options });
  const data = Int32Array.from({ length: 130 }, (_, i) => i + 1);

  it.each(["start", "end"])(
    "with their index at the %s are written whole and changed in part",
    async (index_location) => {
      const codecs = {
        name: "sharding_indexed",
        configuration: {
          chunk_shape: [2, 3],
          codecs: [
            { name: "bytes", configuration: { endian: "little" } },
            { name: "zstd", configuration: { level: 1, checksum: false } },
          ],
          index_location,
        },
      };
      const store = files();
      const array = await sharded(store, { codecs });
      await set(array, null, data);
      expect(store.size).toBe(1 + 9);
      expect([...((await get(array)).data as Int32Array)]).toEqual([...data]);
      const before = [await array.fetchChunk([0, 0]), await array.fetchChunk([1, 1])];
      await set(array, [0, slice(3, 6)], Int32Array.of(7, 8, 9));
      expect([await array.fetchChunk([0, 0]), await array.fetchChunk([1, 1])]).toEqual(before);
      expect(await values(array, [0, slice(0, 7)])).toEqual([1, 2, 3, 7, 8, 9, 7]);
      await set(array, [slice(0, 2), slice(3, 6)], 0);
      expect(await array.fetchChunk([0, 1])).toBeUndefined();
      await setChunk(array, [4, 4], new Int32Array(6).fill(5));
      expect(await values(array, [9])).toEqual([...data.slice(117, 129), 5]);
      await set(array, null, 0);
      expect(store.size).toBe(1);
    },
  );

  it("do not decode inner chunks that stay", async () => {
    const store = files();
    const array = await sharded(store, { codecs: "crc32c" });
    await set(array, null, data);
    const shard = store.get("/c/0/0")!;
    shard[0]! ^= 1; // the first inner chunk is damaged: decoding it fails
    await set(array, [slice(2, 4), slice(0, 3)], 4);
    expect(store.get("/c/0/0")!.subarray(0, 28)).toEqual(shard.subarray(0, 28));
    const error = await errorOf(() => set(array, [0, 0], 4));
    expect([error._tag, error.chunkKey, error.written]).toEqual([
      "CorruptChunk",
      "/c/0/0",
      { chunks: 0, totalChunks: 1 },
    ]);
    expect(error.message).toContain("(0 of 1 chunks written)");
  });

  it("inside shards, with order F and codecs after them", async () => {
    const bytes = { name: "bytes", configuration: { endian: "big" } };
    const codecs = [
      { name: "transpose", configuration: { order: [1, 0] } },
      {
        name: "sharding_indexed",
        configuration: {
          chunk_shape: [12, 8],
          codecs: [
            {
              name: "sharding_indexed",
              configuration: {
                chunk_shape: [6, 4],
                codecs: [bytes, "crc32c"],
                index_codecs: [bytes],
                index_location: "start",
              },
            },
          ],
          index_codecs: [bytes, "crc32c"],
        },
      },
      { name: "gzip", configuration: { level: 1 } },
    ];
    const { createCodecChain } = await import("zarr-wasm/codecs");
    const store = files();
    store.set(
      "/zarr.json",
      new TextEncoder().encode(
        JSON.stringify({
          zarr_format: 3,
          node_type: "array",
          shape: [20, 30],
          data_type: "int16",
          chunk_grid: { name: "regular", configuration: { chunk_shape: [16, 24] } },
          chunk_key_encoding: { name: "default" },
          fill_value: 0,
          codecs: codecs.map((codec) => codec),
          attributes: {},
        }),
      ),
    );
    const array = (await open(store)) as ZarrArray;
    const whole = Int16Array.from({ length: 600 }, (_, i) => i + 1);
    await set(array, null, whole);
    expect((await get(array)).data).toEqual(whole);
    const chain = await createCodecChain({ dtype: "int16", shape: [16, 24], codecs });
    expect(chain.decode(store.get("/c/0/0")!)[25]).toBe(32);
    await set(array, [slice(3, 17), slice(5, 29)], 9);
    for (let y = 3; y < 17; y++) for (let x = 5; x < 29; x++) whole[30 * y + x] = 9;
    expect((await get(array)).data).toEqual(whole);
  });
});
