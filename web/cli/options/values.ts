/** Parses the values of options. */
import { type CodecInput, type Selection, slice, WorkerPool } from "zarr-wasm";
import { UsageError } from "./options.js";

/** One of `count` shares of the work; `index` counts from 0. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

/** Parses "I/N". @throws UsageError. */
export function parsePart(text: string): Part {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index >= count)
    throw new UsageError(`--part: "${text}" is not I/N with I from 0 to N - 1, such as 0/4`);
  return { index, count };
}

/** A part, in the library's form. */
export const partOf = (text: string | undefined): readonly [index: number, count: number] | undefined => {
  if (text === undefined) return undefined;
  const { index, count } = parsePart(text);
  return [index, count];
};

/** Parses "0:10,5,...,::2,:" as in Python, without negative steps. @throws UsageError. */
export function parseSelection(text: string): Selection {
  return text.split(",").map((part) => {
    const entry = part.trim();
    if (entry === "...") return entry;
    if (/^-?\d+$/.test(entry)) return Number(entry);
    const match = /^(-?\d+)?:(-?\d+)?(?::(\d+)?)?$/.exec(entry);
    if (!match)
      throw new UsageError(`--select: "${entry}" is neither an index nor a slice such as 0:10 or ::2`);
    const [start, stop, step] = match
      .slice(1)
      .map((digits) => (digits === undefined ? null : Number(digits)));
    return slice(start!, stop!, step!);
  });
}

/** Parses an integer of at least `min`. @throws UsageError. */
export function integer(text: string | undefined, name: string, min: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new UsageError(`${name} must be an integer of at least ${min}, not "${text}"`);
  return value;
}

/** Parses lengths along axes: "64,64". @throws UsageError. */
export function lengthsOf(text: string | undefined, name: string): number[] | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(",").map((part) => part.trim());
  if (!parts.every((part) => /^[1-9]\d{0,14}$/.test(part)))
    throw new UsageError(`${name}: "${text}" is no list of whole numbers from 1 such as 64,64`);
  return parts.map(Number);
}

/** Parses `--shards`. @throws UsageError. */
export function shardsOf(text: string | undefined): readonly number[] | "auto" | "none" | undefined {
  if (text === "auto" || text === "none") return text;
  return lengthsOf(text, "--shards");
}

/** Parses a codec or a list of them: a name with options, "zstd:5", "none", or JSON. @throws UsageError. */
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

/** Creates workers for `--threads`, which the caller destroys; undefined if the main thread does everything. */
export const poolOf = (threads: number | undefined): WorkerPool | undefined =>
  threads !== undefined && threads > 1 ? new WorkerPool({ size: threads }) : undefined;
