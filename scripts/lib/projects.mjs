// Fresh projects with the packed packages installed, for test:compat -- bundlers and runtimes.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { installArchives, packPackages } from "./packages.mjs";
import { buildDir, root } from "./paths.mjs";
import { run, SetupError, step } from "./process.mjs";

/** Packs the built packages. @returns their archives by name. */
export function packBuilt() {
  step("Packing the packages");
  const dir = path.join(buildDir, "packed");
  rmSync(dir, { recursive: true, force: true });
  return packPackages(dir);
}

const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];

/**
 * Makes a project: its files, the tools that it names, and the packages. Tools are reinstalled only if their list has
 * changed; everything else is made anew.
 * @param {{dependencies: Record<string, string>, scripts?: boolean, files?: Record<string, string>, type?: string}}
 * project
 *   `scripts`: whether to run the tools' install scripts; `type`: of the project's package.json (default: "module")
 * @returns the folder
 */
export function makeProject(
  archives,
  folder,
  { dependencies, scripts = false, files = {}, type = "module" },
) {
  const list = JSON.stringify({ private: true, ...(type && { type }), dependencies }, null, 2);
  const stamp = path.join(folder, "node_modules/.tools");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== list) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), list);
    run("npm", ["install", ...quietly, ...(scripts ? [] : ["--ignore-scripts"])], { cwd: folder });
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, list);
  }
  for (const name of readdirSync(folder))
    if (name !== "node_modules" && name !== "package.json")
      rmSync(path.join(folder, name), { recursive: true });
  const modules = path.join(folder, "node_modules");
  for (const name of [".vite", ".cache", ".astro"])
    rmSync(path.join(modules, name), { recursive: true, force: true });
  installArchives(modules, archives);
  cpSync(path.join(root, "tests/bundlers/program"), path.join(folder, "src"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** Version of an installed package. */
export const versionOf = (folder, name) =>
  JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8")).version;

const environment = {
  ...process.env,
  NO_COLOR: "1",
  CI: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
};

/** Runs a command in a project. @returns its output. @throws SetupError with the output if it fails. */
export async function runIn(folder, command, { seconds = 300, env = {} } = {}) {
  const child = start(folder, command, env);
  const timer = setTimeout(() => child.end(), 1000 * seconds);
  const status = await child.over;
  clearTimeout(timer);
  if (status === 0) return child.output();
  throw new SetupError(`${command.join(" ")}: ended with ${status}\n${child.output().slice(-4000)}`);
}

/** Starts a command in a project, in its own process group, so that all its processes can be ended together. */
function start(folder, [program, ...args], env) {
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment, PATH: `${folder}/node_modules/.bin:${process.env.PATH}`, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  const state = { isOver: false };
  const over = new Promise((resolve) => {
    child.on("error", ({ message }) => {
      output += message;
      resolve(message);
    });
    child.on("close", (status, signal) => resolve(status ?? signal));
  }).finally(() => {
    state.isOver = true;
  });
  const end = async () => {
    const kill = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The process has ended.
      }
    };
    kill("SIGTERM");
    const timer = setTimeout(() => kill("SIGKILL"), 5000);
    await over;
    clearTimeout(timer);
  };
  return { over, end, output: () => output, state };
}

/** A currently free port. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts a server in a project and waits until it responds.
 * @param {(port: number) => string[]} command
 * @returns {Promise<{url: string, output(): string, close(): Promise<void>}>}
 */
export async function serveIn(folder, command, { seconds = 60, env = {} } = {}) {
  const port = await freePort();
  const child = start(folder, command(port), { PORT: String(port), ...env });
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + 1000 * seconds; ; ) {
    if (child.state.isOver) throw new SetupError(`the server ended\n${child.output().slice(-4000)}`);
    const signal = AbortSignal.timeout(30_000);
    const isThere = await fetch(url, { signal }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
    if (isThere) return { url, output: child.output, close: child.end };
    if (Date.now() > end) {
      await child.end();
      throw new SetupError(`the server does not respond\n${child.output().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
