// DirectoryHandleStore: special behaviour of browsers' folders, on a mock of them.
import { describe, expect, it } from "vitest";
import { DirectoryHandleStore } from "zarr-wasm";
import { type Browser, MemoryDirectoryHandle } from "../support/directory-mock.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";

function fresh(browser: Browser = { streams: true, syncHandles: true, move: "replaces" }) {
  const root = new MemoryDirectoryHandle(browser);
  return { root, browser, store: new DirectoryHandleStore(root) };
}

const names = (root: MemoryDirectoryHandle) => [...root.folder().entries.keys()].sort();

describe("failures", () => {
  const steps = ["create", "stream", "write", "close", "move", "mkdir"];
  const kinds: [name: string, tag: string, code: string][] = [
    ["QuotaExceededError", "Network", "disk-full"],
    ["NotAllowedError", "ReadOnly", "permission-denied"],
    ["NoModificationAllowedError", "Conflict", "locked"],
    ["InvalidStateError", "Network", "file-failed"],
  ];
  it.each(kinds)("%s at every step is %s (%s), and leaves existing objects", async (name, tag, code) => {
    for (const step of steps) {
      for (const key of ["/there", "/new"]) {
        const { root, browser, store } = fresh();
        await store.set("/there", bytesOf("old"));
        let hits = 0;
        browser.fault = (what) => {
          if (what !== step) return undefined;
          hits++;
          return new DOMException("no", name);
        };
        const path = step === "mkdir" ? `/folder${key}` : key;
        const ending = await store.set(path, bytesOf("new")).then(
          () => undefined,
          (error) => error,
        );
        if (hits === 0) continue; // a step that this way of writing does not take
        expect([ending?._tag, ending?.code], `${step} ${key}`).toEqual([tag, code]);
        expect(ending.message).toContain(path);
        delete browser.fault;
        expect(await store.get("/there")).toEqual(bytesOf("old"));
        expect(names(root)).toEqual(["there"]);
      }
    }
  });

  it("room that runs out", async () => {
    for (const browser of [
      { streams: true, move: "replaces", quota: 5000 },
      { syncHandles: true, move: "refuses", quota: 5000 },
      { streams: true, quota: 5000 },
    ] satisfies Browser[]) {
      const { root, store } = fresh(browser);
      await store.set("/a", randomBytes(4000));
      for (const key of ["/a", "/b"]) {
        const error = await errorOf(() => store.set(key, randomBytes(6000)));
        expect([error["_tag"], error["code"]]).toEqual(["Network", "disk-full"]);
      }
      expect(names(root)).toEqual(["a"]);
      expect((await store.get("/a"))!.byteLength).toBe(4000);
    }
  });

  it("browsers that cannot replace a file, users who refuse permission, invalid names", async () => {
    for (const browser of [{}, { syncHandles: true }]) {
      const { root, store } = fresh(browser);
      const error = await errorOf(() => store.set("/a", bytesOf("x")));
      expect([error["_tag"], error["code"]]).toEqual(["Unsupported", "no-conditions"]);
      expect(names(root)).toEqual([]);
    }
    const { root, browser, store } = fresh();
    await store.set("/a", bytesOf("x"));
    browser.readOnly = true;
    for (const work of [
      () => store.set("/a", bytesOf("y")),
      () => store.delete("/a"),
      () => store.deletePrefix(""),
    ]) {
      const error = await errorOf(work);
      expect([error["_tag"], error["code"]]).toEqual(["ReadOnly", "permission-denied"]);
    }
    expect(await store.get("/a")).toEqual(bytesOf("x"));
    browser.readOnly = false;
    const getFileHandle = root.getFileHandle.bind(root);
    root.getFileHandle = async (name, options) => {
      if (name.endsWith(".lnk")) throw new TypeError("Name is not allowed.");
      return getFileHandle(name, options);
    };
    const error = await errorOf(() => store.set("/a.lnk", bytesOf("x")));
    expect([error["_tag"], error["code"]]).toEqual(["InvalidArgument", "bad-path"]);
  });
});

it("files where folders are expected, and the reverse", async () => {
  const { store } = fresh();
  await store.set("/a/b", bytesOf("x"));
  expect(await store.get("/a")).toBeUndefined();
  expect(await store.get("/a/b/c")).toBeUndefined();
  for (const key of ["/a", "/a/b/c"]) {
    const error = await errorOf(() => store.set(key, bytesOf("y")));
    expect([error["_tag"], error["code"]], key).toEqual(["Network", "file-failed"]);
  }
  await store.delete("/a");
  await store.deletePrefix("a/b");
  expect(await store.get("/a/b")).toEqual(bytesOf("x"));
});

it("an empty folder is not an object, and stays", async () => {
  const { root, store } = fresh();
  await root.getDirectoryHandle("empty", { create: true });
  await store.delete("/empty");
  expect(names(root)).toEqual(["empty"]);
  expect(await store.listChildren("")).toEqual(["empty"]);
});

it("unfinished files are not listed", async () => {
  const { root, store } = fresh();
  await store.set("/a", bytesOf("x"));
  for (const name of [".zw-0123.tmp", "a.crswap", "back\\slash"]) {
    root.folder().entries.set(name, root.folder().entries.get("a")!);
  }
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  expect(keys).toEqual(["/a"]);
});

it("folders that another program removes are created again, and are missing until then", async () => {
  const { root, store } = fresh();
  await store.set("/a/b/c", bytesOf("x"));
  await root.removeEntry("a", { recursive: true });
  expect(await store.get("/a/b/c")).toBeUndefined();
  await store.set("/a/b/c", bytesOf("y"));
  expect(await store.get("/a/b/c")).toEqual(bytesOf("y"));
  await root.removeEntry("a", { recursive: true });
  await store.set("/a/b", bytesOf("now a file"));
  expect(await store.get("/a/b/c")).toBeUndefined();
});

it("a file that is replaced during a read is read again; a lost version is reported", async () => {
  const { root, store } = fresh();
  await store.set("/a", bytesOf("old"));
  const getFileHandle = root.getFileHandle.bind(root);
  let reads = 0;
  root.getFileHandle = async (name, options) => {
    const handle = await getFileHandle(name, options);
    return {
      ...handle,
      getFile: async () => {
        if (++reads === 1) throw new DOMException("gone", "NotFoundError");
        return handle.getFile();
      },
    };
  };
  expect(await store.get("/a")).toEqual(bytesOf("old"));
  expect(reads).toBe(2);
  const version = {};
  await store.get("/a", { version });
  await store.set("/a", bytesOf("newer"));
  expect((await errorOf(() => store.getRange("/a", { suffixLength: 1 }, { version })))["code"]).toBe(
    "changed",
  );
});

it("other writers of the origin are kept out by the lock, and the lock heeds the signal", async () => {
  const { root, store } = fresh();
  const other = new DirectoryHandleStore(root);
  await store.set("/n", bytesOf("0"));
  const version = {};
  await store.get("/n", { version });
  const ends = await Promise.allSettled([
    store.set("/n", bytesOf("1"), { ifVersion: version }),
    other.set("/n", bytesOf("2"), { ifVersion: version }),
  ]);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});
