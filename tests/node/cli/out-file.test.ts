// --out: the file is either complete or unchanged.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";
import { run, temporaryFolder, tool, writeStore } from "../support/cli-tool.js";
import { v1Meta } from "../support/support.js";

const folder = temporaryFolder();
const array = (
  name: string,
  fields: Record<string, unknown>,
  chunks: Record<string, Uint8Array | string> = {},
) => writeStore(path.join(folder, name), Object.entries({ meta: v1Meta(fields), attrs: "{}", ...chunks }));

const letters = array("letters", { shape: [3], chunks: [3], dtype: "|S1", fill_value: null }, { 0: "abc" });
const corrupt = array("corrupt", { shape: [3], chunks: [3], compression: "zlib" }, { 0: "xx" });
const read = (out: string, source = letters) => run("read", source, "--format", "raw", "--out", out);

/** A new folder that contains the old file. */
function place() {
  const dir = mkdtempSync(path.join(folder, "place-"));
  const file = path.join(dir, "file");
  writeFileSync(file, "old");
  return { dir, file };
}

describe("zarr-wasm read --out", () => {
  it("creates a file with the default mode", async () => {
    const { dir, file } = place();
    const out = path.join(dir, "new");
    expect(await read(out)).toMatchObject({ status: 0, err: "", text: "" });
    expect(readFileSync(out, "utf8")).toBe("abc");
    expect(statSync(out).mode).toBe(statSync(file).mode);
    expect(readdirSync(dir).sort()).toEqual(["file", "new"]);
  });

  it("replaces a file atomically and keeps its mode", async () => {
    const { dir, file } = place();
    chmodSync(file, 0o640);
    const { ino } = statSync(file);
    expect((await read(file)).status).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("abc");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(statSync(file).ino).not.toBe(ino); // another file took its name
    expect(readdirSync(dir)).toEqual(["file"]);
  });

  it("writes to the target of a symbolic link and keeps the link", async () => {
    const { dir, file } = place();
    mkdirSync(path.join(dir, "links"));
    const link = path.join(dir, "links/link");
    symlinkSync("../file", link);
    expect((await read(link)).status).toBe(0);
    expect([readlinkSync(link), readFileSync(file, "utf8")]).toEqual(["../file", "abc"]);
    const dangling = path.join(dir, "links/dangling");
    symlinkSync("../there", dangling);
    expect((await read(dangling)).status).toBe(0);
    expect(lstatSync(dangling).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(dir, "there"), "utf8")).toBe("abc");
    expect(readdirSync(dir).sort()).toEqual(["file", "links", "there"]);
    expect(readdirSync(path.join(dir, "links")).sort()).toEqual(["dangling", "link"]);
  });

  it("writes directly to devices and pipes", async () => {
    expect((await read("/dev/null")).status).toBe(0);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    const piped = ["-c", '"$@" | cat', "sh", process.execPath, tool, "read", letters, "--format", "raw"];
    expect(execFileSync("sh", [...piped, "--out", "/dev/stdout"]).toString()).toBe("abc");
    const { dir } = place();
    const fifo = path.join(dir, "fifo");
    execFileSync("mkfifo", [fifo]);
    const child = spawn(process.execPath, [tool, "read", letters, "--format", "raw", "--out", fifo]);
    const ended = new Promise((resolve) => child.on("close", resolve));
    const reader = spawn("cat", [fifo]);
    let text = "";
    reader.stdout.on("data", (piece: Buffer) => {
      text += piece;
    });
    await new Promise((resolve) => reader.on("close", resolve));
    expect([await ended, text]).toEqual([0, "abc"]);
    expect(statSync(fifo).isFIFO()).toBe(true);
    expect(readdirSync(dir).sort()).toEqual(["fifo", "file"]);
  });

  const linuxOnly = skipFor(unsupportedSystem(process.platform === "linux"));
  it("reports a standard output that cannot be written", linuxOnly, () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [tool, "read", letters], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      1,
      "zarr-wasm: stdout cannot be written: ENOSPC: no space left on device, write\n",
    ]);
  });

  it("keeps the old file if reading or writing fails", async () => {
    const { dir, file } = place();
    expect((await read(file, corrupt)).status).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("old");
    expect((await run("read", letters, "--format", "raw", "--select", "7", "--out", file)).status).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("old");
    const { status, err } = await read(path.join(dir, "no/where"));
    expect([status, err]).toEqual([
      1,
      `zarr-wasm: ${path.join(dir, "no/where")} cannot be written: no such file or directory\n`,
    ]);
    expect(await read(dir)).toMatchObject({
      status: 1,
      err: expect.stringContaining("cannot be written: it is a folder"),
    });
    expect(readdirSync(dir)).toEqual(["file"]);
  });

  it("keeps the old file if the disk is full", () => {
    // A limit on the size of files fails in the middle of the pieces, as a full disk does.
    const { dir, file } = place();
    const large = array("large", { shape: [1e6], chunks: [1e6], dtype: "<i4", fill_value: 7 });
    const script = `trap '' XFSZ; ulimit -f 100; exec "$@"`;
    const args = ["-c", script, "sh", process.execPath, tool, "read", large, "--out", file];
    expect(() => execFileSync("sh", args, { stdio: "pipe" })).toThrow(/cannot be written: file too large/);
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(dir)).toEqual(["file"]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "leaves the old file when %s interrupts it",
    async (signal) => {
      const { dir, file } = place();
      // Text of this many elements takes seconds to write.
      const long = path.join(folder, "long");
      if (!existsSync(long)) array("long", { shape: [2e7], chunks: [2e7], dtype: "|u1", fill_value: 7 });
      const child = spawn(process.execPath, [tool, "read", long, "--out", file]);
      const ended = new Promise((resolve) => child.on("close", (_code, by) => resolve(by)));
      await expect.poll(() => readdirSync(dir).length, { timeout: 30_000, interval: 5 }).toBe(2);
      child.kill(signal);
      expect(await ended).toBe(signal);
      expect(readFileSync(file, "utf8")).toBe("old");
      expect(readdirSync(dir)).toEqual(["file"]);
    },
  );

  it("replaces no file that must not be written", () => {
    const { dir, file } = place();
    chmodSync(file, 0o444);
    // Root may write everything except this.
    const plainly = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : ["env"];
    const [command, ...args] = [...plainly, process.execPath, tool, "read", letters, "--out", file];
    const { status, stderr } = spawnSync(command!, args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, `zarr-wasm: ${file} cannot be written: permission denied\n`]);
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(dir)).toEqual(["file"]);
  });
});
