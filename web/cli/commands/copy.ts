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
  resumeHint,
  rootOf,
  withOptionNames,
} from "../source/places.js";
import { openSource } from "../source/source.js";
import { counted, exactNumber, note, printSummary } from "../text/output.js";
import { ProgressLine, sizeText } from "../text/progress.js";

export async function runCopy(source: string, dest: string, values: Values): Promise<number> {
  const start = performance.now();
  const line = new ProgressLine("copying");
  let last: CopyProgress | undefined;
  exitHooks.handleSignals(() => {
    line.close();
    const { chunks = 0, totalChunks = 0 } = last ?? {};
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
      onProgress: (progress) => {
        last = progress;
        line.show(progress.bytes, progress.totalBytes, progress.skippedBytes);
      },
      onWarning: ({ message }) => note(withOptionNames(message)),
    });
    line.clear();
    const seconds = (performance.now() - start) / 1000;
    printResult(values, { source, destination: dest }, result, { bytes: last?.bytes ?? 0, seconds });
  } catch (error) {
    throw await withProgress(error, last, dest, options.codecs);
  } finally {
    line.clear();
    pool?.destroy();
  }
  return 0;
}

/** @throws an Error if source and destination are the same location, or one contains the other. */
async function checkPlaces(source: string, dest: string): Promise<void> {
  if ((await placeBelow(source, dest)) !== undefined || (await placeBelow(dest, source)) !== undefined)
    throw new Error("SOURCE and DEST are the same location, or one contains the other; choose another DEST");
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
  measured: { readonly bytes: number; readonly seconds: number },
): void {
  const { arrays, groups, bytesRead, bytesWritten } = result;
  const round = (value: number) => Number(value.toPrecision(6));
  const seconds = round(measured.seconds);
  const megabytesPerSecond = round(measured.bytes / 1e6 / measured.seconds);
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

/** Threads by default, at most, this one included: each takes memory. */
const maxDefaultThreads = 4;

const mebi = 2 ** 20;

/** Reads the options, which the library checks. @throws UsageError. */
export function readOptions(values: Values): CopyOptions {
  const { codecs, fill, format, memory, part, select, wait } = values;
  const { overwrite = false, resume = false, verify = false, bucket, temp } = values;
  if (format !== undefined && !/^[123]$/.test(format))
    throw new UsageError(`--format must be 1, 2 or 3, got "${format}"`);
  return {
    select: select === undefined ? undefined : parseSelection(select),
    zarrFormat: format === undefined ? undefined : (Number(format) as 1 | 2 | 3),
    chunkShape: parseLengths(values.chunks, "--chunks"),
    shardShape: parseShards(values.shards),
    codecs: codecs === undefined ? undefined : parseCodecs(codecs),
    fill: fill === undefined ? undefined : parseFill(fill),
    ...{ overwrite, resume, metadataOnly: values["metadata-only"] ?? false, verify, bucket, temp },
    part: part === undefined ? undefined : parseShare(part),
    memory: memory === undefined ? undefined : integer(memory, "--memory", 8, 0) * mebi,
    wait: wait === undefined ? undefined : integer(wait, "--wait", 0, 0) * 1000,
  };
}
