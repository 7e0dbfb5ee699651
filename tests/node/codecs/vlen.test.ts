import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DType } from "zarr-wasm";
import { ConfigReader } from "#src/codecs/definition.js";
import { readMsgpack, writeMsgpack } from "#src/codecs/msgpack.js";
import { objectCodecs } from "#src/codecs/registry.js";
import { frameItems, itemBounds, type VlenCodec } from "#src/codecs/vlen-codec.js";
import { decodeEach, decodeTogether } from "#src/codecs/vlen-items.js";
import type { VariableName } from "#src/dtypes/dtype.js";
import { strings } from "#src/dtypes/regions.js";
import { packStrings } from "#src/dtypes/strings.js";
import { bytesOf, errorOf, product } from "../support/support.js";

const unhex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function make(
  name: string,
  configuration: Record<string, unknown> = {},
  dtype: VariableName | DType = "object",
  version: 2 | 3 = 2,
): VlenCodec {
  const definition = objectCodecs.find(({ names }) => names[version]?.includes(name));
  if (!definition) throw new Error(`no codec ${name}`);
  const array = { dtype: typeof dtype === "string" ? DType.variable(dtype) : dtype, shape: [] };
  return definition.parse(new ConfigReader(name, configuration), { version, array });
}

async function codeOf(work: () => unknown): Promise<string> {
  const error = await errorOf(work);
  expect(error._tag, String(error)).toBe("CorruptChunk");
  expect(error["codec"]).toBeTypeOf("string");
  return error["code"] as string;
}

/** Text of any kind: empty, ASCII, two to four bytes per character, byte order marks. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\ufeff", "\ufeffa", "é", "😀", "日本", "a\0"),
);
const json = fc.jsonValue({ maxDepth: 3 });

/** A chunk of each codec as others wrote it (zarr-python 2.13.6 with numcodecs 0.11), its shape and values. */
const written: [string, Record<string, unknown>, VariableName, number[], string, unknown[]][] = [
  [
    "vlen-utf8",
    {},
    "string",
    [7],
    "0700000009000000656d6f6a69f09f9880010000007805000000616c7068610a0000006261636b5c736c61736802000000343209000000656d6f6a69f09f988006000000e697a5e69cac",
    ["emoji😀", "x", "alpha", "back\\slash", "42", "emoji😀", "日本"],
  ],
  [
    "vlen-bytes",
    {},
    "bytes",
    [4],
    "04000000030000007a4370060000008a8ea1190306010000003702000000bed1",
    [unhex("7a4370"), unhex("8a8ea1190306"), unhex("37"), unhex("bed1")],
  ],
  [
    "vlen-array",
    { dtype: "<i4" },
    "object",
    [2],
    "020000000c0000004a0000000c00000030000000080000005f0000001c000000",
    [Int32Array.of(74, 12, 48), Int32Array.of(95, 28)],
  ],
  [
    "vlen-array",
    { dtype: "<f8" },
    "object",
    [2],
    "0200000010000000000000000000184000000000 00c0534000000000".replace(" ", ""),
    [Float64Array.of(6, 79), new Float64Array(0)],
  ],
  [
    "json2",
    {
      allow_nan: true,
      check_circular: true,
      encoding: "utf-8",
      ensure_ascii: true,
      indent: null,
      separators: [",", ":"],
      skipkeys: false,
      sort_keys: true,
      strict: true,
    },
    "object",
    [4, 4],
    hex(
      bytesOf(
        '[["",null,null,null],["str",null,2.5,null],["",null,"\\u65e5\\u672c",null],[{"k":[1,2]},null,null,-3],"|O",[4,4]]',
      ),
    ),
    ["", null, null, null, "str", null, 2.5, null, "", null, "日本", null, { k: [1, 2] }, null, null, -3],
  ],
  [
    "msgpack2",
    { raw: false, use_bin_type: true, use_single_float: false },
    "object",
    [4, 4],
    "969481a16b920102fd81a16b920102a09401a3737472a3737472c394fda6e697a5e69cac01c39481a16b9201020181a16b920102fda27c4f920404",
    [
      { k: [1, 2] },
      -3,
      { k: [1, 2] },
      "",
      1,
      "str",
      "str",
      true,
      -3,
      "日本",
      1,
      true,
      { k: [1, 2] },
      1,
      { k: [1, 2] },
      -3,
    ],
  ],
];

describe("object codecs", () => {
  it.each(written)(
    "%s %j reads and writes what numcodecs does",
    (name, config, type, shape, chunk, values) => {
      const codec = make(name, config, type);
      expect(codec.decode(unhex(chunk), product(shape))).toEqual(values);
      if (name !== "json2") expect(hex(codec.encode(values, shape))).toBe(chunk);
    },
  );

  it.each(written)(
    "%s %j: every prefix and every longer chunk fails",
    async (name, config, type, shape, chunk) => {
      const codec = make(name, config, type);
      const bytes = unhex(chunk);
      const count = product(shape);
      for (let length = 0; length < bytes.length; length++) {
        await codeOf(() => codec.decode(bytes.subarray(0, length), count));
      }
      await codeOf(() => codec.decode(Uint8Array.of(...bytes, 0x21), count));
      for (const wrong of [0, 1, count + 1, 2 ** 31]) await codeOf(() => codec.decode(bytes, wrong));
    },
  );

  it.each(written)(
    "%s %j: damaged bytes throw a typed error, or decode",
    (name, config, type, shape, chunk) => {
      const codec = make(name, config, type);
      const bytes = unhex(chunk);
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
          const damaged = Uint8Array.from(bytes);
          damaged[at] = byte;
          try {
            expect(codec.decode(damaged, product(shape)).length).toBe(product(shape));
          } catch (error) {
            expect((error as { _tag: string })._tag).toBe("CorruptChunk");
          }
        }),
      );
    },
  );

  it("values share no memory with the chunk", () => {
    const chunk = unhex("010000000400000001020304");
    for (const [codec, first] of [
      [make("vlen-bytes", {}, "bytes"), 1],
      [make("vlen-array", { dtype: "|u1" }), 1],
    ] as const) {
      const [value] = codec.decode(chunk, 1) as [Uint8Array];
      expect([value[0], value.buffer === chunk.buffer]).toEqual([first, false]);
    }
  });

  it("have a name in each version, and refuse other types and unknown options", async () => {
    expect(make("numcodecs.vlen-utf8", {}, "string", 3)).toBeDefined();
    expect(make("vlen-bytes", {}, "bytes", 3)).toBeDefined();
    expect(make("numcodecs.json2", {}, "string", 3)).toBeDefined();
    expect(() => make("json2", {}, "string", 3)).toThrow(/no codec/);
    const refusals: [string, Record<string, unknown>, VariableName | DType][] = [
      ["vlen-utf8", {}, "bytes"],
      ["vlen-utf8", {}, DType.simple("int8")],
      ["vlen-utf8", {}, DType.fixedUtf32(3)],
      ["vlen-bytes", {}, "string"],
      ["vlen-utf8", { dtype: "<U5" }, "string"],
      ["vlen-array", {}, "object"],
      ["vlen-array", { dtype: 5 }, "object"],
      ["vlen-array", { dtype: "|O" }, "object"],
      ["vlen-array", { dtype: "<i3" }, "object"],
      ["vlen-array", { dtype: "<i4" }, "string"],
      ["json2", { encoding: "utf-16" }, "object"],
      ["json2", { object_hook: "x" }, "object"],
      ["msgpack2", { raw: 1 }, "object"],
      ["msgpack2", {}, "bytes"],
      ["categorize", {}, "string"],
      ["categorize", { labels: "abc" }, "string"],
      ["categorize", { labels: ["a", 1] }, "string"],
      ["categorize", { labels: ["a"], astype: "<f4" }, "string"],
      ["categorize", { labels: ["a"], astype: "|O" }, "string"],
      ["categorize", { labels: ["a"], dtype: "<i4" }, "string"],
      ["categorize", { labels: ["a"] }, DType.simple("uint8")],
      ["categorize", { labels: Array(256).fill("x") }, "string"],
      ["categorize", { labels: Array(128).fill("x"), astype: "|i1" }, "string"],
    ];
    for (const [name, config, dtype] of refusals) {
      const error = await errorOf(() => make(name, config, dtype));
      expect(error._tag, `${name} ${JSON.stringify(config)}`).toMatch(/InvalidMetadata|Unsupported/);
    }
  });

  it.each([
    [false, 113],
    [false, 114],
    [false, 5000],
    [true, 5000],
  ])("msgpack2 writes fractions beyond its first buffer, single %s, %i", (single, count) => {
    const codec = make("msgpack2", { use_single_float: single });
    const values = Array.from({ length: count }, (_, i) => i + 0.5);
    expect(codec.decode(codec.encode(values, [count]), count)).toEqual(values);
  });

  it("vlen-array writes elements that were not given as numcodecs does: null has no numbers, 0 has one", () => {
    const codec = make("vlen-array", { dtype: "<i4" });
    expect(hex(codec.encode([null, Int32Array.of(7), 0], [3]))).toBe(
      "0300000000000000040000000700000004000000" + "00000000",
    );
  });

  it("take only values of their kind", async () => {
    const bad: [VlenCodec, unknown][] = [
      [make("vlen-utf8"), 5],
      [make("vlen-utf8"), "\ud800"],
      [make("vlen-bytes"), "a"],
      [make("vlen-array", { dtype: "<i4" }), [1, 2]],
      [make("vlen-array", { dtype: "<i4" }), Float32Array.of(1)],
      [make("vlen-array", { dtype: "<c8" }), Float32Array.of(1)],
      [make("json2"), undefined],
      [make("json2"), Uint8Array.of(1)],
      [make("json2", {}, "string"), 5],
      [make("msgpack2"), undefined],
      [make("msgpack2"), new Float32Array(2)],
      [make("msgpack2"), 2n ** 64n],
      [make("msgpack2"), -(2n ** 63n) - 1n],
      [make("msgpack2", {}, "string"), 5],
      [make("categorize", { labels: ["a"] }), "b"],
      [make("categorize", { labels: ["a"] }), 1],
    ];
    for (const [codec, value] of bad) {
      expect((await errorOf(() => codec.encode([value], [1])))._tag, String(value)).toBe("InvalidArgument");
    }
    const loop: unknown[] = [];
    loop.push(loop);
    for (const name of ["json2", "msgpack2"])
      expect((await errorOf(() => make(name).encode([loop], [1])))._tag).toBe("InvalidArgument");
  });
});

describe("framing", () => {
  it("trusts no number before it is checked", async () => {
    const bounds = (chunk: string, count: number) => itemBounds("x", unhex(chunk), count);
    expect([...bounds("0200000001000000610000 0000".replace(" ", ""), 2)]).toEqual([8, 9, 13, 13]);
    expect(await codeOf(() => bounds("", 0))).toBe("truncated");
    expect(await codeOf(() => bounds("ffffffff", 0xffffffff))).toBe("truncated");
    expect(await codeOf(() => bounds("ffffffff", 1))).toBe("size-mismatch");
    expect(await codeOf(() => bounds("01000000ffffffff", 1))).toBe("truncated");
    expect(await codeOf(() => bounds("010000000100000061ff", 1))).toBe("trailing-bytes");
    expect(await codeOf(() => bounds("0000000000", 0))).toBe("trailing-bytes");
    const error = await errorOf(() => bounds("02000000010000006105000000616263", 2));
    expect([error["code"], error["byteOffset"]]).toEqual(["truncated", 9]);
  });
});

describe("vlen-utf8", () => {
  it("decoding items together equals decoding each one", () => {
    fc.assert(
      fc.property(fc.array(text), (values) => {
        const chunk = frameItems("x", values.map(bytesOf));
        const bounds = itemBounds("x", chunk, values.length);
        expect(decodeEach("x", chunk, bounds)).toEqual(values);
        expect(decodeTogether(chunk, bounds)).toEqual(values);
        expect(make("vlen-utf8").encode(values, [values.length])).toEqual(chunk);
      }),
    );
  });

  it("detects invalid UTF-8, including strings that are only invalid as a whole", async () => {
    // The halves of é in two elements; a lone continuation; an overlong form; a surrogate; too large.
    for (const items of [["c3", "a9"], ["61", "80"], ["c0af"], ["eda080"], ["f4908080"], ["f09f98", "80"]]) {
      const chunk = frameItems("x", items.map(unhex));
      const codec = make("vlen-utf8");
      expect(decodeTogether(chunk, itemBounds("x", chunk, items.length))).toBeUndefined();
      const error = await errorOf(() => codec.decode(chunk, items.length));
      expect([error._tag, error["code"], error["codec"]]).toEqual(["CorruptChunk", "corrupt", "vlen-utf8"]);
      expect(error.message).toMatch(/element \d is not UTF-8/);
    }
  });
});

describe("vlen-array", () => {
  it("has any NumPy type, in its byte order", async () => {
    const big = make("vlen-array", { dtype: ">i2" });
    const chunk = unhex("0200000004000000000 1fffe00000000".replace(" ", ""));
    expect(big.decode(chunk, 2)).toEqual([Int16Array.of(1, -2), new Int16Array(0)]);
    expect(big.encode([Int16Array.of(1, -2), new Int16Array(0)], [2])).toEqual(chunk);
    const complex = make("vlen-array", { dtype: ">c8" });
    const pair = complex.encode([Float32Array.of(1, -2)], [1]);
    expect(hex(pair)).toBe("01000000080000003f800000c0000000");
    expect(complex.decode(pair, 1)).toEqual([Float32Array.of(1, -2)]);
    const half = make("vlen-array", { dtype: "<f2" });
    expect(
      Array.from(half.decode(half.encode(half.decode(unhex("0100000002000000003e"), 1), [1]), 1)[0] as never),
    ).toEqual([1.5]);
    expect(await codeOf(() => big.decode(unhex("010000000300000000010203".slice(0, -2)), 1))).toBe("corrupt");
  });
});

describe("json2", () => {
  const codec = make("json2");
  const decode = (document: string, count: number) => codec.decode(bytesOf(document), count);

  it("round-trips in every shape", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
        fc.infiniteStream(json),
        (shape, stream) => {
          const values = [...stream.take(product(shape))];
          const plain = JSON.parse(JSON.stringify(values)) as unknown[];
          expect(codec.decode(codec.encode(plain, shape), plain.length)).toEqual(plain);
        },
      ),
    );
  });

  it("keeps integers exact, and non-finite values", () => {
    const values = [9007199254740993n, -(2n ** 64n), Number.NaN, -Infinity, -0, 1e300, "\u2028"];
    expect(codec.decode(codec.encode(values, [7]), 7)).toEqual(values);
    expect(decode('[1, NaN, Infinity, {"__proto__": 1}, "|O", [4]]', 4)).toEqual([
      1,
      Number.NaN,
      Infinity,
      JSON.parse('{"__proto__": 1}'),
    ]);
    expect(new TextDecoder().decode(codec.encode([-0, Number.NaN], [2]))).toBe('[-0.0,NaN,"|O",[2]]');
  });

  it("a list among the values is a value", () => {
    expect(decode('[[1, 2], [3], "|O", [2]]', 2)).toEqual([[1, 2], [3]]);
    expect(decode('[[[1], [2]], "|O", [1, 2]]', 2)).toEqual([[1], [2]]);
    expect(decode('["x", "|O", []]', 1)).toEqual(["x"]);
  });

  it.each([
    ["no list", "{}", 1],
    ["no shape", '["|O"]', 1],
    ["a shape that is not a list", '[1, "|O", 1]', 1],
    ["a shape of fractions", '[1, "|O", [1.0]]', 1],
    ["a shape of strings", '[1, "|O", ["1"]]', 1],
    ["a negative shape", '[1, "|O", [-1, -1]]', 1],
    ["another shape", '[1, 2, "|O", [3]]', 2],
    ["too few values", '[1, "|O", [2]]', 2],
    ["too many values", '[1, 2, 3, "|O", [2]]', 2],
    ["uneven rows", '[[1, 2], [3], "|O", [2, 2]]', 4],
    ["rows that are not lists", '[1, 2, "|O", [2, 1]]', 2],
    ["a huge shape", `[1, "|O", [${Array(100).fill("9007199254740991")}]]`, 1],
    ["deep nesting", `[${"[".repeat(100)}${"]".repeat(100)}, "|O", [1]]`, 1],
    ["no JSON", '[1, "|O", [1]', 1],
  ])("refuses %s", async (_what, document, count) => {
    expect(await codeOf(() => decode(document, count))).toMatch(/corrupt|size-mismatch/);
  });

  it("rejects invalid UTF-8, and non-string elements in arrays of strings", async () => {
    expect(await codeOf(() => codec.decode(unhex("ff"), 1))).toBe("corrupt");
    const texts = make("json2", {}, "string");
    expect(texts.decode(bytesOf('["a", "|O", [1]]'), 1)).toEqual(["a"]);
    expect(await codeOf(() => texts.decode(bytesOf('[1, "|O", [1]]'), 1))).toBe("corrupt");
  });
});

describe("msgpack2", () => {
  const forms = { singleFloat: false, binType: true };
  const read = (text: string, raw = false) => readMsgpack("x", unhex(text), { raw, maxValues: 1000 });

  it("survives both ways", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        json,
        fc.double(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
        fc.maxSafeInteger(),
        fc.uint8Array({ maxLength: 300 }),
        text,
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 5 }),
      ),
    })).value;
    const small = (entry: unknown): unknown => {
      if (typeof entry === "bigint") return Number.isSafeInteger(Number(entry)) ? Number(entry) : entry;
      if (Array.isArray(entry)) return entry.map(small);
      if (entry === null || typeof entry !== "object" || ArrayBuffer.isView(entry)) return entry;
      const object = {};
      for (const [key, inner] of Object.entries(entry)) {
        Object.defineProperty(object, key, {
          value: small(inner),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return object;
    };
    fc.assert(
      fc.property(value, (given) => {
        expect(readMsgpack("x", writeMsgpack("x", given, forms), { raw: false, maxValues: 1e6 })).toEqual(
          small(given),
        );
      }),
    );
  });

  it.each([
    ["c0", null],
    ["c2", false],
    ["c3", true],
    ["7f", 127],
    ["e0", -32],
    ["cc80", 128],
    ["cd0100", 256],
    ["ce00010000", 65536],
    ["cf0000000100000000", 2 ** 32],
    ["cfffffffffffffffff", 2n ** 64n - 1n],
    ["d080", -128],
    ["d18000", -32768],
    ["d280000000", -(2 ** 31)],
    ["d38000000000000000", -(2n ** 63n)],
    ["cb3ff8000000000000", 1.5],
    ["a161", "a"],
    [`d920${"61".repeat(32)}`, "a".repeat(32)],
    ["c40161", Uint8Array.of(0x61)],
    ["93010203", [1, 2, 3]],
    [`dc0010${"01".repeat(16)}`, Array(16).fill(1)],
    ["81a16101", { a: 1 }],
  ])("%s is read and written", (bytes, value) => {
    expect(read(bytes)).toEqual(value);
    expect(hex(writeMsgpack("x", value, forms))).toBe(bytes);
  });

  it.each([
    ["ca3fc00000", 1.5],
    ["da000161", "a"],
    ["db0000000161", "a"],
    ["c5000161", Uint8Array.of(0x61)],
    ["c60000000161", Uint8Array.of(0x61)],
    ["dd0000000101", [1]],
    ["de0001a16101", { a: 1 }],
    ["df00000001a16101", { a: 1 }],
    ["d3ffffffffffffffff", -1],
    ["810501", { 5: 1 }],
    ["81a95f5f70726f746f5f5f01", JSON.parse('{"__proto__": 1}')],
  ])("%s is read", (bytes, value) => {
    expect(read(bytes)).toEqual(value);
  });

  it("has the forms that the configuration selects", () => {
    expect(read("a161", true)).toEqual(Uint8Array.of(0x61));
    expect(read("81a16101", true)).toEqual({ a: 1 });
    expect(hex(writeMsgpack("x", 1.5, { singleFloat: true, binType: true }))).toBe("ca3fc00000");
    expect(hex(writeMsgpack("x", Uint8Array.of(0x61), { singleFloat: false, binType: false }))).toBe("a161");
    expect(hex(writeMsgpack("x", -0, forms))).toBe("cb8000000000000000");
  });

  it.each([
    ["an unused type", "c1", "corrupt"],
    ["a fixed extension", "d40100", "corrupt"],
    ["an extension", "c70101ff", "corrupt"],
    ["a list longer than the data", "ddffffffff", "truncated"],
    ["a map longer than the data", "dfffffffff", "truncated"],
    ["a string longer than the data", "dbffffffff", "truncated"],
    ["bytes longer than the data", "c6ffffffff", "truncated"],
    ["a key that is a list", "819001", "corrupt"],
    ["a key that is nil", "81c001", "corrupt"],
    ["a string of invalid UTF-8", "a1ff", "corrupt"],
    ["deep nesting", "91".repeat(100), "corrupt"],
    ["nothing", "", "truncated"],
    ["two values", "0101", "trailing-bytes"],
  ])("refuses %s", async (_what, bytes, code) => {
    expect(await codeOf(() => read(bytes))).toBe(code);
  });
});

describe("categorize", () => {
  const labels = ["red", "green", "bé"];

  it("has codes for labels", async () => {
    const codec = make("categorize", { labels, dtype: "|O", astype: "|u1" });
    const values = ["green", "", "red", "bé"];
    expect(codec.decode(Uint8Array.of(2, 0, 1, 3), 4)).toEqual(values);
    expect([...codec.encode(values, [4])]).toEqual([2, 0, 1, 3]);
    expect(await codeOf(() => codec.decode(Uint8Array.of(4), 1))).toBe("corrupt");
    expect(await codeOf(() => codec.decode(Uint8Array.of(1, 1), 1))).toBe("trailing-bytes");
    expect(await codeOf(() => codec.decode(Uint8Array.of(1), 2))).toBe("truncated");
  });

  it("has codes of any integer type, in its byte order", async () => {
    for (const [astype, bytes] of [
      [">u2", "0002000000010003"],
      ["<i4", "02000000000000000100000003000000"],
      [">i8", "0000000000000002000000000000000000000000000000010000000000000003"],
      ["u1", "02000103"],
      ["u2", "0200000001000300"],
    ] as const) {
      const codec = make("categorize", { labels, astype });
      expect(codec.decode(unhex(bytes), 4)).toEqual(["green", "", "red", "bé"]);
      expect(hex(codec.encode(["green", "", "red", "bé"], [4]))).toBe(bytes);
    }
    const signed = make("categorize", { labels, astype: "|i1" });
    expect(await codeOf(() => signed.decode(Uint8Array.of(255), 1))).toBe("corrupt");
  });

  it("makes strings of fixed length with packStrings", () => {
    const dtype = DType.fixedUtf32(5);
    const codec = make("categorize", { labels, dtype: "<U5", astype: "|u1" }, dtype);
    const values = codec.decode(Uint8Array.of(3, 0, 2), 3) as string[];
    const data = packStrings(dtype, values);
    expect(data.length).toBe(60);
    expect(strings({ data, shape: [3], dtype })).toEqual(values);
    expect(
      strings({ data: packStrings(DType.fixedBytes(4), ["bé"]), shape: [1], dtype: DType.fixedBytes(4) }),
    ).toEqual(["bé"]);
    expect(() => packStrings(DType.fixedUtf32(2), ["abc"])).toThrow(/does not fit/);
    expect(() => packStrings(DType.simple("int8"), [""])).toThrow(/not a string/);
  });
});

describe("strings beyond the engine's maximum length", () => {
  /** Like engines that cannot make such strings: throws an error that is not a TypeError. */
  const tooLong = (limit: number) => {
    const { decode } = TextDecoder.prototype;
    return vi.spyOn(TextDecoder.prototype, "decode").mockImplementation(function (
      this: TextDecoder,
      ...given
    ) {
      if (given[0] && given[0].byteLength > limit) throw new RangeError("too long");
      return decode.apply(this, given);
    });
  };

  it.each(["vlen-utf8", "msgpack2", "json2"])("are LimitExceeded, not damage: %s", async (name) => {
    const codec = make(name);
    const long = "x".repeat(2000);
    const encoded = codec.encode(["a", long], [2]);
    expect(codec.decode(encoded, 2)).toEqual(["a", long]);
    const decoder = tooLong(1000);
    try {
      const error = await errorOf(() => codec.decode(encoded, 2));
      expect([error["_tag"], error["code"], error["codec"]]).toEqual([
        "LimitExceeded",
        "limit-exceeded",
        name,
      ]);
    } finally {
      decoder.mockRestore();
    }
  });
});
