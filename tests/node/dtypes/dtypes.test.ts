import { describe, expect, it } from "vitest";
import { DType, field, readScalar, strings } from "zarr-wasm";
import { numpyDescr } from "zarr-wasm/formats";
import { componentsOf, simpleTypes } from "#src/dtypes/dtype.js";
import {
  checkElements,
  checkValues,
  isConverted,
  readElements,
  toBytes,
  toElements,
} from "#src/dtypes/elements.js";
import { dataTypeJson } from "#src/dtypes/fill-print.js";
import { parseDescr, parseTypestr } from "#src/dtypes/typestr.js";
import { parseDataType } from "#src/dtypes/v3.js";
import { parseJson } from "#src/util/json-reader.js";
import { bytesOf, errorOf } from "../support/support.js";

const json = (text: string) => parseJson(bytesOf(text), { name: "value", maxDepth: 64, bareNonFinite: true });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("names of Python and NumPy", () => {
  it.each([
    ["float", "float64"],
    ["double", "float64"],
    ["int", "int64"],
    ["uint", "uint64"],
    ["complex", "complex128"],
    ["str", "string"],
    ["boolean", "bool"],
    ["f4", "float32"],
    ["i2", "int16"],
    ["u1", "uint8"],
    ["c16", "complex128"],
    ["Float32", "float32"],
  ])("%s: the message names %s", async (name, meant) => {
    const error = await errorOf(() => parseDataType(name));
    expect(error.message).toBe(`unknown data type "${name}"; did you mean "${meant}"?`);
  });
});

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

  it("times without a unit are generic, if the version supports them", async () => {
    for (const text of ["<M8", ">m8"]) {
      const { dtype } = parseTypestr(text, { genericTimes: true });
      expect([dtype.unit, dtype.scaleFactor, dtype.itemBytes]).toEqual(["generic", 1, 8]);
      expect(numpyDescr(dtype)).toBe(text.replace(">", "<"));
      const struct = parseDescr([["t", text]], false, { genericTimes: true });
      expect(struct.dtype.fields![0]!.dtype.unit).toBe("generic");
    }
    for (const text of ["<M", "<M4", "|M8", "<M08"])
      expect((await errorOf(() => parseTypestr(text, { genericTimes: true })))._tag, text).toBe(
        "InvalidMetadata",
      );
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
    "<i08",
    "|b01",
    "|S012",
    "<M8[010s]",
    "<M08[s]",
    "",
    "<f",
    "<fa",
  ])("%s is refused", async (text) => {
    expect((await errorOf(() => parseTypestr(text)))._tag).toMatch(/InvalidMetadata|Unsupported/);
  });

  it.each(["|O", "<f16", "|S0", "|V0", "<U0", "<c32"])("%s is unsupported", async (text) => {
    expect((await errorOf(() => parseTypestr(text)))._tag).toBe("Unsupported");
  });

  it("|O is elements of variable length if the caller can decode objects", async () => {
    for (const text of ["|O", "|O8", "<O"]) {
      const { dtype, endians } = parseTypestr(text, { objects: true });
      expect([dtype.name, dtype.isVariable, dtype.itemBytes, endians]).toEqual(["object", true, 0, []]);
    }
    expect(parseDescr("|O", true, { objects: true }).dtype.isVariable).toBe(true);
    expect(numpyDescr(parseTypestr("|O", { objects: true }).dtype)).toBe("|O");
    for (const text of ["|O3", "|O[ns]", "|O99999"]) {
      expect((await errorOf(() => parseTypestr(text, { objects: true })))._tag).toBe("Unsupported");
    }
    const struct = json('[["a", "|O"]]');
    expect((await errorOf(() => parseDescr(struct, true, { objects: true })))._tag).toBe("Unsupported");
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

  it("has NumPy's names for the padding of aligned types", () => {
    const { dtype } = parseDescr(json('[["a", "|u1"], ["", "|V3"], ["b", "<i4"], ["", "|V2"]]'), false);
    expect(dtype.fields!.map((f) => [f.name, f.dtype.name, f.offset])).toEqual([
      ["a", "uint8", 0],
      ["f1", "r24", 1],
      ["b", "int32", 4],
      ["f3", "r16", 8],
    ]);
    expect(() => parseDescr(json('[["f1", "|u1"], ["", "|V3"]]'), false)).toThrow(/unique/);
  });

  it("has subarrays if the version allows them", () => {
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
    ["a name that is not a string", '[[1, "<i2"]]'],
    ["a field that is not a list", '["<i2"]'],
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
    [
      {
        name: "structured",
        configuration: {
          fields: [
            ["a", "int8"],
            ["b", "bfloat16"],
          ],
        },
      },
      "struct",
      3,
    ],
    [{ name: "int16" }, "int16", 2],
    [{ name: "int16", configuration: {}, must_understand: true }, "int16", 2],
    ["bfloat16", "bfloat16", 2],
    ["int2", "int2", 1],
    ["uint4", "uint4", 1],
    ["float8_e8m0fnu", "float8_e8m0fnu", 1],
    ["float6_e3m2fn", "float6_e3m2fn", 1],
    ["complex_float4_e2m1fn", "complex_float4_e2m1fn", 2],
    ["complex_bfloat16", "complex_bfloat16", 4],
    ["complex_float16", "complex_float16", 4],
    ["complex_float32", "complex64", 8],
    ["complex_float64", "complex128", 16],
    ["string", "string", 0],
    ["bytes", "bytes", 0],
    ["variable_length_bytes", "bytes", 0],
    ["binary", "bytes", 0],
    [{ name: "raw_bytes", configuration: { length_bytes: 3 } }, "r24", 3],
    [{ name: "numpy.timedelta64", configuration: { unit: "μs", scale_factor: 1 } }, "numpy.timedelta64", 8],
    [
      { name: "numpy.datetime64", configuration: { unit: "generic", scale_factor: 1 } },
      "numpy.datetime64",
      8,
    ],
  ])("%j", (value, name, itemBytes) => {
    const dtype = parseDataType(value);
    expect([dtype.name, dtype.itemBytes]).toEqual([name, itemBytes]);
  });

  it.each([
    "int17",
    "object",
    "float8_e4m3fn",
    "r7",
    "r0",
    "r08",
    "r8388616",
    "r999999999999999999999",
    "toString",
    "hasOwnProperty",
    { name: "__proto__" },
    { name: "int8", must_understand: false },
    { name: "int8", must_understand: 1 },
    { name: "int8", configuration: { endian: "little" } },
    { name: "int8", configuration: null },
    { name: "int8", configuration: [] },
    { name: "int8", extra: 1 },
    { name: "string", configuration: { length_bytes: 3 } },
    { name: "raw_bytes" },
    { name: "raw_bytes", configuration: { length_bytes: 0 } },
    { name: "raw_bytes", configuration: { length_bytes: 2 ** 40 } },
    { name: "raw_bytes", configuration: { length_bytes: 1, unit: "s" } },
    { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 0 } },
    { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1.5 } },
    { name: "numpy.datetime64", configuration: { unit: "constructor", scale_factor: 1 } },
    { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1, timezone: "UTC" } },
    { name: "struct" },
    { name: "struct", configuration: { fields: [{ name: "a", data_type: "string" }] } },
    { name: "struct", configuration: { fields: [{ name: "a", data_type: "int8", shape: [2] }] } },
    { name: "struct", configuration: { fields: [{ name: "a" }] } },
    { name: "struct", configuration: { fields: [["a", "int8", [2]]] } },
    {
      name: "struct",
      configuration: {
        fields: [
          ["a", "r8388608"],
          ["b", "int8"],
        ],
      },
    },
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
    const error = await errorOf(() => parseDataType(value));
    expect(error._tag).toMatch(/InvalidMetadata|Unsupported|LimitExceeded/);
  });

  it("are written as they are read", async () => {
    const point = { name: "struct", configuration: { fields: [{ name: "a", data_type: "int8" }] } };
    const types: unknown[] = [
      ...simpleTypes,
      "r24",
      "string",
      "bytes",
      { name: "fixed_length_utf32", configuration: { length_bytes: 20 } },
      { name: "null_terminated_bytes", configuration: { length_bytes: 7 } },
      { name: "numpy.datetime64", configuration: { unit: "ms", scale_factor: 5 } },
      { name: "numpy.timedelta64", configuration: { unit: "generic", scale_factor: 1 } },
      point,
      { name: "struct", configuration: { fields: [{ name: "p", data_type: point }] } },
    ];
    for (const type of types) expect(dataTypeJson(parseDataType(type))).toEqual(type);
    expect((await errorOf(() => dataTypeJson(DType.variable("object"))))._tag).toBe("Unsupported");
    const { dtype } = parseDescr(json('[["a", "<i2", [2]]]'), true);
    expect((await errorOf(() => dataTypeJson(dtype)))._tag).toBe("Unsupported");
  });

  it("deep nesting is refused", async () => {
    let type: unknown = "int8";
    for (let i = 0; i < 17; i++) type = { name: "struct", configuration: { fields: [["a", type]] } };
    expect((await errorOf(() => parseDataType(type)))._tag).toBe("LimitExceeded");
  });

  it("a field may have any name", () => {
    const fields = [["__proto__", "int8"], ["constructor", "int8"]]; // biome-ignore format: a table
    const dtype = parseDataType({ name: "struct", configuration: { fields } });
    const value = readScalar(dtype, Uint8Array.of(1, 2), 0) as object;
    expect(Object.entries(value)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
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

  it("shares memory if it can, and copies if the alignment requires it", () => {
    const bytes = new Uint8Array(17);
    expect(toElements(DType.simple("int32"), bytes.subarray(0, 16)).buffer).toBe(bytes.buffer);
    const odd = toElements(DType.simple("int32"), bytes.subarray(1));
    expect(odd.buffer).not.toBe(bytes.buffer);
    expect(odd.length).toBe(4);
  });

  it("widens float16 if the engine has no Float16Array", () => {
    const dtype = DType.simple("float16");
    const data = toElements(dtype, Uint8Array.of(0x00, 0x3e, 0x00, 0xc0));
    expect([...(data as Float32Array)]).toEqual([1.5, -2]);
    expect(hex(toBytes(dtype, data))).toBe("003e00c0");
  });

  it("has no typed array for elements of variable length", async () => {
    const [text, bytes, any] = (["string", "bytes", "object"] as const).map((name) => DType.variable(name));
    for (const dtype of [text!, bytes!, any!]) {
      expect([dtype.isVariable, dtype.itemBytes, isConverted(dtype)]).toEqual([true, 0, false]);
      expect(() => toElements(dtype, new Uint8Array(4))).toThrow(/no typed array/);
      expect(() => readScalar(dtype, new Uint8Array(4), 0)).toThrow(/not stored as bytes/);
      expect(() => componentsOf(dtype)).toThrow(/variable length/);
      expect(() => checkElements(dtype, new Uint8Array(4), 4, "it")).toThrow(/no typed array/);
    }
    expect(() => checkValues(text!, ["a", ""], 2, "it")).not.toThrow();
    expect(() => checkValues(text!, ["a", ""], 3, "it")).toThrow(/Array of 3 strings/);
    expect(() => checkValues(text!, ["a", 1], 2, "it")).toThrow(/Array of 2 strings/);
    expect(() => checkValues(bytes!, [new Uint8Array(2)], 1, "it")).not.toThrow();
    expect(() => checkValues(bytes!, ["a"], 1, "it")).toThrow(/Uint8Arrays/);
    expect(() => checkValues(any!, [null, { a: 1 }], 2, "it")).not.toThrow();
    expect(DType.simple("int8").isVariable).toBe(false);
    expect(strings({ data: ["a", "b"], shape: [2], dtype: text! })).toEqual(["a", "b"]);
  });

  it("is read into an array of the caller", () => {
    const out = new Int16Array(2);
    readElements(DType.simple("int16"), Uint8Array.of(1, 0, 0xff, 0xff), out);
    expect([...out]).toEqual([1, -1]);
    const floats = new Float32Array(2);
    readElements(DType.simple("bfloat16"), Uint8Array.of(0x80, 0x3f, 0x00, 0xc0), floats);
    expect([...floats]).toEqual([1, -2]);
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
      /not a string/,
    );
  });
});
