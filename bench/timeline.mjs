// Timelines of the threads of copies, as text: `npm run bench -- --timeline`. V8's profiler samples the threads, which
// slows them down a little. Calls that Node makes in its thread pool, such as copies of files, show as idle.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, Worker } from "node:worker_threads";

/** Activities by the names of functions. The innermost function that matches counts, and the first activity. */
const activities = [
  ["garbage", /^\(garbage collector\)$/],
  ["idle", /^\(idle\)$/],
  ["write", /^(writeSync|writeBuffer|renameSync|rmSync|mkdirSync|write|rename)$/],
  ["read", /^(openSync|readSync|fstatSync|closeSync|statSync|copyFile|open|read|stat|close)$/],
  ["encode", /^encodePlaced$/],
  ["decode", /^placeChunks$/],
  [
    "compile",
    /^(compileFunction|compileSourceTextModule|ModuleWrap|instantiate|link|compile|moduleStrategy)$/,
  ],
  ["messages", /^(postMessage|packSteps|receiveMessageOnPort|structuredClone)$/],
];
const width = 5;

/** Starts the profiler of this thread. @returns a function that ends it. */
async function profile() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  return async () => (await session.post("Profiler.stop")).profile;
}

/** Returns the activity of each node of a profile. */
function activityOf({ nodes }) {
  const found = new Map();
  const visit = (id, above) => {
    const { callFrame, children = [] } = byId.get(id);
    const own = activities.find(([, names]) => names.test(callFrame.functionName))?.[0];
    const activity = own ?? above;
    found.set(id, activity);
    for (const child of children) visit(child, activity);
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  visit(nodes[0].id, "script");
  return found;
}

/** Returns lines of `width` milliseconds, each with the activities of every thread and their times. */
function lines(profiles, begin) {
  const rows = new Map();
  const totals = profiles.map(() => new Map());
  for (const [thread, { samples, timeDeltas, startTime, ...profile }] of profiles.entries()) {
    const activity = activityOf(profile);
    let now = startTime;
    for (const [i, sample] of samples.entries()) {
      now += timeDeltas[i];
      const at = Math.floor((now - begin) / 1000 / width);
      if (at < 0) continue;
      const row =
        rows.get(at) ??
        rows
          .set(
            at,
            profiles.map(() => new Map()),
          )
          .get(at);
      for (const times of [row[thread], totals[thread]])
        times.set(activity.get(sample), (times.get(activity.get(sample)) ?? 0) + timeDeltas[i] / 1000);
    }
  }
  const text = (times, count) =>
    [...times]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
      .join(", ");
  const print = (head, row, count) =>
    [head.padStart(8), ...row.map((times) => text(times, count).padEnd(42))].join("  ");
  return [
    ["      ms", ...profiles.map((_, i) => (i === 0 ? "main thread" : `worker ${i}`).padEnd(42))].join("  "),
    ...[...rows].sort((a, b) => a[0] - b[0]).map(([at, row]) => print(String(at * width), row, 3)),
    ...[print("total", totals, 9)],
  ];
}

/** Runs one copy in this process, and prints the timeline. */
async function runCopy(source, target, what, options) {
  const { WorkerPool } = await import("zarr-wasm");
  const { copy } = await import("zarr-wasm/transfer");
  const workers = [];
  const createWorker = () => {
    const worker = new Worker(fileURLToPath(import.meta.url), { argv: ["worker"] });
    workers.push(worker);
    return worker;
  };
  const pool = new WorkerPool({ size: 1, createWorker });
  const end = await profile();
  const start = performance.now();
  await copy(pathToFileURL(source), pathToFileURL(target), { ...options, pool });
  const taken = performance.now() - start;
  const own = await end();
  const others = await Promise.all(
    workers.map((worker) => {
      const answer = new Promise((resolve) => {
        worker.on("message", (message) => message.profile && resolve(message.profile));
      });
      worker.ref();
      worker.postMessage("end profile");
      return answer;
    }),
  );
  pool.destroy();
  console.log(`\n${what}: ${taken.toFixed(0)} ms`);
  console.log(lines([own, ...others], own.startTime).join("\n"));
}

async function runWorker() {
  const end = await profile();
  parentPort.on("message", async (message) => {
    if (message === "end profile") parentPort.postMessage({ profile: await end() });
  });
  await import("../dist/bundle/worker.node.js");
}

/**
 * Prints the timelines of the copies of suites/copies.mjs, each in a separate process.
 * @param {string} workDir for the arrays
 */
export async function printTimelines(workDir) {
  const { copies, writeSource } = await import("./suites/copies.mjs");
  const dir = path.join(workDir, "timeline");
  const [source, target] = ["source", "target"].map((name) => path.join(dir, name));
  mkdirSync(dir, { recursive: true });
  try {
    await writeSource(source);
    for (const { what, own } of copies) {
      const args = [fileURLToPath(import.meta.url), "copy", source, target, what, JSON.stringify(own)];
      spawnSync(process.execPath, args, { stdio: "inherit" });
      rmSync(target, { recursive: true, force: true });
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const [, , role, ...args] = process.argv;
if (role === "copy") await runCopy(args[0], args[1], args[2], JSON.parse(args[3]));
else if (role === "worker") await runWorker();
