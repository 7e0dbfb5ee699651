// Status of a pool, and of workers that do not start.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { get, MapStore, open, WorkerPool } from "zarr-wasm";
import { packagedWorkers, type StartWorker } from "#src/workers/start.js";
import { randomBytes } from "../support/support.js";
import { bytesLittle, filled, regular, v3Meta, writeV3, zstd } from "../support/zarr-writer.js";

const root = new URL("../../../", import.meta.url).pathname;

async function opened() {
  const meta = v3Meta(filled({ shape: [70_000], chunk_grid: regular(16_384), codecs: [bytesLittle, zstd] }));
  const store = new MapStore();
  await writeV3(store, meta, randomBytes(280_000, 3));
  return open(store, { kind: "array" });
}

/** Leaves the work to workers: this thread would have done it before they start. */
function onlyWorkers(): void {
  const helps = vi.spyOn(WorkerPool.prototype, "helps").mockReturnValue(false);
  onTestFinished(() => helps.mockRestore());
}

describe("pool.status", () => {
  it("goes from idle to running to destroyed", async () => {
    onlyWorkers();
    const pool = new WorkerPool({ size: 1 });
    expect(pool.status).toEqual({ state: "idle", workers: 0 });
    await get(await opened(), null, { pool });
    expect(pool.status).toEqual({ state: "running", workers: 1 });
    pool.destroy();
    expect(pool.status).toEqual({ state: "destroyed", workers: 0 });
  });

  it("is running after start(), in whichever way workers start", async () => {
    const ways = packagedWorkers as StartWorker[];
    const [file] = ways.splice(0, 1, () => {
      throw new Error("no script here");
    });
    vi.stubGlobal("navigator", { hardwareConcurrency: 4 });
    onTestFinished(() => void vi.unstubAllGlobals());
    const pool = new WorkerPool({ size: 3 });
    pool.start();
    await expect.poll(() => pool.status, { timeout: 15_000 }).toEqual({ state: "running", workers: 3 });
    pool.destroy();
    ways[0] = file!;
  });

  it("reports why no worker starts, and warns in the console once", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const array = await opened();
    const expected = await get(array);
    for (let i = 0; i < 2; i++) {
      const createWorker = () => {
        throw new Error("no workers today");
      };
      const pool = new WorkerPool({ size: 2, createWorker });
      expect((await get(array, null, { pool })).data).toEqual(expected.data);
      expect(pool.status).toEqual({ state: "failed", workers: 0, reason: "no workers today" });
    }
    expect(warn.mock.calls).toHaveLength(1);
    expect(warn.mock.calls[0]![0]).toMatch(/no workers today.*createWorker/s);
    warn.mockRestore();
  });
});

describe("a package whose files a bundler has left behind", () => {
  const copy = mkdtempSync(
    path.join(mkdirSync(path.join(root, "build"), { recursive: true }) ?? path.join(root, "build"), "left-"),
  );
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(path.join(root, "dist"), path.join(copy, "dist"), {
    recursive: true,
    filter: (file) => !/\.wasm$|workers\/worker\.js$|dist\/viewer/.test(file),
  });
  cpSync(path.join(root, "package.json"), path.join(copy, "package.json"));

  it("still reads, also in workers", () => {
    const code = `
      import { create, get, set, WorkerPool } from "${copy}/dist/bundle/index.js";
      const elements = Int32Array.from({ length: 100_000 }, (_, i) => i % 977);
      const array = await create(new Map(), { shape: [100_000], dtype: "int32", chunkShape: [50_000], codecs: "zstd" });
      await set(array, null, elements);
      WorkerPool.prototype.helps = () => false; // this thread would be faster
      const pool = new WorkerPool({ size: 1 });
      const { data } = await get(array, null, { pool });
      console.log(data.every((value, i) => value === elements[i]), JSON.stringify(pool.status));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      encoding: "utf8",
    });
    expect([stdout.trim(), stderr]).toEqual(['true {"state":"running","workers":1}', ""]);
  });
});
