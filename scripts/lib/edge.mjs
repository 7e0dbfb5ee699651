// Sets up examples/edge-tiles as its users do: its packages from npm, this package from its tarball, the Worker bundled
// by wrangler. Everything is in build/edge-tiles.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installArchives, packPackages } from "./packages.mjs";
import { buildDir, root } from "./paths.mjs";
import { capture, quiet, step } from "./process.mjs";

const example = path.join(root, "examples/edge-tiles");
const home = path.join(buildDir, "edge-tiles");

/** Packages that only the tests need. */
const tools = { autocannon: "9.0.0", sharp: "0.34.5" };

const readJson = (...parts) => JSON.parse(readFileSync(path.join(...parts), "utf8"));

/** The packages, each with its exact version; reinstalled only if their list has changed. */
function ensureTools() {
  const { dependencies, devDependencies } = readJson(example, "package.json");
  const { "zarr-wasm": _, ...others } = dependencies;
  const wanted = { private: true, dependencies: { ...others, ...devDependencies, ...tools } };
  const list = `${JSON.stringify(wanted, null, 2)}\n`;
  const file = path.join(home, "package.json");
  const isThere = existsSync(path.join(home, "node_modules/.installed"));
  if (isThere && readFileSync(file, "utf8") === list) return;
  step("Installing the edge runtime and its tools");
  mkdirSync(home, { recursive: true });
  writeFileSync(file, list);
  const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  quiet("npm", ["install", "--ignore-scripts", ...quietly], { cwd: home });
  writeFileSync(path.join(home, "node_modules/.installed"), "");
}

/** Installs this package from its tarball, so that files missing in the tarball fail the tests. */
function installOwn() {
  installArchives(path.join(home, "node_modules"), packPackages(home, ["zarr-wasm"]));
}

/** Checks the example's types, and bundles it as it would be deployed. @returns the folder of the bundle. */
export function buildWorker() {
  ensureTools();
  installOwn();
  step("Bundling the Worker");
  const copy = path.join(home, "example");
  const out = path.join(home, "worker");
  for (const dir of [copy, out]) rmSync(dir, { recursive: true, force: true });
  cpSync(example, copy, { recursive: true });
  const tool = (name) => path.join(home, "node_modules/.bin", name);
  quiet(tool("tsc"), ["-p", copy], { cwd: copy });
  const env = {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: path.join(home, "wrangler.log"),
    XDG_CONFIG_HOME: path.join(home, "config"),
    NO_COLOR: "1",
  };
  const said = capture(tool("wrangler"), ["deploy", "--dry-run", "--outdir", out], { cwd: copy, env });
  console.log(/^Total Upload: .*$/m.exec(said)?.[0] ?? said);
  return out;
}
