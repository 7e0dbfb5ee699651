// Stores that throw values other than errors: every operation rejects with an error of this library.
import { describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  deleteNode,
  get,
  getBytes,
  isZarrError,
  listChildren,
  open,
  readRange,
  resize,
  type Store,
  set,
  updateAttributes,
  WorkerPool,
  WritableHttpStore,
  ZipStore,
  ZipWriter,
} from "zarr-wasm";
import { writeMultiscale } from "zarr-wasm/conventions";
import * as zarrita from "zarr-wasm/zarrita";
import { deleteObject, writeObject } from "#src/store/write.js";
import { bytesOf } from "../support/support.js";

const throwing = () => {
  throw new Error("a getter");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
/** Functions that make a value to throw. */
const thrown: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  "a string": () => "out of paper",
  "a number": () => 5,
  "a symbol": () => Symbol("x"),
  "a frozen object": () => Object.freeze({ message: "frozen" }),
  "an object without prototype": () => Object.create(null) as unknown,
  "an object with a throwing message": () => Object.defineProperty({}, "message", { get: throwing }),
  "an error with a throwing message": () =>
    Object.defineProperty(new Error("x"), "message", { get: throwing }),
  "an error whose message is an object": () => Object.assign(new Error("x"), { message: {} }),
  "a proxy that throws": () => new Proxy({}, { get: throwing, getPrototypeOf: throwing, has: throwing }),
  "a revoked proxy": revoked,
};

type Method = "get" | "getRange" | "set" | "delete" | "list" | "listChildren";

/** A store with an array `a` and a group in memory, some of whose methods throw, at once or by a promise. */
async function brokenStore(methods: readonly Method[], make: () => unknown, isLate: boolean, from = "") {
  const entries = new Map<string, Uint8Array>();
  await createGroup(entries);
  const array = await create(entries, { path: "a", shape: [8], chunkShape: [4], dtype: "uint8" });
  await set(array, null, new Uint8Array(8).fill(3));
  const fail = () => {
    if (isLate) return Promise.reject(make());
    throw make();
  };
  const isBroken = (method: Method, key: string) => methods.includes(method) && key.includes(from);
  const store: Store = {
    get: (key) => (isBroken("get", key) ? (fail() as never) : entries.get(key)),
    set: (key, value) => (isBroken("set", key) ? fail() : entries.set(key, value.slice())),
    delete: (key) => (isBroken("delete", key) ? fail() : entries.delete(key)),
    async *list() {
      if (methods.includes("list")) await fail();
      yield* [...entries.keys()];
    },
    locate: methods.includes("get") ? throwing : (key) => `broken:${key}`,
  };
  if (methods.includes("getRange")) store.getRange = fail as never;
  if (methods.includes("listChildren")) store.listChildren = fail as never;
  return store;
}

/** Operations, by the methods of the store that throw. */
const operations: [
  name: string,
  methods: readonly Method[],
  from: string,
  (store: Store) => Promise<unknown>,
][] = [
  ["open", ["get"], "", (store) => open(store)],
  ["get", ["get"], "/c/", async (store) => get(await open(store, { path: "a", kind: "array" }))],
  [
    "get by workers",
    ["get"],
    "/c/",
    async (store) => {
      const pool = new WorkerPool({ size: 1 });
      const array = await open(store, { path: "a", kind: "array" });
      await get(array, null, { pool }).finally(() => pool.destroy());
    },
  ],
  ["getBytes", ["get"], "/c/", async (store) => getBytes(await open(store, { path: "a", kind: "array" }))],
  [
    "getChunk",
    ["get"],
    "/c/",
    async (store) => (await open(store, { path: "a", kind: "array" })).getChunk([0]),
  ],
  ["readRange", ["getRange"], "", (store) => readRange(store, "/a/c/0", { offset: 0, length: 2 })],
  ["readRange by get", ["get"], "", (store) => readRange(store, "/a/c/0", { suffixLength: 2 })],
  ["listChildren", ["listChildren"], "", (store) => listChildren(store, "")],
  ["listChildren by list", ["list"], "", (store) => listChildren(store, "")],
  ["members", ["list"], "", async (store) => (await open(store, { kind: "group" })).members()],
  [
    "ZipStore",
    ["get", "getRange"],
    "",
    (store) => Promise.resolve(new ZipStore({ store, key: "/z" }).get("/k")),
  ],
  ["set", ["set"], "/c/", async (store) => set(await open(store, { path: "a", kind: "array" }), null, 5)],
  [
    "set in part",
    ["get"],
    "/c/",
    async (store) => set(await open(store, { path: "a", kind: "array" }), [1], 5),
  ],
  [
    "append",
    ["set"],
    "",
    async (store) => append(await open(store, { path: "a", kind: "array" }), new Uint8Array(1)),
  ],
  ["resize", ["delete"], "", async (store) => resize(await open(store, { path: "a", kind: "array" }), [4])],
  ["create", ["set"], "", (store) => create(store, { path: "b", shape: [1], dtype: "uint8" })],
  ["create by reading", ["get"], "", (store) => create(store, { path: "b", shape: [1], dtype: "uint8" })],
  ["createGroup", ["set"], "", (store) => createGroup(store, { path: "b" })],
  ["updateAttributes", ["set"], "", async (store) => updateAttributes(await open(store), { x: 1 })],
  ["consolidate", ["list"], "", async (store) => consolidate(await open(store, { kind: "group" }))],
  ["deleteNode", ["delete"], "", (store) => deleteNode(store, "a")],
  ["deleteNode by list", ["list"], "", (store) => deleteNode(store, "a")],
  ["writeObject", ["set"], "", (store) => writeObject(store, "/k", bytesOf("x"))],
  ["deleteObject", ["delete"], "", (store) => deleteObject(store, "/k")],
  [
    "writeMultiscale",
    ["set"],
    "/c/",
    (store) => writeMultiscale(store, { data: new Uint8Array(64).fill(1), shape: [8, 8] }, { path: "m" }),
  ],
  ["zarrita's open", ["get"], "", (store) => zarrita.open(store as never)],
  [
    "zarrita's get",
    ["get"],
    "/c/",
    async (store) =>
      zarrita.get(await zarrita.open(zarrita.root(store as never).resolve("a"), { kind: "array" })),
  ],
];

async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

describe.each(Object.entries(thrown))("a store that throws %s", (_, make) => {
  it.each(operations)("%s", async (_name, methods, from, work) => {
    for (const isLate of [false, true]) {
      const store = await brokenStore(methods, make, isLate, from);
      const error = await failureOf(() => work(store));
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ _tag: "Network", code: "store-failed", message: /could not be/ });
    }
  });
});

describe.each(Object.entries(thrown))("a callback of the program throws %s", (_, make) => {
  const fail = () => {
    throw make();
  };

  it("a fetch", async () => {
    const store = new WritableHttpStore("http://host", { fetch: fail, retries: 0 });
    for (const work of [
      () => store.get("/k"),
      () => store.getRange("/k", { offset: 0, length: 1 }),
      () => store.set("/k", bytesOf("x")),
      () => store.delete("/k"),
    ])
      expect(await failureOf(work)).toMatchObject({ _tag: "Network", code: "fetch-failed" });
  });

  it("a cache, a signer", async () => {
    const cached = new WritableHttpStore("http://host", { retries: 0, cache: { get: fail, set: fail } });
    expect(isZarrError(await failureOf(() => open(cached)), "Network")).toBe(true);
    const signed = new WritableHttpStore("http://host", { retries: 0, sign: fail });
    expect(isZarrError(await failureOf(() => signed.get("/k")), "Network")).toBe(true);
    expect(isZarrError(await failureOf(() => signed.set("/k", bytesOf("x"))), "Network")).toBe(true);
  });

  it("the sink of an archive", async () => {
    const writer = new ZipWriter(fail);
    const error = await failureOf(async () => {
      await writer.set("/k", new Uint8Array(100_000));
      await writer.close();
    });
    expect(error).toMatchObject({ _tag: "Network", code: "store-failed" });
  });

  it("createWorker", async () => {
    const pool = new WorkerPool({ size: 1, createWorker: fail });
    pool.start();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(pool.status).toMatchObject({ state: "failed", reason: /./ });
  });
});

it("errors of a store and reasons of signals are passed on unchanged", async () => {
  const own = new RangeError("the store's own");
  const store = await brokenStore(["get"], () => own, true, "/c/");
  const array = await open(store, { path: "a", kind: "array" });
  expect(await failureOf(() => get(array))).toBe(own);
  const controller = new AbortController();
  controller.abort(null);
  expect(await failureOf(() => get(array, null, { signal: controller.signal }))).toBe(null);
});
