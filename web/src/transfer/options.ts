/** Options and results of copies and verifications. */

import { type CodecInput, codecNames } from "../edit/options.js";
import type { OpenOptions } from "../hierarchy/opener.js";
import type { Selection } from "../plan/selection.js";
import { isStore, type Store } from "../store/store.js";
import { checkOptions, type OptionNames } from "../util/arguments.js";
import { describeValue, messageOf, type OnWarning } from "../util/errors.js";
import { resolveLimits } from "../util/limits.js";
import type { ShareIndex } from "../walk/boxes.js";
import type { WorkerPool } from "../workers/pool.js";
import { badOption, filePath } from "./destination.js";
import { loadNode } from "./host.js";

/** How a source is opened, as in `open`. */
export type SourceOptions = Pick<
  OpenOptions,
  "path" | "v1Order" | "branch" | "tag" | "snapshot" | "asOf" | "virtual" | "limits" | "onWarning" | "signal"
>;

/** Options of `copy`. */
export interface CopyOptions extends SourceOptions {
  /** Part of an array to copy; an index drops its dimension. Default: everything. Lists of indices are not supported. */
  select?: Selection | undefined;
  /** Zarr version of the copy. Default: that of the source. */
  zarrFormat?: 1 | 2 | 3 | undefined;
  /** Shape of the chunks. Default: as in the source. Applies to the arrays with as many dimensions. */
  chunkShape?: readonly number[] | undefined;
  /**
   * Shape of the shards, a multiple of the chunk shape; "auto": at most 32 MiB, for arrays of several chunks; null or
   * "none": no shards. Default: as in the source.
   */
  shardShape?: readonly number[] | "auto" | "none" | null | undefined;
  /** Codec of the chunks, or a list of codecs. Default: as in the source. */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  /** Another fill value; elements keep their values. Default: that of the source. */
  fill?: unknown;
  /** Deletes the Zarr data at the destination first. Default: false. */
  overwrite?: boolean | undefined;
  /** Continues an interrupted copy with the same options; keeps objects that exist and are whole. Default: false. */
  resume?: boolean | undefined;
  /** Reads and decodes the written chunks and compares them with the source. Default: false. */
  verify?: boolean | undefined;
  /** Creates the nodes, but copies no chunks. Default: false. */
  metadataOnly?: boolean | undefined;
  /**
   * Copies only a share of the chunks or shards, for several processes at a time: the `index`-th (from 0) of `count`. The
   * process with index 0 creates the nodes, unless a copy with `metadataOnly` did; the others wait for them.
   */
  part?: readonly [index: number, count: number] | undefined;
  /** Time that a part waits for the nodes, and for other writers, in milliseconds. Default: 30 s. */
  wait?: number | undefined;
  /** Limit for decoded data in flight, in bytes; at least 8 MiB. Default: 128 MiB. */
  memory?: number | undefined;
  /**
   * Place of intermediate chunks: the path or file URL of a folder (Node), or a store. Some copies (from rows to columns)
   * store the whole array there. Default: the parent of the destination, or the system's temporary folder. In pages there
   * is no default, and such copies read their source more often.
   */
  temp?: string | URL | Store | undefined;
  /** Workers that decode and encode; except in pages, this thread does, too. Default: this thread only. */
  pool?: WorkerPool | undefined;
  /** URL of the S3-compatible bucket of an http or https destination, which can then be listed and deleted. */
  bucket?: string | undefined;
  /** Name of the destination in messages. Default: its path or URL. */
  destinationName?: string | undefined;
  /** Receives the progress after each object or box. */
  onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Receives warnings about the source, `copy-changes` about properties that the copy cannot keep, `silent-lock`. */
  onWarning?: OnWarning | undefined;
  /** Aborts the copy; all objects written by then are whole. Stores that never answer are given up after a second. */
  signal?: AbortSignal | undefined;
}

/** Progress of a copy. */
export interface CopyProgress {
  /** Bytes of decoded elements copied or skipped so far, of `totalBytes`. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** The part of `bytes` that `resume` kept. */
  readonly skippedBytes: number;
  /** Chunks copied, skipped or found missing so far, of `totalChunks`. Chunks inside of shards are counted. */
  readonly chunks: number;
  readonly totalChunks: number;
}

/** Result of a copy. Counts that a number cannot hold exactly are bigints. */
export interface CopyResult {
  readonly arrays: number;
  readonly groups: number;
  /** Number of chunks, counting inner chunks of shards. */
  readonly chunks: {
    /** Copied without being decoded. */
    readonly asStored: number;
    /** Decoded and encoded. */
    readonly reencoded: number;
    /** Kept by `resume`. */
    readonly skipped: number;
    /** Not stored: fill value only. */
    readonly missing: number | bigint;
  };
  /** Decoded bytes of all elements. */
  readonly bytes: number | bigint;
  /** Encoded bytes of chunks that were read. */
  readonly bytesRead: number;
  /** Encoded bytes of chunks that were written. */
  readonly bytesWritten: number;
}

/** Copy options with their defaults. */
export type CheckedOptions = Omit<CopyOptions, "codecs" | "shardShape"> & {
  /** null for no shards. */
  readonly shardShape: readonly number[] | "auto" | null | undefined;
  readonly codecs: readonly CodecInput[] | undefined;
  readonly selection: Selection;
  readonly memory: number;
  readonly wait: number;
  readonly share: ShareIndex | undefined;
};

const minMemory = 8 * 2 ** 20;
const defaultMemory = 128 * 2 ** 20;
const defaultWait = 30_000;

/** Options that are passed to `open`. */
export const sourceOptions: OptionNames<SourceOptions> = {
  path: true,
  v1Order: true,
  branch: true,
  tag: true,
  snapshot: true,
  asOf: true,
  virtual: true,
  limits: true,
  onWarning: true,
  signal: true,
};

const copyOptions: OptionNames<CopyOptions> = {
  ...sourceOptions,
  select: true,
  zarrFormat: "format zarrversion",
  chunkShape: "chunk chunks",
  shardShape: "shard shards",
  codecs: codecNames,
  fill: true,
  overwrite: true,
  resume: true,
  verify: true,
  metadataOnly: true,
  part: true,
  wait: true,
  memory: true,
  temp: true,
  pool: true,
  bucket: true,
  destinationName: true,
  onProgress: true,
};

const verifyOptions: OptionNames<VerifyOptions> = {
  ...sourceOptions,
  part: true,
  clean: true,
  onProgress: true,
  onProblem: true,
};

/** @throws InvalidArgument ("bad-option") for unknown options, and for options that do not fit one another. */
export function checkCopyOptions(options: CopyOptions): CheckedOptions {
  checkCommonOptions(options, copyOptions, ["onProgress", "onWarning"]);
  const { zarrFormat, memory = defaultMemory, metadataOnly, overwrite, resume, wait = defaultWait } = options;
  if (zarrFormat !== undefined && ![1, 2, 3].includes(zarrFormat))
    throw badOption(`\`zarrFormat\` must be 1, 2 or 3, got ${describeValue(zarrFormat)}`);
  if (overwrite && resume) throw badOption("`overwrite` and `resume` are mutually exclusive");
  if (overwrite && options.part)
    throw badOption(
      "`overwrite` with `part` would delete chunks of other parts; create the nodes with `metadataOnly` and `overwrite` first",
    );
  if (metadataOnly && options.part)
    throw badOption("`metadataOnly` creates the nodes of all parts; omit `part`");
  if (!(typeof memory === "number" && memory >= minMemory))
    throw badOption(`\`memory\` must be at least ${minMemory} bytes, got ${describeValue(memory)}`);
  if (!(typeof wait === "number" && wait >= 0))
    throw badOption(`\`wait\` must be a time in milliseconds, got ${describeValue(wait)}`);
  if (!isPlace(options.temp))
    throw badOption(`\`temp\` must be a path, a file URL or a store, got ${describeValue(options.temp)}`);
  const shardShape = options.shardShape === "none" ? null : options.shardShape;
  checkLengths("chunkShape", options.chunkShape);
  if (shardShape !== "auto" && shardShape !== null) checkLengths("shardShape", shardShape);
  const { codecs: given, part, select: selection = null } = options;
  const codecs = given === "none" ? [] : given === undefined || isList(given) ? given : [given];
  return { ...options, codecs, selection, memory, wait, shardShape, share: checkPart(part) };
}

/** @throws InvalidArgument ("bad-option") for options that `verify` does not have, or of another type. */
export function checkVerifyOptions(options: VerifyOptions): void {
  checkCommonOptions(options, verifyOptions, ["onProgress", "onProblem", "onWarning"]);
}

/** Checks the names of options, callbacks, the signal, the pool and the limits. */
function checkCommonOptions(
  options: CopyOptions | VerifyOptions,
  known: OptionNames<object>,
  callbacks: readonly string[],
): void {
  try {
    checkOptions(options, known);
    resolveLimits(options.limits);
  } catch (cause) {
    throw badOption(messageOf(cause));
  }
  for (const name of callbacks) {
    const callback: unknown = Reflect.get(options, name);
    if (callback !== undefined && callback !== null && typeof callback !== "function")
      throw badOption(`\`${name}\` must be a function, got ${describeValue(callback)}`);
  }
}

const listText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.join(", ")}]` : describeValue(value);

const isPlace = (temp: unknown): boolean =>
  temp === undefined || typeof temp === "string" || temp instanceof URL || isStore(temp);

const isList = (codecs: CopyOptions["codecs"]): codecs is readonly CodecInput[] => Array.isArray(codecs);

function checkLengths(name: string, lengths: readonly number[] | undefined): void {
  if (lengths === undefined) return;
  if (!Array.isArray(lengths) || !lengths.every((length) => Number.isSafeInteger(length) && length >= 1))
    throw badOption(`\`${name}\` must be a list of positive integers, got ${listText(lengths)}`);
}

/** @throws InvalidArgument ("bad-option"). */
export function checkPart(part: CopyOptions["part"]): ShareIndex | undefined {
  if (part === undefined) return undefined;
  const [index, count] = Array.isArray(part) && part.length === 2 ? part : [Number.NaN, Number.NaN];
  const isPart = Number.isSafeInteger(index) && Number.isSafeInteger(count) && index >= 0 && index < count;
  if (!isPart)
    throw badOption(`\`part\` must be [index, count] with 0 <= index < count, got ${listText(part)}`);
  return { index, count };
}

/** Options of `verify`. */
export interface VerifyOptions extends SourceOptions {
  /** Verifies only a share of the chunks or shards: the `index`-th (from 0) of `count`. Default: all. */
  part?: readonly [index: number, count: number] | undefined;
  /** Removes unfinished files that killed processes have left in a folder (Node). Default: false. */
  clean?: boolean | undefined;
  /** Receives the progress after each chunk. */
  onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Receives each problem as it is found. */
  onProblem?: ((problem: VerifyProblem) => void) | undefined;
  /** Receives warnings about the source, and `stale-consolidated`. */
  onWarning?: OnWarning | undefined;
  /** Aborts the verification. */
  signal?: AbortSignal | undefined;
}

/** Progress of a verification, in decoded bytes. */
export interface VerifyProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

/** A chunk, a whole stored object, or a document that cannot be read. */
export interface VerifyProblem {
  /** Path of the array or group. */
  readonly path: string;
  /** Store key of the chunk, its shard, or the document. */
  readonly key: string;
  /** Position in the grid of chunks; missing if a whole object or a document is bad. */
  readonly chunk?: readonly number[];
  /** Tag of the error, as in `ZarrError`. */
  readonly tag: string;
  readonly reason: string;
}

/** Unfinished files and folders below a folder. */
export interface Leftovers {
  count: number;
  /** Total size in bytes, including files in the folders. */
  bytes: number;
  /** How many of them were removed. */
  removed: number;
}

/** Result of a verification. Counts that a number cannot hold exactly are bigints. */
export interface VerifyResult {
  readonly arrays: number;
  readonly groups: number;
  /** Number of chunks, counting inner chunks of shards. */
  readonly chunks: number | bigint;
  /** The part of `chunks` that is not stored. */
  readonly missing: number | bigint;
  /** Decoded bytes of all chunks. */
  readonly bytes: number | bigint;
  /** Encoded bytes that were read. */
  readonly bytesRead: number;
  readonly problemCount: number;
  /** The first 10,000 problems. */
  readonly problems: readonly VerifyProblem[];
  /** Unfinished files in a folder; undefined for other sources, and for parts but the first. */
  readonly leftovers: Leftovers | undefined;
}

/** Converts the file URL of a folder to its path. Paths and stores do not change. */
export async function checkTemp(temp: CopyOptions["temp"]): Promise<string | Store | undefined> {
  if (temp === undefined || (typeof temp === "object" && !(temp instanceof URL))) return temp;
  if (!(await loadNode())) throw badOption("`temp` must be a store outside Node");
  return /^file:/i.test(String(temp)) ? filePath(temp) : String(temp);
}
