// Codecs that calculate with elements, through zarr-wasm/codecs: known vectors, properties, refusals.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CodecChainDType, createCodecChain, type ElementData } from "zarr-wasm/codecs";
import { ConfigReader } from "#src/codecs/definition.js";
import { parseNumpyName } from "#src/codecs/numpy.js";
import { codecDefinitions } from "#src/codecs/registry.js";
import { DType } from "#src/dtypes/dtype.js";
import { amount } from "../support/amounts.js";
import { errorOf, randomBytes } from "../support/support.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const big = { name: "bytes", configuration: { endian: "big" } };
const codec = (name: string, configuration: object = {}) => ({ name, configuration: { ...configuration } });
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

type Values = ElementData;

const chainOf = (dataType: unknown, shape: number[], codecs: object[], fillValue?: unknown) =>
  createCodecChain({ dtype: dataType as CodecChainDType, shape, codecs: codecs as never, fillValue });

/** Data type, codecs, elements, and their stored bytes. */
const vectors: [string, object[], Values, string][] = [
  [
    "int16",
    [codec("numcodecs.delta", { dtype: "<i2", astype: "|i1" }), little],
    Int16Array.of(100, 102, 99),
    "6402fd",
  ],
  [
    "uint8",
    [codec("numcodecs.delta", { dtype: "uint8" }), "bytes" as never],
    Uint8Array.of(1, 0, 255),
    "01ffff",
  ],
  [
    "int64",
    [codec("numcodecs.delta", { dtype: "<i8" }), big],
    BigInt64Array.of(1n, -1n),
    "0000000000000001fffffffffffffffe",
  ],
  [
    "float64",
    [codec("numcodecs.delta", { dtype: "<f8", astype: "<f4" }), little],
    Float64Array.of(1.5, 1),
    "0000c03f000000bf",
  ],
  [
    "float64",
    [codec("numcodecs.astype", { encode_dtype: "<f4", decode_dtype: "<f8" }), big],
    Float64Array.of(1.5, -2),
    "3fc00000c0000000",
  ],
  [
    "int32",
    [codec("numcodecs.astype", { encode_dtype: ">i2", decode_dtype: "<i4" }), big],
    Int32Array.of(1, -2, 300),
    "0001fffe012c",
  ],
  [
    "float64",
    [
      codec("numcodecs.fixedscaleoffset", { offset: 1000, scale: 10, dtype: "<f8", astype: "|u1" }),
      "bytes" as never,
    ],
    Float64Array.of(1000, 1000.1, 1001),
    "00010a",
  ],
  [
    "float64",
    [codec("numcodecs.quantize", { digits: 2, dtype: "<f8", astype: "<f4" }), big],
    Float64Array.of(0.109375, 0.21875),
    "3de000003e600000",
  ],
  [
    "float32",
    [codec("bitround", { keepbits: 3 }), big],
    Float32Array.of(1.125, Number.POSITIVE_INFINITY),
    "3f9000007f800000",
  ],
  ["bool", [codec("numcodecs.packbits"), "bytes" as never], Uint8Array.of(1, 0, 0, 1), "0490"],
  ["bool", ["packbits" as never], Uint8Array.of(1, 0, 0, 1, 1, 1, 0, 1, 1), "b901"],
  ["bool", [codec("packbits", { padding_encoding: "first_byte" })], Uint8Array.of(1, 1, 1), "0507"],
  ["bool", [codec("packbits", { padding_encoding: "end_byte" })], Uint8Array.of(1, 1, 1), "0705"],
  ["uint16", [codec("packbits", { first_bit: 0, last_bit: 11 })], Uint16Array.of(0xabc, 0x123), "bc3a12"],
  ["int16", [codec("packbits", { start_bit: null, end_bit: 3 })], Int16Array.of(-1, 7, -8), "7f08"],
  [
    "int16",
    [codec("scale_offset", { offset: 10, scale: 2 }), little],
    Int16Array.of(10, 11, 9),
    "00000200feff",
  ],
  [
    "uint64",
    [codec("scale_offset", { offset: 2n ** 63n }), big],
    BigUint64Array.of(2n ** 63n + 1n),
    "0000000000000001",
  ],
  [
    "float32",
    [codec("scale_offset", { offset: "0x3f800000", scale: 0.5 }), big],
    Float32Array.of(3, 1),
    "3f80000000000000",
  ],
  [
    "float64",
    [
      codec("cast_value", {
        data_type: "int16",
        scalar_map: { encode: [["NaN", -32768]], decode: [[-32768, "NaN"]] },
      }),
      big,
    ],
    Float64Array.of(1, Number.NaN),
    "00018000",
  ],
  [
    "float32",
    [
      codec("cast_value", {
        data_type: "uint8",
        scalar_map: {
          encode: [
            ["+Infinity", 255],
            ["Infinity", 3],
          ],
          decode: [[255, "+Infinity"]],
        },
      }),
      "bytes" as never,
    ],
    Float32Array.of(7, Number.POSITIVE_INFINITY),
    "07ff",
  ],
  [
    "uint8",
    [codec("reshape", { shape: [[0], -1] }), codec("transpose", { order: [1, 0] }), "bytes" as never],
    Uint8Array.of(1, 2),
    "0102",
  ],
];

describe("codecs on values", () => {
  it.each(vectors)("%s, vector %#", async (dataType, codecs, values, stored) => {
    const chain = await chainOf(dataType, [values.length], codecs);
    expect(hex(chain.encode(values))).toBe(stored);
    expect(chain.decode(fromHex(stored))).toEqual(values);
  });

  it("cast by every rounding and out-of-range rule", async () => {
    const encoded = async (configuration: object, values: number[], to = "int8") => {
      const chain = await chainOf("float64", [values.length], [
        codec("cast_value", { data_type: to, ...configuration }),
        "bytes",
      ] as never);
      return [...new Int8Array(chain.encode(Float64Array.from(values)).buffer)];
    };
    const ties = [0.5, 1.5, -0.5, -1.5, 0.4, -0.6];
    expect(await encoded({}, ties)).toEqual([0, 2, 0, -2, 0, -1]);
    expect(await encoded({ rounding: "nearest-away" }, ties)).toEqual([1, 2, -1, -2, 0, -1]);
    expect(await encoded({ rounding: "towards-zero" }, ties)).toEqual([0, 1, 0, -1, 0, 0]);
    expect(await encoded({ rounding: "towards-positive" }, ties)).toEqual([1, 2, 0, -1, 1, 0]);
    expect(await encoded({ rounding: "towards-negative" }, ties)).toEqual([0, 1, -1, -2, 0, -1]);
    const outside = [128, -129, 300, -1000];
    expect(await encoded({ out_of_range: "clamp" }, [...outside, Infinity, -Infinity])).toEqual([
      127, -128, 127, -128, 127, -128,
    ]);
    expect(await encoded({ out_of_range: "wrap" }, outside)).toEqual([-128, 127, 44, 24]);
    const error = await errorOf(() => encoded({}, [1, 2, 128]));
    expect([error._tag, error.code, error.codec]).toEqual([
      "InvalidArgument",
      "not-representable",
      "cast_value",
    ]);
  });

  it("refuse chunks with values that the data type cannot hold", async () => {
    const narrow = await chainOf("int8", [2], [codec("cast_value", { data_type: "int16" }), big]);
    const error = await errorOf(() => narrow.decode(fromHex("0001 0080")));
    expect([error._tag, error.code, error.byteOffset]).toEqual(["CorruptChunk", "not-representable", 2]);
    const multiples = await chainOf("int8", [2], [codec("scale_offset", { scale: 3 }), "bytes" as never]);
    expect((await errorOf(() => multiples.decode(fromHex("0304"))))._tag).toBe("CorruptChunk");
    const bools = await chainOf("bool", [4], [codec("numcodecs.packbits"), "bytes" as never]);
    expect((await errorOf(() => bools.decode(fromHex("0390")))).code).toBe("bad-header");
  });

  it("refuse fill values that do not round-trip", async () => {
    const cast = [codec("cast_value", { data_type: "int16" }), little];
    const error = await errorOf(() => chainOf("float64", [2], cast, "NaN"));
    expect([error._tag, error.code, error.codec]).toEqual([
      "InvalidMetadata",
      "invalid-metadata",
      "cast_value",
    ]);
    await expect(chainOf("float64", [2], cast, 7)).resolves.toBeDefined();
  });

  it("decode in the small module, except scale_offset and cast_value", async () => {
    const options = { dtype: "int16", shape: [3], direction: "decode" } as const;
    const chain = await createCodecChain({
      ...options,
      codecs: [codec("numcodecs.delta", { dtype: "<i2" }), little],
    });
    expect(chain.decode(fromHex("010001000100"))).toEqual(Int16Array.of(1, 2, 3));
    expect((await errorOf(() => chain.encode(new Int16Array(3))))._tag).toBe("Unsupported");
    const other = await createCodecChain({
      ...options,
      codecs: [codec("scale_offset", { offset: 1 }), little],
    });
    expect(other.encode(Int16Array.of(1, 2, 3))).toEqual(fromHex("000001000200"));
  });
});

const arrays = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
} as const;

describe("properties of value codecs", () => {
  const lengths = fc.integer({ min: 1, max: 700 });

  it.each(Object.entries(arrays))(
    "delta, packbits, reshape and bitround of %s follow their definitions",
    async (name, Kind) => {
      await fc.assert(
        fc.asyncProperty(lengths, fc.nat(), async (length, seed) => {
          const values = new Kind(randomBytes(length * Kind.BYTES_PER_ELEMENT, seed).buffer);
          for (const codecs of [
            [codec("numcodecs.delta", { dtype: name }), big],
            [codec("packbits", { padding_encoding: "last_byte" })],
            [codec("reshape", { shape: [1, -1] }), little],
            [codec("bitround", { keepbits: 64 }), little],
            [codec("scale_offset"), big],
            [codec("cast_value", { data_type: name }), big],
            [codec("numcodecs.delta", { dtype: name }), codec("numcodecs.delta", { dtype: name }), big],
          ]) {
            const chain = await chainOf(name, [length], codecs);
            expect(chain.decode(chain.encode(values))).toEqual(values);
          }
        }),
        { numRuns: 20 },
      );
    },
  );

  it("fixedscaleoffset is off by half a step at most", async () => {
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.double({ min: -1000, max: 1000, noNaN: true }),
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        async (length, offset, scale) => {
          const values = Float64Array.from({ length }, (_, i) => Math.sin(i) * 100 + offset);
          const fso = codec("numcodecs.fixedscaleoffset", {
            offset,
            scale,
            dtype: "float64",
            astype: "int16",
          });
          const chain = await chainOf("float64", [length], [fso, little]);
          const decoded = chain.decode(chain.encode(values)) as Float64Array;
          for (const [i, value] of values.entries()) {
            expect(Math.abs(decoded[i]! - value)).toBeLessThan(0.5 / scale + 1e-9);
          }
        },
      ),
      { numRuns: amount(12, 50) },
    );
  });

  it("quantize keeps the digits, bitround the leading bits", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -3, max: 9 }),
        fc.integer({ min: 1, max: 20 }),
        async (digits, keepbits) => {
          const values = Float64Array.from({ length: 100 }, (_, i) => (i - 50) * Math.PI * 100);
          const quantize = await chainOf(
            "float64",
            [100],
            [codec("numcodecs.quantize", { digits, dtype: "<f8" }), little],
          );
          const bitround = await chainOf(
            "float64",
            [100],
            [codec("numcodecs.bitround", { keepbits }), little],
          );
          const [coarse, short] = [quantize, bitround].map(
            (chain) => chain.decode(chain.encode(values)) as Float64Array,
          );
          for (const [i, value] of values.entries()) {
            expect(Math.abs(coarse![i]! - value)).toBeLessThanOrEqual(10 ** -digits / 2);
            expect(Math.abs(short![i]! - value)).toBeLessThanOrEqual(Math.abs(value) * 2 ** -(keepbits + 1));
          }
        },
      ),
    );
  });
});

describe("data types as NumPy names them", () => {
  it.each([
    ["<i4", "int32", "little"],
    [">i2", "int16", "big"],
    ["|u1", "uint8", undefined],
    [">u1", "uint8", undefined],
    ["=f8", "float64", "little"],
    ["i4", "int32", "little"],
    ["u1", "uint8", undefined],
    ["float32", "float32", "little"],
    ["bool", "bool", undefined],
    ["b1", "bool", undefined],
    ["complex128", "complex128", "little"],
    ["<M8[ns]", "numpy.datetime64", "little"],
  ])("%s", (text, name, endian) => {
    const { dtype, endian: order } = parseNumpyName(text);
    expect([dtype.name, order]).toEqual([name, endian]);
  });

  it.each(["", "i3", "int2", "bfloat16", "O", "|O", "<<i4", "=", "float128", "constructor"])(
    "%j is refused",
    (text) => {
      expect(() => parseNumpyName(text)).toThrow();
    },
  );

  it("state the byte order of a filter's output", () => {
    const parse = (name: string, configuration: object, dtype = "int32") => {
      const definition = codecDefinitions.find((d) => d.names[2]?.includes(name))!;
      const array = { dtype: DType.simple(dtype as "int32"), shape: [4] };
      return definition.parse(new ConfigReader(name, configuration as never), { version: 2, array });
    };
    expect(parse("delta", { dtype: ">i4", astype: ">i2" }).endian).toBe("big");
    expect(parse("delta", { dtype: ">i4" }).endian).toBe("big");
    expect(parse("delta", { dtype: ">i4", astype: "|i1" }).endian).toBeUndefined();
    expect(parse("astype", { decode_dtype: "<i4", encode_dtype: ">f8" }).endian).toBe("big");
    expect(parse("astype", { decode_dtype: ">i4", encode_dtype: "<f8" }).encoded!.dtype.name).toBe("float64");
    expect(parse("bitround", { keepbits: 3 }, "float32").endian).toBeUndefined();
    expect(parse("packbits", {}, "bool").encoded!.shape).toEqual([2]);
  });
});

describe("configurations", () => {
  const fso = { dtype: "<f4", astype: "<i2", offset: 0, scale: 1 };
  const table: [dataType: string, name: string, configuration: object, message: RegExp][] = [
    ["int32", "numcodecs.delta", { dtype: "<i2" }, /"dtype" is int16, but the array's data type is int32/],
    ["int32", "numcodecs.delta", { dtype: 5 }, /NumPy data type/],
    ["bool", "numcodecs.delta", { dtype: "|b1" }, /does not support data type bool/],
    ["r16", "numcodecs.delta", {}, /does not support data type r16/],
    ["int32", "numcodecs.astype", { encode_dtype: "<V4", decode_dtype: "<i4" }, /does not support data type/],
    ["complex64", "numcodecs.astype", { encode_dtype: "<f4", decode_dtype: "<c8" }, /cannot cast between/],
    ["float32", "numcodecs.fixedscaleoffset", { ...fso, scale: 0 }, /"scale" must not be 0/],
    ["float32", "numcodecs.fixedscaleoffset", { ...fso, scale: "1" }, /"scale" must be a number/],
    [
      "float32",
      "numcodecs.fixedscaleoffset",
      { ...fso, offset: undefined },
      /"offset" must be a number, not nothing/,
    ],
    ["float32", "numcodecs.fixedscaleoffset", { ...fso, offset: Number.NaN }, /"offset" must be a number/],
    ["int32", "numcodecs.quantize", { digits: 2, dtype: "<i4" }, /does not support data type int32/],
    ["float32", "numcodecs.quantize", { dtype: "<f4" }, /"digits" must be an integer/],
    ["float32", "numcodecs.quantize", { dtype: "<f4", digits: 301 }, /"digits"/],
    ["float32", "bitround", { keepbits: 0 }, /"keepbits" must be an integer from 1 to 23/],
    ["float32", "numcodecs.bitround", { keepbits: 24 }, /from 0 to 23/],
    ["bool", "bitround", { keepbits: 1 }, /does not support data type bool/],
    ["float32", "bitround", { keepbits: 1, more: 1 }, /"more" is not one of its options/],
    ["uint8", "numcodecs.packbits", {}, /supports data type bool only, not uint8/],
    ["bool", "numcodecs.packbits", { order: 1 }, /it has none/],
    ["uint8", "packbits", { first_bit: 5, last_bit: 4 }, /"last_bit" 4 is below "first_bit" 5/],
    ["uint8", "packbits", { last_bit: 8 }, /"last_bit" must be an integer from 0 to 7/],
    ["uint8", "packbits", { last_bit: 1, end_bit: 1 }, /two names of the same option/],
    ["uint8", "packbits", { padding_encoding: "middle" }, /"padding_encoding" must be one of/],
    ["r8", "packbits", {}, /does not support data type r8/],
    ["uint8", "scale_offset", { offset: 256 }, /"offset" must be a value of data type uint8, not 256/],
    ["uint8", "scale_offset", { scale: 0 }, /"scale" must not be 0/],
    ["float32", "scale_offset", { scale: "-0.0" }, /"scale" must be a value/],
    ["float32", "scale_offset", { scale: -0 }, /"scale" must not be 0/],
    ["bool", "scale_offset", {}, /does not support data type bool/],
    ["uint8", "scale_offset", { factor: 2 }, /"factor" is not one of its options/],
    ["uint8", "cast_value", {}, /data type/],
    ["uint8", "cast_value", { data_type: "bool" }, /does not support data type bool/],
    ["complex64", "cast_value", { data_type: "int8" }, /does not support data type complex64/],
    ["uint8", "cast_value", { data_type: "int8", rounding: "up" }, /"rounding" must be one of/],
    ["uint8", "cast_value", { data_type: "float32", out_of_range: "wrap" }, /for integers only/],
    ["uint8", "cast_value", { data_type: "int8", scalar_map: [] }, /"scalar_map" must be an object/],
    [
      "uint8",
      "cast_value",
      { data_type: "int8", scalar_map: { both: [] } },
      /"both" is not one of its options/,
    ],
    ["uint8", "cast_value", { data_type: "int8", scalar_map: { encode: [[1]] } }, /a list of \[from, to\]/],
    [
      "uint8",
      "cast_value",
      { data_type: "int8", scalar_map: { encode: [[256, 1]] } },
      /an entry of "encode" must be a value of data type uint8/,
    ],
    [
      "uint8",
      "cast_value",
      { data_type: "int8", scalar_map: { decode: [["NaN", 1]] } },
      /an entry of "decode"/,
    ],
    ["uint8", "reshape", {}, /"shape" must hold/],
    ["uint8", "reshape", { shape: [5, 4] }, /does not have as many elements/],
    ["uint8", "reshape", { shape: [-1, -1] }, /at most one -1/],
    ["uint8", "reshape", { shape: [7, -1] }, /does not have as many elements/],
    ["uint8", "reshape", { shape: [[1], [0]] }, /must ascend/],
    ["uint8", "reshape", { shape: [[0], [2], [1]] }, /must ascend/],
    ["uint8", "reshape", { shape: [[0, 3]] }, /must ascend, and be below 3/],
    ["uint8", "reshape", { shape: [[0, 2], 3] }, /do not lie at position 0/],
    ["uint8", "reshape", { shape: [4, [1], 2] }, /do not lie at position 1/],
    ["uint8", "reshape", { shape: [0, 24] }, /"shape" must hold/],
  ];

  it.each(table)("%s %s %j", async (dataType, name, configuration, message) => {
    const codecs = name === "packbits" ? [codec(name, configuration)] : [codec(name, configuration), little];
    const error = await errorOf(() => chainOf(dataType, [2, 3, 4], codecs));
    expect(error.message).toMatch(message);
    expect(error._tag).toMatch(/^(InvalidMetadata|Unsupported)$/);
  });

  it.each([
    [
      [[0, 1], [2]],
      [6, 4],
    ],
    [
      [[0], [1, 2]],
      [2, 12],
    ],
    [[-1], [24]],
    [
      [[0], -1, 2],
      [2, 6, 2],
    ],
    [
      [2, 3, [2]],
      [2, 3, 4],
    ],
    [
      [[0], [1], [2], 1],
      [2, 3, 4, 1],
    ],
    [
      [1, [], [0, 1, 2]],
      [1, 1, 24],
    ],
  ])("reshape to %j", async (shape, expected) => {
    const definition = codecDefinitions.find((d) => d.core === "reshape")!;
    const array = { dtype: DType.simple("uint8"), shape: [2, 3, 4] };
    const parsed = definition.parse(new ConfigReader("reshape", { shape }), { version: 3, array });
    expect([...parsed.encoded!.shape]).toEqual(expected);
    const chain = await chainOf("uint8", [2, 3, 4], [codec("reshape", { shape }), "bytes" as never]);
    const values = Uint8Array.from({ length: 24 }, (_, i) => i);
    expect(chain.encode(values)).toEqual(values);
    expect(chain.decode(values)).toEqual(values);
  });

  it("reject hostile input with typed errors only", async () => {
    const names = codecDefinitions
      .filter((d) => d.kind === "array-to-array")
      .flatMap((d) => d.names[3] ?? []);
    const keys = [
      "dtype",
      "astype",
      "encode_dtype",
      "decode_dtype",
      "offset",
      "scale",
      "digits",
      "keepbits",
      "shape",
      "data_type",
      "rounding",
      "out_of_range",
      "scalar_map",
      "order",
    ];
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("<i4", "|u1", "float32", "int16", 1, 2, [[1, 2]], { encode: [[1, 2]] }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom(...keys), value),
        async (name, configuration) => {
          try {
            await chainOf("int32", [4], [codec(name, configuration), little]);
          } catch (error) {
            expect((error as { _tag: string })._tag).toMatch(/^(InvalidMetadata|Unsupported|LimitExceeded)$/);
          }
        },
      ),
      { numRuns: amount(100, 400) },
    );
  });
});
