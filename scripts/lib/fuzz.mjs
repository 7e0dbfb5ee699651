// Builds the fuzzers and runs their targets in parallel.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { buildNative } from "./build.mjs";
import { buildDir, distDir, root } from "./paths.mjs";
import { capture, collect, findTool, inParallel, run, step } from "./process.mjs";

const fuzzDir = path.join(buildDir, "fuzz");
/** Inputs with findings; kept until they are removed by hand. */
export const findingsDir = path.join(fuzzDir, "findings");
const script = path.join(fuzzDir, "js/main.js");

/** Limits of one native input: seconds, resident memory, one allocation (MiB), bytes. */
const limits = ["-timeout=30", "-rss_limit_mb=2048", "-malloc_limit_mb=512", "-max_len=8192"];

/** In short runs JavaScript targets share a process: starting one takes longer than the run. */
const shortSeconds = 20;
const shortBatch = 8;

/** @typedef {{ name: string, kind: "native" | "js" }} Target */

/**
 * Builds the fuzzers and the seeds of the native targets; the library must have been built.
 * @returns all targets.
 */
export function buildFuzzers() {
  step("Building the native fuzzer under AddressSanitizer and UndefinedBehaviorSanitizer");
  buildNative("sanitize", ["zw_fuzz"]);
  buildScript();
  step("Making seeds from the golden data");
  rmSync(path.join(fuzzDir, "seeds"), { recursive: true, force: true });
  run(process.execPath, [script, "seeds", path.join(fuzzDir, "seeds")]);
  const native = lines(capture(program(), ["--list"]));
  const js = lines(capture(process.execPath, [script, "list"]));
  return [...native.map((name) => ({ name, kind: "native" })), ...js.map((name) => ({ name, kind: "js" }))];
}

/** Bundles tests/fuzz/js into one file; the built library stays external. */
function buildScript() {
  step("Bundling the JavaScript fuzzer");
  const entry = path.join(root, "tests/fuzz/js/main.ts");
  const options = ["--bundle", "--platform=node", "--format=esm", "--packages=external", "--log-level=error"];
  run(findTool("esbuild"), [entry, ...options, `--external:${distDir}/*`, `--outfile=${script}`]);
}

const program = () => path.join(buildDir, "sanitize/tests/fuzz/zw_fuzz");
const lines = (text) => text.trim().split("\n");

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {number} executions
 * @property {number} seconds
 * @property {string} coverage
 * @property {string} corpus inputs that are kept, and their bytes
 * @property {string[]} findings files
 */

/**
 * Runs targets, each for the seconds of its kind.
 * @param {Target[]} targets
 * @param {{ seconds: Record<Target["kind"], number>, jobs: number, onResult: (result: Result) => void }} options
 */
export async function runTargets(targets, { seconds, jobs, onResult }) {
  mkdirSync(findingsDir, { recursive: true });
  const native = targets.filter(({ kind }) => kind === "native");
  const js = targets.filter(({ kind }) => kind === "js").map(({ name }) => name);
  const batch = seconds.js < shortSeconds ? shortBatch : 1;
  const work = native.map(
    ({ name }) =>
      () =>
        runNative(name, [`-max_total_time=${seconds.native}`]).then(onResult),
  );
  for (let at = 0; at < js.length; at += batch) {
    work.push(() => runScript(js.slice(at, at + batch), seconds.js, onResult));
  }
  await inParallel(jobs, work);
}

/**
 * Runs a native target: first its seeds, then the inputs that libFuzzer makes of them.
 * @returns {Promise<Result>}
 */
async function runNative(name, bounds) {
  const corpus = path.join(fuzzDir, "corpus", name);
  mkdirSync(corpus, { recursive: true });
  const seeds = [path.join(fuzzDir, "seeds", name)].filter(existsSync);
  const before = new Set(filesIn(findingsDir));
  const start = performance.now();
  const { code, output } = await collect(program(), [
    `--target=${name}`,
    ...bounds,
    ...limits,
    "-print_final_stats=1",
    `-artifact_prefix=${findingsDir}/${name}-`,
    corpus,
    ...seeds,
  ]);
  const findings = filesIn(findingsDir).filter((file) => !before.has(file) && file.startsWith(`${name}-`));
  if (code !== 0) console.error(output.slice(-6000));
  if (code !== 0 && findings.length === 0) findings.push(`${name}: exit code ${code}`);
  const last = [...output.matchAll(/cov: (\d+) ft: (\d+) corp: (\S+)/g)].at(-1);
  return {
    name,
    executions: Number(/stat::number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? 0),
    seconds: (performance.now() - start) / 1000,
    coverage: last ? `${last[1]} edges, ${last[2]} features` : "",
    corpus: last?.[3] ?? "",
    findings,
  };
}

/** Runs JavaScript targets sequentially. */
async function runScript(names, seconds, onResult) {
  const { code, output } = await collect(process.execPath, [
    script,
    "run",
    String(seconds),
    findingsDir,
    ...names,
  ]);
  const reports = lines(output)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  for (const { target, coverage, ...report } of reports)
    onResult({ ...report, name: target, coverage: `${coverage.toFixed(0)} % of its source`, corpus: "" });
  const missing = names.filter((name) => !reports.some(({ target }) => target === name));
  if (code !== 0) console.error(output.slice(-6000));
  for (const name of missing) {
    const findings = [`${name}: exit code ${code}`];
    onResult({ name, executions: 0, seconds: 0, coverage: "", corpus: "", findings });
  }
}

const filesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
