// Zarr v3: accepted, tolerated and rejected zarr.json documents; arrays of every kind of grid and key.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  get,
  getBytes,
  MapStore,
  open,
  type Selection,
  type Store,
  slice,
  type ZarrWarning,
} from "zarr-wasm";
import { amount } from "../support/amounts.js";
import { bytesOf, errorOf, product, randomBytes } from "../support/support.js";
import {
  all,
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  CountingStore,
  crc32c,
  documents,
  encodeElements,
  filled,
  gzip,
  json,
  pick,
  rectilinear,
  regular,
  sharded,
  transposed,
  v3Meta,
  v3Store,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store, options = {}) => open(store, { kind: "array", ...options });
const openWith = (fields: Record<string, unknown>, options = {}) => openArray(v3Store(fields), options);

async function warningsOf(fields: Record<string, unknown>, remove: string[] = []) {
  const meta = v3Meta(fields);
  for (const key of remove) delete meta[key];
  const warnings: ZarrWarning[] = [];
  const array = await openArray(documents({ "/zarr.json": meta }), {
    onWarning: (w: ZarrWarning) => warnings.push(w),
  });
  return { array, codes: warnings.map(({ code }) => code) };
}

describe("Zarr v3 metadata", () => {
  it("returns NaT for missing elements, for every scale factor", async () => {
    const nat = -(2n ** 63n);
    for (const name of ["numpy.datetime64", "numpy.timedelta64"]) {
      for (const scale_factor of [1, 10]) {
        const data_type = { name, configuration: { unit: "us", scale_factor } };
        const array = await openWith({ data_type, fill_value: "NaT", shape: [3], chunk_grid: regular(2) });
        expect((await get(array)).data).toEqual(BigInt64Array.of(nat, nat, nat));
      }
    }
  });

  it("takes zarrita's null fill values for zeros, with a warning", async () => {
    const { array, codes } = await warningsOf({ fill_value: null });
    expect([array.fillValue, codes]).toEqual([null, ["null-fill"]]);
  });

  it.each([
    ["null", null],
    ["a number", 7],
    ["a symbol for kind", { kind: Symbol("array") }],
    ["a version that has no string form", { version: Object.create(null) }],
    ["a number for otherFormats", { otherFormats: 0 }],
    ["a symbol for v1Order", { v1Order: Symbol("spec") }],
    ["a number for a signal", { signal: 7 }],
    ["a symbol for a limit", { limits: { rank: Symbol("1") } }],
  ])("is not opened with %s for options", async (_what, options) => {
    expect((await errorOf(() => open(v3Store(), options as never)))._tag).toBe("InvalidArgument");
  });

  it("opens with its properties", async () => {
    const { array, codes } = await warningsOf({
      data_type: "int64",
      fill_value: 7,
      codecs: [transposed(1, 0), bytesBig, zstd],
      attributes: { units: "m", n: 2, é: [null] },
      dimension_names: ["y", null],
      chunk_key_encoding: { name: "default", configuration: { separator: "." } },
    });
    expect(codes).toEqual([]);
    expect([array.kind, array.zarrFormat, array.shape, array.chunkShape, array.gridShape]).toEqual([
      "array",
      3,
      [4, 6],
      [2, 3],
      [2, 2],
    ]);
    expect([array.shardShape, String(array.dtype), array.fillValue]).toEqual([undefined, "int64", 7n]);
    expect([array.attributes, array.dimensionNames]).toEqual([{ units: "m", n: 2, é: [null] }, ["y", null]]);
    expect(array.codecs).toEqual([transposed(1, 0), bytesBig, zstd]);
    expect(array.chunkKey([1, 0])).toBe("/c.1.0");
  });

  it.each<[string, unknown, string?]>([
    ["zarr_format", 2],
    ["zarr_format", "3"],
    ["zarr_format", 3.5],
    ["node_type", "Array"],
    ["node_type", null],
    ["shape", 4],
    ["shape", [4, true]],
    ["shape", [4, 6, 1], "dimensions"],
    ["data_type", "int24", "data type"],
    ["data_type", "<i4", "data type"],
    ["data_type", 4, "data type"],
    ["data_type", null, "data type"],
    ["data_type", { configuration: {} }, "data type"],
    ["data_type", { name: "int32", must_understand: false }, "data type"],
    ["chunk_grid", null],
    ["chunk_grid", []],
    ["chunk_grid", "regular", "chunk_shape"],
    ["chunk_grid", { name: 1 }],
    ["chunk_grid", { name: "regular" }, "chunk_shape"],
    ["chunk_grid", { name: "regular", configuration: [2, 3] }],
    ["chunk_grid", { name: "hexagonal" }, "chunk grid"],
    ["chunk_grid", regular(2, 0), "chunk_shape"],
    ["chunk_grid", regular(2), "dimensions"],
    ["chunk_grid", regular(2, 3, 1), "dimensions"],
    ["chunk_grid", { name: "regular", configuration: { chunk_shape: [2, 3], more: 1 } }, "more"],
    ["chunk_grid", { ...regular(2, 3), more: 1 }],
    ["chunk_key_encoding", null],
    ["chunk_key_encoding", "v3", "chunk key encoding"],
    ["chunk_key_encoding", { name: "default", configuration: { separator: "-" } }, "separator"],
    ["chunk_key_encoding", { name: "default", configuration: { separator: "" } }, "separator"],
    ["chunk_key_encoding", { name: "v2", configuration: { separator: "//" } }, "separator"],
    ["chunk_key_encoding", { name: "default", configuration: { other: "/" } }, "other"],
    ["fill_value", 1.5],
    ["fill_value", 2 ** 31],
    ["fill_value", true],
    ["codecs", null],
    ["codecs", {}],
    ["codecs", "bytes"],
    ["codecs", [7], "codecs"],
    ["codecs", [{ configuration: {} }], "codecs"],
    ["codecs", [{ name: "bytes", configuration: 1 }], "codecs"],
    ["codecs", [{ ...bytesLittle, level: 1 }], "codecs"],
    ["codecs", [{ name: "bytes", configuration: { endian: "middle" } }], "endian"],
    ["codecs", [{ name: "bytes" }], "endian"],
    ["codecs", ["bytes"], "endian"],
    ["codecs", [{ name: "bytes", configuration: { endian: "little", more: 1 } }], "more"],
    ["codecs", [bytesLittle, bytesLittle], "codec bytes"],
    ["codecs", [zstd, bytesLittle], "codec zstd"],
    ["codecs", [bytesLittle, transposed(1, 0)], "codec transpose"],
    ["codecs", [bytesLittle, zstd, transposed(1, 0)], "codec transpose"],
    ["codecs", [bytesLittle, zstd, bytesLittle], "codec bytes"],
    ["codecs", [zstd], "codec zstd"],
    ["codecs", [transposed(0, 0), bytesLittle], "permutation"],
    ["codecs", [transposed(1, -1), bytesLittle], "permutation"],
    ["codecs", [transposed(0, 1, 2), bytesLittle], "permutation"],
    ["codecs", [{ name: "transpose" }, bytesLittle], "order"],
    ["codecs", [{ name: "lz77" }], "lz77"],
    ["codecs", [{ name: "__proto__" }], "__proto__"],
    ["codecs", [{ name: "vlen-utf8" }], "vlen-utf8"],
    ["attributes", []],
    ["attributes", "x"],
    ["dimension_names", "xy"],
    ["dimension_names", ["x"]],
    ["dimension_names", ["x", 1]],
    ["dimension_names", ["x", "y", "z"]],
    ["storage_transformers", {}],
    ["storage_transformers", [{ name: "t" }], "storage transformer"],
    ["storage_transformers", ["t"], "storage transformer"],
    ["storage_transformers", [7], "storage transformer"],
    ["chunk_memory_layout", "C"],
    ["extensions", []],
    ["new", null],
    ["new", { must_understand: true }],
    ["new", { must_understand: "false" }],
    ["new", { configuration: { must_understand: false } }],
  ])("refuses %s = %j", async (key, value, text = key) => {
    const error = await errorOf(() => openWith({ [key]: value }));
    expect(error._tag).toMatch(/^(InvalidMetadata|Unsupported|UnknownCodec)$/);
    expect(error.message).toContain(text);
  });

  it.each<[string, unknown]>([
    ["storage_transformers", []],
    ["storage_transformers", null],
    ["attributes", {}],
    ["dimension_names", null],
    ["dimension_names", ["x", "x"]],
    ["dimension_names", [null, ""]],
    ["new", { must_understand: false }],
    ["new", { must_understand: false, name: "x", configuration: {} }],
    ["consolidated_metadata", { must_understand: false }],
    ["chunk_key_encoding", "default"],
    ["chunk_key_encoding", "v2"],
    ["chunk_key_encoding", { name: "v2", configuration: {} }],
    ["chunk_grid", { ...regular(2, 3), must_understand: true }],
    [
      "codecs",
      [{ name: "bytes", configuration: { endian: "big" }, must_understand: true }, { name: "crc32c" }],
    ],
    ["codecs", [{ name: "bytes", configuration: { endian: "big" } }, "crc32c"]],
    ["fill_value", -(2 ** 31)],
  ])("accepts %s = %j silently", async (key, value) => {
    expect((await warningsOf({ [key]: value })).codes).toEqual([]);
  });

  it("skips extensions with must_understand false, with a warning", async () => {
    const codec = { name: "watermark", must_understand: false };
    const left = await warningsOf({ codecs: [bytesLittle, codec] });
    expect(left.codes).toEqual(["codec-left-out"]);
    const transformer = { name: "t", must_understand: false };
    expect((await warningsOf({ storage_transformers: [transformer] })).codes).toEqual([
      "storage-transformer",
    ]);
    expect((await warningsOf({}, [])).codes).toEqual([]);
  });

  it("reads single bytes without an endian, and with one", async () => {
    for (const codecs of [["bytes"], [{ name: "bytes", configuration: {} }], [bytesBig]]) {
      for (const data_type of ["uint8", "bool", "int8"])
        expect(
          (await warningsOf({ data_type, fill_value: data_type === "bool" ? false : 0, codecs })).codes,
        ).toEqual([]);
    }
  });

  it("warns of duplicate keys", async () => {
    const text = JSON.stringify(v3Meta()).replace("{", '{"shape":[1],');
    const codes: string[] = [];
    const store = documents({ "/zarr.json": text });
    const array = await openArray(store, { onWarning: ({ code }: ZarrWarning) => codes.push(code) });
    expect([codes, array.shape]).toEqual([["duplicate-key"], [4, 6]]);
  });

  it("respects the limits of chunk lengths, codecs and depth", async () => {
    const refuses = async (fields: Record<string, unknown>) => (await errorOf(() => openWith(fields)))._tag;
    expect(await refuses({ chunk_grid: regular(2 ** 52, 2 ** 52) })).toBe("LimitExceeded");
    expect(await refuses({ codecs: [bytesLittle, ...Array(64).fill(crc32c)] })).toBe("LimitExceeded");
    const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
    const text = JSON.stringify(v3Meta({ attributes: { deep: "here" } })).replace('"here"', deep);
    expect((await errorOf(() => open(documents({ "/zarr.json": text }))))._tag).toBe("LimitExceeded");
  });
});

describe("drafts of Zarr v3", () => {
  const endian = (order: string) => ({ name: "endian", configuration: { endian: order } });
  const warning = ["v3-draft"];

  it.each<[string, Record<string, unknown>, string[], unknown[]]>([
    ["no codecs", {}, ["codecs"], [bytesLittle]],
    ["an empty list of codecs", { codecs: [] }, [], [bytesLittle]],
    ["only a compressor", { codecs: [gzip] }, [], [bytesLittle, gzip]],
    [
      "only a transpose",
      { codecs: [{ name: "transpose", configuration: { order: "F" } }] },
      [],
      [{ name: "transpose", configuration: { order: "F" } }, bytesLittle],
    ],
    ["the codec endian", { codecs: [endian("big"), gzip] }, [], [endian("big"), gzip]],
    ["a fill value of null", { codecs: [endian("little")], fill_value: null }, [], [endian("little")]],
  ])("with %s are read with a warning", async (_what, fields, remove, codecs) => {
    const { array, codes } = await warningsOf(fields, remove);
    expect(codes).toEqual(warning);
    expect(array.codecs).toEqual(codecs);
    expect([...((await get(array)).data as Int32Array)]).toEqual(Array(24).fill(0));
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ["no codecs beside storage transformers", { storage_transformers: [] }, ["codecs"]],
    ["only a later codec", { codecs: [zstd] }, []],
    [
      "a fill value of null beside storage transformers",
      { codecs: [bytesLittle], fill_value: null, storage_transformers: [] },
      [],
    ],
    ["a compressor before endian", { codecs: [gzip, endian("little")] }, []],
    ["two of them", { codecs: [endian("little"), endian("big")] }, []],
    ["endian without an order", { codecs: [{ name: "endian" }] }, []],
    ["a transpose after the compressor", { codecs: [gzip, transposed(1, 0)] }, []],
  ])("with %s are refused", async (_what, fields, remove) => {
    const error = await errorOf(() => warningsOf(fields, remove));
    expect(error._tag).toBe("InvalidMetadata");
  });

  it("are little-endian unless they say otherwise", async () => {
    const bytes = Uint8Array.of(1, 2, 3, 4);
    const values = [
      [[], 0x04030201],
      [[endian("big")], 0x01020304],
      [[endian("little")], 0x04030201],
    ] as const;
    for (const [codecs, value] of values) {
      const store = v3Store({ shape: [1], chunk_grid: regular(1), codecs });
      store.entries.set("/c/0", bytes);
      expect([...((await get(await openArray(store))).data as Int32Array)]).toEqual([value]);
    }
  });

  it("of structured types are little-endian without an endian, with a warning", async () => {
    const data_type = {
      name: "structured",
      configuration: {
        fields: [
          ["a", "int16"],
          ["b", "uint8"],
        ],
      },
    };
    const fields = {
      shape: [2],
      chunk_grid: regular(2),
      data_type,
      fill_value: "AAAA",
      codecs: [{ name: "bytes" }],
    };
    const { array, codes } = await warningsOf(fields);
    expect(codes).toEqual(["missing-endian"]);
    const entries = (array.store as MapStore).entries.set("/c/0", Uint8Array.of(1, 2, 3, 4, 5, 6));
    expect((await getBytes(array)).bytes).toEqual(entries.get("/c/0"));
    expect((await warningsOf({ ...fields, codecs: [bytesBig] })).codes).toEqual([]);
  });
});

describe("chunk keys", () => {
  it.each<[unknown, string, string]>([
    ["default", "/c/1/0", "/c"],
    [{ name: "default" }, "/c/1/0", "/c"],
    [{ name: "default", configuration: { separator: "/" } }, "/c/1/0", "/c"],
    [{ name: "default", configuration: { separator: "." } }, "/c.1.0", "/c"],
    ["v2", "/1.0", "/0"],
    [{ name: "v2", configuration: { separator: "." } }, "/1.0", "/0"],
    [{ name: "v2", configuration: { separator: "/" } }, "/1/0", "/0"],
  ])("of %j", async (chunk_key_encoding, key, scalar) => {
    expect((await openWith({ chunk_key_encoding })).chunkKey([1, 0])).toBe(key);
    const store = v3Store({ chunk_key_encoding, shape: [], chunk_grid: regular() });
    store.entries.set(scalar, Uint8Array.of(5, 0, 0, 0));
    const array = await openArray(store);
    expect(array.chunkKey([])).toBe(scalar);
    const region = await get(array);
    expect([region.shape, [...(region.data as Int32Array)]]).toEqual([[], [5]]);
  });

  it("lie below the array's path", async () => {
    const store = documents({ "/a/b/zarr.json": v3Meta() });
    const array = await openArray(store, { path: "a/b" });
    expect(array.chunkKey([0, 1])).toBe("/a/b/c/0/1");
  });
});

describe("rectilinear grids", () => {
  const grid = (...lists: unknown[]) => ({ chunk_grid: rectilinear(...lists) });

  it.each<[unknown[]]>([
    [[[2, 2]]],
    [[[2, 2], [3, 3], [1]]],
    [[[2, 1], [6]]],
    [[[2, 2], []]],
    [[[2, 2], 0]],
    [[[2, 2], -3]],
    [[[2, 2], 1.5]],
    [[[2, 2], "3"]],
    [[[2, 2], null]],
    [[[2, 2], [[3]]]],
    [[[2, 2], [[3, 2, 1]]]],
    [[[2, 2], [[3, 0]]]],
    [[[2, 2], [[0, 3]]]],
    [[[2, 2], [[3, 2.5]]]],
    [[[2, 2], [["3", 2]]]],
    [[[2, 2], [[[3, 2], 1]]]],
    [[[2, 2], [[2 ** 40, 2 ** 40]]]],
    [[[2, 2], [[2 ** 53, 1]]]],
    [
      [
        [2, 2],
        [6, 2 ** 53 - 1],
      ],
    ],
  ])("are refused with the lengths %j", async (lists) => {
    const error = await errorOf(() => openWith(grid(...lists)));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "invalid-metadata"]);
  });

  it.each([
    [{ chunk_shapes: [2, 3] }],
    [{ kind: "outline", chunk_shapes: [2, 3] }],
    [{ kind: "inline" }],
    [{ kind: "inline", chunk_shapes: 2 }],
    [{ kind: "inline", chunk_shapes: [2, 3], more: 1 }],
  ])("are refused with %j", async (configuration) => {
    const error = await errorOf(() => openWith({ chunk_grid: { name: "rectilinear", configuration } }));
    expect(error._tag).toBe("InvalidMetadata");
  });

  it("may reach beyond the array, and have rows of one length", async () => {
    const array = await openWith(grid([[2, 1], 3, 7], 4));
    expect([array.gridShape, array.chunkShape]).toEqual([
      [3, 2],
      [2, 4],
    ]);
    expect((await array.getChunk([2, 1])).shape).toEqual([7, 4]);
    expect((await openWith({ shape: [], chunk_grid: rectilinear() })).gridShape).toEqual([]);
    expect((await openWith({ shape: [0], chunk_grid: rectilinear([3]) })).shape).toEqual([0]);
  });

  it("keep hostile run lengths unexpanded", async () => {
    const counting = new CountingStore(
      v3Store({
        shape: [4e9, 3],
        ...grid(
          [[1, 4e9]],
          [
            [1, 1],
            [2, 2 ** 40],
          ],
        ),
        fill_value: 7,
      }),
    );
    const array = await openArray(counting);
    counting.reset();
    expect(array.gridShape).toEqual([4e9, 2 ** 40 + 1]);
    const { data } = await get(array, [slice(4e9 - 2, null), slice(1, 3)]);
    expect([...(data as Int32Array)]).toEqual([7, 7, 7, 7]);
    expect(counting.requests.map(({ key }) => key)).toEqual(["/c/3999999998/1", "/c/3999999999/1"]);
    expect(array.chunkKey([4e9 - 1, 2 ** 40])).toBe(`/c/3999999999/${2 ** 40}`);
    const many = Array.from({ length: 200_000 }, (_, i) => 1 + (i % 5));
    const long = await openWith({ shape: [600_000], ...grid(many), fill_value: 1 });
    expect((await get(long, [slice(599_990, null)])).data.length).toBe(10);
  });

  it("check the codecs for every length that they have", async () => {
    const uneven = { shape: [18], ...grid([4, [8, 1], 6]), codecs: [sharded([4])] };
    const error = await errorOf(() => openWith(uneven));
    expect([error._tag, error.codec]).toEqual(["InvalidMetadata", "sharding_indexed"]);
    await expect(openWith({ ...uneven, codecs: [sharded([2])] })).resolves.toBeDefined();
    const large = await errorOf(() => openWith({ shape: [6, 2 ** 30], ...grid([2, 2, 2], [4, 2 ** 30]) }));
    expect(large._tag).toBe("LimitExceeded");
  });
});

const sizes = { bool: 1, uint8: 1, int16: 2, int32: 4, float64: 8, complex64: 8, r24: 3, int64: 8 } as const;
const fills: Partial<Record<keyof typeof sizes, [unknown, number[]]>> = {
  int16: [-2, [0xfe, 0xff]],
  int64: [1, [1, 0, 0, 0, 0, 0, 0, 0]],
  float64: ["NaN", [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]],
  complex64: [
    ["-Infinity", 0],
    [0, 0, 0x80, 0xff, 0, 0, 0, 0],
  ],
  r24: [
    [1, 2, 3],
    [1, 2, 3],
  ],
};

describe("arrays", () => {
  const axis = fc.record({
    length: fc.integer({ min: 1, max: 9 }),
    chunks: fc.oneof(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
    ),
    start: fc.nat(8),
    extent: fc.nat(9),
    step: fc.integer({ min: 1, max: 4 }),
  });
  const before = fc.array(fc.nat(9), { maxLength: 2 });
  const after = fc.constantFrom<Codec[]>([], [zstd], [gzip, crc32c], [blosc({ typesize: 3 })]);

  it("read as a slow reader reads them, whatever their grid and codecs", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axis, { maxLength: 4 }),
        fc.constantFrom(...(Object.keys(sizes) as (keyof typeof sizes)[])),
        before,
        fc.boolean(),
        after,
        fc.boolean(),
        async (axes, data_type, orders, isBig, behind, hasMissing) => {
          const shape = axes.map(({ length }) => length);
          const isRegular = axes.every(({ chunks }) => typeof chunks === "number");
          const lists = axes.map(({ chunks, length }) =>
            typeof chunks === "number" ? chunks : [...chunks, length],
          );
          const transposes = orders.map((seed) => {
            const rotated = shape.map((_, i) => (i + seed) % shape.length);
            return transposed(...(seed % 2 ? rotated.reverse() : rotated));
          });
          const [fill_value, fill] = fills[data_type] ?? [];
          const meta = v3Meta({
            ...filled({ data_type, ...(fill && { fill_value }) }),
            shape,
            chunk_grid: isRegular ? regular(...(lists as number[])) : rectilinear(...lists),
            codecs: [...transposes, isBig ? bytesBig : bytesLittle, ...behind],
          });
          const elements = randomBytes(product(shape) * sizes[data_type], 3).map((b) =>
            data_type === "bool" ? b & 1 : b,
          );
          const store = new MapStore();
          let seen = 0;
          const isMissing = () => hasMissing && seen++ % 3 === 1;
          const written = await writeV3(store, meta, elements, {
            isMissing,
            ...(fill && { fill: Uint8Array.from(fill) }),
          });
          const array = await openArray(store);
          expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
          const selection: Selection = axes.map(({ start, extent, step }) =>
            slice(start, start + extent, step),
          );
          const chosen = axes.map(({ length, start, extent, step }) =>
            all(length).filter((i) => i >= start && i < start + extent && (i - start) % step === 0),
          );
          expect(Buffer.from((await getBytes(array, selection)).bytes).equals(pick(written, chosen))).toBe(
            true,
          );
        },
      ),
      { numRuns: amount(62, 250) },
    );
  });

  it.each<[string, unknown, number[]]>([
    ["bool", true, [1]],
    ["int8", -1, [255]],
    ["uint64", 18446744073709551615n, Array(8).fill(255)],
    ["int64", -9223372036854775808n, [0, 0, 0, 0, 0, 0, 0, 128]],
    ["float16", 1.5, [0, 0x3e]],
    ["float32", 0.1, [0xcd, 0xcc, 0xcc, 0x3d]],
    ["float32", "NaN", [0, 0, 0xc0, 0x7f]],
    ["float32", "0x7fc00001", [1, 0, 0xc0, 0x7f]],
    ["float64", "-Infinity", [0, 0, 0, 0, 0, 0, 0xf0, 0xff]],
    ["complex128", [1, "NaN"], [0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]],
    ["r16", [1, 255], [1, 255]],
  ])("of %s fill missing chunks with %s", async (data_type, fill, item) => {
    const text = JSON.stringify(
      v3Meta({ data_type, shape: [3], chunk_grid: regular(2), fill_value: "here" }),
    );
    const value = typeof fill === "bigint" ? String(fill) : JSON.stringify(fill);
    for (const codecs of [[bytesLittle], [bytesBig, gzip]]) {
      const own = text
        .replace(JSON.stringify([bytesLittle]), JSON.stringify(codecs))
        .replace('"here"', value);
      const array = await openArray(new MapStore(new Map([["/zarr.json", bytesOf(own)]])));
      expect([...(await getBytes(array)).bytes]).toEqual([...item, ...item, ...item]);
      const chunk = await array.getChunk([1]);
      expect(chunk.shape).toEqual([2]);
    }
  });

  it("of strings fill missing chunks, and come as lists", async () => {
    const codecs = [{ name: "vlen-utf8" }];
    const store = v3Store({
      data_type: "string",
      fill_value: "none",
      shape: [3],
      chunk_grid: regular(2),
      codecs,
    });
    const array = await openArray(store);
    expect((await get<string[]>(array)).data).toEqual(["none", "none", "none"]);
    expect((await array.getChunk<string[]>([1])).data).toEqual(["none", "none"]);
    expect((await errorOf(() => getBytes(array)))._tag).toBe("InvalidArgument");
  });

  it("without elements read as empty", async () => {
    for (const shape of [[0], [0, 5], [5, 0]]) {
      const array = await openWith({ shape, chunk_grid: regular(...shape.map(() => 2)) });
      const region = await get(array);
      expect([region.shape, region.data.length]).toEqual([shape, 0]);
    }
  });

  it("name the chunk and the codec that fails", async () => {
    const store = v3Store({ codecs: [bytesLittle, zstd] });
    const good = await encodeElements("int32", [2, 3], [bytesLittle, zstd], new Uint8Array(24));
    store.entries.set("/c/0/1", good.slice(0, -3));
    const error = await errorOf(async () => get(await openArray(store)));
    expect([error._tag, error.codec, error.chunkKey]).toEqual(["CorruptChunk", "zstd", "/c/0/1"]);
  });

  it("may be the root of a store, or have no parent groups", async () => {
    const store = new MapStore(new Map([["/a/b/zarr.json", json(v3Meta())]]));
    expect((await openArray(store, { path: "/a/b/" })).path).toBe("a/b");
    expect((await errorOf(() => open(store)))._tag).toBe("NotFound");
  });
});
