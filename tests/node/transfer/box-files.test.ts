// Copies from files to files: obstacles at the destination, limits of the source, and the end of the process.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { create, set } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { copy as copyNodes } from "zarr-wasm/transfer";
import { BlockingFiles } from "#src/store/file/blocking.js";
import { temporaryPlaces } from "../support/cli-tool.js";
import { filesOf, urlOf } from "../support/copying.js";
import { errorOf } from "../support/support.js";

const place = temporaryPlaces("files");
type BlockingFs = typeof import("node:fs");
const blocking = createRequire(import.meta.url)("node:fs") as {
  -readonly [K in keyof BlockingFs]: BlockingFs[K];
};

/** Writes an array of 4 chunks, which the copies of these tests divide in two. */
async function makeSource(value: (index: number) => number): Promise<string> {
  const source = place("source.zarr");
  const array = await create(urlOf(source), { shape: [64, 64], chunkShape: [32, 32], dtype: "uint16" });
  await set(
    array,
    null,
    Uint16Array.from({ length: 4096 }, (_, i) => value(i)),
    { writeEmptyChunks: true },
  );
  return source;
}
const options = { chunkShape: [32, 16] };

const temporary = (dir: string) =>
  (readdirSync(dir, { recursive: true }) as string[]).filter((name) => name.includes(".zw-"));

it("folders in place of chunks are reported, and no file is left", async () => {
  const source = await makeSource((i) => i);
  const dest = place();
  await copyNodes(urlOf(source), urlOf(dest), { ...options, metadataOnly: true });
  mkdirSync(path.join(dest, "c/0/2/deep"), { recursive: true });
  const error = await errorOf(() => copyNodes(urlOf(source), urlOf(dest), { ...options, resume: true }));
  expect(error).toMatchObject({ _tag: "Network", code: "file-failed", chunkKey: "/c/0/2" });
  expect(temporary(dest)).toEqual([]);
});

it("files in place of folders are reported, and no file is left", async () => {
  const source = await makeSource((i) => i);
  const dest = place();
  await copyNodes(urlOf(source), urlOf(dest), { ...options, metadataOnly: true });
  mkdirSync(path.join(dest, "c"));
  writeFileSync(path.join(dest, "c/1"), "");
  const error = await errorOf(() => copyNodes(urlOf(source), urlOf(dest), { ...options, resume: true }));
  expect(error).toMatchObject({ _tag: "Network", code: "file-failed" });
  expect(temporary(dest)).toEqual([]);
});

it("the limit of the source's store applies", async () => {
  const source = await makeSource((i) => (i * i * 40503) >> 5);
  const store = new FileSystemStore(source);
  const size = Math.max(
    ...[...filesOf(source)].map(([name, { length }]) => (name.startsWith("c/") ? length : 0)),
  );
  expect((await copyNodes(store, urlOf(place()), options)).chunks).toMatchObject({ reencoded: 8 });
  const limited = new FileSystemStore(source, { maxBytes: size - 1 });
  const error = await errorOf(() => copyNodes(limited, urlOf(place()), options));
  expect(error).toMatchObject({ _tag: "LimitExceeded" });
});

it("existing files are not overwritten: a stopped worker may still write to them", () => {
  const file = place("there");
  writeFileSync(file, "first");
  expect(() => new BlockingFiles(blocking).write(file, new Uint8Array(3))).toThrow("EEXIST");
  expect(readFileSync(file, "utf8")).toBe("first");
});

it("the end of the process waits for a deletion, and none follows", async () => {
  const source = await makeSource(() => 0);
  const dest = place();
  await copyNodes(urlOf(source), urlOf(dest), { ...options, metadataOnly: true });
  const { lstatSync } = blocking;
  const listening = vi.spyOn(process, "on");
  onTestFinished(() => {
    listening.mockRestore();
    blocking.lstatSync = lstatSync;
    syncBuiltinESMExports();
  });
  let deleted = 0;
  const ended = new Promise<void>((resolve) => {
    blocking.lstatSync = ((file: string, ...rest: []) => {
      if (/\/c\/\d+\/\d+$/.test(String(file)) && deleted++ === 0) {
        const [, clean] = listening.mock.calls.find(([event]) => event === "exit")!;
        resolve((clean as () => Promise<void>)());
      }
      return lstatSync(file, ...rest);
    }) as typeof lstatSync;
    syncBuiltinESMExports();
  });
  void copyNodes(urlOf(source), urlOf(dest), { ...options, resume: true });
  await ended;
  expect(deleted).toBe(1);
  expect(existsSync(path.join(dest, ".zw-writer.tmp"))).toBe(false);
});
