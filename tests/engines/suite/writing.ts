/** Writing to the origin's private file system, in pages and in workers. */
import { create, createGroup, DirectoryHandleStore, deleteNode, getBytes, set } from "zarr-wasm";
import { at, openArray, sampleNamed } from "./data.js";
import { equal, errorOf, ok, skip, test } from "./registry.js";

/** A folder for this test alone; the page and its workers run the suite in the same origin. */
async function folderFor(use: (store: DirectoryHandleStore) => Promise<void>): Promise<void> {
  const { storage } = navigator;
  if (!storage?.getDirectory) skip("there is no private file system here");
  const root = await storage.getDirectory().catch((error) => skip(`unavailable: ${error}`));
  const name = `zarr-wasm ${crypto.randomUUID()}`;
  const folder = await root.getDirectoryHandle(name, { create: true });
  const file = await folder.getFileHandle("probe", { create: true });
  const isWorker = typeof document === "undefined";
  const canWrite = "createWritable" in file || (isWorker && "createSyncAccessHandle" in file);
  try {
    if (!canWrite) skip("files cannot be written here");
    await folder.removeEntry("probe");
    await use(new DirectoryHandleStore(folder));
  } finally {
    await root.removeEntry(name, { recursive: true });
  }
}

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
const bytesOf = (value: string) => new TextEncoder().encode(value);

async function keysOf(store: DirectoryHandleStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  return keys;
}

test("writing: a folder holds the written keys, and lists them", () =>
  folderFor(async (store) => {
    const large = Uint8Array.from({ length: 300_000 }, (_, i) => i * 7);
    await store.set("/a/b/c", bytesOf("one"));
    await store.set("/a/b/c", bytesOf("two"));
    await store.set("/a/é x", large);
    await store.set("/empty", new Uint8Array(0));
    equal(text(await store.get("/a/b/c")), "two");
    equal(await store.getRange("/a/é x", { offset: 299_990, length: 100 }), large.subarray(-10));
    equal(await store.getRange("/a/é x", { suffixLength: 3 }), large.subarray(-3));
    equal((await store.get("/empty"))?.byteLength, 0);
    equal(await keysOf(store), ["/a/b/c", "/a/é x", "/empty"]);
    equal(await store.listChildren(""), ["a"]);
    equal(await store.get("/a"), undefined, "a folder");
    equal(await store.get("/a/b/c/d"), undefined, "below a file");
    await store.delete("/a/b/c");
    await store.delete("/a/b/c");
    await store.delete("/a");
    equal(await keysOf(store), ["/a/é x", "/empty"]);
    await store.deletePrefix("a");
    await store.deletePrefix("nothing");
    equal(await keysOf(store), ["/empty"]);
    await store.set("/a/b/c", bytesOf("again"));
    await store.deletePrefix("");
    equal(await keysOf(store), []);
  }));

test("writing: nodes are deleted, and other files are not", () =>
  folderFor(async (store) => {
    const make = async (folder: DirectoryHandleStore, path: string) => {
      const options = { path, shape: [4], chunkShape: [2], dtype: "uint8" } as const;
      const array = await create(folder, options);
      await set(array, null, 1);
      return array;
    };
    await make(store, "g/a");
    await store.set("/g/notes", bytesOf("mine"));
    equal((await errorOf(() => deleteNode(store, "g")))["code"], "foreign-files");
    equal((await errorOf(() => createGroup(store, { path: "g", overwrite: true })))["code"], "foreign-files");
    await store.delete("/g/notes");
    const inner = new DirectoryHandleStore(await store.root.getDirectoryHandle("g"));
    const like = await make(inner, "b");
    equal((await errorOf(() => create(store, { like, path: "g", overwrite: true })))["code"], "is-source");
    equal((await keysOf(store)).length, 8);
    await deleteNode(store, "g");
    equal(await keysOf(store), ["/zarr.json"]);
    equal(await store.listChildren(""), []);
  }));

test("writing: conditional, also by concurrent writers", () =>
  folderFor(async (store) => {
    await store.set("/n", bytesOf("0"), { ifVersion: "absent" });
    equal(
      (await errorOf(() => store.set("/n", bytesOf("x"), { ifVersion: "absent" })))["_tag"],
      "AlreadyExists",
    );
    const add = async () => {
      for (;;) {
        const version = {};
        const next = String(Number(text(await store.get("/n", { version }))) + 1);
        try {
          return await store.set("/n", bytesOf(next), { ifVersion: version });
        } catch (error) {
          ok((error as { _tag?: string })._tag === "Conflict", String(error));
        }
      }
    };
    await Promise.all([add(), add(), add()]);
    equal(text(await store.get("/n")), "3");
  }));

test("writing: aborted writes leave no key", () =>
  folderFor(async (store) => {
    await store.set("/a", bytesOf("old"));
    const controller = new AbortController();
    const writing = errorOf(() => store.set("/a", new Uint8Array(2 ** 20), { signal: controller.signal }));
    controller.abort(new Error("gone"));
    equal((await writing).message, "gone");
    equal(text(await store.get("/a")), "old");
    equal(await keysOf(store), ["/a"]);
  }));

test("writing: a copy of an array is read back", () =>
  folderFor(async (store) => {
    const { path } = await sampleNamed("uncompressed");
    const document = await (await fetch(at(`${path}/zarr.json`))).arrayBuffer();
    await store.set("/zarr.json", new Uint8Array(document));
    const chunk = await (await fetch(at(`${path}/c/0/0`))).arrayBuffer();
    await store.set("/c/0/0", new Uint8Array(chunk));
    const { bytes } = await getBytes(await openArray(store));
    const original = await getBytes(await openArray(at(path)));
    equal(bytes.subarray(0, 8), original.bytes.subarray(0, 8));
  }));
