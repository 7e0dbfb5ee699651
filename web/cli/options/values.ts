/** Parses the values of options. */
import { type CodecInput, type Selection, slice, WorkerPool } from "zarr-wasm";
import { UsageError } from "./options.js";

/** One of `count` shares of the work; `index` counts from 0. */
export type Share = readonly [index: number, count: number];

/** Parses `--part I/N`. @throws UsageError. */
export function parseShare(text: string): Share {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index >= count)
    throw new UsageError(`--part must be I/N with I from 0 to N - 1, such as 0/4, got "${text}"`);
  return [index, count];
}

/** Parses "0:10,5,...,::2,:" as in Python, without negative steps. @throws UsageError. */
export function parseSelection(text: string): Selection {
  return text.split(",").map((part) => {
    const entry = part.trim();
    if (entry === "...") return entry;
    if (/^-?\d+$/.test(entry)) return Number(entry);
    const match = /^(-?\d+)?:(-?\d+)?(?::(\d+)?)?$/.exec(entry);
    if (!match)
      throw new UsageError(`--select takes indices and slices such as 5, 0:10 or ::2, got "${entry}"`);
    const [start, stop, step] = match
      .slice(1)
      .map((digits) => (digits === undefined ? null : Number(digits)));
    return slice(start!, stop!, step!);
  });
}

/** Parses an integer of at least `min`; the option may be omitted. @throws UsageError. */
export function integer(text: string | undefined, name: string, min: number, fallback: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new UsageError(`${name} must be an integer of at least ${min}, got "${text}"`);
  return value;
}

/** Parses lengths along axes: "64,64". @throws UsageError. */
export function parseLengths(text: string | undefined, name: string): number[] | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(",").map((part) => part.trim());
  if (!parts.every((part) => /^[1-9]\d{0,14}$/.test(part)))
    throw new UsageError(
      `${name} must be positive integers separated by commas, such as 64,64, got "${text}"`,
    );
  return parts.map(Number);
}

/** Parses `--shards`. @throws UsageError. */
export function parseShards(text: string | undefined): readonly number[] | "auto" | "none" | undefined {
  if (text === "auto" || text === "none") return text;
  return parseLengths(text, "--shards");
}

/** Parses codecs: a name with options such as "zstd:5", "none", or JSON of one or several. @throws UsageError. */
export function parseCodecs(text: string): CodecInput[] {
  if (text === "none") return [];
  if (!/^\s*[[{"]/.test(text)) return [text];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--codecs starts like JSON but is invalid: ${(error as Error).message}`);
  }
  return (Array.isArray(json) ? json : [json]) as CodecInput[];
}

/** Parses a fill value: a number, a boolean, NaN, Infinity, JSON, or a string. */
export function parseFill(text: string): unknown {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return BigInt(text);
  if (/^([+-]?Infinity|NaN)$/.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Creates the workers of `--threads`, which the caller destroys; undefined for a single thread. */
export const createPool = (threads: number | undefined): WorkerPool | undefined =>
  threads !== undefined && threads > 1 ? new WorkerPool({ size: threads }) : undefined;
