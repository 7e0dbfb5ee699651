// Partial chunk reads: they must return the same elements as reading the whole chunk, with the same checks.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getBytes, MapStore, open, type Selection, type Store, slice } from "zarr-wasm";
import { byteSpans } from "#src/read/partial.js";
import { amount } from "../support/amounts.js";
import { errorOf, product, randomBytes } from "../support/support.js";
import {
  all,
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  concat,
  encodeElements,
  filled,
  json,
  pick,
  regular,
  sharded,
  transposed,
  v3Meta,
  type Written,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store) => open(store, { kind: "array" });
const itemBytes: Record<string, number> = {
  uint8: 1,
  int16: 2,
  r24: 3,
  float32: 4,
  float64: 8,
  complex128: 16,
};

/** Bytes in which neighbours differ and that compress somewhat. */
function pattern(length: number, seed: number): Uint8Array<ArrayBuffer> {
  return randomBytes(length, seed).map((byte, i) => (i % 7 < 3 ? byte : i >> 9));
}

/** An array of one chunk, read in part and as a whole. */
async function oneChunk(dataType: string, shape: number[], codecs: Codec[], seed = 1) {
  const width = itemBytes[dataType]!;
  const elements = pattern(product(shape) * width, seed);
  const chunk = await encodeElements(dataType, shape, codecs, elements);
  const written: Written = { shape, itemBytes: width, elements };
  return { written, chunk };
}

function storeOf(dataType: string, shape: number[], codecs: Codec[], chunk: Uint8Array): MapStore {
  const meta = v3Meta(filled({ shape, data_type: dataType, chunk_grid: regular(...shape), codecs }));
  const key = ["/c", ...shape.map(() => "0")].join("/");
  return new MapStore(
    new Map([
      ["/zarr.json", json(meta)],
      [key, chunk],
    ]),
  );
}

/** Picks the elements of a box quickly: boxes are small, arrays are not. */
const same = (a: Uint8Array, b: Uint8Array) => Buffer.from(a.buffer, a.byteOffset, a.length).equals(b);

const cut = fc.record({
  start: fc.double({ min: 0, max: 0.999, noNaN: true }),
  extent: fc.double({ min: 0, max: 0.5, noNaN: true }),
  step: fc.constantFrom(1, 1, 2, 5),
});
const rotations = fc.constantFrom<number[] | undefined>(
  undefined,
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
  [1, 0, 2],
);

/** A selection of an array from parts of each axis. */
function selectionOf(shape: number[], cuts: readonly { start: number; extent: number; step: number }[]) {
  const lists = shape.map((length, axis) => {
    const { start, extent, step } = cuts[axis]!;
    const first = Math.floor(start * length);
    const stop = Math.min(length, first + 1 + Math.floor(extent * length));
    return {
      first,
      stop,
      step,
      list: all(length).filter((i) => i >= first && i < stop && (i - first) % step === 0),
    };
  });
  const selection: Selection = lists.map(({ first, stop, step }) => slice(first, stop, step));
  return { selection, lists: lists.map(({ list }) => list) };
}

describe("parts of uncompressed chunks", () => {
  it("equal the same part of the whole chunk, for random boxes", async () => {
    let partial = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("uint8", "int16", "r24", "float64", "complex128"),
        fc.constantFrom<number[][]>([37, 53, 61], [3, 7, 9001], [9001, 7, 3], [101, 1, 1499]),
        fc.array(rotations, { maxLength: 2 }),
        fc.boolean(),
        fc.boolean(),
        fc.tuple(cut, cut, cut),
        async (dataType, shape, orders, isBig, isSharded, cuts) => {
          const transposes = orders.flatMap((order) => (order ? [transposed(...order)] : []));
          const codecs = [...transposes, isBig ? bytesBig : bytesLittle];
          const { written, chunk } = await oneChunk(dataType, shape, codecs);
          const store = isSharded
            ? storeOf(dataType, shape, [sharded(shape, codecs, [bytesLittle])], shardOf(chunk))
            : storeOf(dataType, shape, codecs, chunk);
          const counting = new CountingStore(store);
          const { selection, lists } = selectionOf(shape, cuts);
          const { bytes } = await getBytes(await openArray(counting), selection);
          expect(same(bytes, pick(written, lists))).toBe(true);
          if (counting.bytes < chunk.byteLength) partial++;
        },
      ),
      { numRuns: amount(18, 70) },
    );
    expect(partial).toBeGreaterThan(amount(3, 20));
  });

  it("are covered by few spans, which lie in the chunk and hold every element of the subarray", () => {
    const axis = fc.tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(axis, { maxLength: 4 }), fc.constantFrom(1, 3, 8), (axes, width) => {
        const chunk = axes.map(([length]) => length);
        const start = axes.map(([length, at]) => Math.floor(at * length));
        const shape = axes.map(([length, , extent], i) =>
          Math.max(1, Math.floor(extent * (length - start[i]!))),
        );
        const spans = byteSpans({ subarray: { start, shape }, chunk, start, shape, itemBytes: width });
        expect(spans.length).toBeLessThanOrEqual(8);
        const size = product(chunk) * width;
        for (const { offset, length } of spans)
          expect(offset >= 0 && length > 0 && offset + length <= size).toBe(true);
        const strides = chunk.map((_, i) => product(chunk.slice(i + 1)) * width);
        const first = start.reduce((sum, at, i) => sum + at * strides[i]!, 0);
        const last = shape.reduce((sum, length, i) => sum + (length - 1) * strides[i]!, first);
        expect(spans[0]!.offset).toBe(first);
        expect(spans.at(-1)!.offset + spans.at(-1)!.length).toBe(last + width);
        for (const [i, span] of spans.entries())
          if (i > 0) expect(span.offset).toBeGreaterThanOrEqual(spans[i - 1]!.offset + spans[i - 1]!.length);
      }),
      { numRuns: amount(250, 1000) },
    );
  });

  it("of a truncated chunk are an error if their bytes are missing", async () => {
    const shape = [100, 1000];
    const { written, chunk } = await oneChunk("int16", shape, [bytesLittle]);
    const store = storeOf("int16", shape, [bytesLittle], chunk.slice(0, 100_001));
    const array = await openArray({
      get: (key) => store.get(key),
      getRange: (key, range) => store.getRange(key, range), // without the chunk's size
    });
    const error = await errorOf(() => getBytes(array, [60, slice(10)]));
    expect([error._tag, error.code, error.chunkKey]).toEqual(["CorruptChunk", "truncated", "/c/0/0"]);
    expect((await errorOf(() => getBytes(array, [50, 0])))._tag).toBe("CorruptChunk"); // half an element
    const there = await getBytes(array, [40, slice(10)]);
    expect(same(there.bytes, pick(written, [[40], all(10)]))).toBe(true);
    expect((await errorOf(() => getBytes(array)))._tag).toBe("CorruptChunk");
    const sized = await openArray(store);
    const tooShort = await errorOf(() => getBytes(sized, [40, slice(10)]));
    expect([tooShort._tag, tooShort.code]).toEqual(["CorruptChunk", "size-mismatch"]);
  });

  it("of a chunk in a shard whose size is wrong are an error", async () => {
    const shape = [100, 1000];
    const { chunk } = await oneChunk("int16", shape, [bytesLittle]);
    for (const wrong of [concat([chunk, Uint8Array.of(1)]), chunk.slice(1)]) {
      const codecs = [sharded(shape, [bytesLittle], [bytesLittle])];
      const array = await openArray(storeOf("int16", shape, codecs, shardOf(wrong)));
      const error = await errorOf(() => getBytes(array, [0, 0]));
      expect([error._tag, error.code, error.chunkKey]).toEqual(["CorruptChunk", "size-mismatch", "/c/0/0"]);
    }
  });

  it("are fill value where the chunk is missing", async () => {
    const shape = [100, 1000];
    const store = storeOf("int16", shape, [bytesLittle], new Uint8Array(0));
    store.entries.delete("/c/0/0");
    const { bytes } = await getBytes(await openArray(store), [3, slice(4)]);
    expect([...new Int16Array(bytes.slice().buffer)]).toEqual([85, 85, 85, 85]);
  });
});

/** A shard of one chunk with an uncompressed index at its end. */
function shardOf(chunk: Uint8Array): Uint8Array {
  const index = BigUint64Array.of(0n, BigInt(chunk.byteLength));
  return concat([chunk, new Uint8Array(index.buffer)]);
}

/** The same frame with its blocks stored in another order, with holes between them. */
function scattered(frame: Uint8Array, order: (count: number) => number[], hole = 0): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset);
  const [decoded, blockBytes] = [view.getInt32(4, true), view.getInt32(8, true)];
  const count = Math.ceil(decoded / blockBytes);
  const starts = all(count).map((i) => view.getInt32(16 + 4 * i, true));
  const sorted = [...starts, frame.byteLength].sort((a, b) => a - b);
  const blocks = starts.map((start) => frame.subarray(start, sorted[sorted.indexOf(start) + 1]));
  const head = frame.slice(0, 16 + 4 * count);
  const words = new DataView(head.buffer);
  const parts: Uint8Array[] = [head];
  let at = head.byteLength;
  for (const block of order(count)) {
    words.setInt32(16 + 4 * block, at, true);
    parts.push(blocks[block]!, new Uint8Array(hole).fill(0xee));
    at += blocks[block]!.byteLength + hole;
  }
  words.setInt32(12, at, true);
  return concat(parts);
}

const orders: ((count: number) => number[])[] = [
  (count) => all(count),
  (count) => all(count).reverse(),
  (count) => all(count).sort((a, b) => ((a * 7) % count) - ((b * 7) % count)),
];

describe("parts of Blosc chunks", () => {
  it("equal the same part of the whole chunk, for random frames and boxes", async () => {
    let partial = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("uint8", "int16", "float32"),
        fc.constantFrom<number[][]>([67, 131, 151], [7, 11, 20_011], [1_200_007, 1, 1]),
        rotations,
        fc.record({
          cname: fc.constantFrom("lz4", "zstd", "blosclz", "zlib", "snappy"),
          clevel: fc.constantFrom(0, 1, 5),
          shuffle: fc.constantFrom("noshuffle", "shuffle", "bitshuffle"),
          typesize: fc.constantFrom(1, 2, 3, 4, 8, 16, 17),
          blocksize: fc.constantFrom(0, 4096, 20_000, 65_536, 100_001, 262_144),
        }),
        fc.constantFrom(...orders),
        fc.constantFrom(0, 3, 20_000),
        fc.boolean(),
        fc.tuple(cut, cut, cut),
        async (dataType, shape, order, configuration, blocks, hole, isSharded, cuts) => {
          const codecs = [...(order ? [transposed(...order)] : []), bytesLittle, blosc(configuration)];
          const { written, chunk } = await oneChunk(dataType, shape, codecs);
          const isStored = (chunk[2]! & 2) !== 0;
          const frame = isStored ? chunk : scattered(chunk, blocks, hole);
          const store = isSharded
            ? storeOf(dataType, shape, [sharded(shape, codecs, [bytesLittle])], shardOf(frame))
            : storeOf(dataType, shape, codecs, frame);
          const counting = new CountingStore(store);
          // Small boxes: these tests are about partial reads.
          const { selection, lists } = selectionOf(
            shape,
            cuts.map((c, axis) => (axis === 1 ? c : { ...c, extent: c.extent / 20 })),
          );
          const array = await openArray(counting);
          counting.reset();
          const { bytes } = await getBytes(array, selection);
          expect(same(bytes, pick(written, lists))).toBe(true);
          if (counting.bytes < 0.9 * frame.byteLength) partial++;
        },
      ),
      { numRuns: amount(10, 40) },
    );
    expect(partial).toBeGreaterThan(amount(2, 15));
  });

  const shape = [1, 64, 16_411]; // the last block is short
  const codecs = (configuration = {}) => [
    bytesLittle,
    blosc({ cname: "zstd", typesize: 2, blocksize: 65_536, ...configuration }),
  ];
  const last = [0, 63, 16_410];
  interface Outcome {
    counting: CountingStore;
    bytes?: Uint8Array;
    error?: Error & Record<string, unknown>;
  }
  async function frameOf(configuration = {}) {
    const { written, chunk } = await oneChunk("int16", shape, codecs(configuration));
    const read = async (frame: Uint8Array, index: number[]): Promise<Outcome> => {
      const counting = new CountingStore(storeOf("int16", shape, codecs(configuration), frame));
      const array = await openArray(counting);
      counting.reset();
      const outcome: Outcome = { counting };
      try {
        outcome.bytes = (await getBytes(array, index)).bytes;
      } catch (error) {
        outcome.error = error as Error & Record<string, unknown>;
      }
      return outcome;
    };
    return { written, chunk, read };
  }

  it("of a short last block alone are read, shuffled or not", async () => {
    for (const shuffle of ["noshuffle", "shuffle", "bitshuffle"]) {
      for (const cname of ["lz4", "zstd"]) {
        const { written, chunk, read } = await frameOf({ shuffle, cname });
        const { bytes, counting } = await read(chunk, last);
        expect(bytes).toEqual(
          pick(
            written,
            last.map((i) => [i]),
          ),
        );
        expect(counting.requests.length).toBe(2);
        expect(counting.bytes).toBeLessThan(chunk.byteLength / 4);
      }
    }
  });

  it("of stored frames are read directly", async () => {
    const { written, chunk, read } = await frameOf({ clevel: 0 });
    expect(chunk[2]! & 2).toBe(2);
    const { bytes, counting } = await read(chunk, last);
    expect(bytes).toEqual(
      pick(
        written,
        last.map((i) => [i]),
      ),
    );
    expect([counting.requests.length, counting.bytes]).toEqual([2, 1026]);
  });

  it("of one block, or of blocks that lie all over the frame, are read as a whole", async () => {
    for (const blocksize of [2 ** 22, 2 ** 21]) {
      const { written, chunk, read } = await frameOf({ blocksize });
      const { bytes } = await read(chunk, last);
      expect(bytes).toEqual(
        pick(
          written,
          last.map((i) => [i]),
        ),
      );
    }
  });

  /** Result of a frame with four bytes replaced, in part and as a whole. */
  const words: [string, number, number][] = [
    ["a start before the table's end", 16, 20],
    ["a start of zero", 16, 0],
    ["a negative start", 16, -5],
    ["a start behind the end", 16, 2 ** 30],
    ["a start at the end", 16, -1],
    ["no blocks", 8, 0],
    ["negative blocks", 8, -1],
    ["blocks of one byte", 8, 1],
    ["more bytes than the chunk", 4, 2 ** 24],
    ["fewer bytes than the chunk", 4, 2 ** 20],
    ["a length that is shorter than the table", 12, 20],
    ["a length that is longer than the object", 12, 2 ** 30],
    ["a negative length", 12, -9],
    ["another version", 0, 3],
  ];
  it.each(words)("with %s fail as the whole does", async (what, at, value) => {
    const { chunk, read, written } = await frameOf();
    const bad = chunk.slice();
    const view = new DataView(bad.buffer);
    if (what === "another version") bad[0] = value;
    else view.setInt32(at, what === "a start at the end" ? chunk.byteLength : value, true);
    const whole = await read(bad, []);
    const part = await read(bad, [0, 0, 3]);
    expect(whole.error?._tag).toBe("CorruptChunk");
    if (part.bytes) expect(part.bytes).toEqual(pick(written, [[0], [0], [3]]));
    else expect([part.error!._tag, part.error!.code]).toEqual([whole.error!._tag, whole.error!.code]);
  });

  it("with any byte of the header changed never differ from the whole chunk", async () => {
    const { chunk, read } = await frameOf({ cname: "lz4", blocksize: 131_072 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(16 + 4 * 17),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom([0, 0, 3], [0, 33, 5], last),
        async (at, flip, index) => {
          const bad = chunk.slice();
          bad[at]! ^= flip;
          const whole = await read(bad, []);
          const part = await read(bad, index);
          if (part.bytes && whole.bytes) {
            const from = 2 * ((index[1] as number) * 16_411 + (index[2] as number));
            expect(part.bytes).toEqual(whole.bytes.slice(from, from + 2));
          }
          if (!part.bytes) expect(part.error!._tag).toBe("CorruptChunk");
          if (whole.bytes) expect(part.bytes).toBeDefined();
        },
      ),
      { numRuns: amount(38, 150) },
    );
  });

  it("of frames that overlap themselves are read as the whole is", async () => {
    // Two equal blocks stored once, as a writer might.
    const { chunk, read } = await frameOf();
    const view = new DataView(chunk.buffer);
    view.setInt32(16 + 4, view.getInt32(16, true), true);
    const whole = await read(chunk, []);
    const part = await read(chunk, [0, 2, 0]); // in the second block
    const from = 2 * 2 * 16_411;
    expect(part.bytes).toEqual(whole.bytes!.slice(from, from + 2));
    expect(part.counting.bytes).toBeLessThan(chunk.byteLength / 2);
  });

  it("of truncated frames fail where the bytes are missing", async () => {
    const { chunk, read, written } = await frameOf();
    const short = chunk.slice(0, chunk.byteLength - 100);
    const { error } = await read(short, last);
    expect([error!._tag, error!.code, error!.chunkKey]).toEqual(["CorruptChunk", "truncated", "/c/0/0/0"]);
    expect((await read(short, [0, 1, 1])).bytes).toEqual(pick(written, [[0], [1], [1]]));
    for (const length of [0, 5, 16, 40]) {
      expect((await read(chunk.slice(0, length), last)).error!._tag).toBe("CorruptChunk");
    }
  });
});

it("codecs that cannot be read in part are read whole", async () => {
  const shape = [100, 1000];
  for (const codecs of [
    [bytesLittle, zstd],
    [bytesLittle, blosc(), zstd],
    [bytesLittle, { name: "crc32c" }],
  ]) {
    const { written, chunk } = await oneChunk("float64", shape, codecs);
    const counting = new CountingStore(storeOf("float64", shape, codecs, chunk));
    const array = await openArray(counting);
    counting.reset();
    expect((await getBytes(array, [7, 9])).bytes).toEqual(pick(written, [[7], [9]]));
    expect(counting.requests.map(({ range }) => range)).toEqual([undefined]);
  }
});
