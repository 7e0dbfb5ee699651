/** The options of `copy`, checked. */

import type { CodecInput, Selection } from "zarr-wasm";
import type { ZarrVersion } from "#internal";
import { type Part, parsePart } from "../part.js";
import { parseSelection } from "../selection.js";
import { UsageError, type Values } from "../usage.js";

export interface CopyOptions {
  readonly selection: Selection;
  readonly format: ZarrVersion | undefined;
  readonly chunks: readonly number[] | undefined;
  readonly shards: readonly number[] | "auto" | "none" | undefined;
  readonly codecs: readonly CodecInput[] | undefined;
  readonly fill: unknown;
  readonly overwrite: boolean;
  readonly resume: boolean;
  readonly verify: boolean;
  readonly metadataOnly: boolean;
  readonly part: Part | undefined;
  /** Bytes of elements on their way. */
  readonly memory: number;
  /** Folder for what is stored in between. */
  readonly temp: string | undefined;
  readonly threads: number | undefined;
  /** Milliseconds that a part waits for nodes that another one makes. */
  readonly patience: number;
}

const defaultMemory = 128;
const leastMemory = 8;
/** Seconds. */
const defaultPatience = 30;

/** @throws UsageError. */
export function readOptions(values: Values): CopyOptions {
  const { format, part, overwrite = false, resume = false } = values;
  if (format !== undefined && !/^[123]$/.test(format)) throw new UsageError("--format must be 1, 2 or 3");
  if (overwrite && resume) throw new UsageError("--overwrite and --resume exclude one another");
  if (overwrite && part !== undefined)
    throw new UsageError(
      "--overwrite with --part would delete what other parts write: use --metadata-only before",
    );
  const metadataOnly = values["metadata-only"] ?? false;
  if (metadataOnly && part !== undefined)
    throw new UsageError("--metadata-only makes the nodes for all parts: leave --part out");
  return {
    selection: values.select === undefined ? null : parseSelection(values.select),
    format: format === undefined ? undefined : (Number(format) as ZarrVersion),
    chunks: lengthsOf(values.chunks, "--chunks"),
    shards: shardsOf(values.shards),
    codecs: values.codecs === undefined ? undefined : parseCodecs(values.codecs),
    fill: values.fill === undefined ? undefined : parseFill(values.fill),
    ...{ overwrite, resume, metadataOnly },
    verify: values.verify ?? false,
    part: part === undefined ? undefined : parsePart(part),
    memory: integer(values.memory, "--memory", leastMemory, defaultMemory) * 2 ** 20,
    temp: values.temp,
    threads: values.threads === undefined ? undefined : integer(values.threads, "--threads", 1, 1),
    patience: integer(values.wait, "--wait", 0, defaultPatience) * 1000,
  };
}

export function integer(text: string | undefined, name: string, least: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least))
    throw new UsageError(`${name} must be an integer of at least ${least}, not "${text}"`);
  return value;
}

export function lengthsOf(text: string | undefined, name: string): number[] | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(",").map((part) => part.trim());
  if (!parts.every((part) => /^[1-9]\d{0,14}$/.test(part)))
    throw new UsageError(`${name}: "${text}" is no list of whole numbers from 1 such as 64,64`);
  return parts.map(Number);
}

export function shardsOf(text: string | undefined): CopyOptions["shards"] {
  if (text === "auto" || text === "none") return text;
  return lengthsOf(text, "--shards");
}

/** A name with options, "zstd:5", "none", or JSON: a codec, or a list of them. */
export function parseCodecs(text: string): CodecInput[] {
  if (text === "none") return [];
  if (!/^\s*[[{"]/.test(text)) return [text];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--codecs is not valid JSON: ${(error as Error).message}`);
  }
  return (Array.isArray(json) ? json : [json]) as CodecInput[];
}

/** A number, a boolean, NaN, Infinity, JSON, or else a text. */
function parseFill(text: string): unknown {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return BigInt(text);
  if (/^([+-]?Infinity|NaN)$/.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
