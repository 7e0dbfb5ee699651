// Frames from before zstd 1.0, which only the full module decodes: the read finds that out at the first chunk.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { get, getBytes, MapStore, slice, WorkerPool } from "zarr-wasm";
import { copy } from "zarr-wasm/transfer";
import type { CoreChunkCodec } from "#src/chain/chunk-codec.js";
import { errorOf, openArray, v1Store } from "../support/support.js";

const golden = (name: string) => readFileSync(new URL(`../../golden/zstd-v07/${name}`, import.meta.url));

/** Arrays of the golden chunk, repeated along the first axis. */
const cases = {
  bool: { dtype: "|b1", chunk: [2, 4, 7, 5], itemBytes: 1, swapped: 1 },
  "complex128-shuffle": { dtype: ">c16", chunk: [256], itemBytes: 16, swapped: 8 },
  "complex64-bitshuffle": { dtype: "<c8", chunk: [12, 5, 4], itemBytes: 8, swapped: 1 },
};
type Name = keyof typeof cases;

const count = 40;
const missing = 7;

function storeOf(name: Name): Map<string, Uint8Array> {
  const { dtype, chunk } = cases[name];
  const fill_value = dtype === "|b1" ? false : [0, 0];
  const shape = [count * chunk[0]!, ...chunk.slice(1)];
  const store = v1Store({ shape, chunks: chunk, dtype, compression: "blosc", fill_value });
  const bytes = golden(`${name}.chunk`);
  for (let i = 0; i < count; i++)
    if (i !== missing) store.set(`/${[i, ...chunk.slice(1).map(() => 0)].join(".")}`, bytes);
  return store;
}

/** The elements in native byte order. */
function elementsOf(name: Name): Uint8Array {
  const raw = Buffer.from(golden(`${name}.raw`));
  if (cases[name].swapped === 8) raw.swap64();
  const all = Buffer.concat(new Array<Buffer>(count).fill(raw));
  all.fill(0, missing * raw.length, (missing + 1) * raw.length);
  return all;
}

const pool = new WorkerPool({ size: 2 });
afterAll(() => pool.destroy());

for (const [kind, options] of Object.entries({ "without workers": {}, "with a pool": { pool } })) {
  describe(`frames from before zstd 1.0, ${kind}`, () => {
    for (const name of Object.keys(cases) as Name[]) {
      const { chunk, itemBytes } = cases[name];

      it(`reads ${name}`, async () => {
        const array = await openArray(storeOf(name));
        const codec = array.spec.firstLayout.leaf as CoreChunkCodec;
        expect(codec.decodeModule).toBe("decode");
        const expected = elementsOf(name);
        const first = await get(array, null, options);
        const { buffer, byteOffset, byteLength } = first.data as Uint8Array;
        expect(Buffer.compare(new Uint8Array(buffer, byteOffset, byteLength), expected)).toBe(0);
        expect(codec.decodeModule).toBe("full");
        const second = await getBytes(array, null, options);
        expect(Buffer.compare(second.bytes, expected)).toBe(0);
      });

      it(`reads every second row of ${name}, in its own order`, async () => {
        const array = await openArray(storeOf(name));
        const priority = ([at]: readonly number[]) => -at!;
        const { bytes } = await getBytes(array, [slice(1, null, 2)], { ...options, priority });
        const expected = elementsOf(name);
        const row = (itemBytes * chunk.reduce((a, b) => a * b, 1)) / chunk[0]!;
        for (let at = 0; 2 * at + 1 < count * chunk[0]!; at++) {
          const wanted = expected.subarray((2 * at + 1) * row, (2 * at + 2) * row);
          expect(Buffer.compare(bytes.subarray(at * row, (at + 1) * row), wanted)).toBe(0);
        }
      });
    }

    it("names a chunk that is corrupt", async () => {
      const store = storeOf("complex128-shuffle");
      store.set("/20", store.get("/20")!.slice(0, 3000));
      const array = await openArray(store);
      const error = await errorOf(() => get(array, null, options));
      expect(error).toMatchObject({ _tag: "CorruptChunk", chunkKey: "/20", codec: "blosc" });
    });

    it("copies to other chunks", async () => {
      const target = new MapStore();
      const rechunk = { chunkShape: [100], codecs: "blosc:lz4" };
      await copy(storeOf("complex128-shuffle"), target, { ...options, ...rechunk });
      const { bytes } = await getBytes(await openArray(target), null, options);
      expect(Buffer.compare(bytes, elementsOf("complex128-shuffle"))).toBe(0);
    });
  });
}
