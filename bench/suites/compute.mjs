// Reductions: the mean over time of an array in memory, over reading the same chunks; and of one on disk, over xarray with
// dask and over zarr-python with NumPy (Debian's packages), if they are installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create, createGroup, get, open, set, slice, WorkerPool } from "zarr-wasm";
import { reduce } from "zarr-wasm/compute";
import { corpora } from "../corpora.mjs";
import { bestOfCalls, effort, speedRow } from "../measure.mjs";
import { repeatingStore } from "../stores.mjs";

const python = "/usr/bin/python3";
const corpus = "field";
const chunks = [16, 256, 256];
const shape = [128, 2048, 2048];
const bytes = 4 * shape.reduce((a, b) => a * b, 1);
const codecs = [
  { name: "bytes", configuration: { endian: "little" } },
  { name: "zstd", configuration: { level: 1, checksum: false } },
];

const what = "reduce, mean over time, 2 GiB float32 in zstd chunks of 4 MiB";
const rows = {
  get: `${what}: one thread over get`,
  workers: `${what}: 2 workers over one thread`,
};

const inMemory = {
  rows: Object.values(rows),
  measure: async () => {
    const array = await open(await repeatingStore({ shape, chunks, corpus, codecs }), { kind: "array" });
    const pool = new WorkerPool({ size: 2 });
    const out = new Float32Array(chunks[0] * shape[1] * shape[2]);
    const layers = Array.from({ length: shape[0] / chunks[0] }, (_, i) =>
      slice(i * chunks[0], (i + 1) * chunks[0]),
    );
    const read = async () => {
      for (const layer of layers) await get(array, [layer], { out });
    };
    try {
      const seconds = await bestOfCalls({
        get: read,
        one: () => reduce(array, { method: "mean", over: 0 }),
        two: () => reduce(array, { method: "mean", over: 0, pool }),
      });
      return [
        speedRow(rows.get, bytes, seconds.one, seconds.get),
        speedRow(rows.workers, bytes, seconds.two, seconds.one),
      ];
    } finally {
      pool.destroy();
    }
  },
};

/** The mean over time by each Python library. Prints the minimum seconds of several calls. */
const script = `
import sys, time, numpy, zarr
library, folder, threads, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def with_dask():
    import dask, xarray
    with dask.config.set(scheduler="threads", num_workers=threads):
        return xarray.open_zarr(folder, consolidated=False)["values"].mean("time", dtype="f8").values
def with_numpy():
    array = zarr.open_group(folder, mode="r")["values"]
    total, step = numpy.zeros(array.shape[1:]), array.chunks[0]
    for start in range(0, array.shape[0], step):
        total += array[start:start + step].sum(axis=0, dtype="f8")
    return total / array.shape[0]
work = {"xarray and dask": with_dask, "zarr-python and NumPy": with_numpy}[library]
def seconds():
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
print(min(seconds() for call in range(calls)))
`;

const peers = { "xarray and dask": ["xarray", "dask", "zarr"], "zarr-python and NumPy": ["zarr", "numpy"] };
const isInstalled = (modules) =>
  spawnSync(python, ["-c", `import ${modules.join(", ")}`], { stdio: "ignore" }).status === 0;
const threads = os.availableParallelism();
const diskShape = [64, 2048, 2048];
const diskBytes = 4 * diskShape.reduce((a, b) => a * b, 1);
const diskRow = (peer) =>
  `reduce, mean over time, 1 GiB float32 in zstd chunks of 4 MiB on disk: ${threads} threads over ${peer}`;

/** Writes the array in Zarr v2, which all versions of zarr-python read. */
async function writeOnDisk(folder) {
  if (existsSync(path.join(folder, "values", ".zarray"))) return;
  mkdirSync(folder, { recursive: true });
  const group = await createGroup(pathToFileURL(`${folder}/`), { zarrFormat: 2, overwrite: true });
  const options = {
    path: "values",
    shape: diskShape,
    chunkShape: chunks,
    dtype: "float32",
    codecs: "zstd:1",
  };
  const array = await create(group, { ...options, fillValue: null, dimensionNames: ["time", "y", "x"] });
  const { make } = corpora[corpus];
  const layer = make(4 * chunks[0] * diskShape[1] * diskShape[2]);
  for (let time = 0; time < diskShape[0]; time += chunks[0])
    await set(array, [slice(time, time + chunks[0])], layer);
}

function pythonSeconds(peer, folder) {
  const args = ["-c", script, peer, folder, String(threads), String(effort.calls)];
  const { status, stdout, stderr } = spawnSync(python, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${peer} failed\n${stderr}`);
  return Number(stdout);
}

function onDisk(workDir) {
  const beside = Object.keys(peers).filter((peer) => isInstalled(peers[peer]));
  return {
    rows: beside.map(diskRow),
    measure: async (wants) => {
      const folder = path.join(workDir, "reduce");
      await writeOnDisk(folder);
      const array = await open(pathToFileURL(`${folder}/`), { path: "values", kind: "array" });
      const pool = threads > 1 ? new WorkerPool({ size: threads }) : undefined;
      try {
        const { own } = await bestOfCalls({ own: () => reduce(array, { method: "mean", over: 0, pool }) });
        return beside
          .filter((peer) => wants(diskRow(peer)))
          .map((peer) => speedRow(diskRow(peer), diskBytes, own, pythonSeconds(peer, folder)));
      } finally {
        pool?.destroy();
      }
    },
  };
}

/**
 * @param {string} workDir for the array on disk
 * @returns {import("../measure.mjs").Measurement[]}
 */
export const computeSuite = (workDir) => [inMemory, onDisk(workDir)];
