// Booleans are read as 0 and 1, by every kind of read: any non-zero byte is 1.
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { field, get, MapStore, type Selection, slice, WorkerPool } from "zarr-wasm";
import { bytesOf, openArray, product, randomBytes, v1Store } from "../support/support.js";
import {
  blosc,
  bytesLittle,
  type Codec,
  crc32c,
  gzip,
  json,
  regular,
  sharded,
  transposed,
  v3Meta,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

/** Bytes that other programs may store for booleans. */
const odd = Uint8Array.of(0, 1, 0, 2, 255, 1, 0, 128);

/** An array of booleans whose chunks hold such bytes: written as uint8, with another name for the type. */
async function sample(shape: number[], chunk: number[], codecs: Codec[]) {
  const bytes = randomBytes(product(shape), 5).map((byte) => odd[byte % odd.length]!);
  const meta = v3Meta({ shape, data_type: "uint8", chunk_grid: regular(...chunk), codecs });
  const store = new MapStore();
  await writeV3(store, meta, bytes);
  store.entries.set("/zarr.json", json({ ...meta, data_type: "bool", fill_value: false }));
  return { store, expected: bytes.map((byte) => Number(byte !== 0)) };
}

const kinds: Record<string, [shape: number[], chunk: number[], codecs: Codec[]]> = {
  uncompressed: [[60, 70], [16, 32], [bytesLittle]],
  "one uncompressed chunk": [[1100, 1000], [1100, 1000], [bytesLittle]],
  transposed: [
    [60, 70],
    [16, 32],
    [transposed(1, 0), bytesLittle],
  ],
  blosc: [
    [1100, 700],
    [512, 512],
    [bytesLittle, blosc({ typesize: 1 })],
  ],
  "transposed, zstd": [
    [60, 70],
    [16, 32],
    [transposed(1, 0), bytesLittle, zstd],
  ],
  "gzip, crc32c": [
    [600, 700],
    [300, 400],
    [bytesLittle, gzip, crc32c],
  ],
  shards: [[60, 70], [32, 64], [sharded([8, 16], [bytesLittle, zstd])]],
  "uncompressed shards": [[60, 70], [32, 64], [sharded([8, 16], [bytesLittle])]],
};

const pool = new WorkerPool({
  size: 2,
  createWorker: () =>
    new Worker(new URL("../../../dist/workers/worker.js", import.meta.url), { execArgv: [] }),
});
afterAll(() => pool.destroy());

describe("booleans", () => {
  it.each(Object.keys(kinds))("are 0 and 1: %s", async (kind) => {
    const [shape, chunk, codecs] = kinds[kind]!;
    const { store, expected } = await sample(shape, chunk, codecs);
    const array = await openArray(store);
    const width = shape[1]!;
    const rows = (from: number, to: number, step = 1) =>
      Uint8Array.from(expected).filter((_, i) => {
        const [y, x] = [Math.floor(i / width), i % width];
        return y >= from && y < to && (x - 3) % step === 0 && x >= 3;
      });
    for (const options of [{}, { pool }]) {
      expect(Buffer.compare((await get<Uint8Array>(array, null, options)).data, expected)).toBe(0);
      const out = new Uint8Array(expected.length);
      await get(array, null, { ...options, out });
      expect(Buffer.compare(out, expected)).toBe(0);
      for (const step of [1, 7]) {
        const selection: Selection = [slice(5, 9), slice(3, null, step)];
        const part = await get<Uint8Array>(array, selection, options);
        expect(Buffer.compare(part.data, rows(5, 9, step))).toBe(0);
      }
    }
    const { data, shape: size } = await array.getChunk([0, 0]);
    const first = Uint8Array.from({ length: product(size) }, (_, i) => {
      const [y, x] = [Math.floor(i / size[1]!), i % size[1]!];
      return expected[y * width + x]!;
    });
    expect(Buffer.compare(data as Uint8Array, first)).toBe(0);
  });

  it("are 0 and 1 as fields of structured types", async () => {
    const store = v1Store({
      dtype: [
        ["flag", "|b1"],
        ["n", "<i2"],
      ],
      shape: [3],
      chunks: [3],
      fill_value: null,
    });
    store.set("/0", Uint8Array.of(0, 1, 0, 2, 2, 0, 255, 3, 0));
    const region = await get<Uint8Array>(await openArray(store));
    expect([...field(region, "flag").data]).toEqual([0, 1, 1]);
    expect([...field(region, "n").data]).toEqual([1, 2, 3]);
  });

  it("are 0 and 1 in Zarr v1 and v2", async () => {
    const v1 = v1Store({ dtype: "|b1", shape: [8], chunks: [8], fill_value: true });
    v1.set("/0", odd);
    const v2 = new Map([
      [
        "/.zarray",
        bytesOf(
          JSON.stringify({
            zarr_format: 2,
            shape: [8],
            chunks: [8],
            dtype: "|b1",
            compressor: null,
            filters: null,
            fill_value: 1,
            order: "C",
          }),
        ),
      ],
      ["/0", odd],
    ]);
    for (const store of [v1, v2])
      expect([...((await get(await openArray(store))).data as Uint8Array)]).toEqual([0, 1, 0, 1, 1, 1, 0, 1]);
  });
});
