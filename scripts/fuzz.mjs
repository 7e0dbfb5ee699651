// npm run fuzz [-- --seconds N] [--jobs N] [TARGET…]: sets up, builds, and runs every target (docs/fuzzing.md).
// Prints a table at the end; exits with 1 if there are findings.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { buildFuzzers, findingsDir, runTargets } from "./lib/fuzz.mjs";
import { runMain, SetupError, step } from "./lib/process.mjs";
import { ensureSystem } from "./lib/system.mjs";

const usage = "usage: npm run fuzz -- [--seconds N] [--jobs N] [TARGET…]";

function readArguments() {
  const options = {
    seconds: { type: "string", default: "30" },
    jobs: { type: "string", default: String(availableParallelism()) },
  };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [seconds, jobs] = [Number(values.seconds), Number(values.jobs)];
    if (seconds > 0 && Number.isInteger(jobs) && jobs > 0) return { seconds, jobs, names: positionals };
  } catch {
    // reported below
  }
  throw new SetupError(usage);
}

/** Rows of a Markdown table with aligned columns. */
function showTable(results) {
  const head = ["target", "executions", "per second", "coverage", "corpus", "findings"];
  const rows = results.map(({ name, executions, seconds, coverage, corpus, findings }) => [
    name,
    executions.toLocaleString("en"),
    Math.round(executions / Math.max(1e-9, seconds)).toLocaleString("en"),
    coverage,
    corpus,
    String(findings.length),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`;
  console.log(
    [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n"),
  );
}

async function main() {
  const { seconds, jobs, names } = readArguments();
  ensureSystem(["build", "fuzz"]);
  await buildAll();
  const all = buildFuzzers();
  const unknown = names.find((name) => all.every((target) => target.name !== name));
  if (unknown)
    throw new SetupError(
      `unknown target "${unknown}"; expected one of ${all.map(({ name }) => name).join(", ")}`,
    );
  const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name));
  step(`Fuzzing ${chosen.length} targets, ${seconds} s each, ${jobs} at a time`);
  const results = [];
  const onResult = (result) => {
    results.push(result);
    console.log(
      `${results.length}/${chosen.length} ${result.name}: ${result.executions} executions, ${result.findings.length} findings`,
    );
  };
  await runTargets(chosen, { seconds: { native: seconds, js: seconds }, jobs, onResult });
  results.sort(
    (a, b) =>
      chosen.findIndex(({ name }) => name === a.name) - chosen.findIndex(({ name }) => name === b.name),
  );
  showTable(results);
  const findings = results.flatMap((result) => result.findings);
  if (findings.length > 0)
    console.log(`findings in ${findingsDir}:\n${findings.map((file) => `  ${file}`).join("\n")}`);
  return findings.length > 0 ? 1 : 0;
}

runMain(main);
