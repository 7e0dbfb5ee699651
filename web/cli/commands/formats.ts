/**
 * Output formats of `zarr-wasm read`: each turns a region into pieces to write. Tables of large arrays are abbreviated, and
 * times are printed, as in NumPy.
 */
import {
  type BytesRegion,
  DType,
  packStrings,
  readScalar,
  type Selection,
  type ValueRegion,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import { type NumpyDescr, numpyDescr } from "zarr-wasm/formats";
import { resolveSelection } from "#internal";
import { printable, printableJson } from "../text/output.js";

type Pieces = Iterable<Uint8Array | string>;

/** Number of lines to collect before a write. */
const batch = 4096;

/** Elements read: bytes, or values of variable length. */
export type ReadRegion = BytesRegion | ValueRegion;

export const formats = {
  raw: (region: ReadRegion): Pieces => [fixedSize(region).bytes],
  jsonl: (region: ReadRegion, isDecoded?: boolean): Pieces => batched(jsonLines(region, isDecoded)),
  npy: (region: ReadRegion): Pieces => [npyHeader(fixedSize(region)), fixedSize(region).bytes],
  text: (region: ReadRegion): Pieces => batched(table(region)),
};

/**
 * Strings of variable length become strings of the longest one's length, as in NumPy; other values have no such form.
 */
function fixedSize(region: ReadRegion): BytesRegion {
  if ("bytes" in region) return region;
  const { data, shape, dtype } = region;
  if (dtype.name !== "string") {
    throw new ZarrError("Unsupported", `data type ${dtype} has no fixed size; use --format jsonl or text`);
  }
  const texts = data as readonly string[];
  const longest = texts.reduce((length, text) => Math.max(length, Array.from(text).length), 1);
  const fixed = DType.fixedUtf32(longest);
  return { bytes: packStrings(fixed, texts), shape, dtype: fixed };
}

export function* batched(lines: Iterable<string>): Generator<string> {
  let gathered: string[] = [];
  for (const line of lines) {
    gathered.push(line);
    if (gathered.length < batch) continue;
    yield gathered.join("");
    gathered = [];
  }
  yield gathered.join("");
}

export function* scalars(region: ReadRegion): Generator<unknown> {
  if (!("bytes" in region)) return yield* region.data;
  const { bytes, dtype } = region;
  for (let at = 0; at < bytes.byteLength; at += dtype.itemBytes) yield readScalar(dtype, bytes, at);
}

/** @param isDecoded whether times are ISO dates instead of counts. */
function* jsonLines(region: ReadRegion, isDecoded = false): Generator<string> {
  const values = isDecoded && region.dtype.unit !== undefined ? elementTexts(region) : scalars(region);
  for (const value of values) yield `${toJson(value)}\n`;
}

/** JSON with exact 64-bit integers, `{"b64": …}` for bytes, and names for non-finite numbers. */
export function toJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
  if (value instanceof Uint8Array) return `{"b64":"${Buffer.from(value).toString("base64")}"}`;
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  if (ArrayBuffer.isView(value))
    return `[${Array.from(value as unknown as Iterable<unknown>, toJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return printableJson(value) ?? "null";
  const fields = Object.entries(value).map(([name, field]) => `${printableJson(name)}:${toJson(field)}`);
  return `{${fields.join(",")}}`;
}

/**
 * The header of a .npy file, as NumPy writes it; elements follow. Format 1.0 has a 16-bit length and Latin-1 text, 2.0
 * a 32-bit length, 3.0 also UTF-8 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
 */
function npyHeader({ shape, dtype }: BytesRegion): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const dict = `{'descr': ${pythonDescr(numpyDescr(dtype))}, 'fortran_order': False, 'shape': ${tuple}, }`;
  const isLatin1 = !/[\u{100}-\u{10ffff}]/u.test(dict);
  const text = Buffer.from(dict, isLatin1 ? "latin1" : "utf8");
  /** Bytes after the length, so that elements start at a multiple of 64: header text, spaces, a newline. */
  const paddedBehind = (prefix: number) => Math.ceil((prefix + text.length + 1) / 64) * 64 - prefix;
  const version = isLatin1 ? (paddedBehind(10) < 2 ** 16 ? 1 : 2) : 3;
  const prefix = version === 1 ? 10 : 12;
  const length = paddedBehind(prefix);
  const header = Buffer.alloc(prefix + length, " ");
  header.write("\x93NUMPY", "latin1");
  header[6] = version;
  header[7] = 0;
  if (version === 1) header.writeUInt16LE(length, 8);
  else header.writeUInt32LE(length, 8);
  header.set(text, prefix);
  header[header.length - 1] = 0x0a;
  return header;
}

function pythonDescr(descr: NumpyDescr): string {
  if (typeof descr === "string") return `'${descr}'`;
  const fields = descr.map(([name, type, shape]) => {
    const dims = shape ? `, (${shape.join(", ")},)` : "";
    return `(${JSON.stringify(name)}, ${pythonDescr(type)}${dims})`;
  });
  return `[${fields.join(", ")}]`;
}

/** Writes rows of the last dimension as lines, with an empty line between the blocks of outer dimensions. */
function* table(region: ReadRegion): Generator<string> {
  const columns = region.shape.at(-1) ?? 1;
  const block = columns * (region.shape.at(-2) ?? 1);
  const total = region.shape.reduce((a, b) => a * b, 1);
  let index = 0;
  for (const text of elementTexts(region)) {
    index++;
    const isLast = index % columns === 0;
    yield text + (isLast ? "\n" : "\t");
    if (isLast && region.shape.length > 2 && index % block === 0 && index < total) {
      yield "\n";
    }
  }
}

/** Returns the text of every element. float32 has as few digits as determine it, as in NumPy; times are ISO dates. */
export function* elementTexts(region: ReadRegion): Generator<string> {
  const { dtype } = region;
  const textOf =
    dtype.name === "float32"
      ? (value: unknown) => float32Text(value as number)
      : dtype.unit === undefined && !dtype.fields
        ? elementText
        : (value: unknown) => elementText(withTimes(dtype, value));
  for (const value of scalars(region)) yield textOf(value);
}

/** Replaces times, also in fields of structs, by their text. */
function withTimes(dtype: DType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withTimes(dtype, item));
  if (dtype.unit !== undefined) return timeText(dtype, value as bigint);
  if (!dtype.fields) return value;
  const struct = value as { readonly [field: string]: unknown };
  return Object.fromEntries(
    dtype.fields.map(({ name, dtype: type }) => [name, withTimes(type, struct[name])]),
  );
}

export function float32Text(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9))); // NaN and infinities as well
}

function elementText(value: unknown): string {
  if (typeof value === "string") return printable(value);
  if (value instanceof Uint8Array)
    return Buffer.from(value)
      .toString("latin1")
      .replace(/[^\x20-\x7e]/g, "·");
  if (Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "number")) {
    const [re, im] = value as [number, number];
    return `${re}${im < 0 || Object.is(im, -0) ? "-" : "+"}${Math.abs(im)}i`;
  }
  return typeof value === "object" ? toJson(value) : String(value);
}

/** The stored count that means "not a time". */
const notATime = -(2n ** 63n);

/** Seconds per unit, and decimal places of the units below a second. */
const secondsPer: Readonly<Record<string, bigint>> = { W: 604800n, D: 86400n, h: 3600n, m: 60n, s: 1n };
const decimals: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 };

/** Characters of an ISO date up to the precision of a unit; others show seconds. */
const precision: Readonly<Record<string, number>> = { Y: 4, M: 7, W: 10, D: 10, h: 13, m: 16 };

/** Returns a time as text; a datetime beyond the calendar's range as a count of units. */
function timeText({ core, unit = "generic", scaleFactor = 1 }: DType, stored: bigint): string {
  if (stored === notATime) return "NaT";
  const count = stored * BigInt(scaleFactor);
  const counted = unit === "generic" ? String(count) : `${count} ${unit}`;
  return core === "datetime64" ? (dateText(unit, count) ?? `${counted} since 1970`) : counted;
}

function dateText(unit: string, count: bigint): string | undefined {
  const places = decimals[unit] ?? 0;
  const perSecond = 10n ** BigInt(places);
  const rest = ((count % perSecond) + perSecond) % perSecond;
  const iso = isoText(unit, places > 0 ? (count - rest) / perSecond : count);
  if (iso === undefined) return undefined;
  const fraction = places > 0 ? `.${String(rest).padStart(places, "0")}` : "";
  // Years other than 0 to 9999 have a sign and six digits.
  const start = iso.indexOf("-", 1) - 4;
  return iso.slice(0, start + (precision[unit] ?? 19)) + fraction;
}

/** A count of units, or of seconds if the unit is shorter, as a date; undefined beyond the calendar's range. */
function isoText(unit: string, count: bigint): string | undefined {
  const months = unit === "Y" ? 12n * count : unit === "M" ? count : undefined;
  const seconds = count * (secondsPer[unit] ?? 1n);
  if (unit === "generic") return undefined;
  const date = new Date(months === undefined ? Number(seconds) * 1000 : Date.UTC(1970, Number(months)));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Arrays with more elements are abbreviated. */
const threshold = 1000;
/** Number of elements at each end of an axis. */
const edge = 3;
const ellipsis = "...";

/** The elements to show of a selection; only these are read. */
interface Abbreviated {
  readonly selection: Selection;
  /** Number of elements of the whole selection. */
  readonly total: number;
  /** Whether each axis of the result lacks its middle. */
  readonly isCut: readonly boolean[];
}

/** Returns the part of a selection to show; undefined if it is small enough to be shown whole. */
export function abbreviate(
  { shape, dimensionNames }: ZarrArray,
  selection: Selection,
): Abbreviated | undefined {
  const axes = resolveSelection(selection, shape, dimensionNames);
  const total = axes.reduce((product, { count }) => product * count, 1);
  if (total <= threshold) return undefined;
  const shown = axes.map((axis) => {
    if (axis.dropped) return axis.start;
    const positions = edgePositions(axis.count);
    return positions.map((i) => ("indices" in axis ? axis.indices[i]! : axis.start + i * axis.step));
  });
  const kept = axes.filter(({ dropped }) => !dropped);
  return { selection: shown, total, isCut: kept.map(({ count }) => count > 2 * edge) };
}

function edgePositions(count: number): number[] {
  if (count <= 2 * edge) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: 2 * edge }, (_, i) => (i < edge ? i : count - 2 * edge + i));
}

/** Formats elements as a table, with an ellipsis for each gap and an empty line between blocks. */
export function* abbreviatedTable(region: ReadRegion, { isCut }: Abbreviated): Generator<string> {
  const texts = Array.from(elementTexts(region));
  yield* blockLines(texts, region.shape, isCut);
}

function* blockLines(
  texts: readonly string[],
  shape: readonly number[],
  isCut: readonly boolean[],
): Generator<string> {
  const [count = 1, ...inner] = shape;
  if (inner.length === 0) {
    yield `${(isCut[0] ? texts.toSpliced(edge, 0, ellipsis) : texts).join("\t")}\n`;
    return;
  }
  const size = texts.length / count;
  const separator = inner.length > 1 ? "\n" : "";
  for (let i = 0; i < count; i++) {
    if (i > 0) yield separator;
    if (isCut[0] && i === edge) yield `${ellipsis}\n${separator}`;
    yield* blockLines(texts.slice(i * size, (i + 1) * size), inner, isCut.slice(1));
  }
}
