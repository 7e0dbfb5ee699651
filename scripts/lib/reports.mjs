// Reports of test runners: where they are written, and what they count.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { buildDir } from "./paths.mjs";
import { attempt, findTool } from "./process.mjs";

export const reportsDir = path.join(buildDir, "reports");

/** Makes the folder of reports empty. */
export function clearReports() {
  rmSync(reportsDir, { recursive: true, force: true });
  mkdirSync(reportsDir, { recursive: true });
}

/** A report's text; empty where none was written. */
export function readReport(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Counts from a report; a suite that failed without counting a failure counts as one. */
export function count(ok, passed, failed) {
  const sane = (n) => (Number.isFinite(n) ? n : 0);
  return { passed: sane(passed), failed: Math.max(sane(failed), ok ? 0 : 1) };
}

/**
 * Runs Vitest.
 * @param {string} name of the report
 * @param {{args?: string[], env?: Record<string, string>}} options
 * @returns what was counted, and the whole report
 */
export function runVitest(name, { args = [], env } = {}) {
  const file = path.join(reportsDir, `${name}.json`);
  rmSync(file, { force: true }); // so that an old one is not taken for its
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const ok = attempt(findTool("vitest"), ["run", ...args, ...reporters], { env });
  const report = JSON.parse(readReport(file) || "{}");
  return { ...count(ok, report.numPassedTests, failuresIn(report)), report };
}

/**
 * Failures that a report of Vitest has: tests, and files that failed with no test to blame (they could not be loaded,
 * say, or what is done before their tests threw). Blocks around a failing test are none of their own.
 */
export function failuresIn({ numFailedTests = 0, testResults = [] }) {
  const hasFailed = ({ status }) => status === "failed";
  const files = testResults.filter((file) => hasFailed(file) && !file.assertionResults.some(hasFailed));
  return numFailedTests + files.length;
}

/** Prints the counts of each part and, as the last line, their sums. @returns the exit code */
export function summarise(results) {
  console.log("");
  for (const { name, passed, failed } of results) console.log(`${name}: ${passed} passed, ${failed} failed`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
}
