// Runs programs: with output passed through (run), collected (capture), shown only on failure (quiet), in the
// background (startScript), or several at the same time (collect, inParallel).
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { root, tempDir } from "./paths.mjs";

/** An error whose message is all that the user needs. */
export class SetupError extends Error {}

function environment(extra) {
  return { ...process.env, TMPDIR: tempDir(), ...extra };
}

function check(result, command, args) {
  if (result.error) throw new SetupError(`${command}: ${result.error.message}`);
  if (result.status !== 0) {
    const output = [result.stdout, result.stderr].filter(Boolean).join("\n").trim();
    const how = result.signal ? `was stopped by ${result.signal}` : `exited with ${result.status}`;
    throw new SetupError(`${command} ${args.join(" ")}\n  ${how}${output ? `\n${output}` : ""}`);
  }
  return result;
}

/** Runs a program with its output passed through. @throws SetupError unless it exits with 0. */
export function run(command, args, { cwd = root, env } = {}) {
  check(spawnSync(command, args, { cwd, stdio: "inherit", env: environment(env) }), command, args);
}

/** Runs a program with its output passed through. @returns whether it exited with 0. */
export function attempt(command, args, { cwd = root, env } = {}) {
  const result = spawnSync(command, args, { cwd, stdio: "inherit", env: environment(env) });
  if (result.error) throw new SetupError(`${command}: ${result.error.message}`);
  return result.status === 0;
}

/** Runs a program silently; if it fails, the error contains its output. */
export function quiet(command, args, options) {
  return capture(command, args, options);
}

/** Runs a program and returns its stdout. */
export function capture(command, args, { cwd = root, env } = {}) {
  const options = { cwd, encoding: "utf8", maxBuffer: 64 << 20, env: environment(env) };
  return check(spawnSync(command, args, options), command, args).stdout;
}

/**
 * Runs a program in the background.
 * @param {{env?: Record<string, string | number>, timeout?: number}} options `timeout` in milliseconds, after which it is killed
 * @returns {Promise<{code: number, output: string}>} the exit code, or 1 if it was killed; the end of its stdout and stderr
 */
export function collect(command, args, { env, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...{ cwd: root, stdio: ["ignore", "pipe", "pipe"], env: environment(env) },
      ...{ timeout, killSignal: "SIGKILL" },
    });
    let output = "";
    const add = (chunk) => {
      output = (output + chunk).slice(-(2 ** 20));
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Runs functions, some at a time.
 * @param {(() => Promise<void>)[]} work
 */
export async function inParallel(jobs, work) {
  const queue = work.values();
  const worker = async () => {
    for (const job of queue) await job();
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/**
 * Starts one of this repository's scripts with its output passed through.
 * @returns a promise that rejects with a SetupError unless the script exits with 0.
 */
export function startScript(file, args) {
  const child = spawn(process.execPath, [path.join(root, file), ...args], {
    cwd: root,
    stdio: "inherit",
    env: environment(),
  });
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal }));
  });
  const checked = ended.then((result) => check(result, file, args));
  checked.catch(() => {}); // the caller may await it much later
  return checked;
}

/** The path of a program on PATH, or undefined. */
export function which(name) {
  for (const dir of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not here
    }
  }
  return undefined;
}

/** The path of a program in node_modules. */
export function findTool(name) {
  return path.join(root, "node_modules/.bin", name);
}

/** Prints the heading of a step. */
export function step(text) {
  console.log(`\x1b[1m» ${text}\x1b[0m`);
}

/** Runs `main` as the whole script; prints a SetupError without its stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof SetupError ? `\nerror: ${error.message}` : error);
    process.exitCode = 1;
  }
}
