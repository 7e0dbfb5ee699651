// Tables in Parquet files: columns of numbers and bytes, damaged files, limits.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type ParquetColumn, readParquet } from "zarr-wasm/formats";
import {
  bytesColumn,
  dictionaryColumn,
  int,
  levels,
  longColumn,
  numberColumn,
  parquetFile,
  parquetGroups,
  type TestColumn,
  varint,
  withFooter,
} from "../support/parquet-writer.js";
import { errorOf } from "../support/support.js";

const genes = ["Actb", "Gapdh", "Actb", "Sox2"];
const columns = [
  numberColumn("x", [1.5, null, -3, 1e300]),
  numberColumn("y", [0.5, 0.25, null, 4], "FLOAT"),
  longColumn("cell", [1, 2, 3, 2 ** 40]),
  dictionaryColumn("gene", genes),
  bytesColumn("shape", [Buffer.from("ab"), null, Buffer.from(""), Buffer.from("c")]),
];
const file = parquetFile(4, columns);

describe("readParquet", () => {
  it("reads all columns: null is NaN, or has the code −1", async () => {
    const table = await readParquet(file);
    expect(table).toMatchObject({ rows: 4, names: ["x", "y", "cell", "gene", "shape"] });
    const column = (name: string) => table.columns.get(name)!;
    const numbers = (values: number[]) => ({ kind: "numbers", values: Float64Array.from(values) });
    expect(column("x")).toEqual(numbers([1.5, Number.NaN, -3, 1e300]));
    expect(column("y")).toEqual(numbers([0.5, 0.25, Number.NaN, 4]));
    expect(column("cell")).toEqual(numbers([1, 2, 3, 2 ** 40]));
    const texts = (name: string) => {
      const found = column(name);
      return found.kind === "bytes"
        ? Array.from(found.codes, (code) => (code < 0 ? null : Buffer.from(found.entries[code]!).toString()))
        : [];
    };
    expect(texts("gene")).toEqual(genes);
    expect(texts("shape")).toEqual(["ab", null, "", "c"]);
  });

  it("reads only the wanted columns", async () => {
    const { columns: found, names } = await readParquet(file, { columns: ["gene"] });
    expect([...found.keys()]).toEqual(["gene"]);
    expect(names).toHaveLength(5);
    expect((await readParquet(file, { columns: [] })).columns.size).toBe(0);
  });

  it("refuses columns that the file lacks or that cannot be read, and names the others", async () => {
    const flags: TestColumn = { name: "flag", type: 0, pages: [{ values: 4, body: new Uint8Array(9) }] };
    for (const name of ["none", "flag"]) {
      const error = await errorOf(() =>
        readParquet(parquetFile(4, [...columns, flags]), { columns: ["gene", name] }),
      );
      expect([error["_tag"], error["code"]]).toEqual(["NotFound", "not-found"]);
      expect(error.message).toContain(`no column "${name}"`);
      expect(error.message).toContain('it has "x", "y", "cell", "gene", "shape"');
    }
  });

  it("lists the same columns whichever are read", async () => {
    const list = { ...columns[0]!, name: "list", repetition: 2 };
    const nested = parquetFile(4, [list, columns[0]!]);
    for (const wanted of [undefined, [], ["x"]])
      expect((await readParquet(nested, { columns: wanted })).names).toEqual(["x"]);
  });

  it("gives rows with the same bytes the same code in all row groups and pages", async () => {
    const plain = (rows: readonly string[]) =>
      bytesColumn(
        "gene",
        rows.map((row) => Buffer.from(row)),
      );
    const group = (column: TestColumn, rows: number) => ({ rows, columns: [column] });
    const fallback = dictionaryColumn("gene", ["B", "A"]);
    const many = parquetGroups(11, [
      group(dictionaryColumn("gene", ["A", "B", "C"]), 3),
      group(dictionaryColumn("gene", ["B", "C", "A"]), 3),
      // A dictionary, then plain values, as writers do whose dictionary grows large.
      group({ ...fallback, pages: [...fallback.pages, ...plain(["A", "D"]).pages] }, 4),
      group(plain([""]), 1),
    ]);
    const { columns: found } = await readParquet(many);
    const gene = found.get("gene") as Extract<ParquetColumn, { kind: "bytes" }>;
    expect(gene.entries.map((entry) => Buffer.from(entry).toString())).toEqual(["A", "B", "C", "D", ""]);
    expect([...gene.codes]).toEqual([0, 1, 2, 1, 2, 0, 1, 0, 0, 3, 4]);
  });

  it("does not compare long byte strings, whose hashes engines take from their lengths", async () => {
    const long = Buffer.alloc(20_000, 1);
    const file = parquetGroups(2, [{ rows: 2, columns: [bytesColumn("shape", [long, long])] }]);
    const shape = (await readParquet(file)).columns.get("shape") as Extract<ParquetColumn, { kind: "bytes" }>;
    expect([...shape.codes]).toEqual([0, 1]);
    expect(shape.entries.map((entry) => entry.byteLength)).toEqual([20_000, 20_000]);
  });

  it("leaves out columns of other types, and those that repeat", async () => {
    const flags: TestColumn = { name: "flag", type: 0, pages: [{ values: 4, body: new Uint8Array(9) }] };
    const repeated = { ...columns[0]!, name: "list", repetition: 2 };
    const { names } = await readParquet(parquetFile(4, [flags, repeated, columns[0]!]));
    expect(names).toEqual(["x"]);
  });

  it("has limits of rows and bytes", async () => {
    const error = async (options: object) => (await errorOf(() => readParquet(file, options)))["_tag"];
    expect(await error({ maxRows: 3 })).toBe("LimitExceeded");
    expect(await error({ maxBytes: 50 })).toBe("LimitExceeded");
    expect((await readParquet(file, { maxRows: 4, maxBytes: 800 })).rows).toBe(4);
  });

  it("refuses damaged files, and names them", async () => {
    for (const damaged of [
      new Uint8Array(3),
      Buffer.from("PAR1 not PAR1"),
      withFooter(file, Uint8Array.from(int(1, 1)[2])),
    ]) {
      const error = await errorOf(() => readParquet(damaged));
      expect([error["_tag"], error["code"]]).toEqual(["InvalidMetadata", "bad-reference"]);
      expect(error.message).toContain("the Parquet file is not valid: ");
    }
  });

  describe("takes no more memory or time than its limits for", () => {
    const one = (name: string, pages: TestColumn["pages"], more: Partial<TestColumn> = {}): TestColumn => ({
      name,
      type: 6,
      repetition: 0,
      pages,
      ...more,
    });
    const footer = (...bytes: number[][]) => withFooter(Buffer.from("PAR1"), Uint8Array.from(bytes.flat()));
    const many = 2 ** 22 + 1;
    const header = (type: number) => [0x29, 0xf0 | type, ...varint(many)];
    const nulls = { values: 10_000_000, body: levels([...varint(20_000_000), 0]) };
    const number = { values: 1, body: new Uint8Array(8) };
    const overlapping = (i: number) => one(`c${i}`, i === 0 ? [number] : [], { type: 5, start: 4, size: 26 });
    const limit = ["LimitExceeded", "limit-exceeded"];
    const bad = ["InvalidMetadata", "bad-reference"];
    it.each<[string, () => Uint8Array, string[]]>([
      [
        "a dictionary of empty strings",
        () => {
          const values = 2 ** 25;
          const body = gzipSync(new Uint8Array(4 * values));
          return parquetFile(1, [one("a", [{ kind: 2, values, body, size: 4 * values }], { codec: 2 })]);
        },
        limit,
      ],
      [
        "columns of nulls",
        () =>
          parquetFile(
            10_000_000,
            Array.from({ length: 14 }, (_, i) => one(`c${i}`, [nulls], { type: 5, repetition: 1 })),
          ),
        limit,
      ],
      [
        "structs with high field ids",
        () =>
          footer([0x29, 0xfc, ...varint(200_000)], Array(200_000).fill([0x05, 0xd0, 0x0f, 2, 0]).flat(), [0]),
        bad,
      ],
      ["empty structs", () => footer(header(12), Array(many).fill(0), [0]), bad],
      ["empty strings", () => footer(header(8), Array(many).fill(0), [0]), bad],
      [
        "columns in the same bytes",
        () =>
          parquetFile(
            1,
            Array.from({ length: 60 }, (_, i) => overlapping(i)),
          ),
        bad,
      ],
    ])("%s", { timeout: 60_000 }, async (_name, make, expected) => {
      const error = await errorOf(() => readParquet(make()));
      expect([error["_tag"], error["code"]]).toEqual(expected);
    });

    it("many columns", { timeout: 60_000 }, async () => {
      const wide = parquetFile(
        0,
        Array.from({ length: 40_000 }, (_, i) => one(`c${i}`, [], { type: 5 })),
      );
      expect((await readParquet(wide)).columns.size).toBe(40_000);
    });
  });

  it("refuses every truncation of a file, or reads it", { timeout: 60_000 }, async () => {
    for (let length = 0; length < file.length; length++) {
      const error = await errorOf(() => readParquet(file.subarray(0, length)));
      expect(error["_tag"]).toBe("InvalidMetadata");
    }
  });

  it("survives every changed byte", { timeout: 60_000 }, async () => {
    for (let at = 4; at < file.length; at++) {
      const changed = file.slice();
      changed[at] = changed[at]! ^ 0xff;
      await readParquet(changed).catch((error: { _tag?: string }) => {
        expect(["InvalidMetadata", "Unsupported", "LimitExceeded"]).toContain(error._tag);
      });
    }
  });
});
