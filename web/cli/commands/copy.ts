/** `zarr-wasm copy`. */

import { availableParallelism } from "node:os";
import { WorkerPool } from "zarr-wasm";
import { type CopyOptions, type CopyProgress, type CopyResult, copy } from "zarr-wasm/transfer";
import { exitHooks, isArchiveName, placeBelow } from "#internal";
import { UsageError, type Values } from "../options/options.js";
import {
  integer,
  parseCodecs,
  parseFill,
  parseLengths,
  parseSelection,
  parseShards,
  parseShare,
} from "../options/values.js";
import { withCodecsHint } from "../source/hints.js";
import {
  asCommandError,
  destinationUrl,
  hintForDestination,
  rootOf,
  withOptionNames,
} from "../source/places.js";
import { resumeHint } from "../source/resume.js";
import { openSource } from "../source/source.js";
import { counted, exactNumber, note, printSummary } from "../text/output.js";
import { progressLine, sizeText } from "../text/progress.js";

export async function runCopy(source: string, dest: string, values: Values): Promise<number> {
  const meter = new Meter();
  exitHooks.handleSignals(() => {
    meter.line.close();
    const { chunks = 0, totalChunks = 0 } = meter.last ?? {};
    note(`interrupted: ${chunks} of ${totalChunks} chunks copied${resumeHint(dest)}`);
  });
  const options = readOptions(values);
  const threads = integer(
    values.threads,
    "--threads",
    1,
    Math.min(availableParallelism(), maxDefaultThreads),
  );
  await checkPlaces(await rootOf(source), dest);
  const root = await openSource(source, values);
  const target = destinationUrl(dest);
  const hasPool = threads > 1 && !options.metadataOnly;
  const pool = hasPool ? new WorkerPool({ size: threads - 1 }) : undefined;
  try {
    const result = await copy(root, target, {
      ...options,
      pool,
      destinationName: dest,
      onProgress: (progress) => meter.show(progress),
      onWarning: ({ message }) => note(withOptionNames(message)),
    });
    meter.line.clear();
    printResult(values, { source, destination: dest }, result, meter);
  } catch (error) {
    throw await withProgress(error, meter.last, dest, options.codecs);
  } finally {
    meter.line.clear();
    pool?.destroy();
  }
  return 0;
}

/** @throws an Error if source and destination are the same location, or one contains the other. */
async function checkPlaces(source: string, dest: string): Promise<void> {
  if ((await placeBelow(source, dest)) !== undefined || (await placeBelow(dest, source)) !== undefined)
    throw new Error("SOURCE and DEST are the same location, or one contains the other; choose another DEST");
}

/** Measures the elapsed time and shows progress. */
class Meter {
  readonly line = progressLine("copying");
  readonly #start = performance.now();
  last: CopyProgress | undefined;

  show(progress: CopyProgress): void {
    const { bytes, skippedBytes, totalBytes } = progress;
    const [done, skipped] = this.last ? [this.last.bytes, this.last.skippedBytes] : [0, 0];
    this.last = progress;
    this.line.total(totalBytes);
    this.line.skip(skippedBytes - skipped);
    this.line.add(bytes - done - (skippedBytes - skipped));
  }

  get seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }
}

/** Adds the progress and hints to an error, and names options as the command line does. */
async function withProgress(
  given: unknown,
  progress: CopyProgress | undefined,
  dest: string,
  codecs: unknown,
): Promise<unknown> {
  const error = asCommandError(given);
  if (!(error instanceof Error) || error instanceof UsageError || Object.isFrozen(error)) return error;
  const { chunks = 0, totalChunks = 0 } = progress ?? {};
  const remedy = isArchiveName(dest) ? "" : "; pass --resume to continue";
  if (totalChunks > 0) error.message += ` (${chunks} of ${totalChunks} chunks copied${remedy})`;
  else {
    withCodecsHint(error, codecs);
    const hint = await hintForDestination(error, dest); // may replace the message
    error.message += hint;
  }
  return error;
}

function printResult(
  { json, verify = false, "metadata-only": metadataOnly = false }: Values,
  places: { source: string; destination: string },
  result: CopyResult,
  { last, seconds: measured }: Meter,
): void {
  const { arrays, groups, bytesRead, bytesWritten } = result;
  const round = (value: number) => Number(value.toPrecision(6));
  const seconds = round(measured);
  const megabytesPerSecond = round((last?.bytes ?? 0) / 1e6 / measured);
  const chunks = { ...result.chunks, missing: exactNumber(result.chunks.missing) };
  const bytes = exactNumber(result.bytes);
  const facts = { arrays, groups, chunks, bytes, bytesRead, bytesWritten, seconds, megabytesPerSecond };
  const nodes = `${counted(arrays, "array")}, ${counted(groups, "group")}`;
  const rate = ((megabytesPerSecond * 1e6) / 2 ** 20).toFixed(0);
  const speed = rate === "0" ? "" : ` (${rate} MiB/s)`; // a few chunks are too little to measure
  const lines = metadataOnly
    ? [`created ${nodes}`]
    : [
        `copied ${nodes}: ${counted(chunks.asStored, "chunk")} as stored, ${chunks.reencoded} re-encoded, ${chunks.missing} missing, ${chunks.skipped} already present`,
        `${sizeText(Number(bytes))} in ${seconds.toFixed(2)} s${speed}, ${sizeText(bytesRead)} read, ${sizeText(bytesWritten)} written${verify ? ", verified" : ""}`,
      ];
  printSummary(json, { ...places, ...facts, verified: verify && !metadataOnly }, lines);
}

const defaultMemory = 128;
const minMemory = 8;
/** Seconds. */
const defaultWait = 30;

/** Threads by default, at most, this one included: each takes memory. */
const maxDefaultThreads = 4;

/** @throws UsageError. */
export function readOptions(values: Values): CopyOptions {
  const { format, part, overwrite = false, resume = false, verify = false, bucket, temp } = values;
  if (format !== undefined && !/^[123]$/.test(format))
    throw new UsageError(`--format must be 1, 2 or 3, got "${format}"`);
  if (overwrite && resume) throw new UsageError("--overwrite and --resume cannot be used together");
  if (overwrite && part !== undefined)
    throw new UsageError(
      "--overwrite cannot be used with --part, whose other parts it would delete; run --overwrite --metadata-only first",
    );
  const metadataOnly = values["metadata-only"] ?? false;
  if (metadataOnly && part !== undefined)
    throw new UsageError("--metadata-only creates the nodes of all parts; omit --part");
  return {
    select: values.select === undefined ? undefined : parseSelection(values.select),
    zarrFormat: format === undefined ? undefined : (Number(format) as 1 | 2 | 3),
    chunkShape: parseLengths(values.chunks, "--chunks"),
    shardShape: parseShards(values.shards),
    codecs: values.codecs === undefined ? undefined : parseCodecs(values.codecs),
    fill: values.fill === undefined ? undefined : parseFill(values.fill),
    ...{ overwrite, resume, metadataOnly, verify, bucket, temp },
    part: part === undefined ? undefined : parseShare(part),
    memory: integer(values.memory, "--memory", minMemory, defaultMemory) * 2 ** 20,
    wait: integer(values.wait, "--wait", 0, defaultWait) * 1000,
  };
}
