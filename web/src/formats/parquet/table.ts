/** Reads columns of Parquet files: tables, and geometries in GeoParquet. */
import { limitExceeded } from "../../util/errors.js";
import { type Footer, readFooter } from "./footer.js";
import { Budget, type Page, readPages } from "./pages.js";

/** A column by rows: numbers (NaN for null), or byte strings as indices into `entries` (−1 for null). */
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
  /** Names of the columns to read. Missing ones are ignored. Default: all in `names`. */
  columns?: readonly string[] | undefined;
  /** Maximum number of rows. Default: 10,000,000. */
  maxRows?: number | undefined;
  /** Maximum memory for values: decompressed bytes, 8 per row and column, and 64 per byte string. Default: 1 GiB. */
  maxBytes?: number | undefined;
}

/** Maximum size of the footer, in bytes: pandas and GeoParquet add descriptions of all columns. */
const maxFooter = 2 ** 24;
const readable = ["INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"];

/** See `readParquet`. */
export async function readTable(file: Uint8Array, options: ParquetOptions = {}): Promise<ParquetTable> {
  const { columns, maxRows = 10_000_000, maxBytes = 2 ** 30 } = options;
  const footer = readFooter(file, columns, { maxBytes: maxFooter, isNestedAllowed: true });
  if (footer.rows > maxRows)
    throw limitExceeded(`a Parquet file has ${footer.rows} rows, more than the limit of ${maxRows}`);
  const names = [...footer.columns].flatMap(([name, { type }]) => (readable.includes(type) ? [name] : []));
  const known = new Set(names);
  const budget = new Budget(maxBytes);
  const found = new Map<string, ParquetColumn>();
  for (const name of columns ?? names)
    if (known.has(name)) found.set(name, await readColumn(file, footer, name, budget));
  return { rows: footer.rows, names, columns: found, metadata: footer.metadata };
}

async function readColumn(
  file: Uint8Array,
  { groups, columns, rows }: Footer,
  name: string,
  budget: Budget,
): Promise<ParquetColumn> {
  const column = columns.get(name)!;
  budget.take(8 * rows);
  const sink = column.type === "BYTE_ARRAY" ? new ByteSink(rows) : new NumberSink(rows);
  let row = 0;
  for (const group of groups) {
    const chunk = group.columns.get(name)!;
    let at = row;
    for await (const page of readPages(
      file.subarray(chunk.start, chunk.end),
      chunk,
      column,
      group.rows,
      budget,
    )) {
      sink.add(page, at);
      at += page.rows;
    }
    row += group.rows;
  }
  return sink.column;
}

/** Calls `call` for each row with a value, with the index of the value. */
function eachValue({ rows, levels }: Page, row: number, call: (row: number, value: number) => void): void {
  let value = 0;
  for (let i = 0; i < rows; i++) if (!levels || levels[i] === 1) call(row + i, value++);
}

class NumberSink {
  readonly #values: Float64Array;

  constructor(rows: number) {
    this.#values = new Float64Array(rows).fill(Number.NaN);
  }

  add(page: Page, row: number): void {
    const { values, dictionary } = page;
    eachValue(page, row, (at, i) => {
      this.#values[at] = Number(dictionary ? dictionary[values[i] as number] : values[i]);
    });
  }

  get column(): ParquetColumn {
    return { kind: "numbers", values: this.#values };
  }
}

class ByteSink {
  readonly #codes: Int32Array;
  readonly #entries: Uint8Array[] = [];
  #dictionary: Page["dictionary"];
  #start = 0;

  constructor(rows: number) {
    this.#codes = new Int32Array(rows).fill(-1);
  }

  add(page: Page, row: number): void {
    const { values, dictionary } = page;
    if (!dictionary || dictionary !== this.#dictionary) {
      this.#start = this.#entries.length;
      for (const entry of (dictionary ?? values) as Iterable<Uint8Array>) this.#entries.push(entry);
    }
    this.#dictionary = dictionary;
    eachValue(page, row, (at, i) => {
      this.#codes[at] = this.#start + (dictionary ? (values[i] as number) : i);
    });
  }

  get column(): ParquetColumn {
    return { kind: "bytes", codes: this.#codes, entries: this.#entries };
  }
}
