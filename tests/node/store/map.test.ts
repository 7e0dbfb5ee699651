// MapStore and plain Maps; listChildren over stores that can list and stores that cannot; zarrita's stores.
import { afterEach, describe, expect, it } from "vitest";
import { getBytes, HttpStore, listChildren, MapStore, open, readRange, type Store } from "zarr-wasm";
import { FetchStore } from "zarrita";
import { ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf, goldenCases, sha256, storeOf } from "../support/support.js";

const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const golden = goldenCases("v1")[0]!;
const entries = () => new Map(["/a/b/c", "x/y", "/x/z", "top"].map((key) => [key, bytesOf(key)]));

describe("MapStore", () => {
  it("finds keys with and without a leading slash", async () => {
    const store = new MapStore(entries());
    expect(store.get("/a/b/c")).toEqual(bytesOf("/a/b/c"));
    expect(store.get("/x/y")).toEqual(bytesOf("x/y"));
    expect(store.get("/top")).toEqual(bytesOf("top"));
    expect(store.get("/b")).toBeUndefined();
    expect(store.getRange("/x/y", { suffixLength: 1 })).toEqual(bytesOf("y"));
    const bare = new Map([...storeOf(golden)].map(([key, bytes]) => [key.slice(1), bytes]));
    expect(sha256((await getBytes(await open(new MapStore(bare), { kind: "array" }))).bytes)).toBe(
      golden.sha256,
    );
  });

  it("writes to its Map, under the existing key", () => {
    const map = entries();
    const store = new MapStore(map);
    store.set("/x/y", bytesOf("new"));
    store.set("/n", bytesOf("n"));
    store.delete("/top");
    store.delete("/nothing");
    expect([...map.keys()].sort()).toEqual(["/a/b/c", "/n", "/x/z", "x/y"]);
    expect(store.get("/x/y")).toEqual(bytesOf("new"));
    expect(new MapStore().get("/a")).toBeUndefined();
  });

  it("lists", () => {
    const store = new MapStore(entries());
    expect([...store.list("")].sort()).toEqual(["/a/b/c", "/top", "/x/y", "/x/z"]);
    expect([...store.list("x")].sort()).toEqual(["/x/y", "/x/z"]);
    expect(store.listChildren("")).toEqual(["a", "x"]);
    expect(store.listChildren("a")).toEqual(["b"]);
  });
});

describe("listChildren", () => {
  const keys = [
    "/g/.zgroup",
    "/g/a/.zarray",
    "/g/a/0.0",
    "/g/b/c/.zarray",
    "/gg/x/y",
    "/g/../z/k",
    "/g//k",
    "/g/./k/x",
  ];
  const listing = (more: Partial<Store>): Store => ({ get: () => undefined, ...more });
  async function* later(list: string[]) {
    for (const key of list) yield await Promise.resolve(key);
  }
  it.each<[string, Store]>([
    ["a Map's keys", new Map(keys.map((key) => [key, bytesOf("")])) as Store],
    ["a list", listing({ list: () => keys })],
    ["a list that comes bit by bit", listing({ list: () => later(keys) })],
    ["the store's own", listing({ listChildren: () => ["b", "a", "..", "a", "", "x/y", "\0", "c\\d"] })],
    ["the store's own, later", listing({ listChildren: async () => ["b", "a"] })],
  ])("uses %s", async (_name, store) => {
    expect(await listChildren(store, "/g/")).toEqual(["a", "b"]);
  });

  it("is undefined if a store cannot list, and passes on its errors", async () => {
    expect(await listChildren(new HttpStore("http://x/"), "")).toBeUndefined();
    expect(await listChildren(listing({}), "g")).toBeUndefined();
    const broken = listing({ listChildren: () => Promise.reject(new Error("broken")) });
    expect((await errorOf(() => listChildren(broken, ""))).message).toBe("broken");
    expect((await errorOf(() => listChildren(new MapStore(), "a/../b")))._tag).toBe("InvalidArgument");
  });
});

describe("zarrita's stores", () => {
  it("are stores", async () => {
    const objects = Object.fromEntries([...storeOf(golden)].map(([key, bytes]) => [`/data${key}`, bytes]));
    const server = await new ObjectServer(objects).start();
    servers.push(server);
    const store: Store = new FetchStore(`${server.url}/data`) as never;
    expect(sha256((await getBytes(await open(store, { kind: "array" }))).bytes)).toBe(golden.sha256);
    const meta = objects["/data/meta"]!;
    expect(await readRange(store, "/meta", { offset: 1, length: 5 })).toEqual(meta.slice(1, 6));
    expect(await readRange(store, "/meta", { suffixLength: 5 })).toEqual(meta.slice(-5));
    expect(await readRange(store, "/nothing", { offset: 0, length: 5 })).toBeUndefined();
    // It treats a whole object as the requested part.
    server.behaviour = { ranges: "whole" };
    expect((await errorOf(() => readRange(store, "/meta", { offset: 1, length: 5 }))).code).toBe("bad-range");
  });
});
