/** Reads the footer of a Parquet file: its columns and their positions. */

import { textDecoder } from "../../util/platform.js";
import { deserializeTCompactProtocol, type Reader, type ThriftStruct } from "../../vendor/hyparquet.js";
import { bad, unsupportedFeature } from "./fields.js";

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
}

/** Maximum size of the footer, in bytes. Those of references have about 100 per column and row group. */
const maxFooter = 2 ** 18;
const types = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/**
 * Reads the footer of a file.
 * @param file the whole file.
 * @param wanted names of the columns to read. Others may be of any type, but not nested.
 * @throws InvalidMetadata; Unsupported for encrypted files and for columns in other files.
 */
export function readFooter(file: Uint8Array, wanted: readonly string[]): Footer {
  const end = file.byteLength - 8;
  const magic = textDecoder("latin1").decode(file.subarray(Math.max(0, end + 4)));
  if (end >= 4 && magic === "PARE") throw unsupportedFeature("encrypted metadata");
  if (end < 4 || magic !== "PAR1") throw bad("not a Parquet file");
  const length = new DataView(file.buffer, file.byteOffset + end, 4).getUint32(0, true);
  if (length > end - 4) throw bad("its metadata is longer than the file");
  if (length > maxFooter) throw bad(`its metadata has more than ${maxFooter} bytes`);
  const fields = deserializeTCompactProtocol(structReader(file.subarray(end - length, end)));
  const columns = readSchema(listField(fields, 2), wanted);
  const rows = countField(fields, 3);
  const groups = listField(fields, 4).map((group) =>
    readGroup(asStruct(group), columns, wanted, end - length),
  );
  let sum = 0;
  for (const group of groups) sum += group.rows;
  if (sum !== rows) throw bad("the rows of its row groups do not match its row count");
  return { rows, columns, groups };
}

function readSchema(schema: readonly unknown[], wanted: readonly string[]): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const element of schema.slice(1).map(asStruct)) {
    if (element["field_5"]) throw bad("its columns are nested");
    const name = textField(element, 4);
    if (columns.has(name)) throw bad(`it has two columns "${name}"`);
    const repetition = element["field_3"];
    if (repetition === 2 && wanted.includes(name)) throw bad(`its column "${name}" repeats`);
    const type = types[element["field_1"] as number];
    if (type === undefined) throw bad(`its column "${name}" has no type`);
    columns.set(name, { type, isNullable: repetition !== 0 });
  }
  return columns;
}

function readGroup(
  group: ThriftStruct,
  schema: ReadonlyMap<string, Column>,
  wanted: readonly string[],
  end: number,
): RowGroup {
  const columns = new Map<string, ColumnChunk>();
  for (const chunk of listField(group, 1).map(asStruct)) {
    if (chunk["field_1"] !== undefined) throw unsupportedFeature("columns of other files");
    if (chunk["field_3"] === undefined) throw unsupportedFeature("encrypted columns");
    const fields = asStruct(chunk["field_3"]);
    const path = listField(fields, 3);
    const name = path.length === 1 ? decoded(path[0]) : "";
    if (wanted.includes(name)) columns.set(name, readChunk(fields, end));
  }
  for (const name of wanted)
    if (schema.has(name) && !columns.has(name)) throw bad(`its column "${name}" is missing in a row group`);
  return { rows: countField(group, 3), columns };
}

/** @param end of the bytes that may hold values. */
function readChunk(fields: ThriftStruct, end: number): ColumnChunk {
  const data = countField(fields, 9);
  const dictionary = fields["field_11"] === undefined ? 0 : countField(fields, 11);
  // Some writers store 0 if there is no dictionary, or an offset after the data.
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const size = countField(fields, 7);
  if (start < 4 || start + size > end) throw bad("its columns lie outside the file");
  return { start, end: start + size, codec: Number(fields["field_4"]) };
}

function asStruct(value: unknown): ThriftStruct {
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !Array.isArray(value))
    return value as ThriftStruct;
  throw bad("its metadata is damaged");
}

function listField(struct: ThriftStruct, field: number): readonly unknown[] {
  const list = struct[`field_${field}`];
  if (Array.isArray(list)) return list;
  throw bad("its metadata is damaged");
}

function countField(struct: ThriftStruct, field: number): number {
  const value = struct[`field_${field}`];
  const count = typeof value === "bigint" ? Number(value) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw bad("its metadata has invalid counts");
}

const textField = (struct: ThriftStruct, field: number): string => decoded(struct[`field_${field}`]);

function decoded(bytes: unknown): string {
  if (bytes instanceof Uint8Array) return textDecoder().decode(bytes);
  throw bad("its metadata is damaged");
}

/** Maximum number of consecutive bytes with the high bit set. A 64-bit varint has ten bytes. */
const maxVarintBytes = 32;

/** TypeScript's type of DataView cannot be extended. */
const View = DataView as new (buffer: ArrayBufferLike, offset: number, length: number) => DataView;

/** Limits the length of varints: hyparquet's time to read one grows with the square of its length, without a limit. */
class GuardedView extends View {
  #run = 0;

  override getUint8(at: number): number {
    const byte = super.getUint8(at);
    this.#run = byte < 0x80 ? 0 : this.#run + 1;
    if (this.#run > maxVarintBytes) throw bad("it contains a number of too many bytes");
    return byte;
  }
}

/** Returns a reader of Thrift structs. */
export const structReader = (bytes: Uint8Array): Reader => ({
  view: new GuardedView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});
