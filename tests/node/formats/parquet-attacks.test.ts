// Parquet files with false claims: typed errors, and no more memory than the limits allow.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isZarrError, MapStore } from "zarr-wasm";
import { ReferenceStore } from "zarr-wasm/formats";
import {
  bytesColumn,
  levels,
  longColumn,
  parquetFile,
  plainBytes,
  plainLongs,
  recordFile,
  type TestColumn,
  type TestReference,
  varint,
  withFooter,
} from "../support/parquet-writer.js";
import { errorOf } from "../support/support.js";

const array = { zarr_format: 2, shape: [10], chunks: [1], dtype: "|u1", compressor: null, filters: null };

/** A store with an array of ten chunks, whose references are in one file. */
async function storeWith(file: Uint8Array, options = {}) {
  const document = Buffer.from(JSON.stringify({ metadata: { "a/.zarray": array }, record_size: 10 }));
  const files = new MapStore(
    new Map<string, Uint8Array>([
      ["/.zmetadata", document],
      ["/a/refs.0.parq", file],
    ]),
  );
  const target = new MapStore(new Map([["/x", new Uint8Array(2000)]]));
  const resolve = () => ({ store: target, key: "/x" });
  return ReferenceStore.open(files, { resolve, limits: { indexBytes: 2 ** 20 }, ...options });
}

async function refused(file: Uint8Array, options = {}): Promise<[string, string]> {
  const store = await storeWith(file, options);
  const error = await errorOf(() => store.get("/a/0"));
  expect(error.message).toContain("refs.0.parq");
  return [String(error["_tag"]), String(error["code"])];
}

const ten = Array.from({ length: 10 }, (_, i): TestReference => ["x://y", i, 1]);
const good = recordFile(ten);
const path = bytesColumn("path", Array(10).fill(Buffer.from("x://y")));
const bad = ["InvalidMetadata", "bad-reference"];
const elsewhere = ["Unsupported", "parquet-references"];
const limit = ["LimitExceeded", "limit-exceeded"];

/** A column of ten strings with several pages. */
const texts = (pages: TestColumn["pages"], more: Partial<TestColumn> = {}): Uint8Array =>
  parquetFile(10, [{ name: "path", type: 6, pages, ...more }]);
const allThere = levels([20, 1]);
const values = plainBytes(Array(10).fill(Buffer.from("x://y")));
const body = Buffer.concat([allThere, values]);
const dictionary = { kind: 2, values: 1, body: plainBytes([Buffer.from("x://y")]) };
const byDictionary = (...runs: number[]) => ({
  values: 10,
  encoding: 8,
  body: Buffer.concat([allThere, Uint8Array.from(runs)]),
});

it("an undamaged file is read", async () => {
  for (const file of [good, texts([{ values: 10, body }]), texts([dictionary, byDictionary(0, 20)])])
    expect((await (await storeWith(file)).get("/a/3"))?.byteLength).toBeGreaterThan(0);
});

describe("are refused:", () => {
  const huge = Buffer.alloc(2 ** 26);
  const cases: [string, Uint8Array, string[]][] = [
    ["no Parquet at all", Buffer.from("<!doctype html><p>not a file</p>"), bad],
    ["nothing", new Uint8Array(0), bad],
    ["encrypted metadata", withFooter(good, new Uint8Array(5), "PARE"), elsewhere],
    [
      "metadata longer than the file",
      Buffer.concat([Buffer.from("PAR1\xff\xff\xff\x7fPAR1", "latin1")]),
      bad,
    ],
    ["more metadata than it can have", withFooter(good, new Uint8Array(2 ** 19)), bad],
    ["a number without an end", withFooter(good, new Uint8Array(2 ** 18).fill(0xff).fill(0x26, 0, 1)), bad],
    ["structs in one another without an end", withFooter(good, new Uint8Array(2 ** 18).fill(0x1c)), bad],
    ["lists in one another without an end", withFooter(good, new Uint8Array(2 ** 18).fill(0x19)), bad],
    ["a number of eleven bytes", withFooter(good, Uint8Array.of(0x26, ...Array(10).fill(0x80), 0, 0)), bad],
    ["a string longer than the metadata", withFooter(good, Uint8Array.of(0x28, 0x7f, 1, 2)), bad],
    ["a double that ends too early", withFooter(good, Uint8Array.of(0x27, 1, 2, 3)), bad],
    ["a field id below zero", withFooter(good, Uint8Array.of(0x05, 1, 2, 0)), bad],
    ["a type that Parquet does not use", withFooter(good, Uint8Array.of(0x2b, 0)), bad],
    ["a list longer than the metadata", withFooter(good, Uint8Array.of(0x29, 0xf5, 0x64, 2, 2, 2)), bad],
    ["a list where a number belongs", withFooter(good, Uint8Array.of(0x29, 0x15, 2, 0x19, 0x15, 2, 0)), bad],
    ["a list of 2³¹ entries", withFooter(good, Uint8Array.from([0x29, 0xf5, ...varint(2 ** 31 - 1)])), bad],
    ["metadata that is empty", withFooter(good, Uint8Array.from([0])), bad],
    ["2⁶⁰ rows", parquetFile(2n ** 60n, [path]), bad],
    ["2⁴⁰ rows", parquetFile(2 ** 40, [path]), limit],
    ["more rows than record_size", parquetFile(11, [path]), limit],
    ["fewer than no rows", parquetFile(-1, [path]), bad],
    ["groups with other rows than the file", parquetFile(10, [path], 9), bad],
    ["columns outside of the file", parquetFile(10, [{ ...path, start: 2 ** 30 }]), bad],
    ["columns in other files", parquetFile(10, [{ ...path, file: "secret" }]), elsewhere],
    ["a path that is a number", parquetFile(10, [{ ...longColumn("path", Array(10).fill(1)) }]), bad],
    ["an offset that is a string", parquetFile(10, [path, { ...path, name: "offset" }]), bad],
    ["two columns of one name", parquetFile(10, [path, path]), bad],
    ["a path that repeats", parquetFile(10, [{ ...path, repetition: 2 }]), bad],
    ["a page that is too short for its strings", texts([{ values: 10, body: body.subarray(0, -20) }]), bad],
    ["a page that ends within a string", texts([{ values: 10, body: body.subarray(0, -1) }]), bad],
    ["a column that ends too early", texts([{ values: 9, body }]), bad],
    ["a page of more rows than there are", texts([{ values: 2 ** 31 - 1, body }]), bad],
    ["a page of no rows", texts([{ values: 0, body }]), bad],
    ["a page of 2 GB in the file", texts([{ values: 10, body, packed: 2 ** 31 - 1 }]), bad],
    ["a page of less than nothing", texts([{ values: 10, body, packed: -5 }]), bad],
    ["a page of 2 GB without compression", texts([{ values: 10, body, size: 2 ** 31 - 1 }]), limit],
    ["a page of another kind", texts([{ kind: 9, values: 10, body }]), bad],
    ["a page of another size", texts([{ values: 10, body, size: body.length + 1 }]), bad],
    [
      "levels that run on",
      texts([{ values: 10, body: Buffer.concat([levels(varint(2 ** 31)), values]) }]),
      bad,
    ],
    [
      "levels beyond the page",
      texts([{ values: 10, body: Buffer.concat([Buffer.from([255, 255, 255, 127]), values]) }]),
      bad,
    ],
    ["levels that go nowhere", texts([{ values: 10, body: Buffer.concat([levels([0, 0]), values]) }]), bad],
    ["levels that end too early", texts([{ values: 10, body: levels([4, 1]) }]), bad],
    ["a value that the dictionary lacks", texts([dictionary, byDictionary(1, 20, 1)]), bad],
    ["no dictionary", texts([byDictionary(0, 20)]), bad],
    ["values of 200 bits", texts([dictionary, byDictionary(200, 20)]), bad],
    ["2³⁰ values of the dictionary", texts([dictionary, byDictionary(1, ...varint(2 ** 31), 0)]), bad],
    ["2³⁰ values in bits of none", texts([dictionary, byDictionary(0, ...varint(2 ** 31 - 1))]), bad],
    [
      "a dictionary of 2³¹ strings",
      texts([{ ...dictionary, values: 2 ** 31 - 1 }, byDictionary(0, 20)]),
      bad,
    ],
    ["a dictionary of less than none", texts([{ ...dictionary, values: -1 }, byDictionary(0, 20)]), bad],
    ["deltas", texts([{ values: 10, encoding: 7, body }]), elsewhere],
    ["LZO", texts([{ values: 10, body }], { codec: 3 }), elsewhere],
    ["Brotli", texts([{ values: 10, body }], { codec: 4 }), elsewhere],
    ["compression 99", texts([{ values: 10, body }], { codec: 99 }), elsewhere],
    ["zstd that is none", texts([{ values: 10, body }], { codec: 6 }), bad],
    ["snappy that is none", texts([{ values: 10, body, size: 1000 }], { codec: 1 }), bad],
    ["lz4 that is none", texts([{ values: 10, body, size: 1000 }], { codec: 7 }), bad],
    ["a bomb that lies", texts([{ values: 10, body: gzipSync(huge), size: 1000 }], { codec: 2 }), bad],
    [
      "a bomb that does not",
      texts([{ values: 10, body: gzipSync(huge), size: huge.length }], { codec: 2 }),
      limit,
    ],
  ];
  it.each(cases)("%s", async (_name, file, expected) => {
    expect(await refused(file)).toEqual(expected);
  });

  it("files that are too large, at their size", async () => {
    expect(await refused(good, { limits: { indexBytes: 200 } })).toEqual(limit);
    expect(await refused(good, { limits: { references: 9 } })).toEqual(limit);
  });
});

describe("invalid references are errors of their own chunks:", () => {
  const key = (error: { message: string }) => expect(error.message).toContain("/a/0");
  const cases: [string, TestReference[]][] = [
    ["a negative offset", [["x://y", -1, 10]]],
    ["a negative size", [["x://y", 1, -10]]],
    ["an offset above 2⁵³", [["x://y", 2n ** 53n, 10]]],
    ["an end above 2⁵³", [["x://y", 2n ** 53n - 5n, 10]]],
  ];
  it.each(cases)("%s", async (_name, [first]) => {
    const store = await storeWith(recordFile([first!, ...ten.slice(1)]));
    const error = await errorOf(() => store.get("/a/0"));
    expect([error._tag, error.code]).toEqual(bad);
    key(error);
    const [, offset, size] = first as [string, number, number];
    expect(error.message).toContain(`${size} bytes at offset ${offset}`);
    expect((await store.get("/a/1"))?.byteLength).toBe(1);
  });

  it("a path of invalid UTF-8, an unsupported scheme, a local file", async () => {
    const column = (bytes: number[]) =>
      parquetFile(10, [bytesColumn("path", [Uint8Array.from(bytes), ...Array(9).fill(Buffer.from("x"))])]);
    const error = await errorOf(async () => (await storeWith(column([255, 254]))).get("/a/0"));
    expect([error._tag, error.code]).toEqual(bad);
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "x.nc"]) {
      const store = await storeWith(recordFile([[url, 0, 1], ...ten.slice(1)]), { resolve: undefined });
      const refusedTarget = await errorOf(() => store.get("/a/0"));
      expect([refusedTarget._tag, refusedTarget.code], url).toEqual(["Unsupported", "unsupported-reference"]);
    }
  });

  it("a file that ends before the chunk's row", async () => {
    const store = await storeWith(recordFile(ten.slice(0, 4)));
    expect((await store.get("/a/3"))?.byteLength).toBe(1);
    expect((await errorOf(() => store.get("/a/4"))).code).toBe("bad-reference");
  });
});

it("encodings are named, or called by their numbers", async () => {
  const refusedAs = async (page: object) =>
    (await errorOf(async () => (await storeWith(texts([{ values: 10, body, ...page }]))).get("/a/0")))
      .message;
  expect(await refusedAs({ encoding: 77 })).toContain("values as encoding 77 in");
  expect(await refusedAs({ encoding: 6 })).toContain("values as DELTA_LENGTH_BYTE_ARRAY in");
  const second = { kind: 3, body: Buffer.concat([Uint8Array.of(20, 1), values]), levels: 2 };
  expect(await refusedAs({ ...second, encoding: 78 })).toContain("values as encoding 78 in");
});

describe("pages in which few or none have a value are read:", () => {
  // The output of each codec for empty input, by the formats' specifications; and for the strings below.
  const text = plainBytes([Buffer.from("x://y")]);
  const codecs: [string, number, (bytes: Uint8Array) => Uint8Array, number[]][] = [
    ["uncompressed", 0, (bytes) => bytes, []],
    // A literal of up to 60 bytes.
    ["snappy", 1, (bytes) => Uint8Array.of(bytes.length, (bytes.length - 1) << 2, ...bytes), [0]],
    ["gzip", 2, gzipSync, [...gzipSync("")]],
    // A frame of one raw block, with its size.
    [
      "zstd",
      6,
      (bytes) => Uint8Array.of(40, 181, 47, 253, 32, bytes.length, (bytes.length << 3) | 1, 0, 0, ...bytes),
      [40, 181, 47, 253, 32, 0, 1, 0, 0],
    ],
    // One sequence of up to 14 literals.
    ["lz4", 7, (bytes) => Uint8Array.of(bytes.length << 4, ...bytes), [0]],
  ];
  const none = Uint8Array.of(20, 0);
  const some = [2, 1, 18, 0];
  const read = async (pages: TestColumn["pages"], codec: number) => {
    const offsets = { ...longColumn("offset", Array(10).fill(1)) };
    const sizes = longColumn("size", Array(10).fill(3));
    const file = parquetFile(10, [{ name: "path", type: 6, codec, pages }, offsets, sizes]);
    const store = await storeWith(file);
    return [await store.get("/a/0"), await store.get("/a/1")].map((bytes) => bytes?.byteLength);
  };

  it.each(codecs)("%s", async (_name, codec, pack, nothing) => {
    const second = (packed: readonly number[], more = {}) => ({
      kind: 3,
      values: 10,
      body: Buffer.concat([none, Uint8Array.from(packed)]),
      levels: 2,
      size: 2,
      ...more,
    });
    const empty = { kind: 2, values: 0, body: Uint8Array.from(nothing), size: 0 };
    for (const pages of [
      [second(nothing)],
      [second([])],
      [second([], { isCompressed: false })],
      [second(nothing, { encoding: 8, isCompressed: true })],
      [empty, second(nothing, { encoding: 8 })],
      [{ ...empty, body: new Uint8Array(0) }, second([], { encoding: 8 })],
    ])
      expect(await read(pages, codec)).toEqual([undefined, undefined]);
    const first = levels([...none]);
    expect(await read([{ values: 10, body: pack(first), size: first.length }], codec)).toEqual([
      undefined,
      undefined,
    ]);
    const oneHere = Buffer.concat([Uint8Array.from(some), pack(text)]);
    const partly = { kind: 3, values: 10, body: oneHere, levels: 4, size: 4 + text.length };
    expect(await read([partly], codec)).toEqual([3, undefined]);
  });

  it.each(codecs)("but not values that the header denies: %s", async (_name, codec, pack) => {
    const page = { kind: 3, values: 10, body: Buffer.concat([none, pack(text)]), levels: 2, size: 2 };
    expect(await refused(texts([page], { codec }))).toEqual(bad);
  });
});

it("values are never read from beyond their page", async () => {
  // The last string claims more bytes than it has, in a buffer that continues.
  const plain = plainBytes([...Array(9).fill(Buffer.from("x://y")), Buffer.from("x://y")]);
  plain.writeUInt32LE(50, plain.length - 9);
  const file = texts([{ values: 10, body: Buffer.concat([allThere, plain]) }]);
  const pool = Buffer.alloc(file.length + 1000, "secret ");
  pool.set(file, 100);
  expect(await refused(pool.subarray(100, 100 + file.length))).toEqual(bad);
  const numbers = parquetFile(10, [
    path,
    { ...longColumn("offset", [1]), pages: [{ values: 10, body: plainLongs([1]) }] },
  ]);
  expect(await refused(numbers)).toEqual(bad);
});

describe("damage anywhere gives typed errors or a valid reading", () => {
  const lines = readFileSync(new URL("../../golden/references.jsonl", import.meta.url), "utf8").split("\n");
  const named = (name: string) => {
    const line = lines.find((text) => text.startsWith(`{"name":${JSON.stringify(name)}`));
    return new Uint8Array(Buffer.from((JSON.parse(line!) as { file: string }).file, "base64"));
  };
  const files: [string, Uint8Array][] = [
    "DuckDB, lz4",
    "arrow-rs, SNAPPY",
    "arrow-rs, ZSTD, pages of version 2",
  ].map((name) => [name, named(name)]);
  files.push(["by hand", good]);

  async function attempt(file: Uint8Array): Promise<void> {
    try {
      const document = JSON.stringify({ metadata: { "a/.zarray": array }, record_size: 60 });
      const store = new Map<string, Uint8Array>([
        ["/.zmetadata", Buffer.from(document)],
        ["/a/refs.0.parq", file],
      ]);
      const resolve = () => ({ store: new MapStore(), key: "/x" });
      const references = await ReferenceStore.open(store, { resolve, limits: { indexBytes: 2 ** 20 } });
      await references.get("/a/7");
    } catch (error) {
      if (!isZarrError(error, "InvalidMetadata", "Unsupported", "LimitExceeded", "Network")) throw error;
    }
  }

  it.each(files)("%s", async (_name, file) => {
    for (let end = 0; end < file.length; end += 7) await attempt(file.slice(0, end));
    for (let at = 0; at < file.length; at += 3) {
      for (const flip of [1, 0x80, 0xff]) {
        const damaged = file.slice();
        damaged[at]! ^= flip;
        await attempt(damaged);
      }
    }
  });
});
