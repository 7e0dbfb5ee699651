// Sparse matrices, compared with their dense equivalents.
import { describe, expect, it } from "vitest";
import { create, createGroup, type DimensionSelection, open, set, slice, type ZarrGroup } from "zarr-wasm";
import { readSparse, type SparseMatrix } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

type Dense = readonly (readonly number[])[];
const [rows, columns] = [23, 11];

/** About a third of the elements, some rows and columns without any. */
const dense: Dense = Array.from({ length: rows }, (_, row) =>
  Array.from({ length: columns }, (_, column) =>
    row % 6 === 4 || column === 7 || (row * 7 + column * 5) % 3 !== 1 ? 0 : row * 100 + column + 0.5,
  ),
);

function compressed(matrix: Dense): { indptr: number[]; indices: number[]; data: number[] } {
  const [indptr, indices, data]: [number[], number[], number[]] = [[0], [], []];
  for (const line of matrix) {
    line.forEach((value, place) => {
      if (value !== 0) {
        indices.push(place);
        data.push(value);
      }
    });
    indptr.push(indices.length);
  }
  return { indptr, indices, data };
}

const transposed = (matrix: Dense): Dense =>
  matrix[0]!.map((_, column) => matrix.map((line) => line[column]!));

interface Stored {
  readonly format?: "csr" | "csc";
  readonly integers?: "int32" | "int64" | "uint16";
  readonly attributes?: object;
  readonly change?: (parts: { indptr: number[]; indices: number[]; data: number[] }) => void;
}

async function stored({ format = "csr", integers = "int32", attributes, change }: Stored = {}) {
  const store = new Map();
  const parts = compressed(format === "csr" ? dense : transposed(dense));
  change?.(parts);
  const known = { "encoding-type": `${format}_matrix`, "encoding-version": "0.1.0", shape: [rows, columns] };
  await createGroup(store, { zarrFormat: 2, attributes: (attributes ?? known) as never });
  for (const [path, values] of Object.entries(parts)) {
    const dtype = path === "data" ? "float32" : integers;
    const array = await create(store, {
      path,
      shape: [values.length],
      chunkShape: [16],
      dtype,
      zarrFormat: 2,
    });
    const Kind = { int32: Int32Array, uint16: Uint16Array, float32: Float32Array } as const;
    const data = dtype === "int64" ? BigInt64Array.from(values, BigInt) : Kind[dtype].from(values);
    await set(array, null, data);
  }
  return open(store, { kind: "group" });
}

function denseOf({ format, shape, indptr, indices, data }: SparseMatrix): number[][] {
  const out = Array.from({ length: shape[0] }, () => new Array<number>(shape[1]).fill(0));
  for (let line = 0; line + 1 < indptr.length; line++)
    for (let i = indptr[line]!; i < indptr[line + 1]!; i++) {
      const [row, column] = format === "csr" ? [line, indices[i]!] : [indices[i]!, line];
      expect(out[row]![column]).toBe(0);
      out[row]![column] = Number(data[i]);
    }
  return out;
}

function places(selection: DimensionSelection, length: number): number[] {
  const all = Array.from({ length }, (_, i) => i);
  if (selection === null) return all;
  if (typeof selection === "number") return [selection < 0 ? selection + length : selection];
  if (Array.isArray(selection))
    return typeof selection[0] === "boolean" ? all.filter((i) => selection[i]) : (selection as number[]);
  const { start, stop, step } = selection as ReturnType<typeof slice>;
  return all.slice(start ?? 0, stop ?? length).filter((_, i) => i % (step ?? 1) === 0);
}

const selections: [DimensionSelection, DimensionSelection][] = [
  [null, null],
  [slice(3, 9), null],
  [null, slice(2, 8)],
  [slice(1, 20, 4), slice(0, 11, 3)],
  [5, null],
  [-1, 3],
  [
    [20, 3, 3, 4],
    [10, 0, 0, 5],
  ],
  [[2, 3, 4, 9, 10], null],
  [dense.map((_, row) => row % 2 === 1), [7]],
  [slice(4, 4), null],
  [4, slice(7, 8)],
  [[], []],
];

describe.each(["csr", "csc"] as const)("%s", (format) => {
  it.each(["int32", "int64", "uint16"] as const)("with starts and indices of %s", async (integers) => {
    const group = await stored({ format, integers });
    for (const [row, column] of selections) {
      const found = await readSparse(group, { rows: row, columns: column });
      const wanted = places(row, rows).map((i) => places(column, columns).map((j) => dense[i]![j]!));
      expect(found.format).toBe(format);
      expect(denseOf(found), JSON.stringify([row, column])).toEqual(wanted);
      expect(found.shape).toEqual([wanted.length, places(column, columns).length]);
      expect(found.indptr).toHaveLength(found.shape[format === "csr" ? 0 : 1] + 1);
      expect([found.indices.length, found.data.length]).toEqual([found.indptr.at(-1), found.indptr.at(-1)]);
      expect(found.data).toBeInstanceOf(Float32Array);
    }
  });
});

describe("reading", () => {
  it("takes the names of older versions of AnnData", async () => {
    const group = await stored({ attributes: { h5sparse_format: "csr", h5sparse_shape: [rows, columns] } });
    expect(denseOf(await readSparse(group))).toEqual(dense);
  });

  it("asks for the chunks of the chosen rows only", async () => {
    const group = await stored();
    const asked: string[] = [];
    const store = group.store as unknown as Map<string, Uint8Array>;
    const counting = {
      get: (key: string) => {
        asked.push(key);
        return store.get(key);
      },
    };
    const again = await open(counting, { kind: "group" });
    asked.length = 0;
    await readSparse(again, { rows: slice(0, 3) });
    expect(asked.filter((key) => /\/(data|indices)\/\d+$/.test(key)).sort()).toEqual([
      "/data/0",
      "/indices/0",
    ]);
  });
});

describe("inconsistent matrices", () => {
  const errorWith = async (wanted: Stored, options = {}) => {
    const group: ZarrGroup = await stored(wanted);
    const { _tag, code, message } = await errorOf(() => readSparse(group, options));
    return { tag: _tag, code, message };
  };
  const change = (work: NonNullable<Stored["change"]>) => ({ change: work });

  it.each([
    [{ attributes: {} }, "NotFound", "no-convention"],
    [{ attributes: { "encoding-type": "dataframe" } }, "NotFound", "no-convention"],
    [{ attributes: { "encoding-type": "csr_matrix" } }, "InvalidMetadata", "bad-convention"],
    [
      { attributes: { "encoding-type": "csr_matrix", shape: [rows, -1] } },
      "InvalidMetadata",
      "bad-convention",
    ],
    [{ attributes: { "encoding-type": "csr_matrix", shape: [99, 11] } }, "InvalidMetadata", "bad-convention"],
    ...[{ toString: 1, valueOf: 1 }, [rows], String(rows), rows + 0.5].map((length) => [
      { attributes: { "encoding-type": "csr_matrix", shape: [length, columns] } },
      "InvalidMetadata",
      "bad-convention",
    ]),
    [change(({ data }) => data.pop()), "InvalidMetadata", "bad-convention"],
    [change(({ indices }) => indices.splice(5, 1, columns)), "InvalidMetadata", "bad-convention"],
    [change(({ indices }) => indices.splice(5, 1, -1)), "InvalidMetadata", "bad-convention"],
    [change(({ indptr }) => indptr.splice(3, 1, 0)), "InvalidMetadata", "bad-convention"],
    [change(({ indptr }) => indptr.splice(-1, 1, 10_000)), "InvalidMetadata", "bad-convention"],
  ] as [Stored, string, string][])("%#", async (wanted, tag, code) => {
    expect(await errorWith(wanted)).toMatchObject({ tag, code });
  });

  it("indices that lie in the matrix only by their lowest 32 bits", async () => {
    const wrap = change(({ indices }) => indices.splice(5, 1, 2 ** 32));
    expect(await errorWith({ integers: "int64", ...wrap })).toMatchObject({ code: "bad-convention" });
  });

  it("elements that are selected repeatedly, up to the byte limit", async () => {
    const again = new Array(1000).fill(0);
    const wanted = { columns: again, maxBytes: 20_000 };
    expect(await errorWith({}, wanted)).toMatchObject({ tag: "LimitExceeded", code: "limit-exceeded" });
    expect((await readSparse(await stored(), { columns: again })).shape).toEqual([rows, 1000]);
  });

  it("more lines than may be read", async () => {
    const store = new Map();
    const lines = 2 ** 31 - 1;
    const group = await createGroup(store, {
      attributes: { "encoding-type": "csr_matrix", shape: [lines, 1] },
    });
    for (const [path, length] of Object.entries({ indptr: lines + 1, indices: 0, data: 0 }))
      await create(store, { path, shape: [length], chunkShape: [2 ** 16], dtype: "int32" });
    expect((await errorOf(() => readSparse(group)))._tag).toBe("LimitExceeded");
    expect((await readSparse(group, { rows: lines - 1 })).shape).toEqual([1, 1]);
  });

  it("more than may be read, before it is read", async () => {
    expect(await errorWith({}, { maxBytes: 500 })).toMatchObject({
      tag: "LimitExceeded",
      code: "limit-exceeded",
    });
    const few = await readSparse(await stored(), { rows: [0, 1], maxBytes: 500 });
    expect(few.shape).toEqual([2, columns]);
    expect(await errorWith({}, { maxBytes: "much" })).toMatchObject({ tag: "InvalidArgument" });
    expect(await errorWith({}, { rows: 99 })).toMatchObject({ tag: "InvalidSelection" });
    expect((await errorOf(() => readSparse({} as never)))._tag).toBe("InvalidArgument");
  });
});
