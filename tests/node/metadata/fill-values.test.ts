import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DType } from "zarr-wasm";
import { compareSize, parseDecimal, parseFill, parseLooseFill } from "#src/dtypes/fill.js";
import { fillJson } from "#src/dtypes/fill-print.js";
import { type FillOptions, type FillRules, missingValue } from "#src/dtypes/fill-value.js";
import { decodeFloat, encodeFloat, floatFormats } from "#src/dtypes/floats.js";
import { parseDescr } from "#src/dtypes/typestr.js";
import { fromPlain, parseDataType } from "#src/dtypes/v3.js";
import { decodeBase64, encodeBase64 } from "#src/util/bytes.js";
import { parseJson } from "#src/util/json-reader.js";
import { amount } from "../support/amounts.js";
import { bytesOf, errorOf } from "../support/support.js";

const json = (text: string) => parseJson(bytesOf(text), { name: "value", maxDepth: 64, bareNonFinite: true });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const parse = (type: unknown, text: string, rules: FillRules, options?: FillOptions) =>
  parseFill(parseDataType(type), json(text), rules, options);

const point = {
  name: "struct",
  configuration: {
    fields: [
      { name: "a", data_type: "int16" },
      {
        name: "p",
        data_type: {
          name: "struct",
          configuration: {
            fields: [
              { name: "x", data_type: "float32" },
              { name: "ok", data_type: "bool" },
            ],
          },
        },
      },
    ],
  },
};
const utf32 = (length: number) => ({
  name: "fixed_length_utf32",
  configuration: { length_bytes: 4 * length },
});
const byteString = (length: number) => ({
  name: "null_terminated_bytes",
  configuration: { length_bytes: length },
});
const time = { name: "numpy.datetime64", configuration: { unit: "ns", scale_factor: 1 } };

/** Accepted by both sets of rules: type, JSON, bytes, value. */
const common: [unknown, string, string, unknown][] = [
  ["bool", "true", "01", true],
  ["bool", "false", "00", false],
  ["bool", "0", "00", false],
  ["bool", "1", "01", true],
  ["int32", "-7", "f9ffffff", -7],
  ["int8", "-128", "80", -128],
  ["uint8", "255", "ff", 255],
  ["int64", "-9007199254740993", "ffffffffffffdfff", -9007199254740993n],
  ["uint64", "18446744073709551615", "ffffffffffffffff", 18446744073709551615n],
  ["int2", "-2", "fe", -2],
  ["int4", "7", "07", 7],
  ["uint2", "3", "03", 3],
  ["uint4", "15", "0f", 15],
  ["float16", "0.1", "662e", 0.1],
  ["float32", "0.1", "cdcccc3d", 0.1],
  ["float32", "1e999", "0000807f", Infinity],
  ["float32", "1", "0000803f", 1],
  ["float32", "-0.0", "00000080", -0],
  ["float64", "1e-310", "2be6708b68120000", 1e-310],
  ["float64", '"NaN"', "000000000000f87f", Number.NaN],
  ["float64", '"Infinity"', "000000000000f07f", Infinity],
  ["float32", '"-Infinity"', "000080ff", -Infinity],
  ["float16", '"NaN"', "007e", Number.NaN],
  ["float16", '"0x7e01"', "017e", Number.NaN],
  ["float32", '"0x7fc00001"', "0100c07f", Number.NaN],
  ["float32", '"0xffA00001"', "0100a0ff", Number.NaN],
  ["float32", '"0x3f800000"', "0000803f", 1],
  ["float64", '"0xfff0000000000001"', "010000000000f0ff", Number.NaN],
  ["bfloat16", '"NaN"', "c07f", Number.NaN],
  ["bfloat16", "3.125", "4840", 3.125],
  ["float8_e3m4", '"NaN"', "78", Number.NaN],
  ["float8_e4m3", '"NaN"', "7c", Number.NaN],
  ["float8_e4m3", '"-Infinity"', "f8", -Infinity],
  ["float8_e5m2", '"0x01"', "01", 2 ** -16],
  ["float8_e4m3fnuz", '"NaN"', "80", Number.NaN],
  ["float8_e4m3b11fnuz", "-0", "00", -0],
  ["float8_e8m0fnu", '"NaN"', "ff", Number.NaN],
  ["float8_e8m0fnu", "4", "81", 4],
  ["float6_e2m3fn", "7.5", "1f", 7.5],
  ["float6_e3m2fn", '"0x3f"', "3f", -28],
  ["float4_e2m1fn", "-6", "0f", -6],
  ["complex64", "[1, -2]", "0000803f000000c0", [1, -2]],
  ["complex64", '["0x7fc00001", "NaN"]', "0100c07f0000c07f", [Number.NaN, Number.NaN]],
  ["complex128", '["Infinity", 0.5]', "000000000000f07f000000000000e03f", [Infinity, 0.5]],
  ["complex_bfloat16", "[1, -2]", "803f00c0", [1, -2]],
  ["complex_float4_e2m1fn", "[1, -2]", "020c", [1, -2]],
  ["complex_float32", "[1, 0]", "0000803f00000000", [1, 0]],
  ["r24", "[1, 2, 255]", "0102ff", Uint8Array.of(1, 2, 255)],
  ["r24", '"AQL/"', "0102ff", Uint8Array.of(1, 2, 255)],
  [byteString(4), '"Yf8="', "61ff0000", Uint8Array.of(0x61, 255, 0, 0)],
  [byteString(4), '""', "00000000", new Uint8Array(4)],
  [utf32(2), '"é"', "e900000000000000", "é"],
  [utf32(1), '"😀"', "00f60100", "😀"],
  [utf32(1), '"a\\u0000\\u0000"', "61000000", "a"],
  [time, '"NaT"', "0000000000000080", -(2n ** 63n)],
  [time, "-9223372036854775808", "0000000000000080", -(2n ** 63n)],
  [time, "5", "0500000000000000", 5n],
  [point, '{"a": -2, "p": {"x": 1, "ok": true}}', "feff0000803f01", undefined],
  [point, '"/v8AAIA/AQ=="', "feff0000803f01", undefined],
  ["string", '"né"', "", "né"],
  ["string", '""', "", ""],
  ["bytes", '"AQID"', "", Uint8Array.of(1, 2, 3)],
  ["bytes", "[1, 2, 255]", "", Uint8Array.of(1, 2, 255)],
  ["bytes", "[]", "", new Uint8Array(0)],
];

/** Accepted by the loose rules only. */
const onlyLoose: [unknown, string, string, unknown][] = [
  ["uint8", "3.0", "03", 3],
  ["uint8", "3e1", "1e", 30],
  ["uint16", '"12"', "0c00", 12],
  ["int16", "-0.0", "0000", 0],
  ["int64", '"9223372036854775807"', "ffffffffffffff7f", 2n ** 63n - 1n],
  ["bool", "1.0", "01", true],
  ["float64", "NaN", "000000000000f87f", Number.NaN],
  ["float16", "Infinity", "007c", Infinity],
  ["float32", '"1.5"', "0000c03f", 1.5],
  ["complex128", "2", "00000000000000400000000000000000", [2, 0]],
  ["complex64", '"NaN"', "0000c07f00000000", [Number.NaN, 0]],
  ["complex64", '"AACAPwAAAMA="', "0000803f000000c0", [1, -2]],
  ["r16", "0", "0000", new Uint8Array(2)],
  [byteString(4), '"a!"', "61210000", Uint8Array.of(0x61, 0x21, 0, 0)],
  [byteString(4), "0", "00000000", new Uint8Array(4)],
  [utf32(2), "0", "0000000000000000", ""],
  [point, "0", "00000000000000", new Uint8Array(7)],
  ["string", "0", "", ""],
  ["bytes", "0", "", new Uint8Array(0)],
  ["bytes", '"a!"', "", Uint8Array.of(0x61, 0x21)],
  ["int32", "null", "00000000", null],
  ["string", "null", "", null],
];

/** Rejected by both sets of rules. */
const never: [unknown, string][] = [
  ["int8", "128"],
  ["uint8", "-1"],
  ["uint64", "18446744073709551616"],
  ["int64", `1${"0".repeat(5000)}`],
  ["int2", "2"],
  ["int4", "-9"],
  ["uint4", "16"],
  ["int32", "1.5"],
  ["int32", "NaN"],
  ["int32", "true"],
  ["int32", '"x"'],
  ["int32", '""'],
  ["int32", "[1]"],
  ["int32", "1e400"],
  ["bool", "2"],
  ["bool", '"true"'],
  ["bool", "[]"],
  ["float32", '"x"'],
  ["float32", '"nan"'],
  ["float32", '"+Infinity"'],
  ["float32", '"__proto__"'],
  ["float32", "true"],
  ["float32", '"0x7fc0000"'],
  ["float32", '"0x7fc000001"'],
  ["float32", '"0x7fc0000g"'],
  ["float32", '"0X7fc00000"'],
  ["float64", "{}"],
  ["float64", '"0x3f800000"'],
  ["float4_e2m1fn", '"NaN"'],
  ["float4_e2m1fn", "100"],
  ["float4_e2m1fn", '"0x10"'],
  ["float6_e2m3fn", '"Infinity"'],
  ["float8_e4m3fnuz", '"Infinity"'],
  ["float8_e8m0fnu", '"Infinity"'],
  ["float8_e8m0fnu", "-1"],
  ["complex64", "[1]"],
  ["complex64", "[1, 2, 3]"],
  ["complex64", '["a", 1]'],
  ["complex64", "[[1, 2], 1]"],
  ["complex64", '"AACAPw=="'],
  ["r16", '"AQ=="'],
  ["r16", "[1]"],
  ["r16", "[1, 256]"],
  ["r16", "[1, -1]"],
  ["r16", "[1, 1.0]"],
  [byteString(2), '"YWJj"'],
  [byteString(2), "[97, 98]"],
  [utf32(2), '"abc"'],
  [utf32(2), "1"],
  [time, "1.5"],
  [time, '"NAT"'],
  [time, "9223372036854775808"],
  [point, '{"a": 1}'],
  [point, '{"a": 1, "p": {"x": 1, "ok": true}, "z": 0}'],
  [point, '{"a": 1, "p": {"x": 1}}'],
  [point, '"AAAA"'],
  ["string", "1"],
  ["string", "[]"],
  ["bytes", "[256]"],
  ["bytes", "{}"],
];

describe("fill values", () => {
  it.each(common)("%j %s is accepted by both rules", (type, text, bytes, value) => {
    for (const rules of ["strict", "loose"] as const) {
      const fill = parse(type, text, rules);
      expect(hex(fill.item)).toBe(bytes);
      expect(fill.value).toEqual(value === undefined ? fill.item : value);
    }
  });

  it.each(common)("%j %s round-trips", (type, text, bytes, value) => {
    const dtype = parseDataType(type);
    const fill = parse(type, text, "strict");
    const v3 = fromPlain(fillJson(dtype, fill, 3));
    // The bare tokens are how fromPlain gives NaN and infinities; metadata never holds them.
    const again = parseFill(dtype, v3, "strict");
    expect(hex(again.item)).toBe(bytes);
    if (dtype.isVariable) expect(again.value).toEqual(value);
    const v2 = parseFill(dtype, fromPlain(fillJson(dtype, fill, 2)), "loose");
    expect(v2.item.length).toBe(dtype.itemBytes);
    if (!/0x|NaN/.test(text)) expect(hex(v2.item)).toBe(bytes);
  });

  it("are written short, exact and by name", () => {
    const written = (type: unknown, text: string, version: 2 | 3) =>
      fillJson(parseDataType(type), parse(type, text, "strict"), version);
    expect(written("float32", "0.1", 3)).toBe(0.1);
    expect(written("float32", "16777217", 3)).toBe(16777216);
    expect(written("float32", "-0.0", 3)).toBe(-0);
    expect(written("float64", '"0x7ff8000000000000"', 3)).toBe("NaN");
    expect(written("float64", '"0x7ff8000000000001"', 3)).toBe("0x7ff8000000000001");
    expect(written("float64", '"0x7ff8000000000001"', 2)).toBe("NaN");
    expect(written("int64", "9007199254740993", 3)).toBe(9007199254740993n);
    expect(written(time, '"NaT"', 3)).toBe("NaT");
    expect(written("r24", "[1, 2, 3]", 3)).toEqual([1, 2, 3]);
    expect(written("r24", "[1, 2, 3]", 2)).toBe("AQID");
    expect(written(point, '"/v8AAIA/AQ=="', 3)).toEqual({ a: -2, p: { x: 1, ok: true } });
    expect(fillJson(DType.simple("int8"), { value: null, item: new Uint8Array(1) }, 2)).toBe(null);
  });

  it.each(onlyLoose)("%j %s is accepted by the loose rules only", async (type, text, bytes, value) => {
    const fill = parseLooseFill(parseDataType(type), json(text));
    expect([hex(fill.item), fill.value]).toEqual([bytes, value]);
    expect((await errorOf(() => parse(type, text, "strict"))).code).toBe("bad-fill-value");
  });

  it.each(never)("%j %s is refused", async (type, text) => {
    for (const rules of ["strict", "loose"] as const) {
      const error = await errorOf(() => parse(type, text, rules));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-fill-value"]);
    }
  });

  it("null passes the strict rules if the caller allows it", () => {
    const fill = parse("float32", "null", "strict", { allowNull: true });
    expect([fill.value, hex(fill.item)]).toEqual([null, "00000000"]);
    expect(missingValue(DType.variable("string"), { value: null, item: new Uint8Array(0) })).toBe("");
    expect(missingValue(DType.variable("bytes"), { value: null, item: new Uint8Array(0) })).toEqual(
      new Uint8Array(0),
    );
    expect(missingValue(DType.variable("object"), { value: null, item: new Uint8Array(0) })).toBe(null);
    expect(missingValue(DType.variable("string"), { value: "x", item: new Uint8Array(0) })).toBe("x");
  });

  it("objects have any value", () => {
    const dtype = DType.variable("object");
    expect(parseLooseFill(dtype, json('{"a": [1, 9007199254740993]}')).value).toEqual({
      a: [1, 9007199254740993n],
    });
    expect(parseLooseFill(dtype, json('""')).value).toBe("");
  });

  it("base64 of structured items has the stored byte order", () => {
    const { dtype, endians } = parseDescr(
      json('[["a", ">i2"], ["b", "<f4"], ["c", ">u2", [2]], ["d", "|V2"]]'),
      true,
    );
    const item = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    const fill = parseLooseFill(dtype, encodeBase64(item), { endian: endians });
    expect([...fill.item]).toEqual([2, 1, 3, 4, 5, 6, 8, 7, 10, 9, 11, 12]);
    const big = parse(point, '"AAE/gAAAAQ=="', "strict", { endian: "big" });
    expect(hex(big.item)).toBe("01000000803f01");
  });
});

describe("decimals", () => {
  it.each([
    // The middle between 1 and the next float32, and decimals that float64 cannot tell from it.
    ["float32", "1.000000059604644775390625", "0000803f"],
    ["float32", "1.00000005960464477539062500000000000000000001", "0100803f"],
    ["float32", "1.00000005960464477539062499999999999999999999", "0000803f"],
    ["float32", "1.00000017881393432617187499999999999999999999", "0100803f"],
    ["float32", `1.000000059604644775390625${"0".repeat(5000)}1`, "0100803f"],
    ["float32", "-1000000059604644775390625.1e-24", "010080bf"],
    ["float16", "65519.99999999999999999999999", "ff7b"],
    ["float16", "65520", "007c"],
    ["float16", "2.98023223876953125e-8", "0000"],
    ["float16", "2.980232238769531250000000000000001e-8", "0100"],
    ["bfloat16", "1.00390625", "803f"],
    ["bfloat16", "1.0039062500000000000000000001", "813f"],
    ["float8_e8m0fnu", "3", "80"],
    ["float8_e8m0fnu", "3.00000000000000000000000001", "81"],
  ])("%s %s is rounded once", (type, text, bytes) => {
    expect(hex(parse(type, text, "strict").item)).toBe(bytes);
  });

  it("compare exactly with float64", () => {
    const sizes = fc.double({ min: 5e-324, max: 1.7e308, noNaN: true });
    fc.assert(
      fc.property(sizes, fc.constantFrom(-1, 0, 1), (size, side) => {
        // toPrecision gives at most 100 digits, rounded: exact for these after rounding to few bits.
        const short = Math.fround(size);
        if (!Number.isFinite(short) || short < 2 ** -60 || short > 2 ** 100) return;
        const exact = short.toPrecision(100);
        const digits = exact.replace(/e.*|0+$/, "");
        const text = side === 0 ? exact : side > 0 ? exact.replace(/(e|$)/, "1$1") : exact;
        expect(compareSize(parseDecimal(text)!, short), `${short} ${digits}`).toBe(side > 0 ? 1 : 0);
      }),
    );
  });

  it("take no longer for hostile exponents and digits", () => {
    const start = performance.now();
    for (const text of ["1e999999999", "1e-999999999", `0.${"0".repeat(1e6)}1e1000000`, "9".repeat(1e6)]) {
      parse("float32", text, "strict");
      expect(() => parse("int8", text, "loose")).toThrow();
    }
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it("agree with float32 arithmetic", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        const bits = encodeFloat(floatFormats.float32, value)!;
        expect(decodeFloat(floatFormats.float32, bits)).toBe(Math.fround(value));
      }),
      { numRuns: amount(500, 2000) },
    );
  });
});

describe("values from programs", () => {
  it("take the same path", async () => {
    const fill = (type: unknown, value: unknown) =>
      hex(parseLooseFill(parseDataType(type), fromPlain(value)).item);
    expect(fill("int64", -5n)).toBe("fbffffffffffffff");
    expect(fill("float32", -0)).toBe("00000080");
    expect(fill("float64", Number.NaN)).toBe("000000000000f87f");
    expect(fill("complex64", [1, Infinity])).toBe("0000803f0000807f");
    expect(fill(byteString(3), Uint8Array.of(1, 2))).toBe("010200");
    expect(fill(point, { a: 1, p: { x: 1, ok: false } })).toBe("01000000803f00");
    expect(fill("bool", true)).toBe("01");
    for (const value of [undefined, Symbol("x"), () => 1]) {
      expect((await errorOf(() => fromPlain(value))).code).toBe("bad-fill-value");
    }
    const loop: unknown[] = [];
    loop.push(loop);
    expect((await errorOf(() => fromPlain(loop))).code).toBe("bad-fill-value");
  });
});

describe("base64", () => {
  it("both ways, and strictly", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
    const large = new Uint8Array(200_000).fill(7);
    expect(decodeBase64(encodeBase64(large))).toEqual(large);
    for (const text of ["A", "AA", "AAA", "A===", "AA=A", "AAA_", "AAAA\n", " AAAA"]) {
      expect(decodeBase64(text)).toBeUndefined();
    }
  });
});
