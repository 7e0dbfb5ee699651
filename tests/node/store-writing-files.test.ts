// FileSystemStore writes: what is left of processes that are killed, of disks that are full, and of other processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FileSystemStore } from "zarr-wasm/node";
import { amount } from "./amounts.js";
import { bytesOf, errorOf, randomBytes } from "./support.js";
import { keysOf, tempFolder } from "./writing-tools.js";

const folder = tempFolder("writing-files");
afterEach(() => {
  vi.restoreAllMocks();
});

let count = 0;
function fresh(options?: ConstructorParameters<typeof FileSystemStore>[1]) {
  const root = path.join(folder, String(count++));
  mkdirSync(root);
  return { root, store: new FileSystemStore(root, options) };
}

const filesIn = (root: string) => readdirSync(root, { recursive: true, encoding: "utf8" }).sort();

/** Runs a module that writes, with the store's folder as `root`. */
function writer(root: string, code: string) {
  const script = `
    import { FileSystemStore } from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)};
    const store = new FileSystemStore(${JSON.stringify(root)});
    ${code}`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** A value that says how long it is meant to be. */
const isWhole = (bytes: Uint8Array) =>
  bytes.byteLength >= 4 &&
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === bytes.byteLength &&
  bytes.subarray(4).every((byte) => byte === (bytes.byteLength & 255));

/** Makes locks those of long ago, of processes that have ended: they count no more. */
function outdateLocks(folder: string): void {
  const longAgo = new Date(Date.now() - 60_000);
  for (const name of readdirSync(folder))
    if (name.startsWith(".zw-lock")) utimesSync(path.join(folder, name), longAgo, longAgo);
}

describe("a process that is killed while it writes", () => {
  it("leaves whole values alone", async () => {
    const { root, store } = fresh();
    const code = `
      for (let i = 0; ; i++) {
        const values = [0, 1, 2, 3].map(async (k) => {
          const length = 4 + ((i * 7919 + k * 104729) % 2_000_000);
          const bytes = new Uint8Array(length).fill(length & 255);
          new DataView(bytes.buffer).setUint32(0, length, true);
          const version = {};
          const isThere = k > 0 && (await store.get("/a/" + k, { version }));
          await store.set("/a/" + k, bytes, k === 0 ? {} : { ifVersion: isThere ? version : "absent" });
        });
        await Promise.all(values);
        if (i === 0) console.log("started");
      }`;
    let found = 0;
    for (let round = 0; round < amount(4, 8); round++) {
      const child = writer(root, code);
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill("SIGKILL");
      await once(child, "exit");
      outdateLocks(path.join(root, "a")); // else the next one waits for those that this one held
      for (const key of await keysOf(store)) {
        const bytes = (await store.get(key))!;
        expect(isWhole(bytes), `${key}: ${bytes.byteLength} bytes`).toBe(true);
        found++;
      }
    }
    expect(found).toBeGreaterThan(8);
    expect(await keysOf(store)).toEqual(["/a/0", "/a/1", "/a/2", "/a/3"]);
    await store.deletePrefix("");
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("several processes", () => {
  it("who write over what they have seen lose nothing", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    const code = `
      for (let i = 0; i < 25; ) {
        const version = {};
        const n = Number(new TextDecoder().decode(await store.get("/n", { version })));
        await store.set("/n", new TextEncoder().encode(String(n + 1)), { ifVersion: version }).then(
          () => i++,
          (error) => { if (error._tag !== "Conflict") throw error; },
        );
      }`;
    const children = Array.from({ length: 3 }, () => writer(root, code));
    const ends = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(ends).toEqual([0, 0, 0]);
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe("75");
    expect(readdirSync(root)).toEqual(["n"]);
  });

  it("a lock of one that has ended is taken away; one that is held is waited for", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    let lock = "";
    const open = fs.promises.open;
    vi.spyOn(fs.promises, "open").mockImplementation((file, ...rest) => {
      if (String(file).includes(".zw-lock")) lock = new URL(String(file)).pathname;
      return open(file, ...rest);
    });
    const write = async (text: string) => {
      const version = {};
      await store.get("/n", { version });
      await store.set("/n", bytesOf(text), { ifVersion: version });
    };
    await write("1");
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, "");
    utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    await write("2");
    writeFileSync(lock, "");
    setTimeout(() => rmSync(lock), 50);
    await write("3");
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe("3");
    expect(await keysOf(store)).toEqual(["/n"]);
    expect(readdirSync(root)).toEqual(["n"]);
    writeFileSync(lock, "");
    const signal = AbortSignal.timeout(30);
    const version = {};
    await store.get("/n", { version });
    const error = await errorOf(() => store.set("/n", bytesOf("4"), { ifVersion: version, signal }));
    expect(error.name).toBe("TimeoutError");
    rmSync(lock);
    expect(readdirSync(root)).toEqual(["n"]);
  });
});

describe("failures", () => {
  const steps = ["open", "rename", "link", "stat", "utimes"] as const;
  const cases: [code: string, tag: string, own: string][] = [
    ["ENOSPC", "Network", "disk-full"],
    ["EDQUOT", "Network", "disk-full"],
    ["EACCES", "ReadOnly", "permission-denied"],
    ["EROFS", "ReadOnly", "permission-denied"],
    ["EIO", "Network", "file-failed"],
    ["ENOTEMPTY", "Network", "file-failed"],
    ["ENAMETOOLONG", "InvalidArgument", "bad-path"],
  ];
  it.each(cases)("%s at every step is %s (%s), and leaves what was there", async (code, tag, own) => {
    const { root, store } = fresh({ fsync: true });
    for (const step of steps) {
      await store.set("/a/b", bytesOf("old"));
      const version = {};
      await store.get("/a/b", { version });
      if (step === "utimes") utimesSync(path.join(root, "a/b"), 1e10, 1e10);
      if (step === "utimes")
        await store.get("/a/b", { version: Object.assign(version, { etag: undefined }) });
      const key = step === "link" ? "/a/c" : "/a/b";
      const spy = vi.spyOn(fs.promises, step).mockRejectedValue(Object.assign(new Error("no"), { code }));
      const work = () => store.set(key, bytesOf("new"), { ifVersion: step === "link" ? "absent" : version });
      const error = await errorOf(work);
      expect(spy.mock.calls.length, step).toBeGreaterThan(0);
      expect([error["_tag"], error["code"]], step).toEqual([tag, own]);
      expect(error.message).toContain(`${key} could not be written: ${code}`);
      spy.mockRestore();
      expect(filesIn(root), step).toEqual(["a", "a/b"]);
      expect(await store.get("/a/b")).toEqual(bytesOf("old"));
    }
  });

  it("names that are too long, and folders in the way", async () => {
    const { root, store } = fresh();
    const error = await errorOf(() => store.set(`/${"a".repeat(300)}`, bytesOf("x")));
    expect([error["_tag"], error["code"]]).toEqual(["InvalidArgument", "bad-path"]);
    await store.set(`/${"a".repeat(255)}`, bytesOf("x"));
    await store.set("/f/g", bytesOf("x"));
    for (const [key, options] of [
      ["/f", {}],
      ["/f/g/h", {}],
      ["/f/g/h", { ifVersion: "absent" }],
    ] as const) {
      const way = await errorOf(() => store.set(key, bytesOf("x"), options));
      expect([way["_tag"], way["code"]], key).toEqual(["Network", "file-failed"]);
      expect(way.message).toMatch(/in place of/);
    }
    const there = await errorOf(() => store.set("/f", bytesOf("x"), { ifVersion: "absent" }));
    expect(there["_tag"]).toBe("AlreadyExists");
    await store.delete("/f");
    expect(filesIn(root)).toEqual(["a".repeat(255), "f", "f/g"]);
  });

  it("a file system without second names is as good", async () => {
    const { root, store } = fresh();
    vi.spyOn(fs.promises, "link").mockRejectedValue(Object.assign(new Error("no"), { code: "EPERM" }));
    await store.set("/a", bytesOf("one"), { ifVersion: "absent" });
    const error = await errorOf(() => store.set("/a", bytesOf("two"), { ifVersion: "absent" }));
    expect(error["_tag"]).toBe("AlreadyExists");
    expect(await store.get("/a")).toEqual(bytesOf("one"));
    expect(readdirSync(root)).toEqual(["a"]);
  });

  it("a folder that goes while it is written to is made again", async () => {
    const { store } = fresh();
    const work = Array.from({ length: 40 }, (_, i) =>
      i % 4 === 3 ? store.deletePrefix("a/b") : store.set(`/a/b/${i}`, bytesOf(String(i))),
    );
    const ends = await Promise.allSettled(work);
    for (const end of ends) {
      // What was renamed away with its folder fails, and says so.
      if (end.status === "rejected") expect(end.reason._tag).toBe("Network");
    }
    for (const key of await keysOf(store)) {
      expect(await store.get(key)).toEqual(bytesOf(key.slice("/a/b/".length)));
    }
  });
});

it("a version never comes back, however fast one writes", async () => {
  const { store } = fresh();
  const seen = new Set<string>();
  await store.set("/k", bytesOf("0"));
  for (let i = 0; i < 50; i++) {
    const version: { etag?: string } = {};
    await store.get("/k", { version });
    expect(seen.has(version.etag!)).toBe(false);
    seen.add(version.etag!);
    await store.set("/k", bytesOf("0"), { ifVersion: version });
  }
});

it("waits for the disk, if asked to", async () => {
  const synced: string[] = [];
  const open = fs.promises.open;
  vi.spyOn(fs.promises, "open").mockImplementation(async (file, ...rest) => {
    const handle = await open(file, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      synced.push(path.basename(new URL(String(file)).pathname));
      return sync();
    };
    return handle;
  });
  await fresh().store.set("/a", bytesOf("x"));
  expect(synced).toEqual([]);
  const { root, store } = fresh({ fsync: true });
  await store.set("/b", bytesOf("x"));
  expect(synced.length).toBe(2);
  expect(synced[0]).toMatch(/^\.zw-/);
  expect(synced[1]).toBe(path.basename(root));
});

it("a link to a folder goes, and not what it leads to", async () => {
  const { root, store } = fresh();
  const elsewhere = fresh();
  await elsewhere.store.set("/kept", randomBytes(10));
  symlinkSync(elsewhere.root, path.join(root, "link"));
  symlinkSync(path.join(elsewhere.root, "kept"), path.join(root, "file"));
  await store.deletePrefix("link");
  await store.deletePrefix("file");
  expect(readdirSync(root)).toEqual(["file"]);
  symlinkSync(elsewhere.root, path.join(root, "link"));
  await store.deletePrefix("");
  expect(readdirSync(root)).toEqual([]);
  expect(statSync(path.join(elsewhere.root, "kept")).size).toBe(10);
});
