// Zarr v2: accepted, tolerated and rejected .zarray documents; arrays of every order and separator.
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
  bytesBig,
  bytesLittle,
  type Codec,
  documents,
  encodeElements,
  filled,
  gzip,
  json,
  pick,
  v2Meta,
  v2Store,
  writeV2,
  zstd,
} from "../support/zarr-writer.js";

const openArray = (store: Store, options = {}) => open(store, { kind: "array", ...options });
const openWith = (fields: Record<string, unknown>, options = {}) => openArray(v2Store(fields), options);

async function warningsOf(meta: Record<string, unknown>, attributes?: unknown) {
  const warnings: ZarrWarning[] = [];
  const store = documents({
    "/.zarray": meta,
    ...(attributes === undefined ? {} : { "/.zattrs": attributes }),
  });
  const array = await openArray(store, { onWarning: (w: ZarrWarning) => warnings.push(w) });
  return { array, codes: warnings.map(({ code }) => code) };
}

function without(...keys: string[]) {
  const meta = v2Meta();
  for (const key of keys) delete meta[key];
  return meta;
}

describe("Zarr v2 metadata", () => {
  it("opens with its properties", async () => {
    const meta = v2Meta({
      dtype: ">i2",
      fill_value: 7,
      order: "F",
      compressor: { id: "zlib", level: 1 },
      filters: [{ id: "shuffle", elementsize: 2 }],
      dimension_separator: "/",
    });
    const attributes = { units: "m", n: 1, _ARRAY_DIMENSIONS: ["y", "x"] };
    const { array, codes } = await warningsOf(meta, attributes);
    expect(codes).toEqual([]);
    expect([
      array.kind,
      array.zarrFormat,
      array.shape,
      array.chunkShape,
      array.shardShape,
      array.gridShape,
    ]).toEqual(["array", 2, [4, 6], [2, 3], undefined, [2, 2]]);
    expect([String(array.dtype), array.fillValue, array.attributes, array.dimensionNames]).toEqual([
      "int16",
      7,
      attributes,
      ["y", "x"],
    ]);
    expect(array.codecs).toEqual([
      { name: "transpose", configuration: { order: [1, 0] } },
      { name: "bytes", configuration: { endian: "big" } },
      { name: "shuffle", configuration: { elementsize: 2 } },
      { name: "zlib", configuration: { level: 1 } },
    ]);
    expect(array.chunkKey([1, 0])).toBe("/1/0");
  });

  it("names all keys that are missing", async () => {
    const { message } = await errorOf(() => warningsOf({}));
    for (const key of ["zarr_format", "shape", "chunks", "dtype", "order"])
      expect(message).toContain(`"${key}"`);
  });

  it.each(["compressor", "fill_value", "filters"])(
    "reads a missing %s as null, with a warning",
    async (key) => {
      const { array, codes } = await warningsOf(without(key));
      expect(codes).toEqual(["missing-key"]);
      expect([...((await get(array)).data as Int32Array)]).toEqual(Array(24).fill(0));
    },
  );

  it.each<[string, unknown, string?]>([
    ["zarr_format", 1],
    ["zarr_format", "2"],
    ["zarr_format", 2.5],
    ["zarr_format", null],
    ["dtype", "|i4"],
    ["dtype", "<M8"],
    ["dtype", "|S0"],
    ["dtype", "|O"],
    [
      "dtype",
      [
        ["a", "<i4"],
        ["a", "<i4"],
      ],
    ],
    ["fill_value", {}],
    ["filters", {}],
    ["filters", "delta"],
    ["filters", [null], "filters"],
    ["filters", [{ name: "delta" }], "filters"],
    ["filters", [{ id: 7 }], "filters"],
    ["filters", [{ id: "fancy" }], "fancy"],
    ["filters", [{ id: "bytes" }], "bytes"],
    ["filters", [{ id: "transpose", order: [1, 0] }], "transpose"],
    ["filters", [{ id: "sharding_indexed" }], "sharding_indexed"],
    ["compressor", "zlib"],
    ["compressor", []],
    ["compressor", {}],
    ["compressor", { id: "lz5" }, "lz5"],
    ["compressor", { id: "__proto__" }, "__proto__"],
    ["compressor", { id: "zlib", level: 10 }, "zlib"],
    ["compressor", { id: "blosc", cname: "lz5" }, "blosc"],
    ["compressor", { id: "blosc", shuffle: 4 }, "blosc"],
    ["dimension_separator", "-", "separator"],
    ["dimension_separator", "", "separator"],
    ["dimension_separator", 1, "separator"],
  ])("refuses %s = %j", async (key, value, text = key) => {
    const error = await errorOf(() => openWith({ [key]: value }));
    expect(error._tag).toMatch(/^(InvalidMetadata|UnknownCodec|Unsupported)$/);
    expect(error.message).toContain(text);
  });

  it("names common codecs for an unknown one", async () => {
    const error = await errorOf(() => openWith({ compressor: { id: "lz5" } }));
    expect([error._tag, error.codec]).toEqual(["UnknownCodec", "lz5"]);
    expect(error.message).toBe('unknown codec "lz5" for Zarr v2; did you mean "lz4"?');
  });

  it.each<[string, unknown]>([
    ["filters", []],
    ["filters", [{ id: "delta", dtype: "<i4", astype: "<i4" }]],
    ["compressor", { id: "zlib" }],
    ["compressor", { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 }],
    ["compressor", { id: "blosc", cname: "zstd", clevel: 1, shuffle: -1, typesize: 4 }],
    ["dimension_separator", null],
    ["fill_value", null],
    ["fill_value", "7"],
    ["fill_value", 7.0],
    ["something", { else: [1] }],
    ["constructor", 1],
    ["order", "F"],
  ])("accepts %s = %j silently", async (key, value) => {
    expect((await warningsOf(v2Meta({ [key]: value }))).codes).toEqual([]);
  });

  it("has dimension names if xarray wrote one per dimension", async () => {
    const namesOf = async (names: unknown) =>
      (await warningsOf(v2Meta(), { _ARRAY_DIMENSIONS: names })).array.dimensionNames;
    expect(await namesOf(["y", "x"])).toEqual(["y", "x"]);
    for (const names of [["x"], ["x", 1], "xy", null, { 0: "x" }])
      expect(await namesOf(names)).toBeUndefined();
  });

  it("reads attributes unchanged, and rejects those that are not an object", async () => {
    const text = '{"n": 9007199254740993, "__proto__": {"x": 1}, "nan": NaN}';
    const { array } = await warningsOf(v2Meta(), text);
    expect(Object.keys(array.attributes)).toEqual(["n", "__proto__", "nan"]);
    expect([array.attributes["n"], array.attributes["nan"]]).toEqual([9007199254740993n, Number.NaN]);
    for (const attributes of ["[1]", "{", "null"]) {
      const error = await errorOf(() => warningsOf(v2Meta(), attributes));
      expect([error._tag, error.message]).toEqual(["InvalidMetadata", expect.stringContaining(".zattrs")]);
    }
    expect((await warningsOf(v2Meta())).array.attributes).toEqual({});
  });

  it("takes bare NaN and Infinity, as Python writes them", async () => {
    for (const [text, value] of [
      ["NaN", Number.NaN],
      ["-Infinity", Number.NEGATIVE_INFINITY],
      ['"Infinity"', Number.POSITIVE_INFINITY],
    ] as const) {
      const meta = JSON.stringify(v2Meta({ dtype: "<f8", fill_value: "here" })).replace('"here"', text);
      const array = await openArray(documents({ "/.zarray": meta }));
      expect((await get(array, [0, 0])).data[0]).toBe(value);
    }
  });

  it("respects the limit of codecs", async () => {
    const filters = Array(65).fill({ id: "delta", dtype: "<i4" });
    expect((await errorOf(() => openWith({ filters })))._tag).toBe("LimitExceeded");
  });
});

/** Data types by their v2 names: the v3 equivalent, with the byte order, and the bytes of an element. */
/** Fill values of non-numeric types, with their bytes. */
const fills: Record<string, [fill_value: unknown, bytes: number[]]> = {
  "|V5": ["AQIDBAU=", [1, 2, 3, 4, 5]],
  ">M8[ns]": [258, [2, 1, 0, 0, 0, 0, 0, 0]],
  "|S3": ["YWI=", [97, 98, 0]],
  ">U2": ["é", [0xe9, 0, 0, 0, 0, 0, 0, 0]],
};

const types: Record<string, [dataType: unknown, codec: Codec, itemBytes: number]> = {
  "|b1": ["bool", { name: "bytes" }, 1],
  "|u1": ["uint8", { name: "bytes" }, 1],
  "<i1": ["int8", { name: "bytes" }, 1],
  "<i2": ["int16", bytesLittle, 2],
  ">u4": ["uint32", bytesBig, 4],
  "<i8": ["int64", bytesLittle, 8],
  ">f8": ["float64", bytesBig, 8],
  ">c8": ["complex64", bytesBig, 8],
  "|V5": ["r40", { name: "bytes" }, 5],
  ">M8[ns]": [{ name: "numpy.datetime64", configuration: { unit: "ns", scale_factor: 1 } }, bytesBig, 8],
  "|S3": [{ name: "null_terminated_bytes", configuration: { length_bytes: 3 } }, { name: "bytes" }, 3],
  ">U2": [{ name: "fixed_length_utf32", configuration: { length_bytes: 8 } }, bytesBig, 8],
};
const compressors: [unknown, Codec[]][] = [
  [null, []],
  [{ id: "gzip", level: 1 }, [gzip]],
  [{ id: "zstd", level: 1 }, [zstd]],
  [
    { id: "blosc", cname: "lz4", clevel: 1, shuffle: 2, blocksize: 0 },
    [{ name: "blosc", configuration: { cname: "lz4", clevel: 1, shuffle: "bitshuffle", typesize: 4 } }],
  ],
];

describe("Zarr v2 arrays", () => {
  const axis = fc.record({
    length: fc.integer({ min: 1, max: 9 }),
    chunk: fc.integer({ min: 1, max: 6 }),
    start: fc.nat(8),
    extent: fc.nat(9),
    step: fc.integer({ min: 1, max: 4 }),
  });

  it("read as a slow reader reads them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(axis, { maxLength: 4 }),
        fc.constantFrom(...Object.keys(types)),
        fc.constantFrom("C", "F"),
        fc.constantFrom(undefined, ".", "/"),
        fc.constantFrom(...compressors),
        fc.boolean(),
        fc.boolean(),
        async (axes, dtype, order, dimension_separator, [compressor, behind], hasMissing, isNull) => {
          const [dataType, codec, itemBytes] = types[dtype]!;
          const shape = axes.map(({ length }) => length);
          const chunks = axes.map(({ chunk }) => chunk);
          const [fill_value, fill] = isNull ? [null] : (fills[dtype] ?? []);
          const fillField = fill_value === undefined ? {} : { fill_value };
          const fields = filled({ shape, chunks, dtype, order, compressor, ...fillField });
          const meta = v2Meta({ ...fields, ...(dimension_separator && { dimension_separator }) });
          const elements = randomBytes(product(shape) * itemBytes, 3).map((byte) =>
            dtype === "|b1" ? byte & 1 : byte,
          );
          const store = new MapStore();
          let seen = 0;
          const isMissing = () => hasMissing && seen++ % 3 === 1;
          const written = await writeV2(store, meta, { dataType, codecs: [codec, ...behind] }, elements, {
            isMissing,
            ...(fill && { fill: Uint8Array.from(fill) }),
          });
          const array = await openArray(store);
          expect(Buffer.from((await getBytes(array)).bytes).equals(written.elements)).toBe(true);
          const selection: Selection = axes.map(({ start, extent, step }) =>
            slice(start, start + extent, step),
          );
          const lists = axes.map(({ length, start, extent, step }) =>
            all(length).filter((i) => i >= start && i < start + extent && (i - start) % step === 0),
          );
          expect(Buffer.from((await getBytes(array, selection)).bytes).equals(pick(written, lists))).toBe(
            true,
          );
        },
      ),
      { numRuns: amount(62, 250) },
    );
  });

  it("run their filters along the stored order", async () => {
    // Differences of a 2 × 3 chunk in F order, by hand.
    const store = v2Store({
      shape: [2, 3],
      chunks: [2, 3],
      dtype: "<i2",
      order: "F",
      filters: [{ id: "delta", dtype: "<i2" }],
    });
    store.entries.set("/0.0", new Uint8Array(Int16Array.of(1, 9, -8, 5, 2, -3).buffer));
    const region = await get(await openArray(store));
    expect([...(region.data as Int16Array)]).toEqual([1, 2, 9, 10, 7, 6]);
  });

  it("of structured types keep the byte order of each field", async () => {
    const dtype = [
      ["a", ">i2"],
      ["b", "<i2", [2]],
      [
        "c",
        [
          ["d", "|u1"],
          ["e", ">f4"],
        ],
      ],
    ];
    const store = v2Store({
      shape: [1],
      chunks: [1],
      dtype,
      fill_value: Buffer.from(all(11)).toString("base64"),
    });
    const stored = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    const read = [2, 1, 3, 4, 5, 6, 7, 11, 10, 9, 8];
    expect([...(await getBytes(await openArray(store))).bytes]).toEqual(read.map((byte) => byte - 1)); // the fill value
    store.entries.set("/0", stored);
    expect([...(await getBytes(await openArray(store))).bytes]).toEqual(read);
  });

  it("of no dimensions have one chunk, 0", async () => {
    for (const order of ["C", "F"]) {
      const store = v2Store({ shape: [], chunks: [], dtype: ">i4", order, dimension_separator: "/" });
      store.entries.set("/0", Uint8Array.of(0, 0, 0, 5));
      const array = await openArray(store);
      expect(array.chunkKey([])).toBe("/0");
      const region = await get(array);
      expect([region.shape, [...(region.data as Int32Array)]]).toEqual([[], [5]]);
    }
  });

  it("without elements read as empty", async () => {
    const region = await get(await openWith({ shape: [0, 6] }));
    expect([region.shape, region.data.length]).toEqual([[0, 6], 0]);
  });

  it("fill missing chunks in the type's own byte order", async () => {
    for (const dtype of ["<i4", ">i4"]) {
      const array = await openWith({ dtype, fill_value: 258 });
      expect([...((await get(array)).data as Int32Array)]).toEqual(Array(24).fill(258));
      expect([...((await array.getChunk([1, 1])).data as Int32Array)]).toEqual(Array(6).fill(258));
    }
  });

  it("may have bytes after a Blosc frame, as z5py wrote them", async () => {
    const codecs = [bytesLittle, compressors[3]![1][0]!];
    const values = Int32Array.from(all(6));
    const chunk = await encodeElements("int32", [2, 3], codecs, new Uint8Array(values.buffer));
    const store = v2Store({ shape: [2, 3], compressor: compressors[3]![0] });
    store.entries.set("/0.0", Uint8Array.from([...chunk, ...new Uint8Array(16)]));
    expect([...((await get(await openArray(store))).data as Int32Array)]).toEqual([...values]);
  });

  it("refuse chunks of the wrong size, naming them", async () => {
    for (const fields of [{}, { dtype: ">i4" }, { order: "F" }]) {
      const store = v2Store(fields);
      for (const length of [0, 23, 25, 48]) {
        store.entries.set("/0.1", new Uint8Array(length));
        const error = await errorOf(async () => get(await openArray(store)));
        expect([error._tag, error.code, error.chunkKey]).toEqual(["CorruptChunk", "size-mismatch", "/0.1"]);
      }
    }
  });

  it("of objects need an object codec, and the error names it", async () => {
    const object = { dtype: "|O", shape: [3], chunks: [2], fill_value: "" };
    const array = await openWith({ ...object, filters: [{ id: "vlen-utf8" }], fill_value: "none" });
    expect((await get<string[]>(array)).data).toEqual(["none", "none", "none"]);
    for (const filters of [null, [], [{ id: "delta", dtype: "<i4" }]]) {
      const error = await errorOf(() => openWith({ ...object, filters }));
      expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-dtype"]);
    }
    const pickle = await errorOf(() => openWith({ ...object, filters: [{ id: "pickle" }] }));
    expect([pickle._tag, pickle.codec]).toEqual(["Unsupported", "pickle"]);
  });

  it("of strings read a number as their fill value like zarr-python 3", async () => {
    const text = { dtype: "|O", shape: [3], chunks: [2] };
    const fillOf = async (id: string, fill_value: unknown) => {
      const filters = [id === "categorize" ? { id, labels: ["a"], dtype: "|O", astype: "|u1" } : { id }];
      const array = await openWith({ ...text, filters, fill_value });
      expect((await get<unknown[]>(array)).data).toEqual(Array(3).fill(array.fillValue ?? ""));
      return array.fillValue;
    };
    expect(await fillOf("vlen-utf8", 0)).toBe("0");
    expect(await fillOf("vlen-utf8", 12)).toBe("12");
    expect(await fillOf("vlen-utf8", "")).toBe("");
    expect(await fillOf("vlen-utf8", null)).toBe(null);
    // Codecs that zarr-python 3 does not read: numcodecs encodes 0 as the empty string.
    expect(await fillOf("categorize", 0)).toBe("");
    expect(await fillOf("json2", 0)).toBe(0);
    expect((await errorOf(() => fillOf("vlen-utf8", true))).code).toBe("bad-fill-value");
  });

  it("open without parent groups, at normalised paths", async () => {
    const store = new MapStore(new Map([["/deep/down/.zarray", json(v2Meta())]]));
    for (const path of ["deep/down", "/deep//down/", "deep\\down"]) {
      const array = await openArray(store, { path });
      expect([array.path, array.chunkKey([0, 1])]).toEqual(["deep/down", "/deep/down/0.1"]);
    }
    for (const path of ["../deep", "deep/./down", "a/../b"]) {
      expect((await errorOf(() => open(store, { path })))._tag).toBe("InvalidArgument");
    }
  });

  it("in a plain Map are read, too", async () => {
    const map = new Map([
      ["/.zarray", bytesOf(JSON.stringify(v2Meta({ shape: [2, 3] })))],
      ["/0.0", new Uint8Array(Int32Array.from(all(6)).buffer)],
    ]);
    expect([...((await get(await openArray(map))).data as Int32Array)]).toEqual(all(6));
  });
});
