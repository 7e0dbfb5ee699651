// Downsampling kernels, compared with a slow reference for every fixed-width data type of each method.
import { describe, expect, it } from "vitest";
import { findKernel, reduceBox } from "#src/conventions/ome/pyramid/reduce.js";
import { type ElementData, toBytes, toElements } from "#src/dtypes/elements.js";
import { getSession } from "#src/engine/engine.js";
import { stridesOf } from "#src/util/shapes.js";
import { triedTypes } from "../support/data-types.js";
import { downsample, reducedShape } from "../support/downsample-reference.js";
import { product, randomBytes, randomizer } from "../support/support.js";

/** Reduces all elements of an array in C order into a box. */
function reduceWhole(
  kernel: Parameters<typeof reduceBox>[1],
  data: ElementData,
  shape: readonly number[],
  factors: readonly number[],
  to: Parameters<typeof reduceBox>[6],
): void {
  const from = { data, at: 0, strides: stridesOf(shape) };
  reduceBox(session, kernel, from, shape, data.byteLength / product(shape), factors, to);
}

const session = await getSession("full");

const fixed = triedTypes
  .filter(({ dtype }) => !dtype.isVariable)
  .map(({ label, dtype }) => ({ label, dtype }));
type Dtype = (typeof fixed)[number]["dtype"];

/** All bits are random: NaNs with payloads, infinities, extremes; or few different elements, for ties. */
function randomElements(dtype: Dtype, count: number, seed: number): ElementData {
  const { itemBytes } = dtype;
  const bytes = randomBytes(count * itemBytes, seed);
  if (dtype.core === "bool") for (let i = 0; i < count; i++) bytes[i]! &= 1;
  if (seed % 2 === 0) return toElements(dtype, bytes);
  const random = randomizer(seed + 1);
  for (let i = 3; i < count; i++) {
    const from = Math.floor(random() * 3) * itemBytes;
    bytes.copyWithin(i * itemBytes, from, from + itemBytes);
  }
  return toElements(dtype, bytes);
}

/** Compares numbers bit by bit, except NaNs, whose payloads are not preserved. */
function expectSame(made: ElementData, wanted: ElementData, what: string): void {
  if (made.length !== wanted.length) expect(made.length, what).toBe(wanted.length);
  for (let i = 0; i < made.length; i++)
    if (!Object.is(made[i], wanted[i])) expect(made[i], `${what}, number ${i}`).toBe(wanted[i]);
}

function check(dtype: Dtype, method: "mean" | "mode" | "max", rounds: number): void {
  const random = randomizer(method.length + dtype.name.length);
  const below = (n: number) => Math.floor(random() * n);
  for (let round = 0; round < rounds; round++) {
    const rank = 1 + below(5);
    const shape = Array.from({ length: rank }, () => 1 + below(rank > 3 ? 5 : 11));
    const factors = shape.map(() => (round % 2 ? 2 : 1 + below(4)));
    const source = randomElements(dtype, product(shape), round + 1);
    // Into a box of a larger array: the surrounding elements must not change.
    const box = reducedShape(shape, factors);
    const larger = box.map((length) => length + 1);
    const strides = stridesOf(larger);
    const data = toElements(dtype, new Uint8Array(product(larger) * dtype.itemBytes));
    const before = data.slice();
    reduceWhole(findKernel(method, dtype)!, source, shape, factors, { data, at: 0, strides });
    const width = source.length / product(shape);
    const wanted = downsample(dtype, source, shape, factors, method);
    const stored = toElements(dtype, toBytes(dtype, data)); // float32 stands for smaller types until then
    let n = 0;
    for (let i = 0; i < product(larger); i++) {
      const index = strides.map((stride, axis) => Math.floor(i / stride) % larger[axis]!);
      const inside = index.every((at, axis) => at < box[axis]!);
      const what = `${method} of ${dtype}, [${shape}] by [${factors}]`;
      const from = inside
        ? wanted.subarray(n * width, ++n * width)
        : before.subarray(i * width, (i + 1) * width);
      expectSame(stored.subarray(i * width, (i + 1) * width), from, what);
    }
  }
}

describe.each(["mean", "mode", "max"] as const)("%s", (method) => {
  const taken = fixed.filter(({ dtype }) => findKernel(method, dtype));
  it.each(taken.map(({ label, dtype }) => [label, dtype] as const))(
    "of %s matches the slow one",
    (_, dtype) => {
      check(dtype, method, 24);
    },
  );
});

describe("methods", () => {
  it("accept the types that they are defined for", () => {
    const labels = (method: "mean" | "mode" | "max") =>
      fixed.filter(({ dtype }) => !findKernel(method, dtype)).map(({ label }) => label);
    const notNumbers = [
      "datetime64",
      "timedelta64",
      "raw bytes",
      "byte strings",
      "unicode strings",
      "structs",
    ];
    expect(labels("mode")).toEqual([]);
    expect(labels("mean")).toEqual(notNumbers);
    expect(labels("max").filter((label) => !label.startsWith("complex"))).toEqual(notNumbers);
    expect(labels("max").filter((label) => label.startsWith("complex"))).toHaveLength(14);
  });
});

const reduce = (name: string, method: "mean" | "mode" | "max", data: ElementData, shape: number[]) => {
  const { dtype } = fixed.find(({ label }) => label === name)!;
  const factors = shape.map(() => 2);
  const out = toElements(dtype, new Uint8Array(product(reducedShape(shape, factors)) * dtype.itemBytes));
  const strides = stridesOf(reducedShape(shape, factors));
  reduceWhole(findKernel(method, dtype)!, data, shape, factors, { data: out, at: 0, strides });
  return [...out];
};

describe("pieces", () => {
  it.each([
    ["uint8", [2, 401, 403], [2, 2, 2]],
    ["uint16", [3, 203, 405], [2, 2, 2]],
    ["float32", [2, 203, 407], [1, 3, 2]],
    ["uint64", [5000, 9], [64, 64]],
    ["float64", [70_001], [2]],
  ] as const)("of a box of %s, [%s] by [%s], match the slow one", (name, shape, factors) => {
    const { dtype } = fixed.find(({ label }) => label === name)!;
    const source = randomElements(dtype, product(shape), 4);
    const box = reducedShape(shape, factors);
    const data = toElements(dtype, new Uint8Array(product(box) * dtype.itemBytes));
    const kernel = findKernel("mean", dtype)!;
    reduceWhole(kernel, source, shape, factors, {
      data,
      at: 0,
      strides: stridesOf(box),
    });
    expectSame(data, downsample(dtype, source, shape, factors, "mean"), `mean of ${name}`);
  });
});

describe("the core", () => {
  const reduceWords = (words: readonly number[], bytes: number) => () =>
    session.run("reduce", words, bytes, () => {});

  it("rejects reductions that do not fit the box", () => {
    expect(reduceWords([0, 5, 0, 1, 1, 8, 2], 8)).not.toThrow();
    expect(reduceWords([0, 5, 0, 1, 1, 8, 2], 7)).toThrow("outside");
    expect(reduceWords([0, 5, 0, 1, 1, 8, 2], 9)).toThrow("outside");
    expect(reduceWords([0, 5, 0, 1, 1, 8, 0], 8)).toThrow("parameters");
    expect(reduceWords([3, 5, 0, 1, 1, 8, 2], 8)).toThrow("parameters");
    expect(reduceWords([0, 12, 0, 1, 1, 8, 2], 8)).toThrow("parameters");
    expect(reduceWords([0, 5, 1, 1, 1, 8, 2], 8)).toThrow("parameters");
    expect(reduceWords([0, 5, 0, 1, 65, ...Array.from({ length: 130 }, () => 1)], 1)).toThrow("parameters");
    expect(reduceWords([0, 5, 0, 1, 2, 2 ** 31, 1, 2 ** 31, 1], 8)).toThrow("limit");
    expect(reduceWords([0, 5, 0, 1, 2, 65, 65, 64, 64], 4160)).toThrow("limit");
    expect(reduceWords([0, 5, 0, 1, 1, -8, 2], 8)).toThrow("integers");
    expect(reduceWords([0, 5, 0, 1, 1, 8.5, 2], 8)).toThrow("integers");
    expect(reduceWords([0, 5, 0, 1, 1, 8, 2], 8)).not.toThrow();
  });
});

describe("rules", () => {
  it("integers: a half goes to the even neighbour, and nothing overflows", () => {
    expect(reduce("uint8", "mean", Uint8Array.of(0, 1, 1, 2, 2, 3), [6])).toEqual([0, 2, 2]);
    expect(reduce("int8", "mean", Int8Array.of(-1, 0, -2, -1, -128, -127), [6])).toEqual([0, -2, -128]);
    expect(reduce("uint32", "mean", new Uint32Array(8).fill(0xffffffff), [2, 2, 2])).toEqual([0xffffffff]);
    expect(reduce("int32", "mean", new Int32Array(4).fill(-(2 ** 31)), [2, 2])).toEqual([-(2 ** 31)]);
    const most = 2n ** 64n - 1n;
    expect(reduce("uint64", "mean", new BigUint64Array(8).fill(most), [2, 2, 2])).toEqual([most]);
    expect(reduce("int64", "mean", BigInt64Array.of(-(2n ** 63n), -(2n ** 63n) + 1n), [2])).toEqual([
      -(2n ** 63n),
    ]);
  });

  it("floats: NaNs are skipped, and finite numbers have a finite mean", () => {
    const { NaN: nan, MAX_VALUE: most, POSITIVE_INFINITY: infinity } = Number;
    expect(reduce("float32", "mean", Float32Array.of(1, nan, nan, nan, 3, infinity), [6])).toEqual([
      1,
      nan,
      infinity,
    ]);
    expect(reduce("float32", "max", Float32Array.of(nan, -1, nan, nan, 3, nan), [6])).toEqual([-1, nan, 3]);
    expect(reduce("float64", "mean", Float64Array.of(most, most, -most, -most), [2, 2])).toEqual([0]);
    expect(reduce("float64", "mean", Float64Array.of(most, most), [2])).toEqual([most]);
    expect(reduce("float64", "mean", Float64Array.of(infinity, -infinity), [2])).toEqual([nan]);
  });

  it("labels: the most frequent, of several the first, with all bits", () => {
    expect(reduce("uint16", "mode", Uint16Array.of(7, 5, 5, 7), [2, 2])).toEqual([7]);
    expect(reduce("uint16", "mode", Uint16Array.of(1, 5, 7, 5), [2, 2])).toEqual([5]);
    expect(reduce("uint16", "mode", Uint16Array.of(1, 2, 9, 9), [2, 2])).toEqual([9]);
    expect(reduce("uint8", "mode", Uint8Array.of(1, 2, 3, 3, 2, 4, 5, 6), [2, 2, 2])).toEqual([2]);
    const [a, b] = [2n ** 53n, 2n ** 53n + 1n];
    expect(reduce("uint64", "mode", BigUint64Array.of(a, b, b, a + 2n), [2, 2])).toEqual([b]);
  });

  it("booleans: a half is false", () => {
    expect(reduce("bool", "mean", Uint8Array.of(1, 0, 1, 0), [2, 2])).toEqual([0]);
    expect(reduce("bool", "mean", Uint8Array.of(1, 1, 1, 0), [2, 2])).toEqual([1]);
    expect(reduce("bool", "max", Uint8Array.of(0, 0, 1, 0), [2, 2])).toEqual([1]);
  });
});
