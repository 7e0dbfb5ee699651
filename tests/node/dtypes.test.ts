import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DType, field, numpyDescr, readScalar, strings } from "zarr-wasm";
import { componentsOf } from "../../dist/dtypes/dtype.js";
import { checkElements, toBytes, toElements } from "../../dist/dtypes/elements.js";
import { parseLooseFill } from "../../dist/dtypes/fill.js";
import { fromHalfBits, toHalfBits } from "../../dist/dtypes/half.js";
import { parseDescr, parseTypestr } from "../../dist/dtypes/typestr.js";
import { parseDataType } from "../../dist/dtypes/v3.js";
import { parseJson } from "../../dist/metadata/json.js";
import { bytesOf, errorOf } from "./support.js";

const json = (text: string) => parseJson(bytesOf(text), { name: "value", maxDepth: 64, bareNonFinite: true });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("type strings", () => {
  it.each([
    ["|b1", "bool", 1, undefined],
    ["<i1", "int8", 1, undefined],
    [">u1", "uint8", 1, undefined],
    ["<i2", "int16", 2, "little"],
    [">i8", "int64", 8, "big"],
    [">u4", "uint32", 4, "big"],
    ["<f2", "float16", 2, "little"],
    [">f4", "float32", 4, "big"],
    [">c8", "complex64", 8, "big"],
    ["<c16", "complex128", 16, "little"],
    ["|S12", "null_terminated_bytes", 12, undefined],
    ["<S12", "null_terminated_bytes", 12, undefined],
    [">U5", "fixed_length_utf32", 20, "big"],
    ["|V16", "r128", 16, undefined],
    ["<M8[ns]", "numpy.datetime64", 8, "little"],
    [">m8[10s]", "numpy.timedelta64", 8, "big"],
  ])("%s is %s", (text, name, itemBytes, endian) => {
    const { dtype, endians } = parseTypestr(text);
    expect([dtype.name, dtype.itemBytes, endians]).toEqual([name, itemBytes, [endian]]);
  });

  it("keeps unit and multiple of times", () => {
    const { dtype } = parseTypestr("<m8[10μs]");
    expect([dtype.unit, dtype.scaleFactor]).toEqual(["us", 10]);
    expect(numpyDescr(dtype)).toBe("<m8[10us]");
  });

  it.each([
    "i4",
    "=i4",
    "<i3",
    "<x4",
    "|i4",
    "<f4 ",
    "<M8",
    "<M8[parsec]",
    "<i4[ns]",
    "<M4[ns]",
    "<M8[0s]",
    "",
    "<f",
    "<fa",
  ])("%s is refused", async (text) => {
    expect((await errorOf(() => parseTypestr(text)))._tag).toMatch(/InvalidMetadata|Unsupported/);
  });

  it.each(["|O", "<f16", "|S0", "|V0", "<U0", "<c32"])("%s is unsupported", async (text) => {
    expect((await errorOf(() => parseTypestr(text)))._tag).toBe("Unsupported");
  });

  it("limits the width of elements", async () => {
    expect((await errorOf(() => parseTypestr("|S99999999999")))._tag).toBe("LimitExceeded");
  });
});

describe("structured types", () => {
  it("nests, packs, and keeps a byte order per leaf field", () => {
    const { dtype, endians } = parseDescr(json('[["p", [["x", "<f8"], ["y", ">i4"]]], ["k", "|u1"]]'), false);
    expect(dtype.itemBytes).toBe(13);
    expect(dtype.fields!.map((f) => [f.name, f.offset])).toEqual([
      ["p", 0],
      ["k", 12],
    ]);
    expect(endians).toEqual(["little", "big", undefined]);
    expect(numpyDescr(dtype)).toEqual([
      [
        "p",
        [
          ["x", "<f8"],
          ["y", "<i4"],
        ],
      ],
      ["k", "|u1"],
    ]);
  });

  it("has subarrays where the version allows them", () => {
    const text = '[["a", "<i2", [2, 3]], ["b", [["c", ">u4"], ["d", "|u1"]], 2]]';
    const { dtype, endians } = parseDescr(json(text), true);
    expect(dtype.itemBytes).toBe(22);
    expect(endians.length).toBe(componentsOf(dtype).length);
    expect(() => parseDescr(json(text), false)).toThrow(/list of two elements/);
  });

  it.each([
    ["no fields", "[]"],
    ["a name twice", '[["a", "<i2"], ["a", "<i2"]]'],
    ["an empty name", '[["", "<i2"]]'],
    ["a name that is no string", '[[1, "<i2"]]'],
    ["a field that is no list", '["<i2"]'],
    ["a number", "3"],
    ["an object", "{}"],
    ["an object field", '[["a", "|O"]]'],
    ["deep nesting", `${'[["a", '.repeat(20)}"<i2"${"]]".repeat(20)}`],
  ])("refuses %s", (_what, text) => {
    expect(() => parseDescr(json(text), false)).toThrow();
  });
});

describe("Zarr v3 names", () => {
  it.each([
    ["int16", "int16", 2],
    ["r24", "r24", 3],
    [{ name: "fixed_length_utf32", configuration: { length_bytes: 20 } }, "fixed_length_utf32", 20],
    [{ name: "null_terminated_bytes", configuration: { length_bytes: 7 } }, "null_terminated_bytes", 7],
    [{ name: "numpy.datetime64", configuration: { unit: "ms", scale_factor: 5 } }, "numpy.datetime64", 8],
    [
      {
        name: "struct",
        configuration: {
          fields: [
            { name: "a", data_type: "int8" },
            { name: "b", data_type: "complex64" },
          ],
        },
      },
      "struct",
      9,
    ],
  ])("%j", (value, name, itemBytes) => {
    const dtype = parseDataType(value);
    expect([dtype.name, dtype.itemBytes]).toEqual([name, itemBytes]);
  });

  it.each([
    "int17",
    "r7",
    "r0",
    "",
    "__proto__",
    "constructor",
    5,
    null,
    [],
    {},
    { name: "fixed_length_utf32", configuration: { length_bytes: 6 } },
    { name: "numpy.datetime64", configuration: {} },
    { name: "struct", configuration: { fields: [] } },
    {
      name: "struct",
      configuration: {
        fields: [
          { name: "a", data_type: "int8" },
          { name: "a", data_type: "int8" },
        ],
      },
    },
  ])("%j is refused", async (value) => {
    expect((await errorOf(() => parseDataType(value)))._tag).toMatch(/InvalidMetadata|Unsupported/);
  });
});

describe("binary16", () => {
  it("survives both ways for every value", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const value = fromHalfBits(bits);
      if (Number.isNaN(value)) expect(toHalfBits(value)).toBe(0x7e00);
      else expect(toHalfBits(value)).toBe(bits);
    }
  });

  it("rounds to the nearest, ties to even", () => {
    const finite = Array.from({ length: 0x7c00 }, (_, bits) => fromHalfBits(bits));
    fc.assert(
      fc.property(fc.nat(0x7bfe), fc.double({ min: 0, max: 1, noNaN: true }), (bits, part) => {
        const [low, high] = [finite[bits]!, finite[bits + 1]!];
        const value = low + (high - low) * part;
        const middle = low + (high - low) / 2;
        const expected = value < middle ? bits : value > middle ? bits + 1 : bits + (bits % 2);
        expect(toHalfBits(value)).toBe(expected);
        expect(toHalfBits(-value)).toBe(0x8000 | expected);
      }),
      { numRuns: 5000 },
    );
    expect(toHalfBits(65519.99)).toBe(0x7bff);
    expect(toHalfBits(65520)).toBe(0x7c00);
    expect(toHalfBits(-1e300)).toBe(0xfc00);
  });
});

describe("element data", () => {
  it.each([
    ["bool", Uint8Array, 1],
    ["int64", BigInt64Array, 1],
    ["uint64", BigUint64Array, 1],
    ["float64", Float64Array, 1],
    ["complex64", Float32Array, 2],
    ["complex128", Float64Array, 2],
    ["r24", Uint8Array, 3],
  ])("%s comes as %s", (name, Kind, perElement) => {
    const dtype = parseDataType(name);
    const data = toElements(dtype, new Uint8Array(6 * dtype.itemBytes));
    expect(data).toBeInstanceOf(Kind);
    expect(data.length).toBe(6 * (perElement as number));
    expect(() => checkElements(dtype, data, 6, "it")).not.toThrow();
    expect(() => checkElements(dtype, data, 5, "it")).toThrow(/must have/);
    expect(() => checkElements(dtype, new DataView(new ArrayBuffer(48)), 6, "it")).toThrow(/must be a/);
  });

  it("shares memory where it can, and copies where alignment forces it", () => {
    const bytes = new Uint8Array(17);
    expect(toElements(DType.simple("int32"), bytes.subarray(0, 16)).buffer).toBe(bytes.buffer);
    const odd = toElements(DType.simple("int32"), bytes.subarray(1));
    expect(odd.buffer).not.toBe(bytes.buffer);
    expect(odd.length).toBe(4);
  });

  it("widens float16 where the engine has no Float16Array", () => {
    const dtype = DType.simple("float16");
    const data = toElements(dtype, Uint8Array.of(0x00, 0x3e, 0x00, 0xc0));
    expect([...(data as Float32Array)]).toEqual([1.5, -2]);
    expect(hex(toBytes(dtype, data))).toBe("003e00c0");
  });

  it("reads fields of structured elements", () => {
    const { dtype } = parseDescr(json('[["p", [["x", "<f8"], ["y", "<i4"]]], ["k", "<i2", [2]]]'), true);
    const bytes = new Uint8Array(32);
    const view = new DataView(bytes.buffer);
    for (const i of [0, 1]) {
      view.setFloat64(16 * i, i + 0.5, true);
      view.setInt32(16 * i + 8, -i - 7, true);
      view.setInt16(16 * i + 12, 10 * i, true);
      view.setInt16(16 * i + 14, 10 * i + 1, true);
    }
    const region = { data: bytes, shape: [2], dtype };
    expect([...(field(region, ["p", "x"]).data as Float64Array)]).toEqual([0.5, 1.5]);
    expect([...(field(region, ["p", "y"]).data as Int32Array)]).toEqual([-7, -8]);
    const k = field(region, "k");
    expect([[...k.shape], [...(k.data as Int16Array)]]).toEqual([
      [2, 2],
      [0, 1, 10, 11],
    ]);
    expect(() => field(region, "z")).toThrow(/no field "z"/);
    expect(readScalar(dtype, bytes, 16)).toEqual({ p: { x: 1.5, y: -8 }, k: [10, 11] });
  });

  it("reads fixed-length strings without their padding", () => {
    const s = { data: bytesOf("ab\0\0é\0\0\0"), shape: [2], dtype: DType.fixedBytes(4) };
    expect(strings({ ...s, data: s.data.slice(0, 8) })).toEqual(["ab", "é"]);
    const u = new Uint32Array([0x1f600, 0, 0x41, 0x42]);
    expect(strings({ data: new Uint8Array(u.buffer), shape: [2], dtype: DType.fixedUtf32(2) })).toEqual([
      "😀",
      "AB",
    ]);
    expect(() => strings({ data: new Uint8Array(2), shape: [2], dtype: DType.simple("uint8") })).toThrow(
      /not a fixed-length/,
    );
  });
});

describe("fill values", () => {
  it.each([
    ["int32", "-7", "f9ffffff", -7],
    ["uint8", "255", "ff", 255],
    ["uint8", "3.0", "03", 3],
    ["uint16", '"12"', "0c00", 12],
    ["int64", "-9007199254740993", "ffffffffffffdfff", -9007199254740993n],
    ["uint64", "18446744073709551615", "ffffffffffffffff", 18446744073709551615n],
    ["bool", "true", "01", true],
    ["bool", "0", "00", false],
    ["float32", "1.5", "0000c03f", 1.5],
    ["float64", "NaN", "000000000000f87f", Number.NaN],
    ["float64", '"-Infinity"', "000000000000f0ff", -Infinity],
    ["float16", "Infinity", "007c", Infinity],
    ["float32", "-0.0", "00000080", -0],
    ["complex64", "[1, -2]", "0000803f000000c0", [1, -2]],
    ["complex128", "2", "00000000000000400000000000000000", [2, 0]],
    ["int32", "null", "00000000", null],
  ])("%s %s", (type, text, bytes, value) => {
    const fill = parseLooseFill(parseDataType(type), json(text));
    expect(hex(fill.item)).toBe(bytes);
    expect(fill.value).toEqual(value);
  });

  it("reads strings, raw bytes and times", () => {
    expect(hex(parseLooseFill(DType.fixedBytes(4), json('"YWI="')).item)).toBe("61620000");
    expect(hex(parseLooseFill(DType.fixedBytes(4), json('"a!"')).item)).toBe("61210000");
    expect(hex(parseLooseFill(DType.fixedUtf32(2), json('"é"')).item)).toBe("e900000000000000");
    expect(hex(parseLooseFill(DType.raw(2), json('"AQI="')).item)).toBe("0102");
    expect(hex(parseLooseFill(DType.time("datetime64", "ns"), json('"NaT"')).item)).toBe("0000000000000080");
    expect(hex(parseLooseFill(DType.time("timedelta64", "s"), json("5")).item)).toBe("0500000000000000");
  });

  it.each([
    ["int8", "128"],
    ["uint8", "-1"],
    ["uint64", "18446744073709551616"],
    ["int32", "1.5"],
    ["int32", "NaN"],
    ["int32", "true"],
    ["int32", '"x"'],
    ["bool", "2"],
    ["bool", '"true"'],
    ["float32", '"x"'],
    ["float32", "true"],
    ["complex64", "[1]"],
    ["complex64", '["a", 1]'],
    ["r16", '"AQ=="'],
    ["r16", "[1, 2]"],
    ["float64", "{}"],
    ["int32", "[1]"],
  ])("%s %s is refused", async (type, text) => {
    const error = await errorOf(() => parseLooseFill(parseDataType(type), json(text)));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-fill-value"]);
  });
});
