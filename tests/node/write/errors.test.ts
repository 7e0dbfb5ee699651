// Errors of writes: typed, with the progress of the write; stored objects stay complete.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  append,
  type CreateOptions,
  create,
  createGroup,
  deleteNode,
  get,
  open,
  resize,
  type Store,
  set,
  setChunk,
  slice,
  updateAttributes,
  WritableHttpStore,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import { FileSystemStore, fileSink } from "zarr-wasm/node";
import { makeFolder } from "#src/store/file/write.js";
import { skipFor } from "../../shared/skips.js";
import { type Fault, S3Server } from "../support/s3-server.js";
import { errorOf } from "../support/support.js";

type Files = Map<string, Uint8Array>;
const files = (): Files => new Map();
/** Four chunks of two elements. */
const make = (store: Store | Files, options: Partial<CreateOptions> = {}) =>
  create(store, { shape: [8], chunkShape: [2], dtype: "int16", codecs: "none", ...options });
const one = { concurrency: 1 };
const counted = Int16Array.of(1, 2, 3, 4, 5, 6, 7, 8);

const chunksOf = (store: Files) => [...store.keys()].filter((key) => /\d$/.test(key)).sort();
const values = async (array: ZarrArray) => [...((await get(array)).data as Iterable<unknown>)];

describe("values that a codec cannot represent", () => {
  const cast = (configuration: Record<string, unknown>) => [{ name: "cast_value", configuration }, "bytes"];
  const cases: [string, Partial<CreateOptions>, ArrayLike<number>, string][] = [
    [
      "beyond the range of a cast",
      { codecs: cast({ data_type: "uint8" }) },
      [1, 2, 3, 4, 300, 6, 7, 8],
      "cast_value",
    ],
    ["below it", { codecs: cast({ data_type: "uint8" }) }, [1, 2, 3, 4, 5, -1, 7, 8], "cast_value"],
    [
      "NaN in a cast to integers",
      { dtype: "float32", codecs: cast({ data_type: "int8" }) },
      [1, 2, 3, 4, Number.NaN, 6, 7, 8],
      "cast_value",
    ],
    [
      "beyond the range of a scaled type",
      { dtype: "int8", codecs: [{ name: "scale_offset", configuration: { offset: 0, scale: 30 } }, "bytes"] },
      [1, 2, 3, 4, 5, 6, 7, 8],
      "scale_offset",
    ],
  ];
  it.each(cases)("%s", async (_, options, given, codec) => {
    const store = files();
    const array = await make(store, options);
    const { data } = await get(array);
    Array.from(given).forEach((value, i) => {
      (data as Float32Array)[i] = value;
    });
    const error = await errorOf(() => set(array, null, data, one));
    expect([error._tag, error["codec"], error.chunkKey]).toEqual(["EncodeFailed", codec, "/c/2"]);
    expect(error["written"]).toEqual({ chunks: 2, totalChunks: 4 });
    expect(error.message).toContain("(2 of 4 chunks written)");
    expect(chunksOf(store)).toEqual(["/c/0", "/c/1"]);
    expect((await values(array)).map(Number)).toEqual([1, 2, 3, 4, 0, 0, 0, 0]);
  });

  it("in a part of a chunk, which stays unchanged", async () => {
    for (const shardShape of [undefined, [8]]) {
      const store = files();
      const array = await make(store, { codecs: cast({ data_type: "uint8" }), shardShape });
      await set(array, null, counted);
      const before = new Map(store);
      expect((await errorOf(() => set(array, [3], 256)))._tag).toBe("EncodeFailed");
      expect(store).toEqual(before);
    }
  });
});

describe("the stack of an error", () => {
  const refuse = async () => {
    throw new ZarrError("Network", "refused");
  };
  const refusing = async () => {
    const store = files();
    await make(store);
    return {
      get: (key: string) => store.get(key),
      list: () => [...store.keys()],
      set: refuse,
      delete: refuse,
    };
  };

  it.each<[name: string, call: (array: ZarrArray, store: Store) => Promise<unknown>]>([
    ["set", (array) => set(array, null, counted)],
    ["setChunk", (array) => setChunk(array, [0], Int16Array.of(1, 2))],
    ["append", (array) => append(array, Int16Array.of(1))],
    ["resize", (array) => resize(array, [9])],
    ["updateAttributes", (array) => updateAttributes(array, { a: 1 })],
    ["create", (_, store) => create(store, { path: "b", shape: [1], dtype: "int8" })],
    ["createGroup", (_, store) => createGroup(store, { path: "b" })],
    ["deleteNode", (_, store) => deleteNode(store, "/")],
  ])("of %s contains the caller", async (_, call) => {
    const store = await refusing();
    const array = await open(store, { kind: "array" });
    const theCaller = async () => {
      await call(array, store);
    };
    expect((await errorOf(theCaller)).stack).toContain("theCaller");
  });

  it("contains the caller of get, and leaves the program's limit alone", async () => {
    const store = files();
    const array = await make(store);
    store.set("/c/0", new Uint8Array(3));
    const limit = Error.stackTraceLimit;
    const reader = async () => {
      await get(array);
    };
    expect((await errorOf(reader)).stack).toContain("reader");
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it("adds no limit if there is none", async () => {
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!;
    const array = await make(files());
    Reflect.deleteProperty(Error, "stackTraceLimit");
    try {
      await errorOf(() => get(array, [100, 100]));
      expect(Error).not.toHaveProperty("stackTraceLimit");
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", limit);
    }
  });
});

describe("stores with some methods only", () => {
  it("are refused before anything is written, naming the missing method", async () => {
    const store = files();
    await make(store);
    const array = (await open({ get: (key) => store.get(key) })) as ZarrArray;
    const error = await errorOf(() => set(array, null, counted));
    expect([error._tag, error.code]).toEqual(["ReadOnly", "no-set"]);
    expect(error.message).toContain("it has no set()");
    expect(chunksOf(store)).toEqual([]);
  });

  it("or at the first call of a missing method: delete", async () => {
    const store = files();
    await set(await make(store), null, counted);
    const partial: Store = { get: (key) => store.get(key), set: (key, bytes) => void store.set(key, bytes) };
    const array = (await open(partial)) as ZarrArray;
    const error = await errorOf(() => set(array, [slice(2, 6)], Int16Array.of(9, 9, 0, 0), one));
    expect([error._tag, error.code, error.chunkKey]).toEqual(["ReadOnly", "no-delete", "/c/2"]);
    expect(error["written"]).toEqual({ chunks: 1, totalChunks: 2 });
    expect(await values(array)).toEqual([1, 2, 9, 9, 5, 6, 7, 8]);
    await set(array, [slice(4, 6)], 0, { writeEmptyChunks: true });
    expect(await values(array)).toEqual([1, 2, 9, 9, 0, 0, 7, 8]);
  });
});

describe("servers that refuse in the middle", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await new S3Server().start();
  });
  afterAll(() => server.close());

  /** An array whose third chunk cannot be written. */
  async function refused(
    fault: Fault | ((key: string) => Fault),
    name: string,
    work: (array: ZarrArray) => Promise<void>,
  ) {
    const store = new WritableHttpStore(`${server.url}/${name}`, { retries: 2, retryDelay: 1 });
    const array = await make(store);
    await set(array, null, Int16Array.of(-1, -1, -1, -1, -1, -1, -1, -1));
    server.fault = ({ method, key }) => {
      if (method !== "PUT" || !key.endsWith("c/2")) return undefined;
      return typeof fault === "function" ? fault(key) : fault;
    };
    const error = await errorOf(() => work(array));
    server.fault = undefined;
    return { error, array };
  }

  const faults: [string, Fault, object][] = [
    ["403", { status: 403, code: "AccessDenied" }, { _tag: "Network", code: "http-status", status: 403 }],
    ["503", { status: 503, code: "SlowDown" }, { _tag: "Network", status: 503 }],
    ["a connection that breaks", { break: true }, { _tag: "Network" }],
    ["507, a full disk", { status: 507 }, { _tag: "Network", status: 507 }],
    ["405", { status: 405, code: "MethodNotAllowed" }, { _tag: "ReadOnly" }],
  ];
  it.each(faults)("%s", async (name, fault, wanted) => {
    const { error, array } = await refused(fault, `whole ${name}`, (a) => set(a, null, counted, one));
    expect(error).toMatchObject({ ...wanted, chunkKey: "/c/2", written: { chunks: 2, totalChunks: 4 } });
    expect(error.message).toContain("(2 of 4 chunks written)");
    expect(await values(array)).toEqual([1, 2, 3, 4, -1, -1, -1, -1]);
    await set(array, null, counted);
    expect(await values(array)).toEqual([...counted]);
  });

  it("412, of a chunk that others write all the time", async () => {
    let writes = 0;
    const fault = (key: string) => {
      server.objects.set(key, { ...server.objects.get(key)!, etag: `"${++writes}"` });
      return { status: 412, code: "PreconditionFailed" };
    };
    const paint = (conflicts: "retry" | "error") => (array: ZarrArray) =>
      set(array, [slice(1, 5)], Int16Array.of(9, 9, 9, 9), { ...one, conflicts });
    for (const conflicts of ["retry", "error"] as const) {
      const { error, array } = await refused(fault, `conflicts-${conflicts}`, paint(conflicts));
      expect(error).toMatchObject({
        _tag: "Conflict",
        chunkKey: "/c/2",
        written: { chunks: 2, totalChunks: 3 },
      });
      expect(await values(array)).toEqual([-1, 9, 9, 9, -1, -1, -1, -1]);
    }
  }, 30_000);
});

/** A file system of 64 KiB; undefined if this process may not mount one. */
function tinyDisk(): string | undefined {
  const parent = path.join(import.meta.dirname, "../../../build/tmp");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, "disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

const noDisk = (disk: string | undefined) => (disk ? undefined : "this process may not mount file systems");

function removeDisk(disk: string | undefined): void {
  if (!disk) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
}

describe("a read-only file system", () => {
  const disk = tinyDisk();
  afterAll(() => removeDisk(disk));

  it("is named as the reason, also for folders that are to be created", skipFor(noDisk(disk)), async () => {
    const url = pathToFileURL(`${disk}/a.zarr`);
    const array = await create(url, { shape: [8], chunkShape: [4], dtype: "int16" });
    execFileSync("mount", ["-o", "remount,ro", disk!]);
    const store = new FileSystemStore(url);
    for (const work of [
      () => set(array, null, 5),
      () => append(array, new Int16Array(2)),
      () => create(pathToFileURL(`${disk}/b.zarr`), { shape: [8], dtype: "int16" }),
      () => create(pathToFileURL(`${disk}/b/c/d.zarr`), { shape: [8], dtype: "int16" }),
      () => store.set("/x", new Uint8Array(1)),
      () => store.set("/deep/er/x", new Uint8Array(1), { ifVersion: "absent" }),
      () => store.delete("/zarr.json"),
      () => fileSink(`${disk}/x.zip`).getWriter().write(new Uint8Array(1)),
      () => fileSink(`${disk}/deep/er/x.zip`).getWriter().write(new Uint8Array(1)),
    ]) {
      const error = await errorOf(work);
      expect([error._tag, error.code]).toEqual(["ReadOnly", "permission-denied"]);
      expect(error.message).toMatch(/EROFS, the file system is read-only/);
    }
    expect(await open(url)).toBeDefined();
  });

  it("differs from missing folders, which Node's recursive mkdir reports instead", async () => {
    const made: string[] = [];
    const failing = (code: string) => Object.assign(new Error(code), { code });
    const fs = (existing: string, reason: string) => ({
      mkdir: async (folder: URL, options?: { recursive: boolean }) => {
        const isBelow = new URL("..", folder).pathname === existing;
        if (options?.recursive || !isBelow) throw failing("ENOENT");
        if (reason !== "none") throw failing(reason);
        made.push(folder.pathname);
      },
    });
    const work = (existing: string, reason: string) => () =>
      makeFolder(fs(existing, reason) as never, new URL("file:///a/b/c/d/"));
    expect((await errorOf(work("/a/", "EROFS"))).code).toBe("EROFS");
    expect((await errorOf(work("/a/b/c/", "EACCES"))).code).toBe("EACCES");
    expect((await errorOf(work("/a/b/", "EEXIST"))).code).toBe("ENOENT");
    expect((await errorOf(work("nowhere", "EROFS"))).code).toBe("ENOENT");
    expect((await errorOf(work("/a/b/", "none"))).code).toBe("ENOENT"); // another process removes folders: retried
    expect(made).toEqual(["/a/b/c/"]);
  });
});

describe("a full disk", () => {
  const disk = tinyDisk();
  afterAll(() => removeDisk(disk));

  it("leaves whole chunks, and no other files", skipFor(noDisk(disk)), async () => {
    const url = pathToFileURL(`${disk}/a.zarr`);
    const array = await create(url, { shape: [32768], chunkShape: [4096], dtype: "int16", codecs: "none" });
    const error = await errorOf(() => set(array, null, new Int16Array(32768).fill(5), one));
    expect([error._tag, error.message]).toEqual(["Network", expect.stringContaining("ENOSPC")]);
    const { chunks, totalChunks } = error["written"] as { chunks: number; totalChunks: number };
    expect(totalChunks).toBe(8);
    expect(chunks).toBeGreaterThan(4);
    const { data } = await get((await open(url)) as ZarrArray);
    const wanted = Array.from({ length: 32768 }, (_, i) => (i < 4096 * chunks ? 5 : 0));
    expect([...(data as Int16Array)]).toEqual(wanted);
    const listed = execFileSync("find", [disk!, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
    expect(listed).toHaveLength(1 + chunks);
  });

  it("in a custom store is reported with the chunk's key", async () => {
    const store = files();
    const full: Store = {
      get: (key) => store.get(key),
      set: (key, bytes) => {
        if (key === "/c/3")
          throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        store.set(key, bytes);
      },
      delete: (key) => void store.delete(key),
    };
    const array = await make(full);
    const error = await errorOf(() => set(array, null, counted, one));
    expect([error._tag, error.code, error.chunkKey]).toEqual(["Network", "store-failed", "/c/3"]);
    expect((error.cause as { code?: string }).code).toBe("ENOSPC");
    expect(error["written"]).toEqual({ chunks: 3, totalChunks: 4 });
  });
});
