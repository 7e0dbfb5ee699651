// zarr-wasm/codecs: chains on typed arrays.
import { describe, expect, it } from "vitest";
import {
  type CodecChainDType,
  type CodecChainOptions,
  createCodecChain,
  isZarrError,
} from "zarr-wasm/codecs";
import type { CodecDefinition } from "#src/codecs/definition.js";
import { codecDefinitions, findCodec } from "#src/codecs/registry.js";
import { codecRow } from "#src/engine/codec-table.js";
import { codecOf, encode } from "../support/codec-arrays.js";
import { triedTypes } from "../support/data-types.js";
import {
  errorOf,
  everyIndex,
  flatIndex,
  openArray,
  product,
  randomBytes,
  v1Store,
} from "../support/support.js";
import { regular, transposed, v3Store } from "../support/zarr-writer.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const big = { name: "bytes", configuration: { endian: "big" } };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Configurations worth trying of bytes-to-bytes codecs, by core name; those of others are of support-codecs.ts. */
const worthTrying: Record<string, Record<string, unknown>[]> = {
  zlib: [{ level: 1 }, { level: 9 }, {}],
  gzip: [{ level: 5 }],
  zstd: [{ level: 3 }, { level: 1, checksum: true }],
  lz4: [{}, { acceleration: 10 }],
  blosc: ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"].flatMap((cname) =>
    ["noshuffle", "shuffle", "bitshuffle"].map((shuffle) => ({
      cname,
      clevel: 5,
      shuffle,
      typesize: 2,
      blocksize: 0,
    })),
  ),
  bz2: [{ level: 1 }],
  lzma: [
    {},
    { format: 2, preset: 1 },
    {
      format: 3,
      filters: [
        { id: 3, dist: 2 },
        { id: 0x21, preset: 1 },
      ],
    },
  ],
  crc32c: [{}, { location: "start" }],
  crc32: [{}, { location: "end" }],
  adler32: [{}, { location: "end" }],
  fletcher32: [{}],
  jenkins_lookup3: [{}, { initval: 7, prefix: [1, 2, 3] }, { prefix: "SGVsbG8=" }],
  shuffle: [{ elementsize: 2 }, { elementsize: 1 }],
  base64: [{}],
  conditional: [
    { codecs: [{ name: "zstd", configuration: { level: 1 } }, "crc32c"] },
    {
      header_bits: 16,
      codecs: [
        { name: "numcodecs.shuffle", configuration: { elementsize: 2 } },
        { name: "conditional", configuration: { codecs: [{ name: "gzip", configuration: { level: 1 } }] } },
      ],
    },
  ],
};

// Codecs that Zarr v3 has no name for are tested in codecs-bytes.test.ts.
const compressors = codecDefinitions.filter(
  ({ core, kind, names }) => kind === "bytes-to-bytes" && names[3] && codecRow(core).encode !== "none",
);

const uint16 = triedTypes.find(({ label }) => label === "uint16")!;
const configurationsOf = ({ core, names }: CodecDefinition) => {
  const name = names[3]![0]!;
  const isAlias = name.startsWith("imagecodecs_"); // with different options
  const tried = isAlias ? undefined : worthTrying[core];
  return tried ?? [codecOf(name, uint16, 3).configuration as Record<string, unknown>];
};

function circle(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

function conditionalCircle(): object {
  const codec = { name: "conditional", configuration: { codecs: [] as unknown[] } };
  codec.configuration.codecs.push(codec);
  return codec;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);

describe("codec chains", () => {
  it("decode and encode the contract's example", async () => {
    const chain = await createCodecChain({
      dtype: "int16",
      shape: [64, 48],
      fillValue: 0,
      codecs: [{ name: "transpose", configuration: { order: [1, 0] } }, big],
    });
    const values = Int16Array.from({ length: 64 * 48 }, (_, i) => i * 7 - 9000);
    const encoded = chain.encode(values);
    expect(encoded).toBeInstanceOf(Uint8Array);
    // Stored element (0, 1) is element (1, 0), big-endian.
    expect(((encoded[2]! << 24) >> 16) | encoded[3]!).toBe(values[48]);
    const decoded = chain.decode(encoded);
    expect(decoded).toBeInstanceOf(Int16Array);
    expect(decoded).toEqual(values);
    const out = new Int16Array(64 * 48);
    expect(chain.decodeInto(encoded, out)).toBe(out);
    expect(out).toEqual(values);
    expect([chain.dtype.name, chain.shape]).toEqual(["int16", [64, 48]]);
  });

  it.each([
    ["int16", "big", Int16Array.of(1, -2, 258), "0001fffe0102"],
    ["int16", "little", Int16Array.of(1, -2, 258), "0100feff0201"],
    ["float32", "big", Float32Array.of(1.5, -2), "3fc00000c0000000"],
    ["complex64", "big", Float32Array.of(1.5, -2), "3fc00000c0000000"],
    ["uint64", "big", BigUint64Array.of(0x0102030405060708n), "0102030405060708"],
    ["bool", undefined, Uint8Array.of(1, 0, 1), "010001"],
    ["r24", undefined, Uint8Array.of(1, 2, 3, 4, 5, 6), "010203040506"],
  ])("bytes of %s, %s", async (dataType, endian, values, expected) => {
    const perElement = dataType === "complex64" ? 2 : dataType === "r24" ? 3 : 1;
    const codecs = [{ name: "bytes", ...(endian ? { configuration: { endian } } : {}) }];
    const dtype = dataType as CodecChainDType;
    const chain = await createCodecChain({ dtype, shape: [values.length / perElement], codecs });
    expect(hex(chain.encode(values as never))).toBe(expected);
    expect(chain.decode(Uint8Array.from(Buffer.from(expected, "hex")))).toEqual(values);
  });

  it('transpose by permutations of unequal lengths, by "C", "F" and chained', async () => {
    const shape = [2, 3, 4];
    const values = Uint8Array.from({ length: 24 }, (_, i) => i);
    const stored = async (...orders: unknown[]) => {
      const codecs = [
        ...orders.map((order) => ({ name: "transpose", configuration: { order } })),
        { name: "bytes" },
      ];
      const chain = await createCodecChain({ dtype: "uint8", shape, codecs: codecs as never });
      const encoded = chain.encode(values);
      expect(chain.decode(encoded)).toEqual(values);
      return [...encoded].slice(0, 12).join(" ");
    };
    // Examples from the specification, with the results of numpy.transpose.
    expect(await stored([1, 2, 0])).toBe("0 12 1 13 2 14 3 15 4 16 5 17");
    expect(await stored([2, 0, 1])).toBe("0 4 8 12 16 20 1 5 9 13 17 21");
    expect(await stored([0, 2, 1])).toBe("0 4 8 1 5 9 2 6 10 3 7 11");
    expect(await stored("F")).toBe(await stored([2, 1, 0]));
    expect(await stored("C")).toBe(await stored());
    expect(await stored("F", "F")).toBe(await stored("C"));
    expect(await stored([1, 2, 0], [1, 2, 0])).toBe(await stored([2, 0, 1]));
    expect(await stored([1, 2, 0], [2, 0, 1])).toBe(await stored());
  });

  it("agree with a slow transpose on five axes", async () => {
    const shape = [3, 1, 4, 2, 5];
    const order = [3, 0, 4, 2, 1];
    const to = order.map((axis) => shape[axis]!);
    const values = Uint16Array.from({ length: product(shape) }, (_, i) => i);
    const expected = new Uint16Array(values.length);
    for (const b of everyIndex(to)) {
      const a: number[] = [];
      order.forEach((axis, i) => {
        a[axis] = b[i]!;
      });
      expected[flatIndex(b, to)] = values[flatIndex(a, shape)]!;
    }
    const chain = await createCodecChain({
      dtype: "uint16",
      shape,
      codecs: [{ name: "transpose", configuration: { order } }, little],
    });
    expect(chain.encode(values)).toEqual(new Uint8Array(expected.buffer));
  });

  describe.each(compressors.map((definition) => [definition.core, definition] as const))(
    "%s",
    (core, definition) => {
      const name = definition.names[3]![0]!;
      const [configuration] = configurationsOf(definition) as [Record<string, unknown>];
      it.each(configurationsOf(definition))("%j round-trips at every size", async (configuration) => {
        for (const length of [1, 15, 16, 17, 1000, 70_000]) {
          const chain = await createCodecChain({
            dtype: "uint16",
            shape: [length],
            codecs: [big, { name, configuration }],
          });
          for (const values of [
            new Uint16Array(length),
            Uint16Array.from({ length }, (_, i) => 1000 + (i >> 3)),
            new Uint16Array(randomBytes(2 * length, length).buffer),
          ]) {
            const decoded = chain.decode(chain.encode(values));
            expect(decoded).toBeInstanceOf(Uint16Array);
            expect(Buffer.compare(bytesOf(decoded), bytesOf(values))).toBe(0); // toEqual takes a second for these
          }
        }
      });

      it("refuses every prefix and one extra byte, then decodes correctly", async () => {
        const chain = await createCodecChain({
          dtype: "uint16",
          shape: [300],
          codecs: [little, { name, configuration }],
        });
        const values = Uint16Array.from({ length: 300 }, (_, i) => i % 50);
        const encoded = chain.encode(values);
        // These formats allow a missing end mark, and a zero after it.
        const [spared, extra] = ["lzw", "tiff_packbits"].includes(core) ? [2, 1] : [0, 0];
        const cuts = Array.from({ length: encoded.length - spared }, (_, n) => encoded.slice(0, n));
        for (const bad of [...cuts, Uint8Array.from([...encoded, extra])]) {
          const error = await errorOf(() => chain.decode(bad));
          expect([error._tag, error.codec], `${bad.length} of ${encoded.length} bytes`).toEqual([
            "CorruptChunk",
            name,
          ]);
        }
        expect(chain.decode(encoded)).toEqual(values);
      });

      it("refuses data whose size differs from the array's", async () => {
        const codecs = [little, { name, configuration }];
        const make = (length: number) => createCodecChain({ dtype: "int32", shape: [length], codecs });
        const encoded = (await make(100)).encode(new Int32Array(100).fill(5));
        for (const length of [99, 101, 1, 5000]) {
          const chain = await make(length);
          expect((await errorOf(() => chain.decode(encoded)))._tag).toBe("CorruptChunk");
        }
      });
    },
  );

  it("stack bytes-to-bytes codecs", async () => {
    const chain = await createCodecChain({
      dtype: "float64",
      shape: [10, 20],
      codecs: [
        { name: "transpose", configuration: { order: "F" } },
        big,
        {
          name: "blosc",
          configuration: { cname: "zstd", clevel: 3, shuffle: "bitshuffle", typesize: 8, blocksize: 0 },
        },
        { name: "gzip", configuration: { level: 1 } },
        { name: "zstd", configuration: { level: 1 } },
      ],
    });
    const values = Float64Array.from({ length: 200 }, (_, i) => Math.sqrt(i));
    expect(chain.decode(chain.encode(values))).toEqual(values);
  });

  it("are rejected before any chunk is read if they cannot work", async () => {
    const transpose = (order: unknown) => ({ name: "transpose", configuration: { order } });
    const gzip = { name: "gzip", configuration: { level: 1 } };
    const table: [string, object[], string, RegExp, string?][] = [
      [
        "transpose after bytes",
        [little, transpose([1, 0])],
        "InvalidMetadata",
        /transpose works on arrays and cannot follow bytes/,
        "codec-order",
      ],
      [
        "transpose after gzip",
        [little, gzip, transpose("C")],
        "InvalidMetadata",
        /cannot follow gzip, which yields bytes/,
        "codec-order",
      ],
      ["bytes twice", [little, little], "InvalidMetadata", /bytes works on arrays/, "codec-order"],
      ["gzip first", [gzip, little], "InvalidMetadata", /no array-to-bytes codec precedes it/, "codec-order"],
      [
        "no array-to-bytes codec",
        [transpose([1, 0])],
        "InvalidMetadata",
        /lack an array-to-bytes codec/,
        "codec-order",
      ],
      ["nothing", [], "InvalidMetadata", /lack an array-to-bytes codec/, "codec-order"],
      [
        "repeated axis",
        [transpose([1, 1]), little],
        "InvalidMetadata",
        /\[1,1\] is not a permutation of the 2 axes/,
        "bad-configuration",
      ],
      [
        "axis out of range",
        [transpose([0, 2]), little],
        "InvalidMetadata",
        /not a permutation/,
        "bad-configuration",
      ],
      [
        "negative axis",
        [transpose([0, -1]), little],
        "InvalidMetadata",
        /not a permutation/,
        "bad-configuration",
      ],
      ["missing axis", [transpose([0]), little], "InvalidMetadata", /not a permutation/, "bad-configuration"],
      [
        "fractional axis",
        [transpose([0, 0.5]), little],
        "InvalidMetadata",
        /not a permutation/,
        "bad-configuration",
      ],
      [
        "boolean axis",
        [transpose([false, true]), little],
        "InvalidMetadata",
        /not a permutation/,
        "bad-configuration",
      ],
      ["order that is not a list", [transpose("A"), little], "InvalidMetadata", /"order" must be/],
      ["no order", [{ name: "transpose" }, little], "InvalidMetadata", /"order" must be/],
      ["no endian", [{ name: "bytes" }], "InvalidMetadata", /needs an "endian"/, "bad-configuration"],
      ["bad endian", [{ name: "bytes", configuration: { endian: "middle" } }], "InvalidMetadata", /"middle"/],
      [
        "unknown option",
        [{ name: "bytes", configuration: { endian: "big", order: 1 } }],
        "InvalidMetadata",
        /"order" is not one of its options/,
      ],
      ["unknown codec", [little, { name: "brotli" }], "UnknownCodec", /unknown codec "brotli".*blosc/],
      ["__proto__", [little, { name: "__proto__" }], "UnknownCodec", /__proto__/],
      ["constructor", [little, { name: "constructor" }], "UnknownCodec", /constructor/],
      ["65 codecs", Array(65).fill(transpose([0, 1])), "LimitExceeded", /65 codecs/],
    ];
    for (const [what, codecs, tag, message, code] of table) {
      const error = await errorOf(() =>
        createCodecChain({ dtype: "int16", shape: [2, 3], codecs: codecs as never }),
      );
      expect([error._tag, what], String(error)).toEqual([tag, what]);
      expect(error.message, what).toMatch(message);
      if (code) expect(error.code, what).toBe(code);
    }
  });

  it.each([
    ["bytes", { endian: ["big"] }],
    ["bytes", { endian: null }],
    ["bytes", { endian: "Big" }],
    ["bytes", { endian: "little", order: "C" }],
    ["transpose", { order: null }],
    ["transpose", { order: [0, true] }],
    ["gzip", { level: null }],
    ["gzip", { level: "5" }],
    ["gzip", { level: true }],
    ["gzip", { level: 5, cname: "lz4" }],
    ["zstd", { level: 1, checksum: null }],
    ["zstd", { level: 1, checksum: 1 }],
    ["zstd", { level: 1, dictionary: 2 }],
    ["blosc", { shuffle: 1 }],
    ["blosc", { shuffle: -1 }],
    ["blosc", { shuffle: null }],
    ["blosc", { shuffle: "BYTE" }],
    ["blosc", { shuffle: "Shuffle" }],
    ["blosc", { cname: "LZ4" }],
    ["blosc", { typesize: null }],
    ["blosc", { level: 5 }],
    ["crc32c", { location: null }],
    ["bitround", { keepbits: null }],
    ["scale_offset", { offset: null }],
    ["cast_value", { data_type: "int32", rounding: null }],
    ["cast_value", { data_type: "int32", scalar_map: null }],
  ])("of Zarr v3 take nothing that only v1, v2 or numcodecs have: %s %j", async (name, configuration) => {
    const { kind } = findCodec(name, 3)!.definition;
    const codec = { name, configuration };
    const codecs = {
      "array-to-array": [codec, little],
      "array-to-bytes": [codec],
      "bytes-to-bytes": [little, codec],
    }[kind];
    const shard = (inner: unknown[], index: unknown[]) => [
      {
        name: "sharding_indexed",
        configuration: { chunk_shape: [1, 3], codecs: inner, index_codecs: index },
      },
    ];
    const tries: unknown[][] = [codecs, shard(codecs, [little])];
    if (name === "bytes" || name === "crc32c" || name === "gzip") tries.push(shard([little], codecs));
    for (const chain of tries) {
      const error = await errorOf(() =>
        createCodecChain({ dtype: "int16", shape: [2, 3], codecs: chain as never }),
      );
      expect([error._tag, error.codec], JSON.stringify(chain)).toEqual(["InvalidMetadata", name]);
      const fields = { shape: [2, 3], chunk_grid: regular(2, 3), data_type: "int16", codecs: chain };
      const opened = await errorOf(() => openArray(v3Store(fields)));
      expect([opened._tag, opened.codec], JSON.stringify(chain)).toEqual(["InvalidMetadata", name]);
    }
  });

  it("treat null as a missing option in numcodecs' codecs", async () => {
    const take = (dtype: CodecChainDType, ...codecs: object[]) =>
      createCodecChain({ dtype, shape: [4], codecs: codecs as never });
    const named = (name: string, configuration: object) => ({ name, configuration });
    await take("int16", little, named("numcodecs.blosc", { shuffle: 1, typesize: null, more: 1 }));
    await take("int16", little, named("numcodecs.gzip", { level: null, more: 1 }));
    await take("int16", little, named("lzma", { preset: null, filters: null, check: -1 }));
    await take("uint8", named("packbits", { first_bit: null, last_bit: null })); // its specification's own
  });

  it("normalise booleans to 0 and 1 in both directions", async () => {
    const stored = Uint8Array.of(0, 1, 2, 255, 0, 128);
    const booleans = Uint8Array.of(0, 1, 1, 1, 0, 1);
    for (const after of [[], ["crc32c"], [{ name: "zstd", configuration: { level: 1 } }]]) {
      const asBytes = await createCodecChain({
        dtype: "uint8",
        shape: [2, 3],
        codecs: ["bytes", ...after] as never,
      });
      for (const before of [[], [transposed(1, 0)]]) {
        const codecs = [...before, "bytes", ...after] as never;
        const chain = await createCodecChain({ dtype: "bool", shape: [2, 3], codecs });
        const at = before.length > 0 ? [0, 2, 4, 1, 3, 5] : [0, 1, 2, 3, 4, 5];
        const expected = Uint8Array.from(at, (i) => booleans[i]!);
        expect(chain.decode(asBytes.encode(stored))).toEqual(expected);
        expect(chain.decodeInto(asBytes.encode(stored), new Uint8Array(6))).toEqual(expected);
        const written = asBytes.decode(chain.encode(stored));
        expect([...written].sort()).toEqual([0, 0, 1, 1, 1, 1]);
        expect(chain.decode(chain.encode(stored))).toEqual(booleans);
      }
    }
    for (const name of ["packbits", "numcodecs.packbits"]) {
      const codecs = [name, ...(name === "packbits" ? [] : ["bytes"])];
      const chain = await createCodecChain({ dtype: "bool", shape: [2, 3], codecs });
      expect(chain.decode(chain.encode(stored))).toEqual(booleans);
    }
  });

  it("accept the bare name of a codec that needs no configuration, and big-endian single bytes", async () => {
    const chain = await createCodecChain({ dtype: "uint8", shape: [3], codecs: ["bytes"] });
    expect(chain.decode(Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2, 3));
    await expect(createCodecChain({ dtype: "int8", shape: [3], codecs: [big] })).resolves.toBeDefined();
    for (const bytes of ["bytes", { name: "bytes" }]) {
      const words = createCodecChain({ dtype: "int32", shape: [1], codecs: [bytes, "zstd"] });
      await expect(words).rejects.toThrow('needs an "endian"');
    }
  });

  it("check their arguments", async () => {
    const tag = async (options: Partial<CodecChainOptions>) =>
      (await errorOf(() => createCodecChain({ dtype: "int16", shape: [2, 3], codecs: [little], ...options })))
        ._tag;
    expect(await tag({ shape: [0] })).toBe("InvalidArgument");
    expect(await tag({ shape: [1.5] })).toBe("InvalidArgument");
    expect(await tag({ shape: Array(65).fill(1) })).toBe("InvalidArgument");
    expect(await tag({ shape: [2 ** 20, 2 ** 20] })).toBe("LimitExceeded");
    expect(await tag({ direction: "up" as never })).toBe("InvalidArgument");
    expect(await tag({ dtype: "int17" as never })).toBe("Unsupported");
    expect(await tag({ fillValue: "x" })).toBe("InvalidMetadata");
    const chain = await createCodecChain({ dtype: "int16", shape: [2, 3], codecs: [little] });
    const fails = async (work: () => unknown) => isZarrError(await errorOf(work), "InvalidArgument");
    expect(await fails(() => chain.encode(new Int16Array(5)))).toBe(true);
    expect(await fails(() => chain.encode(new Uint16Array(6) as never))).toBe(true);
    expect(await fails(() => chain.decodeInto(new Uint8Array(12), new Int16Array(7)))).toBe(true);
    expect(await fails(() => chain.decode(new ArrayBuffer(12) as never))).toBe(true);
    expect(await fails(() => chain.decode("text" as never))).toBe(true);
  });

  it.each([
    ["no options", undefined],
    ["null for options", null],
    ["no codecs", { codecs: undefined }],
    ["null for codecs", { codecs: null }],
    ["a string for codecs", { codecs: "bytes" }],
    ["null among the codecs", { codecs: [null] }],
    ["a hole among the codecs", { codecs: new Array(1) }],
    ["a number among the codecs", { codecs: [7] }],
    ["a codec without a name", { codecs: [{ configuration: {} }] }],
    ["a name that is a symbol", { codecs: [{ name: Symbol("bytes") }] }],
    ["null for a configuration", { codecs: [{ name: "bytes", configuration: null }] }],
    ["a list for a configuration", { codecs: [{ name: "bytes", configuration: [] }] }],
    ["a circle in a configuration", { codecs: [{ name: "bytes", configuration: { endian: circle() } }] }],
    ["a function in a configuration", { codecs: [{ name: "bytes", configuration: { endian: () => 1 } }] }],
    ["a circle of conditional", { codecs: [little, conditionalCircle()] }],
    ["holes in the shape", { shape: new Array(2) }],
    ["null for the data type", { dtype: null }],
    ["a symbol for the fill value", { fillValue: Symbol("x") }],
    ["a symbol for a limit", { limits: { rank: Symbol("x") } }],
  ])("refuse %s with a typed error", async (_what, options) => {
    const given = options && { dtype: "int16", shape: [2, 3], codecs: [little], ...options };
    const error = await errorOf(() => createCodecChain(given as never));
    expect(isZarrError(error, "InvalidArgument", "InvalidMetadata", "LimitExceeded"), String(error)).toBe(
      true,
    );
  });

  it("skip codecs that need not be understood, in either spelling", async () => {
    for (const key of ["mustUnderstand", "must_understand"]) {
      const codecs = [little, { name: "example.unknown", configuration: {}, [key]: false }];
      const chain = await createCodecChain({ dtype: "int16", shape: [1], codecs });
      expect([...chain.encode(Int16Array.of(258))]).toEqual([2, 1]);
    }
  });

  it("accept views with an offset, and leave the surrounding bytes unchanged", async () => {
    const chain = await createCodecChain({ dtype: "int32", shape: [4], codecs: [big] });
    const around = new Uint8Array(40).fill(0xaa);
    around.set([0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4], 3);
    expect([...(chain.decode(around.subarray(3, 19)) as Int32Array)]).toEqual([1, 2, 3, 4]);
    const target = new Int32Array(8).fill(-1);
    chain.decodeInto(around.subarray(3, 19), target.subarray(2, 6));
    expect([...target]).toEqual([-1, -1, 1, 2, 3, 4, -1, -1]);
    expect(around[2]! & around[19]!).toBe(0xaa);
  });

  it("swap structured types field by field", async () => {
    const dataType = {
      name: "struct",
      configuration: {
        fields: [
          { name: "a", data_type: "uint8" },
          { name: "b", data_type: "uint16" },
          { name: "c", data_type: "complex64" },
        ],
      },
    };
    const item = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    const chain = await createCodecChain({ dtype: dataType, shape: [1], codecs: [big] });
    expect([...chain.encode(item)]).toEqual([1, 3, 2, 7, 6, 5, 4, 11, 10, 9, 8]);
    expect(chain.decode(chain.encode(item))).toEqual(item);
    // Each field in a different byte order: the dtypes of Zarr v1 and v2.
    const dtype = [
      ["a", "|u1"],
      ["b", "<u2"],
      ["c", ">c8"],
    ];
    const mixed = await openArray(v1Store({ dtype, shape: [1], chunks: [1], fill_value: null }));
    expect([...(await encode(mixed, item))]).toEqual([1, 2, 3, 7, 6, 5, 4, 11, 10, 9, 8]);
  });

  it("with direction decode load the small module; encoding throws a clear error", async () => {
    const options = {
      dtype: "uint8",
      shape: [1000],
      codecs: ["bytes", { name: "zstd", configuration: { level: 1 } }],
    } as const;
    const both = await createCodecChain(options as never);
    const encoded = both.encode(new Uint8Array(1000).fill(7));
    const decodeOnly = await createCodecChain({ ...options, direction: "decode" } as never);
    expect(decodeOnly.decode(encoded)).toEqual(new Uint8Array(1000).fill(7));
    expect((await errorOf(() => decodeOnly.encode(new Uint8Array(1000))))._tag).toBe("Unsupported");
  });

  it("hold many plans at a time", async () => {
    const chains = await Promise.all(
      Array.from({ length: 1500 }, (_, i) =>
        createCodecChain({ dtype: "uint8", shape: [i + 1], codecs: ["bytes"] }),
      ),
    );
    for (const i of [0, 700, 1499, 0]) expect(chains[i]!.decode(new Uint8Array(i + 1)).length).toBe(i + 1);
  });
});
