/** Reads the footer of a Parquet file: its columns and their positions. */

import { textDecoder } from "../../util/platform.js";
import { badFile, unsupportedFeature } from "./fields.js";
import { ThriftReader, type ThriftStruct } from "./thrift.js";

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
