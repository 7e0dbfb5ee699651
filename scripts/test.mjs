// npm test: set-up, then every test: the native core under sanitizers, a short run of the fuzzers, the built
// package in Node, the viewer and the package in a browser. Ends with one line: N passed, N failed.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { buildAll } from "./build.mjs";
import { buildNative } from "./lib/build.mjs";
import { buildFuzzers, runTargets } from "./lib/fuzz.mjs";
import { buildDir } from "./lib/paths.mjs";
import { attempt, findTool, runMain, SetupError, step } from "./lib/process.mjs";
import { ensureSystem } from "./lib/system.mjs";

const reports = path.join(buildDir, "reports");

/** The suites: each runs to its end and says how many tests passed and failed. */
const suites = { native: runNative, fuzz: runFuzz, node: runNode, browser: runBrowser };

/** Seconds of each fuzzer, after its seeds and the files of tests/bad; npm run fuzz is for more. */
const fuzzSeconds = 1;

function runNative() {
  step("Native tests under AddressSanitizer and UndefinedBehaviorSanitizer");
  const dir = buildNative("sanitize", ["zw_tests"]);
  const report = path.join(reports, "native.xml");
  const ok = attempt("ctest", [
    "--test-dir",
    dir,
    "-j",
    "2",
    "--output-on-failure",
    "--progress",
    "--output-junit",
    report,
  ]);
  const [, total, failed] =
    /<testsuite[^>]*\btests="(\d+)"[^>]*\bfailures="(\d+)"/s.exec(readReport(report)) ?? [];
  return count(ok, Number(total) - Number(failed), Number(failed));
}

/** A target without findings is a test that passed. */
async function runFuzz() {
  const targets = buildFuzzers();
  step(`Fuzzing ${targets.length} targets for a moment`);
  const results = [];
  const onResult = (result) => results.push(result);
  await runTargets(targets, { seconds: fuzzSeconds, jobs: availableParallelism(), onResult });
  const failed = results.filter(({ findings }) => findings.length > 0);
  for (const { name, findings } of failed) console.error(`  ${name}: ${findings.join(", ")}`);
  return count(results.length === targets.length, results.length - failed.length, failed.length);
}

function runNode() {
  step("Tests of the built package in Node");
  const report = path.join(reports, "node.json");
  const ok = attempt(findTool("vitest"), [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  const { numPassedTests, numFailedTests, numFailedTestSuites = 0 } = JSON.parse(readReport(report) || "{}");
  return count(ok, numPassedTests, Math.max(numFailedTests, numFailedTestSuites));
}

function runBrowser() {
  step("Tests in Chromium");
  const report = path.join(reports, "browser.json");
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const ok = attempt(findTool("playwright"), ["test", "--reporter=list,json"], { env });
  const { stats } = JSON.parse(readReport(report) || "{}");
  return count(ok, (stats?.expected ?? 0) + (stats?.flaky ?? 0), stats?.unexpected);
}

function readReport(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Counts from a report; a suite that failed without counting a failure counts as one. */
function count(ok, passed, failed) {
  const sane = (n) => (Number.isFinite(n) ? n : 0);
  return { passed: sane(passed), failed: Math.max(sane(failed), ok ? 0 : 1) };
}

/** Programs that single tests need: where they cannot be installed, those tests are left out. */
function ensureOptional(kinds) {
  try {
    ensureSystem(kinds);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`${error.message}\nThe tests that need them are left out.`);
  }
}

async function main() {
  const chosen = process.argv.slice(2);
  const names = chosen.length > 0 ? chosen : Object.keys(suites);
  ensureSystem(["build", "native", "fuzz", "browser"]);
  ensureOptional(["node"]);
  buildAll();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const results = [];
  for (const name of names) results.push({ name, ...(await suites[name]()) });
  console.log("");
  for (const { name, passed, failed } of results) console.log(`${name}: ${passed} passed, ${failed} failed`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
}

runMain(main);
