/** Data written by other implementations, over HTTP and from memory. */
import { get, getBytes, open, type Store, ZipStore } from "zarr-wasm";
import type { GoldenStore } from "../manifest.js";
import { at, forEach, hasHash, inMemory, manifest } from "./data.js";
import { test } from "./registry.js";

/** The version is given for speed: its detection is tested with the groups. */
async function readStore(
  { name, arrays }: GoldenStore,
  source: string | Store,
  version?: 1 | 2 | 3,
): Promise<void> {
  for (const { path, sha256, writerOrderSha256 } of arrays) {
    const options = { path, kind: "array", version } as const;
    const array = await open(source, options);
    if (sha256 === undefined) {
      await get<unknown[]>(array); // values are compared in Node
      continue;
    }
    await hasHash((await getBytes(array)).bytes, sha256, `${name} ${path}`);
    if (!writerOrderSha256) continue;
    const written = await open(source, { ...options, v1Order: "writer" });
    await hasHash((await getBytes(written)).bytes, writerOrderSha256, `${name} in the writer's order`);
  }
}

for (const version of [1, 2, 3] as const) {
  test(`golden: Zarr v${version} over HTTP`, async () => {
    await forEach((await manifest()).golden[`v${version}`]!, (store) =>
      readStore(store, at(store.path), version),
    );
  });
}

test("golden: groups over HTTP, and in memory", async () => {
  await forEach((await manifest()).golden["conventions"]!, async (store) => {
    await readStore(store, at(store.path));
    await readStore(store, await inMemory(store.path, store.keys));
  });
});

test("golden: archives over HTTP, read in parts", async () => {
  await forEach((await manifest()).zips, async ({ name, path, objects }) => {
    const store = new ZipStore(at(path));
    await forEach(Object.entries(objects), async ([key, hash]) => {
      const bytes = await store.get(key.startsWith("/") ? key : `/${key}`);
      await hasHash(bytes ?? new Uint8Array(), hash, `${name} ${key}`);
    });
  });
});

test("golden: samples of the viewer", async () => {
  const samples = (await (await fetch("/examples/samples.json")).json()) as {
    store: string;
    sha256: string;
  }[];
  await forEach(samples, async ({ store, sha256 }) => {
    const array = await open(at(`/examples/${store}`), { kind: "array" });
    await hasHash((await getBytes(array)).bytes, sha256, store);
  });
});
