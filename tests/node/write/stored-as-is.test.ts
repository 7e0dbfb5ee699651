// Chunks that are stored as they are in memory are copied without the core, into memory that is used again.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateOptions, create, type Selection, type Store, set, slice } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { isRepeated } from "#src/write/encoder.js";
import { product, randomizer } from "../support/support.js";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), "zw-as-is-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

const shape = [50, 37, 45];
const chunkShape = [16, 16, 20];
const random = randomizer(5);
/** Integers of 1 to 1000, except in chunk [1, 1, 1], which has only zeros, and [0, 1, 1], which has one other element. */
const values = Int16Array.from({ length: product(shape) }, (_, i) => {
  const at = [Math.floor(i / (37 * 45)), Math.floor(i / 45) % 37, i % 45];
  const chunk = at.map((index, axis) => Math.floor(index / chunkShape[axis]!)).join();
  if (chunk === "0,1,1") return at.join() === "15,31,39" ? 7 : 0;
  return chunk === "1,1,1" ? 0 : 1 + Math.floor(1000 * random());
});

/** The stored chunks of an array by key, made element by element. */
function expectedChunks(data: Int16Array, fill: number, keepsFill = false): Map<string, Buffer> {
  const chunks = new Map<string, Int16Array>();
  data.forEach((value, i) => {
    const at = [Math.floor(i / (37 * 45)), Math.floor(i / 45) % 37, i % 45];
    const key = at.map((index, axis) => Math.floor(index / chunkShape[axis]!)).join("/");
    const chunk = chunks.get(key) ?? new Int16Array(product(chunkShape)).fill(fill);
    const [z, y, x] = at.map((index, axis) => index % chunkShape[axis]!) as [number, number, number];
    chunk[(z * 16 + y) * 20 + x] = value;
    chunks.set(key, chunk);
  });
  const stored = [...chunks].filter(([, chunk]) => keepsFill || chunk.some((value) => value !== fill));
  return new Map(stored.map(([key, chunk]) => [`c/${key}`, Buffer.from(chunk.buffer)]));
}

const options = (fillValue: number) =>
  ({ shape, chunkShape, dtype: "int16", codecs: [], fillValue }) satisfies CreateOptions;

function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    names
      .map(({ path: at, name }) => path.join(at, name))
      .filter((file) => !file.endsWith("zarr.json"))
      .map((file) => [path.relative(folder, file), readFileSync(file)]),
  );
}

function expectSame(found: Map<string, Uint8Array>, expected: Map<string, Buffer>) {
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [key, bytes] of expected) expect(bytes.equals(found.get(key)!), key).toBe(true);
}

/** A store that keeps the very bytes it gets. */
class KeepingStore implements Store {
  readonly objects = new Map<string, Uint8Array>();
  get = (key: string) => this.objects.get(key);
  set = (key: string, bytes: Uint8Array) => void this.objects.set(key, bytes);
  delete = (key: string) => void this.objects.delete(key);

  get chunks(): Map<string, Uint8Array> {
    const entries = [...this.objects].filter(([key]) => key !== "/zarr.json");
    return new Map(entries.map(([key, bytes]) => [key.slice(1), bytes]));
  }
}

describe.each([0, -3])("with fill value %i", (fill) => {
  it.each([1, 3, 16])("to files, %i at a time", async (concurrency) => {
    const folder = path.join(dir, `files ${fill} ${concurrency}`);
    const array = await create(pathToFileURL(folder), options(fill));
    await set(array, null, values, { concurrency });
    expectSame(filesIn(folder), expectedChunks(values, fill));
    await set(array, null, values, { concurrency, writeEmptyChunks: true });
    expectSame(filesIn(folder), expectedChunks(values, fill, true));
  });

  it("to stores that keep the bytes", async () => {
    const store = new KeepingStore();
    await set(await create(store, options(fill)), null, values, { concurrency: 2 });
    expectSame(store.chunks, expectedChunks(values, fill));
  });

  it("to a store of files whose `set` was replaced", async () => {
    const kept = new Map<string, Uint8Array>();
    const store = new FileSystemStore(path.join(dir, `replaced ${fill}`));
    store.set = async (key, bytes) => void kept.set(key.slice(1), bytes);
    await set(await create(store, options(fill)), null, values, { concurrency: 2 });
    kept.delete("zarr.json");
    expectSame(kept, expectedChunks(values, fill));
  });

  it("of selections in any order", async () => {
    const selections: [Selection, (z: number, y: number, x: number) => boolean][] = [
      [[slice(16, 48), slice(0, 37), slice(20, 45)], (z, _, x) => z >= 16 && z < 48 && x >= 20],
      [[slice(3, 40, 2)], (z) => z >= 3 && z < 40 && z % 2 === 1],
      [[Array.from({ length: 50 }, (_, i) => 49 - i)], () => true],
    ];
    for (const [selection, isIn] of selections) {
      const expected = new Int16Array(values.length).fill(fill);
      const given: number[] = [];
      const reversed = Array.isArray((selection as unknown[])[0]);
      for (let z = 0; z < 50; z++)
        for (let y = 0; y < 37; y++)
          for (let x = 0; x < 45; x++) {
            if (!isIn(z, y, x)) continue;
            const value = values[(z * 37 + y) * 45 + x]!;
            expected[((reversed ? 49 - z : z) * 37 + y) * 45 + x] = value;
            given.push(value);
          }
      const store = new KeepingStore();
      await set(await create(store, options(fill)), selection, Int16Array.from(given));
      expectSame(store.chunks, expectedChunks(expected, fill));
    }
  });
});

it("isRepeated compares every byte", () => {
  for (const width of [1, 2, 3, 4, 8, 16])
    for (const count of [1, 2, 3, 5, 16])
      for (const offset of [0, 1, 4]) {
        const item = Uint8Array.from({ length: width }, (_, i) => (i * 7 + 1) % 3);
        const bytes = new Uint8Array(offset + width * count).subarray(offset);
        for (let at = 0; at < bytes.length; at++) bytes[at] = item[at % width]!;
        expect(isRepeated(bytes, item)).toBe(true);
        for (let at = 0; at < bytes.length; at++) {
          bytes[at]! ^= 0x80;
          expect(isRepeated(bytes, item)).toBe(false);
          bytes[at]! ^= 0x80;
        }
      }
});

describe("shards in files", () => {
  const shards = {
    ...options(0),
    chunkShape: [8, 8, 10],
    shardShape: chunkShape,
    codecs: [{ name: "zstd" }],
  };
  const nested = {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [4, 8, 5],
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    },
  };

  it.each([
    ["shards", shards],
    ["shards of shards", { ...shards, codecs: [nested] }],
  ])(
    "use the memory of %s before them, and are the same as in a store that keeps them",
    async (name, how) => {
      const keeping = new KeepingStore();
      const folder = path.join(dir, name);
      for (const store of [keeping, new FileSystemStore(pathToFileURL(folder))]) {
        const array = await create(store, how as CreateOptions);
        await set(array, null, values, { concurrency: 2 });
        await set(array, [slice(3, 20), null, slice(7, 30)], 9);
        await set(array, [slice(40, 50), slice(0, 20), null], values.subarray(0, 9000), { concurrency: 1 });
      }
      const expected = new Map([...keeping.chunks].map(([key, bytes]) => [key, Buffer.from(bytes)]));
      expectSame(filesIn(folder), expected);
    },
  );
});
