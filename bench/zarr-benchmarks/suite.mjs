// The cases of zarrs/zarr_benchmarks: whole processes that read an array of 2 GiB at once or chunk by chunk, or read and
// write it. zarr-wasm with one, two and all threads is compared with zarrita, and with zarr-python and tensorstore if
// /usr/bin/python3 has them. Unlike there, files are cached by the system: disks differ more than libraries.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { effort, speedRow } from "../measure.mjs";
import { bytesOf, datasets, writeDatasets } from "./data.mjs";

const python = "/usr/bin/python3";
const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const tasks = ["read all", "read by chunk", "round trip"];
const threads = [...new Set([1, 2, os.availableParallelism()])].sort((a, b) => a - b);

/** Whether a peer can run a case: zarrita does not write shards, zarr-python 2 does not read them. */
const peers = {
  zarrita: (data, task) => !(data.includes("shards") && task === "round trip"),
  "zarr-python": (data) => !data.includes("shards") || (pythonVersion("zarr") ?? "").startsWith("3"),
  tensorstore: () => true,
};

const versions = new Map();

/** Version of a Python package; undefined if it is not installed. */
function pythonVersion(name) {
  if (!versions.has(name)) {
    const code = `from importlib.metadata import version; print(version("${name}"))`;
    const { status, stdout } = spawnSync(python, ["-c", code], { encoding: "utf8" });
    versions.set(name, status === 0 ? stdout.trim() : undefined);
  }
  return versions.get(name);
}

const isInstalled = (peer) =>
  peer === "zarrita" || pythonVersion(peer === "zarr-python" ? "zarr" : peer) !== undefined;

/** Seconds of a process, from its start to its end. */
function seconds(library, count, task, folder, output) {
  const isNode = library === "zarr-wasm" || library === "zarrita";
  const [command, file] = isNode ? [process.execPath, "process.mjs"] : [python, "process.py"];
  const args = [
    script(file),
    library,
    String(count),
    task,
    folder,
    ...(task === "round trip" ? [output] : []),
  ];
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  const elapsed = (performance.now() - start) / 1000;
  rmSync(output, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${library} failed to ${task}\n${stderr}`);
  return elapsed;
}

const ours = (count) => `zarr-wasm, ${count} ${count === 1 ? "thread" : "threads"}`;

function measurement(data, task, foldersOf, workDir) {
  const beside = Object.keys(peers).filter((peer) => peers[peer](data, task) && isInstalled(peer));
  const start = `zarr-benchmarks, ${task}, ${data}`;
  const named = beside.flatMap((peer) =>
    threads.map((count) => ({ name: `${start}: ${ours(count)} over ${peer}`, peer, count })),
  );
  const candidates = [
    ...threads.map((count) => ({ library: "zarr-wasm", count, key: ours(count) })),
    ...beside.map((peer) => ({ library: peer, count: os.availableParallelism(), key: peer })),
  ];
  return {
    rows: named.map(({ name }) => name),
    measure: async () => {
      const { folders, side } = await foldersOf();
      const best = Object.fromEntries(candidates.map(({ key }) => [key, Number.POSITIVE_INFINITY]));
      for (let call = 0; call < effort.calls; call++)
        for (const { library, count, key } of candidates) {
          const taken = seconds(library, count, task, folders[data], path.join(workDir, "output"));
          best[key] = Math.min(best[key], taken);
        }
      return named.map(({ name, peer, count }) =>
        speedRow(name, bytesOf(side), best[ours(count)], best[peer]),
      );
    },
  };
}

/**
 * @param {string} workDir a persistent folder for the arrays: 3 GiB, and 2 GiB while writing
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function zarrBenchmarksSuite(workDir) {
  let written;
  const foldersOf = () => {
    const side = effort.calls === 1 ? 256 : 1024;
    written ??= writeDatasets(workDir, side).then((folders) => ({ folders, side }));
    return written;
  };
  return Object.keys(datasets).flatMap((data) =>
    tasks.map((task) => measurement(data, task, foldersOf, workDir)),
  );
}
