/** What a Parquet file says of itself: its columns, and where they are. */

import { textDecoder } from "../../util/platform.js";
import { deserializeTCompactProtocol, type Reader, type ThriftStruct } from "../../vendor/hyparquet.js";
import { bad, notHere } from "./fields.js";

/** Of a column, the values of one group of rows. */
export interface ColumnChunk {
  readonly start: number;
  readonly end: number;
  readonly codec: number;
}

export interface RowGroup {
  readonly rows: number;
  /** By the names of columns. */
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

/** Most bytes of it: those of references have some hundred per column and group of rows. */
const maxFooter = 2 ** 18;
const types = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/**
 * Reads the end of a file.
 * @param file all of it.
 * @param wanted names of the columns that matter; others may be anything that lies flat.
 * @throws InvalidMetadata; Unsupported for files that are encrypted or whose columns are in others.
 */
export function readFooter(file: Uint8Array, wanted: readonly string[]): Footer {
  const end = file.byteLength - 8;
  const magic = textDecoder("latin1").decode(file.subarray(Math.max(0, end + 4)));
  if (end >= 4 && magic === "PARE") throw notHere("encrypted metadata");
  if (end < 4 || magic !== "PAR1") throw bad("it is no Parquet file");
  const length = new DataView(file.buffer, file.byteOffset + end, 4).getUint32(0, true);
  if (length > end - 4) throw bad("its metadata does not fit into it");
  if (length > maxFooter) throw bad(`its metadata has more than ${maxFooter} bytes`);
  const fields = deserializeTCompactProtocol(structReader(file.subarray(end - length, end)));
  const columns = readSchema(listOf(fields, 2), wanted);
  const rows = countOf(fields, 3);
  const groups = listOf(fields, 4).map((group) => readGroup(structOf(group), columns, wanted, end - length));
  let sum = 0;
  for (const group of groups) sum += group.rows;
  if (sum !== rows) throw bad("its groups do not have the rows that it says it has");
  return { rows, columns, groups };
}

function readSchema(schema: readonly unknown[], wanted: readonly string[]): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const element of schema.slice(1).map(structOf)) {
    if (element["field_5"]) throw bad("its columns lie in one another");
    const name = textOf(element, 4);
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
  for (const chunk of listOf(group, 1).map(structOf)) {
    if (chunk["field_1"] !== undefined) throw notHere("columns of other files");
    if (chunk["field_3"] === undefined) throw notHere("encrypted columns");
    const fields = structOf(chunk["field_3"]);
    const path = listOf(fields, 3);
    const name = path.length === 1 ? decoded(path[0]) : "";
    if (wanted.includes(name)) columns.set(name, readChunk(fields, end));
  }
  for (const name of wanted)
    if (schema.has(name) && !columns.has(name)) throw bad(`its column "${name}" is not everywhere`);
  return { rows: countOf(group, 3), columns };
}

/** @param end of what may hold values. */
function readChunk(fields: ThriftStruct, end: number): ColumnChunk {
  const data = countOf(fields, 9);
  const dictionary = fields["field_11"] === undefined ? 0 : countOf(fields, 11);
  // Some writers say 0 where there is none, or have it behind what they name first.
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const size = countOf(fields, 7);
  if (start < 4 || start + size > end) throw bad("its columns lie outside of it");
  return { start, end: start + size, codec: Number(fields["field_4"]) };
}

function structOf(value: unknown): ThriftStruct {
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !Array.isArray(value))
    return value as ThriftStruct;
  throw bad("its metadata is damaged");
}

function listOf(struct: ThriftStruct, field: number): readonly unknown[] {
  const list = struct[`field_${field}`];
  if (Array.isArray(list)) return list;
  throw bad("its metadata is damaged");
}

function countOf(struct: ThriftStruct, field: number): number {
  const value = struct[`field_${field}`];
  const count = typeof value === "bigint" ? Number(value) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw bad("its metadata has counts that are none");
}

const textOf = (struct: ThriftStruct, field: number): string => decoded(struct[`field_${field}`]);

function decoded(bytes: unknown): string {
  if (bytes instanceof Uint8Array) return textDecoder().decode(bytes);
  throw bad("its metadata is damaged");
}

/** A number of 64 bits takes ten bytes, and what stands around it in a struct a few more. */
const mostInRow = 32;

/** Which TypeScript's types let no class extend. */
const View = DataView as new (buffer: ArrayBufferLike, offset: number, length: number) => DataView;

/** hyparquet puts numbers together at a cost that grows with the square of their length, and reads on as long as they do. */
class GuardedView extends View {
  #run = 0;

  override getUint8(at: number): number {
    const byte = super.getUint8(at);
    this.#run = byte < 0x80 ? 0 : this.#run + 1;
    if (this.#run > mostInRow) throw bad("it has a number that is too long");
    return byte;
  }
}

/** A reader of structs. */
export const structReader = (bytes: Uint8Array): Reader => ({
  view: new GuardedView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});
