/**
 * The JavaScript fuzzer: node main.js seeds DIR | list | run SECONDS FINDINGS TARGET….
 *
 * `seeds` writes inputs for the native targets, those of bad.json included, one folder per target. `run` runs targets in sequence and prints
 * a line of JSON for each. Each target runs in a separate thread, so that hangs are reported as findings.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { badInputs, bytesOfBad } from "./bad.js";
import { Coverage } from "./coverage.js";
import { nativeSeeds } from "./plan-seeds.js";
import { type FuzzTarget, outcomeOf } from "./target.js";
import { targets } from "./targets.js";

/** Time limit per input; longer runs count as hangs. */
const hangSeconds = 30;
const maxHeapMegabytes = 1024;

interface Finding {
  input: Uint8Array;
  error: string;
}

interface Report {
  target: string;
  executions: number;
  seconds: number;
  /** Coverage of the target's source, in percent. */
  coverage: number;
  findings: Finding[];
}

/** Shared between a target's thread and its watcher: number of executions, size of the input, the input. */
const headBytes = 8;
const maxInput = 2 ** 20;

class Shared {
  readonly #head: Int32Array;
  readonly #input: Uint8Array;

  constructor(readonly memory = new SharedArrayBuffer(headBytes + maxInput)) {
    this.#head = new Int32Array(memory, 0, 2);
    this.#input = new Uint8Array(memory, headBytes);
  }
  begin(input: Uint8Array): void {
    const kept = input.subarray(0, maxInput);
    this.#input.set(kept);
    Atomics.store(this.#head, 1, kept.length);
    Atomics.add(this.#head, 0, 1);
  }
  get executions(): number {
    return Atomics.load(this.#head, 0);
  }
  get input(): Uint8Array {
    return this.#input.slice(0, Atomics.load(this.#head, 1));
  }
}

/** Runs a target in this thread until the time is up. Equal errors count as one finding. */
async function fuzz(target: FuzzTarget, seconds: number, shared: Shared): Promise<Report> {
  const coverage = new Coverage();
  coverage.start();
  const start = performance.now();
  const findings = new Map<string, Finding>();
  const property = fc.asyncProperty(target.inputs, async (input) => {
    shared.begin(input);
    await outcomeOf(target, input);
  });
  for (;;) {
    const left = 1000 * seconds - (performance.now() - start);
    if (left <= 0) break;
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      numRuns: 2 ** 31 - 1,
      interruptAfterTimeLimit: left,
    });
    if (!failed || !counterexample) continue;
    const error = errorText(errorInstance);
    findings.set(error.split("\n").slice(0, 2).join(), { input: counterexample[0], error });
  }
  return {
    target: target.name,
    executions: shared.executions,
    seconds: (performance.now() - start) / 1000,
    coverage: coverage.percentOf(target.covers),
    findings: [...findings.values()],
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a target in another thread and watches for hangs. */
function watch(name: string, seconds: number): Promise<Report> {
  const shared = new Shared();
  const start = performance.now();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { name, seconds, memory: shared.memory },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
  });
  return new Promise((resolve) => {
    const end = (report: Report) => {
      clearInterval(timer);
      void worker.terminate();
      resolve(report);
    };
    const fail = (error: string) =>
      end({
        target: name,
        executions: shared.executions,
        seconds: (performance.now() - start) / 1000,
        coverage: 0,
        findings: [{ input: shared.input, error }],
      });
    let seen = { executions: 0, at: performance.now() };
    const timer = setInterval(() => {
      const { executions } = shared;
      if (executions !== seen.executions || executions === 0) seen = { executions, at: performance.now() };
      else if (performance.now() - seen.at > 1000 * hangSeconds) fail(`hangs for ${hangSeconds} s`);
    }, 1000);
    worker.on("message", end);
    worker.on("error", (error) => fail(errorText(error)));
  });
}

/** Writes the inputs of findings; prints a report without them. */
function show({ findings, ...report }: Report, folder: string): void {
  const files = findings.map(({ input, error }) => {
    const hash = createHash("sha1").update(input).digest("hex").slice(0, 12);
    const file = path.join(folder, `${report.target}-${hash}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, input);
    writeFileSync(`${file}.txt`, `${error}\n`);
    return file;
  });
  console.log(JSON.stringify({ ...report, findings: files }));
}

async function writeSeeds(folder: string): Promise<void> {
  const write = (target: string, name: string, input: Uint8Array) => {
    mkdirSync(path.join(folder, target), { recursive: true });
    writeFileSync(path.join(folder, target, name), input);
  };
  for (const [target, inputs] of await nativeSeeds())
    for (const [i, input] of inputs.entries()) write(target, String(i).padStart(4, "0"), input);
  for (const input of badInputs()) write(input.target, `bad-${input.name}`, bytesOfBad(input));
}

if (isMainThread) {
  const [command, ...rest] = process.argv.slice(2);
  if (command === "list") for (const { name } of targets) console.log(name);
  if (command === "seeds") await writeSeeds(rest[0]!);
  if (command === "run") {
    const [seconds, folder, ...names] = rest;
    for (const name of names) show(await watch(name, Number(seconds)), folder!);
  }
} else {
  const { name, seconds, memory } = workerData as {
    name: string;
    seconds: number;
    memory: SharedArrayBuffer;
  };
  const target = targets.find((candidate) => candidate.name === name);
  if (!target) throw new Error(`there is no target "${name}"`);
  parentPort!.postMessage(await fuzz(target, seconds, new Shared(memory)));
}
