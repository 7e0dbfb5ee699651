// Batches of inner chunks: equal to the same chunks placed one by one, and bounded.
import { describe, expect, it, vi } from "vitest";
import type { CoreChunkCodec } from "#src/chain/chunk-codec.js";
import { CodecSession, NeedsFullModule } from "#src/engine/session.js";
import { create, getBytes, MapStore, open, type Selection, set, slice, type ZarrArray } from "#src/index.js";
import type { RegionChunk } from "#src/plan/projections.js";
import { assemble, ResultBytes } from "#src/read/assemble.js";
import { projectionsOf, resolveWanted } from "#src/read/read-region.js";
import { defaultCoalescing } from "#src/read/reader.js";
import type { ShardBatch } from "#src/read/shard-batch.js";
import { SlabSink } from "#src/read/slab-sink.js";
import { nextTask } from "#src/util/platform.js";
import { errorOf, product, randomBytes } from "../support/support.js";
import {
  blosc,
  bytesBig,
  bytesLittle,
  crc32c,
  filled,
  regular,
  sharded,
  transposed,
  v3Meta,
  type WriteOptions,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: MapStore) => open(store, { kind: "array" });

/** Reads a region into a slab sink, with or without batches. */
async function readIn(array: ZarrArray, selection: Selection | undefined, isBatched: boolean) {
  const { reader } = array;
  const wanted = resolveWanted(reader, selection);
  const projections = projectionsOf(wanted);
  const { itemBytes } = array.dtype;
  const out = new ResultBytes(product(wanted.shape) * itemBytes, { isShared: false });
  const sink = new SlabSink(reader.firstCodec as CoreChunkCodec, projections, out);
  const batches: number[] = [];
  const single = {
    start: () => sink.start(),
    put: (chunk: RegionChunk) => sink.put(chunk),
    end: () => sink.end(),
  };
  const putBatch = (batch: ShardBatch<RegionChunk["task"]>) => {
    batches.push(batch.numbers.length);
    return sink.putBatch(batch);
  };
  const options = { concurrency: 4, coalescing: defaultCoalescing };
  await assemble({ reader, projections, itemBytes }, isBatched ? { ...single, putBatch } : single, options);
  return { bytes: out.bytes, batches };
}

async function written(fields: Record<string, unknown>, options: WriteOptions = {}) {
  const meta = v3Meta(filled({ data_type: "int16", ...fields }));
  const store = new MapStore();
  await writeV3(store, meta, randomBytes(2 * product(meta["shape"] as number[]), 3), options);
  return openArray(store);
}

describe("batches", () => {
  const shape = [23, 31, 50];
  const shards = { shape, chunk_grid: regular(20, 12, 30) };
  const parts: (Selection | undefined)[] = [
    undefined,
    [slice(1, 22, 3), 17, slice(4, 49)],
    [slice(19, 22), slice(5, 30, 7), slice(28, 33)],
  ];

  it.each<[string, Record<string, unknown>, WriteOptions, (Selection | undefined)[]]>([
    [
      "of chunks of one element",
      { shape: [7000], chunk_grid: regular(3500), codecs: [sharded([1], [bytesBig])] },
      { missing: 0.1 },
      [undefined, [slice(3, 6900, 5)]],
    ],
    [
      "of transposed chunks, shuffled with gaps",
      { ...shards, codecs: [sharded([2, 3, 5], [transposed(1, 2, 0), bytesBig, zstd])] },
      { order: "shuffled", gap: 9, missing: 0.2 },
      parts,
    ],
    [
      "of chunks in transposed shards, in reverse",
      { ...shards, codecs: [transposed(2, 0, 1), sharded([5, 2, 3], [bytesLittle, crc32c])] },
      { order: "reverse", share: true, missing: 0.5 },
      parts,
    ],
    [
      "of nested shards",
      { ...shards, codecs: [sharded([10, 6, 10], [sharded([5, 3, 2], [transposed(2, 0, 1), bytesBig])])] },
      { order: "shuffled", missing: 0.2 },
      parts,
    ],
    [
      "of inner shards that are compressed",
      { ...shards, codecs: [sharded([10, 6, 10], [sharded([5, 3, 2]), zstd])] },
      { missing: 0.2 },
      parts,
    ],
  ])("%s equal single chunks", async (_what, fields, options, selections) => {
    const array = await written({ fill_value: -5, ...fields }, options);
    for (const selection of selections) {
      const single = await readIn(array, selection, false);
      const batched = await readIn(array, selection, true);
      expect(Buffer.compare(batched.bytes, single.bytes)).toBe(0);
      expect(single.batches).toEqual([]);
      expect(batched.batches.length).toBeGreaterThan(0);
    }
  });

  it("are bounded, and fill several slabs", async () => {
    const side = 4200; // a shard of 35 MB
    const options = { shape: [side, side], shardShape: [side, side], chunkShape: [60, 600] };
    const array = await create(new MapStore(), {
      ...options,
      dtype: "uint16",
      codecs: [blosc({ cname: "lz4" })],
    });
    const values = Uint16Array.from({ length: side * side }, (_, i) => (i * 40503) >>> 7);
    await set(array, null, values);
    const { batches, bytes } = await readIn(array, undefined, true);
    expect(Buffer.compare(bytes, Buffer.from(values.buffer))).toBe(0);
    expect(batches.reduce((sum, count) => sum + count, 0)).toBe(70 * 7);
    expect(Math.max(...batches) * 60 * 600 * 2).toBeLessThanOrEqual(2 ** 22);
  });

  it("report each chunk, and stop at an abort", async () => {
    const array = await written(
      { shape: [7000], chunk_grid: regular(3500), codecs: [sharded([1])] },
      { missing: 0.1 },
    );
    const progress: number[] = [];
    const missing: number[] = [];
    await getBytes(array, null, {
      onProgress: ({ chunks }) => progress.push(chunks),
      onMissing: ([at]) => missing.push(at!),
    });
    expect(progress).toEqual(Array.from({ length: 7000 }, (_, i) => i + 1));
    expect(new Set(missing).size).toBe(missing.length);
    expect(missing.length).toBeGreaterThan(300);
    const abort = new AbortController();
    let calls = 0;
    const error = await errorOf(() =>
      getBytes(array, null, { signal: abort.signal, onProgress: () => ++calls === 5 && abort.abort() }),
    );
    expect([error.name, calls]).toEqual(["AbortError", 5]);
  });

  it("name the shard of a corrupt chunk, and its codec", async () => {
    const array = await written({
      shape: [40],
      chunk_grid: regular(20),
      codecs: [sharded([2], [bytesBig, crc32c])],
    });
    const store = array.store as MapStore;
    const shard = store.entries.get("/c/1")!.slice();
    shard[3 * 8 + 1]! ^= 1;
    store.entries.set("/c/1", shard);
    const error = await errorOf(() => getBytes(array));
    expect([error._tag, error.code, error.codec, error.chunkKey]).toEqual([
      "CorruptChunk",
      "checksum-mismatch",
      "crc32c",
      "/c/1",
    ]);
    expect((await getBytes(array, [slice(0, 26)])).bytes).toHaveLength(52);
  });

  it("fall back to single chunks, which may need the full module", async () => {
    const fields = { shape: [40, 30], chunk_grid: regular(20, 30), codecs: [sharded([2, 5], [bytesBig])] };
    const array = await written(fields, { missing: 0.2 });
    const { bytes } = await readIn(array, undefined, false);
    const { placeChunks } = CodecSession.prototype;
    let refused = 0;
    const spy = vi.spyOn(CodecSession.prototype, "placeChunks").mockImplementation(function (
      this: CodecSession,
      ...given
    ) {
      if (given[2] > 1 && ++refused % 2 === 1) throw new NeedsFullModule();
      placeChunks.apply(this, given);
    });
    try {
      expect(Buffer.compare((await readIn(array, undefined, true)).bytes, bytes)).toBe(0);
      expect(refused).toBeGreaterThan(1);
    } finally {
      spy.mockRestore();
    }
  });
});

it("batches wait until the sink has started", async () => {
  const shards = { shape: [8, 8], chunk_grid: regular(8, 8), codecs: [sharded([4, 4])] };
  const { reader } = await written(shards, { isMissing: () => true });
  const calls: string[] = [];
  let find = () => {};
  const found = new Promise<void>((resolve) => (find = resolve));
  const sink = {
    start: async () => {
      await found;
      await nextTask();
      calls.push("start");
    },
    put: () => void calls.push("put"),
    putBatch: () => void calls.push("batch"),
    end: () => void calls.push("end"),
  };
  await assemble(
    { reader, projections: projectionsOf(resolveWanted(reader, undefined)), itemBytes: 2 },
    sink,
    {
      ...{ concurrency: 4, coalescing: defaultCoalescing, onMissing: () => find() },
    },
  );
  expect(calls).toEqual(["start", "batch", "end"]);
});
