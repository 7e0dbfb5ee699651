// Shards: every layout that an index can describe, written by an encoder independent of the reader.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { get, getBytes, MapStore, open, type Selection, type Store, slice } from "zarr-wasm";
import { amount } from "../support/amounts.js";
import { errorOf, everyIndex, flatIndex, product, randomBytes } from "../support/support.js";
import {
  all,
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  concat,
  crc32c,
  filled,
  gzip,
  pick,
  rectilinear,
  regular,
  sharded,
  transposed,
  v3Meta,
  v3Store,
  type WriteOptions,
  writeStrings,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store, options = {}) => open(store, { kind: "array", ...options });
const sizes: Record<string, number> = { uint8: 1, int16: 2, int32: 4, float64: 8, complex64: 8, r24: 3 };

async function sample(fields: Record<string, unknown>, options: WriteOptions = {}) {
  const meta = v3Meta(filled(fields));
  const itemBytes = sizes[meta["data_type"] as string]!;
  const elements = randomBytes(product(meta["shape"] as number[]) * itemBytes, 7);
  const store = new MapStore();
  const written = await writeV3(store, meta, elements, options);
  return { store, written };
}

async function expectWhole(store: Store, elements: Uint8Array) {
  const { bytes } = await getBytes(await openArray(store));
  expect(Buffer.from(bytes).equals(elements)).toBe(true);
}

/** A shape of shards and inner chunks along one axis. */
const axisCase = fc.record({
  length: fc.integer({ min: 1, max: 9 }),
  inner: fc.integer({ min: 1, max: 3 }),
  count: fc.integer({ min: 1, max: 3 }),
  start: fc.nat(8),
  extent: fc.nat(9),
  step: fc.integer({ min: 1, max: 4 }),
});
const order = fc.constantFrom("C" as const, "reverse" as const, "shuffled" as const);
const innerCodecs = fc.constantFrom<Codec[]>(
  [bytesLittle],
  [bytesBig],
  [bytesBig, zstd],
  [bytesLittle, crc32c],
  [bytesLittle, blosc({ typesize: 2 })],
);
const indexCodecs = fc.constantFrom<Codec[]>(
  [bytesLittle, crc32c],
  [bytesLittle],
  [bytesBig],
  [bytesBig, crc32c, crc32c],
);

/** The permutation of n axes with a given number: rotations first, so that most are not involutions. */
function permutation(n: number, seed: number): number[] {
  const axes = all(n);
  const rotated = axes.map((axis) => (axis + seed) % n);
  return seed % 2 ? rotated.reverse() : rotated;
}

describe("shards", () => {
  it("read as a slow reader reads them, whatever their layout", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axisCase, { minLength: 0, maxLength: 4 }),
        fc.constantFrom("uint8", "int16", "complex64", "r24"),
        innerCodecs,
        indexCodecs,
        fc.constantFrom("start" as const, "end" as const),
        fc.record({
          missing: fc.constantFrom(0, 0.3, 1),
          order,
          gap: fc.nat(9),
          share: fc.boolean(),
          seed: fc.nat(99),
        }),
        fc.record({ before: fc.option(fc.nat(9)), inside: fc.option(fc.nat(9)), ranges: fc.boolean() }),
        async (axes, data_type, codecs, index, location, layout, { before, inside, ranges }) => {
          const rank = axes.length;
          const shape = axes.map(({ length }) => length);
          const outer = before === null ? [] : [transposed(...permutation(rank, before))];
          const inner = inside === null ? codecs : [transposed(...permutation(rank, inside)), ...codecs];
          const orderOf = outer[0]?.configuration?.["order"] as number[] | undefined;
          const innerShape = axes.map((axis) => axis.inner);
          const fields = {
            shape,
            data_type,
            chunk_grid: regular(...axes.map((axis) => axis.inner * axis.count)),
            codecs: [
              ...outer,
              sharded(
                orderOf ? orderOf.map((axis) => innerShape[axis]!) : innerShape,
                inner,
                index,
                location,
              ),
            ],
          };
          const { store, written } = await sample(fields, layout);
          const lists = axes.map(({ length, start, extent, step }) =>
            all(length).filter((i) => i >= start && i < start + extent && (i - start) % step === 0),
          );
          const selection: Selection = axes.map(({ start, extent, step }) =>
            slice(start, start + extent, step),
          );
          const array = await openArray(new CountingStore(store, { ranges }));
          const whole = await getBytes(array);
          expect(Buffer.from(whole.bytes).equals(written.elements)).toBe(true);
          const part = await getBytes(array, selection);
          expect(Buffer.from(part.bytes).equals(pick(written, lists))).toBe(true);
        },
      ),
      { numRuns: amount(75, 300) },
    );
  });

  const three = { shape: [7, 10, 9], chunk_grid: regular(4, 12, 6) };
  it.each<[string, Record<string, unknown>, WriteOptions]>([
    ["two levels", { codecs: [sharded([2, 6, 6], [sharded([1, 3, 2])])] }, {}],
    [
      "three levels, with holes, indexes at either end",
      {
        codecs: [
          sharded(
            [4, 6, 6],
            [sharded([2, 3, 6], [sharded([1, 3, 2], [bytesBig, zstd])], [bytesBig], "start")],
          ),
        ],
      },
      { missing: 0.2, order: "shuffled", gap: 5 },
    ],
    [
      "two levels after two transposes",
      {
        codecs: [
          transposed(1, 2, 0),
          transposed(1, 2, 0),
          sharded([6, 2, 6], [transposed(2, 0, 1), sharded([3, 2, 1], [transposed(1, 2, 0), bytesBig])]),
        ],
      },
      { missing: 0.2 },
    ],
    [
      "behind codecs that look at single elements",
      {
        codecs: [
          { name: "scale_offset", configuration: { offset: 3, scale: 1 } },
          transposed(2, 0, 1),
          { name: "scale_offset", configuration: { offset: -9, scale: 1 } },
          sharded([3, 2, 6], [bytesBig, zstd]),
        ],
      },
      {},
    ],
    [
      "a transposed index",
      { codecs: [sharded([2, 4, 2], [bytesLittle], [transposed(3, 1, 0, 2), bytesBig, crc32c])] },
      { missing: 0.3 },
    ],
    ["codecs behind the shard", { codecs: [sharded([2, 4, 2]), gzip, crc32c] }, { missing: 0.3 }],
    [
      "codecs behind inner shards",
      { codecs: [sharded([4, 6, 6], [sharded([2, 3, 2], [bytesBig]), zstd], [bytesLittle], "start")] },
      { missing: 0.1 },
    ],
    [
      "codecs behind both",
      { codecs: [sharded([4, 6, 6], [sharded([2, 3, 2]), zstd]), zstd] },
      { missing: 0.1 },
    ],
    [
      "a rectilinear grid of shards",
      { chunk_grid: rectilinear([4, 2, 2], [[6, 2], 3], 4), codecs: [sharded([2, 3, 2], [bytesBig])] },
      { missing: 0.2 },
    ],
    [
      "a rectilinear grid of transposed shards",
      {
        chunk_grid: rectilinear([4, 2, 2], [[6, 2], 3], 4),
        codecs: [transposed(1, 2, 0), sharded([3, 2, 2], [bytesBig, zstd])],
      },
      { missing: 0.2, order: "reverse" },
    ],
    ["missing shards", { codecs: [sharded([2, 4, 2])] }, { isMissing: (key) => /1$/.test(key) }],
  ])("of %s", async (_what, fields, options) => {
    const { store, written } = await sample({ ...three, fill_value: -5, ...fields }, options);
    for (const ranges of [true, false]) {
      const array = await openArray(new CountingStore(store, { ranges }));
      expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
      const part = await getBytes(array, [slice(1, 7, 2), 8, slice(2, 9, 3)]);
      expect(Buffer.from(part.bytes).equals(pick(written, [[1, 3, 5], [8], [2, 5, 8]]))).toBe(true);
      for (const index of [
        [0, 0, 0],
        [6, 9, 8],
        [3, 5, 7],
      ]) {
        const one = await getBytes(array, index);
        expect(
          Buffer.from(one.bytes).equals(
            pick(
              written,
              index.map((i) => [i]),
            ),
          ),
        ).toBe(true);
      }
    }
  });

  it("have shard and chunk shapes, a grid of inner chunks, and their elements", async () => {
    const { store, written } = await sample({
      ...three,
      codecs: [transposed(1, 2, 0), sharded([6, 2, 2], [bytesBig])],
    });
    const array = await openArray(store);
    expect([array.shardShape, array.chunkShape, array.gridShape]).toEqual([
      [4, 12, 6],
      [2, 6, 2],
      [4, 2, 5],
    ]);
    expect([array.chunkKey([1, 1, 2]), array.chunkKey([2, 0, 3])]).toEqual(["/c/0/0/0", "/c/1/0/1"]);
    for (const cell of [
      [0, 0, 0],
      [1, 1, 2],
      [2, 0, 3],
      [3, 1, 4],
    ]) {
      const chunk = await array.getChunk<Int32Array>(cell);
      expect(chunk.shape).toEqual([2, 6, 2]);
      const inside = everyIndex([2, 6, 2]).filter((at) =>
        at.every((i, k) => cell[k]! * [2, 6, 2][k]! + i < three.shape[k]!),
      );
      for (const at of inside) {
        const index = at.map((i, k) => cell[k]! * [2, 6, 2][k]! + i);
        const expected = new DataView(written.elements.buffer).getInt32(
          4 * flatIndex(index, three.shape),
          true,
        );
        expect(chunk.data[flatIndex(at, [2, 6, 2])]).toBe(expected);
      }
      expect((await array.fetchChunk(cell))!.byteLength).toBe(4 * 24);
    }
    expect((await errorOf(() => array.getChunk([4, 0, 0])))._tag).toBe("InvalidSelection");
  });

  it("hold strings", async () => {
    const shape = [5, 7];
    const values = all(35).map((i) => "añ€😀".repeat(i % 4) + i);
    const codecs = [
      transposed(1, 0),
      sharded([4, 3], [sharded([2, 3], [{ name: "vlen-utf8" }, zstd])], [bytesLittle, crc32c]),
    ];
    const meta = v3Meta(filled({ shape, data_type: "string", chunk_grid: regular(3, 8), codecs }));
    for (const ranges of [true, false]) {
      const store = new MapStore();
      const seen = await writeStrings(store, meta, values, { missing: 0.2, order: "shuffled" });
      const array = await openArray(new CountingStore(store, { ranges }));
      expect((await get<string[]>(array)).data).toEqual(seen);
      const part = await get<string[]>(array, [slice(1, 5, 2), slice(0, 7, 3)]);
      expect(part.data).toEqual([1, 3].flatMap((i) => [0, 3, 6].map((j) => seen[i * 7 + j])));
      const chunk = await array.getChunk<string[]>([1, 1]);
      expect(chunk.data).toEqual(
        [3, 4, 5].flatMap((i) =>
          [2, 3].map((j) => (i < 5 ? seen[i * 7 + j] : chunk.data[(i - 3) * 2 + j - 2])),
        ),
      );
    }
  });

  it("may hold chunks of no bytes, which are then for the codecs to judge", async () => {
    const { store } = await sample(
      { shape: [4], chunk_grid: regular(4), codecs: [sharded([2])] },
      { spoil: (index) => index.set([0n], 1) },
    );
    const error = await errorOf(async () => get(await openArray(store)));
    expect([error._tag, error.code, error.chunkKey]).toEqual(["CorruptChunk", "size-mismatch", "/c/0"]);
  });
});

describe("the metadata of shards", () => {
  const withSharding = (configuration: Record<string, unknown>, fields = {}) =>
    openArray(
      v3Store({
        shape: [8, 8],
        chunk_grid: regular(4, 8),
        codecs: [{ name: "sharding_indexed", configuration }],
        ...fields,
      }),
    );
  const good = sharded([2, 4]).configuration!;

  it.each([
    ["chunk_shape", undefined],
    ["chunk_shape", [2]],
    ["chunk_shape", [2, 3]],
    ["chunk_shape", [0, 4]],
    ["chunk_shape", [8, 8]],
    ["chunk_shape", [2, "4"]],
    ["chunk_shape", [2, 4.5]],
    ["codecs", undefined],
    ["codecs", []],
    ["codecs", [zstd]],
    ["codecs", [bytesLittle, bytesLittle]],
    ["codecs", "bytes"],
    ["index_codecs", undefined],
    ["index_codecs", []],
    ["index_codecs", [bytesLittle, zstd]],
    ["index_codecs", [bytesLittle, gzip]],
    ["index_codecs", [{ name: "bytes" }]],
    ["index_codecs", [sharded([2, 2, 2])]],
    ["index_codecs", [{ name: "vlen-utf8" }]],
    ["index_location", "middle"],
    ["index_location", 0],
    ["more", 1],
  ])("is refused with %s = %j", async (key, value) => {
    const error = await errorOf(() => withSharding({ ...good, [key]: value }));
    expect(error._tag).toBe("InvalidMetadata");
    expect(error.message).toMatch(key === "codecs" || key === "index_codecs" ? /codec/ : new RegExp(key));
  });

  it("is refused after codecs that do not work element by element", async () => {
    const delta = { name: "numcodecs.delta", configuration: { dtype: "<i4" } };
    const error = await errorOf(() => openArray(v3Store({ codecs: [delta, sharded([2, 3])] })));
    expect([error._tag, error.codec]).toEqual(["Unsupported", "numcodecs.delta"]);
  });

  it("has limits", async () => {
    const entries = v3Store({ shape: [2 ** 26], chunk_grid: regular(2 ** 26), codecs: [sharded([1])] });
    expect((await errorOf(() => openArray(entries)))._tag).toBe("LimitExceeded");
    const huge = { shape: Array(8).fill(2 ** 50), chunk_grid: regular(...Array(8).fill(2 ** 50)) };
    expect(
      (await errorOf(() => openArray(v3Store({ ...huge, codecs: [sharded(Array(8).fill(1))] }))))._tag,
    ).toBe("LimitExceeded");
    let codecs: Codec[] = [bytesLittle];
    for (let i = 0; i < 9; i++) codecs = [sharded([2, 3], codecs)];
    expect((await errorOf(() => openArray(v3Store({ codecs }))))._tag).toBe("LimitExceeded");
    // A shard may be larger than any chunk: it is never decoded as a whole.
    const large = { shape: [2 ** 20, 2 ** 20], chunk_grid: regular(2 ** 20, 2 ** 20) };
    await expect(
      openArray(v3Store({ ...large, codecs: [sharded([2 ** 10, 2 ** 10])] })),
    ).resolves.toBeDefined();
  });

  it("limits every encoded chunk, not the size of merged reads", async () => {
    const { store, written } = await sample({
      shape: [64],
      chunk_grid: regular(64),
      codecs: [sharded([16], [bytesBig])],
    });
    const array = await openArray(store, { limits: { encodedBytes: 70 } });
    expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
    const small = await openArray(store, { limits: { encodedBytes: 60 } });
    expect((await errorOf(() => get(small)))._tag).toBe("LimitExceeded");
  });
});

describe("a corrupt index", () => {
  const fields = { shape: [8], chunk_grid: regular(8) };
  const codecs = (location: "start" | "end" = "end", index = [bytesLittle]) => [
    sharded([2], [bytesBig], index, location),
  ];
  const most = 2n ** 64n - 1n;

  it.each<[string, (index: BigUint64Array) => void]>([
    ["an offset without a size", (index) => index.set([most], 3)],
    ["a size without an offset", (index) => index.set([most], 2)],
    ["an offset behind the end", (index) => index.set([1000n], 2)],
    ["a size beyond the end", (index) => index.set([1000n], 3)],
    ["an offset of 2^53", (index) => index.set([2n ** 53n], 2)],
    ["a size of 2^53", (index) => index.set([2n ** 53n], 3)],
    ["a sum that wraps around", (index) => index.set([most - 3n, 8n], 2)],
    ["the largest numbers but one", (index) => index.set([most - 1n, most - 1n], 2)],
    ["a size that is too small", (index) => index.set([7n], 3)],
    ["a size that is too large", (index) => index.set([9n], 3)],
  ])("with %s is an error, and only for its chunk", async (_what, spoil) => {
    for (const location of ["start", "end"] as const) {
      const { store, written } = await sample({ ...fields, codecs: codecs(location) }, { spoil });
      for (const ranges of [true, false]) {
        const array = await openArray(new CountingStore(store, { ranges }));
        for (const work of [() => get(array), () => get(array, [2]), () => array.getChunk([1])]) {
          const error = await errorOf(work);
          expect([error._tag, error.chunkKey]).toEqual(["CorruptChunk", "/c/0"]);
        }
        const rest = await getBytes(array, [slice(4, 8)]);
        expect(Buffer.from(rest.bytes).equals(pick(written, [[4, 5, 6, 7]]))).toBe(true);
      }
    }
  });

  it("of a shard that is shorter than its index is an error", async () => {
    for (const location of ["start", "end"] as const) {
      const { store } = await sample({ ...fields, codecs: codecs(location) });
      const whole = store.entries.get("/c/0")!;
      for (const length of [0, 1, 63]) {
        store.entries.set("/c/0", whole.slice(0, length));
        for (const ranges of [true, false]) {
          const array = await openArray(new CountingStore(store, { ranges }));
          const error = await errorOf(() => get(array));
          expect([error._tag, error.code, error.codec]).toEqual([
            "CorruptChunk",
            "truncated",
            "sharding_indexed",
          ]);
        }
      }
    }
  });

  it("with a wrong checksum is an error that names it", async () => {
    for (const location of ["start", "end"] as const) {
      const { store } = await sample({ ...fields, codecs: codecs(location, [bytesLittle, crc32c]) });
      const shard = store.entries.get("/c/0")!.slice();
      shard[location === "start" ? 5 : shard.length - 9]! ^= 1;
      store.entries.set("/c/0", shard);
      const error = await errorOf(async () => get(await openArray(store)));
      expect([error._tag, error.code, error.codec]).toEqual(["CorruptChunk", "checksum-mismatch", "crc32c"]);
      expect(error.message).toMatch(/the shard's index/);
    }
  });

  it("is read again after the shard has been mended", async () => {
    const { store, written } = await sample({ ...fields, codecs: codecs("end", [bytesLittle, crc32c]) });
    const good = store.entries.get("/c/0")!;
    store.entries.set("/c/0", concat([good, Uint8Array.of(1)]));
    const array = await openArray(store);
    expect((await errorOf(() => get(array)))._tag).toBe("CorruptChunk");
    store.entries.set("/c/0", good);
    expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
  });

  it("of an inner shard is limited to that shard's bytes", async () => {
    const nested = [sharded([4], [sharded([2], [bytesBig], [bytesLittle])], [bytesLittle])];
    let calls = 0;
    // The index of the first inner shard points to bytes of the second one.
    const spoil = (index: BigUint64Array) => void (++calls === 1 && index.set([60n], 2));
    const { store, written } = await sample({ ...fields, codecs: nested }, { spoil });
    const array = await openArray(store);
    expect((await errorOf(() => get(array, [2])))._tag).toBe("CorruptChunk");
    for (const i of [0, 4]) expect((await getBytes(array, [i])).bytes).toEqual(pick(written, [[i]]));
  });
});

describe("the index", () => {
  const fields = { shape: [64], chunk_grid: regular(16), codecs: [sharded([2], [bytesBig])] };
  const isIndex = ({ range }: { range?: unknown }) =>
    range !== undefined && "suffixLength" in (range as object);

  it("is read once for concurrent callers, and cached", async () => {
    const { store, written } = await sample(fields);
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    counting.before = () => new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all(
      all(16).map(async (i) => expect((await getBytes(array, [i])).bytes).toEqual(pick(written, [[i]]))),
    );
    expect(counting.requests.filter(isIndex).length).toBe(1);
    await get(array);
    expect(counting.requests.filter(isIndex).length).toBe(4);
  });

  it("is read again after a failure", async () => {
    const { store, written } = await sample(fields);
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    counting.before = () => {
      throw new Error("offline");
    };
    expect((await errorOf(() => get(array, [1]))).message).toBe("offline");
    counting.before = () => {};
    expect((await getBytes(array, [1])).bytes).toEqual(pick(written, [[1]]));
  });

  it("continues for the others when one caller aborts", async () => {
    const { store, written } = await sample(fields);
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const signals: AbortSignal[] = [];
    counting.before = async (_key, _range, signal) => {
      signals.push(signal!);
      await gate;
    };
    const controller = new AbortController();
    const given = errorOf(() => get(array, [1], { signal: controller.signal }));
    const patient = getBytes(array, [2]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error("enough"));
    expect((await given).message).toBe("enough");
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    go();
    expect((await patient).bytes).toEqual(pick(written, [[2]]));
    // The request is aborted when the last caller leaves.
    const other = new AbortController();
    counting.before = async (_key, _range, signal) => {
      signals.push(signal!);
      await new Promise((_resolve, reject) =>
        signal!.addEventListener("abort", () => reject(signal!.reason)),
      );
    };
    const last = errorOf(() => get(array, [20], { signal: other.signal }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    other.abort(new Error("too"));
    expect((await last).message).toBe("too");
    expect(signals.at(-1)!.aborted).toBe(true);
  });

  it("is kept within a bound", async () => {
    // Each index has 2^20 entries, 16 MiB; two are kept.
    const count = 2 ** 20;
    const index = new Uint8Array(16 * count + 8).fill(0xff);
    const store = v3Store({
      shape: [4 * count],
      data_type: "uint8",
      fill_value: 3,
      chunk_grid: regular(count),
      codecs: [sharded([1], [{ name: "bytes" }], [bytesLittle])],
    });
    for (let i = 0; i < 4; i++) store.entries.set(`/c/${i}`, index);
    const counting = new CountingStore(store);
    const array = await openArray(counting);
    const readsOf = async (shards: number[]) => {
      counting.reset();
      for (const shard of shards) expect((await get(array, [shard * count])).data[0]).toBe(3);
      return counting.requests.length;
    };
    expect(await readsOf([0, 1, 0, 1])).toBe(2);
    expect(await readsOf([2])).toBe(1); // pushes 0 out
    expect(await readsOf([1, 2])).toBe(0);
    expect(await readsOf([0])).toBe(1);
  });
});

describe("a shard that changes", () => {
  const fields = { shape: [16], chunk_grid: regular(16), codecs: [sharded([4], [bytesBig])] };

  /** A store that tells versions, as files and HTTP do. */
  function versioned(store: MapStore, state: { etag: string }): Store {
    const check = (version?: { etag?: string | undefined }) => {
      if (!version) return;
      if (version.etag !== undefined && version.etag !== state.etag) {
        throw Object.assign(new Error("changed"), { changed: true });
      }
      version.etag = state.etag;
    };
    return {
      get: (key, options) => {
        check(options?.version);
        return store.get(key);
      },
      getRange: (key, range, options) => {
        check(options?.version);
        return store.getRange(key, range);
      },
    };
  }

  it("between its index and its chunks is detected", async () => {
    const { store } = await sample(fields);
    const state = { etag: "1" };
    const array = await openArray(versioned(store, state));
    await get(array, [1]);
    state.etag = "2";
    expect((await errorOf(() => get(array, [5]))).message).toBe("changed");
  });

  it("is read again over HTTP, or is an error if it keeps changing", async () => {
    const { HttpStore } = await import("zarr-wasm");
    const { ObjectServer } = await import("../support/store-server.js");
    const { store, written } = await sample(fields);
    const other = await sample(fields, { order: "reverse", gap: 3 });
    const server = await new ObjectServer(Object.fromEntries(store.entries)).start();
    try {
      const array = await openArray(new HttpStore(server.url));
      expect((await getBytes(array, [1])).bytes).toEqual(pick(written, [[1]]));
      server.etag = '"2"';
      server.objects.set("/c/0", other.store.entries.get("/c/0")!);
      expect((await getBytes(array, [5])).bytes).toEqual(pick(other.written, [[5]]));
      expect(server.seen.length).toBeLessThan(12);
      server.behaviour = {
        trouble: (_request, count) => {
          server.etag = `"${count}"`;
          return undefined;
        },
      };
      const error = await errorOf(() => get(array, [9]));
      expect([error._tag, error.code, error.chunkKey]).toEqual(["Network", "changed", "/c/0"]);
      server.behaviour = {};
      server.objects.delete("/c/0");
      expect([...((await get(array, [9])).data as Int32Array)]).toEqual([85]);
    } finally {
      await server.close();
    }
  });

  describe("is read again within the call if its chunks cannot be decoded and the store has no versions", () => {
    const codecs = [sharded([4], [bytesBig, zstd])];
    /** An array with a cached index, and a new shard that replaced the indexed one. */
    async function replaced() {
      const { store } = await sample({ ...fields, codecs });
      const other = await sample({ ...fields, codecs }, { order: "reverse", gap: 3, seed: 3 });
      const counting = new CountingStore(store);
      const array = await openArray({
        get: (key) => counting.get(key),
        getRange: (key, range) => counting.getRange!(key, range),
      });
      await get(array, [1]);
      store.entries.set("/c/0", other.store.entries.get("/c/0")!);
      counting.requests.length = 0;
      return { array, store, counting, wanted: other.written };
    }

    it("a region", async () => {
      const { array, wanted } = await replaced();
      expect((await getBytes(array, [5])).bytes).toEqual(pick(wanted, [[5]]));
      expect((await getBytes(array)).bytes).toEqual(wanted.elements);
    });

    it("a chunk, decoded and as it is stored", async () => {
      const { array, wanted } = await replaced();
      const { data } = await array.getChunk([1]);
      expect(new Uint8Array((data as Int32Array).buffer)).toEqual(wanted.elements.slice(16, 32));
    });

    it("once: damaged data stays damaged, and costs no more if the index is fresh", async () => {
      const { array, store, counting } = await replaced();
      const shard = store.entries.get("/c/0")!.fill(0, 0, -68);
      expect(shard.length).toBeGreaterThan(68);
      expect((await errorOf(() => array.getChunk([1])))["_tag"]).toBe("CorruptChunk");
      expect(counting.requests.length).toBe(3); // the chunk; the index and the chunk
      expect((await errorOf(() => array.getChunk([1])))["_tag"]).toBe("CorruptChunk");
      expect(counting.requests.length).toBe(5);
    });
  });
});

it("writes and reads the example of the specification", async () => {
  const ff = "ff".repeat(16);
  const entry = (offset: string) => `${offset}000000000000000400000000000000`;
  const index = `${entry("00")}${ff}${entry("04")}${ff}8395c62b`;
  const store = v3Store({
    shape: [2, 2],
    chunk_grid: regular(2, 2),
    fill_value: 9,
    codecs: [sharded([1, 1])],
  });
  store.entries.set("/c/0/0", Uint8Array.from(Buffer.from(`0100000002000000${index}`, "hex")));
  await expectWhole(store, new Uint8Array(Int32Array.of(1, 9, 2, 9).buffer));
});
