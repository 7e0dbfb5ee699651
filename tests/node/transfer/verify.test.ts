// `zarr-wasm verify`: decodes everything, and reports bad chunks and metadata.
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { consolidate, create, createGroup, set } from "zarr-wasm";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { urlOf, verify } from "../support/copying.js";

const folder = temporaryFolder();
let good: string;
const elements = Float32Array.from({ length: 600 }, (_, i) => i / 3);

async function make(): Promise<string> {
  const dir = mkdtempSync(path.join(folder, "verify-"));
  const root = await createGroup(urlOf(dir));
  const plain = { shape: [20, 30], chunkShape: [10, 10], dtype: "float32", codecs: "zstd:1" } as const;
  await set(await create(root, { path: "plain", ...plain }), null, elements);
  await set(await create(root, { path: "in/shards", ...plain, shardShape: [20, 20] }), null, elements);
  const names = await create(root, {
    path: "names",
    shape: [4],
    chunkShape: [2],
    dtype: "string",
    codecs: "none",
  });
  await set(names, [[0, 1]], ["a", "b"]);
  return dir;
}

beforeAll(async () => {
  good = await make();
});

describe("zarr-wasm verify", () => {
  it("finds no errors in an empty store", async () => {
    expect(await verify(good)).toMatchObject({ arrays: 3, chunks: 14, missing: 1, badCount: 0, bad: [] });
    const { status, text, err } = await run("verify", good);
    expect([status, err]).toEqual([0, ""]);
    expect(text).toMatch(
      /^3 arrays, 2 groups: 14 chunks \(1 not stored\), [\d.]+ KiB in [\d.]+ s; no problems\n$/,
    );
  });

  it("names every bad chunk with its reason, and continues after each", async () => {
    const dir = await make();
    const shard = readFileSync(path.join(dir, "in/shards/c/0/0"));
    shard.fill(255, 4, 12);
    const broken = readFileSync(path.join(dir, "in/shards/c/0/1"));
    broken[broken.length - 3]! ^= 1;
    writeStore(dir, [
      ["plain/c/0/1", "no zstd frame"],
      ["plain/c/1/2", new Uint8Array(0)],
      ["in/shards/c/0/0", shard],
      ["in/shards/c/0/1", broken],
      ["names/c/0", new Uint8Array(3)],
    ]);
    const { bad, badCount, chunks } = await verify(dir);
    expect([badCount, chunks]).toEqual([5, 14]);
    const places = bad.map(({ key, chunk, tag }) => [key, chunk, tag]);
    expect(new Set(places.map(String))).toEqual(
      new Set(
        [
          ["/plain/c/0/1", [0, 1], "CorruptChunk"],
          ["/plain/c/1/2", [1, 2], "CorruptChunk"],
          ["/in/shards/c/0/0", [0, 0], "CorruptChunk"],
          ["/in/shards/c/0/1", undefined, "CorruptChunk"],
          ["/names/c/0", [0], "CorruptChunk"],
        ].map(String),
      ),
    );
    const { status, text, err } = await run("verify", dir);
    expect(status).toBe(1);
    expect(text).toMatch(/^bad: \/plain\/c\/0\/1 \(chunk 0, 1\): CorruptChunk: .*zstd/m);
    expect(text.trim().split("\n").length).toBe(6);
    expect(err).toBe(`zarr-wasm: ${dir}: 5 of 14 chunks and documents are invalid\n`);
  });

  it("finds each bad chunk in one part", async () => {
    const dir = await make();
    writeStore(dir, [
      ["plain/c/0/1", "x"],
      ["plain/c/1/1", "x"],
      ["names/zarr.json", "{"],
    ]);
    const parts = [];
    for (const i of [0, 1, 2]) parts.push(await verify(dir, { part: `${i}/3` }));
    const keys = parts.flatMap(({ bad }) => bad.map(({ key }) => key));
    expect(keys.sort()).toEqual(["/names", "/plain/c/0/1", "/plain/c/1/1"]);
    expect(parts.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(12);
  });

  it("finds metadata that cannot be read", async () => {
    const dir = await make();
    const document = JSON.parse(readFileSync(path.join(dir, "plain/zarr.json"), "utf8"));
    writeStore(dir, [
      ["plain/zarr.json", { ...document, codecs: [{ name: "unheard-of" }] }],
      ["names/zarr.json", "{"],
    ]);
    const { bad, arrays } = await verify(dir);
    expect(arrays).toBe(1);
    expect(bad.map(({ key, tag }) => [key, tag])).toEqual([
      ["/names", "InvalidMetadata"],
      ["/plain", "UnknownCodec"],
    ]);
    const { status, text, err } = await run("verify", path.join(dir, "plain"));
    expect([status, text]).toEqual([1, ""]);
    expect(err).toMatch(/^zarr-wasm: .*unheard-of.*\n$/);
  });
});

describe.each([2, 3] as const)("consolidated metadata of Zarr v%i", (zarrFormat) => {
  const own = (name: string) => (zarrFormat === 3 ? `${name}/zarr.json` : `${name}/.zarray`);

  async function consolidated(): Promise<string> {
    const dir = mkdtempSync(path.join(folder, "consolidated-"));
    const root = await createGroup(urlOf(dir), { zarrFormat });
    for (const name of ["a", "b", "in/c"])
      await set(await create(root, { path: name, shape: [6], chunkShape: [2], dtype: "uint8" }), null, 1);
    await consolidate(urlOf(dir));
    return dir;
  }
  const change = (dir: string, name: string, changes: object) =>
    writeStore(dir, [[name, { ...JSON.parse(readFileSync(path.join(dir, name), "utf8")), ...changes }]]);

  it("is as good as the documents that it names", async () => {
    const { status, text, err } = await run("verify", await consolidated());
    expect([status, err]).toEqual([0, ""]);
    expect(text).toMatch(/^3 arrays, 2 groups: 9 chunks \(0 not stored\).*; no problems\n$/);
  });

  it("reports arrays that exist nowhere else", async () => {
    const dir = await consolidated();
    for (const name of ["a", "in/c"]) rmSync(path.join(dir, own(name)));
    const { arrays, bad, chunks } = await verify(dir);
    expect([arrays, chunks]).toEqual([1, 3]);
    expect(bad).toMatchObject([
      {
        key: `/${own("a")}`,
        tag: "NotFound",
        reason: "the array is in consolidated metadata, but its own document is missing",
      },
      { key: `/${own("in/c")}`, tag: "NotFound" },
    ]);
    expect((await run("verify", dir)).status).toBe(1);
    const parts = [await verify(dir, { part: "0/2" }), await verify(dir, { part: "1/2" })];
    expect(parts.map(({ badCount }) => badCount)).toEqual([2, 0]);
    expect(parts[0]!.chunks + parts[1]!.chunks).toBe(3);
  });

  it("reports arrays that differ from their own documents", async () => {
    const dir = await consolidated();
    change(dir, own("a"), { shape: [8] });
    change(dir, own("b"), { fill_value: 5 });
    rmSync(path.join(dir, "in"), { recursive: true });
    await createGroup(urlOf(path.join(dir, "in")), { zarrFormat });
    await createGroup(urlOf(path.join(dir, "in/c")), { zarrFormat });
    const { bad } = await verify(dir);
    expect(bad.map(({ key, tag, reason }) => [key, tag, reason])).toEqual([
      [`/${own("a")}`, "InvalidMetadata", "differs from consolidated metadata in shape"],
      [`/${own("b")}`, "InvalidMetadata", "differs from consolidated metadata in fill value"],
      [`/${own("in/c")}`, "InvalidMetadata", "differs from consolidated metadata in the kind of node"],
    ]);
  });

  it("warns of attributes that have changed since", async () => {
    const dir = await consolidated();
    if (zarrFormat === 3) change(dir, "a/zarr.json", { attributes: { units: "K" } });
    else writeStore(dir, [["a/.zattrs", { units: "K" }]]);
    const { status, text, err } = await run("verify", dir);
    expect([status, err]).toEqual([
      0,
      `zarr-wasm: warning: /${own("a")}: attributes differ from those in consolidated metadata\n`,
    ]);
    expect(text).toContain("no problems");
  });
});

describe("unfinished files", () => {
  /** Named like a folder that is being deleted. */
  const deleted = `.zw-${"0123abcd".repeat(4)}.tmp`;
  const old = new Date(Date.now() - 11 * 60_000);
  const bytes = (count: number) => new Uint8Array(count);

  it("are counted, but are neither data nor failures", async () => {
    const dir = writeStore(await make(), [
      ["plain/c/0/.zw-0123abc.tmp", bytes(1000)],
      [`in/${deleted}/c/0`, bytes(500)],
      ["in/.zw-dead.tmp/c/0", bytes(500)],
      [".zw-deleted.tmp", bytes(7)],
      ["in/.zw-NAME.tmp", bytes(7)],
      ["in/zw-0.tmp", bytes(7)],
    ]);
    const unfinished = { count: 2, bytes: 1500, removed: 0 };
    expect(await verify(dir)).toMatchObject({ arrays: 3, badCount: 0, unfinished });
    expect(await verify(dir, { path: "in" })).toMatchObject({ unfinished: { count: 1, bytes: 500 } });
    expect(await verify(dir, { part: "0/2" })).toMatchObject({ unfinished });
    expect((await verify(dir, { part: "1/2" })).unfinished).toBeUndefined();
    const { status, err } = await run("verify", dir);
    expect([status, err]).toEqual([
      0,
      expect.stringMatching(
        /: 2 unfinished files \(\.zw-….tmp, 1\.5 KiB\) in progress, .*; pass --clean to remove/,
      ),
    ]);
  });

  it("are removed by --clean if no process writes to them any more", async () => {
    const kept = [".zw-new.tmp", "in/zw-4.tmp", "in/.zw-6.tmp/a/b", ".zw-deleted.tmp"];
    const names = ["plain/.zw-1.tmp", `in/${deleted}/a/b`, "in/.zw-3.tmp", ...kept];
    const dir = writeStore(
      await make(),
      names.map((name) => [name, bytes(10)]),
    );
    symlinkSync(good, path.join(dir, "elsewhere"));
    const beyond = path.join(good, ".zw-5.tmp");
    writeFileSync(beyond, bytes(10));
    for (const name of ["plain/.zw-1.tmp", `in/${deleted}`, "in/.zw-3.tmp", "in/zw-4.tmp", "in/.zw-6.tmp"])
      utimesSync(path.join(dir, name), old, old);
    utimesSync(beyond, old, old);
    const before = await verify(dir);
    const { status, err } = await run("verify", dir, "--clean");
    expect([status, err]).toEqual([
      0,
      expect.stringMatching(
        /: 4 unfinished files .*: 3 removed, 1 kept because they changed in the last ten/,
      ),
    ]);
    expect(names.filter((name) => existsSync(path.join(dir, name)))).toEqual(kept);
    expect(existsSync(beyond)).toBe(true);
    rmSync(beyond);
    expect(await verify(dir)).toMatchObject({
      chunks: before.chunks,
      badCount: 0,
      unfinished: { count: 1, bytes: 10, removed: 0 },
    });
  });

  it("have an age by the clock of the file system, and stay in scratch folders for an hour", async () => {
    const scratch = ".zw-scratch0.tmp/x";
    const dir = writeStore(await make(), [
      ["in/.zw-1.tmp", bytes(10)],
      [scratch, bytes(10)],
    ]);
    utimesSync(path.join(dir, ".zw-scratch0.tmp"), old, old);
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * 3_600_000);
    const { unfinished } = await verify(dir, { clean: true });
    clock.mockRestore();
    expect(unfinished).toEqual({ count: 2, bytes: 20, removed: 0 });
    expect(existsSync(path.join(dir, scratch))).toBe(true);
  });

  it("exist in folders only", async () => {
    expect(await run("verify", "http://localhost/x", "--clean")).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^zarr-wasm: --clean requires a folder\n/),
    });
  });
});
