// copy() and verify() of zarr-wasm/transfer: stores in memory and folders, progress, abort, locks, and a bundle for pages.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import {
  create,
  createGroup,
  DirectoryHandleStore,
  get,
  isZarrError,
  MapStore,
  open,
  type Store,
  set,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { type CopyOptions, type CopyProgress, copy, type VerifyOptions, verify } from "zarr-wasm/transfer";
import { transferTimes } from "#src/transfer/host.js";
import { temporaryPlaces } from "../support/cli-tool.js";
import { MemoryDirectoryHandle } from "../support/directory-mock.js";
import { errorOf } from "../support/support.js";

const place = temporaryPlaces("transfer");
const values = Uint16Array.from({ length: 64 * 64 }, (_, i) => i + 1);

/** A group with one array of 16 chunks. */
async function source(): Promise<MapStore> {
  const store = new MapStore();
  const group = await createGroup(store, { attributes: { title: "a group" } });
  const options = { path: "a", shape: [64, 64], chunkShape: [16, 16], dtype: "uint16" } as const;
  await set(await create(group, options), null, values);
  return store;
}

const elements = async (store: Store | URL) =>
  (await get(await open(store, { kind: "array", path: "a" }))).data;

const chunkKeys = (store: MapStore) => [...store.entries.keys()].filter((key) => /\/c\//.test(key));

describe("copy", () => {
  it("copies chunks as they are stored, and reports progress", async () => {
    const to = new MapStore();
    const reports: CopyProgress[] = [];
    const result = await copy(await source(), to, { onProgress: (progress) => reports.push(progress) });
    expect(result).toMatchObject({
      arrays: 1,
      groups: 1,
      bytes: values.byteLength,
      chunks: { asStored: 16, reencoded: 0, skipped: 0, missing: 0 },
    });
    expect(result.bytesRead).toBe(result.bytesWritten);
    expect(reports.at(-1)).toEqual({
      bytes: values.byteLength,
      totalBytes: values.byteLength,
      skippedBytes: 0,
      chunks: 16,
      totalChunks: 16,
    });
    const bytes = reports.map((report) => report.bytes);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
    expect(await elements(to)).toEqual(values);
    expect((await open(to)).attributes).toEqual({ title: "a group" });
    expect([...to.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
  });

  it.each([
    ["other chunks", { chunkShape: [64, 8] }],
    ["shards", { zarrFormat: 3, chunkShape: [8, 8], shardShape: [32, 32] }],
    ["codecs", { codecs: ["gzip:5"] }],
    ["no compression", { codecs: "none" }],
    ["Zarr v2", { zarrFormat: 2 }],
  ] as const)("with %s gives the same elements, verified", async (_, options) => {
    const pageFolder = new DirectoryHandleStore(new MemoryDirectoryHandle());
    for (const to of [new MapStore(), new Map<string, Uint8Array>(), pageFolder]) {
      await copy(await source(), to, { ...options, verify: true });
      expect(await elements(to)).toEqual(values);
      expect(await verify(to)).toMatchObject({ problemCount: 0, arrays: 1, groups: 1 });
    }
  });

  it("names the array of a group that cannot be read", async () => {
    const from = await source();
    const document = JSON.parse(new TextDecoder().decode(from.entries.get("/a/zarr.json")!));
    document.codecs.push({ name: "unknown-codec" });
    const group = await open(from, { kind: "group" });
    from.entries.set("/a/zarr.json", new TextEncoder().encode(JSON.stringify(document)));
    for (const node of [from, group]) {
      const error = await errorOf(() => copy(node, new MapStore()));
      expect(error.message).toMatch(/^"\/a": .*unknown-codec/);
    }
  });

  it("takes an opened array, and part of it", async () => {
    const array = await open(await source(), { kind: "array", path: "a" });
    const to = new MapStore();
    await copy(array, to, { select: [{ start: 0, stop: 16, step: null }, 3] });
    const { data, shape } = await get(await open(to, { kind: "array" }));
    expect(shape).toEqual([16]);
    expect([...(data as Uint16Array)]).toEqual(Array.from({ length: 16 }, (_, i) => 64 * i + 4));
  });

  it("goes through intermediate chunks in a store", async () => {
    const from = new MapStore();
    const options = { shape: [2048, 2048], chunkShape: [16, 2048], dtype: "uint32" } as const;
    const all = Uint32Array.from({ length: 2048 * 2048 }, (_, i) => i + 1);
    await set(await create(from, options), null, all);
    const [to, temp] = [new MapStore(), new MapStore()];
    let stored = 0;
    const onProgress = () => {
      stored = Math.max(stored, temp.entries.size);
    };
    const rechunking = { chunkShape: [2048, 16], memory: 2 ** 23, verify: true, temp, onProgress };
    expect((await copy(from, to, rechunking)).chunks.reencoded).toBe(128);
    expect(stored).toBeGreaterThan(4);
    expect(temp.entries.size).toBe(0);
    const { data } = await get(await open(to, { kind: "array" }));
    expect(Buffer.compare(new Uint8Array((data as Uint32Array).buffer), new Uint8Array(all.buffer))).toBe(0);
  });

  it("that is aborted leaves whole chunks, and can be resumed", async () => {
    for (const options of [{}, { chunkShape: [4, 64] }]) {
      const from = await source();
      const to = new MapStore();
      const controller = new AbortController();
      const reason = new Error("enough");
      const slow: Store = {
        get: (key, getOptions) => from.get(key, getOptions),
        list: (prefix) => from.list(prefix),
        listChildren: (prefix) => from.listChildren(prefix),
      };
      const onProgress = ({ chunks }: CopyProgress) => {
        if (chunks > 0) controller.abort(reason);
      };
      const error = await errorOf(() =>
        copy(slow, to, { ...options, signal: controller.signal, onProgress }),
      );
      expect(error).toBe(reason);
      expect([...to.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
      expect((await verify(to)).problemCount).toBe(0);
      const { chunks } = await copy(from, to, { ...options, resume: true });
      expect(chunks.skipped).toBeGreaterThan(0);
      expect(await elements(to)).toEqual(values);
    }
  });

  it("locks its destination", async () => {
    transferTimes.store = 20;
    const [from, to] = [await source(), new MapStore()];
    let second: Promise<Error> | undefined;
    const onProgress = () => {
      second ??= errorOf(() => copy(from, to, { overwrite: true }));
    };
    const held: Store = { ...methods(from), get: (key) => later(() => from.get(key)) };
    await copy(held, to, { onProgress });
    const error = await second!;
    expect([error["_tag" as keyof Error], error["code" as keyof Error]]).toEqual(["Conflict", "locked"]);
    expect(await elements(to)).toEqual(values);
  });

  it("refuses destinations that are the source, and options that do not fit", async () => {
    const store = await source();
    const url = pathToFileURL(place("data.zarr"));
    await copy(store, url);
    const refused: [Parameters<typeof copy>, string, string][] = [
      [[store, store, { overwrite: true }], "NotAllowed", "is-source"],
      [[url, new URL(`${url.href}/a/copy.zarr`)], "NotAllowed", "is-source"],
      [[url, new FileSystemStore(url), { overwrite: true }], "NotAllowed", "is-source"],
      [[store, new MapStore(), { overwrite: true, resume: true }], "InvalidArgument", "bad-option"],
      [[store, new MapStore(), { chunkShape: [1, 2, 3] }], "InvalidArgument", "bad-option"],
      [[store, new MapStore(), { part: [2, 2] }], "InvalidArgument", "bad-option"],
      [[store, new MapStore(), { select: [0] }], "InvalidArgument", "bad-option"],
      [[store, url], "AlreadyExists", "node-exists"],
    ];
    for (const [args, tag, code] of refused) {
      const error = await errorOf(() => copy(...args));
      expect([isZarrError(error) && error._tag, isZarrError(error) && error.code]).toEqual([tag, code]);
      expect(error.message).not.toMatch(/--/);
    }
  });

  it.each([
    ["a Map and itself", (map: Map<string, Uint8Array>) => [map, map]],
    ["a Map and a store on it", (map: Map<string, Uint8Array>) => [map, new MapStore(map)]],
    ["two stores on a Map", (map: Map<string, Uint8Array>) => [new MapStore(map), new MapStore(map)]],
    ["a store and a wrapper of it", (map: Map<string, Uint8Array>) => [methods(new MapStore(map)), map]],
  ] as const)("refuses to overwrite the source: %s", async (_, storesOf) => {
    const { entries } = await source();
    const [from, to] = storesOf(entries) as [Store, Store];
    const before = [...entries.keys()];
    const error = await errorOf(() => copy(from, to, { overwrite: true }));
    expect(error).toMatchObject({ _tag: "NotAllowed", code: "is-source" });
    expect([...entries.keys()]).toEqual(before);
  });

  it("refuses options of other types before anything is written", async () => {
    const from = await source();
    const wrong = [
      { memory: "200000000" },
      { memory: 2n ** 30n },
      { wait: "5" },
      { part: null },
      { part: 3 },
      { part: [0, 2, 4] },
      { signal: {} },
      { onProgress: 3 },
      { onWarning: "x" },
      { temp: "file://host/x" },
      { temp: 3 },
      { temp: {} },
      { pool: {} },
      { pool: 4 },
      { limits: { readChunks: "3" } },
      { limits: { chunk: 3 } },
      { format: 4 },
      { chunkShape: [0] },
      { retries: 3 },
      null,
    ] as unknown as CopyOptions[];
    for (const options of wrong) {
      const to = new MapStore();
      const error = await errorOf(() => copy(from, to, options));
      expect(error, JSON.stringify(Object.keys(options ?? {}))).toMatchObject({ _tag: "InvalidArgument" });
      expect(to.entries.size).toBe(0);
    }
    for (const url of ["file://host/x", "file:///a%2Fb"]) {
      expect(await errorOf(() => copy(from, url))).toMatchObject({ code: "bad-option" });
      expect(await errorOf(() => verify(url))).toMatchObject({ code: "bad-option" });
    }
  });

  it.each([
    [copy, { metadata_only: true }, 'unknown option "metadata_only"; did you mean metadataOnly?'],
    [copy, { onProblem: () => {} }, 'unknown option "onProblem"; expected one of path, '],
    [verify, { onproblem: () => {} }, 'unknown option "onproblem"; did you mean onProblem?'],
    [verify, { overwrite: true }, 'unknown option "overwrite"; expected one of path, '],
  ] as const)("refuses unknown options: %o, %o", async (call, options, message) => {
    const to = new MapStore();
    const from = await source();
    const error = await errorOf(() =>
      call === copy ? copy(from, to, options as CopyOptions) : verify(from, options as VerifyOptions),
    );
    expect(error).toMatchObject({ _tag: "InvalidArgument", code: "bad-option" });
    expect(error.message).toContain(message);
    expect(to.entries.size).toBe(0);
  });

  it("ends with the error that a promise of onProgress rejects with", async () => {
    const rejected: unknown[] = [];
    const onRejection = (reason: unknown) => rejected.push(reason);
    process.on("unhandledRejection", onRejection);
    try {
      const own = new Error("own");
      for (const isLate of [false, true]) {
        const onProgress = async ({ bytes, totalBytes }: CopyProgress) => {
          if (isLate ? bytes === totalBytes && totalBytes > 0 : bytes > 0) throw own;
        };
        const to = new MapStore();
        expect(await errorOf(async () => copy(await source(), to, { onProgress }))).toBe(own);
        expect([...to.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
        const archive = pathToFileURL(place("copy.zip"));
        expect(await errorOf(async () => copy(await source(), archive, { onProgress }))).toBe(own);
        expect(existsSync(archive)).toBe(false);
      }
      const onProgress = async () => {
        throw own;
      };
      expect(await errorOf(async () => verify(await source(), { onProgress }))).toBe(own);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(rejected).toEqual([]);
    } finally {
      process.off("unhandledRejection", onRejection);
    }
  });

  it.each([
    ["its own", ""],
    ["that of a folder around it", "inner.zarr"],
  ])("stops waiting for a stale lock at once when it is aborted: %s", async (_, inner) => {
    const outer = place("outer.zarr");
    const writers = [{ id: "gone", host: "elsewhere", process: 1, since: "2026-01-01T00:00:00.000Z" }];
    const document = { state: "writing", writers, interval: 60_000, stale: 600_000, stamp: "a" };
    mkdirSync(outer);
    writeFileSync(path.join(outer, ".zw-writer.tmp"), JSON.stringify(document));
    const reason = new Error("enough");
    const start = performance.now();
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 100);
    const { signal } = controller;
    const to = pathToFileURL(path.join(outer, inner));
    expect(await errorOf(async () => copy(await source(), to, { signal }))).toBe(reason);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(readdirSync(outer)).toEqual([".zw-writer.tmp"]);
  });

  it("passes on what callbacks throw, without changing it", async () => {
    const to = new MapStore();
    for (const thrown of [new Error("own"), new DOMException("own", "AbortError")]) {
      const onProgress = ({ chunks }: CopyProgress) => {
        if (chunks > 0) throw thrown;
      };
      const overwrite = to.entries.size > 0;
      expect(await errorOf(async () => copy(await source(), to, { overwrite, onProgress }))).toBe(thrown);
      expect(thrown.message).toBe("own");
      expect([...to.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
    }
  });

  it("reports a store that cannot write the lock", async () => {
    const from = await source();
    for (const failing of [1, 2]) {
      const to = new MapStore();
      let count = 0;
      const error = await errorOf(() =>
        copy(from, {
          ...methods(to),
          get: (...args) => to.get(...args),
          set: (...args: Parameters<MapStore["set"]>) => {
            if (++count === failing) throw new Error("full");
            return to.set(...args);
          },
          delete: (key) => to.delete(key),
        }),
      );
      expect(error).toMatchObject({ _tag: "Network", code: "store-failed" });
      expect(error.message).toMatch(/lock .*full/);
      expect(to.entries.size).toBe(0);
    }
  });

  it("leaves no lock in a store without conditional writes if it ends while the lock is renewed", async () => {
    const before = transferTimes.store;
    transferTimes.store = 10;
    try {
      const [from, entries] = [await source(), new Map<string, Uint8Array>()];
      const isLock = (key: string) => key.includes(".zw-");
      let renewals = 0;
      const to: Store = {
        get: (key) => entries.get(key),
        set: async (key, value) => {
          // The lock is taken and confirmed by the first two writes.
          const isEnding = new TextDecoder().decode(value).includes('"ending"');
          if (isLock(key) && ++renewals > 2 && !isEnding)
            await new Promise((resolve) => setTimeout(resolve, 40));
          entries.set(key, value.slice());
        },
        delete: (key) => void entries.delete(key),
      };
      const slow: Store = {
        ...methods(from),
        get: async (key) => {
          if (key.includes("/c/")) await new Promise((resolve) => setTimeout(resolve, 30));
          return from.get(key);
        },
      };
      await copy(slow, to);
      expect(renewals).toBeGreaterThan(2);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect([...entries.keys()].filter(isLock)).toEqual([]);
    } finally {
      transferTimes.store = before;
    }
  });

  it("removes its lock from a store whose get reports no versions", async () => {
    const inner = new MapStore();
    const to: Store = {
      get: (key) => inner.get(key),
      set: (key, bytes, options) => inner.set(key, bytes, options),
      delete: (key) => inner.delete(key),
      list: (prefix) => inner.list(prefix),
      conditional: true,
    };
    await copy(await source(), to);
    expect(await elements(to)).toEqual(values);
    expect([...inner.entries.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
  });

  it("writes folders and archives by their file URLs", async () => {
    const from = await source();
    const dest = place("copy.zarr");
    await copy(from, pathToFileURL(dest));
    expect(readdirSync(dest).sort()).toEqual(["a", "zarr.json"]);
    const archive = pathToFileURL(place("copy.zip"));
    await copy(pathToFileURL(dest), archive, { verify: true });
    expect(await elements(archive)).toEqual(values);
    expect(existsSync(archive)).toBe(true);
    await copy(from, new FileSystemStore(dest), { overwrite: true });
    expect(await elements(pathToFileURL(dest))).toEqual(values);
  });
});

/** Lets other work run before a read. */
async function later<T>(work: () => T): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return work();
}

const methods = (store: MapStore): Store => ({
  get: (key) => store.get(key),
  list: (prefix) => store.list(prefix),
  listChildren: (prefix) => store.listChildren(prefix),
});

describe("verify", () => {
  it("finds a flipped byte after a copy", async () => {
    const to = new MapStore();
    await copy(await source(), to, { codecs: ["zstd", "crc32c"] });
    expect(await verify(to)).toMatchObject({ chunks: 16, missing: 0, problemCount: 0, problems: [] });
    const [key] = chunkKeys(to);
    const bytes = to.entries.get(key!)!.slice();
    bytes[bytes.byteLength >> 1]! ^= 1;
    to.entries.set(key!, bytes);
    const seen: unknown[] = [];
    const result = await verify(to, { onProblem: (problem) => seen.push(problem) });
    expect(result).toMatchObject({ chunks: 16, problemCount: 1 });
    expect(result.problems).toMatchObject([{ path: "a", key, tag: "CorruptChunk" }]);
    expect(seen).toEqual(result.problems);
  });

  it("ends with what callbacks throw, and does not report it as a problem of the data", async () => {
    const reason = new Error("own");
    let calls = 0;
    const fail = () => {
      calls++;
      throw reason;
    };
    const store = await source();
    expect(await errorOf(() => verify(store, { onProgress: fail }))).toBe(reason);
    store.entries.set("/a/c/3/3", new Uint8Array(3));
    calls = 0;
    expect(await errorOf(() => verify(store, { onProblem: fail }))).toBe(reason);
    expect(calls).toBe(1);
    const wrong = [{ part: 3 }, { signal: {} }, { onProblem: 3 }, null] as unknown as VerifyOptions[];
    for (const options of wrong)
      expect(await errorOf(() => verify(store, options))).toMatchObject({ _tag: "InvalidArgument" });
  });

  it("can be aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => controller.abort(reason);
    const error = await errorOf(async () =>
      verify(await source(), { signal: controller.signal, onProgress }),
    );
    expect(error).toBe(reason);
  });
});

it("bundles for pages import no modules of Node", async () => {
  const { metafile, warnings } = await build({
    stdin: {
      contents: 'import { copy, verify } from "zarr-wasm/transfer"; console.log(copy, verify);',
      resolveDir: path.join(import.meta.dirname, "../../.."),
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    splitting: true,
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "silent",
    logOverride: { "ignored-bare-import": "silent" },
    loader: { ".wasm": "file" },
  });
  expect(warnings).toEqual([]);
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  expect(imported.filter(({ external }) => external)).toEqual([]);
});

it("copies without the modules of Node", () => {
  const root = new URL("../../../", import.meta.url);
  const program = `
    import { readFileSync } from "node:fs";
    const wasm = (name) => readFileSync(new URL("dist/wasm/" + name + ".wasm", ${JSON.stringify(root.href)}));
    const [decode, full] = [wasm("decode"), wasm("full")];
    const log = console.log;
    for (const name of ["process", "Buffer", "setImmediate"]) delete globalThis[name];
    crypto.randomUUID = undefined;
    const load = (name) => import(new URL("dist/" + name + ".js", ${JSON.stringify(root.href)}));
    const { configureWasm, create, MapStore, set } = await load("index");
    const { copy, verify } = await load("transfer");
    configureWasm({ decode, full });
    const [from, to, temp] = [new MapStore(), new MapStore(), new MapStore()];
    const array = await create(from, { shape: [1024, 2048], chunkShape: [8, 2048], dtype: "uint32" });
    await set(array, null, Uint32Array.from({ length: 1024 * 2048 }, (_, i) => i + 1));
    const { chunks } = await copy(from, to, { chunkShape: [1024, 16], memory: 2 ** 23, temp, verify: true });
    const { problemCount } = await verify(to);
    const { code } = await copy(from, "file:///x.zarr").catch((error) => error);
    log(JSON.stringify([chunks.reencoded, problemCount, temp.entries.size, code]));
  `;
  const args = ["--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([stdout.trim(), stderr]).toEqual(['[128,0,0,"bad-option"]', ""]);
});
