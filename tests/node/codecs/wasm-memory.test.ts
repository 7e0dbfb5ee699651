// Wasm memory after outsized chunks: the instance is replaced without affecting other readers.
import { afterEach, describe, expect, it, vi } from "vitest";
import { get, getBytes, MapStore, slice } from "zarr-wasm";
import { type CodecChain, createCodecChain } from "zarr-wasm/codecs";
import { getSession } from "#src/engine/engine.js";
import { HeapDemand } from "#src/engine/session.js";
import { BufferPool } from "#src/util/buffers.js";
import { openArray, randomBytes } from "../support/support.js";
import {
  blosc,
  bytesBig,
  CountingStore,
  regular,
  transposed,
  v3Meta,
  v3Store,
  writeV3,
} from "../support/zarr-writer.js";

const mib = 2 ** 20;
const codecs = [bytesBig, blosc({ clevel: 1 })];
const memory = async () => (await getSession("decode")).memoryBytes;

/** Mostly zeros, so that they are made and compared soon. */
function sampleOf(length: number): Uint16Array<ArrayBuffer> {
  const elements = new Uint16Array(length);
  elements.set(new Uint16Array(randomBytes(50_000).buffer), length - 25_000);
  return elements;
}

const isSame = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

interface Work {
  chain: CodecChain;
  elements: Uint16Array;
  encoded: Uint8Array;
}

async function workOf(length: number): Promise<Work> {
  const options = { dtype: "uint16", shape: [length], codecs } as const;
  const elements = sampleOf(length);
  const encoded = (await createCodecChain(options)).encode(elements);
  return { chain: await createCodecChain({ ...options, direction: "decode" }), elements, encoded };
}

/** Decodes and compares the elements, without a diff of millions of numbers if they differ. */
const isRight = ({ chain, elements, encoded }: Work) =>
  isSame(chain.decode(encoded) as Uint16Array, elements);

/** Makes a new instance start. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 5));

const large = 24 * mib;
const small = 50_000;

/** Resets the memory high-water mark: decodes small chunks until memory is at its minimum again. */
async function settle(): Promise<void> {
  const work = await workOf(small);
  for (let i = 0; i < 40; i++) work.chain.decode(work.encoded);
  await rest();
}
afterEach(settle);

describe("the demand of work", () => {
  it("is exceeded by an outsized chunk at once, by large ones in a row when small ones have followed", () => {
    const demand = new HeapDemand();
    const work = (need: number, held: number) => {
      demand.note(need);
      return demand.settle(held);
    };
    expect(work(mib, 8 * mib)).toBe(false);
    expect(work(200 * mib, 500 * mib)).toBe(true);
    for (let i = 0; i < 10; i++) expect(work(200 * mib, 500 * mib)).toBe(false);
    const later = Array.from({ length: 10 }, () => work(mib, 500 * mib));
    expect(later.indexOf(true)).toBeGreaterThan(1);
    expect(later.at(-1)).toBe(true);
  });

  it("never reserves less than the permanent minimum, and nothing for idle sessions", () => {
    const demand = new HeapDemand();
    for (let i = 0; i < 20; i++) {
      demand.note(1);
      expect(demand.settle(64 * mib)).toBe(false);
    }
    expect(demand.settle(1000 * mib)).toBe(false);
  });
});

describe("an outsized chunk", () => {
  it("leaves an instance of normal size", async () => {
    const [usual, outsized] = [await workOf(small), await workOf(large)];
    await settle();
    const before = await memory();
    expect(isRight(usual)).toBe(true);
    expect(isRight(outsized)).toBe(true);
    expect(isRight(usual)).toBe(true); // in between: the old instance still serves
    await rest();
    expect(await memory()).toBeLessThanOrEqual(before);
    expect(isRight(outsized)).toBe(true);
    expect(isRight(usual)).toBe(true);
  });

  it("does the same through getChunk and get", async () => {
    const { elements, encoded } = await workOf(large);
    const store = v3Store({ shape: [large], data_type: "uint16", chunk_grid: regular(large), codecs });
    store.set("/c/0", encoded);
    const array = await openArray(store);
    for (const read of [
      async () => (await array.getChunk([0])).data as Uint16Array,
      async () => (await get(array)).data as Uint16Array,
    ]) {
      await settle();
      const before = await memory();
      expect(isSame(await read(), elements)).toBe(true);
      await rest();
      expect(await memory()).toBeLessThanOrEqual(before);
    }
  });

  it("does not count as outsized if all chunks are as large: the instance stays", async () => {
    const work = await workOf(large);
    work.chain.decode(work.encoded);
    await rest();
    const session = await getSession("decode");
    for (let i = 0; i < 3; i++) {
      work.chain.decode(work.encoded);
      await rest();
      expect((await getSession("decode")) === session).toBe(true);
    }
  });

  it("is not kept after a pause, even if all chunks are as large", async () => {
    const work = await workOf(large);
    work.chain.decode(work.encoded);
    await getSession("decode"); // the one after the outsized chunk
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      work.chain.decode(work.encoded);
      const session = await getSession("decode");
      expect(await memory()).toBeGreaterThan(64 * mib);
      await vi.advanceTimersByTimeAsync(2900);
      work.chain.decode(work.encoded); // restarts the pause
      await vi.advanceTimersByTimeAsync(200);
      expect(session.isSpent).toBe(false);
      await vi.advanceTimersByTimeAsync(6000);
      expect(session.isSpent).toBe(true);
      expect(await memory()).toBeLessThanOrEqual(64 * mib);
      expect(isRight(work)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not disturb reads in progress", async () => {
    const shape = [96, 130];
    const elements = randomBytes(2 * 96 * 130, 9);
    const inner = new MapStore();
    const meta = v3Meta({
      shape,
      data_type: "int16",
      chunk_grid: regular(16, 32),
      codecs: [transposed(1, 0), ...codecs],
    });
    await writeV3(inner, meta, elements);
    const store = new CountingStore(inner);
    const array = await openArray(store);
    const outsized = await workOf(large);
    await settle();
    let requests = 0;
    const retired = new Set<unknown>();
    store.before = async () => {
      requests++;
      if (requests % 5 !== 0) return;
      retired.add(await getSession("decode"));
      outsized.chain.decode(outsized.encoded);
      await rest();
    };
    const reads = await Promise.all([
      getBytes(array, null, { concurrency: 3 }),
      getBytes(array, null, { concurrency: 1 }),
      getBytes(array, [slice(5, 90), slice(0, 130, 1)], { concurrency: 2 }),
    ]);
    expect(Buffer.compare(reads[0]!.bytes, elements)).toBe(0);
    expect(Buffer.compare(reads[1]!.bytes, elements)).toBe(0);
    expect(Buffer.compare(reads[2]!.bytes, elements.subarray(5 * 260, 90 * 260))).toBe(0);
    expect(retired.size).toBeGreaterThan(1);
  });
});

describe("spare memory", () => {
  it("is reused once, if it fits", () => {
    const bufferPool = new BufferPool();
    const [small, large] = [new ArrayBuffer(10), new ArrayBuffer(100)];
    bufferPool.give(small, 2);
    bufferPool.give(large, 2);
    bufferPool.give(new ArrayBuffer(50), 2); // one too many
    expect(bufferPool.take(50, 99)).toBeUndefined(); // and the first is gone
    expect(bufferPool.take(50, 100)).toBe(large);
    expect(bufferPool.take(1, 1000)).toBeUndefined();
    bufferPool.give(small, 1);
    expect(bufferPool.take(10)).toBe(small);
    bufferPool.give(small, 1);
    bufferPool.clear();
    expect(bufferPool.take(10)).toBeUndefined();
    bufferPool.give(small, 1);
    bufferPool.release(); // `small` is not collected, as this test refers to it
    expect(bufferPool.take(10)).toBe(small);
    expect(bufferPool.take(10)).toBeUndefined();
  });

  it("fits objects of similar size once it comes back, but not before", () => {
    const bufferPool = new BufferPool();
    const first = bufferPool.takeOrMake(265_000);
    expect(first.buffer.byteLength).toBe(265_000); // the bytes of a raw chunk can become the result
    bufferPool.give(first.buffer, 2);
    const second = bufferPool.takeOrMake(266_000);
    expect(second.byteLength).toBe(266_000);
    expect(second.buffer.byteLength).toBe(2 ** 18 + 2 ** 15);
    bufferPool.give(second.buffer, 2);
    for (const size of [264_000, 267_000]) {
      const other = bufferPool.takeOrMake(size);
      expect(other.byteLength).toBe(size);
      expect(other.buffer).toBe(second.buffer);
      bufferPool.give(other.buffer, 2);
    }
    for (const size of [0, 1, 7, 2 ** 25, 3 * 2 ** 20])
      expect(bufferPool.takeOrMake(size).buffer.byteLength).toBe(size);
  });

  it("remains available after several releases in a row", () => {
    const bufferPool = new BufferPool();
    const buffers = [10, 20, 30].map((size) => new ArrayBuffer(size));
    for (const buffer of buffers) {
      bufferPool.give(buffer, 1);
      bufferPool.release();
    }
    for (const buffer of buffers) expect(bufferPool.take(buffer.byteLength)).toBe(buffer);
  });
});
