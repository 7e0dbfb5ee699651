// Runs the test runners, and counts the tests in their reports.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { buildDir } from "./paths.mjs";
import { attempt, collect, findTool, inParallel } from "./process.mjs";

export const reportsDir = path.join(buildDir, "reports");

/** Empties the folder of reports. */
export function clearReports() {
  rmSync(reportsDir, { recursive: true, force: true });
  mkdirSync(reportsDir, { recursive: true });
}

/** Removes an old report, which must not be mistaken for the new one. */
export const clearReport = (file) => rmSync(file, { force: true });

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
 * @param {string[]} failures the title of each failed test
 * @param {string[]} flaky the title of each test that passed at the second attempt
 */
export function count(ok, passed, failed, skipped = [], failures = [], flaky = []) {
  const sane = (n) => (Number.isFinite(n) ? n : 0);
  return { passed: sane(passed), failed: Math.max(sane(failed), ok ? 0 : 1), skipped, failures, flaky };
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
  clearReport(file);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const ok = attempt(findTool("vitest"), ["run", ...args, ...reporters], { env });
  const report = JSON.parse(readReport(file) || "{}");
  const failures = failuresIn(report);
  const counts = count(
    ok,
    report.numPassedTests,
    failures.length,
    skipsIn(report),
    failures,
    repeatsIn(report),
  );
  return { ...counts, report, times: timesIn(report) };
}

/** @typedef {{ title: string, seconds: number }} Time of a test */

/** Times of the tests in a report of Vitest. @returns {Time[]} */
export const timesIn = ({ testResults = [] }) =>
  testResults.flatMap(({ name, assertionResults = [] }) =>
    assertionResults
      .filter(({ duration }) => duration > 0)
      .map(({ fullName, duration }) => ({ title: titleOf(name, fullName), seconds: duration / 1000 })),
  );

/** Titles and first errors of the tests in a report of Vitest that passed at the second attempt. */
export const repeatsIn = ({ testResults = [] }) =>
  testResults.flatMap(({ name, assertionResults = [] }) =>
    assertionResults
      .filter(({ status, meta }) => status === "passed" && meta?.firstError !== undefined)
      .map(({ fullName, meta }) => titleOf(name, fullName, meta.firstError)),
  );

/** The file, the title and the first line of the error of a test. */
const titleOf = (file, title, message = "") =>
  [`${path.relative(process.cwd(), file)}: ${title}`, ...message.split("\n", 1).filter(Boolean)].join(": ");

/** Reasons of the skipped tests in a report of Vitest, one for each test; tests/shared/skips.ts notes them. */
export function skipsIn({ testResults = [] }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ meta }) => meta?.skipReason ?? noReason);
}

/**
 * Runs Playwright.
 * @param {string} name of the report
 * @param {string[]} args
 */
export function runPlaywright(name, args = []) {
  const file = path.join(reportsDir, `${name}.json`);
  clearReport(file);
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const ok = attempt(findTool("playwright"), ["test", ...args, "--reporter=list,json"], { env });
  const report = JSON.parse(readReport(file) || "{}");
  const { expected = 0, flaky = 0, unexpected = 0 } = report.stats ?? {};
  const failures = failuresInPlaywright(report);
  const repeated = failuresInPlaywright(report, "flaky");
  const counts = count(ok, expected + flaky, unexpected, skipsInPlaywright(report), failures, repeated);
  return { ...counts, times: timesInPlaywright(report) };
}

/** Tests in a report of Playwright, each named by its file and title. */
const playwrightTests = ({ suites = [], specs = [] }) => [
  ...suites.flatMap(playwrightTests),
  ...specs.flatMap(({ file, title, tests }) => tests.map((test) => ({ ...test, name: `${file}: ${title}` }))),
];

/** The first line of the first error of a test, after a colon; "" if there was none. */
function causeOf({ results = [] }) {
  const message = results.flatMap(({ error }) => error?.message ?? []).at(0);
  return message === undefined ? "" : `: ${stripVTControlCharacters(message).split("\n", 1)[0]}`;
}

/** Reasons of the skipped tests in a report of Playwright. */
export function skipsInPlaywright(report) {
  const reasonOf = ({ annotations = [] }) =>
    annotations.find(({ type, description }) => /^(skip|fixme)$/.test(type) && description)?.description;
  return playwrightTests(report)
    .filter(({ status }) => status === "skipped")
    .map((test) => reasonOf(test) ?? noReason);
}

/** Titles and errors of the tests in a report of Playwright that failed or, if "flaky" is wanted, only at first. */
export const failuresInPlaywright = (report, wanted = "unexpected") =>
  playwrightTests(report)
    .filter(({ status }) => status === wanted)
    .map((test) => test.name + causeOf(test));

/** Times of the tests in a report of Playwright, all attempts together. @returns {Time[]} */
export const timesInPlaywright = (report) =>
  playwrightTests(report).map(({ name, results = [] }) => ({
    title: name,
    seconds: results.reduce((sum, { duration = 0 }) => sum + duration / 1000, 0),
  }));

/** More shards than cores, so that all cores are busy to the end; one process per case would take longer to start. */
const shards = 4 * availableParallelism();
const shardMinutes = 10;

/** Runs a program of GoogleTest in a few processes. If one dies or hangs, the case that it was running has failed. */
export async function runGtest(name, program) {
  const results = [];
  const work = Array.from({ length: shards }, (_, shard) => async () => {
    results.push(await runShard(name, program, shard));
  });
  await inParallel(availableParallelism(), work);
  const of = (key) => results.flatMap((result) => result[key]);
  const [skipped, failures] = [of("skipped"), of("failures")];
  const total = results.reduce((sum, { tests }) => sum + tests, 0);
  // Leaks are reported at the end of a process, for no particular case.
  const ok = results.every((result) => result.ok);
  const counts = count(ok, total - failures.length - skipped.length, failures.length, skipped, failures);
  return { ...counts, times: of("times") };
}

async function runShard(name, program, shard) {
  const report = path.join(reportsDir, `${name}-${shard}.xml`);
  clearReport(report);
  const { code, output } = await collect(program, [`--gtest_output=xml:${report}`], {
    env: { GTEST_TOTAL_SHARDS: shards, GTEST_SHARD_INDEX: shard },
    timeout: shardMinutes * 60_000,
  });
  if (code !== 0) console.error(output.slice(-100_000));
  const xml = readReport(report);
  const result = { skipped: skipsInGtest(xml), failures: failuresInGtest(xml), times: timesInGtest(xml) };
  const tests = testsInGtest(xml);
  console.log(
    `  shard ${shard + 1} of ${shards}: ${tests} tests, ${code === 0 ? "passed" : `exit code ${code}`}`,
  );
  if (tests > 0) return { ...result, tests, ok: code === 0 };
  return { ...result, tests: 1, ok: false, failures: [lastInGtest(output)] };
}

/** The case that a process of GoogleTest began last. */
export const lastInGtest = (output) =>
  [...output.matchAll(/^\[ RUN {6}\] (\S+)/gm)].at(-1)?.[1] ?? "no case began";

/** The elements of cases in a report of GoogleTest (XML): their names, results and contents. */
const casesInGtest = (xml) =>
  [
    ...xml.matchAll(
      /<testcase name="([^"]*)"[^>]*? result="(\w+)" time="([^"]*)"[^>]*? classname="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs,
    ),
  ].map(([, name, result, time, suite, content = ""]) => ({
    title: `${suite}.${name}`,
    result,
    seconds: Number(time),
    content,
  }));

/** The number of cases in a report of GoogleTest, including the skipped ones. */
export const testsInGtest = (xml) => casesInGtest(xml).length;

/** Reasons of the skipped cases in a report of GoogleTest: the messages of GTEST_SKIP. */
export const skipsInGtest = (xml) =>
  casesInGtest(xml)
    .filter(({ result }) => result !== "completed")
    .map(
      ({ content }) => /<skipped [^>]*><!\[CDATA\[[^\n]*\n(.+?)\]\]>/s.exec(content)?.[1].trim() || noReason,
    );

/** Titles of the failed cases in a report of GoogleTest. */
export const failuresInGtest = (xml) =>
  casesInGtest(xml)
    .filter(({ content }) => content.includes("<failure "))
    .map(({ title }) => title);

/** Times of the cases in a report of GoogleTest. @returns {Time[]} */
export const timesInGtest = (xml) => casesInGtest(xml).map(({ title, seconds }) => ({ title, seconds }));

/**
 * Titles of the failures in a report of Vitest: tests, and files that failed outside a test (they could not be loaded,
 * or a hook threw). Blocks around a failing test are not listed.
 */
export const failuresIn = ({ testResults = [] }) =>
  testResults.flatMap(({ name, status, assertionResults = [] }) => {
    const file = path.relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0) return status === "failed" ? [file] : [];
    return failed.map(({ fullName, failureMessages = [] }) => titleOf(name, fullName, failureMessages[0]));
  });

/**
 * Runs tests one after the other and prints the faults of each; a test that throws has failed.
 * @param {string[]} names
 * @param {(name: string) => Promise<string[]>} test prints its own line and returns its faults
 * @returns the counts
 */
export async function runEach(names, test) {
  const failures = [];
  for (const name of names) {
    const faults = await test(name).catch((error) => {
      console.log(`  ✗ ${name}`);
      return [error.message];
    });
    for (const fault of faults) console.error(`    ${fault}`);
    if (faults.length > 0) failures.push(name);
  }
  return { passed: names.length - failures.length, failed: failures.length, skipped: [], failures };
}

/** Number of tests of which `summarise` prints the time. */
const slowestShown = 10;

/**
 * Prints the counts and the time of each part, the slowest tests, the titles of failed and repeated tests, the reasons
 * of skipped tests and, as the last line, the sums: "N passed, N failed", and ", N skipped" if there are any. `.ci/run`
 * reads these lines.
 * @param {{ name: string, passed: number, failed: number, skipped?: string[], failures?: string[], seconds?: number,
 *   times?: Time[] }[]} results
 * @returns the exit code
 */
export function summarise(results) {
  console.log("");
  for (const result of results) console.log(`${result.name}: ${countsText(result)}${timeText(result)}`);
  const times = results.flatMap((result) => result.times ?? []).sort((a, b) => b.seconds - a.seconds);
  for (const { title, seconds } of times.slice(0, slowestShown))
    console.log(`slowest: ${seconds.toFixed(1)} s, ${title}`);
  for (const { failures = [] } of results) for (const title of failures) console.log(`failed: ${title}`);
  for (const { flaky = [] } of results)
    for (const title of flaky) console.log(`passed at the second attempt: ${title}`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const skipped = results.flatMap((result) => result.skipped ?? []);
  for (const reason of new Set(skipped))
    console.log(`skipped ${skipped.filter((other) => other === reason).length}: ${reason}`);
  console.log(countsText({ passed: sum("passed"), failed: sum("failed"), skipped }));
  return sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
}

const timeText = ({ seconds }) => (seconds === undefined ? "" : `, ${Math.round(seconds)} s`);

function countsText({ passed, failed, skipped = [] }) {
  const more = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  return `${passed} passed, ${failed} failed${more}`;
}
