// Copies between a store and user-written views of it, and sources that vanish during a copy.
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { create, createGroup, get, MapStore, open, type Store, set } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { copy } from "zarr-wasm/transfer";
import { temporaryPlaces } from "../support/cli-tool.js";
import { errorOf, serve } from "../support/support.js";

const place = temporaryPlaces("views");

/** A group with an array in a group, each with 16 chunks. */
async function filled(store: Store): Promise<Store> {
  const root = await createGroup(store);
  for (const path of ["a", "b/c"]) {
    const options = { path, shape: [64], chunkShape: [4], dtype: "uint8" } as const;
    await set(await create(root, options), null, 7);
  }
  return store;
}

/** A view of the keys with a prefix, as an application writes it. */
function view(store: Store, prefix: string, isWritable = true): Store {
  const list = async function* (path: string) {
    const keys = store.list!(`${prefix}${path === "" ? "" : `/${path}`}`.slice(1));
    for await (const key of keys) yield key.slice(prefix.length);
  };
  const reading: Store = { get: (key, options) => store.get(`${prefix}${key}`, options), list };
  if (!isWritable) return reading;
  return {
    ...reading,
    set: (key, bytes) => store.set!(`${prefix}${key}`, bytes),
    delete: (key) => store.delete!(`${prefix}${key}`),
  };
}

/** A store that shows no names that begin with a dot, except documents of Zarr. */
const withoutHidden = (store: Store): Store => ({
  ...store,
  get: (key, options) => (/\/\.(?!z(?:array|group|attrs)$)/.test(key) ? undefined : store.get(key, options)),
  list: (path) => store.list!(path),
});

async function contents(store: Store): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const key of store.list!(""))
    found.set(key, Buffer.from((await store.get(key))!).toString("hex"));
  return found;
}

const stores: readonly (readonly [string, () => Store])[] = [
  ["a MapStore", () => new MapStore()],
  ["a folder", () => new FileSystemStore(pathToFileURL(place("data.zarr")))],
];

describe.each(stores)("in %s", (_, make) => {
  it.each([
    ["a view of the destination", (m: Store) => [view(m, "/a"), m]],
    ["a read-only view of the destination", (m: Store) => [view(m, "/b", false), m]],
    ["a node of a view of the destination", (m: Store) => [view(m, "/b"), m, "c"]],
    ["a view of which the destination is a view", (m: Store) => [view(m, ""), view(m, "/b")]],
    ["the store of which the destination is a view", (m: Store) => [m, view(m, "/b")]],
    ["a node in the destination, which is a view", (m: Store) => [m, view(m, "/b"), "b/c"]],
    ["a view without hidden files", (m: Store) => [withoutHidden(view(m, "/b")), view(m, "/b")]],
    ["a view without hidden files of a part", (m: Store) => [withoutHidden(m), view(m, "/b/c")]],
    ["another view of the same part", (m: Store) => [view(m, "/b"), view(view(m, "/b"), "")]],
  ] as [string, (store: Store) => [Store, Store, string?]][])(
    "overwrite refuses %s",
    async (__, placesOf) => {
      const store = await filled(make());
      const before = await contents(store);
      const [from, to, path] = placesOf(store);
      const error = await errorOf(() => copy(from, to, { overwrite: true, path }));
      expect(error).toMatchObject({ _tag: "NotAllowed", code: "is-source" });
      expect(await contents(store)).toEqual(before);
    },
  );

  it("overwrite takes views of separate parts, and equal nodes elsewhere", async () => {
    const store = await filled(make());
    await copy(view(store, "/a"), view(store, "/b/c"), { overwrite: true });
    expect((await copy(view(store, "/a"), view(store, "/b/c"), { overwrite: true })).chunks.asStored).toBe(
      16,
    );
    const other = await filled(new MapStore());
    await copy(view(store, ""), other, { overwrite: true });
    expect(await contents(other)).toEqual(await contents(store));
  });
});

it("overwrite compares documents of any length", async () => {
  const store = new MapStore();
  const attributes = { text: "x".repeat(300_000) };
  await create(store, { path: "b", shape: [4], dtype: "int8", attributes });
  const error = await errorOf(() =>
    copy(withoutHidden(view(store, "/b")), view(store, "/b"), { overwrite: true }),
  );
  expect(error).toMatchObject({ _tag: "NotAllowed", code: "is-source" });
});

it("overwrite recognises nodes of Zarr v2 in a view without hidden files", async () => {
  const store = new MapStore();
  const root = await createGroup(store, { zarrFormat: 2 });
  await create(root, { path: "a", zarrFormat: 2, shape: [4], dtype: "int8" });
  const before = await contents(store);
  for (const places of [
    [withoutHidden(view(store, "")), view(store, "/a")],
    [withoutHidden(view(store, "/a")), view(store, "")],
  ] as const) {
    const error = await errorOf(() => copy(...places, { overwrite: true }));
    expect(error).toMatchObject({ _tag: "NotAllowed", code: "is-source" });
    expect(await contents(store)).toEqual(before);
  }
});

it("overwrite recognises a folder that a server shows as the source, also without hidden files", async () => {
  const dir = place("served.zarr");
  const folder = new FileSystemStore(pathToFileURL(dir));
  await filled(folder);
  const before = await contents(folder);
  for (const isHiding of [false, true]) {
    const server = await serve((key) =>
      (isHiding && key.includes("/.")) || !existsSync(dir + key) ? undefined : readFileSync(dir + key),
    );
    for (const [path, below] of [
      ["a", "a"],
      ["b/c", "b"],
      ["b/c", "b/c"],
    ]) {
      const copying = copy(server.url, pathToFileURL(`${dir}/${below}`), { path, overwrite: true });
      await expect(copying).rejects.toMatchObject({ _tag: "NotAllowed", code: "is-source" });
      expect(await contents(folder)).toEqual(before);
    }
    await server.close();
  }
});

it("fails if the source is deleted while it is copied", async () => {
  for (const options of [{}, { chunkShape: [8] }]) {
    const store = (await filled(new MapStore())) as MapStore;
    const to = new MapStore();
    let reads = 0;
    const vanishing: Store = {
      get: (key) => {
        if (key.includes("/c/") && ++reads === 4) store.entries.clear();
        return store.get(key);
      },
    };
    const error = await errorOf(() => copy(vanishing, to, { path: "a", ...options }));
    expect(error).toMatchObject({ _tag: "Conflict" });
    expect(error.message).toContain('the array "/a" of `source` was deleted while it was copied');
    expect([...to.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
  }
  const sparse = new MapStore();
  await create(sparse, { shape: [4], dtype: "uint8", fillValue: 3 });
  const to = new MapStore();
  expect((await copy(sparse, to)).chunks.missing).toBe(1);
  expect([...(await get(await open(to, { kind: "array" }))).data]).toEqual([3, 3, 3, 3]);
});
