/** Columns of tables: of AnnData's `obs`, of Parquet files; categories resolved. */
import { get, isZarrError, strings, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import type { ParquetColumn } from "zarr-wasm/formats";
import { formatBriefly, formatCount } from "../base/format.js";
import { shortened } from "../base/text.js";
import { text } from "../language/text.js";
import { textAt, textsAt } from "./attributes.js";
import { type FeatureColumn, featureLimits, InvalidLayer } from "./features.js";

/** Maximum number of columns in the text of a row, and maximum length of a value. */
export const maxShown = 12;
export const maxValue = 80;

/** A table by rows. */
export class Table {
  constructor(
    readonly rows: number,
    readonly columns: ReadonlyMap<string, FeatureColumn>,
  ) {}

  /** A value as text; "" for none. */
  value(name: string, row: number): string {
    const column = this.columns.get(name);
    return column ? columnText(column, row) : "";
  }

  /** The values of a row: "class: stroma, area: 9.5". */
  text(row: number): string {
    return rowText(this.columns, row);
  }
}

/** The first values of a row that are not missing. */
export function rowText(columns: Iterable<readonly [string, FeatureColumn]>, row: number): string {
  const parts: string[] = [];
  for (const [name, column] of columns) {
    if (parts.length >= maxShown) break;
    const value = columnText(column, row);
    if (value !== "") parts.push(`${shortened(name, maxValue)}: ${value}`);
  }
  return parts.join(", ");
}

/** The value of a column in a row; "" for none. @param format of numbers */
export function columnText(column: FeatureColumn, row: number, format = formatBriefly): string {
  if (column.kind === "categories") return shortened(column.names[column.codes[row]!] ?? "", maxValue);
  const { values, second } = column;
  const shown = second ? [values[row]!, second[row]!] : [values[row]!];
  return shown.some(Number.isNaN) ? "" : shown.map(format).join(" and ");
}

/** Whether a column has the values of two quantities. */
export const isPair = (column: FeatureColumn | undefined): boolean =>
  column?.kind === "numbers" && column.second !== undefined;

/** The values of a column in some rows; missing in rows that it lacks. */
export function pickedRows(column: FeatureColumn, rows: ArrayLike<number>): FeatureColumn {
  const pick = (values: Float64Array) => Float64Array.from(rows, (row) => values[row] ?? Number.NaN);
  if (column.kind === "categories")
    return { ...column, codes: Int32Array.from(rows, (row) => column.codes[row] ?? -1) };
  return { kind: "numbers", values: pick(column.values), second: column.second && pick(column.second) };
}

/** The integers of a column, also of one whose categories are integers; undefined for other columns. */
export function wholeNumbers(column: FeatureColumn | undefined): Float64Array | undefined {
  if (column?.kind !== "categories") return column?.values;
  const numbers = column.names.map((name) => (/^-?\d+$/.test(name) ? Number(name) : Number.NaN));
  if (numbers.some(Number.isNaN)) return undefined;
  return Float64Array.from(column.codes, (code) => numbers[code] ?? Number.NaN);
}

/** A column of strings whose categories are numbered. */
function textColumn(count: number, at: (row: number) => string | undefined): FeatureColumn {
  const known = new Map<string, number>();
  const codes = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    const text = at(row);
    if (text === undefined) {
      codes[row] = -1;
      continue;
    }
    const code = known.get(text) ?? known.size;
    known.set(text, code);
    codes[row] = code;
  }
  return { kind: "categories", codes, names: [...known.keys()] };
}

/** A column of values of JSON: of numbers if there are no others. @param textOf undefined for values that are skipped */
export function valueColumn(
  values: readonly unknown[],
  textOf: (value: unknown) => string | undefined,
): FeatureColumn {
  const isMissing = (value: unknown) => value === undefined || value === null;
  if (values.every((value) => typeof value === "number" || isMissing(value)))
    return { kind: "numbers", values: Float64Array.from(values, (value) => (value as number) ?? Number.NaN) };
  return textColumn(values.length, (row) => (isMissing(values[row]) ? undefined : textOf(values[row])));
}

/** A column of a Parquet file; bytes are UTF-8. */
export function parquetColumn(column: ParquetColumn): FeatureColumn {
  if (column.kind === "numbers") return column;
  const decoder = new TextDecoder();
  const names = new Map<number, string>();
  const textOf = (code: number) => {
    const text = names.get(code) ?? decoder.decode(column.entries[code]);
    names.set(code, text);
    return text;
  };
  return textColumn(column.codes.length, (row) =>
    column.codes[row]! < 0 ? undefined : textOf(column.codes[row]!),
  );
}

/** Names of the columns of a data frame, the index first. */
export function columnNames({ attributes }: ZarrGroup): string[] {
  const index = textAt(attributes, "_index") ?? "_index";
  return [...new Set([index, ...textsAt(attributes, "column-order")])].slice(0, featureLimits.columns);
}

/** Reads the first columns of a data frame of AnnData; columns of unknown kinds are skipped. */
export async function readFrame(frame: ZarrGroup, rows: number, signal: AbortSignal): Promise<Table> {
  const names = columnNames(frame).slice(0, Math.floor(featureLimits.cells / Math.max(rows, 1)));
  const columns = new Map<string, FeatureColumn>();
  for (const name of names) {
    const column = await readColumn(frame, name, rows, signal);
    if (column) columns.set(name, column);
  }
  return new Table(rows, columns);
}

/** Reads a column of a data frame of AnnData; undefined if it cannot be read. */
export const readColumn = (
  frame: ZarrGroup,
  name: string,
  rows: number,
  signal: AbortSignal,
): Promise<FeatureColumn | undefined> => readable(frameColumn(frame, name, rows, signal), signal);

/** Number of rows of a data frame, by its index; undefined if that is of an unknown kind. */
export async function frameRows(frame: ZarrGroup, signal: AbortSignal): Promise<number | undefined> {
  const index = await readable(frame.open(columnNames(frame)[0]!, { signal }), signal);
  if (index?.kind !== "group") return index?.shape[0];
  // Categories have codes, nullable values a mask.
  const name = textAt(index.attributes, "encoding-type") === "categorical" ? "codes" : "mask";
  return (await readable(index.open(name, { kind: "array", signal }), signal))?.shape[0];
}

/** Reads a data frame, whose index determines the number of rows. */
export async function readTable(frame: ZarrGroup, signal: AbortSignal): Promise<Table> {
  const rows = await frameRows(frame, signal);
  if (rows === undefined) throw new InvalidLayer(text.invalidLayer.noIndex);
  if (rows > featureLimits.features)
    throw new InvalidLayer(text.invalidLayer.rows(formatCount(featureLimits.features)));
  return readFrame(frame, rows, signal);
}

/** Undefined if a column cannot be read: the others can. */
export async function readable<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    signal.throwIfAborted();
    if (isZarrError(error) || error instanceof InvalidLayer) return undefined;
    throw error;
  }
}

async function frameColumn(
  frame: ZarrGroup,
  name: string,
  rows: number,
  signal: AbortSignal,
): Promise<FeatureColumn | undefined> {
  const node = await frame.open(name, { signal });
  if (node.kind === "array") {
    // AnnData before 0.8.
    const path = textAt(node.attributes, "categories");
    if (path === undefined) return arrayColumn(node, rows, signal);
    return categories(node, await frame.open(path, { kind: "array", signal }), rows, signal);
  }
  const encoding = textAt(node.attributes, "encoding-type");
  if (/^nullable-(integer|boolean|string-array)$/.test(encoding ?? ""))
    return nullableColumn(node, rows, signal);
  if (encoding !== "categorical") return undefined;
  const [codes, names] = await Promise.all([
    node.open("codes", { kind: "array", signal }),
    categoryNames(node, signal),
  ]);
  return categories(codes, names, rows, signal);
}

/** The categories, which pandas may hold as nullable strings. */
async function categoryNames(node: ZarrGroup, signal: AbortSignal): Promise<ZarrArray> {
  const found = await node.open("categories", { signal });
  return found.kind === "array" ? found : found.open("values", { kind: "array", signal });
}

async function categories(
  codes: ZarrArray,
  categories: ZarrArray,
  rows: number,
  signal: AbortSignal,
): Promise<FeatureColumn> {
  const [numbers, names] = await Promise.all([
    readNumbers(codes, [rows], signal),
    readStrings(categories, signal),
  ]);
  const own = Int32Array.from(numbers, (code) => (names[code] === undefined ? -1 : code));
  return { kind: "categories", codes: own, names };
}

/** Values with a mask of missing ones. */
async function nullableColumn(node: ZarrGroup, rows: number, signal: AbortSignal): Promise<FeatureColumn> {
  const [values, mask] = await Promise.all(
    ["values", "mask"].map((name) => node.open(name, { kind: "array", signal })),
  );
  const [column, isMissing] = await Promise.all([
    arrayColumn(values!, rows, signal),
    readNumbers(mask!, [rows], signal),
  ]);
  return column.kind === "numbers"
    ? { kind: "numbers", values: column.values.map((value, row) => (isMissing[row] ? Number.NaN : value)) }
    : { ...column, codes: column.codes.map((code, row) => (isMissing[row] ? -1 : code)) };
}

async function arrayColumn(array: ZarrArray, rows: number, signal: AbortSignal): Promise<FeatureColumn> {
  if (isText(array)) {
    const names = await readStrings(array, signal);
    if (names.length !== rows) throw new InvalidLayer(text.invalidLayer.columnLength);
    return textColumn(rows, (row) => names[row]);
  }
  return { kind: "numbers", values: await readNumbers(array, [rows], signal) };
}

const isText = ({ dtype }: ZarrArray): boolean => !/^(u?int|float|bool)/.test(dtype.name);

/** Reads an array of numbers of a known shape; null lengths may be any. */
export async function readNumbers(
  array: ZarrArray,
  shape: readonly (number | null)[],
  signal: AbortSignal,
): Promise<Float64Array> {
  const isExpected =
    array.shape.length === shape.length &&
    shape.every((length, i) => length === null || length === array.shape[i]);
  if (!isExpected) throw new InvalidLayer(text.invalidLayer.shape(array.path, array.shape.join(" × ")));
  const count = array.shape.reduce((product, length) => product * length, 1);
  if (count > 2 * featureLimits.vertices)
    throw new InvalidLayer(
      text.invalidLayer.arrayElements(array.path, formatCount(2 * featureLimits.vertices)),
    );
  if (isText(array)) throw new InvalidLayer(text.invalidLayer.arrayNumbers(array.path));
  const { data } = await get(array, null, { signal });
  return Float64Array.from({ length: count }, (_, i) => Number(data[i]));
}

export async function readStrings(array: ZarrArray, signal: AbortSignal): Promise<string[]> {
  if (array.shape.length !== 1 || array.shape[0]! > featureLimits.features)
    throw new InvalidLayer(text.invalidLayer.list(array.path));
  const region = await get(array, null, { signal });
  const { core } = array.dtype;
  if (core === "fixed_utf32" || core === "fixed_bytes") return strings(region);
  return Array.from({ length: array.shape[0]! }, (_, i) => String(region.data[i]));
}
