// npm test: sets up, then runs every test: the native core under sanitizers, short runs of the fuzzers, the built
// package in Node, the viewer and the package in Chromium. The last lines are the time of each suite, the slowest tests
// and "N passed, N failed, N skipped".
//   npm test -- native node     only these suites, and only their set-up
//   npm test -- whole           all suites, or the named ones, without sampling
//   npm test -- --built node    with the packages as they are: nothing is built, no compiler is needed
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { buildNative } from "./lib/build.mjs";
import { buildFuzzers, runTargets } from "./lib/fuzz.mjs";
import { runMain, SetupError, step } from "./lib/process.mjs";
import { clearReports, count, runGtest, runPlaywright, runVitest, summarise } from "./lib/reports.mjs";
import { ensureSources } from "./lib/sources.mjs";
import { ensureSystem } from "./lib/system.mjs";

/**
 * The suites: each runs to its end and returns the numbers of passed and failed tests. `needs`: required kinds of
 * programs. `likes`: kinds without which only some tests are skipped. `package`: whether it needs the output of `npm
 * run build`. `isExtra`: run only if named.
 */
const suites = {
  native: { run: runNative, needs: ["native"], package: false },
  fuzz: { run: runFuzz, needs: ["fuzz"], package: true },
  node: { run: runNode, needs: [], likes: ["node"], package: true },
  browser: { run: runBrowser, needs: ["browser"], package: true },
  viewer: { run: runViewer, needs: [], package: true, isExtra: true },
};

/** Seconds per fuzz target, its seeds and the inputs of tests/fuzz/bad.json included; use npm run fuzz for longer runs. */
const fuzzSeconds = { native: 1, js: 0.4 };
const wholeSeconds = { native: 10, js: 10 };

function runNative() {
  step("Native tests under AddressSanitizer and UndefinedBehaviorSanitizer");
  return runGtest("native", path.join(buildNative("sanitize", ["zw_tests"]), "tests/cpp/zw_tests"));
}

/** A target without findings counts as a passed test. */
async function runFuzz() {
  const targets = buildFuzzers();
  step(`Fuzzing ${targets.length} targets for a moment`);
  const results = [];
  const onResult = (result) => results.push(result);
  const seconds = process.env.ZARR_WASM_WHOLE === "1" ? wholeSeconds : fuzzSeconds;
  await runTargets(targets, { seconds, jobs: availableParallelism(), onResult });
  const failed = results.filter(({ findings }) => findings.length > 0);
  for (const { name, findings } of failed) console.error(`  ${name}: ${findings.join(", ")}`);
  const titles = failed.map(({ name }) => name);
  return count(results.length === targets.length, results.length - failed.length, failed.length, [], titles);
}

function runNode() {
  step("Tests of the built package in Node");
  return runVitest("node");
}

/** Those of the Node suite that `npm test` in web/viewer runs, beside the browser's. */
function runViewer() {
  step("Tests of the viewer in Node");
  return runVitest("viewer", { args: ["tests/node/viewer"] });
}

function runBrowser() {
  step("Tests in Chromium");
  return runPlaywright("browser");
}

/** Installs programs that only some tests need; if that fails, those tests are skipped. */
function ensureOptional(kinds) {
  try {
    ensureSystem(kinds);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`${error.message}\nThe tests that need them are skipped.`);
  }
}

async function main() {
  const { positionals: chosen, values } = parseArgs({
    allowPositionals: true,
    options: { built: { type: "boolean" } },
  });
  if (values.built) process.env.ZARR_WASM_PREBUILT = "1";
  // Tests try samples otherwise (tests/node/support/amounts.ts, tests/cpp/support.hpp).
  if (chosen.includes("whole")) process.env.ZARR_WASM_WHOLE = "1";
  const named = chosen.filter((name) => name !== "whole");
  const usual = Object.keys(suites).filter((name) => !suites[name].isExtra);
  const names = named.length > 0 ? named : usual;
  const unknown = names.find((name) => !Object.hasOwn(suites, name));
  if (unknown)
    throw new SetupError(
      `unknown suite "${unknown}"; expected whole or one of ${Object.keys(suites).join(", ")}`,
    );
  const wanted = names.map((name) => ({ name, ...suites[name] }));
  const buildsPackage = wanted.some((suite) => suite.package);
  const tools = !buildsPackage ? ["sources"] : process.env.ZARR_WASM_PREBUILT === "1" ? [] : ["build"];
  ensureSystem([...tools, ...wanted.flatMap(({ needs }) => needs)]);
  ensureOptional(wanted.flatMap(({ likes = [] }) => likes));
  if (buildsPackage) await buildAll();
  else await ensureSources();
  clearReports();
  const results = [];
  for (const { name, run } of wanted) {
    const start = performance.now();
    const counts = await toItsEnd(run);
    results.push({ ...counts, name, seconds: (performance.now() - start) / 1000 });
  }
  return summarise(results);
}

/** Runs a suite; one that cannot run counts as a failure, and the others still run. */
async function toItsEnd(suite) {
  try {
    return await suite();
  } catch (error) {
    console.error(error instanceof SetupError ? `\nerror: ${error.message}` : error);
    return count(false, 0, 1);
  }
}

runMain(main);
