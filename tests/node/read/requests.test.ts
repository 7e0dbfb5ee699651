// The cost of reads: requests, bytes, and the amount in flight. No test here depends on a clock.
import { afterEach, describe, expect, it } from "vitest";
import { get, getBytes, HttpStore, MapStore, open, type RangeQuery, type Store, slice } from "zarr-wasm";
import { ObjectServer } from "../support/store-server.js";
import { product, randomBytes } from "../support/support.js";
import {
  all,
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  encodeElements,
  filled,
  gzip,
  pick,
  regular,
  sharded,
  transposed,
  v2Store,
  v3Meta,
  v3Store,
  type WriteOptions,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store, options = {}) => open(store, { kind: "array", ...options });
const wait = () => new Promise((resolve) => setTimeout(resolve, 1));
/** Bytes that compress to about half. */
const noise = (length: number) => randomBytes(length).map((byte) => byte & 15);

const kib = 2 ** 10;
const mib = 2 ** 20;

async function sample(fields: Record<string, unknown>, options: WriteOptions = {}) {
  const meta = v3Meta(filled({ data_type: "int16", ...fields }));
  const elements = randomBytes(2 * product(meta["shape"] as number[]), 5);
  const store = new MapStore();
  const written = await writeV3(store, meta, elements, options);
  const counting = new CountingStore(store);
  const array = await openArray(counting);
  counting.reset();
  return { store, written, counting, array };
}

/** One shard of 20 × 25 inner chunks of 10 × 8 elements. */
const shard = (codecs: Codec[] = [bytesBig, gzip]) => ({
  shape: [200, 200],
  chunk_grid: regular(200, 200),
  codecs: [sharded([10, 8], codecs)],
});
const indexBytes = 20 * 25 * 16 + 4;

describe("a shard of hundreds of chunks", () => {
  it("reads one element with two requests: the index and the chunk", async () => {
    const { written, counting, array } = await sample(shard(), { order: "shuffled", gap: 50 });
    const chunk = (await array.fetchChunk([7, 12]))!.byteLength;
    const fresh = await openArray(counting);
    counting.reset();
    expect((await getBytes(fresh, [77, 99])).bytes).toEqual(pick(written, [[77], [99]]));
    expect(counting.requests.length).toBe(2);
    expect(counting.bytes).toBe(indexBytes + chunk);
    await get(fresh, [11, 11]);
    expect(counting.requests.length).toBe(3); // the index is known
  });

  it("reads a row with two requests, also of uncompressed chunks", async () => {
    for (const codecs of [[bytesBig, gzip], [bytesLittle]]) {
      const { written, counting, array } = await sample(shard(codecs));
      expect((await getBytes(array, [33])).bytes).toEqual(pick(written, [[33], all(200)]));
      expect(counting.requests.length).toBe(2);
      expect(counting.bytes).toBeLessThan(indexBytes + 25 * 200);
    }
  });

  it("reads all of it with two requests: the index and the chunks", async () => {
    const { store, written, counting, array } = await sample(shard(), { order: "reverse" });
    expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
    expect(counting.requests.length).toBe(2);
    expect(counting.bytes).toBe(store.entries.get("/c/0/0")!.byteLength);
  });

  it("is read in ranges of at most coalesceMaxBytes", async () => {
    const { store, written, counting, array } = await sample(shard([bytesBig]));
    const all = store.entries.get("/c/0/0")!.byteLength - indexBytes;
    for (const coalesceMaxBytes of [1, 160, 479, 480, 10_000, 2 ** 20]) {
      counting.reset();
      const { bytes } = await getBytes(array, null, { coalesceMaxBytes });
      expect(Buffer.from(bytes).equals(written.elements)).toBe(true);
      const ranges = counting.requests.filter(({ range }) => range && "offset" in range);
      const chunks = Math.max(1, Math.floor(coalesceMaxBytes / 160)); // chunks have 160 bytes
      expect(ranges.length).toBe(Math.ceil(all / (160 * chunks)));
      for (const { bytes } of ranges) expect(bytes).toBeLessThanOrEqual(Math.max(160, coalesceMaxBytes));
    }
  });

  it("is read across gaps of at most coalesceMaxGap", async () => {
    const { written, counting, array } = await sample(shard([bytesBig]));
    // Chunks 0, 2 and 5 of the first row of chunks: gaps of one and of two chunks.
    const lists = [[0], [0, 16, 40]];
    for (const [coalesceMaxGap, ranges, bytes] of [
      [0, 3, 480],
      [159, 3, 480],
      [160, 2, 640],
      [319, 2, 640],
      [320, 1, 960],
    ] as const) {
      counting.reset();
      const part = await getBytes(array, lists, { coalesceMaxGap });
      expect(part.bytes).toEqual(pick(written, lists));
      const seen = counting.requests.filter(({ range }) => range && "offset" in range);
      expect([seen.length, seen.reduce((sum, request) => sum + request.bytes, 0)]).toEqual([ranges, bytes]);
    }
  });

  it("is read with one request if all of it is selected and small", async () => {
    const { store, written, counting, array } = await sample(shard([bytesBig]));
    const whole = written.elements.byteLength;
    const object = store.entries.get("/c/0/0")!.byteLength;
    const read = async (selection: Parameters<typeof getBytes>[1], wholeShardBytes: number) => {
      counting.reset();
      const fresh = await open(counting, { kind: "array" });
      counting.reset();
      const { bytes } = await getBytes(fresh, selection, { wholeShardBytes });
      return { bytes, requests: counting.requests.map(({ range, bytes }) => [range === undefined, bytes]) };
    };
    const all = await read(null, whole);
    expect(Buffer.from(all.bytes).equals(written.elements)).toBe(true);
    expect(all.requests).toEqual([[true, object]]);
    // Not all chunks, or above the limit: the index is read first.
    expect((await read(null, whole - 1)).requests.length).toBe(2);
    expect((await read([[0], [0]], whole)).requests.map(([isWhole]) => isWhole)).toEqual([false, false]);
    // Cached parts of the shard are not read again.
    counting.reset();
    await getBytes(array);
    await getBytes(array, null, { wholeShardBytes: whole });
    expect(counting.requests.map(({ range }) => range === undefined)).toEqual([false, false, false]);
    await expect(getBytes(array, null, { wholeShardBytes: -1 })).rejects.toThrow("wholeShardBytes");
  });

  it("that is missing, or holds nothing, costs one request", async () => {
    const { counting, array } = await sample(shard(), { missing: 1 });
    await get(array);
    expect([counting.requests.length, counting.bytes]).toEqual([1, indexBytes]);
    const missing = await sample(shard(), { isMissing: () => true });
    await get(missing.array);
    expect([missing.counting.requests.length, missing.counting.bytes]).toEqual([1, 0]);
  });

  it("of two levels costs two indexes and a chunk", async () => {
    const codecs = [sharded([50, 40], [sharded([10, 8], [bytesBig, zstd])])];
    const { written, counting, array } = await sample({ ...shard(), codecs });
    expect((await getBytes(array, [77, 99])).bytes).toEqual(pick(written, [[77], [99]]));
    expect(counting.requests.length).toBe(3);
    expect(counting.bytes).toBeLessThan(20 * 16 + 25 * 16 + 8 + 200);
  });

  it("of two levels reads the inner indexes at the same time", async () => {
    const codecs = [sharded([50, 40], [sharded([10, 8], [bytesBig, zstd])])];
    const { written, counting, array } = await sample({ ...shard(), codecs });
    counting.before = wait;
    const { bytes } = await getBytes(array, null, { concurrency: 7 });
    expect(Buffer.from(bytes).equals(written.elements)).toBe(true);
    expect(counting.requests.length).toBe(1 + 20 + 1);
    expect(counting.peak).toBe(7);
  });

  it("is read whole if a store serves no ranges", async () => {
    const { store, written } = await sample(shard());
    const counting = new CountingStore(store, { ranges: false });
    const array = await openArray(counting);
    counting.reset();
    expect((await getBytes(array, [33])).bytes).toEqual(pick(written, [[33], all(200)]));
    expect(counting.requests.length).toBe(1);
  });

  it("whose chunks lie in any order is read with a bounded number of slabs", async () => {
    // Rows of 600 runs of 2000 bytes, column by column: all rows are started before one is complete.
    const [rows, columns, length] = [600, 30, 1000];
    const meta = v3Meta({
      shape: [rows, columns * length],
      data_type: "uint16",
      chunk_grid: regular(rows, columns * length),
      codecs: [sharded([1, length], [bytesBig], [bytesLittle])],
    });
    const elements = noise(rows * columns * length * 2);
    const swapped = elements.slice();
    Buffer.from(swapped.buffer).swap16();
    const chunkBytes = 2 * length;
    const bytes = new Uint8Array(swapped.byteLength + 16 * rows * columns);
    const index = new BigUint64Array(bytes.buffer, swapped.byteLength);
    let at = 0;
    for (let cell = 0; cell < rows * columns; cell++) {
      const place = (cell % rows) * columns + Math.floor(cell / rows);
      bytes.set(swapped.subarray(place * chunkBytes, (place + 1) * chunkBytes), at);
      index.set([BigInt(at), BigInt(chunkBytes)], 2 * place);
      at += chunkBytes;
    }
    const store = v3Store(meta);
    store.entries.set("/c/0/0", bytes);
    const region = await getBytes(await openArray(store));
    expect(Buffer.from(region.bytes).equals(elements)).toBe(true);
  });

  it("is read by hundreds of readers at a time", async () => {
    const { written, counting, array } = await sample({
      shape: [40, 40],
      chunk_grid: regular(10, 8),
      codecs: [bytesBig],
    });
    counting.before = wait;
    const regions = await Promise.all(all(400).map((i) => getBytes(array, [slice(i % 20, 30)])));
    regions.forEach(({ bytes }, i) => {
      expect(Buffer.from(bytes).equals(pick(written, [all(30).slice(i % 20), all(40)]))).toBe(true);
    });
  });
});

describe("one element of a large chunk", () => {
  /** A store with a single generated chunk of the given size. */
  function hollow(meta: Record<string, unknown>, bytes: number): { store: Store; seen: RangeQuery[] } {
    const seen: RangeQuery[] = [];
    const documents = v3Store(meta);
    const store: Store = {
      get: (key) => {
        if (key.endsWith("zarr.json")) return documents.get(key);
        if (/^\/c/.test(key)) throw new Error("the whole chunk was read");
        return undefined;
      },
      getRange: (_key, range) => {
        seen.push(range);
        const { offset, length } = range as { offset: number; length: number };
        return new Uint8Array(Math.min(length, Math.max(0, bytes - offset))).fill(7);
      },
    };
    return { store, seen };
  }
  const read = (seen: RangeQuery[]) =>
    seen.reduce((sum, range) => sum + ("length" in range ? range.length : range.suffixLength), 0);

  it("costs no more than its row if the chunk is uncompressed", async () => {
    for (const codecs of [
      [bytesLittle],
      [bytesBig],
      [transposed(2, 0, 1), bytesBig],
      [transposed(1, 2, 0), bytesLittle],
    ]) {
      const shape = [128, 256, 512];
      const { store, seen } = hollow(
        { shape, data_type: "float32", fill_value: 0, chunk_grid: regular(...shape), codecs },
        64 * mib,
      );
      const array = await openArray(store);
      await get(array, [100, 200, 300]);
      expect([seen.length, read(seen)]).toEqual([1, 4]);
      seen.length = 0;
      await get(array, [slice(3, 5), slice(10, 20), slice(7, 9)]);
      expect(seen.length).toBeLessThanOrEqual(8);
      expect(read(seen)).toBeLessThan(4 * mib);
    }
  });

  async function bloscSample(codecs: Codec[] = []) {
    const shape = [64, 256, 512];
    const elements = noise(16 * mib);
    const store = new MapStore();
    const frame = blosc({ cname: "zstd", typesize: 2, blocksize: 256 * kib });
    const meta = v3Meta({
      shape,
      data_type: "int16",
      chunk_grid: regular(...shape),
      codecs: [...codecs, bytesLittle, frame],
    });
    store.entries.set("/zarr.json", v3Store(meta).get("/zarr.json")!);
    store.entries.set("/c/0/0/0", await encodeElements("int16", shape, meta["codecs"] as Codec[], elements));
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    counting.reset();
    return { written: { shape, itemBytes: 2, elements }, counting, array };
  }

  it("costs no more than its blocks if the chunk is a Blosc frame", async () => {
    const { written, counting, array } = await bloscSample();
    for (const index of [
      [0, 0, 0],
      [63, 255, 511],
      [40, 128, 7],
    ]) {
      counting.reset();
      const { bytes } = await getBytes(array, index);
      expect(bytes).toEqual(
        pick(
          written,
          index.map((i) => [i]),
        ),
      );
      expect(counting.requests.length).toBe(2);
      expect(counting.bytes).toBeLessThanOrEqual(256 * kib + kib);
    }
    counting.reset();
    const plane = await getBytes(array, [17]);
    const planeBytes = 2 * 256 * 512;
    expect(Buffer.from(plane.bytes).equals(written.elements.subarray(17 * planeBytes, 18 * planeBytes))).toBe(
      true,
    );
    expect(counting.bytes).toBeLessThanOrEqual(2 * 256 * kib + kib);
    counting.reset();
    await get(array, [slice(0, 40)]); // more than half: as a whole
    expect(counting.requests.map(({ range }) => range)).toEqual([undefined]);
  });
});

describe("concurrency", () => {
  const variants: [string, Record<string, unknown>, object][] = [
    ["chunks", { shape: [60, 60], chunk_grid: regular(5, 7), codecs: [bytesBig] }, {}],
    ["compressed chunks", { shape: [60, 60], chunk_grid: regular(5, 7), codecs: [bytesLittle, zstd] }, {}],
    ["shards", { shape: [60, 60], chunk_grid: regular(20, 14), codecs: [sharded([5, 7], [bytesBig])] }, {}],
    [
      "shards in many ranges",
      { shape: [60, 60], chunk_grid: regular(20, 14), codecs: [sharded([5, 7], [bytesBig])] },
      { coalesceMaxBytes: 1 },
    ],
    [
      "shards in shards",
      {
        shape: [60, 60],
        chunk_grid: regular(20, 28),
        codecs: [sharded([10, 14], [sharded([5, 7], [bytesBig])])],
      },
      { coalesceMaxGap: 0 },
    ],
  ];

  it.each(variants)("bounds the requests for %s", async (_what, fields, options) => {
    const { written, counting, array } = await sample(fields);
    counting.before = wait;
    for (const concurrency of [1, 3, 16]) {
      counting.reset();
      const { bytes } = await getBytes(array, null, { concurrency, ...options });
      expect(Buffer.from(bytes).equals(written.elements)).toBe(true);
      expect(counting.peak).toBeLessThanOrEqual(concurrency);
      if (concurrency > 1) expect(counting.peak).toBeGreaterThan(1);
    }
  });

  it("bounds the requests for parts of chunks", async () => {
    const shape = [8, 64, 1024];
    const { written, counting, array } = await sample({ shape, chunk_grid: regular(4, 64, 1024) });
    counting.before = wait;
    const lists = [all(8), [3, 4], all(1024).slice(5, 9)];
    for (const concurrency of [1, 2, 5]) {
      counting.reset();
      const part = await getBytes(array, [null, slice(3, 5), slice(5, 9)], { concurrency });
      expect(part.bytes).toEqual(pick(written, lists));
      expect(counting.requests.length).toBeGreaterThan(5);
      expect(counting.peak).toBe(concurrency);
    }
  });

  it.each(variants.slice(0, 3))("bounds the encoded %s in memory", async (_what, fields) => {
    const { counting, array } = await sample(fields);
    const order: string[] = [];
    counting.before = async (key) => {
      await wait();
      order.push(key);
    };
    let most = 0;
    const objects = (array.shardShape ?? array.chunkShape).map((length, axis) =>
      Math.ceil(array.shape[axis]! / length),
    );
    const perObject = product(array.gridShape) / product(objects);
    await get(array, null, {
      concurrency: 3,
      onProgress: ({ chunks }) => {
        const answered = array.shardShape ? order.length / 2 : order.length;
        most = Math.max(most, answered - (chunks - 1) / perObject);
      },
    });
    expect(most).toBeLessThanOrEqual(3 + 1);
  });

  it("counts every byte that was read", async () => {
    for (const [, fields, options] of variants) {
      for (const ranges of [true, false]) {
        const { store } = await sample(fields);
        const counting = new CountingStore(store, { ranges });
        const array = await openArray(counting);
        counting.reset();
        let progress = { chunks: 0, totalChunks: 0, bytes: 0 };
        await get(array, null, { ...options, onProgress: (p) => (progress = p) });
        expect([progress.chunks, progress.totalChunks]).toEqual([
          product(array.gridShape),
          product(array.gridShape),
        ]);
        expect(progress.bytes).toBe(counting.bytes);
      }
    }
  });
});

describe("a read that ends early", () => {
  const layouts: Record<string, unknown>[] = [
    { shape: [60, 60], chunk_grid: regular(5, 7), codecs: [bytesBig, zstd] },
    { shape: [60, 60], chunk_grid: regular(20, 14), codecs: [sharded([5, 7], [bytesBig])] },
    {
      shape: [60, 60],
      chunk_grid: regular(20, 28),
      codecs: [sharded([10, 14], [sharded([5, 7], [bytesBig])])],
    },
    { shape: [8, 64, 1024], chunk_grid: regular(4, 64, 1024), codecs: [bytesLittle] },
  ];

  it("leaves nothing running, whether aborted or failed, wherever that happens", async () => {
    for (const fields of layouts) {
      const { written, counting, array } = await sample(fields);
      for (let at = 1; at <= 40; at += 3) {
        for (const how of ["abort", "fail"]) {
          for (const obeys of [true, false]) {
            const controller = new AbortController();
            const reason = new Error(`${how} at ${at}`);
            counting.reset();
            counting.before = async (_key, _range, signal) => {
              if (counting.requests.length === at) {
                if (how === "fail") throw reason;
                controller.abort(reason);
              }
              await wait();
              if (obeys) signal?.throwIfAborted();
            };
            const options = {
              signal: controller.signal,
              concurrency: 4,
              coalesceMaxGap: 0,
              coalesceMaxBytes: 200,
            };
            let result: unknown;
            try {
              result = (await getBytes(array, [slice(1, 59), slice(3, 57)], options)).bytes;
            } catch (error) {
              result = error;
            }
            if (result instanceof Error) expect(result).toBe(reason);
            // Requests in flight end; no further ones start.
            const begun = counting.requests.length;
            while (counting.running > 0) await wait();
            expect(counting.requests.length).toBe(begun);
            counting.before = () => {};
          }
        }
      }
      expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
    }
  });
});

describe("huge grids", () => {
  const huge = 10 ** 12;
  it.each<[string, () => MapStore, number[]]>([
    ["of v2", () => v2Store({ shape: [huge, 4], chunks: [1, 2], fill_value: 3 }), [2]],
    ["of v3", () => v3Store({ shape: [huge, 4], chunk_grid: regular(1, 2), fill_value: 3 }), [2]],
    [
      "of shards",
      () =>
        v3Store({ shape: [huge, 4], chunk_grid: regular(10, 4), fill_value: 3, codecs: [sharded([1, 2])] }),
      [1],
    ],
    [
      "of unequal chunks",
      () =>
        v3Store({
          shape: [huge, 4],
          fill_value: 3,
          chunk_grid: {
            name: "rectilinear",
            configuration: { kind: "inline", chunk_shapes: [[[1, huge]], [2, 2]] },
          },
        }),
      [2],
    ],
  ])("%s are opened and read as quickly as small ones", async (_what, store, [requests]) => {
    const counting = new CountingStore(store());
    const array = await openArray(counting);
    counting.reset();
    const region = await get(array, [huge - 1]);
    expect([...(region.data as Int32Array)]).toEqual([3, 3, 3, 3]);
    expect(counting.requests.length).toBe(requests);
    expect(array.gridShape).toEqual([huge, 2]);
    const list = await get(array, [[huge - 1, 0, 5], 1]);
    expect([...(list.data as Int32Array)]).toEqual([3, 3, 3]);
  });

  it("have rows of many chunks", async () => {
    const array = await openArray(v3Store({ shape: [150_000], chunk_grid: regular(1), fill_value: 2 }));
    const { data } = await get(array);
    expect((data as Int32Array).every((value) => value === 2)).toBe(true);
  });
});

describe("over HTTP", () => {
  const servers: ObjectServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  async function start(fields: Record<string, unknown>, options: WriteOptions = {}) {
    const { store, written } = await sample(fields, options);
    const server = await new ObjectServer(Object.fromEntries(store.entries)).start();
    servers.push(server);
    const array = await openArray(new HttpStore(server.url), { version: 3 });
    server.seen.length = 0;
    return { server, array, written };
  }

  it("a shard that has grown far beyond its chunks is read in parts", async () => {
    const { store, written } = await sample(shard([bytesBig]));
    const whole = written.elements.byteLength;
    const old = store.entries.get("/c/0/0")!;
    const grown = new Uint8Array(old.byteLength + 2 * whole);
    grown.set(old.subarray(0, old.byteLength - indexBytes));
    grown.set(old.subarray(old.byteLength - indexBytes), grown.byteLength - indexBytes);
    store.entries.set("/c/0/0", grown);
    const server = await new ObjectServer(Object.fromEntries(store.entries)).start();
    servers.push(server);
    const array = await openArray(new HttpStore(server.url), { version: 3 });
    server.seen.length = 0;
    const { bytes } = await getBytes(array, null, { wholeShardBytes: whole });
    expect(Buffer.from(bytes).equals(written.elements)).toBe(true);
    expect(server.seen.map(({ range }) => range !== undefined)).toEqual([false, true, true]);
  });

  it("a shard's element is two requests for exactly those bytes", async () => {
    const { server, array, written } = await start(shard());
    expect((await getBytes(array, [77, 99])).bytes).toEqual(pick(written, [[77], [99]]));
    expect(server.log[0]).toBe(`GET /c/0/0 bytes=-${indexBytes}`);
    expect(server.seen.length).toBe(2);
    expect(server.seen[1]!.sent).toBeLessThan(250);
  });

  it("empty chunks cause no requests", async () => {
    const { server, array } = await start(
      { shape: [8], chunk_grid: regular(8), codecs: [sharded([2])] },
      {
        spoil: (index) => index.set([0n], 3),
      },
    );
    await expect(get(array, [2])).rejects.toMatchObject({ _tag: "CorruptChunk" });
    expect(server.log.length).toBe(1);
  });

  it("partial reads of an object come from one version", async () => {
    const shape = [8, 64, 1024];
    const { server, array, written } = await start({ shape, chunk_grid: regular(8, 64, 1024) });
    server.behaviour = {
      trouble: (_request, count) => {
        server.etag = `"${count}"`;
        return undefined;
      },
    };
    // Every response has another version: only a single read of the whole object is consistent.
    const { bytes } = await getBytes(array, [null, slice(3, 5), slice(5, 9)]);
    expect(bytes).toEqual(pick(written, [all(8), [3, 4], [5, 6, 7, 8]]));
    expect(server.seen.at(-1)!.range).toBeUndefined();
  });
});

it("an array opened as Zarr v2 costs two requests; an error for another node names its kind", async () => {
  const store = new MapStore();
  store.entries.set("/a/.zarray", new TextEncoder().encode(JSON.stringify(v2Document)));
  store.entries.set("/g/.zgroup", new TextEncoder().encode('{"zarr_format": 2}'));
  const counting = new CountingStore(store);
  await open(counting, { path: "a", kind: "array", version: 2 });
  expect(counting.requests.map(({ key }) => key)).toEqual(["/a/.zarray", "/a/.zattrs"]);
  await expect(open(counting, { path: "g", kind: "array", version: 2 })).rejects.toMatchObject({
    _tag: "NotFound",
    code: "wrong-kind",
  });
});

const v2Document = {
  zarr_format: 2,
  shape: [4],
  chunks: [4],
  dtype: "<i2",
  compressor: null,
  filters: null,
  fill_value: 0,
  order: "C",
};
