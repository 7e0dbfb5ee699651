// Scaling: time by number of chunks and bytes, memory by size of the read.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { get, open } from "zarr-wasm";
import { codecOf } from "../codecs.mjs";
import { bestOfCalls, effort, timeRow } from "../measure.mjs";
import { repeatingStore } from "../stores.mjs";

const little = { name: "bytes", configuration: { endian: "little" } };
const MiB = 2 ** 20;

/** Reads of this many chunks of 1 KiB; the first is the baseline of the others. */
const chunkCounts = [10, 100, 1000, 10_000, 100_000];
/** Number of chunks read per sample, over as many reads as needed. */
const chunksPerSample = 20_000;

function growthInChunks() {
  const title = (count) =>
    `growth, get of ${count} chunks of 1 KiB over get of ${chunkCounts[0]}, time per chunk`;
  return {
    rows: chunkCounts.slice(1).map(title),
    measure: async (wants) => {
      const counts = chunkCounts.filter((count, i) => i === 0 || wants(title(count)));
      const candidates = {};
      const readsOf = (count) => Math.max(1, chunksPerSample / count);
      for (const count of counts) {
        const codecs = [little, { name: "numcodecs.lz4", configuration: { acceleration: 1 } }];
        const shape = { shape: [512 * count], chunks: [512] };
        const array = await open(await repeatingStore({ ...shape, corpus: "microscopy", codecs }), {
          kind: "array",
        });
        candidates[count] = async () => {
          for (let read = 0; read < readsOf(count); read++) await get(array);
        };
      }
      const seconds = await bestOfCalls(candidates);
      const perChunk = (count) => seconds[count] / (count * readsOf(count));
      return counts
        .slice(1)
        .map((count) => timeRow(title(count), "ns", perChunk(count), perChunk(chunkCounts[0])));
    },
  };
}

/** 64³ uint16 chunks with Blosc: an array of a size in MiB. */
function volumeOf(mebibytes) {
  const codec = codecOf("blosc lz4 shuffle");
  return {
    corpus: "microscopy",
    shape: [64 * (mebibytes / 8), 256, 256],
    chunks: [64, 64, 64],
    codecs: [little, { name: codec.name, configuration: codec.configuration(2) }],
  };
}

function growthInBytes() {
  const [small, large] = [16, 256];
  const name = `growth, get of ${large} MiB over get of ${small} MiB, into a reused array, time per MiB`;
  return {
    rows: [name],
    measure: async () => {
      const candidates = {};
      for (const size of [small, large]) {
        const array = await open(await repeatingStore(volumeOf(size)), { kind: "array" });
        const out = new Uint16Array((size * MiB) / 2);
        candidates[size] = async () => {
          for (let read = 0; read < large / size; read++) await get(array, null, { out });
        };
      }
      const seconds = await bestOfCalls(candidates);
      return [timeRow(name, "µs", seconds[large] / large, seconds[small] / large)];
    },
  };
}

const memoryScript = fileURLToPath(new URL("../memory-process.mjs", import.meta.url));

/** Memory growth of a process that reads an array of a size, in MiB, excluding the result. */
function memoryFor(mebibytes) {
  const options = { encoding: "utf8" };
  const { stdout, stderr, status } = spawnSync(process.execPath, [memoryScript, String(mebibytes)], options);
  if (status !== 0) throw new Error(`the memory benchmark failed\n${stderr}`);
  return Number(stdout);
}

function memoryGrowth() {
  const [small, large] = [128, 1024];
  const flat = `memory, get of ${large} MiB over get of ${small} MiB, beyond the result`;
  const chunks = `memory, get of ${large} MiB in 64³ chunks beyond the result over 16 chunks (the concurrency)`;
  return {
    rows: [flat, chunks],
    measure: async () => {
      // The time of garbage collection is up to the engine: the minimum of a few processes is the required
      // memory.
      const least = (size) => Math.min(...Array.from({ length: effort.calls }, () => memoryFor(size)));
      const [base, grown] = [least(small), least(large)];
      return [
        { name: flat, unit: "MiB", value: grown, baseline: base },
        { name: chunks, unit: "MiB", value: grown, baseline: (16 * 2 * 64 ** 3) / MiB },
      ];
    },
  };
}

/** @returns {import("../measure.mjs").Measurement[]} */
export function growthSuite() {
  return [growthInChunks(), growthInBytes(), memoryGrowth()];
}

export { volumeOf };
