// One contract for all writable stores; `writeObject` and similar functions, also over read-only stores.
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  ByteCache,
  DirectoryHandleStore,
  getBytes,
  isZarrError,
  MapStore,
  open,
  readRange,
  type Store,
  WritableHttpStore,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { onWritten } from "#src/store/handle.js";
import {
  deleteEach,
  deleteObject,
  requireWritable,
  supportsConditions,
  writeObject,
} from "#src/store/write.js";
import { type Browser, MemoryDirectoryHandle } from "../support/directory-mock.js";
import { S3Server } from "../support/s3-server.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";
import { keysOf, tempFolder } from "../support/writing-tools.js";
import { regular, sharded, v3Meta, writeV3 } from "../support/zarr-writer.js";

const folder = tempFolder("writing");
const server = await new S3Server().start();
afterAll(() => server.close());

let count = 0;
const directory = (browser?: Browser) => () => new DirectoryHandleStore(new MemoryDirectoryHandle(browser));
const http = (options: object) => () => {
  const url = `${server.url}/store ${++count}/data.zarr`;
  return new WritableHttpStore(url, { bucket: server.url, retryDelay: 1, ...options });
};

const stores: [string, () => Store][] = [
  ["Map", () => new Map<string, Uint8Array>() as Store],
  ["MapStore", () => new MapStore()],
  ["FileSystemStore", () => new FileSystemStore(path.join(folder, `store ${++count}`))],
  ["FileSystemStore with fsync", () => new FileSystemStore(path.join(folder, `${++count}`), { fsync: true })],
  ["DirectoryHandleStore", directory()],
  ["DirectoryHandleStore, sync handles", directory({ syncHandles: true, move: "replaces" })],
  ["DirectoryHandleStore, sync handles, move refuses", directory({ syncHandles: true, move: "refuses" })],
  ["DirectoryHandleStore, streams alone", directory({ streams: true })],
  ["WritableHttpStore", http({})],
  ["WritableHttpStore with a cache", http({ cache: new ByteCache(2 ** 20) })],
];

describe.each(stores)("%s", (name, make) => {
  let store: Store;
  /** Tests of stores that can tell versions, unlike a Map. */
  const itByVersion: (title: string, run: () => Promise<void>) => void = name === "Map" ? () => {} : it;
  /** Tests of stores that delete below a path themselves. */
  const itDeleting: typeof itByVersion = "deletePrefix" in make() ? it : () => {};
  beforeEach(() => {
    store = make();
  });
  const read = async (key: string) => {
    const bytes = await store.get(key);
    return bytes && new TextDecoder().decode(bytes);
  };

  it("writes, replaces, reads back and removes", async () => {
    const large = randomBytes(100_000);
    await writeObject(store, "/a/b/c", bytesOf("one"));
    await writeObject(store, "/a/b/c", bytesOf("two"));
    await writeObject(store, "/a/x é+&<%20>", large);
    await writeObject(store, "/empty", new Uint8Array(0));
    expect(await read("/a/b/c")).toBe("two");
    expect(Buffer.compare((await store.get("/a/x é+&<%20>"))!, large)).toBe(0);
    expect(await store.get("/empty")).toEqual(new Uint8Array(0));
    expect(await readRange(store, "/a/b/c", { suffixLength: 2 })).toEqual(bytesOf("wo"));
    expect(await keysOf(store)).toEqual(["/a/b/c", "/a/x é+&<%20>", "/empty"]);
    await deleteObject(store, "/a/b/c");
    await deleteObject(store, "/a/b/c");
    await deleteObject(store, "/nowhere/at/all");
    expect(await read("/a/b/c")).toBeUndefined();
    expect(await keysOf(store)).toEqual(["/a/x é+&<%20>", "/empty"]);
  });

  it("stores the bytes as of the call, even if the caller reuses the buffer", async () => {
    const bytes = bytesOf("before");
    await writeObject(store, "/a", bytes);
    bytes.fill(0);
    expect(await read("/a")).toBe("before");
    const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(65);
    await writeObject(store, "/shared", shared);
    expect(await read("/shared")).toBe("AAAA");
    const part = bytesOf("a whole sentence").subarray(2, 7);
    await writeObject(store, "/part", part);
    expect(await read("/part")).toBe("whole");
  });

  it("never responds with the content before a write", async () => {
    for (let i = 0; i < 3; i++) {
      await writeObject(store, "/k", bytesOf(`value ${i}`));
      expect(await read("/k")).toBe(`value ${i}`);
      expect(await readRange(store, "/k", { suffixLength: 1 })).toEqual(bytesOf(String(i)));
      expect(await readRange(store, "/k", { offset: 6, length: 1 })).toEqual(bytesOf(String(i)));
    }
    await deleteObject(store, "/k");
    expect(await read("/k")).toBeUndefined();
    expect(await readRange(store, "/k", { suffixLength: 1 })).toBeUndefined();
  });

  itDeleting("removes everything below a path, and nothing else", async () => {
    const keys = ["/a/zarr.json", "/a/c/0/0", "/a/c/0/1", "/ab/zarr.json", "/a.x", "/b/a/zarr.json"];
    for (const key of keys) await writeObject(store, key, bytesOf(key));
    await store.deletePrefix!("a/c/0");
    expect(await keysOf(store)).toEqual(keys.filter((key) => !key.startsWith("/a/c/")).sort());
    await store.deletePrefix!("/a/");
    await store.deletePrefix!("a");
    await store.deletePrefix!("nothing/here");
    await store.deletePrefix!("a.x");
    expect(await keysOf(store)).toEqual(["/a.x", "/ab/zarr.json", "/b/a/zarr.json"]);
    await writeObject(store, "/a/zarr.json", bytesOf("again"));
    expect(await read("/a/zarr.json")).toBe("again");
    await store.deletePrefix!("");
    expect(await keysOf(store)).toEqual([]);
    await writeObject(store, "/b/a/zarr.json", bytesOf("again"));
    expect(await keysOf(store)).toEqual(["/b/a/zarr.json"]);
  });

  it("writes if nothing exists, with the condition", async () => {
    expect(supportsConditions(store)).toBe(true);
    await writeObject(store, "/k/v", bytesOf("first"), { ifVersion: "absent" });
    const error = await errorOf(() => writeObject(store, "/k/v", bytesOf("second"), { ifVersion: "absent" }));
    expect([error["_tag"], error["code"]]).toEqual(["AlreadyExists", "already-exists"]);
    expect(error.message).toMatch(/k\/v/);
    expect(await read("/k/v")).toBe("first");
    await deleteObject(store, "/k/v");
    const tries = Array.from({ length: 10 }, (_, i) =>
      writeObject(store, "/k/v", bytesOf(`by ${i}`), { ifVersion: "absent" }).then(
        () => i,
        (error) => (isZarrError(error, "AlreadyExists") ? -1 : error),
      ),
    );
    const won = (await Promise.all(tries)).filter((i) => i !== -1);
    expect(won.length).toBe(1);
    expect(await read("/k/v")).toBe(`by ${won[0]}`);
  });

  itByVersion("replaces the version that was read, if asked to", async () => {
    await writeObject(store, "/k", bytesOf("one"));
    const version = {};
    await store.get("/k", { version });
    expect(supportsConditions(store, version)).toBe(true);
    await writeObject(store, "/k", bytesOf("two"), { ifVersion: version });
    const error = await errorOf(() => writeObject(store, "/k", bytesOf("lost"), { ifVersion: version }));
    expect([error["_tag"], error["code"]]).toEqual(["Conflict", "conflict"]);
    expect(await read("/k")).toBe("two");
    const seen = {};
    await readRange(store, "/k", { suffixLength: 1 }, { version: seen });
    await deleteObject(store, "/k");
    const gone = await errorOf(() => writeObject(store, "/k", bytesOf("lost"), { ifVersion: seen }));
    expect(gone["_tag"]).toBe("Conflict");
    expect(await read("/k")).toBeUndefined();
  });

  itByVersion("loses no count of several who count at a time", async () => {
    await writeObject(store, "/n", bytesOf("0"));
    const add = async () => {
      for (;;) {
        const version = {};
        const bytes = await store.get("/n", { version });
        const next = bytesOf(String(Number(new TextDecoder().decode(bytes)) + 1));
        try {
          return await writeObject(store, "/n", next, { ifVersion: version });
        } catch (error) {
          if (!isZarrError(error, "Conflict")) throw error;
        }
      }
    };
    const writers = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 5; i++) await add();
    });
    await Promise.all(writers);
    expect(await read("/n")).toBe("20");
  });

  it("throws the signal's reason, and does nothing", async () => {
    await writeObject(store, "/a/b", bytesOf("there"));
    const signal = AbortSignal.abort(new Error("gone"));
    for (const work of [
      () => writeObject(store, "/a/b", bytesOf("x"), { signal }),
      () => deleteObject(store, "/a/b", { signal }),
      () => deleteEach(store, "a", ["/a/b"], { signal }),
    ]) {
      expect((await errorOf(work)).message).toBe("gone");
    }
    expect(await read("/a/b")).toBe("there");
    expect(await keysOf(store)).toEqual(["/a/b"]);
  });

  it("stores the whole object or nothing if aborted midway", async () => {
    await writeObject(store, "/a", bytesOf("old"));
    const controller = new AbortController();
    const large = randomBytes(3_000_000);
    const writing = writeObject(store, "/a", large, { signal: controller.signal }).then(
      () => "written",
      (error) => error.message,
    );
    await Promise.resolve();
    controller.abort(new Error("gone"));
    expect(["written", "gone"]).toContain(await writing);
    const bytes = (await store.get("/a"))!;
    expect([3, large.byteLength]).toContain(bytes.byteLength);
    expect(await keysOf(store)).toEqual(["/a"]);
  });

  it("keeps inside", async () => {
    for (const key of ["", "/", "a", "/../x", "/a/../../x", "/a/./b", "/a//b", "/a/", "/a\\b", "/\0"]) {
      const error = await errorOf(() => writeObject(store, key, bytesOf("x")));
      expect([error["_tag"], error["code"]], key).toEqual(["InvalidArgument", "bad-path"]);
      expect((await errorOf(() => deleteObject(store, key)))["_tag"], key).toBe("InvalidArgument");
    }
    if (store.deletePrefix)
      expect((await errorOf(async () => store.deletePrefix!("a/../..")))["_tag"]).toBe("InvalidArgument");
  });
});

it("a Map cannot tell versions", async () => {
  const store: Store = new Map<string, Uint8Array>();
  const version = {};
  await writeObject(store, "/k", bytesOf("one"));
  await store.get("/k", { version });
  expect(supportsConditions(store, version)).toBe(false);
  const error = await errorOf(() => writeObject(store, "/k", bytesOf("x"), { ifVersion: version }));
  expect([error["_tag"], error["code"]]).toEqual(["Unsupported", "no-conditions"]);
});

// Names in memory do not reach outside.
it.each(stores.filter(([name]) => !name.startsWith("Map")))(
  "%s keeps inside if it is called directly",
  async (_, make) => {
    const store = make();
    for (const key of ["", "/", "/../x"])
      expect((await errorOf(() => store.set!(key, bytesOf("x"))))["_tag"], key).toBe("InvalidArgument");
  },
);

describe("stores that cannot", () => {
  it("are read-only, and the method that is missing is named", async () => {
    const reading: Store = { get: () => undefined, locate: (key) => `there${key}` };
    for (const [work, method] of [
      [() => writeObject(reading, "/a", bytesOf("x")), "set"],
      [() => deleteObject(reading, "/a"), "delete"],
      [() => deleteEach(reading, "a", []), "delete"],
      [() => requireWritable(reading), "set"],
    ] as const) {
      const error = await errorOf(work);
      expect(error["_tag"]).toBe("ReadOnly");
      expect(error.message).toContain(`has no ${method}()`);
      expect(error.message).toContain("there/");
    }
  });

  it("ignore conditions, and report that", async () => {
    const entries = new Map<string, Uint8Array>();
    const plain: Store = {
      get: (key) => entries.get(key),
      set: (key, value) => void entries.set(key, value),
    };
    await writeObject(plain, "/a", bytesOf("x"));
    expect(supportsConditions(plain)).toBe(false);
    const error = await errorOf(() => writeObject(plain, "/a", bytesOf("y"), { ifVersion: "absent" }));
    expect([error["_tag"], error["code"]]).toEqual(["Unsupported", "no-conditions"]);
    expect(entries.get("/a")).toEqual(bytesOf("x"));
  });

  it("and their errors name the key", async () => {
    const cause = new Error("out of paper");
    const broken: Store = {
      get: () => undefined,
      set: () => Promise.reject(cause),
      delete: () => {
        throw cause;
      },
      list: () => ["/a/c/0"],
    };
    const error = await errorOf(() => writeObject(broken, "/a/b", bytesOf("x")));
    expect([error["_tag"], error["code"], error.cause]).toEqual(["Network", "store-failed", cause]);
    expect(error.message).toBe("/a/b could not be written: out of paper");
    expect((await errorOf(() => deleteObject(broken, "/a/b"))).message).toContain(
      "/a/b could not be deleted",
    );
    expect((await errorOf(() => deleteEach(broken, "a", ["/a/c/0"]))).message).toContain(
      "/a/ could not be deleted",
    );
  });
});

describe("the indexes of shards that an array keeps", () => {
  const meta = v3Meta({
    shape: [8],
    data_type: "uint8",
    chunk_grid: regular(8),
    codecs: [sharded([2])],
  });
  const shardOf = async (elements: Uint8Array, order: "C" | "reverse") => {
    const store = new MapStore();
    await writeV3(store, meta, elements, { order });
    return store.get("/c/0")!;
  };
  const before = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const after = Uint8Array.of(9, 10, 11, 12, 13, 14, 15, 16);

  /** The writer's error takes precedence. */
  function withoutVersions(): Store {
    const entries = new MapStore();
    return {
      get: (key) => entries.get(key),
      getRange: (key, range) => entries.getRange(key, range),
      set: (key, value) => entries.set(key, value),
      delete: (key) => entries.delete(key),
      list: (at) => entries.list(at),
    };
  }
  it.each<[string, () => Store]>([
    ["a Map", () => new Map() as Store],
    ["a store that tells no versions", withoutVersions],
    ["MapStore", () => new MapStore()],
    ["FileSystemStore", () => new FileSystemStore(path.join(folder, `shards ${++count}`))],
    ["WritableHttpStore", () => new WritableHttpStore(`${server.url}/shards`)],
  ])("are forgotten when a shard is written: %s", async (_name, make) => {
    const store = make();
    await writeObject(store, "/zarr.json", bytesOf(JSON.stringify(meta)));
    await writeObject(store, "/c/0", await shardOf(before, "C"));
    const array = await open(store, { kind: "array" });
    expect((await getBytes(array)).bytes).toEqual(before);
    await writeObject(store, "/c/0", await shardOf(after, "reverse"));
    expect((await getBytes(array)).bytes).toEqual(after);
    await deleteEach(store, "c", ["/c/0"]);
    expect((await getBytes(array)).bytes).toEqual(new Uint8Array(8));
  });
});

it("caches of reads are invalidated by writes", async () => {
  const store = new Map<string, Uint8Array>() as Store;
  const heard: string[] = [];
  const listener = (key: string) => void heard.push(key);
  onWritten(store, listener);
  onWritten(store, () => heard.push("twice"));
  await writeObject(store, "/a/b", bytesOf("x"));
  await deleteObject(store, "/a/b");
  await deleteEach(store, "a", ["/a/b"]);
  expect(heard.filter((key) => key !== "twice")).toEqual(["/a/b", "/a/b", "/a/"]);
  await writeObject(new MapStore(), "/other", bytesOf("x"));
  expect(heard).not.toContain("/other");
});
