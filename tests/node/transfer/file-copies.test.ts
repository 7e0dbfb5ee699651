// Copies from folder to folder by calls of the system: sources that change, failures of the system, killed processes.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  type openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import { createRequire, syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { create, set } from "zarr-wasm";
import { skipFor, skipNow, unsupportedSystem } from "../../shared/skips.js";
import { amount } from "../support/amounts.js";
import { run, temporaryPlaces, tool } from "../support/cli-tool.js";
import { copy, digestsOf, filesOf, urlOf, verify } from "../support/copying.js";
import { errorOf, randomizer } from "../support/support.js";

const place = temporaryPlaces("files");

/** An array of 16 chunks that do not compress. */
async function makeSource(codecs: string, dir = place("source.zarr")): Promise<string> {
  const array = await create(urlOf(dir), {
    ...{ shape: [64, 64], chunkShape: [16, 16], dtype: "uint16", codecs, zarrFormat: 2 },
  });
  const random = randomizer(7);
  const elements = Uint16Array.from({ length: 64 * 64 }, () => 1 + random() * 65_000);
  await set(array, null, elements);
  return dir;
}

/** Names of temporary files below a folder. */
const unfinished = (dir: string): string[] =>
  (readdirSync(dir, { recursive: true }) as string[]).filter((name) =>
    path.basename(name).startsWith(".zw-"),
  );

/** Replaces `fs.copyFile` for this process. */
const { copyFile } = fs;
function onCopy(work: (...args: Parameters<typeof copyFile>) => Promise<void>): void {
  fs.copyFile = work;
  syncBuiltinESMExports();
}
afterEach(() => onCopy(copyFile));

const systemError = (code: string) => Object.assign(new Error(code), { code });

describe("a chunk file that changes while it is copied", () => {
  it("and shrinks is an error, and gets no name", async () => {
    for (const codecs of ["none", "blosc:lz4"]) {
      const source = await makeSource(codecs);
      const dest = place();
      onCopy(async (from, ...rest) => {
        if (String(from).endsWith("/1.2")) truncateSync(from, statSync(from).size - 5);
        await copyFile(from, ...rest);
      });
      const error = await errorOf(() => copy(source, dest));
      expect(error).toMatchObject({ _tag: "CorruptChunk", code: "truncated" });
      expect(filesOf(dest).has("1.2")).toBe(false);
      expect(unfinished(dest)).toEqual([]);
    }
  });

  it("and grows is an error without a codec, and gets no name", async () => {
    const source = await makeSource("none");
    const dest = place();
    onCopy(async (from, ...rest) => {
      if (String(from).endsWith("/1.2")) await fs.appendFile(from, "more");
      await copyFile(from, ...rest);
    });
    expect(await errorOf(() => copy(source, dest))).toMatchObject({
      _tag: "CorruptChunk",
      code: "truncated",
    });
    expect(filesOf(dest).has("1.2")).toBe(false);
    expect(unfinished(dest)).toEqual([]);
  });

  it("and becomes another whole chunk is one of the two", async () => {
    const source = await makeSource("blosc:lz4");
    const other = filesOf(source).get("0.0")!;
    const dest = place();
    onCopy(async (from, ...rest) => {
      if (String(from).endsWith("/1.2")) writeFileSync(from, other);
      await copyFile(from, ...rest);
    });
    await copy(source, dest);
    expect(filesOf(dest).get("1.2")).toEqual(other);
    expect(filesOf(dest)).toEqual(filesOf(source));
  });

  it("and is removed is missing", async () => {
    const source = await makeSource("zstd");
    const dest = place();
    onCopy(async (from, ...rest) => {
      if (String(from).endsWith("/1.2")) await fs.rm(from);
      await copyFile(from, ...rest);
    });
    expect((await copy(source, dest)).chunks).toMatchObject({ asStored: 15, missing: 1 });
    expect(filesOf(dest)).toEqual(filesOf(source));
    expect(unfinished(dest)).toEqual([]);
  });
});

describe("if the system", () => {
  it.each(["ENOTSUP", "EXDEV", "ENOSYS", "EINVAL"])("fails to copy with %s, files are read", async (code) => {
    const source = await makeSource("zstd");
    const dest = place();
    onCopy(async () => {
      throw systemError(code);
    });
    expect((await copy(source, dest)).chunks.asStored).toBe(16);
    expect(filesOf(dest)).toEqual(filesOf(source));
  });

  it("has no shared blocks, it copies", async () => {
    const source = await makeSource("zstd");
    const dest = place();
    onCopy((from, to) => copyFile(from, to, fs.constants.COPYFILE_EXCL));
    await copy(source, dest);
    expect(filesOf(dest)).toEqual(filesOf(source));
  });

  it("has no space, the copy ends without temporary files", async () => {
    const source = await makeSource("zstd");
    const dest = place();
    onCopy(async (from, to, mode) => {
      await copyFile(from, to, mode);
      if (!String(from).endsWith("/3.3")) return;
      truncateSync(to, 1);
      throw systemError("ENOSPC");
    });
    expect(await errorOf(() => copy(source, dest))).toMatchObject({ _tag: "Network", code: "disk-full" });
    expect(filesOf(dest).has("3.3")).toBe(false);
    expect(unfinished(dest)).toEqual([]);
  });
});

describe("a slow file system", () => {
  const blocking = createRequire(import.meta.url)("node:fs") as {
    statSync: typeof statSync;
    openSync: typeof openSync;
  };
  const { statSync: stat } = blocking;
  afterEach(() => {
    blocking.statSync = stat;
    syncBuiltinESMExports();
  });

  it("is not waited for by the calling thread", async () => {
    const source = await makeSource("zstd");
    const dest = place();
    let calls = 0;
    blocking.statSync = ((...args: Parameters<typeof stat>) => {
      if (/\/\d+\.\d+$/.test(String(args[0]))) {
        calls++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
      return stat(...args);
    }) as typeof stat;
    syncBuiltinESMExports();
    await copy(source, dest);
    expect(filesOf(dest)).toEqual(filesOf(source));
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(16); // the number of files
  });

  it("is not waited for by copies that decode", async () => {
    const source = await makeSource("zstd");
    const [fast, slow] = [place(), place()];
    await copy(source, fast, { codecs: "blosc:lz4", threads: "1" });
    let calls = 0;
    const { openSync: openFile } = blocking;
    blocking.openSync = ((...args: Parameters<typeof openFile>) => {
      calls++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      return openFile(...args);
    }) as typeof openFile;
    syncBuiltinESMExports();
    await copy(source, slow, { codecs: "blosc:lz4", threads: "1" });
    blocking.openSync = openFile;
    syncBuiltinESMExports();
    expect(filesOf(slow)).toEqual(filesOf(fast));
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(32); // the number of files that are opened
  });
});

describe("a long copy as stored", () => {
  it("renews its lock", async () => {
    const source = await makeSource("zstd");
    const dest = place();
    const stamps = new Set<string>();
    onCopy(async (from, ...rest) => {
      while (String(from).endsWith("/0.0") && stamps.size < 3) {
        stamps.add(JSON.parse(readFileSync(path.join(dest, ".zw-writer.tmp"), "utf8")).stamp);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await copyFile(from, ...rest);
    });
    await copy(source, dest);
    expect(stamps.size).toBe(3);
    expect(filesOf(dest)).toEqual(filesOf(source));
  });
});

describe("a named pipe in place of a chunk", () => {
  it("is an error", skipFor(unsupportedSystem(process.platform !== "win32")), async () => {
    const source = await makeSource("zstd");
    spawnSync("rm", [path.join(source, "1.2")]);
    spawnSync("mkfifo", [path.join(source, "1.2")]);
    const error = await errorOf(() => copy(source, place()));
    expect(error).toMatchObject({ _tag: "Network", code: "file-failed" });
  });
});

describe("permissions of the copy", () => {
  it("equal the permissions of new files", async () => {
    const source = await makeSource("zstd");
    await fs.chmod(path.join(source, "1.2"), 0o400);
    const dest = place();
    await copy(source, dest);
    const mode = (name: string) => statSync(path.join(dest, name)).mode & 0o777;
    expect(mode("1.2")).toBe(mode(".zarray"));
    expect(mode("0.0")).toBe(mode(".zarray"));
  });
});

describe("a copy that is killed", () => {
  const quick = ["--import", new URL("../support/quick-locks.mjs", import.meta.url).href];
  /** Waits until some chunks are written, then kills. @returns whether the process was killed. */
  async function killed(source: string, dest: string, chunks: number, ...args: string[]): Promise<boolean> {
    const child = spawn(process.execPath, [...quick, tool, "copy", source, dest, ...args]);
    let hasEnded = false;
    const ended = new Promise<unknown>((resolve) =>
      child.on("close", (_, signal) => {
        hasEnded = true;
        resolve(signal);
      }),
    );
    const written = () => (existsSync(dest) ? readdirSync(dest).length : 0);
    while (!hasEnded && written() < chunks) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
    return (await ended) === "SIGKILL";
  }

  let source: string;
  beforeAll(async () => {
    source = place("source.zarr");
    const array = await create(urlOf(source), {
      ...{ shape: [640, 640], chunkShape: [32, 32], dtype: "uint32", codecs: "blosc:lz4", zarrFormat: 2 },
    });
    const random = randomizer(3);
    await set(
      array,
      null,
      Uint32Array.from({ length: 640 * 640 }, () => random() * 1e6),
    );
  });

  it.each([
    ["as stored", []],
    ["on two threads", ["--codecs", "zstd:5", "--threads", "2", "--memory", "8"]],
  ])("%s leaves whole chunks and temporary files, which verify and the next copy clean", async (_, args) => {
    const whole = place();
    expect((await run("copy", source, whole, ...args)).status).toBe(0);
    const wanted = filesOf(whole);
    let count = 0;
    for (let round = 0; round < amount(2, 40); round++) {
      const dest = place();
      if (await killed(source, dest, 10 + 50 * round, ...args)) count++;
      for (const [name, bytes] of filesOf(dest))
        expect([name, bytes.equals(wanted.get(name)!)]).toEqual([name, true]);
      const old = Date.now() / 1000 - 3600;
      for (const name of unfinished(dest)) utimesSync(path.join(dest, name), old, old);
      if (filesOf(dest).has(".zarray")) await verify(dest, { clean: true });
      else continue;
      expect(unfinished(dest).filter((name) => /^\.zw-[0-9a-f]{32}\.tmp$/.test(name))).toEqual([]);
      expect((await run("copy", source, dest, ...args, "--resume")).status).toBe(0);
      expect(digestsOf(dest)).toEqual(digestsOf(whole));
    }
    expect(count).toBeGreaterThan(0);
  });
});

describe("a full disk", () => {
  const mounted: string[] = [];
  afterAll(() => {
    for (const dir of mounted) spawnSync("umount", [dir]);
  });

  it("ends the copy with whole chunks only", async (context) => {
    const small = place("small");
    mkdirSync(small);
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]);
    if (status !== 0) skipNow(context, "only root can mount file systems");
    mounted.push(small);
    const source = place("source.zarr");
    const array = await create(urlOf(source), {
      ...{ shape: [40, 2048], chunkShape: [1, 2048], dtype: "uint16", codecs: "none", zarrFormat: 2 },
    });
    await set(array, null, new Uint16Array(40 * 2048).fill(3));
    const dest = path.join(small, "copy.zarr");
    for (const threads of ["1", "2"])
      for (const values of [{}, { codecs: "none", chunks: "1,1024", memory: "8" }]) {
        const error = await errorOf(() => copy(source, dest, { ...values, threads }));
        expect(error).toMatchObject({ _tag: "Network", code: "disk-full" });
        const sizes = [...filesOf(dest)]
          .filter(([name]) => /^\d/.test(name))
          .map(([, bytes]) => bytes.length);
        expect(new Set(sizes).size).toBeLessThanOrEqual(1);
        // Releasing the lock takes space, too; it goes stale.
        expect(unfinished(dest).filter((name) => name !== ".zw-writer.tmp")).toEqual([]);
        rmSync(dest, { recursive: true });
      }
  });

  it("elsewhere is another device, to which files are copied", async (context) => {
    const other = place("other");
    mkdirSync(other);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", other]).status !== 0)
      skipNow(context, "only root can mount file systems");
    mounted.push(other);
    const source = await makeSource("blosc:lz4");
    const dest = path.join(other, "copy.zarr");
    await copy(source, dest);
    expect(filesOf(dest)).toEqual(filesOf(source));
  });
});
