// Changing the metadata of nodes, and deleting them.
import { describe, expect, it } from "vitest";
import {
  type CreateOptions,
  consolidate,
  create,
  createGroup,
  deleteNode,
  get,
  MapStore,
  open,
  resize,
  type Store,
  updateAttributes,
  type ZarrArray,
} from "zarr-wasm";
import { bytesOf, errorOf } from "../support/support.js";
import { ConditionalStore, files, jsonIn, mainKey, textIn, versions } from "../support/writing-tools.js";

describe.each(versions)("changes in Zarr v%i", (zarrFormat) => {
  /** Tests of groups, which v1 does not have. */
  const itOfGroups: (title: string, run: () => Promise<void>) => void = zarrFormat === 1 ? () => {} : it;
  const chunkOf = (array: ZarrArray, ...coordinates: number[]) => array.chunkKey(coordinates);
  const make = (store: Store, more: Partial<CreateOptions> = {}) =>
    create(store, {
      shape: [10, 10],
      chunkShape: [4, 4],
      dtype: "int8",
      codecs: "none",
      zarrFormat,
      ...more,
    });

  it("of the shape are visible to the array and to others, and delete chunks outside", async () => {
    const store = files();
    const array = await make(store);
    const all = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => chunkOf(array, i, j)));
    for (const key of all) store.set(key, new Uint8Array(16).fill(7));
    await resize(array, [5, 4]);
    expect(array.shape).toEqual([5, 4]);
    expect(array.gridShape).toEqual([2, 1]);
    expect((await open(store, { kind: "array" })).shape).toEqual([5, 4]);
    expect([...store.keys()].filter((key) => all.includes(key))).toEqual([
      chunkOf(array, 0, 0),
      chunkOf(array, 1, 0),
    ]);
    await resize(array, [20, 10]);
    expect((await get(array, [10, null])).data).toEqual(new Int8Array(10));
    expect((await get(array, [0, null])).data).toEqual(Int8Array.of(7, 7, 7, 7, 0, 0, 0, 0, 0, 0));
    for (const shape of [[1], [1, -1], [1, 0.5], "1,1"]) {
      expect((await errorOf(() => resize(array, shape as never)))._tag).toBe("InvalidArgument");
    }
    expect(array.shape).toEqual([20, 10]);
  });

  it("of the shape find chunks by listing, if there are too many candidates", async () => {
    const store = new MapStore();
    const array = await make(store, { shape: [4_000_000, 4_000_000] });
    const [far, near] = [chunkOf(array, 999_999, 999_999), chunkOf(array, 0, 0)];
    for (const key of [far, near, "/readme.txt"]) store.set(key, new Uint8Array(16));
    await resize(array, [10, 10]);
    expect([store.get(far), store.get(near) !== undefined, store.get("/readme.txt") !== undefined]).toEqual([
      undefined,
      true,
      true,
    ]);
    const blind: Store = {
      get: (key) => store.get(key),
      set: (key, value) => store.set(key, value),
      delete: (key) => store.delete(key),
    };
    await resize(array, [4_000_000, 4_000_000]);
    const error = await errorOf(async () => resize(await open(blind, { kind: "array" }), [10, 10]));
    expect(error._tag).toBe("LimitExceeded");
    expect((await open(store, { kind: "array" })).shape).toEqual([4_000_000, 4_000_000]);
  });

  it("of attributes are merged or replaced, and seen by the array", async () => {
    const store = files();
    const array = await make(store, { attributes: { a: 1, b: { c: 2 } } });
    await updateAttributes(array, { b: 3, d: 2n ** 62n });
    expect(array.attributes).toEqual({ a: 1, b: 3, d: 2n ** 62n });
    expect((await open(store)).attributes).toEqual(array.attributes);
    await updateAttributes(array, { e: "é" }, { mode: "replace" });
    expect((await open(store)).attributes).toEqual({ e: "é" });
    expect(Object.isFrozen(array.attributes)).toBe(true);
    expect((await errorOf(() => updateAttributes(array, { x: Number.NaN })))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => updateAttributes(array, {}, { mode: "mix" as never })))._tag).toBe(
      "InvalidArgument",
    );
    await deleteNode(store, "/");
    expect((await errorOf(() => updateAttributes(array, { x: 1 })))._tag).toBe("NotFound");
    expect((await errorOf(() => resize(array, [1, 1])))._tag).toBe("NotFound");
    expect(store.size).toBe(0);
  });

  it("keep the text of stored numbers that are written back", async () => {
    const store = files();
    await make(store, { attributes: { scale: "S", list: ["N"], note: "" } });
    const key = [...store.keys()].find((name) => textIn(store, name).includes('"S"'))!;
    store.set(key, bytesOf(textIn(store, key).replace('"S"', "1.0").replace('"N"', "NaN")));
    const opened = await open(store, { kind: "array" });
    await updateAttributes(opened, { ...opened.attributes, note: "x" }, { mode: "replace" });
    expect(opened.attributes).toEqual({ scale: 1, list: [Number.NaN], note: "x" });
    expect(textIn(store, key)).toMatch(/"scale": 1\.0,\s*"list": \[NaN\]/);
    const error = await errorOf(() => updateAttributes(opened, { note: Number.NaN }));
    expect(error.message).toBe("attributes.note is NaN, which JSON cannot represent");
  });

  it("keep unknown fields, number for number", async () => {
    const store = files();
    const array = await make(store, { attributes: { a: 1 } });
    const key = mainKey[zarrFormat];
    const foreign = '"foreign": {"must_understand": false, "big": 12345678901234567890, "e": 1.50}, ';
    store.set(key, bytesOf(textIn(store, key).replace("{", `{${foreign}`)));
    await resize(array, [3, 3]);
    await updateAttributes(array, { b: 2 });
    expect(textIn(store, key)).toContain("12345678901234567890");
    expect(textIn(store, key)).toContain("1.50");
    expect((await open(store)).attributes).toEqual({ a: 1, b: 2 });
  });

  it("of two writers at the same time lose nothing, if the store has conditions", async () => {
    const store = new ConditionalStore();
    const array = await make(store, { attributes: {} });
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => open(store, { kind: "array" })));
    await Promise.all(others.map((other, i) => updateAttributes(other, { [`writer${i}`]: i })));
    expect((await open(store)).attributes).toEqual({
      writer0: 0,
      writer1: 1,
      writer2: 2,
      writer3: 3,
      writer4: 4,
    });
    let n = 0;
    store.before = (key) => {
      store.before = () => {};
      const rival = store.files.get(key)!;
      store.set(key, rival);
      store.before = loop;
    };
    const loop = store.before;
    const key = zarrFormat === 1 ? "/attrs" : zarrFormat === 2 ? "/.zattrs" : "/zarr.json";
    store.before = async (written) => {
      if (written !== key || n++ % 2 === 1) return;
      await store.set(key, store.files.get(key)!);
    };
    expect((await errorOf(() => updateAttributes(array, { x: 1 })))._tag).toBe("Conflict");
  });

  itOfGroups("of many writers at once leave consolidated metadata that names all", async () => {
    const slow = new MapStore();
    const get = slow.get.bind(slow);
    slow.get = ((key: string) => new Promise((resolve) => setTimeout(() => resolve(get(key)), 1))) as never;
    for (const store of [new ConditionalStore(), slow]) {
      await createGroup(store, { zarrFormat });
      await consolidate(store);
      const names = Array.from({ length: 20 }, (_, i) => `a${i + 10}`);
      const attributes = { mine: 1 };
      await Promise.all([
        createGroup(store, { path: "g", zarrFormat, attributes }),
        ...names.map((name) => make(store, { path: `g/${name}` })),
      ]);
      const blind: Store = { get: (key) => store.get(key) };
      const group = await open(blind, { path: "", kind: "group" });
      const inside = (await group.open("g", { kind: "group" })) as typeof group;
      expect(inside.attributes).toEqual(attributes);
      expect((await inside.members()).map(({ name }) => name)).toEqual(names);
    }
  });

  it("of many writers at once make a node once", async () => {
    const store = new MapStore();
    const get = store.get.bind(store);
    store.get = ((key: string) => new Promise((resolve) => setTimeout(() => resolve(get(key)), 1))) as never;
    const made = await Promise.allSettled([1, 2, 3].map((a) => make(store, { attributes: { a } })));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await open(store)).attributes).toEqual({ a: 1 });
    await Promise.all([2, 3, 4].map(async (i) => updateAttributes(await open(store), { [`b${i}`]: i })));
    expect((await open(store)).attributes).toEqual({ a: 1, b2: 2, b3: 3, b4: 4 });
  });

  itOfGroups("delete nodes with all below them", async () => {
    const store = files();
    const root = await createGroup(store, { zarrFormat });
    const array = await make(store, { path: "g/a" });
    await make(store, { path: "g2" });
    store.set(`/g/a/${array.spec.chunkKey([0, 0])}`, bytesOf("x"));
    await deleteNode(root, "g");
    expect([...store.keys()].filter((key) => key.startsWith("/g/"))).toEqual([]);
    expect((await root.members()).map(({ name }) => name)).toEqual(["g2"]);
    expect((await errorOf(() => deleteNode(root, "g")))._tag).toBe("NotFound");
    const blind = { get: (key: string) => store.get(key), delete: (key: string) => store.delete(key) };
    expect((await errorOf(() => deleteNode(blind, "g2")))._tag).toBe("ReadOnly");
    expect((await open(store, { path: "g2" })).kind).toBe("array");
  });
});

describe("deleteNode", () => {
  it("deletes a root only if the path names it", async () => {
    const store = files();
    const root = await createGroup(store);
    const group = await createGroup(root, { path: "a/b" });
    await create(group, { path: "c", shape: [4], chunkShape: [2], dtype: "uint8" });
    const before = [...store.keys()];
    const calls = [
      () => deleteNode(store),
      () => deleteNode(root),
      () => deleteNode(store, undefined, {}),
      () => deleteNode(root, undefined),
    ];
    for (const call of calls) {
      const { _tag, code, message } = await errorOf(call);
      expect([_tag, code, message]).toEqual(["InvalidArgument", "bad-path", expect.stringContaining('"/"')]);
    }
    expect([...store.keys()]).toEqual(before);
    await deleteNode(group); // its parent is another group
    expect([...store.keys()]).toEqual(["/zarr.json", "/a/zarr.json"]);
    await deleteNode(root, "/");
    expect(store.size).toBe(0);
    await createGroup(store);
    await deleteNode(store, "");
    expect(store.size).toBe(0);
  });
});

describe("rectilinear grids", () => {
  it("grow as far as their chunks reach", async () => {
    const store = files();
    const array = await create(store, { shape: [8], chunkShape: [4], dtype: "int8" });
    const document = jsonIn(store, "/zarr.json");
    document.chunk_grid = {
      name: "rectilinear",
      configuration: { kind: "inline", chunk_shapes: [[4, [3, 2]]] },
    };
    store.set("/zarr.json", bytesOf(JSON.stringify(document)));
    const opened = await open(store, { kind: "array" });
    await resize(opened, [10]);
    expect([opened.shape, opened.gridShape]).toEqual([[10], [3]]);
    expect((await errorOf(() => resize(opened, [11])))._tag).toBe("InvalidArgument");
    expect(opened.shape).toEqual([10]);
    for (const key of ["/c/0", "/c/1", "/c/2"]) store.set(key, new Uint8Array(4));
    await resize(opened, [4]);
    expect(["/c/0", "/c/1", "/c/2"].map((key) => store.has(key))).toEqual([true, false, false]);
    expect(array.shape).toEqual([8]);
  });
});
