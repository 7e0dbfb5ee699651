// Expressions: values and types of NumPy, broadcasting, CF data, parts of arrays, virtual arrays as sources of others.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, get, open, set, slice, updateAttributes, WorkerPool, type ZarrArray } from "zarr-wasm";
import { anomaly, expression, reduce, series } from "zarr-wasm/compute";
import { decodeCF, sel } from "zarr-wasm/conventions";
import { copy } from "zarr-wasm/transfer";
import { openTarget } from "../../../web/viewer/source/open.ts";
import { errorOf, randomizer } from "../support/support.js";

interface Golden {
  readonly kinds: readonly string[];
  readonly operands: Readonly<Record<string, readonly [kind: string, shape: number[], data: string]>>;
  readonly promotion: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly cases: readonly (readonly [text: string, kind: string, data: string])[];
}

const golden: Golden = JSON.parse(
  readFileSync(new URL("../../golden/expressions.json", import.meta.url), "utf8"),
);

const arrays: Readonly<Record<string, new (buffer: ArrayBuffer) => Float64Array>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as never;

const elements = (kind: string, base64: string) =>
  new arrays[kind]!(Uint8Array.from(Buffer.from(base64, "base64")).buffer);

type Options = Parameters<typeof create>[1];

/** A stored array. */
async function stored(
  dtype: string,
  shape: readonly number[],
  data: unknown,
  more: Partial<Options> = {},
): Promise<ZarrArray> {
  const options = { shape, dtype, chunkShape: shape, ...more } as unknown as Options;
  const array = (await create(new Map(), options)) as unknown as ZarrArray;
  if (data !== undefined) await set(array, null, data as Float64Array);
  return array;
}

const operands = Object.fromEntries(
  await Promise.all(
    Object.entries(golden.operands).map(async ([name, [kind, shape, data]]) => [
      name,
      await stored(kind, shape, elements(kind, data)),
    ]),
  ),
) as Record<string, ZarrArray>;

/** Differences of two rounded results of functions such as exp. */
function expectClose(found: Float64Array, expected: Float64Array, text: string): void {
  expect(found.constructor, text).toBe(expected.constructor);
  expect(found.length, text).toBe(expected.length);
  const unit = expected instanceof Float32Array ? 2 ** -23 : 2 ** -52;
  const isRounded = /exp|log|sin|cos|\*\*/.test(text);
  for (const [i, value] of expected.entries()) {
    const other = found[i]!;
    const isSame = value === other || (Number.isNaN(value) && Number.isNaN(other));
    const isNear =
      isRounded && typeof value === "number" && Math.abs(other - value) <= 4 * unit * Math.abs(value);
    expect(isSame || isNear, `${text}[${i}] is ${other}, not ${value}`).toBe(true);
  }
}

describe("as NumPy", () => {
  it("computes the same values of the same types", async () => {
    for (const [text, kind, data] of golden.cases) {
      const array = await expression(text, operands);
      expect(`${text}: ${array.dtype}`).toBe(`${text}: ${kind}`);
      expectClose((await get(array)).data as Float64Array, elements(kind, data), text);
    }
  });

  it("promotes types", async () => {
    for (const [operation, rows] of Object.entries(golden.promotion))
      for (const [i, row] of rows.entries())
        for (const [j, result] of row.entries()) {
          const text = `${golden.kinds[i]} ${operation} ${golden.kinds[j]}`;
          const make = () => expression(text, operands);
          if (result < 0) expect((await errorOf(make))["_tag"], text).toBe("InvalidArgument");
          else expect(`${text}: ${(await make()).dtype}`).toBe(`${text}: ${golden.kinds[result]}`);
        }
  });
});

describe("broadcasting", () => {
  const grid = () =>
    stored("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6), {
      dimensionNames: ["y", "x"],
      chunkShape: [1, 2],
    });

  it("is by name, in any order of dimensions", async () => {
    const turned = await stored("int16", [3, 2], Int16Array.of(0, 10, 20, 30, 40, 50), {
      dimensionNames: ["x", "y"],
      chunkShape: [2, 1],
    });
    const array = await expression("a + b", { a: await grid(), b: turned }, { attributes: { units: "m" } });
    expect(array).toMatchObject({ shape: [2, 3], dimensionNames: ["y", "x"], chunkShape: [1, 2] });
    expect(array.attributes).toEqual({ units: "m" });
    expect((await get(array)).data).toEqual(Float32Array.of(1, 22, 43, 14, 35, 56));
    const column = {
      data: Float64Array.of(100, 200),
      shape: [2],
      stride: [1],
      dimensionNames: ["t"],
    } as never;
    const cube = await expression("b - c * 2", { b: turned, c: column });
    expect(cube).toMatchObject({ shape: [3, 2, 2], dimensionNames: ["x", "y", "t"] });
    expect((await get(cube, { x: 1 })).data).toEqual(Float64Array.of(-180, -380, -170, -370));
  });

  it("is by position without names, and needs all names otherwise", async () => {
    const a = await stored("int32", [2, 1], Int32Array.of(1, 2));
    const b = await stored("int32", [1, 3], Int32Array.of(10, 20, 30));
    const sum = await expression("a + b", { a, b });
    expect(sum).toMatchObject({ shape: [2, 3], dimensionNames: undefined });
    expect((await get(sum)).data).toEqual(Int32Array.of(11, 21, 31, 12, 22, 32));
    expect(await errorOf(async () => expression("a + c", { a, c: await grid() }))).toMatchObject({
      _tag: "InvalidArgument",
      message: expect.stringContaining('operand "a" needs a distinct name for each dimension'),
    });
    const named = { array: a, dimensionNames: ["y", "z"] };
    expect(await expression("a + c", { a: named, c: await grid() })).toMatchObject({ shape: [2, 1, 3] });
    expect(
      await errorOf(() => expression("a + c", { a: { ...named, dimensionNames: ["x", "z"] }, c: b })),
    ).toMatchObject({ _tag: "InvalidArgument" });
    expect(
      (
        await errorOf(async () =>
          expression("a + c", { a: { array: a, dimensionNames: ["x", "z"] }, c: await grid() }),
        )
      ).message,
    ).toContain('dimension "x" has length 3, but 2 in another operand');
  });

  it("takes parts of arrays", async () => {
    const array = await grid();
    const change = await expression("b - a", {
      a: { array, selection: { y: 0 } },
      b: { array, selection: [1] },
    });
    expect(change).toMatchObject({ shape: [3], dimensionNames: ["x"], chunkShape: [2] });
    expect((await get(change)).data).toEqual(Float32Array.of(3, 3, 3));
    const picked = await expression("a * k", { a: { array, selection: [[1, 0, 1], slice(0, 3, 2)] }, k: 2 });
    expect((await get(picked)).data).toEqual(Float32Array.of(8, 12, 2, 6, 8, 12));
    expect((await get(picked, [slice(1, 3), 1])).data).toEqual(Float32Array.of(6, 12));
    expect((await errorOf(() => expression("a", { a: { array, selection: [2] } })))._tag).toBe(
      "InvalidSelection",
    );
  });
});

describe("virtual arrays", () => {
  const bands = async () => {
    const shape = [40, 50];
    const packed = (seed: number) =>
      Int16Array.from({ length: 2000 }, (_, i) => (i % 97 === seed ? -1 : (i * seed) % 3000));
    const more = {
      dimensionNames: ["y", "x"],
      chunkShape: [16, 32],
      attributes: { scale_factor: 0.001, add_offset: 0.5, _FillValue: -1 },
    };
    return {
      red: await stored("int16", shape, packed(3), more),
      nir: await stored("int16", shape, packed(7), more),
    };
  };
  const ndvi = "(nir - red) / (nir + red)";
  const expected = async ({ red, nir }: Record<"red" | "nir", ZarrArray>) => {
    const [a, b] = [(await get(nir)).data, (await get(red)).data] as unknown as [Int16Array, Int16Array];
    const value = (raw: number) => (raw === -1 ? Number.NaN : raw * 0.001 + 0.5);
    return Float64Array.from(a, (raw, i) => (value(raw) - value(b[i]!)) / (value(raw) + value(b[i]!)));
  };

  it("decode operands by CF, and can be copied", async () => {
    const operands = await bands();
    const array = await expression(ndvi, operands);
    expect(array).toMatchObject({ shape: [40, 50], chunkShape: [16, 32], fillValue: Number.NaN });
    const values = await expected(operands);
    expect((await get(array)).data).toEqual(values);
    const target = new Map<string, Uint8Array>();
    await copy(array, target, { codecs: [{ name: "zstd" }] } as never);
    const copied = await open(target, { kind: "array" });
    expect((await get(copied)).data).toEqual(values);
    expect(copied.codecs.map(({ name }) => name)).toEqual(["bytes", "zstd"]);
    const raw = await expression("nir - red", operands, { decode: false });
    expect(raw.dtype.name).toBe("int16");
  });

  it("decode as decodeCF does", async () => {
    const cases: [dtype: string, data: unknown, attributes: object][] = [
      ["int8", Int8Array.of(0, 1, -1, 5), { _Unsigned: "true", _FillValue: -1, scale_factor: 0.1 }],
      ["uint8", Uint8Array.of(0, 1, 255, 5), { _FillValue: 255, missing_value: 0 }],
      ["int16", Int16Array.of(0, -5, 32767, 5), { scale_factor: -0.01, missing_value: [-5, 5] }],
      ["int32", Int32Array.of(0, -5, 2 ** 31 - 1, 5), { _FillValue: 5 }],
      ["int64", BigInt64Array.of(0n, -5n, 2n ** 60n, 5n), { add_offset: 273.15 }],
      ["float32", Float32Array.of(0, 7, Number.NaN, 1.1), { _FillValue: 1.1 }],
      ["float32", Float32Array.of(0, -999, Infinity, 1.1), { missing_value: -999, add_offset: 1 }],
      ["float64", Float64Array.of(0, -999, 1e300, 1.1), { _FillValue: -999 }],
      ["float16", undefined, { _FillValue: 2, scale_factor: 3 }],
      ["bfloat16", Float32Array.of(1, 2, 3.5, 4), {}],
      ["int8", Int8Array.of(0, 1, 1, 0), { dtype: "bool" }],
      ["bool", Uint8Array.of(0, 1, 1, 0), {}],
      ["int32", Int32Array.of(0, 1, 2, 3), { units: "days since 2000-01-01" }],
    ];
    for (const [dtype, data, attributes] of cases) {
      const array = await stored(dtype, [4], data, {
        attributes,
        fillValue: dtype === "bool" ? false : 2,
      } as never);
      const expected = decodeCF(array, await get(array), { times: "counts" });
      const found = await get(await expression("a", { a: array }));
      const name = `${dtype} ${JSON.stringify(attributes)}`;
      const wide =
        expected.data.constructor.name === "Float16Array"
          ? Float32Array.from(expected.data as never)
          : expected.data;
      expect(found.data, name).toEqual(wide);
      expect(found.dtype.name === "bool", name).toBe(expected.kind === "booleans" || dtype === "bool");
    }
  });

  it("can be operands, and be read with pools", async () => {
    const operands = await bands();
    const pool = new WorkerPool({ size: 1 });
    try {
      const inner = await expression(ndvi, operands, { pool });
      const outer = await expression(
        "where(isMissing(v), -1, v) > 0",
        { v: inner },
        { pool, concurrency: 1 },
      );
      expect(outer.dtype.name).toBe("bool");
      const values = await expected(operands);
      expect((await get(outer, null, { pool })).data).toEqual(Uint8Array.from(values, (v) => Number(v > 0)));
    } finally {
      pool.destroy();
    }
  });

  it("can be opened in the viewer, by their stores", async () => {
    const array = await expression(ndvi, await bands(), { attributes: { units: "1", long_name: "NDVI" } });
    const target = { source: array.store, name: "ndvi" };
    const context = { signal: new AbortController().signal, onWarning: () => {} };
    const found = await openTarget(target, context);
    if (found.kind !== "dataset") throw new Error(found.kind);
    expect(found.dataset.axes).toMatchObject([{ name: "y" }, { name: "x" }]);
    expect((await get(found.dataset.levels[0]!.array!, [0, 1])).data).toEqual(
      (await get(array, [0, 1])).data,
    );
  });

  it("pass on errors of operands and aborts", async () => {
    const operands = await bands();
    const failing = new Map([...(operands.red.store as Map<string, Uint8Array>)]);
    failing.set("/c/1/1", Uint8Array.of(1, 2, 3));
    const red = await open(failing, { kind: "array" });
    const array = await expression(ndvi, { ...operands, red });
    expect(await errorOf(() => get(array))).toMatchObject({ _tag: "CorruptChunk", chunkKey: "/c/1/1" });
    await get(array, [0, 0]);
    const reason = new Error("enough");
    const never: Promise<undefined> = new Promise(() => {});
    const documents = new Map([...failing].filter(([key]) => key === "/zarr.json"));
    const waiting = { get: (key: string) => documents.get(key) ?? never };
    const stuck = await expression("a + 1", { a: await open(waiting, { kind: "array" }) });
    const controller = new AbortController();
    const reading = errorOf(() => get(stuck, null, { signal: controller.signal }));
    controller.abort(reason);
    expect(await reading).toBe(reason);
  });

  it("may have no dimensions, and none of some length", async () => {
    const scalar = await stored("int8", [], Int8Array.of(5), { dimensionNames: [] });
    expect((await get(await expression("a * 2.0", { a: scalar }))).data).toEqual(Float64Array.of(10));
    const empty = await stored("int8", [0, 3], new Int8Array(0), { chunkShape: [1, 3] });
    expect(await get(await expression("-a", { a: empty }))).toMatchObject({ shape: [0, 3] });
    expect((await get(await expression("isMissing(a)", { a: scalar }))).data).toEqual(Uint8Array.of(0));
    expect((await get(await expression("a", { a: scalar }))).data).toEqual(Int8Array.of(5));
  });
});

describe("rejects", () => {
  const one = stored("int16", [2], Int16Array.of(1, 2));
  it.each([
    ["", "expected a number, a name", 1],
    ["a +", "found the end", 4],
    ["(a + 1", 'expected ")", found the end', 7],
    ["a b", 'expected an operator, found "b"', 3],
    ["a   ? b", 'unexpected "?"', 5],
    ["a @ 'x'", 'unexpected "@"', 3],
    ["sqroot(a)", 'unknown function "sqroot"', 1],
    ["constructor(a)", 'unknown function "constructor"', 1],
    ["__proto__ + a", 'unknown name "__proto__"; operands are a,', 1],
    ["a.length", 'unexpected "."', 2],
    ["1 < a < 3", "comparisons cannot be chained", 7],
    ["a > 1 & a < 3", "comparisons cannot be chained", 11],
    ["where(a, 1)", "where() takes 3 arguments, got 2", 1],
    ["a + 70000", "70000 is out of range for int16", 3],
    ["a ** -1", "negative exponents", 3],
    ["~(a / 2)", '"~" of float64', 1],
    ["not", "expected a number, a name", 4],
    ["1 + not a", "expected a number, a name", 5],
    ["9 ** 99 ** 9", "", 0],
    ["2 ** 64 * a", "more than 64 bits", 3],
    ["1e5x", 'unexpected "1"', 1],
    ["a\u0000", 'unexpected "\\u0000"', 2],
    [`${"(".repeat(200)}a`, "nested deeper than 100 levels", 101],
    [`a${"+a*2".repeat(600)}`, "more than 1000 operations", 0],
    ["a".repeat(20_000), "20000 characters", 0],
    ["1 + 2", "must name 1 to 64 arrays, got 0", 0],
  ])("%.30s", async (text, message, position) => {
    const error = await errorOf(async () => expression(text, { a: await one }));
    expect(error["_tag"]).toBe("InvalidArgument");
    expect(error.message).toContain(message);
    if (position > 0) {
      expect(error.message).toContain(`at position ${position} of the expression`);
      expect(error["code"]).toBe("bad-expression");
    }
  });

  it("points to the place", async () => {
    const error = await errorOf(async () => expression("(nr + 1) / 2", { nir: await one }));
    expect(error.message).toBe(
      'unknown name "nr"; operands are nir, at position 2 of the expression; did you mean "nir"?\n  (nr + 1) / 2\n   ^',
    );
  });

  it("operands that are not real numbers, and other values", async () => {
    const complex = await stored("complex64", [1], Float32Array.of(1, 2));
    expect(await errorOf(() => expression("a", { a: complex }))).toMatchObject({
      _tag: "Unsupported",
      code: "unsupported-dtype",
    });
    for (const a of ["x", null, undefined, [1], {}, { array: {} }, { data: [1], shape: [1] }])
      expect((await errorOf(() => expression("a", { a: a as never })))["_tag"]).toBe("InvalidArgument");
    for (const wrong of [null, "a", { concurrency: 0 }, { pool: 1 }, { unit: "m" }])
      expect((await errorOf(async () => expression("a", { a: await one }, wrong as never)))["_tag"]).toBe(
        "InvalidArgument",
      );
    expect((await errorOf(() => expression(1 as never, {})))["_tag"]).toBe("InvalidArgument");
  });
});

/** A random expression, and its value at a position. */
type Random = readonly [text: string, at: (y: number, x: number) => number];

const modulo = (x: number, y: number) => {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
};

it("random expressions have the value of each element computed alone", async () => {
  const random = randomizer(41);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const values = (count: number) =>
    Float64Array.from({ length: count }, () =>
      pick([random() * 8 - 4, Math.floor(random() * 5), Number.NaN, Infinity]),
    );
  const [grid, row, turned] = [values(35), values(7), values(35)];
  const leaves: Random[] = [
    ["grid", (y, x) => grid[7 * y + x]!],
    ["row", (_, x) => row[x]!],
    ["turned", (y, x) => turned[5 * x + y]!],
    ["k", () => 2.5],
    ["3", () => 3],
    ["0.75", () => 0.75],
  ];
  const unary: [string, (a: number) => number][] = [
    ["-(A)", (a) => -a],
    ["abs(A)", Math.abs],
    ["sqrt(A)", Math.sqrt],
    ["floor(A)", Math.floor],
    ["ceil(A)", Math.ceil],
    ["(A) ** 2", (a) => a * a],
    ["where(isMissing(A * 1.0), 1, 0.5)", (a) => (Number.isNaN(a) ? 1 : 0.5)],
    ["exp(A)", Math.exp],
  ];
  const binary: [string, (a: number, b: number) => number][] = [
    ["A + B", (a, b) => a + b],
    ["(A) - (B)", (a, b) => a - b],
    ["(A) * (B)", (a, b) => a * b],
    ["(A) / (B)", (a, b) => a / b],
    ["(A) % (B)", modulo],
    ["min(A, B)", Math.min],
    ["max(B, A)", Math.max],
    ["where((A) < (B), A, 2)", (a, b) => (a < b ? a : 2)],
    ["where((A) >= (B) and not ((A) == 3), B, A)", (a, b) => (a >= b && a !== 3 ? b : a)],
    ["clip(A, -1, B)", (a, b) => Math.min(Math.max(a, -1), b)],
  ];
  const make = (depth: number): Random => {
    if (depth === 0) return pick(leaves);
    const [a, f] = make(depth - 1);
    if (random() < 0.3) {
      const [text, apply] = pick(unary);
      return [text.replaceAll("A", a), (y, x) => apply(f(y, x))];
    }
    const [b, g] = make(Math.floor(random() * depth));
    const [text, apply] = pick(binary);
    return [text.replace(/[AB]/g, (name) => (name === "A" ? a : b)), (y, x) => apply(f(y, x), g(y, x))];
  };
  const operands = {
    grid: await stored("float64", [5, 7], grid, { dimensionNames: ["y", "x"], chunkShape: [2, 3] }),
    row: await stored("float64", [7], row, { dimensionNames: ["x"] }),
    turned: await stored("float64", [7, 5], turned, { dimensionNames: ["x", "y"], chunkShape: [4, 5] }),
    k: 2.5,
  };
  for (let round = 0; round < 80; round++) {
    const [inner, at] = make(1 + (round % 4));
    const text = `where(grid > 0, 0, 0) + (${inner})`; // so that all dimensions appear, in this order
    if (text.length > 9000) continue;
    const found = (await get(await expression(text, operands), { y: null, x: null }))
      .data as ArrayLike<number>;
    const expected = Float64Array.from(grid, (_, i) => at(Math.floor(i / 7), i % 7));
    for (const [i, value] of expected.entries()) {
      const isSame = value === found[i] || Math.abs(value - found[i]!) <= Math.abs(value) * 1e-12;
      expect(
        isSame || (Number.isNaN(value) && Number.isNaN(found[i])),
        `${text}: ${found[i]}, not ${value}`,
      ).toBe(true);
    }
  }
});

/** Three years of months on a small grid, in a group with CF times. */
async function climate(): Promise<ZarrArray> {
  const store = new Map<string, Uint8Array>();
  const { createGroup } = await import("zarr-wasm");
  await createGroup(store, {});
  const days = Int32Array.from({ length: 36 }, (_, month) => Date.UTC(2000, month, 15) / 86_400_000 - 10957);
  const time = await create(store, {
    path: "time",
    shape: [36],
    dtype: "int32",
    chunkShape: [36],
    dimensionNames: ["time"],
    attributes: { units: "days since 2000-01-01" },
  });
  await set(time, null, days);
  const data = Float32Array.from({ length: 36 * 6 }, (_, i) =>
    i === 20 ? Number.NaN : Math.fround(Math.sin(i) * 10 + i),
  );
  const array = await create(store, {
    path: "tas",
    shape: [36, 2, 3],
    dtype: "float32",
    chunkShape: [5, 2, 2],
    dimensionNames: ["time", "y", "x"],
  });
  await set(array, null, data);
  return array as unknown as ZarrArray;
}

describe("anomaly", () => {
  it("subtracts the mean of each element's group", async () => {
    const array = await climate();
    const values = (await get(array)).data as Float32Array;
    const difference = await anomaly(array, { groupBy: "time.month", attributes: { units: "K" } });
    expect(difference).toMatchObject({
      shape: [36, 2, 3],
      dimensionNames: ["time", "y", "x"],
      chunkShape: [5, 2, 2],
    });
    expect(difference.dtype.name).toBe("float32");
    const expected = values.map((value, i) => {
      const same = [0, 1, 2]
        .map((year) => values[year * 72 + (i % 72)]!)
        .filter((other) => !Number.isNaN(other));
      return Math.fround(value - same.reduce((a, b) => a + b, 0) / same.length);
    });
    const found = (await get(difference)).data as Float32Array;
    for (const [i, value] of found.entries()) if (i !== 20) expect(value).toBeCloseTo(expected[i]!, 4);
    expect(found[20]).toBeNaN();
    const rest = await reduce(difference, { method: "mean", over: "time" });
    for (const mean of rest.data) expect(mean).toBeCloseTo(0, 4);
  });

  it("subtracts the mean over dimensions", async () => {
    const array = await climate();
    const zonal = await anomaly(array, { over: ["x"] });
    const means = await reduce(array, { method: "mean", over: "x" });
    const values = (await get(array)).data as Float32Array;
    expect((await get(zonal)).data).toEqual(values.map((value, i) => value - means.data[Math.floor(i / 3)]!));
    const [all, total] = [await anomaly(array), await reduce(array, { method: "mean" })];
    expect((await get(all, [3, 1, 2])).data).toEqual(Float32Array.of(values[23]! - total.data[0]!));
    const both = await anomaly(array, { groupBy: "time.year", over: ["y", "x"], concurrency: 1 });
    expect((await get(both, [0, 0, 0])).data[0]).toBeCloseTo(
      values[0]! -
        values
          .subarray(0, 72)
          .filter((v) => !Number.isNaN(v))
          .reduce((a, b) => a + b, 0) /
          71,
      3,
    );
  });

  it("computes the means once, and only when it is read", async () => {
    const array = await climate();
    const store = array.store as Map<string, Uint8Array>;
    const reads = new Map<string, number>();
    const counting = {
      get: (key: string) => {
        if (key.includes("/c/")) reads.set(key, (reads.get(key) ?? 0) + 1);
        return store.get(key);
      },
    };
    const counted = await open(counting, { path: "tas", kind: "array" });
    const difference = await anomaly(counted, { groupBy: "time.month" });
    expect([...reads.keys()].filter((key) => key.startsWith("/tas"))).toEqual([]);
    const controller = new AbortController();
    const aborted = errorOf(() => get(difference, [0], { signal: controller.signal }));
    controller.abort(new Error("enough"));
    expect((await aborted).message).toBe("enough");
    reads.clear();
    await Promise.all([get(difference, [0]), get(difference, [20])]);
    await get(difference, [35]);
    const counts = [...reads].filter(([key]) => key.startsWith("/tas")).map(([, count]) => count);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(16 + 6);
  });

  it("rejects unknown groups and dimensions at once", async () => {
    const array = await climate();
    for (const options of [
      { groupBy: "time.moth" },
      { groupBy: "depth" },
      { over: "z" },
      { group: "time.month" },
    ])
      expect((await errorOf(() => anomaly(array, options as never)))["_tag"]).toBe("InvalidArgument");
    expect((await errorOf(() => anomaly({} as never)))["_tag"]).toBe("InvalidArgument");
  });
});

describe("coordinates of operands", () => {
  const grid = async (version: 2 | 3) => {
    const { createGroup } = await import("zarr-wasm");
    const store = new Map<string, Uint8Array>();
    await createGroup(store, { zarrFormat: version } as never);
    const add = async (path: string, dimensionNames: string[], data: Float64Array, units: string) => {
      const shape = dimensionNames.map((name) => ({ time: 4, lat: 3, lon: 2 })[name]!);
      const attributes = { units };
      const more = { path, shape, dtype: "float64", chunkShape: shape, dimensionNames, attributes };
      const array = await create(store, { ...more, zarrFormat: version } as never);
      await set(array as never, null, data as never);
      return array as unknown as ZarrArray;
    };
    await add("time", ["time"], Float64Array.of(0, 31, 366, 397), "days since 2000-01-01");
    await add("lat", ["lat"], Float64Array.of(-60, 0, 60), "degrees_north");
    await add("lon", ["lon"], Float64Array.of(0, 10), "degrees_east");
    const values = Float64Array.from({ length: 24 }, (_, i) => i * i + 1); // 0 is missing in Zarr v2
    return add("tas", ["time", "lat", "lon"], values, "K");
  };

  it.each([2, 3] as const)("are those of results, Zarr v%i", async (version) => {
    const a = await grid(version);
    const difference = await anomaly(a, { groupBy: "time.month" });
    const months = await reduce(difference, { method: "mean", groupBy: "time.month" });
    expect(months.coordinates["month"]!.data).toHaveLength(2);
    for (const mean of months.data) expect(mean).toBeCloseTo(0, 10);
    const same = await expression("a + 0", { a });
    const weighted = { method: "mean", over: ["lat"], weights: "latitude" } as const;
    const found = await reduce(same, weighted);
    expect(found.data).toEqual((await reduce(a, weighted)).data);
    expect(Object.keys(found.coordinates)).toEqual(["time", "lon"]);
    expect(await sel(same, { lat: 60, lon: 10 })).toEqual(await sel(a, { lat: 60, lon: 10 }));
    const at = { lat: 55, lon: 9 };
    expect((await series(same, { at })).data).toEqual((await series(a, { at })).data);
    const target = new Map<string, Uint8Array>();
    await copy(same, target);
    expect((await get(await open(target, { kind: "array" }))).data).toEqual((await get(a)).data);
    const context = { signal: new AbortController().signal, onWarning: () => {} };
    const shown = await openTarget({ source: same.store, path: same.path }, context);
    if (shown.kind !== "dataset") throw new Error(shown.kind);
    expect(shown.dataset.axes).toMatchObject([{ name: "time" }, { name: "lat" }, { name: "lon" }]);
  });

  it("are strings, times and booleans as well", async () => {
    const array = await grid(3);
    const store = array.store as unknown as Map<string, Uint8Array>;
    const types = {
      ...{ text: "string", code: "<U3", bytes: "|S4", flag: "bool", when: "<M8[s]", span: "<m8[ms]" },
    };
    const values = {
      ...{ text: ["a", "", "süß"], flag: Uint8Array.of(1, 0, 1), when: BigInt64Array.of(0n, 5n, 86_400n) },
      ...{ span: BigInt64Array.of(1n, 2n, 3n), code: new Uint8Array(36).fill(65, 12, 13) },
      bytes: Uint8Array.of(97, 0, 0, 0, 98, 99, 0, 0, 0, 0, 0, 0),
    };
    for (const [path, dtype] of Object.entries(types)) {
      const own = { path, shape: [3], dtype, dimensionNames: ["lat"] };
      const made = await create(store, own as never);
      await set(made as never, null, values[path as "text"] as never);
    }
    const named = Object.keys(types).join(" ");
    await updateAttributes(array, { coordinates: named });
    const again = await open(store, { path: "tas", kind: "array" });
    const found = await reduce(await expression("a", { a: again }), { method: "mean", over: "time" });
    const expected = await reduce(again, { method: "mean", over: "time" });
    expect(Object.keys(found.coordinates).sort()).toEqual([...Object.keys(types), "lat", "lon"].sort());
    for (const [name, { data, dtype }] of Object.entries(expected.coordinates)) {
      expect(found.coordinates[name]!.data).toEqual(data);
      expect(found.coordinates[name]!.dtype).toEqual(dtype);
    }
    const groups = await reduce(await expression("a", { a: again }), { method: "mean", groupBy: "text" });
    expect(groups.coordinates["text"]!.data).toEqual(["", "a", "süß"]);
  });

  it("are found with one request for their group", async () => {
    const { store } = await grid(3);
    const requests: string[] = [];
    const counted = {
      get: async (key: string) => {
        requests.push(key);
        return (store as unknown as Map<string, Uint8Array>).get(key);
      },
    };
    const array = await open(counted, { path: "tas", kind: "array" });
    const calls: (() => Promise<unknown>)[] = [
      () => reduce(array, { method: "mean", groupBy: "time.month", weights: "latitude" }),
      () => series(array, { at: { lat: 55, lon: 9 } }),
      () => series(array, { inside: [0, 0, 20, 90] }),
      () => expression("a + b", { a: array, b: array }),
      () => anomaly(array, { groupBy: "time.month" }),
    ];
    for (const call of calls) {
      requests.length = 0;
      await call();
      expect(requests.filter((key) => key === "/zarr.json")).toHaveLength(1);
    }
  });

  it("are left out along parts of dimensions", async () => {
    const array = await grid(3);
    const part = await expression("a", { a: { array, selection: { lat: slice(0, 2) } } });
    expect(Object.keys((await reduce(part, { method: "mean", over: "lon" })).coordinates)).toEqual(["time"]);
    expect((await errorOf(() => sel(part, { lat: 0 })))["_tag"]).toBe("InvalidSelection");
  });
});
