import { concat, int16, storeOf, v2, v3 } from "../stores.mjs";

const float32 = (...values) => new Uint8Array(Float32Array.from(values).buffer);
const int64 = (...values) => new Uint8Array(BigInt64Array.from(values, BigInt).buffer);

/** An array of fill values, whose only chunk is missing. `text` is its fill value as JSON. */
const filled = (dataType, text) =>
  storeOf({
    "zarr.json": JSON.stringify(v3({ shape: [2], data_type: dataType })).replace(
      '"fill_value":0',
      `"fill_value":${text}`,
    ),
  });
const filledV2 = (dtype, text) =>
  storeOf({
    ".zarray": JSON.stringify(v2({ shape: [2], chunks: [2], dtype })).replace(
      '"fill_value":0',
      `"fill_value":${text}`,
    ),
  });

/** @type {import("../run.mjs").Case[]} */
export const fillCases = [
  {
    name: "fill value -Infinity",
    right: [-Infinity, -Infinity],
    store: () => filled("float32", '"-Infinity"'),
  },
  {
    name: "fill value of float32 in hexadecimal, a NaN",
    right: [Number.NaN, Number.NaN],
    store: () => filled("float32", '"0x7fc00001"'),
  },
  {
    name: "fill value of uint64, the largest",
    right: [2n ** 64n - 1n, 2n ** 64n - 1n],
    store: () => filled("uint64", "18446744073709551615"),
  },
  {
    name: "fill value of int64, 2⁵³ + 1",
    right: [2n ** 53n + 1n, 2n ** 53n + 1n],
    store: () => filled("int64", "9007199254740993"),
  },
  { name: "v2 fill value null of int64", right: [0n, 0n], store: () => filledV2("<i8", "null") },
  {
    name: "v2 fill value of |S3 in base64",
    right: [97, 98, 0, 97, 98, 0],
    store: () => filledV2("|S3", '"YWIA"'),
    // Fixed-length strings are bytes in one library and strings in the other.
    same: (value) => (typeof value[0] === "string" ? value.join() === "ab,ab" : undefined),
  },
];

/** @type {import("../run.mjs").Case[]} */
export const typeCases = [
  {
    name: "complex64 (real and imaginary parts)",
    right: [1, -2],
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [1], data_type: "complex64", fill_value: [0, 0] }),
        "c/0": float32(1, -2),
      }),
  },
  {
    name: "v2 <c8",
    right: [1, -2],
    store: () =>
      storeOf({
        ".zarray": v2({ shape: [1], chunks: [1], dtype: "<c8", fill_value: null }),
        0: float32(1, -2),
      }),
  },
  {
    name: "raw bytes r16",
    right: [1, 2, 3, 4],
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [2], data_type: "r16", fill_value: [0, 0] }),
        "c/0": Uint8Array.of(1, 2, 3, 4),
      }),
  },
  {
    name: "v2 structured type",
    right: [1, 2, 0],
    store: () =>
      storeOf({
        ".zarray": v2({
          shape: [1],
          chunks: [1],
          dtype: [
            ["a", "|u1"],
            ["b", "<i2"],
          ],
          fill_value: null,
        }),
        0: concat(Uint8Array.of(1), int16(2)),
      }),
  },
  {
    name: "v2 datetime <M8[ns]",
    right: [5n],
    store: () =>
      storeOf({ ".zarray": v2({ shape: [1], chunks: [1], dtype: "<M8[ns]", fill_value: 0 }), 0: int64(5) }),
  },
  {
    name: "v3 numpy.datetime64",
    right: [5n],
    store: () =>
      storeOf({
        "zarr.json": v3({
          shape: [1],
          data_type: { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } },
        }),
        "c/0": int64(5),
      }),
  },
  {
    name: "float16, without Float16Array in the engine",
    right: [1, -2],
    when: () => typeof globalThis.Float16Array === "undefined",
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [2], data_type: "float16" }),
        "c/0": Uint8Array.of(0, 0x3c, 0, 0xc0),
      }),
  },
  {
    name: "bfloat16",
    right: [1, -2],
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [2], data_type: "bfloat16" }),
        "c/0": Uint8Array.of(0x80, 0x3f, 0, 0xc0),
      }),
  },
];

/** @type {import("../run.mjs").Case[]} */
export const metadataCases = [
  {
    name: "Zarr v1",
    right: [1, 2, 3, 4],
    store: () =>
      storeOf({
        meta: {
          zarr_format: 1,
          shape: [4],
          chunks: [4],
          dtype: "<i2",
          compression: "none",
          compression_opts: null,
          fill_value: 0,
          order: "C",
        },
        attrs: {},
        0: int16(1, 2, 3, 4),
      }),
  },
  {
    name: "rectilinear grid",
    right: [1, 2, 3, 4],
    store: () =>
      storeOf({
        "zarr.json": {
          ...v3(),
          chunk_grid: { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [[1, 3]] } },
        },
        "c/0": int16(1),
        "c/1": int16(2, 3, 4),
      }),
  },
  {
    name: "unknown storage transformer",
    right: "error",
    store: () =>
      storeOf({
        "zarr.json": v3({ storage_transformers: [{ name: "encrypt", configuration: {} }] }),
        "c/0": int16(9, 9, 9, 9),
      }),
  },
  {
    name: "field that must be understood",
    right: "error",
    store: () =>
      storeOf({ "zarr.json": v3({ permuted: { must_understand: true } }), "c/0": int16(9, 9, 9, 9) }),
  },
];
