// Entries of persistent caches: damage, eviction, permissions, options, and processes that share a folder.
import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { HttpStore } from "zarr-wasm";
import { PersistentCache } from "zarr-wasm/cache";
import { distFolder } from "../../shared/places.js";
import { skipFor } from "../../shared/skips.js";
import { folder, fresh, openVisit, read, server, useCacheServer, visit } from "../support/cache-visits.js";
import { bytesOf, errorOf, randomBytes } from "../support/support.js";

useCacheServer();

/** Requests except those that confirm the document above. */
const withoutRoot = (log: readonly string[]) => log.filter((line) => !line.includes("zarr.json"));

describe("entries", () => {
  const files = async () => (await readdir(folder)).map((name) => path.join(folder, name));
  /** The first entry with at least this many bytes: not that of the document above. */
  const fileWith = async (bytes: number) => {
    for (const file of await files()) if ((await stat(file)).size >= bytes + 200) return file;
    return undefined;
  };

  it("that are damaged in any way are read again", async () => {
    server.headers = fresh;
    server.set("/c/0", randomBytes(300));
    await read(["/c/0"]);
    const file = await fileWith(300);
    const good = await readFile(file!);
    const damages: Uint8Array[] = [
      new Uint8Array(0),
      good.subarray(0, 10),
      good.subarray(0, -1),
      Buffer.concat([good, good]),
    ];
    for (let at = 0; at < good.byteLength; at += 7) {
      const damaged = Buffer.from(good);
      damaged[at]! ^= 1 << (at % 8);
      damages.push(damaged);
    }
    const { store, cache } = await openVisit();
    for (const damaged of damages) {
      await writeFile(file!, damaged);
      expect(await store.get("/c/0")).toEqual(randomBytes(300));
      await cache.flush();
      expect(server.log()).toEqual(["/c/0 200"]);
    }
    // Another entry's bytes under this name.
    server.set("/c/1", bytesOf("other"));
    await read(["/c/1"]);
    const other = (await files()).find((name) => name !== file)!;
    await writeFile(file!, await readFile(other));
    expect(await (await openVisit()).store.get("/c/0")).toEqual(randomBytes(300));
  });

  it("are not needed: a folder that cannot be used costs nothing but the cache", async () => {
    server.set("/c/0", bytesOf("chunk"));
    await writeFile(`${path.dirname(folder)}/file`, "");
    for (const bad of [path.join(path.dirname(folder), "file"), "/dev/null/x", "/proc/nothing"]) {
      const persistentCache = new PersistentCache({ folder: bad });
      const store = new HttpStore(server.url, { persistentCache });
      for (let i = 0; i < 6; i++) expect(await store.get("/c/0")).toEqual(bytesOf("chunk"));
      await persistentCache.flush();
    }
  });

  const isRoot = process.getuid?.() === 0 ? "permissions do not limit root" : undefined;
  it("are not written to a folder without permission", skipFor(isRoot), async () => {
    server.set("/c/0", bytesOf("chunk"));
    await mkdir(folder, { mode: 0o500 });
    await read(["/c/0"]);
    expect(await readdir(folder)).toEqual([]);
    await chmod(folder, 0o700);
  });

  it("are evicted by last use, and larger ones are not stored at all", async () => {
    server.headers = fresh;
    for (let i = 0; i < 20; i++) server.set(`/c/${i}`, randomBytes(8000, i));
    server.set("/large", randomBytes(70_000));
    const { store, cache } = await openVisit({}, 100_000);
    await store.get("/large");
    for (let i = 0; i < 20; i++) {
      await store.get(`/c/${i}`);
      await cache.flush();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await cache.size()).toBeLessThanOrEqual(100_000);
    expect(await cache.size()).toBeGreaterThan(40_000);
    server.log();
    const later = await openVisit({}, 100_000);
    await later.store.get("/c/19");
    expect(server.log()).toEqual([]);
    await later.store.get("/c/0");
    await later.store.get("/large");
    expect(withoutRoot(server.log())).toEqual(["/c/0 200", "/large 200"]);
    await later.cache.flush();
  });

  it("that are used stay", async () => {
    server.headers = fresh;
    for (const name of ["/used", "/unused"]) server.set(name, randomBytes(20_000));
    await read(["/used", "/unused"]);
    const old = new Date(Date.now() - 1e6);
    for (const file of await files()) await utimes(file, old, old);
    await read(["/used"]);
    const { store, cache } = await openVisit({}, 85_000);
    for (let i = 0; i < 2; i++) {
      server.set(`/new/${i}`, randomBytes(20_000, i));
      await store.get(`/new/${i}`);
      await cache.flush();
    }
    server.log();
    await (await openVisit()).store.get("/used");
    expect(server.log()).toEqual([]);
    await (await openVisit()).store.get("/unused");
    expect(server.log()).toEqual(["/unused 200"]);
  });

  it("with times in the future are evicted first", async () => {
    server.headers = fresh;
    for (const name of ["/future", "/now"]) server.set(name, randomBytes(20_000));
    await read(["/future"]);
    const [file] = await files();
    const later = new Date(Date.now() + 1e8);
    await utimes(file!, later, later);
    await read(["/now"]);
    const { store, cache } = await openVisit({}, 60_000);
    server.set("/more", randomBytes(20_000, 3));
    await store.get("/more");
    await cache.flush();
    server.log();
    await (await openVisit()).store.get("/now");
    expect(server.log()).toEqual([]);
    await (await openVisit()).store.get("/future");
    expect(server.log()).toEqual(["/future 200"]);
  });

  it("are not fresh if the clock was set back, or has passed their lifetime", async () => {
    server.headers = fresh;
    server.set("/c/0", bytesOf("chunk"));
    await read(["/c/0"]);
    const now = Date.now();
    for (const [change, requests] of [
      [-1e7, 1],
      [3.7e6, 1],
      [60_000, 0],
    ] as const) {
      vi.spyOn(Date, "now").mockReturnValue(now + change);
      const { store, cache } = await openVisit();
      expect(await store.get("/c/0")).toEqual(bytesOf("chunk"));
      await cache.flush();
      vi.restoreAllMocks();
      expect(server.log()).toHaveLength(requests);
      await read(["/c/0"]); // confirmed with the right time
      server.log();
    }
  });

  it("can be cleared, and other files stay", async () => {
    server.headers = fresh;
    server.set("/c/0", bytesOf("chunk"));
    await read(["/c/0"]);
    await writeFile(path.join(folder, "notes.txt"), "mine");
    const { cache } = await openVisit();
    expect(await cache.size()).toBeGreaterThan(0);
    await cache.clear();
    expect(await readdir(folder)).toEqual(["notes.txt"]);
    expect(await read(["/c/0"])).toEqual(["/c/0 200"]);
  });

  it("belong to this user alone", async () => {
    server.set("/c/0", bytesOf("chunk"));
    await read(["/c/0"]);
    expect((await stat(folder)).mode & 0o077).toBe(0);
    expect((await stat((await files())[0]!)).mode & 0o077).toBe(0);
  });

  it("of killed processes are removed later", async () => {
    server.set("/c/0", bytesOf("chunk"));
    await read(["/c/0"]);
    const left = path.join(folder, `.zw-${"a".repeat(32)}.tmp`);
    const busy = path.join(folder, `.zw-${"b".repeat(32)}.tmp`);
    for (const file of [left, busy]) await writeFile(file, "half");
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(left, old, old);
    await visit().cache.size();
    expect(await readdir(folder)).not.toContain(path.basename(left));
    expect(await readdir(folder)).toContain(path.basename(busy));
  });
});

describe("several processes", () => {
  const program = (url: string) => `
    import { HttpStore } from ${JSON.stringify(pathToFileURL(`${distFolder}/bundle/index.js`).href)};
    import { PersistentCache } from ${JSON.stringify(pathToFileURL(`${distFolder}/bundle/cache.js`).href)};
    const persistentCache = new PersistentCache({ folder: ${JSON.stringify(folder)}, maxBytes: 400_000 });
    const store = new HttpStore(${JSON.stringify(url)}, { persistentCache });
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 40 }, async (_, i) => {
        const bytes = await store.get("/c/" + i);
        if (bytes.length !== 10_000 || bytes.some((byte) => byte !== i)) throw new Error("wrong bytes of " + i);
      }));
    await persistentCache.flush();`;
  const run = (url: string) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(url)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr!.on("data", (text) => {
      errors += text;
    });
    const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
      child.on("close", (code) => resolve({ code, errors })),
    );
    return { child, ended };
  };

  it("share a folder; a kill at any time leaves no wrong bytes", async () => {
    server.headers = fresh;
    for (let i = 0; i < 40; i++) server.set(`/c/${i}`, new Uint8Array(10_000).fill(i));
    const both = [run(server.url), run(server.url)];
    for (const { ended } of both) expect(await ended).toEqual({ code: 0, errors: "" });
    for (const delay of [60, 100, 140]) {
      const { child, ended } = run(server.url);
      setTimeout(() => child.kill("SIGKILL"), delay);
      await ended;
    }
    expect(await run(server.url).ended).toEqual({ code: 0, errors: "" });
    const { store, cache } = await openVisit();
    for (let i = 0; i < 40; i++) expect(await store.get(`/c/${i}`)).toEqual(new Uint8Array(10_000).fill(i));
    await cache.flush();
  });
});

describe("options", () => {
  it.each([
    [{ name: "" }, "name"],
    [{ name: "../x" }, "name"],
    [{ name: 5 }, "name"],
    [{ maxBytes: -1 }, "maxBytes"],
    [{ maxBytes: Number.NaN }, "maxBytes"],
    [{ folder: "" }, "folder"],
  ])("%j is refused", async (options, name) => {
    const error = await errorOf(() => new PersistentCache(options as never));
    expect(error._tag).toBe("InvalidArgument");
    expect(error.message).toContain(name);
  });

  it("of stores: only a PersistentCache", async () => {
    const error = await errorOf(() => new HttpStore(server.url, { persistentCache: new Map() as never }));
    expect(error.message).toMatch(/^persistentCache must be a PersistentCache/);
    const cache = new PersistentCache({ name: "misplaced" }) as never;
    const misplaced = await errorOf(async () => new HttpStore("http://x", { cache }));
    expect(misplaced.message).toBe("cache must be a ByteCache, not a value of type object");
  });

  it("maxBytes: 0 stores nothing", async () => {
    server.set("/c/0", bytesOf("chunk"));
    const { store, cache } = await openVisit({}, 0);
    await store.get("/c/0");
    await cache.flush();
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });
});
