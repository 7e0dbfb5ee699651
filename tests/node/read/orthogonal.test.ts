// Lists of indices and masks, alone and combined with slices, compared with a reader that picks element by element.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DimensionSelection,
  get,
  getBytes,
  MapStore,
  open,
  type Selection,
  type Store,
  slice,
} from "zarr-wasm";
import { amount } from "../support/amounts.js";
import { errorOf, everyIndex, flatIndex, product, randomBytes } from "../support/support.js";
import {
  all,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  filled,
  pick,
  rectilinear,
  regular,
  sharded,
  transposed,
  v2Store,
  v3Meta,
  v3Store,
  writeStrings,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store) => open(store, { kind: "array" });

async function sample(fields: Record<string, unknown>, itemBytes = 4) {
  const meta = v3Meta(filled(fields));
  const elements = randomBytes(product(meta["shape"] as number[]) * itemBytes, 11);
  const store = new MapStore();
  const written = await writeV3(store, meta, elements, { missing: 0.2 });
  return { store, written, array: await openArray(store) };
}

/** An axis with a selection of it: the argument, the indices it selects, and whether it drops the dimension. */
interface AxisCase {
  length: number;
  chunk: number;
  entry: DimensionSelection;
  list: number[];
  dropped: boolean;
}

const kinds = [
  "all",
  "index",
  "slice",
  "list",
  "sorted",
  "negative",
  "mask",
  "typed",
  "big",
  "empty",
] as const;

const axisCase: fc.Arbitrary<AxisCase> = fc
  .record({
    length: fc.integer({ min: 1, max: 12 }),
    chunk: fc.integer({ min: 1, max: 5 }),
    kind: fc.constantFrom(...kinds),
    picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
    bits: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ length, chunk, kind, picks, bits }) => {
    const list = picks.map((pick) => pick % length);
    const sorted = [...new Set(list)].sort((a, b) => a - b);
    const [first] = list as [number];
    const chosen: Record<(typeof kinds)[number], [DimensionSelection, number[]]> = {
      all: [null, all(length)],
      index: [first, [first]],
      slice: [slice(first, null, 2), all(length).filter((i) => i >= first && (i - first) % 2 === 0)],
      list: [list, list],
      sorted: [sorted, sorted],
      negative: [list.map((i) => i - length), list],
      mask: [bits.slice(0, length), all(length).filter((i) => bits[i])],
      typed: [Int16Array.from(list), list],
      big: [BigInt64Array.from(list.map((i) => BigInt(i - length))), list],
      empty: [[], []],
    };
    const [entry, picked] = chosen[kind];
    return { length, chunk, entry, list: picked, dropped: kind === "index" };
  });

const codecs = fc.constantFrom<Codec[]>([bytesLittle], [bytesBig], [bytesLittle, zstd]);
const shapeOf = (axes: AxisCase[]) => axes.flatMap(({ list, dropped }) => (dropped ? [] : [list.length]));

describe("lists of indices", () => {
  it("match a simple reference reader, combined with slices, indices and masks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axisCase, { minLength: 1, maxLength: 4 }),
        codecs,
        fc.constantFrom("plain", "transposed", "sharded", "rectilinear"),
        async (axes, chain, layout) => {
          const shape = axes.map(({ length }) => length);
          const chunk = axes.map((axis) => axis.chunk);
          const rotated = shape.map((_, axis) => (axis + 1) % shape.length);
          const layouts: Record<string, Record<string, unknown>> = {
            plain: { chunk_grid: regular(...chunk), codecs: chain },
            transposed: { chunk_grid: regular(...chunk), codecs: [transposed(...rotated), ...chain] },
            sharded: { chunk_grid: regular(...chunk.map((c) => 2 * c)), codecs: [sharded(chunk, chain)] },
            rectilinear: {
              chunk_grid: rectilinear(...axes.map(({ length, chunk: c }) => [c, [1, 2], length])),
              codecs: chain,
            },
          };
          const { array, written } = await sample({ shape, ...layouts[layout] });
          const region = await getBytes(
            array,
            axes.map(({ entry }) => entry),
          );
          expect(region.shape).toEqual(shapeOf(axes));
          const lists = axes.map(({ list }) => list);
          expect(Buffer.from(region.bytes).equals(pick(written, lists))).toBe(true);
        },
      ),
      { numRuns: amount(100, 400) },
    );
  });

  it("pick strings as well", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axisCase, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (axes, isSharded) => {
          const shape = axes.map(({ length }) => length);
          const chunk = axes.map((axis) => axis.chunk);
          const leaf = [{ name: "vlen-utf8" }];
          const meta = v3Meta(
            filled({
              shape,
              data_type: "string",
              chunk_grid: regular(...(isSharded ? chunk.map((c) => 2 * c) : chunk)),
              codecs: isSharded ? [sharded(chunk, leaf)] : leaf,
            }),
          );
          const store = new MapStore();
          const values = await writeStrings(
            store,
            meta,
            all(product(shape)).map((i) => `s${i}`),
            { missing: 0.2 },
          );
          const array = await openArray(store);
          const selection = axes.map(({ entry }) => entry);
          const expected = everyIndex(axes.map(({ list }) => list.length)).map(
            (index) =>
              values[
                flatIndex(
                  index.map((i, axis) => axes[axis]!.list[i]!),
                  shape,
                )
              ]!,
          );
          const region = await get<string[]>(array, selection);
          expect([region.shape, region.data]).toEqual([shapeOf(axes), expected]);
          const out = new Array<string>(expected.length).fill("?");
          expect((await get(array, selection, { out })).data).toBe(out);
          expect(out).toEqual(expected);
        },
      ),
      { numRuns: amount(25, 100) },
    );
  });

  it("pick strings of fixed length that are stored as labels", async () => {
    const filters = [{ id: "categorize", labels: ["aa", "b", "ccc"], dtype: "<U3", astype: "|u1" }];
    const store = v2Store({ shape: [6], chunks: [4], dtype: "<U3", fill_value: "b", filters });
    store.entries.set("/0", Uint8Array.of(1, 2, 3, 1));
    const array = await openArray(store);
    const whole = await getBytes(array);
    const picked = await getBytes(array, [[5, 2, 2, -6]], { coalesceMaxGap: 0, onProgress: () => {} });
    const item = (i: number) => [...whole.bytes.subarray(12 * i, 12 * i + 12)];
    expect([...picked.bytes]).toEqual([5, 2, 2, 0].flatMap(item));
  });

  const fields = { shape: [6, 8], chunk_grid: regular(4, 3) };

  it("are of any kind of array of integers", async () => {
    const { array, written } = await sample(fields);
    const expected = pick(written, [all(6), [5, 0, 5]]);
    for (const list of [
      [5, 0, 5],
      [-3, 0, -3],
      new Uint8Array([5, 0, 5]),
      new Int32Array([-3, 0, 5]),
      new Float64Array([5, 0, 5]) as never,
      new BigInt64Array([5n, 0n, -3n]),
      new BigUint64Array([5n, 0n, 5n]),
    ]) {
      expect(Buffer.from((await getBytes(array, [null, list])).bytes).equals(expected)).toBe(true);
    }
  });

  it("keep their dimension even with a single entry", async () => {
    const { array } = await sample(fields);
    const shapes: [Selection, number[]][] = [
      [[[3]], [1, 8]],
      [[[3], 2], [1]],
      [[3, [2]], [1]],
      [
        [[3], [2]],
        [1, 1],
      ],
      [[[]], [0, 8]],
      [
        [[], [1, 2]],
        [0, 2],
      ],
      [[all(6).map(() => false)], [0, 8]],
      [[all(6).map(() => true), 0], [6]],
    ];
    for (const [selection, shape] of shapes) expect((await get(array, selection)).shape).toEqual(shape);
  });

  it('come with "..." and by dimension name', async () => {
    const { array, written } = await sample({
      shape: [3, 4, 5],
      chunk_grid: regular(2, 2, 2),
      dimension_names: ["t", "y", "x"],
    });
    const same: [Selection, number[][]][] = [
      [
        ["...", [4, 0]],
        [all(3), all(4), [4, 0]],
      ],
      [
        [[2, 0], "..."],
        [[2, 0], all(4), all(5)],
      ],
      [
        [[2, 0], "...", [1, 1]],
        [[2, 0], all(4), [1, 1]],
      ],
      [["..."], [all(3), all(4), all(5)]],
      [
        [1, [3, 0], "...", slice(1, 5, 2)],
        [[1], [3, 0], [1, 3]],
      ],
      [{ x: [4, 0] }, [all(3), all(4), [4, 0]]],
      [{ x: [4, 0], t: slice(1, null) }, [[1, 2], all(4), [4, 0]]],
      [{ y: 2, t: [1] }, [[1], [2], all(5)]],
      [{}, [all(3), all(4), all(5)]],
    ];
    for (const [selection, lists] of same) {
      const { bytes } = await getBytes(array, selection);
      expect(Buffer.from(bytes).equals(pick(written, lists))).toBe(true);
    }
    expect((await get(array, { y: 2, t: [1] })).shape).toEqual([1, 5]);
    for (const selection of [{ z: 0 }, { X: 0 }, { x: 0, "": 1 }, { constructor: 0 }]) {
      expect((await errorOf(() => get(array, selection as never)))._tag).toBe("InvalidSelection");
    }
    const twice = v3Store({ dimension_names: ["x", "x"] });
    expect((await errorOf(async () => get(await openArray(twice), { x: 0 })))._tag).toBe("InvalidSelection");
    const unnamed = v3Store({ dimension_names: [null, "x"] });
    expect((await get(await openArray(unnamed), { x: 0 })).shape).toEqual([4]);
    expect((await errorOf(async () => get(await openArray(v3Store()), { x: 0 })))._tag).toBe(
      "InvalidSelection",
    );
  });

  it("fill the caller's array", async () => {
    const { array, written } = await sample(fields);
    const out = new Int32Array(6);
    const region = await get(
      array,
      [
        [5, 1, 1],
        [0, 7],
      ],
      { out },
    );
    expect(region.data).toBe(out);
    expect(
      Buffer.from(out.buffer).equals(
        pick(written, [
          [5, 1, 1],
          [0, 7],
        ]),
      ),
    ).toBe(true);
    const shared = await get(array, [[5, 1]], { useSharedArrayBuffer: true });
    expect(shared.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect((await errorOf(() => get(array, [[5, 1]], { out: new Int32Array(15) })))._tag).toBe(
      "InvalidArgument",
    );
  });

  it.each<[unknown]>([
    [[[8]]],
    [[[-7]]],
    [[[1.5]]],
    [[["1"]]],
    [[[null]]],
    [[[undefined]]],
    [[[[1]]]],
    [[[true]]],
    [[[true, true, false, true, false, true, false]]],
    [[[true, true, false, true, false, 1]]],
    [[[0, true]]],
    [[new Float32Array([0.5])]],
    [[new BigInt64Array([6n])]],
    [[new BigInt64Array([2n ** 62n])]],
    [[new BigInt64Array([-7n])]],
    [[new DataView(new ArrayBuffer(4))]],
    [[new ArrayBuffer(4)]],
    [[new Set([1])]],
    [[{}]],
    [[5n]],
    [["..", 1]],
    [["...", "..."]],
    [[[0], [0], [0]]],
    [[0, 0, "...", 0]],
    ["..."],
    [slice(1)],
    [7],
  ])("that are none are refused: %o", async (selection) => {
    const { array } = await sample(fields);
    expect((await errorOf(() => get(array, selection as never)))._tag).toBe("InvalidSelection");
  });

  it("read every chunk once, and none that they do not touch", async () => {
    const { store } = await sample({ shape: [40, 40], chunk_grid: regular(10, 10), codecs: [bytesBig] });
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    counting.reset();
    await get(array, [
      [35, 0, 35, 7, 31, 0],
      [12, 39],
    ]);
    expect(counting.requests.map(({ key }) => key).sort()).toEqual(["/c/0/1", "/c/0/3", "/c/3/1", "/c/3/3"]);
    counting.reset();
    await get(array, [all(40).map((i) => i === 22), 3]);
    expect(counting.requests.map(({ key }) => key)).toEqual(["/c/2/0"]);
    counting.reset();
    await get(array, [[]]);
    expect(counting.requests).toEqual([]);
  });

  it("are limited like any selection", async () => {
    const { store, written } = await sample(fields);
    const array = await open(store, { kind: "array", limits: { resultBytes: 100 } });
    expect((await errorOf(() => get(array, [new Array(100).fill(0), 0])))._tag).toBe("LimitExceeded");
    const zeros = new Array<number>(25).fill(0);
    expect((await getBytes(array, [zeros, 0])).bytes).toEqual(pick(written, [zeros, [0]]));
  });

  it("may be long", async () => {
    const length = 300_000;
    const numbers = v3Store({ shape: [length], data_type: "uint32", chunk_grid: regular(length) });
    numbers.entries.set("/c/0", new Uint8Array(Uint32Array.from(all(length)).buffer));
    const list = all(length).map((i) => (i * 7919) % length);
    const { data } = await get(await openArray(numbers), [list]);
    expect((data as Uint32Array).every((value, i) => value === list[i])).toBe(true);
  });
});
