// Reports of test runners: their paths and their counts.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { buildDir } from "./paths.mjs";
import { attempt, findTool } from "./process.mjs";

export const reportsDir = path.join(buildDir, "reports");

/** Empties the folder of reports. */
export function clearReports() {
  rmSync(reportsDir, { recursive: true, force: true });
  mkdirSync(reportsDir, { recursive: true });
}

/** Returns the contents of a report; "" if it does not exist. */
export function readReport(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * Counts from a report; a suite that failed without counting a failure counts as one.
 * @param {string[]} skipped the reason of each skipped test
 */
export function count(ok, passed, failed, skipped = []) {
  const sane = (n) => (Number.isFinite(n) ? n : 0);
  return { passed: sane(passed), failed: Math.max(sane(failed), ok ? 0 : 1), skipped };
}

const noReason = "no reason given";

/**
 * Runs Vitest.
 * @param {string} name of the report
 * @param {{args?: string[], env?: Record<string, string>}} options
 * @returns the counts and the whole report
 */
export function runVitest(name, { args = [], env } = {}) {
  const file = path.join(reportsDir, `${name}.json`);
  rmSync(file, { force: true }); // an old report must not be mistaken for the new one
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const ok = attempt(findTool("vitest"), ["run", ...args, ...reporters], { env });
  const report = JSON.parse(readReport(file) || "{}");
  return { ...count(ok, report.numPassedTests, failuresIn(report), skipsIn(report)), report };
}

/** Reasons of the skipped tests in a report of Vitest, one for each test; tests/shared/skips.ts notes them. */
export function skipsIn({ testResults = [] }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ meta }) => meta?.skipReason ?? noReason);
}

/** Reasons of the skipped tests in a report of Playwright. */
export function skipsInPlaywright({ suites = [] }) {
  const testsOf = ({ suites: inner = [], specs = [] }) => [
    ...inner.flatMap(testsOf),
    ...specs.flatMap(({ tests }) => tests),
  ];
  const reasonOf = ({ annotations = [] }) =>
    annotations.find(({ type, description }) => /^(skip|fixme)$/.test(type) && description)?.description;
  return suites
    .flatMap(testsOf)
    .filter(({ status }) => status === "skipped")
    .map((test) => reasonOf(test) ?? noReason);
}

/** Reasons of the skipped tests in a report of CTest (JUnit's XML), with the messages of GTEST_SKIP. */
export function skipsInJunit(xml) {
  const cases = xml.match(/<testcase\b[^>]*status="(?:notrun|disabled)".*?<\/testcase>/gs) ?? [];
  return cases.map((test) => /: Skipped\s*\n([^\n<]+)/.exec(test)?.[1].trim() || noReason);
}

/**
 * Failures in a report of Vitest: tests, and files that failed outside a test (they could not be loaded, or a hook
 * threw). Blocks around a failing test are not counted.
 */
export function failuresIn({ numFailedTests = 0, testResults = [] }) {
  const hasFailed = ({ status }) => status === "failed";
  const files = testResults.filter((file) => hasFailed(file) && !file.assertionResults.some(hasFailed));
  return numFailedTests + files.length;
}

/**
 * Prints the counts of each part, the reasons of skipped tests and, as the last line, the sums: "N passed, N failed",
 * and ", N skipped" if there are any. `.ci/run` reads these lines.
 * @param {{ name: string, passed: number, failed: number, skipped?: string[] }[]} results
 * @returns the exit code
 */
export function summarise(results) {
  console.log("");
  for (const result of results) console.log(`${result.name}: ${countsText(result)}`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const skipped = results.flatMap((result) => result.skipped ?? []);
  for (const reason of new Set(skipped))
    console.log(`skipped ${skipped.filter((other) => other === reason).length}: ${reason}`);
  console.log(countsText({ passed: sum("passed"), failed: sum("failed"), skipped }));
  return sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
}

function countsText({ passed, failed, skipped = [] }) {
  const more = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  return `${passed} passed, ${failed} failed${more}`;
}
