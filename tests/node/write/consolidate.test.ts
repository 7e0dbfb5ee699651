// Consolidated metadata: written, and kept up to date by later writes.
import { describe, expect, it } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  deleteNode,
  MapStore,
  open,
  resize,
  type Store,
  updateAttributes,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import * as zarrita from "zarrita";
import { bytesOf, errorOf } from "../support/support.js";

const small = { shape: [4, 4], dtype: "int8" } as const;
const json = (store: MapStore, key: string) => JSON.parse(new TextDecoder().decode(store.get(key)!));

/** Another view of the same objects that cannot list them, like web servers, and counts reads. */
function blind(store: MapStore): Store & { reads: string[] } {
  const reads: string[] = [];
  const get = (key: string) => {
    reads.push(key);
    return store.get(key);
  };
  return { reads, get, set: (key, value) => store.set(key, value), delete: (key) => store.delete(key) };
}

async function tree(zarrFormat: 2 | 3): Promise<MapStore> {
  const store = new MapStore();
  const array = await create(store, { ...small, path: "g/a", attributes: { a: 1 }, zarrFormat });
  await create(store, { ...small, path: "g/h/b", zarrFormat });
  await createGroup(store, { path: "empty", attributes: { e: 1 }, zarrFormat });
  store.set(`/g/a/${array.spec.chunkKey([0, 0])}`, bytesOf("x"));
  store.set("/docs/readme.txt", bytesOf("no node"));
  return store;
}

async function walk(group: ZarrGroup): Promise<string[]> {
  const paths: string[] = [];
  for await (const node of group.walk()) paths.push(`${node.kind} ${node.path}`);
  return paths;
}

const all = ["group empty", "group g", "array g/a", "group g/h", "array g/h/b"];

describe.each([2, 3] as const)("consolidated metadata of Zarr v%i", (zarrFormat) => {
  it("names every node below, so that nothing need be listed or read again", async () => {
    const store = await tree(zarrFormat);
    const group = await consolidate(store);
    expect([group.isConsolidated, await walk(group)]).toEqual([true, all]);
    const seen = blind(store);
    const root = await open(seen, { kind: "group" });
    const before = seen.reads.length;
    expect(await walk(root)).toEqual(all);
    expect((await root.open("g/a")).attributes).toEqual({ a: 1 });
    expect(seen.reads.slice(before)).toEqual([]);
  });

  it("has the form that zarr-python writes", async () => {
    const store = await tree(zarrFormat);
    await consolidate(store);
    if (zarrFormat === 2) {
      const { zarr_consolidated_format, metadata } = json(store, "/.zmetadata");
      expect(zarr_consolidated_format).toBe(1);
      expect(Object.keys(metadata)).toEqual(
        [".zgroup", "empty/.zattrs", "empty/.zgroup", "g/.zgroup", "g/a/.zarray", "g/a/.zattrs"].concat([
          "g/h/.zgroup",
          "g/h/b/.zarray",
        ]),
      );
      for (const [key, document] of Object.entries(metadata))
        expect(document).toEqual(json(store, `/${key}`));
      return;
    }
    const { consolidated_metadata, ...own } = json(store, "/zarr.json");
    expect(own).toEqual({ zarr_format: 3, node_type: "group", attributes: {} });
    const { kind, must_understand, metadata, ...rest } = consolidated_metadata;
    expect([kind, must_understand, rest]).toEqual(["inline", false, {}]);
    expect(Object.keys(metadata)).toEqual(["empty", "g", "g/a", "g/h", "g/h/b"]);
    expect(metadata["g/a"]).toEqual(json(store, "/g/a/zarr.json"));
    expect(metadata["g"].consolidated_metadata).toEqual({ kind, must_understand, metadata: {} });
  });

  it("of a group inside, and again, is replaced", async () => {
    const store = await tree(zarrFormat);
    const inner = await consolidate(store, { path: "g" });
    expect(await walk(inner)).toEqual(all.slice(2));
    await consolidate(store);
    const again = await consolidate(await open(store, { kind: "group" }));
    expect(await walk(again)).toEqual(all);
  });

  it("stays current after all later writes, for this group and for callers that open it", async () => {
    const store = await tree(zarrFormat);
    const group = await consolidate(store);
    const handles = { mine: group, other: (await open(store, { kind: "group" })) as ZarrGroup };
    const seen = blind(store);
    const check = async (paths: string[]) => {
      for (const [name, handle] of Object.entries(handles)) expect(await walk(handle), name).toEqual(paths);
      seen.reads.length = 0;
      expect(await walk(await open(seen, { kind: "group" }))).toEqual(paths);
      expect(seen.reads.filter((key) => /\/[gnc]\//.test(key))).toEqual([]);
    };
    const array = (await group.open("g/a")) as ZarrArray;
    await updateAttributes(array, { b: 2 });
    await resize(array, [8, 8]);
    for (const handle of [handles.mine, handles.other, await open(blind(store), { kind: "group" })]) {
      const again = await handle.open("g/a", { kind: "array" });
      expect([again.attributes, again.shape]).toEqual([{ a: 1, b: 2 }, [8, 8]]);
    }
    await create(group, { ...small, path: "new/c" });
    await check([...all, "group new", "array new/c"]);
    await deleteNode(store, "g");
    await check(["group empty", "group new", "array new/c"]);
    await create(store, { ...small, path: "new", zarrFormat, overwrite: true });
    await check(["group empty", "array new"]);
    const empty = await open(store, { path: "empty", kind: "group" });
    await updateAttributes(empty, { f: 2 });
    await updateAttributes(group, { root: true });
    const last = await open(blind(store), { kind: "group" });
    expect([last.attributes, (await last.open("empty")).attributes]).toEqual([
      { root: true },
      { e: 1, f: 2 },
    ]);
    await check(["group empty", "array new"]);
  });

  it("of all groups above a node stays current", async () => {
    const store = await tree(zarrFormat);
    await consolidate(store, { path: "g/h" });
    await consolidate(store, { path: "g" });
    await consolidate(store);
    await create(store, { ...small, path: "g/h/x", zarrFormat });
    for (const [path, names] of Object.entries({ "": all.length + 1, g: 4, "g/h": 2 }))
      expect(await walk(await open(blind(store), { path, kind: "group" }))).toHaveLength(names);
  });

  it("is rejected if the group is missing, the store cannot list, or a node cannot be read", async () => {
    const store = await tree(zarrFormat);
    expect((await errorOf(() => consolidate(store, { path: "none" })))._tag).toBe("NotFound");
    expect((await errorOf(() => consolidate(store, { path: "g/a" })))._tag).toBe("NotFound");
    expect((await errorOf(() => consolidate(blind(store))))._tag).toBe("Unsupported");
    const key = zarrFormat === 2 ? "/g/h/.zgroup" : "/g/h/zarr.json";
    store.set(key, bytesOf("{"));
    const error = await errorOf(() => consolidate(store));
    expect([error._tag, error.message]).toEqual(["InvalidMetadata", expect.stringContaining(key)]);
  });

  it("is read by zarrita", async () => {
    const store = await tree(zarrFormat);
    await consolidate(store);
    const listed = await zarrita.withConsolidatedMetadata(store as unknown as zarrita.AsyncReadable);
    const contents = listed.contents().map(({ path, kind }) => `${kind} ${path}`);
    expect(contents.sort()).toEqual(["group /", ...all.map((entry) => entry.replace(" ", " /"))].sort());
  });
});
