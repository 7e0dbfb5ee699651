/**
 * The header of NetCDF-3 files: classic, 64-bit offset and 64-bit data (CDF-1, 2 and 5).
 * Spec: https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
 */

import { isZarrError, limitExceeded } from "../../util/errors.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { minBlock } from "../file/blocks.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import type { FileContext } from "../file/model.js";

export interface Dimension {
  readonly name: string;
  /** 0 for the dimension of records. */
  readonly length: number;
}

export interface Attribute {
  readonly name: string;
  readonly type: NumberType;
  readonly count: number;
  /** The values, in big-endian order. */
  readonly bytes: Uint8Array;
}

export interface Variable {
  readonly name: string;
  readonly dimensions: readonly Dimension[];
  readonly attributes: readonly Attribute[];
  readonly type: NumberType;
  /** Position of the first element. */
  readonly offset: number;
}

export interface Header {
  /** Number of records; undefined if the writer did not know it. */
  readonly records: number | undefined;
  readonly attributes: readonly Attribute[];
  readonly variables: readonly Variable[];
}

export interface NumberType {
  /** Name of the data type; "char" for characters. */
  readonly name: string;
  readonly bytes: number;
  /** The value that the NetCDF library writes where the program has written none. */
  readonly fill: string;
}

/** Types by their number, which starts at 1: name, size and fill value. */
const types = `int8 1 -127,char 1 0,int16 2 -32767,int32 4 -2147483647,float32 4 9.969209968386869e36,
float64 8 9.969209968386869e36,uint8 1 255,uint16 2 65535,uint32 4 4294967295,int64 8 -9223372036854775806,
uint64 8 18446744073709551614`
  .split(",")
  .map((row): NumberType => {
    const [name, bytes, fill] = row.trim().split(" ") as [string, string, string];
    return { name, bytes: Number(bytes), fill };
  });

/** Reads the header, in parts of growing size. @throws InvalidMetadata ("bad-file"), LimitExceeded. */
export async function readHeader(
  { name, blocks, limits }: FileContext,
  signal: AbortSignal | undefined,
): Promise<Header> {
  let bytes = await blocks.head(minBlock, signal);
  for (;;) {
    const cursor = new Cursor(bytes, `the header of ${name}`, false);
    try {
      return await inSlices(new HeaderReader(cursor).header(), signal);
    } catch (error) {
      const isWhole = bytes.byteLength < minBlock || bytes.byteLength === blocks.fileSize;
      if (!isZarrError(error, "InvalidMetadata") || !cursor.isShort || isWhole) throw error;
    }
    const limit = limits.metadataBytes;
    if (bytes.byteLength >= limit) throw limitExceeded(`the header of ${name} exceeds ${limit} bytes`);
    const size = Math.min(4 * bytes.byteLength, blocks.fileSize ?? limit, limit);
    bytes = await blocks.read(0, size, signal);
  }
}

/** Tags of lists. */
const tags = { dimensions: 10, variables: 11, attributes: 12 } as const;

/** Maximum number of dimensions, attributes and variables, and of the dimensions of variables. */
const maxItems = 2 ** 19;

class HeaderReader {
  #items = 0;
  /** Whether counts and lengths have 64 bits. */
  #isWide = false;
  #hasLongOffsets = false;

  constructor(private readonly cursor: Cursor) {}

  *header(): Steps<Header> {
    this.cursor.skip(3);
    const version = this.cursor.u8();
    this.#isWide = version === 5;
    this.#hasLongOffsets = version !== 1;
    const records = this.#records();
    const dimensions = yield* this.#list(tags.dimensions, () => ({
      name: this.#name(),
      length: this.#size(),
    }));
    if (dimensions.filter(({ length }) => length === 0).length > 1)
      throw badFile(`${this.cursor.what} has several dimensions of records`);
    const attributes = yield* this.#list(tags.attributes, () => this.#attribute());
    const variables: Variable[] = [];
    for (let left = this.#count(tags.variables); left > 0; left--, this.#addItem())
      variables.push(yield* this.#variable(dimensions));
    return { records, attributes, variables };
  }

  #records(): number | undefined {
    const text = this.#isWide ? this.cursor.big64() : BigInt(this.cursor.u32());
    if (text === (this.#isWide ? 2n ** 64n - 1n : 2n ** 32n - 1n)) return undefined;
    if (text > BigInt(Number.MAX_SAFE_INTEGER)) throw badFile(`${this.cursor.what} has ${text} records`);
    return Number(text);
  }

  *#list<T>(tag: number, read: () => T): Steps<T[]> {
    const items: T[] = [];
    for (let left = this.#count(tag); left > 0; left--) {
      this.#addItem();
      items.push(read());
      yield;
    }
    return items;
  }

  #addItem(): void {
    if (++this.#items > maxItems)
      throw limitExceeded(`${this.cursor.what} has more than ${maxItems} dimensions, attributes and variables`);
  }

  /** Reads the start of a list. @returns its length. */
  #count(tag: number): number {
    const found = this.cursor.u32();
    const count = this.#size();
    if (found !== tag && (found !== 0 || count !== 0))
      throw badFile(`${this.cursor.what} has the tag ${found} instead of ${tag}`);
    return count;
  }

  #size(): number {
    return this.#isWide ? this.cursor.u64() : this.cursor.u32();
  }

  /** Reads bytes that are filled up to a multiple of four. */
  #padded(length: number): Uint8Array {
    const bytes = this.cursor.take(length);
    this.cursor.skip((4 - (length % 4)) % 4);
    return bytes;
  }

  #name(): string {
    return textOf(this.#padded(this.#size()));
  }

  #type(): NumberType {
    const number = this.cursor.u32();
    const found = types[number - 1];
    if (found) return found;
    throw badFile(`${this.cursor.what} has the type ${number}`);
  }

  #attribute(): Attribute {
    const name = this.#name();
    const type = this.#type();
    const count = this.#size();
    return { name, type, count, bytes: this.#padded(count * type.bytes) };
  }

  *#variable(known: readonly Dimension[]): Steps<Variable> {
    const name = this.#name();
    const dimensions: Dimension[] = [];
    for (let left = this.#size(); left > 0; left--) {
      this.#addItem();
      const index = this.#size();
      const dimension = known[index];
      if (!dimension) throw badFile(`variable "${name}" has the dimension ${index}, which does not exist`);
      if (dimension.length === 0 && dimensions.length > 0)
        throw badFile(`variable "${name}" has the dimension of records after others`);
      dimensions.push(dimension);
    }
    const attributes = yield* this.#list(tags.attributes, () => this.#attribute());
    const type = this.#type();
    this.#size(); // the size of the variable: too small for long ones, so it is computed instead
    const offset = this.#hasLongOffsets ? this.cursor.u64() : this.cursor.u32();
    yield;
    return { name, dimensions, attributes, type, offset };
  }
}
