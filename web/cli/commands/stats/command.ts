/** `zarr-wasm stats`: statistics of an array, and reductions over its dimensions. */
import { open, WorkerPool, type ZarrArray } from "zarr-wasm";
import {
  type LabelledRegion,
  quantile,
  type ReadingOptions,
  type ReduceProgress,
  reduce,
  statistics,
  type Weights,
} from "zarr-wasm/compute";
import { exitHooks } from "#internal";
import type { Values } from "../../options/options.js";
import { asCommandError } from "../../source/places.js";
import { ProgressLine } from "../../text/progress.js";
import { openArray, selector } from "../read.js";
import { writeStatistics } from "./attribute.js";
import { readOptions, type StatsOptions } from "./options.js";
import { printResults, type Results } from "./results.js";
import { writeResults } from "./store.js";
import { printStatistics, type Summary } from "./summary.js";

export async function runStats(source: string, values: Values): Promise<void> {
  const options = readOptions(values);
  const findSelection = selector(values);
  const line = new ProgressLine("reducing");
  exitHooks.handleSignals(() => line.close());
  const array = await openArray(source, values);
  if (values.write && typeof array.store.set !== "function")
    throw new Error(`--write: "${source}" is read-only; copy it to Zarr first, with zarr-wasm copy`);
  const selection = await findSelection(array);
  const { threads } = options;
  const pool = threads > 1 ? new WorkerPool({ size: threads - 1 }) : undefined;
  const reading = {
    ...{ selection, pool },
    onProgress: ({ bytes, totalBytes }: ReduceProgress) => line.show(bytes, totalBytes),
  };
  try {
    if (options.methods) {
      const results = await reduced(array, options, reading);
      line.clear();
      if (values.out === undefined) printResults(results, options.format);
      else await writeResults(results, array, values.out, values);
    } else {
      const summary = await summarised(array, options, reading);
      line.clear();
      if (values.write) await writeStatistics(array, summary);
      printStatistics(array, summary, options.format);
    }
  } catch (error) {
    throw asCommandError(error);
  } finally {
    line.clear();
    pool?.destroy();
  }
}

type Reading = ReadingOptions;

/** Computes all methods in one pass. */
async function reduced(
  array: ZarrArray,
  { groupBy, methods, over, weights }: StatsOptions,
  reading: Reading,
): Promise<Results> {
  const options = { ...reading, over, groupBy, weights: await weightsNamed(weights, array) };
  const results: Readonly<Record<string, LabelledRegion>> = await reduce(array, {
    ...options,
    method: methods!,
  });
  return new Map(methods!.map((method) => [method, results[method]!]));
}

/** Opens the array of weights, which lies in the array's group. */
async function weightsNamed(name: string | undefined, array: ZarrArray): Promise<Weights | undefined> {
  if (name === undefined || name === "latitude") return name;
  const { limits, path, store, zarrFormat: version } = array;
  const place = [...path.split("/").slice(0, -1), name].join("/");
  return open(store, { path: place, kind: "array", version, limits });
}

async function summarised(
  array: ZarrArray,
  { quantiles }: StatsOptions,
  { selection, ...reading }: Reading,
): Promise<Summary> {
  const found = await statistics(array, selection, reading);
  if (quantiles.length === 0) return { ...found, quantiles: [] };
  const { values } = await quantile(array, quantiles, { ...reading, selection });
  return { ...found, quantiles: quantiles.map((q, i) => [q, values[i]!]) };
}
