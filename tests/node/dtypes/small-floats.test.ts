import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DType, readScalar } from "zarr-wasm";
import { numpyDescr } from "zarr-wasm/formats";
import { type SimpleType, simpleTypes } from "#src/dtypes/dtype.js";
import { checkElements, isConverted, toBytes, toElements } from "#src/dtypes/elements.js";
import {
  decodeFloat,
  encodeFloat,
  type FloatFormat,
  type FloatName,
  floatFormats,
  isNanCode,
} from "#src/dtypes/floats.js";
import { amount } from "../support/amounts.js";

const names = Object.keys(floatFormats) as FloatName[];
const narrow = names.filter((name) => name !== "float32");
const codesOf = ({ exponentBits, mantissaBits, specials }: FloatFormat) =>
  Array.from(
    { length: 2 ** (exponentBits + mantissaBits + (specials === "scale" ? 0 : 1)) },
    (_, code) => code,
  );

/** Stored numbers as bytes, little-endian. */
function stored(name: FloatName, codes: readonly number[]): Uint8Array {
  const { bytes } = floatFormats[name];
  return Uint8Array.from(codes.flatMap((code) => (bytes === 1 ? [code] : [code & 255, code >> 8])));
}

describe("formats", () => {
  // Facts of the formats' descriptions: largest, smallest normal, smallest, NaN code.
  it.each([
    ["float16", 65504, 2 ** -14, 2 ** -24, 0x7e00],
    ["bfloat16", 2 ** 127 * (2 - 2 ** -7), 2 ** -126, 2 ** -133, 0x7fc0],
    ["float32", 2 ** 127 * (2 - 2 ** -23), 2 ** -126, 2 ** -149, 0x7fc00000],
    ["float8_e3m4", 15.5, 0.25, 2 ** -6, 0x78],
    ["float8_e4m3", 240, 2 ** -6, 2 ** -9, 0x7c],
    ["float8_e4m3b11fnuz", 30, 2 ** -10, 2 ** -13, 0x80],
    ["float8_e4m3fnuz", 240, 2 ** -7, 2 ** -10, 0x80],
    ["float8_e5m2", 57344, 2 ** -14, 2 ** -16, 0x7e],
    ["float8_e5m2fnuz", 57344, 2 ** -15, 2 ** -17, 0x80],
    ["float8_e8m0fnu", 2 ** 127, 2 ** -127, 2 ** -127, 0xff],
    ["float6_e2m3fn", 7.5, 1, 0.125, undefined],
    ["float6_e3m2fn", 28, 0.25, 0.0625, undefined],
    ["float4_e2m1fn", 6, 1, 0.5, undefined],
  ] as const)("%s", (name, largest, normal, least, nan) => {
    const format: FloatFormat = floatFormats[name];
    expect(encodeFloat(format, Number.NaN)).toBe(nan);
    for (const value of [largest, normal, least])
      expect(decodeFloat(format, encodeFloat(format, value)!)).toBe(value);
    const beyond = encodeFloat(format, largest * 2);
    expect(beyond === undefined ? beyond : decodeFloat(format, beyond)).toBe(
      format.specials === "ieee" ? Infinity : undefined,
    );
    if (format.specials !== "scale") expect(encodeFloat(format, least / 2)).toBe(0);
    expect(encodeFloat(format, -0)).toBe(
      /fnu/.test(name) ? 0 : 2 ** (format.exponentBits + format.mantissaBits),
    );
  });

  it.each(narrow)("%s: every code round-trips", (name) => {
    const format: FloatFormat = floatFormats[name];
    const wrong = codesOf(format).filter((code) => {
      const value = decodeFloat(format, code);
      return isNanCode(format, code) ? !Number.isNaN(value) : encodeFloat(format, value) !== code;
    });
    expect(wrong).toEqual([]);
  });

  it.each(narrow)("%s: rounds to the nearest, ties to even", (name) => {
    const format: FloatFormat = floatFormats[name];
    const codes = codesOf(format).filter((code) => {
      const value = decodeFloat(format, code);
      return Number.isFinite(value) && (value > 0 || code === 0);
    });
    fc.assert(
      fc.property(fc.nat(codes.length - 2), fc.double({ min: 0, max: 1, noNaN: true }), (index, part) => {
        const code = codes[index]!;
        const [low, high] = [decodeFloat(format, code), decodeFloat(format, code + 1)];
        const middle = low + (high - low) / 2;
        for (const value of [low + (high - low) * part, middle]) {
          const expected = value < middle ? code : value > middle ? code + 1 : code + (code % 2);
          expect(encodeFloat(format, value)).toBe(expected);
        }
        // A decimal next to the midpoint, which rounds to the same float64.
        expect(encodeFloat(format, middle, 1)).toBe(code + 1);
        expect(encodeFloat(format, middle, -1)).toBe(code);
      }),
      { numRuns: amount(125, 500) },
    );
  });
});

describe("elements", () => {
  it.each(narrow)("%s: all codes convert to numbers and back, bit by bit", (name) => {
    const format: FloatFormat = floatFormats[name];
    const codes = codesOf(format);
    const bytes = stored(name, codes);
    const dtype = DType.simple(name as SimpleType);
    const data = toElements(dtype, bytes);
    expect(Array.from(data as Float32Array)).toEqual(codes.map((code) => decodeFloat(format, code)));
    expect(toBytes(dtype, data)).toEqual(bytes);
    for (const i of [0, 1, 7, codes.length - 1])
      expect(readScalar(dtype, bytes, i * format.bytes)).toBe(decodeFloat(format, codes[i]!));
    expect(() => checkElements(dtype, data, codes.length, "it")).not.toThrow();

    const complex = DType.simple(`complex_${name}` as SimpleType);
    const pairs = toElements(complex, bytes);
    expect(pairs).toBeInstanceOf(Float32Array);
    expect(pairs.length).toBe(codes.length);
    expect(toBytes(complex, pairs)).toEqual(bytes);
    expect(() => checkElements(complex, pairs, codes.length / 2, "it")).not.toThrow();
    expect(readScalar(complex, bytes, 0)).toEqual([decodeFloat(format, 0), decodeFloat(format, 1)]);
  });

  it.each(narrow.filter((name) => name !== "float16"))("%s: narrowing matches its slow twin", (name) => {
    const format: FloatFormat = floatFormats[name];
    const dtype = DType.simple(name as SimpleType);
    const special = codesOf(format).flatMap((code) => {
      const value = decodeFloat(format, code);
      const next = decodeFloat(format, code + 1);
      return [value, (value + next) / 2, value + (next - value) * 0.4999, value + (next - value) * 0.5001];
    });
    const random = fc.sample(fc.float(), { numRuns: 3000, seed: 1 });
    const tiny = fc.sample(fc.float({ min: -Math.fround(2 ** -120), max: Math.fround(2 ** -120) }), 1000);
    const finite = format.specials === "finite";
    const values = Float32Array.from([
      ...special,
      ...random,
      ...tiny,
      3.4e38,
      -3.4e38,
      -0,
      1e-45,
      Infinity,
    ]).filter((value) => !(finite && Number.isNaN(value)));
    const bytes = toBytes(dtype, values);
    const got = format.bytes === 1 ? bytes : new Uint16Array(bytes.buffer);
    const sign = 2 ** (format.exponentBits + format.mantissaBits);
    const highest = finite ? sign - 1 : 0;
    const wrong = values.filter((value, i) => {
      const beyond = finite ? highest + (value < 0 ? sign : 0) : encodeFloat(format, Number.NaN)!;
      const expected = encodeFloat(format, value) ?? beyond;
      const isNan = Number.isNaN(value) && format.specials === "ieee"; // payloads are kept
      return isNan ? !isNanCode(format, got[i]!) : got[i] !== expected;
    });
    expect([...wrong]).toEqual([]);
  });

  it("NaN has no place in the finite formats", () => {
    for (const name of ["float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"] as const)
      expect(() => toBytes(DType.simple(name), Float32Array.of(1, Number.NaN))).toThrow(`${name} has no NaN`);
  });

  it("ignore unused upper bits", () => {
    const four = toElements(DType.simple("float4_e2m1fn"), Uint8Array.of(0xf7, 0x07));
    expect([...(four as Float32Array)]).toEqual([6, 6]);
    const six = toElements(DType.simple("float6_e3m2fn"), Uint8Array.of(0xc1, 0x01));
    expect([...(six as Float32Array)]).toEqual([0.0625, 0.0625]);
    expect(readScalar(DType.simple("float4_e2m1fn"), Uint8Array.of(0xf7), 0)).toBe(6);
  });

  it.each([
    ["int2", 2, true],
    ["int4", 4, true],
    ["uint2", 2, false],
    ["uint4", 4, false],
  ] as const)("%s: low bits of a byte", (name, bits, signed) => {
    const dtype = DType.simple(name);
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const data = toElements(dtype, all);
    expect(data).toBeInstanceOf(signed ? Int8Array : Uint8Array);
    const span = 2 ** bits;
    const signedOf = (byte: number) => {
      const low = byte % span;
      return signed && low >= span / 2 ? low - span : low;
    };
    expect(Array.from(data as Int8Array)).toEqual(Array.from(all, signedOf));
    for (const byte of all) expect(readScalar(dtype, all, byte)).toBe(signedOf(byte));
    const back = toElements(dtype, toBytes(dtype, data));
    expect(back).toEqual(data);
    const tooLarge = signed ? Int8Array.of(span / 2) : Uint8Array.of(span);
    expect(() => toBytes(dtype, tooLarge)).toThrow(/out of the range/);
    if (signed) expect(() => toBytes(dtype, Int8Array.of(-span / 2 - 1))).toThrow(/out of the range/);
  });

  it("never share memory if they are converted", () => {
    for (const name of simpleTypes) {
      const dtype = DType.simple(name);
      const bytes = new Uint8Array(16);
      const isShared = toElements(dtype, bytes).buffer === bytes.buffer;
      expect(isShared, name).toBe(!isConverted(dtype));
    }
  });

  it("take bytes at any offset, and shared memory", () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(5)).subarray(1);
    bytes.set([0x80, 0x3f, 0x00, 0x40]);
    const data = toElements(DType.simple("bfloat16"), bytes);
    expect([...(data as Float32Array)]).toEqual([1, 2]);
    expect(data.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("are bytes to NumPy", () => {
    const descr = (name: SimpleType) => numpyDescr(DType.simple(name));
    expect([descr("bfloat16"), descr("complex_bfloat16")]).toEqual(["<V2", "<V4"]);
    expect([descr("float8_e5m2"), descr("complex_float8_e5m2"), descr("int4")]).toEqual([
      "|V1",
      "|V2",
      "|V1",
    ]);
  });
});
