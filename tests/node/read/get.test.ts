// Regions: get, getBytes and getChunk against a slow oracle, over random shapes, chunks and selections.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { get, getBytes, type Selection, type Store, slice } from "zarr-wasm";
import { type CodecChainDType, createCodecChain } from "zarr-wasm/codecs";
import { amount } from "../support/amounts.js";
import {
  bytesOf,
  errorOf,
  everyIndex,
  flatIndex,
  openArray,
  product,
  randomBytes,
  v1Meta,
  v1Store,
  writeV1,
} from "../support/support.js";

const itemBytes = { "|u1": 1, "<i2": 2, ">i2": 2, ">f8": 8, "|V3": 3, "<c16": 16 } as const;
type Type = keyof typeof itemBytes;
const chainTypes: Record<Type, [string, string?]> = {
  "|u1": ["uint8"],
  "<i2": ["int16", "little"],
  ">i2": ["int16", "big"],
  ">f8": ["float64", "big"],
  "|V3": ["r24"],
  "<c16": ["complex128", "little"],
};

/** Fill values and their bytes: of those types that have one in v1 not zeros, which nothing written might be, too. */
const fills: Record<Type, [fillValue: unknown, bytes: ArrayBufferView]> = {
  "|u1": [85, Uint8Array.of(85)],
  "<i2": [-259, Int16Array.of(-259)],
  ">i2": [-259, Int16Array.of(-259)],
  ">f8": [-1.5, Float64Array.of(-1.5)],
  "|V3": [null, new Uint8Array(3)],
  "<c16": [[1.5, -2], Float64Array.of(1.5, -2)],
};

interface Sample {
  store: Map<string, Uint8Array>;
  elements: Uint8Array;
}

/** A v1 store of random elements; about one chunk in `missing` does not exist. */
async function makeSample(
  type: Type,
  shape: number[],
  chunks: number[],
  order: "C" | "F",
  compression: string,
  missing = 4,
): Promise<Sample> {
  const [fillValue, fill] = fills[type];
  const store = v1Store({
    shape,
    chunks,
    dtype: type,
    fill_value: fillValue,
    order,
    compression,
    compression_opts: compression === "blosc" ? { cname: "lz4", clevel: 1, shuffle: 1 } : null,
  });
  const elements = randomBytes(product(shape) * itemBytes[type], product(shape) + 1);
  const [dataType, endian] = chainTypes[type];
  const chain = await createCodecChain({
    dtype: dataType as CodecChainDType,
    shape: chunks,
    codecs: [
      ...(order === "F" ? [{ name: "transpose", configuration: { order: "F" } }] : []),
      { name: "bytes", configuration: endian ? { endian } : {} },
      ...(compression === "blosc"
        ? [
            {
              name: "blosc",
              configuration: { cname: "lz4", clevel: 1, shuffle: "shuffle", typesize: itemBytes[type] },
            },
          ]
        : []),
    ],
  });
  const example = chain.decode(
    chain.encode(
      new (kindOf(type))(product(chunks) * (type === "|V3" ? 3 : type === "<c16" ? 2 : 1)) as never,
    ),
  );
  const Kind = example.constructor as new (buffer: ArrayBufferLike) => never;
  let seen = 0;
  const isMissing = () => missing > 0 && seen++ % missing === missing - 1;
  const gone: string[] = [];
  await writeV1(
    store,
    { shape, chunks, itemBytes: itemBytes[type] },
    elements,
    (chunk) => chain.encode(new Kind(chunk.slice().buffer)),
    (key) => {
      const is = isMissing();
      if (is) gone.push(key);
      return is;
    },
  );
  for (const key of gone) blank(elements, key, shape, chunks, new Uint8Array(fill.buffer));
  return { store, elements };
}

function kindOf(type: Type) {
  return {
    "|u1": Uint8Array,
    "<i2": Int16Array,
    ">i2": Int16Array,
    ">f8": Float64Array,
    "|V3": Uint8Array,
    "<c16": Float64Array,
  }[type];
}

function blank(elements: Uint8Array, key: string, shape: number[], chunks: number[], fill: Uint8Array) {
  const at = shape.length === 0 ? [] : key.slice(1).split(".").map(Number);
  for (const index of everyIndex(shape)) {
    if (index.every((i, axis) => Math.floor(i / chunks[axis]!) === at[axis])) {
      elements.set(fill, flatIndex(index, shape) * fill.byteLength);
    }
  }
}

/** The result of a selection, element by element. */
function slowGet(elements: Uint8Array, shape: number[], width: number, lists: number[][]): Uint8Array {
  const out = new Uint8Array(product(lists.map((list) => list.length)) * width);
  let to = 0;
  for (const index of lists.reduce<number[][]>(
    (all, list) => all.flatMap((prefix) => list.map((i) => [...prefix, i])),
    [[]],
  )) {
    const from = flatIndex(index, shape) * width;
    out.set(elements.subarray(from, from + width), to);
    to += width;
  }
  return out;
}

const axisCase = fc.record({
  length: fc.integer({ min: 1, max: 9 }),
  chunk: fc.integer({ min: 1, max: 5 }),
  kind: fc.constantFrom("all", "index", "slice"),
  start: fc.nat(8),
  extent: fc.nat(9),
  step: fc.integer({ min: 1, max: 4 }),
});

describe("get", () => {
  it("matches a simple reference reader, for random arrays and selections", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axisCase, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<Type[]>("|u1", "<i2", ">i2", ">f8", "|V3", "<c16"),
        fc.constantFrom<("C" | "F")[]>("C", "F"),
        fc.constantFrom("none", "blosc"),
        async (axes, type, order, compression) => {
          const shape = axes.map((axis) => axis.length);
          const chunks = axes.map((axis) => axis.chunk);
          const { store, elements } = await makeSample(type, shape, chunks, order, compression);
          const lists = axes.map((axis) => {
            if (axis.kind === "all") return Array.from({ length: axis.length }, (_, i) => i);
            if (axis.kind === "index") return [axis.start % axis.length];
            const list: number[] = [];
            for (let i = axis.start; i < Math.min(axis.length, axis.start + axis.extent); i += axis.step)
              list.push(i);
            return list;
          });
          const selection: Selection = axes.map((axis) =>
            axis.kind === "all"
              ? null
              : axis.kind === "index"
                ? axis.start % axis.length
                : slice(axis.start, axis.start + axis.extent, axis.step),
          );
          const array = await openArray(store);
          const region = await getBytes(array, selection);
          expect(region.shape).toEqual(
            lists.flatMap((list, i) => (axes[i]!.kind === "index" ? [] : [list.length])),
          );
          expect(Buffer.from(region.bytes).equals(slowGet(elements, shape, itemBytes[type], lists))).toBe(
            true,
          );
        },
      ),
      { numRuns: amount(75, 300) },
    );
  });

  it("assembles larger arrays from slabs", async () => {
    for (const [shape, chunks] of [
      [
        [35, 40, 70],
        [32, 32, 32],
      ],
      [
        [3, 5000],
        [2, 700],
      ],
      [
        [2500, 3],
        [700, 2],
      ],
      [[60_000], [7777]],
    ] as const) {
      for (const order of ["C", "F"] as const) {
        const { store, elements } = await makeSample(">i2", [...shape], [...chunks], order, "blosc");
        const array = await openArray(store);
        expect(Buffer.from((await getBytes(array)).bytes).equals(elements)).toBe(true);
      }
    }
  });

  it("returns typed arrays with shape, stride and dtype", async () => {
    const { store, elements } = await makeSample("<i2", [4, 6], [3, 4], "C", "none", 0);
    const array = await openArray(store);
    const region = await get(array, [slice(1, 4), slice(null, null, 2)]);
    expect(region.data).toBeInstanceOf(Int16Array);
    expect([region.shape, region.stride, String(region.dtype)]).toEqual([[3, 3], [3, 1], "int16"]);
    const scalar = await get(array, [2, -1]);
    expect([scalar.shape, scalar.stride, scalar.data.length]).toEqual([[], [], 1]);
    expect(scalar.data[0]).toBe(new Int16Array(elements.buffer)[2 * 6 + 5]);
    const empty = await get(array, [slice(2, 2)]);
    expect([empty.shape, empty.data.length]).toEqual([[0, 6], 0]);
  });

  it("fills the caller's array, and shared memory", async () => {
    const { store, elements } = await makeSample("<i2", [4, 6], [3, 4], "F", "blosc", 0);
    const array = await openArray(store);
    const out = new Int16Array(24);
    const region = await get(array, null, { out });
    expect(region.data).toBe(out);
    expect(Buffer.from(out.buffer).equals(elements)).toBe(true);
    const shared = await get(array, null, { useSharedArrayBuffer: true });
    expect(shared.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect((await errorOf(() => get(array, null, { out: new Int16Array(23) })))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => get(array, null, { out: new Uint16Array(24) })))._tag).toBe(
      "InvalidArgument",
    );
  });

  it("reads whole chunks, overhang included", async () => {
    const { store } = await makeSample("<i2", [4, 6], [3, 4], "C", "none", 0);
    const array = await openArray(store);
    const chunk = await array.getChunk([1, 1]);
    expect([chunk.shape, chunk.stride, chunk.data.length]).toEqual([[3, 4], [4, 1], 12]);
    expect(new Uint8Array(chunk.data.buffer)).toEqual(store.get("/1.1"));
    for (const bad of [[2, 0], [0, 2], [0], [-1, 0], [0.5, 0], [0, 0, 0]]) {
      expect((await errorOf(() => array.getChunk(bad)))._tag).toBe("InvalidSelection");
    }
  });

  it("returns fill values for missing chunks", async () => {
    const store = v1Store({ dtype: "<i4", fill_value: -3 });
    const array = await openArray(store);
    expect([...((await get(array)).data as Int32Array)]).toEqual(Array(24).fill(-3));
    expect([...((await array.getChunk([0, 0])).data as Int32Array)]).toEqual(Array(6).fill(-3));
    const empty = await openArray(v1Store({ fill_value: null }));
    expect(empty.fillValue).toBe(null);
    expect([...((await get(empty)).data as Int32Array)]).toEqual(Array(24).fill(0));
    const big = await openArray(v1Store({ dtype: ">f8", compression: "blosc", fill_value: 1.5 }));
    expect([...((await get(big)).data as Float64Array)]).toEqual(Array(24).fill(1.5));
  });

  it("fetches only the chunks that a selection touches, each once, within its concurrency", async () => {
    const { store } = await makeSample("|u1", [20, 20], [5, 5], "C", "none", 0);
    const keys: string[] = [];
    let running = 0;
    let most = 0;
    const counting: Store = {
      async get(key) {
        keys.push(key);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return store.get(key);
      },
    };
    const array = await openArray(counting);
    keys.length = 0;
    most = 0;
    await get(array, [slice(4, 11), 12], { concurrency: 2 });
    expect(keys.sort()).toEqual(["/0.2", "/1.2", "/2.2"]);
    expect(most).toBe(2);
    most = 0;
    await get(array, null, { concurrency: 3 });
    expect(most).toBe(3);
    expect((await errorOf(() => get(array, null, { concurrency: 0 })))._tag).toBe("InvalidArgument");
  });

  it("reports progress", async () => {
    const { store } = await makeSample("|u1", [10, 10], [5, 5], "C", "none", 0);
    const array = await openArray(store);
    const seen: [number, number, number][] = [];
    await get(array, null, {
      onProgress: (p) => seen.push([p.chunks, p.totalChunks, p.bytes]),
      concurrency: 1,
    });
    expect(seen).toEqual([
      [1, 4, 25],
      [2, 4, 50],
      [3, 4, 75],
      [4, 4, 100],
    ]);
  });

  it("reports which chunks are not stored", async () => {
    const { store } = await makeSample("|u1", [10, 10], [5, 5], "C", "none", 0);
    const part: Store = { get: async (key) => (key === "/1.0" ? undefined : store.get(key)) };
    const array = await openArray(part);
    const seen: (readonly number[])[] = [];
    const onMissing = (coordinates: readonly number[]) => seen.push(coordinates);
    await get(array, null, { onMissing });
    expect(seen).toEqual([[1, 0]]);
    await get(array, [slice(0, 5)], { onMissing });
    await array.getChunk([0, 0], { onMissing });
    expect(seen).toHaveLength(1);
    await array.getChunk([1, 0], { onMissing });
    expect(seen).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it("throws the signal's reason, stops fetching, and works again afterwards", async () => {
    const { store, elements } = await makeSample(">i2", [40, 40], [5, 5], "C", "blosc", 0);
    const controller = new AbortController();
    let fetched = 0;
    const slow: Store = {
      async get(key) {
        if (/\d/.test(key) && ++fetched === 5) controller.abort(new Error("enough"));
        await new Promise((resolve) => setTimeout(resolve, 1));
        return store.get(key);
      },
    };
    const array = await openArray(slow);
    expect(
      (await errorOf(() => get(array, null, { signal: controller.signal, concurrency: 4 }))).message,
    ).toBe("enough");
    expect(fetched).toBeLessThan(12);
    const aborted = AbortSignal.abort(new Error("before"));
    expect((await errorOf(() => get(array, null, { signal: aborted }))).message).toBe("before");
    expect(await errorOf(() => openArray(slow, { signal: aborted }))).toBeDefined();
    expect(Buffer.from((await getBytes(array)).bytes).equals(elements)).toBe(true);
  });

  it("names the chunk that cannot be decoded, returns nothing, and decodes the next well", async () => {
    const { store, elements } = await makeSample(">i2", [10, 10], [5, 5], "C", "blosc", 0);
    const good = store.get("/1.0")!;
    store.set("/1.0", good.slice(0, good.length - 3));
    const array = await openArray(store);
    for (const work of [() => get(array), () => array.getChunk([1, 0])]) {
      const error = await errorOf(work);
      expect([error._tag, error.codec, error.chunkKey]).toEqual(["CorruptChunk", "blosc", "/1.0"]);
      expect(error.message).toMatch(/chunk \/1\.0: codec blosc: /);
    }
    const out = new Int16Array(50);
    await get(array, [slice(0, 5)], { out });
    store.set("/1.0", good);
    expect(Buffer.from((await getBytes(array)).bytes).equals(elements)).toBe(true);
  });

  it("refuses uncompressed chunks of the wrong size", async () => {
    const { store } = await makeSample("<i2", [10, 40], [5, 40], "C", "none", 0);
    const good = store.get("/1.0")!;
    const array = await openArray(store);
    for (const bad of [good.slice(1), Uint8Array.from([...good, 0]), new Uint8Array(0)]) {
      store.set("/1.0", bad);
      const error = await errorOf(() => get(array));
      expect([error._tag, error.code, error.chunkKey]).toEqual(["CorruptChunk", "size-mismatch", "/1.0"]);
    }
  });

  it("limits encoded chunks and results", async () => {
    const { store } = await makeSample("<i2", [10, 10], [5, 5], "C", "none", 0);
    const small = await openArray(store, { limits: { encodedBytes: 49 } });
    expect((await errorOf(() => get(small)))._tag).toBe("LimitExceeded");
    const narrow = await openArray(store, { limits: { resultBytes: 199 } });
    expect((await errorOf(() => get(narrow)))._tag).toBe("LimitExceeded");
    const huge = await openArray(v1Store({ shape: [2 ** 50], chunks: [10] }));
    expect((await errorOf(() => get(huge)))._tag).toBe("LimitExceeded");
  });

  it("leaves no slab behind, whatever happens", async () => {
    const { store } = await makeSample(">i2", [30, 30], [10, 10], "C", "blosc", 0);
    const bad = new Map(store).set("/2.2", Uint8Array.of(1, 2, 3));
    const [good, broken] = [await openArray(store), await openArray(bad)];
    for (let i = 0; i < 600; i++) {
      await get(good);
      await errorOf(() => get(broken));
    }
    await get(good); // the core has room for 256 slabs: this fails if any was leaked
  });

  it("rejects objects that are not opened arrays", async () => {
    expect((await errorOf(() => get({} as never)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => openArray(5 as never)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => openArray("ftp://host/x")))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => openArray(v1Store(), { v1Order: "x" as never })))._tag).toBe(
      "InvalidArgument",
    );
    const meta = bytesOf(JSON.stringify(v1Meta()));
    expect((await openArray({ get: async (key) => (key === "/meta" ? meta : undefined) })).kind).toBe(
      "array",
    );
  });
});
