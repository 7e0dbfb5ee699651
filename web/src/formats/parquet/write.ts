/**
 * Writes the Parquet files of kerchunk's references: flat tables of integers, strings and bytes, without compression.
 * Spec: https://parquet.apache.org/docs/file-format/
 */

import { joinBytes } from "../../util/bytes.js";
import { textEncoder } from "../../util/platform.js";

/** A column: integers of 64 bits, or strings or bytes, of which undefined ones are null. */
export type NewColumn =
  | { readonly name: string; readonly integers: readonly number[] }
  | { readonly name: string; readonly strings: readonly (string | undefined)[] }
  | { readonly name: string; readonly bytes: readonly (Uint8Array | undefined)[] };

/** Numbers of types, encodings and pages in the format. */
const int64 = 2;
const byteArray = 6;
const encodings = { plain: 0, rle: 3, dictionary: 8 } as const;
const pages = { data: 0, dictionary: 2 } as const;
const utf8 = 0;

/** Returns a file with one row group. All columns have the same length. */
export function writeParquet(columns: readonly NewColumn[]): Uint8Array {
  const magic = textEncoder().encode("PAR1");
  const parts = [magic];
  let position = magic.length;
  const rows = lengthOf(columns[0]!);
  const chunks: Field[][] = [];
  for (const column of columns) {
    const { dictionary, data } = pagesOf(column);
    const written = [...(dictionary ?? []), ...data];
    const size = written.reduce((sum, part) => sum + part.length, 0);
    const dataStart = position + (dictionary ?? []).reduce((sum, part) => sum + part.length, 0);
    chunks.push([
      [2, long(position)],
      [3, struct(columnFields(column, size, dataStart, dictionary && position))],
    ]);
    parts.push(...written);
    position += size;
  }
  const group: Field[] = [
    [1, list(structType, chunks.map(fields))],
    [2, long(position - magic.length)],
    [3, long(rows)],
  ];
  const footer = new Uint8Array(
    fields([
      [1, int(1)],
      [2, list(structType, schema(columns))],
      [3, long(rows)],
      [4, list(structType, [fields(group)])],
      [6, text("zarr-wasm")],
    ]),
  );
  return joinBytes([...parts, footer, littleEndian(footer.length, 4), magic]);
}

function valuesOf(column: NewColumn): readonly unknown[] {
  if ("integers" in column) return column.integers;
  return "strings" in column ? column.strings : column.bytes;
}

const lengthOf = (column: NewColumn): number => valuesOf(column).length;

function schema(columns: readonly NewColumn[]): number[][] {
  const root: Field[] = [
    [4, text("schema")],
    [5, int(columns.length)],
  ];
  const own = columns.map((column): Field[] => [
    [1, int("integers" in column ? int64 : byteArray)],
    [3, int("integers" in column ? 0 : 1)],
    [4, text(column.name)],
    ...("strings" in column ? [[6, int(utf8)] as const] : []),
  ]);
  return [root, ...own].map(fields);
}

function columnFields(
  column: NewColumn,
  size: number,
  data: number,
  dictionary: number | undefined,
): Field[] {
  const used = [encodings.plain, encodings.rle, ...(dictionary === undefined ? [] : [encodings.dictionary])];
  return [
    [1, int("integers" in column ? int64 : byteArray)],
    [
      2,
      list(
        intType,
        used.map((encoding) => zigzag(encoding)),
      ),
    ],
    [3, list(textType, [textBytes(column.name)])],
    [4, int(0)],
    [5, long(lengthOf(column))],
    [6, long(size)],
    [7, long(size)],
    [9, long(data)],
    ...(dictionary === undefined ? [] : [[11, long(dictionary)] as const]),
  ];
}

interface Pages {
  readonly dictionary: readonly Uint8Array<ArrayBuffer>[] | undefined;
  readonly data: readonly Uint8Array<ArrayBuffer>[];
}

/** Returns the pages of a column: strings, which repeat, have a dictionary. */
function pagesOf(column: NewColumn): Pages {
  const rows = lengthOf(column);
  if ("integers" in column) {
    const values = joinBytes(column.integers.map((value) => littleEndian(value, 8)));
    return { dictionary: undefined, data: page(values, rows, encodings.plain) };
  }
  const isSet = valuesOf(column).map((value) => (value === undefined ? 0 : 1));
  const levels = new Uint8Array(runs(isSet, 1));
  const start = [littleEndian(levels.length, 4), levels];
  if ("bytes" in column) {
    const values = plain(column.bytes.filter((value) => value !== undefined));
    return { dictionary: undefined, data: page(joinBytes([...start, ...values]), rows, encodings.plain) };
  }
  const values = column.strings.filter((value) => value !== undefined);
  const unique = [...new Set(values)];
  const indexOf = new Map(unique.map((value, index) => [value, index]));
  const indices = values.map((value) => indexOf.get(value)!);
  const width = Math.max(1, Math.ceil(Math.log2(Math.max(1, unique.length))));
  const encoded = new Uint8Array([width, ...runs(indices, Math.ceil(width / 8))]);
  return {
    dictionary: page(
      joinBytes(plain(unique.map((value) => textEncoder().encode(value)))),
      unique.length,
      encodings.plain,
      true,
    ),
    data: page(joinBytes([...start, encoded]), rows, encodings.dictionary),
  };
}

const plain = (values: readonly Uint8Array[]): Uint8Array[] =>
  values.flatMap((value) => [littleEndian(value.length, 4), value]);

/** Returns a page: its header, and its contents. */
function page(contents: Uint8Array<ArrayBuffer>, values: number, encoding: number, isDictionary = false) {
  const own: Field[] = [
    [1, int(values)],
    [2, int(encoding)],
    ...(isDictionary ? [] : [[3, int(encodings.rle)] as const, [4, int(encodings.rle)] as const]),
  ];
  const header = fields([
    [1, int(isDictionary ? pages.dictionary : pages.data)],
    [2, int(contents.length)],
    [3, int(contents.length)],
    [isDictionary ? 7 : 5, struct(own)],
  ]);
  return [new Uint8Array(header), contents];
}

/** Encodes numbers as runs of equal ones. @param width bytes of a number. */
function runs(values: readonly number[], width: number): number[] {
  const encoded: number[] = [];
  for (let at = 0; at < values.length; ) {
    let end = at + 1;
    while (end < values.length && values[end] === values[at]) end++;
    encoded.push(...varint(2 * (end - at)), ...littleEndian(values[at]!, width));
    at = end;
  }
  return encoded;
}

function littleEndian(value: number, width: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(width);
  for (let i = 0, left = value; i < width; i++, left = Math.floor(left / 256)) bytes[i] = left % 256;
  return bytes;
}

/** A field of a structure in Thrift's compact protocol. */
type Field = readonly [id: number, value: Value];
interface Value {
  readonly type: number;
  readonly bytes: readonly number[];
}

const intType = 5;
const longType = 6;
const textType = 8;
const listType = 9;
const structType = 12;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}

/** Encodes a number that is not negative. */
const zigzag = (value: number): number[] => varint(2 * value);
const int = (value: number): Value => ({ type: intType, bytes: zigzag(value) });
const long = (value: number): Value => ({ type: longType, bytes: zigzag(value) });

function textBytes(value: string): number[] {
  const bytes = textEncoder().encode(value);
  return [...varint(bytes.length), ...bytes];
}

const text = (value: string): Value => ({ type: textType, bytes: textBytes(value) });
const struct = (own: readonly Field[]): Value => ({ type: structType, bytes: fields(own) });

function list(type: number, items: readonly (readonly number[])[]): Value {
  const start = items.length < 15 ? [16 * items.length + type] : [240 + type, ...varint(items.length)];
  return { type: listType, bytes: [...start, ...items.flat()] };
}

/** Encodes the fields of a structure, in the order of their ids, which differ by less than 16. */
function fields(own: readonly Field[]): number[] {
  let last = 0;
  const encoded = own.flatMap(([id, { type, bytes }]) => {
    const header = 16 * (id - last) + type;
    last = id;
    return [header, ...bytes];
  });
  return [...encoded, 0];
}
