// FileSystemStore: parts of files, listing, writing, and keys outside the folder.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { listChildren, type RangeQuery, readRange } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { checkWindowsPath } from "#src/store/file/store.js";
import { errorOf, randomBytes } from "../support/support.js";

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const folder = mkdtempSync(path.join(tmp, "files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const object = randomBytes(10_000);
let count = 0;
/** A fresh folder with files in it. */
function fill(files: Record<string, Uint8Array> = {}) {
  const root = path.join(folder, `store ${count++} #%é`);
  mkdirSync(root);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), bytes);
  }
  return { root, store: new FileSystemStore(root) };
}

async function all(keys: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = [];
  for await (const key of keys) list.push(key);
  return list;
}

describe("reads of files", () => {
  it("let other tasks run between short files", async () => {
    const { store } = fill({ a: object });
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    // Would never end if reads kept the thread to themselves.
    while (turns < 3) await store.get("/a");
    isOver = true;
    expect(turns).toBe(3);
  });

  it("return files of any size", async () => {
    for (const size of [0, 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20]) {
      const bytes = randomBytes(size);
      const { store } = fill({ a: bytes });
      const [whole, again] = await Promise.all([store.get("/a"), store.get("/a")]);
      expect(Buffer.compare(whole!, bytes)).toBe(0);
      expect(Buffer.compare(again!, bytes)).toBe(0);
    }
  });
});

describe("parts of files", () => {
  it.each<RangeQuery>([
    { offset: 0, length: 10 },
    { offset: 9_990, length: 10 },
    { offset: 9_990, length: 100 },
    { offset: 10_000, length: 5 },
    { offset: 2 ** 45, length: 5 },
    { offset: 3, length: 0 },
    { suffixLength: 0 },
    { suffixLength: 7 },
    { suffixLength: 20_000 },
  ])("%j", async (range) => {
    const { store } = fill({ a: object, empty: new Uint8Array(0) });
    const expected =
      "offset" in range
        ? object.slice(range.offset, range.offset + range.length)
        : object.slice(range.suffixLength ? -range.suffixLength : 10_000);
    expect(Buffer.compare((await readRange(store, "/a", range))!, expected)).toBe(0);
    expect(await readRange(store, "/empty", range)).toEqual(new Uint8Array(0));
    expect(await readRange(store, "/b", range)).toBeUndefined();
    expect(await readRange(store, "/a/b", range)).toBeUndefined();
  });

  it("reject invalid ranges, objects above the limit, and entries that are not files", async () => {
    const { root, store } = fill({ a: object });
    expect((await errorOf(() => store.getRange("/a", { offset: -1, length: 1 })))._tag).toBe(
      "InvalidArgument",
    );
    const narrow = new FileSystemStore(root, { maxBytes: 99 });
    expect((await errorOf(() => narrow.get("/a")))._tag).toBe("LimitExceeded");
    expect((await errorOf(() => narrow.getRange("/a", { suffixLength: 100 })))._tag).toBe("LimitExceeded");
    expect((await narrow.getRange("/a", { suffixLength: 99 }))!.byteLength).toBe(99);
    execFileSync("mkfifo", [path.join(root, "pipe")]);
    symlinkSync("/dev/zero", path.join(root, "zero"));
    for (const key of ["/pipe", "/zero"]) {
      const error = await errorOf(() => store.get(key));
      expect([error._tag, error.code]).toEqual(["Network", "file-failed"]);
    }
  });

  it("notice that a file has changed", async () => {
    const { root, store } = fill({ a: object });
    const version = {};
    await store.getRange("/a", { suffixLength: 5 }, { version });
    await store.getRange("/a", { suffixLength: 5 }, { version });
    writeFileSync(path.join(root, "a"), object.slice(1));
    expect((await errorOf(() => store.getRange("/a", { offset: 0, length: 5 }, { version }))).code).toBe(
      "changed",
    );
    rmSync(path.join(root, "a"));
    expect((await errorOf(() => store.getRange("/a", { offset: 0, length: 5 }, { version }))).code).toBe(
      "changed",
    );
  });

  it("throw the signal's reason", async () => {
    const { store } = fill({ a: object });
    const signal = AbortSignal.abort(new Error("gone"));
    expect((await errorOf(() => store.get("/a", { signal }))).message).toBe("gone");
  });
});

describe("listing", () => {
  it("lists keys and folders", async () => {
    const files = { "zarr.json": object, "b/zarr.json": object, "b/c d/%23é": object, "a/0/1": object };
    const { root, store } = fill(files);
    mkdirSync(path.join(root, "empty"));
    mkdirSync(path.join(root, "back\\slash"));
    writeFileSync(path.join(root, "new\nline"), "");
    expect(await all(store.list(""))).toEqual(["/a/0/1", "/b/c d/%23é", "/b/zarr.json", "/zarr.json"]);
    for (const key of await all(store.list("/"))) expect(await store.get(key)).toBeDefined();
    expect(await all(store.list("b/c d"))).toEqual(["/b/c d/%23é"]);
    expect(await all(store.list("zarr.json"))).toEqual([]);
    expect(await all(store.list("nothing"))).toEqual([]);
    expect(await listChildren(store, "")).toEqual(["a", "b", "empty"]);
    expect(await listChildren(store, "/b/")).toEqual(["c d"]);
    expect(await listChildren(store, "nothing")).toEqual([]);
    expect(await listChildren(store, "zarr.json")).toEqual([]);
    expect((await errorOf(() => listChildren(store, "..")))._tag).toBe("InvalidArgument");
  });

  it("follows links, but not in circles", async () => {
    const { root, store } = fill({ "a/x": object });
    symlinkSync("a", path.join(root, "link"));
    for (const [name, target] of [
      ["a/up", ".."],
      ["a/self", "."],
      ["gone", "nowhere"],
    ]) {
      symlinkSync(target!, path.join(root, name!));
    }
    expect(await all(store.list(""))).toEqual(["/a/x", "/link/x"]);
    expect(await store.listChildren("")).toEqual(["a", "link"]);
  });

  it("reports unreadable files", () => {
    const { root } = fill({ "a/x": object });
    chmodSync(path.join(root, "a"), 0);
    const script = `
      import { FileSystemStore } from ${JSON.stringify(new URL("../../../dist/bundle/node.js", import.meta.url).href)};
      try {
        for await (const key of new FileSystemStore(process.argv[1]).list("")) console.log(key);
      } catch ({ _tag, code }) {
        console.log(_tag, code);
      }`;
    // Root may read everything except this.
    const drop = "--bounding-set=-dac_override,-dac_read_search";
    const plainly = process.getuid?.() === 0 ? ["setpriv", drop] : ["env"];
    const [command, ...args] = [...plainly, process.execPath, "--input-type=module", "-e", script, root];
    const said = execFileSync(command!, args, { encoding: "utf8" });
    chmodSync(path.join(root, "a"), 0o755);
    expect(said).toBe("Network file-failed\n");
  });
});

describe("writing", () => {
  it("leaves nothing behind when it fails", async () => {
    const { root, store } = fill({ "a/b": object });
    for (const key of ["/a", "/a/b/c"]) {
      const error = await errorOf(() => store.set(key, object));
      expect([error._tag, error.code], key).toEqual(["Network", "file-failed"]);
    }
    expect(readdirSync(root)).toEqual(["a"]);
    expect(readdirSync(path.join(root, "a"))).toEqual(["b"]);
    writeFileSync(path.join(root, ".zw-0.tmp"), "left by a process that ended");
    expect(await all(store.list(""))).toEqual(["/a/b"]);
  });

  it("stays inside the folder", async () => {
    const { store } = fill({ a: object });
    for (const key of ["", "/", "/../x", "/a/../../x", "/..\\x", "/\0", "/\ud800"]) {
      expect((await errorOf(() => store.set(key, object)))._tag, key).toBe("InvalidArgument");
      if (key.length > 1) expect((await errorOf(() => store.get(key)))._tag, key).toBe("InvalidArgument");
    }
    expect((await errorOf(() => store.delete("/../x")))._tag).toBe("InvalidArgument");
  });
});

it("refuses names that Windows interprets differently", () => {
  for (const name of [
    "a/.. /b",
    "...",
    "a.",
    "a ",
    "C:",
    "a:b",
    "nul",
    "NUL.txt",
    "com1",
    "lpt¹.x",
    "a/CON/b",
    "a?",
    "con ",
  ]) {
    expect(() => checkWindowsPath(name), name).toThrow(expect.objectContaining({ _tag: "InvalidArgument" }));
  }
  for (const name of ["", "0.0", "c/0/0", ".zarray", "console", "nulls", "a b", "com", "com10"]) {
    expect(() => checkWindowsPath(name), name).not.toThrow();
  }
});
