/** The pages of a column: unpacked by the core, their headers and plain values read by hyparquet, all of it checked. */
import {
  deserializeTCompactProtocol,
  type PageHeader,
  type PlainValues,
  parquetHeader,
  type Reader,
  readPlain,
  type ThriftStruct,
} from "../../vendor/hyparquet.js";
import { bad } from "./fields.js";
import type { Column, ColumnChunk } from "./footer.js";
import { structReader } from "./reader.js";
import { readRuns } from "./runs.js";
import { type Budget, notHere, unpack } from "./unpack.js";

/** The values of some rows of a column. */
export interface Page {
  readonly rows: number;
  /** For each row 1 where it has a value, 0 where it is null; undefined where all have one. */
  readonly levels: Uint32Array | undefined;
  /** Of the rows that have one: the value, or where it stands in the dictionary. */
  readonly values: PlainValues | Uint32Array;
  /** Undefined where the values themselves are there. */
  readonly dictionary: PlainValues | undefined;
}

/** What a page says of its values, wherever it says so. */
interface PageParts {
  readonly encoding: string | undefined;
  readonly rows: number;
  readonly levels: Uint32Array | undefined;
  /** The values, without compression, from `start`. */
  readonly bytes: Uint8Array;
  readonly start: number;
}

/**
 * Reads a column.
 * @param bytes the pages of one group of rows.
 * @param rows how many there are.
 * @throws InvalidMetadata; Unsupported; LimitExceeded.
 */
export async function* readPages(
  bytes: Uint8Array,
  { codec }: ColumnChunk,
  column: Column,
  rows: number,
  budget: Budget,
): AsyncGenerator<Page> {
  const reader = structReader(bytes);
  const open = (packed: Uint8Array, size: number) => unpack(packed, codec, size, budget);
  let dictionary: PlainValues | undefined;
  for (let seen = 0; seen < rows; ) {
    if (reader.offset >= bytes.byteLength) throw bad("a column ends too early");
    const header = headerAt(reader);
    const size = countOf(header.compressed_page_size);
    if (reader.offset + size > bytes.byteLength) throw bad("a page does not fit into it");
    const packed = bytes.subarray(reader.offset, reader.offset + size);
    reader.offset += size;
    if (header.type === "DICTIONARY_PAGE") dictionary = await readDictionary(header, packed, column, open);
    else if (header.type !== "INDEX_PAGE") {
      const parts = await partsOf(header, packed, column, rows - seen, open);
      seen += parts.rows;
      yield valuesOf(parts, column, dictionary);
    }
  }
}

/** Reads the header of a page. hyparquet gives encodings their names; one that has none is called by its number. */
function headerAt(reader: Reader): PageHeader {
  const fields = deserializeTCompactProtocol({ view: reader.view, offset: reader.offset });
  const header = parquetHeader(reader);
  const { data_page_header: first, data_page_header_v2: second } = header;
  const named = (name: string | undefined, own: unknown, field: number) =>
    name ?? `encoding ${(own as ThriftStruct)[`field_${field}`]}`;
  const { field_5: v1, field_8: v2 } = fields;
  if (first) {
    const levels = named(first.definition_level_encoding, v1, 3);
    const own = { ...first, encoding: named(first.encoding, v1, 2), definition_level_encoding: levels };
    return { ...header, data_page_header: own };
  }
  if (!second) return header;
  return { ...header, data_page_header_v2: { ...second, encoding: named(second.encoding, v2, 4) } };
}

type Open = (packed: Uint8Array, size: number) => Promise<Uint8Array>;

async function readDictionary(
  header: PageHeader,
  packed: Uint8Array,
  column: Column,
  open: Open,
): Promise<PlainValues> {
  const count = countOf(header.dictionary_page_header?.num_values);
  return plainIn(await open(packed, header.uncompressed_page_size), 0, column, count);
}

/** @param most rows that the page may have. */
async function partsOf(
  header: PageHeader,
  packed: Uint8Array,
  column: Column,
  most: number,
  open: Open,
): Promise<PageParts> {
  const { type, uncompressed_page_size: size, data_page_header: first, data_page_header_v2: second } = header;
  if (type === "DATA_PAGE" && first) {
    const rows = rowsOf(first.num_values, most);
    const bytes = await open(packed, size);
    return {
      rows,
      encoding: first.encoding,
      bytes,
      ...levelsBefore(bytes, first.definition_level_encoding, column, rows),
    };
  }
  if (type !== "DATA_PAGE_V2" || !second) throw bad("it has a page of no known kind");
  const rows = rowsOf(second.num_values, most);
  const length = countOf(second.definition_levels_byte_length);
  if (second.repetition_levels_byte_length || length > packed.byteLength)
    throw bad("it has levels that do not fit");
  const levels = column.isNullable ? readRuns(packed.subarray(0, length), 0, 1, rows) : undefined;
  const body = packed.subarray(length);
  const bytes = second.is_compressed ? await open(body, size - length) : new Uint8Array(body);
  return { rows, encoding: second.encoding, bytes, levels, start: 0 };
}

/** The levels at the beginning of a page, with their length before them. */
function levelsBefore(
  bytes: Uint8Array,
  encoding: string | undefined,
  column: Column,
  rows: number,
): { levels: Uint32Array | undefined; start: number } {
  if (!column.isNullable) return { levels: undefined, start: 0 };
  if (encoding !== "RLE") throw notHere(`levels as ${encoding}`);
  if (bytes.byteLength < 4) throw bad("it has levels that do not fit");
  const start = 4 + new DataView(bytes.buffer).getUint32(0, true);
  if (start > bytes.byteLength) throw bad("it has levels that do not fit");
  return { levels: readRuns(bytes.subarray(0, start), 4, 1, rows), start };
}

function valuesOf(parts: PageParts, column: Column, dictionary: PlainValues | undefined): Page {
  const { rows, levels, bytes, start, encoding } = parts;
  let count = rows;
  for (const level of levels ?? []) if (level === 0) count--;
  // Writers choose for no values what they like.
  if (count === 0) return { rows, levels, values: new Uint32Array(0), dictionary: undefined };
  if (encoding === "PLAIN")
    return { rows, levels, values: plainIn(bytes, start, column, count), dictionary: undefined };
  if (encoding !== "PLAIN_DICTIONARY" && encoding !== "RLE_DICTIONARY")
    throw notHere(`values as ${encoding}`);
  if (!dictionary) throw bad("it has no dictionary for its values");
  const width = bytes[start] ?? 255;
  if (width > 32) throw bad("it has runs of values that do not fit");
  const values = readRuns(bytes, start + 1, width, count);
  for (const value of values)
    if (value >= dictionary.length) throw bad("it has a value that its dictionary lacks");
  return { rows, levels, values, dictionary };
}

/** Values side by side. @param bytes whose buffer holds nothing else: the values may claim more than there is. */
function plainIn(bytes: Uint8Array, start: number, { type }: Column, count: number): PlainValues {
  // The least that one takes, of the types that references have.
  if (count * (type === "BYTE_ARRAY" ? 4 : type === "INT32" ? 4 : 8) > bytes.byteLength - start)
    throw bad("it has more values than there is room for");
  return readPlain({ view: new DataView(bytes.buffer), offset: start }, type, count);
}

function rowsOf(count: number, most: number): number {
  if (countOf(count) === 0 || count > most) throw bad("its pages do not have the rows that it says it has");
  return count;
}

function countOf(value: number | undefined): number {
  if (Number.isSafeInteger(value) && value! >= 0) return value!;
  throw bad("a page has a header that is not valid");
}
