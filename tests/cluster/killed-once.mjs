#!/usr/bin/env node
// Runs zarr-wasm with the given arguments: `killed-once.mjs ARGUMENTS`. Runs that match $KILL are stopped by SIGKILL
// the first time, after they have written something. $ZARR_WASM_MAIN is the real program, $MARKS a folder of marks of
// stopped runs.
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
