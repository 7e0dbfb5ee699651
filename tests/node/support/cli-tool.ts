/** The command line as a user runs it, on folders that a test writes. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import { bytesOf } from "./support.js";

export const root = new URL("../../../", import.meta.url).pathname;
const { bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  bin: Record<string, string>;
};
/** The script that npm installs as `zarr-wasm`. */
export const tool = path.join(root, bin["zarr-wasm"]!);

/** A folder for the tests of one file, removed when they end. */
export function temporaryFolder(): string {
  mkdirSync(path.join(root, "build/tmp"), { recursive: true });
  const folder = mkdtempSync(path.join(root, "build/tmp/cli-"));
  afterAll(() => rmSync(folder, { recursive: true }), 60_000);
  return folder;
}

/** Returns a function that names files and folders, each in a new folder that is removed after the tests. */
export function temporaryPlaces(prefix: string): (name?: string) => string {
  const folder = temporaryFolder();
  return (name = "copy.zarr") => path.join(mkdtempSync(path.join(folder, `${prefix}-`)), name);
}

/** Writes a store to a folder; keys may start with a slash, objects become JSON. */
export function writeStore(
  dir: string,
  store: Iterable<readonly [string, Uint8Array | string | object]>,
): string {
  mkdirSync(dir, { recursive: true });
  for (const [key, value] of store) {
    mkdirSync(path.dirname(path.join(dir, key)), { recursive: true });
    const isText = typeof value === "string" || value instanceof Uint8Array;
    writeFileSync(path.join(dir, key), isText ? value : bytesOf(JSON.stringify(value)));
  }
  return dir;
}

/** Runs the tool to its end. Blocks this process, so it cannot respond to the tool. */
export function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...args], { maxBuffer: 1 << 26 });
  return { status, out: stdout, text: stdout.toString(), err: stderr.toString() };
}

/** The same without blocking this process, which may serve the tool. */
export async function runBeside(...args: string[]) {
  const child = spawn(process.execPath, [tool, ...args]);
  const pieces: Buffer[] = [];
  let err = "";
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.stderr.on("data", (piece: Buffer) => {
    err += piece;
  });
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const out = Buffer.concat(pieces);
  return { status, out, text: out.toString(), err };
}
