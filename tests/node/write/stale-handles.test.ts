// Writes through handles of arrays that were deleted or replaced since they were opened.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type CreateOptions,
  create,
  createGroup,
  deleteNode,
  get,
  MapStore,
  open,
  type Store,
  set,
  setChunk,
  slice,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { errorOf } from "../support/support.js";

const folder = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-stale-"));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;

/** A store of another program, which counts reads of metadata. */
class PlainStore {
  reads = 0;
  readonly #entries = new Map<string, Uint8Array>();
  async get(key: string): Promise<Uint8Array | undefined> {
    if (key.endsWith("/zarr.json")) this.reads++;
    return this.#entries.get(key);
  }
  async set(key: string, bytes: Uint8Array): Promise<void> {
    this.#entries.set(key, bytes.slice());
  }
  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }
  list = (prefix: string): string[] =>
    [...this.#entries.keys()].filter((key) => prefix === "" || key.startsWith(`/${prefix}/`));
}

const stores: [name: string, make: () => Store][] = [
  ["a Map", () => new Map()],
  ["a MapStore", () => new MapStore()],
  ["a folder", () => new FileSystemStore(path.join(folder, String(folders++)))],
  ["a store of another program", () => new PlainStore()],
];
const base = { path: "g/a", shape: [8], chunkShape: [4], dtype: "int8", codecs: "none" } as const;

describe.each(stores)("in %s", (_, make) => {
  it.each<[what: string, change: Partial<CreateOptions>]>([
    ["data type", { dtype: "uint8" }],
    ["data type", { dtype: "float64" }],
    ["fill value", { fillValue: 1 }],
    ["chunks", { chunkShape: [2] }],
    ["codecs", { codecs: "zstd" }],
  ])("an array with other %s is not written: %o", async (what, change) => {
    const store = make();
    const stale = await create(store, base);
    await create(store, { ...base, ...change, overwrite: true });
    for (const write of [
      () => set(stale, [0], -1),
      () => set(stale, null, -1),
      () => setChunk(stale, [0], new Int8Array(4)),
    ]) {
      const { _tag, message } = await errorOf(write);
      expect(`${_tag}: ${message}`).toContain(
        `NotFound: the array at "/g/a" was replaced by one with other ${what}; open it again`,
      );
    }
    expect(await store.get("/g/a/c/0")).toBeUndefined();
  });

  it("a deleted array is not written, alone or with its group", async () => {
    for (const deleted of ["g/a", "g", "/"]) {
      const store = make();
      const stale = await create(store, base);
      await deleteNode(store, deleted);
      expect(await errorOf(() => set(stale, null, 3))).toMatchObject({ _tag: "NotFound" });
      await set(await create(store, base), null, 4);
      await set(stale, [0], 5); // the same array again
      expect((await get(stale, [slice(2)])).data).toEqual(Int8Array.of(5, 4));
    }
  });
});

it("the metadata of other stores is read once per handle after a deletion", async () => {
  const store = new PlainStore();
  await create(store, base);
  const opened = await open(store, { path: "g/a", kind: "array" });
  const made = await create(store, { ...base, overwrite: true });
  const group = await createGroup(store, { path: "other" });
  const readsOf = async (array: typeof opened) => {
    const before = store.reads;
    for (let i = 0; i < 3; i++) await set(array, null, i);
    return store.reads - before;
  };
  expect([await readsOf(made as never), await readsOf(opened)]).toEqual([0, 1]);
  await deleteNode(group);
  expect([await readsOf(made as never), await readsOf(opened)]).toEqual([0, 0]);
});

it("replacements and deletions by other programs are found where writes are conditional", async () => {
  const entries = new Map<string, Uint8Array>();
  const stale = await create(new MapStore(entries), { ...base, path: "" });
  const other = new Map<string, Uint8Array>();
  await create(other, { ...base, path: "", dtype: "uint8" });
  entries.set("/zarr.json", other.get("/zarr.json")!);
  expect((await errorOf(() => set(stale, [0], -1))).message).toContain("other data type");
  entries.delete("/zarr.json");
  expect((await errorOf(() => set(stale, [0], 1))).message).toContain("no longer exists");
});
