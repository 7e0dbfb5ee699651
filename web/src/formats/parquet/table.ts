/** Reads columns of Parquet files: tables, geometries in GeoParquet, and references. */

import { limitExceeded, notFound, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";
import { badFile, type Footer, readFooter } from "./footer.js";
import { Budget, type Page, readPages } from "./pages.js";

/**
 * A column by rows: numbers (NaN for null), or byte strings as indices into `entries` (−1 for null). Entries are
 * distinct up to 1024 bytes: rows with the same bytes then have the same code.
 */
export type ParquetColumn =
  | { readonly kind: "numbers"; readonly values: Float64Array }
  | { readonly kind: "bytes"; readonly codes: Int32Array; readonly entries: readonly Uint8Array[] };

export interface ParquetTable {
  readonly rows: number;
  /** Names of the columns that can be read, in the order of the file. Nested ones cannot. */
  readonly names: readonly string[];
  readonly columns: ReadonlyMap<string, ParquetColumn>;
  /** Strings of the writer by name: "pandas" describes data frames, "geo" geometries, both in JSON. */
  readonly metadata: ReadonlyMap<string, string>;
}

export interface ParquetOptions {
  /** Names of the columns to read. Default: all in `names`. */
  columns?: readonly string[] | undefined;
  /** Maximum number of rows. Default: 10,000,000. */
  maxRows?: number | undefined;
  /** Maximum memory for values: decompressed bytes, 8 per row and column, and 64 per byte string. Default: 1 GiB. */
  maxBytes?: number | undefined;
}

/** Maximum size of the footer, in bytes: pandas and GeoParquet add descriptions of all columns. */
const maxFooter = 2 ** 24;
const readable = ["INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"];

/**
 * Reads columns of a Parquet file. Values must be plain or in dictionaries, uncompressed or in snappy, gzip, zstd or
 * LZ4; strings and geometries (WKB) are returned as bytes.
 * @param file the whole file
 * @throws NotFound for a column that the file lacks; InvalidMetadata for damaged files; Unsupported for other encodings;
 *   LimitExceeded
 */
export async function readParquet(file: Uint8Array, options: ParquetOptions = {}): Promise<ParquetTable> {
  const { columns, maxRows = 10_000_000, maxBytes = 2 ** 30 } = options;
  const footer = readFooter(file, columns, { maxBytes: maxFooter, isNestedAllowed: true });
  if (footer.rows > maxRows)
    throw limitExceeded(`a Parquet file has ${footer.rows} rows, more than the limit of ${maxRows}`);
  const names = [...footer.columns].flatMap(([name, { type }]) => (readable.includes(type) ? [name] : []));
  const known = new Set(names);
  const missing = columns?.find((name) => !known.has(name));
  if (missing !== undefined) throw noColumn(missing, names);
  const budget = new Budget(maxBytes);
  const found = new Map<string, ParquetColumn>();
  for (const name of columns ?? names) found.set(name, await readColumn(file, footer, name, budget));
  return { rows: footer.rows, names, columns: found, metadata: footer.metadata };
}

function noColumn(name: string, names: readonly string[]): ZarrError {
  const quoted = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
  const shown = names.slice(0, 20).map(quoted);
  const known = names.length > 20 ? `${shown.join(", ")}, … (${names.length})` : shown.join(", ");
  return notFound(
    `the Parquet file has no column ${quoted(name)} of numbers, strings or bytes; it has ${known || "none"}`,
  );
}

async function readColumn(
  file: Uint8Array,
  footer: Footer,
  name: string,
  budget: Budget,
): Promise<ParquetColumn> {
  const { rows, columns } = footer;
  budget.take(8 * rows);
  if (columns.get(name)!.type === "BYTE_ARRAY")
    return (await fillColumn(file, footer, name, budget, new ByteSink(rows))).column;
  const { values } = await fillColumn(file, footer, name, budget, new NumberColumn(rows, Number.NaN));
  return { kind: "numbers", values };
}

/** Length from which entries, such as geometries, are not compared: engines hash long strings by their length alone. */
const maxCompared = 1024;

/** Collects distinct byte strings: row groups have a dictionary each, and writers stop using one that grows large. */
class ByteSink implements Sink {
  readonly #codes: Int32Array;
  readonly #entries: Uint8Array[] = [];
  /** Codes by the bytes as text of one byte per character. */
  readonly #known = new Map<string, number>();
  readonly #decoder = textDecoder("latin1");
  #dictionary: Page["dictionary"];
  /** Codes of the dictionary's entries. */
  #translated = new Int32Array(0);

  constructor(rows: number) {
    this.#codes = new Int32Array(rows).fill(-1);
  }

  add(page: Page, row: number): void {
    const { dictionary } = page;
    const values = page.values as ArrayLike<Uint8Array> | Uint32Array;
    if (dictionary && dictionary !== this.#dictionary) {
      this.#translated = Int32Array.from(dictionary as readonly Uint8Array[], (entry) => this.#codeOf(entry));
      this.#dictionary = dictionary;
    }
    forEachValue(page, row, (at, i) => {
      const value = values[i]!;
      this.#codes[at] = typeof value === "number" ? this.#translated[value]! : this.#codeOf(value);
    });
  }

  #codeOf(entry: Uint8Array): number {
    if (entry.byteLength > maxCompared) return this.#entries.push(entry) - 1;
    const key = this.#decoder.decode(entry);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.#entries.length);
    return this.#entries.push(entry) - 1;
  }

  get column(): ParquetColumn {
    return { kind: "bytes", codes: this.#codes, entries: this.#entries };
  }
}

/** Destination of the pages of a column. */
export interface Sink {
  /** @param row the page's first row. */
  add(page: Page, row: number): void;
}

/** Reads a column that the footer lists. @returns the sink. @throws the errors of `readPages`. */
export async function fillColumn<T extends Sink>(
  file: Uint8Array,
  { groups, columns }: Footer,
  name: string,
  budget: Budget,
  sink: T,
): Promise<T> {
  let row = 0;
  for (const group of groups) {
    const chunk = group.columns.get(name);
    const column = columns.get(name);
    if (!chunk || !column) throw badFile(`its column "${name}" is missing in a row group`);
    let at = row;
    const bytes = file.subarray(chunk.start, chunk.end);
    for await (const page of readPages(bytes, chunk, column, group.rows, budget)) {
      sink.add(page, at);
      at += page.rows;
    }
    row += group.rows;
  }
  return sink;
}

/** Calls `call` for each row with a value, with the index of the value. */
export function forEachValue(
  { rows, levels }: Page,
  row: number,
  call: (row: number, value: number) => void,
): void {
  let value = 0;
  for (let i = 0; i < rows; i++) if (!levels || levels[i] === 1) call(row + i, value++);
}

/** Numbers by row; NaN for values that are not numbers. */
export class NumberColumn implements Sink {
  readonly values: Float64Array;

  /** @param missing the number of rows that are null. */
  constructor(rows: number, missing: number) {
    this.values = new Float64Array(rows).fill(missing);
  }

  add(page: Page, row: number): void {
    const { values, dictionary } = page;
    forEachValue(page, row, (at, i) => {
      this.values[at] = Number(dictionary ? dictionary[values[i] as number] : values[i]);
    });
  }
}
