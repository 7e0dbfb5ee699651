/** Reads the footer of a Parquet file, the columns and their positions, and the encoding of all its metadata. */

import { invalidMetadata, unsupported, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";

export const badFile = (what: string): ZarrError =>
  invalidMetadata(`the Parquet file is not valid: ${what}`, { code: "bad-reference" });

/** The error for features of Parquet that neither references nor plain tables use. */
export const unsupportedFeature = (what: string): ZarrError =>
  unsupported(`${what} in Parquet files are not supported`, { code: "parquet-references" });

/** Values of a column in one row group. */
export interface ColumnChunk {
  readonly start: number;
  readonly end: number;
  readonly codec: number;
}

export interface RowGroup {
  readonly rows: number;
  /** By column name. */
  readonly columns: ReadonlyMap<string, ColumnChunk>;
}

export interface Column {
  readonly type: string;
  readonly isNullable: boolean;
}

export interface Footer {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
  readonly groups: readonly RowGroup[];
  /** Strings of the writer by name, such as "pandas" and "geo". */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Limits of files with references: about 100 bytes per column and row group, and no nested columns. */
const referenceLimits = { maxBytes: 2 ** 18, isNestedAllowed: false };
const types = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/**
 * Reads the footer of a file.
 * @param file the whole file.
 * @param wanted names of the columns to read. Others may be of any type. Default: all.
 * @throws InvalidMetadata; Unsupported for encrypted files and for columns in other files.
 */
export function readFooter(
  file: Uint8Array,
  wanted: readonly string[] | undefined,
  { maxBytes, isNestedAllowed } = referenceLimits,
): Footer {
  const end = file.byteLength - 8;
  const magic = textDecoder("latin1").decode(file.subarray(Math.max(0, end + 4)));
  if (end >= 4 && magic === "PARE") throw unsupportedFeature("encrypted metadata");
  if (end < 4 || magic !== "PAR1") throw badFile("not a Parquet file");
  const length = new DataView(file.buffer, file.byteOffset + end, 4).getUint32(0, true);
  if (length > end - 4) throw badFile("its metadata is longer than the file");
  if (length > maxBytes) throw badFile(`its metadata has more than ${maxBytes} bytes`);
  const fields = new ThriftReader(file.subarray(end - length, end)).struct();
  const columns = readSchema(fields.structs(2), wanted, isNestedAllowed);
  const names = new Set(wanted ?? columns.keys());
  const rows = fields.count(3);
  const groups = fields.structs(4).map((group) => readGroup(group, columns, names, end - length));
  let [sum, bytes] = [0, 0];
  for (const group of groups) {
    sum += group.rows;
    for (const { start, end } of group.columns.values()) bytes += end - start;
  }
  if (bytes > file.byteLength) throw badFile("its columns overlap");
  if (sum !== rows) throw badFile("the rows of its row groups do not match its row count");
  return { rows, columns, groups, metadata: readMetadata(fields) };
}

function readMetadata(fields: ThriftStruct): Map<string, string> {
  const entries = fields.has(5) ? fields.structs(5) : [];
  return new Map(entries.map((entry) => [entry.text(1), entry.has(2) ? entry.text(2) : ""]));
}

function readSchema(
  schema: readonly ThriftStruct[],
  wanted: readonly string[] | undefined,
  isNestedAllowed: boolean,
): Map<string, Column> {
  const columns = new Map<string, Column>();
  /** Number of elements inside nested columns, which follow. */
  let nested = 0;
  for (const element of schema.slice(1)) {
    const children = element.number(5) > 0 ? element.count(5) : 0;
    if (children > 0 && !isNestedAllowed) throw badFile("its columns are nested");
    const isInside = nested > 0;
    nested = Math.max(0, nested - 1) + children;
    if (isInside || children > 0) continue;
    const name = element.text(4);
    if (columns.has(name)) throw badFile(`it has two columns "${name}"`);
    const repetition = element.number(3);
    if (repetition === 2) {
      if (isNestedAllowed) continue;
      if (!wanted || wanted.includes(name)) throw badFile(`its column "${name}" repeats`);
    }
    const type = types[element.number(1)];
    if (type === undefined) throw badFile(`its column "${name}" has no type`);
    columns.set(name, { type, isNullable: repetition !== 0 });
  }
  return columns;
}

function readGroup(
  group: ThriftStruct,
  schema: ReadonlyMap<string, Column>,
  wanted: ReadonlySet<string>,
  end: number,
): RowGroup {
  const columns = new Map<string, ColumnChunk>();
  for (const chunk of group.structs(1)) {
    if (chunk.has(1)) throw unsupportedFeature("columns of other files");
    if (!chunk.has(3)) throw unsupportedFeature("encrypted columns");
    const fields = chunk.struct(3);
    const path = fields.texts(3);
    const name = path.length === 1 ? path[0]! : "";
    if (wanted.has(name)) columns.set(name, readChunk(fields, end));
  }
  for (const name of wanted)
    if (schema.has(name) && !columns.has(name))
      throw badFile(`its column "${name}" is missing in a row group`);
  return { rows: group.count(3), columns };
}

/** @param end of the bytes that may hold values. */
function readChunk(fields: ThriftStruct, end: number): ColumnChunk {
  const data = fields.count(9);
  const dictionary = fields.has(11) ? fields.count(11) : 0;
  // Some writers store 0 if there is no dictionary, or an offset after the data.
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const size = fields.count(7);
  if (start < 4 || start + size > end) throw badFile("its columns lie outside the file");
  return { start, end: start + size, codec: fields.number(4) };
}

// ---- Thrift's compact protocol. Sizes are checked before memory is allocated.

type Value = boolean | number | Uint8Array | readonly Value[] | ThriftStruct;

/** A struct: values by field id. All accessors throw InvalidMetadata for missing fields and other types. */
export class ThriftStruct {
  constructor(private readonly values: Readonly<Record<number, Value>>) {}

  has(id: number): boolean {
    return this.values[id] !== undefined;
  }

  /** Returns a number; NaN if it is missing or of another type. */
  number(id: number): number {
    const value = this.values[id];
    return typeof value === "number" ? value : Number.NaN;
  }

  /** Returns a non-negative integer. */
  count(id: number): number {
    const value = this.number(id);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw badFile("its metadata has invalid counts");
  }

  /** Returns a boolean. Default: true. */
  isNotFalse(id: number): boolean {
    return this.values[id] !== false;
  }

  struct(id: number): ThriftStruct {
    return asStruct(this.values[id]);
  }

  structs(id: number): ThriftStruct[] {
    return this.#list(id).map(asStruct);
  }

  text(id: number): string {
    return asText(this.values[id]);
  }

  texts(id: number): string[] {
    return this.#list(id).map(asText);
  }

  #list(id: number): readonly Value[] {
    const value = this.values[id];
    if (Array.isArray(value)) return value;
    throw damaged();
  }
}

function asStruct(value: Value | undefined): ThriftStruct {
  if (value instanceof ThriftStruct) return value;
  throw damaged();
}

function asText(value: Value | undefined): string {
  if (value instanceof Uint8Array) return textDecoder().decode(value);
  throw damaged();
}

const damaged = () => badFile("its metadata is damaged");

/** Maximum nesting. Parquet's metadata has less than ten levels. */
const maxDepth = 32;
/** Maximum length of a 64-bit number. */
const maxVarintBytes = 10;
const maxFieldId = 0x7fff;
/** Greatest id that is kept: Parquet's are lower. Objects with large indices would take kilobytes each. */
const maxKeptId = 31;
/** Maximum number of structs, lists and strings: a column in a row group has about twenty. */
const maxObjects = 2 ** 22;

const Type = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
};

/** Reads structs that follow one another. Byte strings are views of the input. */
export class ThriftReader {
  offset = 0;
  #objects = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Reads a struct and moves past it. @throws InvalidMetadata. */
  struct(depth = 0): ThriftStruct {
    if (depth > maxDepth) throw badFile("its metadata is nested too deeply");
    const values: Record<number, Value> = {};
    for (let id = 0; ; ) {
      const head = this.#byte();
      const type = head & 15;
      if (type === Type.stop) return new ThriftStruct(values);
      id = head >> 4 === 0 ? this.#integer() : id + (head >> 4);
      if (!(id >= 0 && id <= maxFieldId)) throw damaged();
      const isBoolean = type === Type.true || type === Type.false; // of a field: in its type
      const value = isBoolean ? type === Type.true : this.#value(type, depth);
      if (id <= maxKeptId) values[id] = value;
    }
  }

  #value(type: number, depth: number): Value {
    if (type >= Type.binary && ++this.#objects > maxObjects) throw badFile("its metadata has too many parts");
    switch (type) {
      case Type.true:
      case Type.false: // of a list: a byte for each
        return this.#byte() === 1;
      case Type.byte:
        return (this.#byte() << 24) >> 24;
      case Type.i16:
      case Type.i32:
      case Type.i64:
        return this.#integer();
      case Type.double: {
        const { buffer, byteOffset } = this.#take(8);
        return new DataView(buffer, byteOffset).getFloat64(0, true);
      }
      case Type.binary:
        return this.#take(this.#varint());
      case Type.list:
        return this.#list(depth);
      case Type.struct:
        return this.struct(depth + 1);
      default:
        throw damaged();
    }
  }

  #list(depth: number): Value[] {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varint() : head >> 4;
    // Every element has at least one byte.
    if (count > this.bytes.byteLength - this.offset) throw damaged();
    if (depth > maxDepth) throw badFile("its metadata is nested too deeply");
    return Array.from({ length: count }, () => this.#value(head & 15, depth + 1));
  }

  /** Reads a signed number: its lowest bit is the sign. Numbers above 2⁵³ are rounded. */
  #integer(): number {
    const isNegative = (this.bytes[this.offset]! & 1) === 1;
    const half = Math.floor(this.#varint() / 2);
    return isNegative ? -half - 1 : half;
  }

  #varint(): number {
    let value = 0;
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw badFile("it contains a number of too many bytes");
  }

  #byte(): number {
    return this.#take(1)[0]!;
  }

  #take(count: number): Uint8Array {
    const end = this.offset + count;
    if (end > this.bytes.byteLength) throw badFile("its metadata ends too early");
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }
}
