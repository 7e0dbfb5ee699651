/** Writes Parquet files for tests, plain and damaged in every way: Thrift and pages by hand. */

type Field = readonly [id: number, type: number, bytes: number[]];
const types = { true: 1, false: 2, byte: 3, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 };

export function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return [...bytes, Number(left)];
}

const zigzag = (value: number | bigint) =>
  varint(BigInt(value) < 0n ? -2n * BigInt(value) - 1n : 2n * BigInt(value));
export const int = (id: number, value: number): Field => [id, types.i32, zigzag(value)];
export const long = (id: number, value: number | bigint): Field => [id, types.i64, zigzag(value)];
export const text = (id: number, value: string): Field => [id, types.binary, bytesWithLength(value)];
const bytesWithLength = (value: string) => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)];
const listOf = (id: number, type: number, items: number[][]): Field => [
  id,
  types.list,
  [0xf0 | type, ...varint(items.length), ...items.flat()],
];

export function struct(...fields: Field[]): number[] {
  let last = 0;
  const bytes = fields.flatMap(([id, type, own]) => {
    const head = id - last > 0 && id - last < 16 ? [((id - last) << 4) | type] : [type, ...zigzag(id)];
    last = id;
    return [...head, ...own];
  });
  return [...bytes, 0];
}

export interface TestPage {
  /** 0 for data, 2 for a dictionary, 3 for data of version 2. */
  kind?: number;
  values: number;
  /** 0 plain, 8 by the dictionary. */
  encoding?: number;
  body: Uint8Array;
  /** For data of version 2: length of the levels at the start of the body. */
  levels?: number;
  isCompressed?: boolean;
  /** Wrong fields for the header. */
  size?: number;
  packed?: number;
}

export interface TestColumn {
  name: string;
  /** 1 INT32, 2 INT64, 5 DOUBLE, 6 BYTE_ARRAY. */
  type: number;
  /** 0 required, 1 optional, 2 repeated. */
  repetition?: number;
  codec?: number;
  pages: TestPage[];
  /** Additional metadata. */
  more?: Field[];
  /** Fields of the chunk around it. */
  file?: string;
  start?: number;
  size?: number;
}

/** @param rows row count in the footer. @param metadata strings by name */
export const parquetFile = (
  rows: number | bigint,
  columns: TestColumn[],
  groupRows = rows,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array => parquetGroups(rows, [{ rows: groupRows, columns }], metadata);

/** @param groups row groups with the same columns. */
export function parquetGroups(
  rows: number | bigint,
  groups: readonly { rows: number | bigint; columns: readonly TestColumn[] }[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("PAR1")];
  let at = 4;
  const chunkOf = (column: TestColumn) => {
    const start = at;
    for (const page of column.pages) {
      const bytes = Buffer.concat([Uint8Array.from(headerOf(page)), page.body]);
      parts.push(bytes);
      at += bytes.length;
    }
    const meta = struct(
      int(1, column.type),
      listOf(2, types.i32, []),
      listOf(3, types.binary, [bytesWithLength(column.name)]),
      int(4, column.codec ?? 0),
      long(5, rows),
      long(6, at - start),
      long(7, column.size ?? at - start),
      long(9, column.start ?? start),
    );
    const file = column.file === undefined ? [] : [text(1, column.file)];
    return struct(...file, long(2, start), [3, types.struct, meta]);
  };
  const written = groups.map((group) =>
    struct(listOf(1, types.struct, group.columns.map(chunkOf)), long(2, 0), long(3, group.rows)),
  );
  const { columns } = groups[0]!;
  const schema = [
    struct(text(4, "schema"), int(5, columns.length)),
    ...columns.map(({ name, type, repetition = 1 }) =>
      struct(int(1, type), int(3, repetition), text(4, name)),
    ),
  ];
  const footer = struct(
    int(1, 1),
    listOf(2, types.struct, schema),
    long(3, rows),
    listOf(4, types.struct, written),
    listOf(
      5,
      types.struct,
      Object.entries(metadata).map(([key, value]) => struct(text(1, key), text(2, value))),
    ),
  );
  return withFooter(Buffer.concat(parts), Uint8Array.from(footer));
}

/** @param parts the preceding bytes. */
export function withFooter(parts: Uint8Array, footer: Uint8Array, end = "PAR1"): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return new Uint8Array(Buffer.concat([parts, footer, length, Buffer.from(end)]));
}

function headerOf(page: TestPage): number[] {
  const { kind = 0, body, size, packed } = page;
  return struct(int(1, kind), int(2, size ?? body.length), int(3, packed ?? body.length), [
    { 2: 7, 3: 8 }[kind] ?? 5,
    types.struct,
    ownHeader(page),
  ]);
}

function ownHeader({ kind, values, encoding = 0, levels: length = 0, isCompressed }: TestPage): number[] {
  if (kind === 2) return struct(int(1, values), int(2, 0));
  if (kind !== 3) return struct(int(1, values), int(2, encoding), int(3, 3), int(4, 3));
  const compressed: Field[] =
    isCompressed === undefined ? [] : [[7, isCompressed ? types.true : types.false, []]];
  const counts = [int(1, values), int(2, 0), int(3, values)];
  return struct(...counts, int(4, encoding), int(5, length), int(6, 0), ...compressed);
}

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** Levels in runs, preceded by their length. */
export const levels = (runs: number[]) => Buffer.concat([u32(runs.length), Uint8Array.from(runs)]);

/** Levels of rows of which some are null. */
export const levelsOf = (rows: readonly unknown[]) =>
  levels(rows.flatMap((row) => [2, row === null ? 0 : 1]));

export const plainBytes = (values: readonly Uint8Array[]) =>
  Buffer.concat(values.flatMap((value) => [u32(value.length), value]));

export function plainLongs(values: readonly (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [i, value] of values.entries()) bytes.writeBigInt64LE(BigInt(value), i * 8);
  return bytes;
}

/** A reference in its JSON form: null, bytes, [url] or [url, offset, length]. */
export type TestReference = null | Uint8Array | [string] | [string, number | bigint, number | bigint];

/** A column of byte strings, null for missing ones. */
export const bytesColumn = (name: string, rows: readonly (Uint8Array | null)[]): TestColumn => ({
  name,
  type: 6,
  pages: [
    {
      values: rows.length,
      body: Buffer.concat([levelsOf(rows), plainBytes(rows.filter((row) => row !== null))]),
    },
  ],
});

export const longColumn = (name: string, rows: readonly (number | bigint)[]): TestColumn => ({
  name,
  type: 2,
  repetition: 0,
  pages: [{ values: rows.length, body: plainLongs(rows) }],
});

/** A column of numbers, as FLOAT or DOUBLE; null for missing ones. */
export function numberColumn(
  name: string,
  rows: readonly (number | null)[],
  type: "FLOAT" | "DOUBLE" = "DOUBLE",
): TestColumn {
  const values = rows.filter((row) => row !== null);
  const numbers = type === "FLOAT" ? Float32Array.from(values) : Float64Array.from(values);
  const body = Buffer.concat([levelsOf(rows), Buffer.from(numbers.buffer)]);
  return { name, type: type === "FLOAT" ? 4 : 5, pages: [{ values: rows.length, body }] };
}

/** A column of strings as positions in a dictionary, of at most 256 entries. */
export function dictionaryColumn(name: string, rows: readonly string[]): TestColumn {
  const entries = [...new Set(rows)];
  const positions = rows.flatMap((row) => [2, entries.indexOf(row)]); // runs of one
  const dictionary = plainBytes(entries.map((entry) => Buffer.from(entry)));
  const body = Buffer.concat([levelsOf(rows), Uint8Array.from([8, ...positions])]);
  return {
    name,
    type: 6,
    pages: [
      { kind: 2, values: entries.length, body: dictionary },
      { values: rows.length, encoding: 8, body },
    ],
  };
}

/** A file of references in kerchunk's layout. */
export function recordFile(rows: readonly TestReference[]): Uint8Array {
  const isList = (row: TestReference): row is [string] | [string, number | bigint, number | bigint] =>
    Array.isArray(row);
  return parquetFile(rows.length, [
    bytesColumn(
      "path",
      rows.map((row) => (isList(row) ? Buffer.from(row[0]) : null)),
    ),
    longColumn(
      "offset",
      rows.map((row) => (isList(row) ? (row[1] ?? 0) : 0)),
    ),
    longColumn(
      "size",
      rows.map((row) => (isList(row) ? (row[2] ?? 0) : 0)),
    ),
    bytesColumn(
      "raw",
      rows.map((row) => (row instanceof Uint8Array ? row : null)),
    ),
  ]);
}

/** A folder of references: metadata and, in row-major order, each array's references; files without any are not written. */
export function referenceFolder(
  metadata: Record<string, unknown>,
  arrays: Record<string, readonly TestReference[]>,
  recordSize: number,
): Record<string, Uint8Array> {
  const document = JSON.stringify({ metadata, record_size: recordSize });
  const files: Record<string, Uint8Array> = { "/.zmetadata": Buffer.from(document) };
  for (const [array, references] of Object.entries(arrays)) {
    for (let file = 0; file * recordSize < references.length; file++) {
      const own = references.slice(file * recordSize, (file + 1) * recordSize);
      if (own.every((row) => row === null)) continue;
      const padded = [...own, ...Array.from({ length: recordSize - own.length }, () => null)];
      files[`${array === "" ? "" : `/${array}`}/refs.${file}.parq`] = recordFile(padded);
    }
  }
  return files;
}
