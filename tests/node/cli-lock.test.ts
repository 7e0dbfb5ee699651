// What copies refuse to delete: what another one writes, and what they read.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { create, set } from "zarr-wasm";
import { lockDestination } from "../../dist/cli/lock.js";
import { runPyramid } from "../../dist/cli/pyramid/command.js";
import { copy, filesOf, urlOf } from "./cli-copying.js";
import { temporaryFolder, tool, writeStore } from "./cli-tool.js";
import { S3Server } from "./s3-server.js";
import { errorOf } from "./support.js";

const folder = temporaryFolder();
const place = (name: string) => path.join(mkdtempSync(path.join(folder, "lock-")), name);
const lockOf = (dest: string) => path.join(path.dirname(dest), `.${path.basename(dest)}.zarr-wasm-lock`);
const held = /^another process with --overwrite writes to DEST/;
const overwrite = { overwrite: true };

let source: string;
beforeAll(async () => {
  source = place("source.zarr");
  const array = await create(urlOf(source), { shape: [64, 64], chunkShape: [16, 16], dtype: "uint16" });
  await set(array, null, 7);
});

const holder = (process: number, host = os.hostname()) =>
  `${JSON.stringify({ id: "a", host, process, since: "2026-01-01T00:00:00.000Z" })}\n`;

/** The number of a process that has ended. */
const ended = () => spawnSync(process.execPath, ["-e", "0"]).pid;

describe("--overwrite", () => {
  it("is for one copy at a time, and leaves no lock", async () => {
    const dest = place("copy.zarr");
    await copy(source, dest);
    const before = filesOf(dest);
    const release = await lockDestination({ kind: "folder", name: dest } as never);
    const other = path.join(path.dirname(dest), "x/..", "copy.zarr"); // the same place
    for (const name of [dest, other]) {
      const { message } = await errorOf(() => copy(source, name, { ...overwrite, format: "2" }));
      expect(message).toMatch(held);
      expect(message).toContain(`(process ${process.pid} on ${os.hostname()}, since 20`);
      expect(message).toContain(`remove ${lockOf(dest)}`);
    }
    await expect(runPyramid(source, dest, overwrite)).rejects.toThrow(held);
    expect(filesOf(dest)).toEqual(before);
    await release();
    await copy(source, dest, overwrite);
    expect(readdirSync(path.dirname(dest))).toEqual(["copy.zarr"]);
  });

  it("takes the place of a lock whose process has ended, and of no other", async () => {
    const dest = place("copy.zarr");
    writeFileSync(lockOf(dest), holder(ended()));
    await copy(source, dest, overwrite);
    expect(existsSync(lockOf(dest))).toBe(false);
    for (const text of [holder(ended(), "elsewhere"), holder(process.pid), "", "{", "null"]) {
      writeFileSync(lockOf(dest), text);
      await expect(copy(source, dest, overwrite)).rejects.toThrow(held);
      expect(readFileSync(lockOf(dest), "utf8")).toBe(text);
    }
  });

  it("of many that begin at once goes on with one at a time", async () => {
    const dest = place("copy.zarr");
    writeFileSync(lockOf(dest), holder(ended()));
    const locks = await Promise.allSettled(
      Array.from({ length: 8 }, () => lockDestination({ kind: "folder", name: dest } as never)),
    );
    expect(locks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("leaves no lock when a signal ends it", async () => {
    const dest = place("copy.zarr");
    const child = spawn(process.execPath, [tool, "copy", source, dest, "--overwrite", "--chunks", "1,1"]);
    const end = new Promise<unknown[]>((resolve) => child.on("close", (...ends) => resolve(ends)));
    for (let i = 0; i < 4000 && !existsSync(lockOf(dest)); i++) await new Promise((go) => setTimeout(go, 5));
    child.kill("SIGINT");
    expect(await end).toEqual([null, "SIGINT"]);
    expect(existsSync(lockOf(dest))).toBe(false);
  });

  it("is for one copy at a time on a server, too", async () => {
    const server = await new S3Server().start();
    try {
      const url = `${server.url}/data/copy.zarr`;
      const values = { ...overwrite, bucket: server.url };
      const release = await lockDestination({ kind: "http", name: url } as never);
      const { message } = await errorOf(() => copy(source, url, values));
      expect(message).toMatch(held);
      expect(message).toContain(`(process ${process.pid} on`);
      expect(message).toContain(`remove ${server.url}/data/.copy.zarr.zarr-wasm-lock`);
      await release();
      expect((await copy(source, url, values)).chunks.asStored).toBe(16);
      expect([...server.objects.keys()].filter((key) => key.includes("lock"))).toEqual([]);
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
    [
      "made by a rule",
      (target: string) => ({
        version: 1,
        refs: { ".zarray": array },
        gen: [{ key: "{{i}}", url: target, offset: "0", length: "4", dimensions: { i: [0] } }],
      }),
    ],
  ])("%s are not deleted by what they are copied to", async (_, document) => {
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
