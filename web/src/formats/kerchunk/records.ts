/** The references of a Parquet file, in a compact form. */

import { utf8Text } from "../../util/bytes.js";
import { limitExceeded } from "../../util/errors.js";
import { uninitialised } from "../../util/platform.js";
import { readFooter } from "../parquet/footer.js";
import { Budget, type Page } from "../parquet/pages.js";
import { fillColumn, forEachValue, NumberColumn, type Sink } from "../parquet/table.js";
import { bad, type Reference } from "./place.js";

export interface RecordLimits {
  /** Maximum number of rows of a file. */
  readonly rows: number;
  /** Maximum size of a file's decompressed pages, in bytes. */
  readonly bytes: number;
}

/** The types that each column may have. */
const columnTypes: Readonly<Record<string, readonly string[]>> = {
  path: ["BYTE_ARRAY"],
  offset: ["INT64", "INT32", "DOUBLE"],
  size: ["INT64", "INT32", "DOUBLE"],
  raw: ["BYTE_ARRAY"],
};
const names = Object.keys(columnTypes);

/** References by rows. */
export class Records {
  /** @internal */
  constructor(
    readonly rows: number,
    private readonly paths: ByteColumn,
    private readonly raws: ByteColumn,
    private readonly offsets: Float64Array,
    private readonly sizes: Float64Array,
  ) {}

  /** Memory used, in bytes. */
  get byteLength(): number {
    const numbers = this.offsets.byteLength + this.sizes.byteLength;
    return this.paths.byteLength + this.raws.byteLength + numbers + 256;
  }

  /**
   * Returns the reference of a row, undefined if none is set.
   * @param key named in messages.
   * @throws InvalidMetadata.
   */
  at(row: number, key: string): Reference | undefined {
    if (row >= this.rows) throw bad(`the file for ${key} has only ${this.rows} rows`);
    const raw = this.raws.at(row);
    if (raw) return { bytes: raw.slice() };
    const path = this.paths.at(row);
    if (!path) return undefined;
    const url = utf8Text(path);
    if (url === undefined) throw bad(`${key} refers to a path that is not UTF-8`);
    const [offset, length] = [this.offsets[row] ?? 0, this.sizes[row] ?? 0];
    const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
    if (!isCount(offset) || !isCount(length) || !isCount(offset + length))
      throw bad(`${key} has an invalid range: ${length} bytes at offset ${offset}`);
    return offset === 0 && length === 0 ? { url } : { url, offset, length };
  }

  /** Targets of the references, possibly repeated. */
  *named(): Generator<string> {
    for (const path of this.paths.values()) {
      const text = utf8Text(path);
      if (text !== undefined) yield text;
    }
  }
}

/**
 * Reads a file.
 * @throws InvalidMetadata ("bad-reference"); Unsupported ("parquet-references"); LimitExceeded.
 */
export async function readRecords(file: Uint8Array, limits: RecordLimits): Promise<Records> {
  const footer = readFooter(file, names);
  const { rows, columns } = footer;
  if (rows > limits.rows)
    throw limitExceeded(`a Parquet file has ${rows} references, more than the limit of ${limits.rows}`);
  for (const [name, { type }] of columns)
    if (columnTypes[name] && !columnTypes[name].includes(type))
      throw bad(`its column "${name}" is of ${type}`);
  const budget = new Budget(limits.bytes);
  const read = async <T extends Sink>(name: string, make: (rows: number) => T) => {
    const sink = make(columns.has(name) ? rows : 0);
    return columns.has(name) ? fillColumn(file, footer, name, budget, sink) : sink;
  };
  const texts = async (name: string) => (await read(name, (count) => new ByteColumn(count))).closed();
  // An offset or a size that is missing or null is 0.
  const numbers = async (name: string) => (await read(name, (count) => new NumberColumn(count, 0))).values;
  return new Records(
    rows,
    await texts("path"),
    await texts("raw"),
    await numbers("offset"),
    await numbers("size"),
  );
}

/** Byte strings by row, stored contiguously; dictionary entries are stored once. */
class ByteColumn implements Sink {
  /** 0 for null, else 1 + the index of the entry. */
  readonly #entries: Uint32Array;
  #ends = new Uint32Array(16);
  #bytes: Uint8Array = new Uint8Array(0);
  #count = 0;
  #dictionary: Page["dictionary"];
  #dictionaryStart = 0;

  constructor(rows: number) {
    this.#entries = new Uint32Array(rows);
  }

  get byteLength(): number {
    return this.#entries.byteLength + this.#ends.byteLength + this.#bytes.byteLength;
  }

  add(page: Page, row: number): void {
    const { values, dictionary } = page;
    if (dictionary && dictionary !== this.#dictionary) {
      this.#dictionary = dictionary;
      this.#dictionaryStart = this.#append(dictionary as ArrayLike<Uint8Array>);
    }
    const start = dictionary ? this.#dictionaryStart : this.#append(values as ArrayLike<Uint8Array>);
    const entry = (i: number) => start + (dictionary ? (values[i] as number) : i);
    forEachValue(page, row, (at, i) => {
      this.#entries[at] = entry(i) + 1;
    });
  }

  /** Releases excess capacity. */
  closed(): this {
    this.#dictionary = undefined;
    this.#ends = this.#ends.slice(0, this.#count);
    this.#bytes = this.#bytes.slice(0, this.#end);
    return this;
  }

  at(row: number): Uint8Array | undefined {
    const entry = this.#entries[row];
    return entry ? this.#entry(entry - 1) : undefined;
  }

  *values(): Generator<Uint8Array> {
    for (let i = 0; i < this.#count; i++) yield this.#entry(i);
  }

  get #end(): number {
    return this.#count === 0 ? 0 : this.#ends[this.#count - 1]!;
  }

  #entry(i: number): Uint8Array {
    return this.#bytes.subarray(i === 0 ? 0 : this.#ends[i - 1], this.#ends[i]);
  }

  /** @returns the index of the first value. */
  #append(values: ArrayLike<Uint8Array>): number {
    const first = this.#count;
    let end = this.#end;
    const ends = Array.from(values, ({ byteLength }) => (end += byteLength));
    this.#bytes = grown(this.#bytes, end, (size) => uninitialised(size));
    this.#ends = grown(this.#ends, first + ends.length, (size) => new Uint32Array(size));
    this.#ends.set(ends, first);
    for (let i = 0; i < ends.length; i++) this.#bytes.set(values[i]!, ends[i]! - values[i]!.byteLength);
    this.#count += ends.length;
    return first;
  }
}

/** Returns the array, or a longer copy if it is too short. */
function grown<T extends Uint8Array | Uint32Array>(array: T, length: number, make: (length: number) => T): T {
  if (length <= array.length) return array;
  const longer = make(Math.max(length, array.length * 2));
  longer.set(array);
  return longer;
}
