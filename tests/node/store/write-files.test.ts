// FileSystemStore writes: killed processes, full disks, and concurrent processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, {
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
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileSystemStore } from "zarr-wasm/node";
import { fileLockTimes } from "#src/store/file/write.js";
import { amount } from "../support/amounts.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";
import { keysOf, tempFolder } from "../support/writing-tools.js";

const folder = tempFolder("writing-files");
beforeEach(() => {
  Object.assign(fileLockTimes, { stale, wait: 30_000 });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

let count = 0;
function fresh(options?: ConstructorParameters<typeof FileSystemStore>[1]) {
  const root = path.join(folder, String(count++));
  mkdirSync(root);
  return { root, store: new FileSystemStore(root, options) };
}

const filesIn = (root: string) => readdirSync(root, { recursive: true, encoding: "utf8" }).sort();

/** Milliseconds after which the processes of these tests break locks. */
const stale = 100;

/** Runs a module that writes, with the store's folder as `root`. */
function writer(root: string, code: string) {
  const dist = (name: string) => JSON.stringify(new URL(`../../../dist/${name}`, import.meta.url).href);
  const script = `
    import fs from "node:fs";
    import { FileSystemStore } from ${dist("node.js")};
    import { fileLockTimes } from ${dist("store/file/write.js")};
    fileLockTimes.stale = ${stale};
    const store = new FileSystemStore(${JSON.stringify(root)});
    const add = async () => {
      const version = {};
      const n = Number(new TextDecoder().decode(await store.get("/n", { version })));
      await store.set("/n", new TextEncoder().encode(String(n + 1)), { ifVersion: version });
    };
    ${code}`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** A value that contains its own intended length. */
const isWhole = (bytes: Uint8Array) =>
  bytes.byteLength >= 4 &&
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === bytes.byteLength &&
  bytes.subarray(4).every((byte) => byte === (bytes.byteLength & 255));

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
  it("that write conditionally lose nothing", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    const code = `
      for (let i = 0; i < 25; ) {
        await add().then(
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

  it("lose nothing while they are suspended at random, with clocks 20 s apart", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    const code = (skew: number) => `
      const now = Date.now;
      Date.now = () => now() + ${skew};
      const end = performance.now() + 2500;
      let done = 0;
      while (performance.now() < end) {
        await add().then(
          () => done++,
          (error) => { if (error._tag !== "Conflict") throw error; },
        );
      }
      console.log(done);`;
    const children = [-20_000, 0, 20_000].map((skew) => writer(root, code(skew)));
    const counts = children.map(async (child) => {
      let text = "";
      child.stdout.on("data", (piece) => {
        text += piece;
      });
      const [status] = await once(child, "exit");
      expect(status).toBe(0);
      return Number(text);
    });
    let areRunning = true;
    const suspended = (async () => {
      for (let i = 0; areRunning; i++) {
        await sleep(20 * Math.random());
        children[i % 3]!.kill("SIGSTOP");
        await sleep(stale + 150 * Math.random());
        children[i % 3]!.kill("SIGCONT");
      }
    })();
    const total = (await Promise.all(counts)).reduce((a, b) => a + b, 0);
    areRunning = false;
    await suspended;
    expect(total).toBeGreaterThan(10);
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe(String(total));
    expect(filesIn(root)).toEqual(["n"]);
  });

  it("a holder that is suspended before it commits changes nothing once its lock is broken", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    const child = writer(
      root,
      `const { rename } = fs.promises;
      fs.promises.rename = async (from, to) => {
        if (String(to).endsWith("/n")) {
          fs.writeSync(1, "committing");
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        return rename(from, to);
      };
      await add().catch((error) => fs.writeSync(1, error._tag + " " + error.code + " " + error.message));`,
    );
    const [said] = await once(child.stdout, "data");
    expect(String(said)).toBe("committing");
    child.kill("SIGSTOP");
    const version = {};
    await store.get("/n", { version });
    const start = performance.now();
    await store.set("/n", bytesOf("other"), { ifVersion: version });
    expect(performance.now() - start).toBeGreaterThan(stale);
    const message = once(child.stdout, "data");
    child.kill("SIGCONT");
    expect(String(await message)).toMatch(
      /^Conflict locked .*was not written: another writer broke the lock/,
    );
    await once(child, "exit");
    expect(filesIn(root)).toEqual(["n"]);
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe("other");
  });

  it("a lock that does not change is broken, and others are waited for", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    const { rename } = fs.promises;
    let lock = "";
    vi.spyOn(fs.promises, "rename").mockImplementation((from, to) => {
      if (String(to).includes(".zw-lock")) lock = fileURLToPath(String(to));
      return rename(from, to);
    });
    const write = async (text: string, signal?: AbortSignal) => {
      const version = {};
      await store.get("/n", { version });
      await store.set("/n", bytesOf(text), { ifVersion: version, signal });
    };
    await write("1");
    expect(lock).not.toBe("");
    const hold = (entry: string) => {
      mkdirSync(lock, { recursive: true });
      writeFileSync(path.join(lock, entry), "dead");
    };
    hold("a");
    await write("2");
    hold("b");
    utimesSync(path.join(lock, "b"), 1, 1); // its age does not matter
    fileLockTimes.stale = 20_000;
    setTimeout(() => rmSync(path.join(lock, "b")), 50);
    const start = performance.now();
    await write("3");
    expect(performance.now() - start).toBeLessThan(10_000);
    fileLockTimes.stale = stale;
    hold("c");
    let holders = 0;
    const change = setInterval(() => {
      fs.renameSync(path.join(lock, `c${holders || ""}`), path.join(lock, `c${++holders}`));
    }, stale / 3);
    const error = await errorOf(() => write("4", AbortSignal.timeout(3 * stale)));
    clearInterval(change);
    expect(error.name).toBe("TimeoutError");
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe("3");
    rmSync(lock, { recursive: true });
    writeFileSync(lock.slice(0, -1), ""); // of another program: locks are folders
    expect((await errorOf(() => write("5"))).code).toBe("file-failed");
    rmSync(lock.slice(0, -1));
    await write("6");
    expect(await keysOf(store)).toEqual(["/n"]);
    expect(filesIn(root)).toEqual(["n"]);
  });

  it("fail if they wait for longer than 30 s, and name the lock", async () => {
    const { root, store } = fresh();
    await store.set("/n", bytesOf("0"));
    Object.assign(fileLockTimes, { wait: 50, stale: 10_000 });
    const version = {};
    await store.get("/n", { version });
    const { rename } = fs.promises;
    vi.spyOn(fs.promises, "rename").mockImplementation(async (from, to) => {
      if (!String(to).includes(".zw-lock")) return rename(from, to);
      mkdirSync(fileURLToPath(String(to)), { recursive: true });
      writeFileSync(path.join(fileURLToPath(String(to)), "held"), "");
      return rename(from, to);
    });
    const error = await errorOf(() => store.set("/n", bytesOf("1"), { ifVersion: version }));
    expect([error["_tag"], error["code"]]).toEqual(["Conflict", "locked"]);
    expect(error.message).toMatch(/n is locked by another writer: file:.*\/\.zw-lock[0-9a-f]{24}\.tmp$/);
    expect(readFileSync(path.join(root, "n"), "utf8")).toBe("0");
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
  it.each(cases)("%s at every step is %s (%s), and leaves existing objects", async (code, tag, own) => {
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

  it("a file system without hard links works as well", async () => {
    const { root, store } = fresh();
    vi.spyOn(fs.promises, "link").mockRejectedValue(Object.assign(new Error("no"), { code: "EPERM" }));
    await store.set("/a", bytesOf("one"), { ifVersion: "absent" });
    const error = await errorOf(() => store.set("/a", bytesOf("two"), { ifVersion: "absent" }));
    expect(error["_tag"]).toBe("AlreadyExists");
    expect(await store.get("/a")).toEqual(bytesOf("one"));
    expect(readdirSync(root)).toEqual(["a"]);
  });

  it("a folder that is removed during a write is created again", async () => {
    const { store } = fresh();
    const work = Array.from({ length: 40 }, (_, i) =>
      i % 4 === 3 ? store.deletePrefix("a/b") : store.set(`/a/b/${i}`, bytesOf(String(i))),
    );
    const ends = await Promise.allSettled(work);
    for (const end of ends) {
      // Files renamed away with their folder fail, with an error.
      if (end.status === "rejected") expect(end.reason._tag).toBe("Network");
    }
    for (const key of await keysOf(store)) {
      expect(await store.get(key)).toEqual(bytesOf(key.slice("/a/b/".length)));
    }
  });
});

it("a version never repeats, however fast the writes", async () => {
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

it("writes the rest after short writes", async () => {
  const { root, store } = fresh();
  const { open } = fs.promises;
  let writes = 0;
  vi.spyOn(fs.promises, "open").mockImplementation(async (file, ...rest) => {
    const handle = await open(file, ...rest);
    const write = handle.write.bind(handle) as (bytes: Uint8Array, at: number, n: number) => Promise<unknown>;
    handle.write = ((bytes: Uint8Array, at: number, length: number) => {
      writes++;
      return write(bytes, at, Math.min(length, 7));
    }) as typeof handle.write;
    return handle;
  });
  const value = randomBytes(100);
  await store.set("/a", value);
  expect(writes).toBe(15);
  expect(fs.readFileSync(path.join(root, "a")).equals(value)).toBe(true);
  await store.set("/empty", new Uint8Array(0));
  expect(fs.readFileSync(path.join(root, "empty")).length).toBe(0);
});

it("waits for the disk if requested", async () => {
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

it("removes a link to a folder, but not its target", async () => {
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
