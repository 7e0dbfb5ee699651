// npm run test:compat -- edge [--built] [-- --load]: examples/edge-tiles on workerd, from npm, over stores on loopback.
// The example is set up as its users do: its packages from npm, this package from its tarball, the Worker bundled by
// wrangler, in build/edge-tiles. Runs tests, then a load test of about a minute whose results it prints. --load runs only
// the load test; --built uses the existing package in dist. The last line is "N passed, N failed".
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildAll } from "../build.mjs";
import { ensurePackagesOf } from "../lib/npm.mjs";
import { installArchives, packPackages } from "../lib/packages.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { capture, quiet, runMain, step } from "../lib/process.mjs";
import { count, runVitest, summarise } from "../lib/reports.mjs";

const example = path.join(root, "examples/edge-tiles");
const home = path.join(buildDir, "edge-tiles");

/** Packages that only the tests need. */
const tools = { autocannon: "9.0.0", sharp: "0.34.5" };

/** The packages, each with its exact version. */
function ensureTools() {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(example, "package.json"), "utf8"),
  );
  const { "zarr-wasm": _, ...others } = dependencies;
  const wanted = { private: true, dependencies: { ...others, ...devDependencies, ...tools } };
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "package.json"), `${JSON.stringify(wanted, null, 2)}\n`);
  ensurePackagesOf(home, "Installing the edge runtime and its tools");
}

/** Installs this package from its tarball, so that files missing in the tarball fail the tests. */
function installOwn() {
  installArchives(path.join(home, "node_modules"), packPackages(home, ["zarr-wasm"]));
}

/** Checks the example's types, and bundles it as it would be deployed. @returns the folder of the bundle. */
function buildWorker() {
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

await runMain(async () => {
  const options = process.argv.slice(2);
  if (!options.includes("--built")) await buildAll();
  buildWorker();
  const results = [];
  if (!options.includes("--load")) {
    step("Tiles, answers, faults");
    const { passed, failed, skipped } = runVitest("edge", { args: ["--config=tests/edge/vitest.config.ts"] });
    results.push({ name: "edge", passed, failed, skipped });
  }
  step("Load");
  const { runLoad } = await import(pathToFileURL(path.join(root, "tests/edge/load.mjs")));
  const failures = await runLoad();
  for (const failure of failures) console.error(`  ${failure}`);
  results.push({ name: "load", ...count(failures.length === 0, 1, failures.length) });
  if (failures.length > 0) results.at(-1).passed = 0;
  return summarise(results);
});
