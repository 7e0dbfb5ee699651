// zarrita's `set` in the drop-in: the same calls in both libraries, each reading the other's output, values in every layout.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { amount } from "../support/amounts.js";
import { ours, small, stored, valuesOf, type Zarrita } from "../support/both-libraries.js";
import { errorOf, everyIndex } from "../support/support.js";
import { type Files, files, jsonIn } from "../support/writing-tools.js";
import { bytesBig, bytesLittle, transposed } from "../support/zarr-writer.js";

/** An element of each type, from a number. */
const elements: Record<string, (n: number) => unknown> = {
  int8: (n) => n - 9,
  uint8: (n) => n,
  int16: (n) => n * 300,
  uint16: (n) => n * 1000,
  int32: (n) => n * 70_000,
  uint32: (n) => n * 100_000,
  int64: (n) => BigInt(n) * 2n ** 55n,
  uint64: (n) => (n === 0 ? 0n : BigInt(n) + 2n ** 63n),
  float32: (n) => n / 4,
  float64: (n) => n / 3,
  bool: (n) => n % 2 === 1,
};
const kinds: Record<string, { from(values: never[]): unknown }> = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as never;

describe("the same calls", () => {
  /** The operations of a program on an array, through either library. */
  async function paint(zarr: Zarrita, dtype: string, codecs: object[]): Promise<Files> {
    const store = files();
    const at = elements[dtype]!;
    const array = await zarr.create(zarr.root(store as never).resolve("a/b"), {
      shape: [5, 7],
      chunkShape: [2, 3],
      dtype: dtype as "int32",
      codecs: codecs as never,
      fillValue: (typeof at(0) === "bigint" ? 0 : at(0)) as number, // zarrita cannot print bigints
      attributes: { by: "both" },
      dimensionNames: ["y", "x"],
    });
    const chunk = (shape: number[], stride: number[]) => {
      const values = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => at(i + 1)) as never[];
      const data = dtype === "bool" ? new zarr.BoolArray(values) : kinds[dtype]!.from(values);
      return { data, shape, stride } as never;
    };
    await zarr.set(array, [1, null], at(11) as number);
    await zarr.set(array, [zarr.slice(2, 4), zarr.slice(1, 6)], chunk([2, 5], [5, 1]));
    await zarr.set(array, [null, 4], chunk([5], [1]));
    await zarr.set(array, [zarr.slice(0, 5, 2), zarr.slice(0, 3)], chunk([3, 3], [1, 3])); // columns first
    await zarr.set(array, [4, 6], at(17) as number);
    return store;
  }

  /** The outcome. */
  const painted = [
    ...[1, 4, 7, 0, 1, 0, 0],
    ...[11, 11, 11, 11, 2, 11, 11],
    ...[2, 5, 8, 3, 3, 5, 0],
    ...[0, 6, 7, 8, 4, 10, 0],
    ...[3, 6, 9, 0, 5, 0, 17],
  ];

  const chains: [string, object[]][] = [
    ["none", []],
    ["zstd", [bytesLittle, { name: "zstd", configuration: { level: 1, checksum: false } }]],
    ["a transpose", [transposed(1, 0), bytesBig]],
  ];

  const all = Object.keys(elements).flatMap((dtype) => chains.map((chain) => [dtype, ...chain] as const));
  const expectedOf = (dtype: string) =>
    painted
      .map((n) => elements[dtype]!(n))
      .map((value) => (typeof value === "boolean" ? Number(value) : value));
  const closeOf = (dtype: string) => (values: unknown[]) =>
    values.map((value) => (dtype === "float64" ? Number((value as number).toFixed(9)) : value));

  it.each(all)("make an array of %s, codecs: %s", async (dtype, _, codecs) => {
    const close = closeOf(dtype);
    expect(close(await stored(await paint(ours, dtype, codecs), "a/b"))).toEqual(close(expectedOf(dtype)));
  });

  // zarrita writes and reads transposed booleans in another order.
  const alike = all.filter(([dtype, chain]) => !(dtype === "bool" && chain === "a transpose"));
  it.each(alike)("make the same array of %s as zarrita, codecs: %s", async (dtype, _, codecs) => {
    const own = await paint(ours, dtype, codecs as object[]);
    const [expected, close] = [expectedOf(dtype), closeOf(dtype)];
    const theirs = await paint(zarrita, dtype, codecs as object[]);
    expect([...own.keys()].sort()).toEqual([...theirs.keys()].sort());
    expect(close(await stored(theirs, "a/b"))).toEqual(close(expected));
    const read = await zarrita.open(zarrita.root(own as never).resolve("a/b"), { kind: "array" });
    expect([read.dtype, read.attrs, read.dimensionNames]).toEqual([dtype, { by: "both" }, ["y", "x"]]);
    const { data, stride } = await zarrita.get(read, null);
    const values = valuesOf(data);
    const inOrder = values.map((_, i) => values[Math.floor(i / 7) * stride[0]! + (i % 7) * stride[1]!]);
    expect(close(inOrder.map((value) => (typeof value === "boolean" ? Number(value) : value)))).toEqual(
      close(expected),
    );
  });

  it("text of any length, with strides too", async () => {
    const store = files();
    const options = { shape: [2, 3], chunkShape: [2, 2], dtype: "string", fillValue: "none" } as const;
    const array = await dropIn.create(store, { ...options, shape: [2, 3], chunkShape: [2, 2] });
    await dropIn.set(array, [0, null], "é");
    await dropIn.set(array, [null, 2], { data: ["p", "q"], shape: [2], stride: [1] });
    await dropIn.set(array, [dropIn.slice(2), dropIn.slice(2)], {
      data: ["a", "b", "c", "d"],
      shape: [2, 2],
      stride: [1, 2],
    });
    expect(await stored(store)).toEqual(["a", "c", "p", "b", "d", "q"]);
    const read = await zarrita.open(store as never, { kind: "array" });
    expect((await zarrita.get(read)).data).toEqual(["a", "c", "p", "b", "d", "q"]);
  });

  it.each(["v2:U3", "v2:S3"] as const)("text of fixed length: %s", async (dtype) => {
    const store = files();
    const array = await dropIn.create(store, { shape: [4], chunkShape: [3], dtype, fillValue: "-" });
    const Kind = dtype === "v2:U3" ? dropIn.UnicodeStringArray : dropIn.ByteStringArray;
    const data = new Kind(3, ["abc", "x", "yz", ""]);
    await dropIn.set(array, [dropIn.slice(1, 3)], { data, shape: [2], stride: [2] } as never);
    await dropIn.set(array, [3], "end");
    const again = await dropIn.open(store, { kind: "array" });
    expect([again.dtype, again.fillValue]).toEqual([dtype, "-"]);
    expect(valuesOf((await dropIn.get(again)).data)).toEqual(["-", "abc", "yz", "end"]);
  });
});

describe("values in any layout", () => {
  const at = (i: number, j: number) => 10 * i + j;
  const wanted = Array.from({ length: 35 }, (_, i) => at(Math.floor(i / 7), i % 7));
  const rows = Int32Array.from(wanted);
  const columns = Int32Array.from(wanted, (_, i) => at(i % 5, Math.floor(i / 5)));
  const backwards = Int32Array.from(wanted).reverse();
  const padded = Int32Array.from({ length: 60 }, (_, i) => at(Math.floor((i - 4) / 11), (i - 4) % 11));

  it.each<[string, object]>([
    ["rows", { data: rows, stride: [7, 1] }],
    ["no strides", { data: rows }],
    ["columns", { data: columns, stride: [1, 5] }],
    ["backwards", { data: backwards, stride: [-7, -1], offset: 34 }],
    ["a part of something larger", { data: padded, stride: [11, 1], offset: 4 }],
  ])("%s", async (_, given) => {
    const store = files();
    const array = await small(store);
    const before = (given as { data: Int32Array }).data.slice();
    await dropIn.set(array, null, { shape: [5, 7], ...given } as never);
    expect(await stored(store)).toEqual(wanted);
    expect((given as { data: Int32Array }).data).toEqual(before);
  });

  it("any strides, forwards and backwards, from any element on", async () => {
    const axis = fc.record({ length: fc.integer({ min: 0, max: 4 }), step: fc.integer({ min: -7, max: 7 }) });
    const layout = fc.array(axis, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(layout, fc.nat({ max: 9 }), async (axes, room) => {
        const shape = axes.map(({ length }) => length);
        const stride = axes.map(({ step }) => step);
        const places = everyIndex(shape).map((index) => index.reduce((sum, i, k) => sum + i * stride[k]!, 0));
        const offset = room - Math.min(0, ...places);
        const data = Int32Array.from({ length: offset + Math.max(0, ...places) + 1 }, (_, i) => i * i);
        const store = files();
        const chunkShape = shape.map(() => 2);
        const array = await dropIn.create(store, { shape, chunkShape, dtype: "int32" });
        await dropIn.set(array, null, { data, shape, stride, offset } as never);
        expect(await stored(store)).toEqual(places.map((place) => data[offset + place]));
      }),
      { numRuns: amount(25, 100) },
    );
  });

  it("one row for all, and a single element in whatever shape", async () => {
    const store = files();
    const array = await small(store);
    await dropIn.set(array, null, {
      data: Int32Array.of(1, 2, 3, 4, 5, 6, 7),
      shape: [5, 7],
      stride: [0, 1],
    });
    expect(await stored(store)).toEqual(wanted.map((_, i) => 1 + (i % 7)));
    await dropIn.set(array, [2, 2], { data: Int32Array.of(99), shape: [1, 1], stride: [1, 1] });
    await dropIn.set(array, [2, 3], { data: Int32Array.of(98), shape: [], stride: [] });
    expect((await stored(store)).slice(16, 18)).toEqual([99, 98]);
  });

  it("booleans column by column, also zarrita's own", async () => {
    for (const zarr of [zarrita, ours]) {
      const store = files();
      const array = await dropIn.create(store, { shape: [2, 3], chunkShape: [2, 2], dtype: "bool" });
      const data = new zarr.BoolArray([true, false, false, true, true, true]);
      await dropIn.set(array, null, { data, shape: [2, 3], stride: [1, 2] } as never);
      expect(await stored(store)).toEqual([1, 0, 1, 0, 1, 1]);
    }
  });

  it("in another package's form, by its own functions", async () => {
    /** Regions as functions of their index. */
    interface Made {
      data: Int32Array;
      shape: number[];
      stride: number[];
      at(...index: number[]): number;
    }
    const made = (data: Int32Array, shape: number[], stride: number[]): Made => ({
      data,
      shape,
      stride,
      at: (...index) => data[index.reduce((sum, i, axis) => sum + i * stride[axis]!, 0)]!,
    });
    const setter = {
      prepare: made,
      setScalar() {},
      setFromChunk(target: Made, source: Made, projections: dropIn.Projection[]) {
        const visit = (to: number[], from: number[]): void => {
          const projection = projections[to.length];
          if (!projection)
            target.data[to.reduce((sum, i, axis) => sum + i * target.stride[axis]!, 0)] = source.at(...from);
          else if (projection.from === null) visit([...to, projection.to], from);
          else if (projection.to === null) visit(to, [...from, projection.from]);
          else for (let i = 0; i < projection.to[1]; i++) visit([...to, i], [...from, i]);
        };
        visit([], []);
      },
    };
    const store = files();
    const array = await small(store);
    const write = (selection: (dropIn.Slice | number | null)[] | null, value: unknown) =>
      dropIn._zarrita_internal_set(array, selection, value as never, {}, setter as never);
    await write(null, made(columns, [5, 7], [1, 5]));
    expect(await stored(store)).toEqual(wanted);
    await write([1, null], -1);
    await write([2, dropIn.slice(0, 7, 3)], made(Int32Array.of(1, 2, 3), [3], [1]));
    await write([4, 6], made(Int32Array.of(5), [], []));
    expect((await stored(store)).slice(7)).toEqual([
      ...new Array(7).fill(-1),
      1,
      21,
      22,
      2,
      24,
      25,
      3,
      ...wanted.slice(21, 34),
      5,
    ]);
    const error = await errorOf(() => write([1, null], made(Int32Array.of(1, 2, 3), [3], [1])));
    expect(error["_tag"]).toBe("InvalidArgument");
  });
});

describe("options", () => {
  it("a signal ends the write, also one among the options for stores", async () => {
    const reason = new Error("enough");
    for (const options of [
      { signal: AbortSignal.abort(reason) },
      { opts: { signal: AbortSignal.abort(reason) } },
    ]) {
      const store = files();
      const array = await small(store);
      expect(await errorOf(() => dropIn.set(array, null, 1, options))).toBe(reason);
      expect(store.size).toBe(1);
    }
  });

  it("writes as many chunks at a time as the queue allows, and reports progress", async () => {
    const held = files();
    let [now, most] = [0, 0];
    const store = {
      get: async (key: string) => held.get(key),
      async set(key: string, value: Uint8Array) {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 1));
        held.set(key, value);
        now--;
      },
    };
    const array = await small(store as never);
    const done: number[] = [];
    const createQueue = () => ({ add() {}, onIdle: async () => [], concurrency: 2 });
    await dropIn.set(array, null, 1, { createQueue, onProgress: ({ chunks }) => done.push(chunks) });
    expect([most, done.at(-1)]).toEqual([2, 9]);
  });
});

describe("writes that zarrita accepts silently, and this library rejects before it writes anything", () => {
  const chunk = (data: unknown, shape: number[], stride?: number[]) => ({
    data,
    shape,
    ...(stride && { stride }),
  });
  it.each<[string, unknown]>([
    ["a number out of range", 2 ** 40],
    ["a fraction", 1.5],
    ["another kind of typed array", chunk(new Float32Array(35), [5, 7])],
    ["another shape", chunk(new Int32Array(35), [7, 5])],
    ["too few values", chunk(new Int32Array(34), [5, 7])],
    ["strides that lead outside", chunk(new Int32Array(35), [5, 7], [8, 1])],
    ["strides that are none", chunk(new Int32Array(35), [5, 7], [7])],
    ["a list of numbers", chunk([...new Array(35).keys()], [5, 7])],
  ])("%s", async (_, value) => {
    const store = files();
    const array = await small(store);
    const error = await errorOf(() => dropIn.set(array, null, value as number));
    expect([error["_tag"], store.size]).toEqual(["InvalidArgument", 1]);
  });
});

describe("writing through wrappers", () => {
  it("arrays that are made from metadata", async () => {
    const store = files();
    await small(store);
    const array = new dropIn.Array<"int32", Files>(store, "/", jsonIn(store, "/zarr.json"));
    await dropIn.set(array, [4, null], 3);
    expect((await stored(store)).slice(28)).toEqual(new Array(7).fill(3));
  });

  it("all of them at once lose nothing", async () => {
    const store = files();
    const array = await small(store, { chunkShape: [5, 7] });
    const fromMetadata = () => new dropIn.Array<"int32", Files>(store, "/", jsonIn(store, "/zarr.json"));
    const extended = dropIn.withByteCaching(store as never) as never;
    const opened = async () => (await dropIn.open(extended, { kind: "array" })) as never as typeof array;
    const handles = await Promise.all(
      Array.from({ length: 35 }, (_, i) => [array, fromMetadata(), opened()][i % 3]),
    );
    await Promise.all(handles.map((handle, i) => dropIn.set(handle!, [Math.floor(i / 7), i % 7], i + 1)));
    expect(await stored(store)).toEqual(Array.from({ length: 35 }, (_, i) => i + 1));
  });

  it("caches of extensions, which discard replaced objects", async () => {
    const store = files();
    await small(store);
    const cached = dropIn.withByteCaching(store as never);
    const array = (await dropIn.open(cached as never, { kind: "array" })) as never as dropIn.Array<
      "int32",
      Files
    >;
    expect(await dropIn.get(array, [0, 0])).toBe(0);
    await dropIn.set(array, [0, 0], 1);
    await dropIn.set(array, [0, 1], 2);
    expect([await dropIn.get(array, [0, 0]), await dropIn.get(array, [0, 1])]).toEqual([1, 2]);
    await small(cached as never, { shape: [2, 2] });
    expect((await dropIn.open(cached as never, { kind: "array" })).shape).toEqual([2, 2]);
  });
});
