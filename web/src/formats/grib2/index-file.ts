/** Lists of the messages of a file beside it: `.idx` of wgrib2, `.index` of ECMWF. */

import { isZarrError } from "../../util/errors.js";
import { isJsonObject, type Json, toPlain } from "../../util/json.js";
import { parseJson } from "../../util/json-reader.js";
import { badFile } from "../file/cursor.js";
import type { FileContext } from "../file/model.js";
import type { Field, MessageReader } from "./messages.js";
import type { Product } from "./product.js";
import type { Entry } from "./variables.js";

/** A message as an index describes it. */
interface Row {
  readonly offset: number;
  /** All properties except for positions in a hypercube. */
  readonly key: string;
  /** In seconds. */
  readonly time: number;
  readonly step: number;
  readonly number: number | undefined;
  /** In hPa; undefined for other levels, which are part of the key. */
  readonly level: number | undefined;
}

/** Files up to this size are scanned: an index does not save requests. */
const minSize = 2 ** 20;
const maxRows = 2 ** 20;

/** Returns the fields that an index beside the file lists; undefined if there is none that can be used. */
export async function indexedEntries(
  context: FileContext,
  reader: MessageReader,
  signal: AbortSignal | undefined,
): Promise<Entry[] | undefined> {
  if ((context.blocks.fileSize ?? minSize) < minSize) return undefined;
  const rows = await readIndex(context, signal);
  if (!rows) return undefined;
  const samples = new Map<string, Field>();
  const entries: Entry[] = [];
  for (const row of rows) {
    const sample = samples.get(row.key);
    const field = sample ?? (await onlyField(reader, row, signal));
    // A message with several fields, or one that the index describes in another way.
    if (!field || (!sample && !agrees(row, field.product))) return undefined;
    samples.set(row.key, field);
    entries.push(entryOf(context, reader, row, field));
  }
  return entries;
}

async function onlyField(reader: MessageReader, { offset }: Row, signal: AbortSignal | undefined) {
  try {
    const fields = await reader.read(offset, signal);
    return fields.length === 1 ? fields[0] : undefined;
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata", "Unsupported")) throw error;
    return undefined;
  }
}

const agrees = (row: Row, { time, step, number, level }: Product): boolean =>
  row.time === time &&
  row.step === step &&
  row.number === number &&
  (row.level === undefined || (row.level >= 1 && row.level === level));

function entryOf(context: FileContext, reader: MessageReader, row: Row, sample: Field): Entry {
  const { time, step, number, level = sample.product.level } = row;
  const product = { ...sample.product, time, step, number, level };
  return {
    product,
    grid: sample.grid,
    packing: sample.packing,
    async locate(signal) {
      const found = await onlyField(reader, row, signal);
      const isSame = found?.grid === sample.grid && sameField(found.product, product);
      if (!isSame) throw badFile(`${context.name}: the message at ${row.offset} differs from the index`);
      return found.parts;
    },
  };
}

const sameField = (a: Product, b: Product): boolean =>
  (["time", "step", "number", "level", "typeOfLevel", "stepType", "derived"] as const).every(
    (key) => a[key] === b[key],
  ) && a.parameter.join() === b.parameter.join();

async function readIndex(context: FileContext, signal: AbortSignal | undefined): Promise<Row[] | undefined> {
  const name = decodeURIComponent(/([^/\\]*?)(?:[?#].*)?$/.exec(context.name)![1]!);
  const names: [string, (text: string) => Row[] | undefined][] = [
    [`${name}.idx`, wgribRows],
    [name.replace(/\.[^.]*$/, ".index"), ecmwfRows],
  ];
  for (const [own, parse] of names) {
    const text = await readText(context, own, signal);
    const rows = text === undefined ? undefined : parse(text);
    if (rows && rows.length > 0 && rows.length <= maxRows) return rows;
  }
  return undefined;
}

async function readText(context: FileContext, name: string, signal: AbortSignal | undefined) {
  try {
    const bytes = await context
      .sibling(name)
      ?.read(undefined, { signal, maxBytes: context.limits.metadataBytes });
    return bytes && new TextDecoder().decode(bytes);
  } catch (error) {
    signal?.throwIfAborted();
    if (!isZarrError(error)) throw error;
    return undefined;
  }
}

/** Parses lines such as `1:0:d=2024010100:TMP:850 mb:6 hour fcst:ENS=+1`. */
function wgribRows(text: string): Row[] | undefined {
  const rows: Row[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, offset, date = "", ...rest] = line.trim().split(":");
    const [, year, month, day, hour] = /^d=(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(date) ?? [];
    const level = /^([\d.]+) mb$/.exec(rest[1] ?? "")?.[1];
    const step = wgribStep(rest[2] ?? "");
    const member = rest
      .map((part) => /^ENS=[+-]?(\d+)$/.exec(part)?.[1])
      .find((found) => found !== undefined);
    if (!/^\d+$/.test(offset ?? "") || hour === undefined || !step) return undefined;
    const others = rest.filter((part, i) => !(i === 2 || part.startsWith("ENS=") || (i === 1 && level)));
    rows.push({
      offset: Number(offset),
      key: [...others, step.kind, member !== undefined, level !== undefined].join(":"),
      time: Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour)) / 1000,
      step: step.seconds,
      number: member === undefined ? undefined : Number(member),
      level: level === undefined ? undefined : Number(level),
    });
  }
  return rows;
}

const units: Readonly<Record<string, number>> = { min: 60, hour: 3600, day: 86400 };

/** Parses `anl`, `6 hour fcst` and `0-6 hour acc fcst`: the end of the step, and the kind. */
function wgribStep(text: string): { seconds: number; kind: string } | undefined {
  if (text === "anl") return { seconds: 0, kind: "fcst" };
  const [, end, unit = "", kind = ""] = /^(?:\d+-)?(\d+) (min|hour|day) (.+)$/.exec(text) ?? [];
  return end === undefined ? undefined : { seconds: Number(end) * units[unit]!, kind };
}

/** Parses lines of JSON with `_offset`. */
function ecmwfRows(text: string): Row[] | undefined {
  const rows: Row[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const found = parseLine(line);
    const own = isJsonObject(found) ? (toPlain(found) as Record<string, unknown>) : {};
    const { _offset: offset, _length, date, time, step, number, levelist, ...others } = own;
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(String(date)) ?? [];
    const [, hour, minute] = /^(\d\d)(\d\d)$/.exec(String(time)) ?? [];
    const [, end] = /^(?:\d+-)?(\d+)$/.exec(String(step)) ?? [];
    if (!Number.isSafeInteger(offset) || day === undefined || hour === undefined || end === undefined)
      return undefined;
    const isPressure = others["levtype"] === "pl";
    const rest = { ...others, ...(!isPressure && { levelist }) };
    rows.push({
      offset: offset as number,
      key: JSON.stringify([rest, number !== undefined]),
      time: Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) / 1000,
      step: Number(end) * 3600,
      number: number === undefined ? undefined : Number(number),
      level: isPressure ? Number(levelist) : undefined,
    });
  }
  return rows;
}

function parseLine(line: string): Json | undefined {
  try {
    return parseJson(new TextEncoder().encode(line), {
      name: "the index",
      maxDepth: 8,
      bareNonFinite: false,
    });
  } catch {
    return undefined;
  }
}
