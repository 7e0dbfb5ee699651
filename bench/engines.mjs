// Engines that run the in-heap cases (inheap/): a list of cases, and a function that times one.
//   {cases: {name, over, input, bytes}[], time: (index, input) => seconds per run, possibly a promise} where
//   `input` is the value that inputs() returns for the case's `input`.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inputBytes } from "./codecs.mjs";
import { instantiate } from "./inheap-module.mjs";
import { effort } from "./measure.mjs";

/** Inputs by name, generated once and saved as files for native programs and pages. */
export function inputs(dir) {
  const made = new Map();
  return async (name) => {
    if (name === "") return undefined;
    if (!made.has(name)) {
      const bytes = await inputBytes(name);
      const file = path.join(dir, `${name.replace(":", "")}.bin`);
      mkdirSync(dir, { recursive: true });
      writeFileSync(file, bytes);
      made.set(name, { bytes, file });
    }
    return made.get(name);
  };
}

/** The WebAssembly module, in this process. */
export async function wasmEngine(file) {
  const { cases, time } = await instantiate(readFileSync(file));
  return { cases, time: (index, input) => time(index, effort.inHeapTime, input?.bytes) };
}

/** Number of repetitions, of which the fastest counts; together they take as long as the module's loop. */
const repetitions = 6;

/** A native program with Google Benchmark, started anew for every measurement. */
export function nativeEngine(program) {
  const capture = (...args) => {
    const { stdout, status, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed\n${stderr}`);
    return stdout;
  };
  const cases = capture("--list-cases")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const time = (index, input) => {
    const literal = cases[index].name.replace(/[[(){.*+?^$|\\]/g, "\\$&"); // POSIX extended regex
    const output = capture(
      `--benchmark_filter=^${literal}/real_time$`,
      `--benchmark_min_time=${effort.inHeapTime / repetitions / 1000}`,
      `--benchmark_repetitions=${repetitions}`,
      "--benchmark_format=json",
      ...(input ? [`--inputs=${path.dirname(input.file)}`] : []),
    );
    const runs = JSON.parse(output).benchmarks.filter((one) => one.run_type === "iteration");
    if (runs.length === 0 || runs.some((one) => one.error_occurred))
      throw new Error(`${program}: ${cases[index].name} did not run\n${output}`);
    return Math.min(...runs.map((one) => one.real_time)) * 1e-9;
  };
  return { cases, time };
}
