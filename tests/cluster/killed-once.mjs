#!/usr/bin/env node
// zarr-wasm, of which the runs that $KILL matches are stopped by SIGKILL, the first time, once they have written
// something: `killed-once.mjs ARGUMENTS`. $ZARR_WASM_MAIN is the real program, $MARKS a folder for what was stopped.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const args = process.argv.slice(2);
const line = args.join(" ");
const mark = path.join(process.env.MARKS, createHash("sha256").update(line).digest("hex"));
const doomed = new RegExp(process.env.KILL || "$^").test(line) && !existsSync(mark);
const dest = args[2];
const count = () => readdirSync(dest, { recursive: true }).length;
const before = doomed ? count() : 0;

const child = spawn(process.execPath, [process.env.ZARR_WASM_MAIN, ...args], { stdio: "inherit" });
const watch =
  doomed &&
  setInterval(() => {
    if (count() < before + 4) return;
    clearInterval(watch);
    writeFileSync(mark, line);
    child.kill("SIGKILL");
  }, 2);
child.on("exit", (code, signal) => {
  if (watch) clearInterval(watch);
  process.exitCode = signal ? 137 : code;
});
