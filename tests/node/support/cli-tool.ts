/** The command line as a user runs it, on folders that a test writes. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { afterAll } from "vitest";
import { run as runCommand } from "#src/cli/run.js";
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

/** Collects the output of a command. */
export function collector() {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(Buffer.from(piece));
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(pieces) };
}

/** Runs the tool in this process, which shares its modules and their state with the test. */
export async function run(...args: string[]) {
  const [stdout, stderr] = [collector(), collector()];
  const status = await runCommand({ args, stdout: stdout.stream, stderr: stderr.stream });
  const out = stdout.bytes();
  return { status, out, text: out.toString(), err: stderr.bytes().toString() };
}

/** The same in a separate process, for tests of locks and of the process. */
export async function runProcess(...args: string[]) {
  const child = spawn(process.execPath, [tool, ...args]);
  const [stdout, stderr] = [collector(), collector()];
  child.stdout.pipe(stdout.stream);
  child.stderr.pipe(stderr.stream);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const out = stdout.bytes();
  return { status, out, text: out.toString(), err: stderr.bytes().toString() };
}
