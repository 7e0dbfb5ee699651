/** Errors name the cause of a failure, the same in every engine. */
import { get, getBytes, type MapStore } from "zarr-wasm";
import type { GoldenStore } from "../manifest.js";
import { at, forEach, hasHash, inMemory, manifest, openArray } from "./data.js";
import { equal, errorOf, ok, test } from "./registry.js";

test("errors: a truncated chunk never gives elements", async () => {
  const golden = (await manifest()).golden["v3"]!;
  const chunkOf = ({ keys }: GoldenStore) => keys.find((key) => /\/c\//.test(key));
  const withChunks = golden.filter(chunkOf);
  ok(withChunks.length > golden.length / 2, `${withChunks.length} of ${golden.length} stores have chunks`);
  await forEach(withChunks, async (stored) => {
    const { name, path, keys, arrays } = stored;
    const store = await inMemory(path, keys);
    const chunk = chunkOf(stored)!;
    const bytes = (await store.get(chunk))!;
    await store.set(chunk, bytes.subarray(0, bytes.length >> 1));
    const array = await openArray(store, { path: arrays[0]!.path });
    const error = await errorOf(() => get(array)).catch(() => {
      throw new Error(`${name} was read`);
    });
    equal([error["_tag"], error["chunkKey"]], ["CorruptChunk", chunk], `${name}: ${error}`);
  });
});

/** A golden store with a compressed chunk, in memory. */
async function compressed(): Promise<{ golden: GoldenStore; store: MapStore; chunk: string }> {
  const golden = (await manifest()).golden["v1"]!.find(({ name }) => name.includes("blosc-lz4"))!;
  const store = await inMemory(golden.path, golden.keys);
  return { golden, store, chunk: golden.keys.find((key) => /^\/\d/.test(key))! };
}

test("errors: after a corrupt chunk the next one decodes", async () => {
  const { golden, store, chunk } = await compressed();
  const bytes = (await store.get(chunk))!;
  const broken = bytes.slice();
  broken.fill(0xff, 16);
  await store.set(chunk, broken);
  const array = await openArray(store);
  for (let i = 0; i < 3; i++) {
    const error = await errorOf(() => get(array));
    equal(
      [error["_tag"], error["codec"], error["chunkKey"]],
      ["CorruptChunk", "blosc", chunk],
      String(error),
    );
    ok(error.message.includes(chunk), `"${error.message}" names the chunk`);
  }
  await store.set(chunk, bytes);
  await hasHash((await getBytes(array)).bytes, golden.arrays[0]!.sha256!, "whole again");
});

test("errors: limits", async () => {
  const { store } = await compressed();
  const tooBig = await errorOf(async () => get(await openArray(store, { limits: { resultBytes: 8 } })));
  equal(tooBig["_tag"], "LimitExceeded", String(tooBig));
  const chunk = await errorOf(async () => get(await openArray(store, { limits: { chunkBytes: 8 } })));
  equal(chunk["_tag"], "LimitExceeded", String(chunk));
});

test("errors: a missing node, and a page instead of metadata", async () => {
  equal((await errorOf(() => openArray(at("/data/nowhere"))))["_tag"], "NotFound");
  const error = await errorOf(() => openArray(at("/page/store")));
  equal(error["_tag"], "InvalidMetadata", String(error));
});
