// Runs the native tests in a few processes: one process per case takes longer to start than most cases run.
import { availableParallelism } from "node:os";
import path from "node:path";
import { attempt, collect, inParallel } from "./process.mjs";
import {
  clearReport,
  count,
  failuresInGtest,
  failuresInJunit,
  readReport,
  reportsDir,
  skipsInGtest,
  skipsInJunit,
  testsInGtest,
  timesInGtest,
} from "./reports.mjs";

/** More shards than cores, so that all cores are busy to the end. */
const shards = 4 * availableParallelism();
const shardMinutes = 10;

/**
 * Runs all cases of the native tests. If a process dies or hangs, its cases have no report: CTest then runs each case
 * separately, and finds the one that fails.
 * @param dir the build folder
 * @returns the counts
 */
export async function runNativeTests(dir) {
  const program = path.join(dir, "tests/cpp/zw_tests");
  const results = [];
  const work = Array.from({ length: shards }, (_, shard) => async () => {
    results.push(await runShard(program, shard));
  });
  await inParallel(availableParallelism(), work);
  if (results.some(({ tests }) => tests === 0)) {
    const counts = runCases(dir);
    if (counts.failed > 0) return counts;
    return { ...counts, failed: 1, failures: ["native tests that pass separately end a common process"] };
  }
  const of = (key) => results.flatMap((result) => result[key]);
  const [skipped, failures] = [of("skipped"), of("failures")];
  const total = results.reduce((sum, { tests }) => sum + tests, 0);
  // Leaks are reported at the end of a process, for no particular case.
  const ok = results.every((result) => result.ok);
  const counts = count(ok, total - failures.length - skipped.length, failures.length, skipped, failures);
  return { ...counts, times: of("times") };
}

/** Runs one shard. `tests` is 0 if the process did not write its report. */
async function runShard(program, shard) {
  const report = path.join(reportsDir, `native-${shard}.xml`);
  clearReport(report);
  const { code, output } = await collect(program, ["--gtest_brief=1", `--gtest_output=xml:${report}`], {
    env: { GTEST_TOTAL_SHARDS: shards, GTEST_SHARD_INDEX: shard },
    timeout: shardMinutes * 60_000,
  });
  if (code !== 0) console.error(output.slice(-100_000));
  const xml = readReport(report);
  const tests = testsInGtest(xml);
  console.log(
    `  shard ${shard + 1} of ${shards}: ${tests} tests, ${code === 0 ? "passed" : `exit code ${code}`}`,
  );
  const [skipped, failures, times] = [skipsInGtest(xml), failuresInGtest(xml), timesInGtest(xml)];
  return { ok: code === 0, tests, skipped, failures, times };
}

/** Runs each case in its own process. */
function runCases(dir) {
  const report = path.join(reportsDir, "native.xml");
  const options = ["-j", String(availableParallelism()), "--output-on-failure", "--progress"];
  const ok = attempt("ctest", ["--test-dir", dir, ...options, "--output-junit", report]);
  const xml = readReport(report);
  const [, total, failed] = /<testsuite[^>]*\btests="(\d+)"[^>]*\bfailures="(\d+)"/s.exec(xml) ?? [];
  const skipped = skipsInJunit(xml);
  return count(
    ok,
    Number(total) - Number(failed) - skipped.length,
    Number(failed),
    skipped,
    failuresInJunit(xml),
  );
}
