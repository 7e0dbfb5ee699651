/** Reads the pages of a column. All claims of the file are checked before memory is allocated. */

import { decodeBytes } from "../../engine/bytes.js";
import type { ChainStep } from "../../engine/plan.js";
import { isZarrError, limitExceeded } from "../../util/errors.js";
import {
  badFile,
  type Column,
  type ColumnChunk,
  ThriftReader,
  type ThriftStruct,
  unsupportedFeature,
} from "./footer.js";

/** Byte strings, or numbers. */
export type PlainValues = readonly Uint8Array[] | Float64Array;

/** The values of some rows of a column. */
export interface Page {
  readonly rows: number;
  /** For each row, 1 for a value and 0 for null; undefined if all rows have values. */
  readonly levels: Uint32Array | undefined;
  /** Values of the rows that are not null, or their positions in the dictionary. */
  readonly values: PlainValues | Uint32Array;
  /** Undefined if `values` are not positions. */
  readonly dictionary: PlainValues | undefined;
}

/** The fields that both versions of page headers have. */
interface PageParts {
  /** Number of the encoding. */
  readonly encoding: number;
  readonly rows: number;
  readonly levels: Uint32Array | undefined;
  /** Decompressed bytes; values begin at `start`. */
  readonly bytes: Uint8Array;
  readonly start: number;
}

/**
 * Reads a column.
 * @param bytes the pages of one row group.
 * @param rows number of rows in the group.
 * @throws InvalidMetadata; Unsupported; LimitExceeded.
 */
export async function* readPages(
  bytes: Uint8Array,
  { codec }: ColumnChunk,
  column: Column,
  rows: number,
  budget: Budget,
): AsyncGenerator<Page> {
  const reader = new ThriftReader(bytes);
  const open = (packed: Uint8Array, size: number) => decompress(packed, codec, size, budget);
  let dictionary: PlainValues | undefined;
  for (let seen = 0; seen < rows; ) {
    if (reader.offset >= bytes.byteLength) throw badFile("a column ends too early");
    const header = reader.struct();
    const size = header.count(3);
    if (reader.offset + size > bytes.byteLength) throw badFile("a page extends beyond its column");
    const packed = bytes.subarray(reader.offset, reader.offset + size);
    reader.offset += size;
    const kind = header.number(1);
    if (kind === PageKind.dictionary) {
      const count = header.struct(7).count(1);
      dictionary = readPlain(await open(packed, header.number(2)), 0, column, count, budget);
    } else if (kind !== PageKind.index) {
      const parts = await readDataPage(header, packed, column, rows - seen, open);
      seen += parts.rows;
      yield readValues(parts, column, dictionary, budget);
    }
  }
}

/** Values of the field "type" of page headers. */
const PageKind = { data: 0, index: 1, dictionary: 2, dataV2: 3 };

/** Encodings by number. */
const encodings = [
  ...["PLAIN", undefined, "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED"],
  ...["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"],
];
const encodingName = (encoding: number): string => encodings[encoding] ?? `encoding ${encoding}`;

type Open = (packed: Uint8Array, size: number) => Promise<Uint8Array>;

/** @param maxRows maximum number of rows. */
async function readDataPage(
  header: ThriftStruct,
  packed: Uint8Array,
  column: Column,
  maxRows: number,
  open: Open,
): Promise<PageParts> {
  const size = header.number(2);
  if (header.number(1) === PageKind.data) {
    const fields = header.struct(5);
    const rows = checkRows(fields.count(1), maxRows);
    const bytes = await open(packed, size);
    return {
      rows,
      encoding: fields.number(2),
      bytes,
      ...levelsBefore(bytes, encodingName(fields.number(3)), column, rows),
    };
  }
  if (header.number(1) !== PageKind.dataV2) throw badFile("a page has an unknown type");
  const fields = header.struct(8);
  const rows = checkRows(fields.count(1), maxRows);
  const length = fields.count(5);
  if (fields.count(6) > 0 || length > packed.byteLength) throw badFile("a page has truncated levels");
  const levels = column.isNullable ? readRuns(packed.subarray(0, length), 0, 1, rows) : undefined;
  const body = packed.subarray(length);
  const bytes = fields.isNotFalse(7) ? await open(body, size - length) : body;
  return { rows, encoding: fields.number(4), bytes, levels, start: 0 };
}

/** Reads the levels at the start of a page, which follow their length. */
function levelsBefore(
  bytes: Uint8Array,
  encoding: string,
  column: Column,
  rows: number,
): { levels: Uint32Array | undefined; start: number } {
  if (!column.isNullable) return { levels: undefined, start: 0 };
  if (encoding !== "RLE") throw unsupportedFeature(`levels as ${encoding}`);
  if (bytes.byteLength < 4) throw badFile("a page has truncated levels");
  const start = 4 + numberAt(bytes, 0, 4);
  if (start > bytes.byteLength) throw badFile("a page has truncated levels");
  return { levels: readRuns(bytes.subarray(0, start), 4, 1, rows), start };
}

function readValues(
  parts: PageParts,
  column: Column,
  dictionary: PlainValues | undefined,
  budget: Budget,
): Page {
  const { rows, levels, bytes, start } = parts;
  const encoding = encodingName(parts.encoding);
  let count = rows;
  for (const level of levels ?? []) if (level === 0) count--;
  // Writers choose any encoding for no values.
  if (count === 0) return { rows, levels, values: new Uint32Array(0), dictionary: undefined };
  if (encoding === "PLAIN")
    return { rows, levels, values: readPlain(bytes, start, column, count, budget), dictionary: undefined };
  if (encoding !== "PLAIN_DICTIONARY" && encoding !== "RLE_DICTIONARY")
    throw unsupportedFeature(`values as ${encoding}`);
  if (!dictionary) throw badFile("a page refers to a missing dictionary");
  const width = bytes[start] ?? 255;
  if (width > 32) throw badFile("a page has runs of invalid width");
  const values = readRuns(bytes, start + 1, width, count);
  for (const value of values)
    if (value >= dictionary.length) throw badFile("a page has a value outside its dictionary");
  return { rows, levels, values, dictionary };
}

type NumberReader = (view: DataView, at: number) => number;

/** Numbers by type: their sizes in bytes, and functions that read them. */
const numbers: Readonly<Record<string, readonly [size: number, read: NumberReader]>> = {
  INT32: [4, (view, at) => view.getInt32(at, true)],
  INT64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  FLOAT: [4, (view, at) => view.getFloat32(at, true)],
  DOUBLE: [8, (view, at) => view.getFloat64(at, true)],
};

/** Reads consecutive values. */
function readPlain(
  bytes: Uint8Array,
  start: number,
  { type }: Column,
  count: number,
  budget: Budget,
): PlainValues {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [size, read] = numbers[type] ?? [4];
  if (count * size > bytes.byteLength - start) throw badFile("a page has fewer bytes than its values need");
  if (read) return Float64Array.from({ length: count }, (_, i) => read(view, start + i * size));
  budget.take(count * stringBytes);
  let at = start;
  return Array.from({ length: count }, () => {
    const from = at + 4;
    at = from <= bytes.byteLength ? from + view.getUint32(at, true) : from;
    if (at > bytes.byteLength) throw badFile("a page has fewer bytes than its values need");
    return bytes.subarray(from, at);
  });
}

function checkRows(count: number, maxRows: number): number {
  if (count === 0 || count > maxRows) throw badFile("the rows of its pages do not match its row count");
  return count;
}

/** Writers pad the last packed run to groups of various sizes. */
const padding = 512;

/**
 * Reads numbers in Parquet's hybrid of run-length encoding and bit packing.
 * @param bytes end with the numbers.
 * @param width bits of a number, at most 32.
 * @param count of the numbers; bounds the memory allocated.
 * @throws InvalidMetadata.
 */
export function readRuns(bytes: Uint8Array, start: number, width: number, count: number): Uint32Array {
  const out = new Uint32Array(count);
  let at = start;
  for (let seen = 0; seen < count; ) {
    const run = readHeader(bytes, at);
    const size = run.isPacked ? (run.values / 8) * width : Math.ceil(width / 8);
    const left = count - seen;
    // Some writers omit the last bytes of the padding.
    const needed = run.isPacked ? Math.ceil((Math.min(run.values, left) * width) / 8) : size;
    if (
      run.values === 0 ||
      run.values > left + (run.isPacked ? padding : 0) ||
      run.end + needed > bytes.byteLength
    )
      throw doNotFit();
    const end = seen + Math.min(run.values, left);
    if (run.isPacked) unpack(bytes, run.end, width, out.subarray(seen, end));
    else {
      const value = numberAt(bytes, run.end, size);
      if (value >= 2 ** width) throw doNotFit();
      out.fill(value, seen, end);
    }
    seen = end;
    at = run.end + size;
  }
  return out;
}

interface RunHeader {
  readonly isPacked: boolean;
  readonly values: number;
  /** Position of the run's values. */
  readonly end: number;
}

function readHeader(bytes: Uint8Array, start: number): RunHeader {
  let header = 0;
  for (let at = start; at < start + 5; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw doNotFit();
    header += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte >= 0x80) continue;
    const half = Math.floor(header / 2);
    const isPacked = header % 2 === 1;
    return { isPacked, values: isPacked ? half * 8 : half, end: at + 1 };
  }
  throw doNotFit();
}

function numberAt(bytes: Uint8Array, start: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value += bytes[start + i]! * 2 ** (8 * i);
  return value;
}

/** Unpacks numbers of consecutive bits, lowest first. Sums have at most 40 bits, more than the operators for bits take. */
function unpack(bytes: Uint8Array, start: number, width: number, out: Uint32Array): void {
  const size = 2 ** width;
  let [at, sum, have] = [start, 0, 0];
  for (let i = 0; i < out.length; i++) {
    for (; have < width; have += 8) sum += bytes[at++]! * 2 ** have;
    const rest = Math.floor(sum / size);
    out[i] = sum - rest * size;
    sum = rest;
    have -= width;
  }
}

const doNotFit = () => badFile("a page has truncated runs of values");

/** Memory of the object around a byte string. */
const stringBytes = 64;

/** Limits the memory of a file's values: decompressed pages, columns and strings. */
export class Budget {
  #left: number;

  constructor(readonly bytes: number) {
    this.#left = bytes;
  }

  /** @throws LimitExceeded. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw limitExceeded(`a Parquet file holds more than the limit of ${this.bytes} bytes`);
  }
}

/** Compression codecs by number; strings name unsupported ones. */
const codecs: readonly (readonly ChainStep[] | string)[] = [
  [],
  [{ core: "snappy", params: [], name: "snappy" }],
  [{ core: "gzip", params: [6], name: "gzip" }],
  "LZO",
  "Brotli",
  "LZ4 (as Hadoop frames it)",
  [{ core: "zstd", params: [0, 0], name: "zstd" }],
  [{ core: "lz4", params: [1], name: "lz4" }],
];
const rawLz4 = 7;

/**
 * Decompresses a page.
 * @param size decompressed size according to the header.
 * @throws InvalidMetadata; Unsupported; LimitExceeded.
 */
async function decompress(
  packed: Uint8Array,
  codec: number,
  size: number,
  budget: Budget,
): Promise<Uint8Array> {
  if (!(Number.isSafeInteger(size) && size >= 0)) throw badFile("a page has an invalid header");
  budget.take(size);
  const steps = codecs[codec] ?? `compression ${codec}`;
  if (typeof steps === "string") throw unsupportedFeature(`pages in ${steps}`);
  // Writers compress an empty page, or omit it.
  const isEmpty = size === 0 && packed.byteLength === 0;
  const page = steps.length === 0 || isEmpty ? packed : await decoded(packed, steps, codec, size);
  if (page.byteLength !== size) throw badFile("a page does not have the size in its header");
  return page;
}

async function decoded(
  packed: Uint8Array,
  steps: readonly ChainStep[],
  codec: number,
  size: number,
): Promise<Uint8Array> {
  const limit = Math.max(size, 1); // decoders need room for a byte
  try {
    return await decodeBytes(steps, codec === rawLz4 ? withSize(packed, size) : packed, limit, size);
  } catch (error) {
    if (isZarrError(error, "CorruptChunk")) throw badFile(`a page cannot be decompressed: ${error.message}`);
    if (isZarrError(error, "LimitExceeded") && error.code === "limit-exceeded")
      throw badFile("a page does not have the size in its header");
    throw error;
  }
}

/** Prefixes an LZ4 block with its size, as the core expects. */
function withSize(block: Uint8Array, size: number): Uint8Array {
  const sized = new Uint8Array(4 + block.byteLength);
  new DataView(sized.buffer).setUint32(0, size, true);
  sized.set(block, 4);
  return sized;
}
