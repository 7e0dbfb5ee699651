/** Regions of arrays over HTTP: shards, parts of chunks, every kind of selection. */
import { ByteCache, get, getBytes, HttpStore } from "zarr-wasm";
import { at, forEach, hasHash, manifest, openArray, requestCount, sampleNamed, selectionOf } from "./data.js";
import { equal, ok, test } from "./registry.js";

test("reading: every sample whole, and with every selection", async () => {
  await forEach((await manifest()).samples, async ({ name, path, sha256, selections }) => {
    const array = await openArray(at(path));
    await hasHash((await getBytes(array)).bytes, sha256, name);
    for (const { axes, sha256 } of selections) {
      const { bytes } = await getBytes(array, selectionOf(axes));
      await hasHash(bytes, sha256, `${name} ${JSON.stringify(axes)}`);
    }
  });
});

test("reading: many at once, from one store", async () => {
  const { path, selections } = await sampleNamed("shards with missing");
  const array = await openArray(at(path));
  await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const { axes, sha256 } = selections[i % selections.length]!;
      await hasHash(
        (await getBytes(array, selectionOf(axes), { concurrency: 1 + (i % 4) })).bytes,
        sha256,
        "part",
      );
    }),
  );
});

test("reading: ranges that engines may keep in their caches", async () => {
  const { path, sha256, selections } = await sampleNamed("shards with missing");
  for (let i = 0; i < 3; i++) {
    const array = await openArray(at(`/cached${path}`));
    for (const { axes, sha256 } of selections) {
      await hasHash(
        (await getBytes(array, selectionOf(axes))).bytes,
        sha256,
        `read ${i} of ${JSON.stringify(axes)}`,
      );
    }
    await hasHash((await getBytes(array)).bytes, sha256, `read ${i} of all`);
  }
});

test("reading: a custom cache answers repeated reads", async () => {
  const { path, sha256 } = await sampleNamed("transposed");
  const cache = new ByteCache(2 ** 24);
  const read = async () => {
    const array = await openArray(new HttpStore(at(path), { cache }));
    await hasHash((await getBytes(array)).bytes, sha256, path);
  };
  await read();
  const before = await requestCount(`${path}/c/`);
  await read();
  const missing = 1;
  equal((await requestCount(`${path}/c/`)) - before, missing, "requests for chunks");
});

test("reading: into the caller's array, with progress", async () => {
  const { path, shape } = await sampleNamed("transposed");
  const array = await openArray(at(path));
  const { data } = await get(array);
  const out = new Int32Array(data.length);
  const seen: number[] = [];
  const region = await get(array, null, { out, onProgress: ({ chunks }) => seen.push(chunks) });
  ok(region.data === out, "the result is the caller's array");
  equal(region.shape, shape, "shape");
  equal(out, data, "elements");
  equal(
    seen,
    Array.from({ length: 30 }, (_, i) => i + 1),
    "progress",
  );
  const chunk = await array.getChunk([0, 1]);
  equal(chunk.data[5], data[64 + 5], "an element of a chunk");
});
