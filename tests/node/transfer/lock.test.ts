// Locks of destinations (one process writes to a place at a time), and data that copies refuse to delete.
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { FileSystemStore } from "zarr-wasm/node";
import { copy as copyNodes } from "zarr-wasm/transfer";
import { runCopy } from "#src/cli/commands/copy.js";
import { runPyramid } from "#src/cli/commands/pyramid/command.js";
import type { Values } from "#src/cli/options/options.js";
import { amount } from "../support/amounts.js";
import {
  byThisProcess,
  hold,
  interval,
  large,
  lockName,
  lockOf,
  other,
  overwrite,
  place,
  source,
  start,
} from "../support/cli-locking.js";
import { writeStore } from "../support/cli-tool.js";
import { copy, filesOf, printed } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";
import { errorOf } from "../support/support.js";

describe("the lock of a destination", () => {
  it("has a name in stores of relative paths", async () => {
    const relative = (dir: string) => new FileSystemStore(path.relative(process.cwd(), dir));
    const dest = place("relative.zarr");
    await copyNodes(relative(source), relative(dest));
    const lock = await hold(dest);
    const error = await errorOf(() => copyNodes(relative(source), relative(dest), { overwrite: true }));
    expect(error).toMatchObject({ _tag: "Conflict", code: "locked" });
    await lock.release();
  });

  it("excludes all other writers, under every name of the location, and ends with its writer", async () => {
    const dest = place("copy.zarr");
    await copy(source, dest);
    const before = filesOf(dest);
    const alias = place("alias");
    symlinkSync(dest, alias);
    const lock = await hold(dest);
    const writers: [string, Values][] = [
      [dest, {}],
      [dest, { resume: true }],
      [dest, overwrite],
      [dest, { ...overwrite, format: "2" }],
      [dest, { "metadata-only": true }],
      [dest, { part: "0/2", wait: "0" }],
      [alias, overwrite],
      [path.join(path.dirname(dest), "x/..", "copy.zarr"), overwrite],
    ];
    for (const [name, values] of writers) {
      const { message } = await errorOf(() => copy(source, name, values));
      expect(message).toContain(`${name} ${byThisProcess}`);
      expect(message).toContain(`(lock: ${lockOf(dest)})`);
    }
    for (const values of [
      {},
      overwrite,
      { resume: true },
      { "metadata-only": true },
      { level: "0", part: "0/2" },
    ])
      await expect(runPyramid(source, dest, values)).rejects.toThrow(byThisProcess);
    expect(filesOf(dest)).toEqual(before);
    await lock.release();
    expect(readdirSync(dest).sort()).toEqual(["c", "zarr.json"]);
    await copy(source, dest, overwrite);
    expect(readdirSync(path.dirname(dest))).toEqual(["copy.zarr"]);
    expect(filesOf(dest)).toEqual(before);
  });

  it("excludes writers inside it, and is not seen by writers around it", async () => {
    const outer = place("outer");
    const inner = path.join(outer, "a/b.zarr");
    const archive = path.join(outer, "a/c.zip");
    const beside = path.join(outer, "../beside.zarr");
    for (const options of [{}, { share: "parts" }] as const) {
      const lock = await hold(outer, options);
      for (const name of [inner, archive, path.join(outer, "d.zip")])
        await expect(copy(source, name)).rejects.toThrow(`${name} lies in ${outer}, which ${byThisProcess}`);
      await copy(source, beside, overwrite);
      await lock.release();
    }
    for (const name of [inner, archive]) {
      const lock = await hold(name);
      const around = await hold(outer);
      await around.finish();
      await copy(source, beside, overwrite);
      await copy(source, path.join(outer, "a/d.zarr"), overwrite);
      await lock.release();
    }
    await copy(source, inner, overwrite);
    await copy(source, archive, overwrite);
    expect(readdirSync(outer, { recursive: true }).filter((name) => String(name).includes(".zw-"))).toEqual(
      [],
    );
  });

  it("is held by one of many writers that start at once", async () => {
    const dest = place("copy.zarr");
    const locks = await Promise.allSettled(Array.from({ length: 6 }, () => hold(dest)));
    expect(locks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const lock of locks) if (lock.status === "fulfilled") await lock.value.release();
  });

  it("of a location is never taken while one around it is held", async () => {
    for (let round = 0; round < amount(3, 30); round++) {
      const outer = place("outer");
      const lock = await hold(outer);
      const inner = [path.join(outer, "a"), path.join(outer, "a/b")];
      const locks = await Promise.allSettled(inner.map((name) => hold(name)));
      expect(locks.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      await lock.release();
    }
  });

  it("is shared by the parts of one copy, and by no other writer", async () => {
    const [dest, whole] = [place("copy.zarr"), place("whole.zarr")];
    await copy(source, whole, { chunks: "1,64" });
    const parts = [0, 1, 2].map((i) => start("copy", source, dest, "--chunks", "1,64", "--part", `${i}/3`));
    const ends = await Promise.all(parts.map(({ ended }) => ended));
    expect(ends.map(({ status, err }) => [status, err])).toEqual(ends.map(() => [0, ""]));
    expect(filesOf(dest)).toEqual(filesOf(whole));
    expect(readdirSync(dest).sort()).toEqual(["c", "zarr.json"]);
    const lock = await hold(dest, { share: "another copy" });
    const others: Values[] = [{}, { resume: true }, overwrite, { part: "0/3", wait: "0" }];
    for (const values of others) await expect(copy(source, dest, values)).rejects.toThrow(byThisProcess);
    const second = await hold(dest, { share: "another copy" });
    await lock.release();
    expect(existsSync(lockOf(dest))).toBe(true);
    await expect(copy(source, dest, { resume: true })).rejects.toThrow(byThisProcess);
    await second.release();
    expect(existsSync(lockOf(dest))).toBe(false);
  });

  it("is waited for by parts", async () => {
    const dest = place("copy.zarr");
    const lock = await hold(dest);
    const part = copy(source, dest, { part: "0/1", wait: "20" });
    await new Promise((resolve) => setTimeout(resolve, 5 * interval));
    await lock.release();
    expect((await part).chunks.asStored).toBe(16);
  });
});

describe("archives", () => {
  it("are written by one process at a time, and not replaced without --overwrite", async () => {
    const dest = place("copy.zip");
    const lock = await hold(dest);
    await expect(copy(source, dest, overwrite)).rejects.toThrow(`copy.zip ${byThisProcess}`);
    await expect(copy(source, dest)).rejects.toThrow(`copy.zip ${byThisProcess}`);
    await lock.release();
    const ends = await Promise.allSettled([source, other, source].map((from) => runQuietly(from, dest)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(path.dirname(dest))).toEqual(["copy.zip"]);
  });

  const runQuietly = (from: string, dest: string) => printed(() => runCopy(from, dest, {}));
});

describe("on a server", () => {
  it("one process writes at a time, and dead ones are replaced", async () => {
    const server = await new S3Server().start();
    try {
      const url = `${server.url}/data/copy.zarr`;
      const values = { ...overwrite, bucket: server.url };
      const lock = await hold(url);
      const { message } = await errorOf(() => copy(source, url, values));
      expect(message).toContain(`copy.zarr ${byThisProcess}`);
      expect(message).toContain(`(lock: ${url}/${lockName})`);
      await expect(copy(source, `${url}/a`)).rejects.toThrow(`a lies in ${url}/, which ${byThisProcess}`);
      await lock.finish();
      await lock.release();
      const inner = await hold(`${url}/a`);
      await (await hold(url)).release();
      await inner.release();
      const { child, ended } = start("copy", large, url, "--chunks", "1,1");
      await vi.waitFor(() => expect(server.objects.size).toBeGreaterThan(20), {
        timeout: 20_000,
        interval: 5,
      });
      child.kill("SIGKILL");
      await ended;
      expect(server.objects.has(`data/copy.zarr/${lockName}`)).toBe(true);
      expect((await copy(source, url, values)).chunks.asStored).toBe(16);
      expect([...server.objects.keys()].filter((key) => key.includes(".zw-"))).toEqual([]);
      expect(server.objects.size).toBe(17);
    } finally {
      await server.close();
    }
  });

  it("a signal releases the lock once no writes are in progress", async () => {
    const server = await new S3Server().start();
    try {
      const { child, ended } = start("copy", large, `${server.url}/copy.zarr`, "--chunks", "1,1");
      await vi.waitFor(() => expect(server.objects.size).toBeGreaterThan(20), {
        timeout: 20_000,
        interval: 5,
      });
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({
        signal: "SIGTERM",
        err: expect.stringMatching(
          /^zarr-wasm: interrupted: \d+ of \d+ chunks copied; to continue, run: zarr-wasm copy .* --resume\n$/,
        ),
      });
      expect(server.log.at(-1)).toBe(`DELETE copy.zarr/${lockName}`);
    } finally {
      await server.close();
    }
  });

  it("that rejects the lock: copies continue without it", async () => {
    const server = await new S3Server().start();
    try {
      server.allows = ({ method, key }) => method === "GET" || !key.includes(".zw-");
      expect((await copy(source, `${server.url}/copy.zarr`)).chunks.asStored).toBe(16);
    } finally {
      await server.close();
    }
  });

  it.each([404, 409, 410, 412])("that answers every PUT with %i: copies fail soon", async (status) => {
    const server = await new S3Server().start();
    try {
      server.fault = ({ method }) => (method === "PUT" ? { status } : undefined);
      const error = await errorOf(() => copy(source, `${server.url}/copy.zarr`, { wait: "0" }));
      expect(error["_tag"]).toBe("Network");
      expect(error.message).toMatch(/answered 4\d\d .* to PUT|the lock .* could not be written/);
      expect(server.log.length).toBeLessThan(60);
      expect(server.objects.size).toBe(0);
    } finally {
      await server.close();
    }
  });

  it("a request is not repeated once the lock is lost", async () => {
    const server = await new S3Server().start();
    try {
      const url = `${server.url}/copy.zarr`;
      for (const method of ["DELETE", "PUT"]) {
        await copy(source, url, { ...overwrite, bucket: server.url });
        const chunk = "copy.zarr/c/1/1";
        let count = 0;
        server.fault = ({ method: sent, key }) => {
          if (sent !== method || key !== chunk || ++count > 1) return undefined;
          const lock = `copy.zarr/${lockName}`;
          const document = JSON.parse(Buffer.from(server.objects.get(lock)!.bytes).toString());
          document.writers[0].id = "another";
          server.put(lock, Buffer.from(JSON.stringify(document)));
          server.put(chunk, Buffer.from("of another writer"));
          return { status: 503, headers: { "retry-after": "1" } };
        };
        const values = { ...overwrite, bucket: server.url };
        await expect(copy(other, url, values)).rejects.toThrow(/the lock of .* was lost/);
        expect(Buffer.from(server.objects.get(chunk)!.bytes).toString()).toBe("of another writer");
        server.fault = undefined;
        server.objects.clear();
      }
    } finally {
      await server.close();
    }
  });

  it("that loses responses: the lock is taken and released", async () => {
    const server = await new S3Server().start();
    try {
      let count = 0;
      server.fault = ({ method, key }) =>
        key.endsWith(lockName) && method === "PUT" && ++count % 2 === 1
          ? { status: 503, after: count % 4 === 1, headers: { "retry-after": "0" } }
          : undefined;
      await copy(source, `${server.url}/copy.zarr`);
      expect(server.objects.size).toBe(17);
    } finally {
      await server.close();
    }
  });
});

describe("references", () => {
  const metadata = { zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", compressor: null, fill_value: 0 };
  const array = JSON.stringify({ ...metadata, order: "C", filters: null });

  it.each([
    ["plain", (target: string) => ({ ".zarray": array, "0": [target] })],
    ["of a part", (target: string) => ({ ".zarray": array, "0": [target, 0, 4] })],
    [
      "made by a template",
      (target: string) => ({
        version: 1,
        templates: { f: target },
        refs: { ".zarray": array, "0": ["{{f}}", 0, 4] },
      }),
    ],
  ])("a copy does not delete %s of its source", async (_, document) => {
    const dest = writeStore(place("dest"), [["raw/data.bin", Uint8Array.of(1, 2, 3, 4)]]);
    const file = path.join(dest, "raw/data.bin");
    for (const target of [pathToFileURL(file).href, "../dest/raw/data.bin"]) {
      const refs = path.join(
        writeStore(path.join(dest, "../refs"), [["refs.json", document(target)]]),
        "refs.json",
      );
      for (const values of [overwrite, {}, { resume: true }])
        await expect(copy(refs, dest, values)).rejects.toThrow(
          `SOURCE refers to ${file}, which lies in DEST`,
        );
      await expect(runPyramid(refs, dest, overwrite)).rejects.toThrow(`SOURCE refers to ${file}`);
      expect([...filesOf(dest).keys()]).toEqual(["raw/data.bin"]);
      expect((await copy(refs, place("elsewhere"), overwrite)).chunks.asStored).toBe(1);
    }
  });
});
