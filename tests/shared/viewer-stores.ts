/**
 * Uncompressed Zarr v1 stores, written without the library, so that every element and every byte is known
 * independently.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the element at an index: little-endian, at an offset. */
type WriteItem = (view: DataView, offset: number, index: readonly number[]) => void;

interface StoreSpec {
  shape: number[];
  chunks: number[];
  dtype: unknown;
  itemBytes: number;
  item: WriteItem;
  fill?: unknown;
  order?: "C" | "F";
  attrs?: object;
  /** Keys of chunks that are not written. */
  missing?: string[];
}

/** Large enough to be drawn with a step. */
export const largeShape = [4200, 2100] as const;

export const cubeValue = ([z, y, x]: readonly number[]) => 100 * z! + 10 * y! + x! - 50;
export const byteValue = ([row, column]: readonly number[]) => (37 * row! + 5 * column!) % 256;
export const largeValue = ([row, column]: readonly number[]) => (row! + 3 * column!) % 251;
export const sliceValue = ([slice, row, column]: readonly number[]) => (25 * slice! + row! + column!) % 256;
export const lineValue = ([i]: readonly number[]) =>
  i! > 80 && i! < 90 ? Number.NaN : Math.sin(i! / 15) * 4;
export const holeValue = ([row, column]: readonly number[]) => {
  if (row === 0 && column === 1) return Number.NaN;
  if (row === 0 && column === 2) return Number.POSITIVE_INFINITY;
  return row! + column! / 8;
};
/** Elements of `holes`, whose last chunk is missing: its fill value is NaN. */
export const holePixel = ([row, column]: readonly number[]) =>
  row! >= 3 && column! >= 4 ? Number.NaN : holeValue([row!, column!]);
/** Real and imaginary part. */
export const waveValue = ([row, column]: readonly number[]): [number, number] => [
  Math.fround(Math.cos(column! / 6) * (row! + 1)),
  Math.fround(Math.sin(column! / 6) * (row! + 1)),
];
/** Days since 1970; NaN for a missing date. */
export const dayValue = ([i]: readonly number[]) => (i === 3 ? Number.NaN : 18262 + 7 * i!);
export const shiftValue = ([row, column]: readonly number[]) => 10 * column! - row!;
export const labelValue = ([row, column]: readonly number[]) =>
  row === 5 && column === 5 ? 2n ** 53n + 1n : BigInt(Math.floor(row! / 2) * 3 + Math.floor(column! / 2));

const halves = [
  [0x3c00, 0x4000, 0x4200, 0x7c00],
  [0x7e00, 0xfc00, 0x0000, 0x3e00],
];

const u8 =
  (value: (index: readonly number[]) => number): WriteItem =>
  (view, at, index) =>
    view.setUint8(at, value(index));

/** Stores by name; tests of pixels and values use the functions above. */
const stores: Record<string, StoreSpec> = {
  bytes: { shape: [5, 7], chunks: [2, 3], dtype: "|u1", itemBytes: 1, item: u8(byteValue) },
  cube: {
    shape: [4, 5, 6],
    chunks: [2, 2, 4],
    dtype: ">i2",
    itemBytes: 2,
    item: (view, at, index) => view.setInt16(at, cubeValue(index), false),
    attrs: { units: "K", long_name: "temperature", levels: [1000, 850, 500, 250] },
  },
  slices: { shape: [9, 64, 64], chunks: [1, 32, 32], dtype: "|u1", itemBytes: 1, item: u8(sliceValue) },
  large: { shape: [...largeShape], chunks: [700, 700], dtype: "|u1", itemBytes: 1, item: u8(largeValue) },
  holes: {
    shape: [6, 8],
    chunks: [3, 4],
    dtype: "<f4",
    itemBytes: 4,
    item: (view, at, index) => view.setFloat32(at, holeValue(index), true),
    fill: "NaN",
    missing: ["1.1"],
  },
  // 1, 2, 3, Infinity; NaN, -Infinity, 0, 1.5
  halves: {
    shape: [2, 4],
    chunks: [2, 4],
    dtype: "<f2",
    itemBytes: 2,
    item: (view, at, [row, column]) => view.setUint16(at, halves[row!]![column!]!, true),
  },
  labels: {
    shape: [6, 6],
    chunks: [6, 6],
    dtype: "<i8",
    itemBytes: 8,
    item: (view, at, index) => view.setBigInt64(at, labelValue(index), true),
  },
  mask: { shape: [8, 8], chunks: [8, 8], dtype: "|b1", itemBytes: 1, item: u8(([r, c]) => Number(r! > c!)) },
  waves: {
    shape: [48, 64],
    chunks: [48, 64],
    dtype: "<c8",
    itemBytes: 8,
    item: (view, at, index) => waveValue(index).map((part, i) => view.setFloat32(at + 4 * i, part, true)),
  },
  days: {
    shape: [40],
    chunks: [16],
    dtype: "<M8[D]",
    itemBytes: 8,
    item: (view, at, index) => {
      const day = dayValue(index);
      view.setBigInt64(at, Number.isNaN(day) ? -(2n ** 63n) : BigInt(day), true);
    },
  },
  line: {
    shape: [200],
    chunks: [64],
    dtype: "<f8",
    itemBytes: 8,
    item: (view, at, index) => view.setFloat64(at, lineValue(index), true),
  },
  single: {
    shape: [],
    chunks: [],
    dtype: "<i4",
    itemBytes: 4,
    item: (view, at) => view.setInt32(at, -42, true),
  },
  nothing: { shape: [0, 5], chunks: [1, 5], dtype: "|u1", itemBytes: 1, item: u8(() => 0) },
  names: {
    shape: [12, 3],
    chunks: [12, 3],
    dtype: "|S6",
    itemBytes: 6,
    item: (view, at, [row, column]) =>
      new TextEncoder().encodeInto(`r${row}c${column}`, new Uint8Array(view.buffer, at, 6)),
  },
  records: {
    shape: [4, 6],
    chunks: [4, 6],
    dtype: [
      ["name", "|S3"],
      ["gain", "<f4"],
      ["shift", ">i2"],
    ],
    itemBytes: 9,
    item: (view, at, [row, column]) => {
      new TextEncoder().encodeInto("abc", new Uint8Array(view.buffer, at, 3));
      view.setFloat32(at + 3, row! + column! / 4, true);
      view.setInt16(at + 7, shiftValue([row!, column!]), false);
    },
  },
  // 160 000 chunks of 8 MB, none of which are stored.
  huge: {
    shape: [400_000, 400_000],
    chunks: [1000, 1000],
    dtype: "<f8",
    itemBytes: 8,
    item: () => {},
    fill: 0.5,
    missing: ["*"],
  },
};

/** Writes all stores to a folder, which is emptied first. */
export function writeStores(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, spec] of Object.entries(stores)) writeStore(path.join(folder, name), spec);
  writeText(path.join(folder, "malformed"), { meta: '{"zarr_format": 1, "shape": [2, 2]}', attrs: "{}" });
  const meta = { ...metaOf(stores["bytes"]!), compression: "sprintz", compression_opts: null };
  writeText(path.join(folder, "unknown-codec"), { meta: JSON.stringify(meta), attrs: "{}" });
  writeGroup(path.join(folder, "group"));
  writePyramid(path.join(folder, "pyramid"));
  writeSpike(path.join(folder, "spike"));
}

/** Side length of the finest level of `pyramid`, whose levels differ in their values. */
export const pyramidSide = 1024;
export const pyramidValue = (level: number, [row, column]: readonly number[]) =>
  60 * level + ((((row! << level) >> 5) + ((column! << level) >> 5)) % 50);

const v3Array = (shape: number[], chunk_shape: number[], data_type: string) => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type,
  chunk_grid: { name: "regular", configuration: { chunk_shape } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
});

/** An OME-Zarr image of three levels, in chunks of 128 × 128 bytes. */
function writePyramid(folder: string): void {
  const datasets = [0, 1, 2].map((level) => ({
    path: String(level),
    coordinateTransformations: [{ type: "scale", scale: [2 ** level / 2, 2 ** level / 2] }],
  }));
  const axes = ["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
  const ome = { version: "0.5", multiscales: [{ axes, datasets }] };
  writeText(folder, {
    "zarr.json": JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { ome } }),
  });
  for (const level of [0, 1, 2]) {
    const side = pyramidSide >> level;
    const below = path.join(folder, String(level));
    writeText(below, { "zarr.json": JSON.stringify(v3Array([side, side], [128, 128], "uint8")) });
    for (const [row, column] of indicesOf([side / 128, side / 128]) as Iterable<[number, number]>) {
      mkdirSync(path.join(below, `c/${row}`), { recursive: true });
      const values = Uint8Array.from({ length: 128 * 128 }, (_, i) =>
        pyramidValue(level, [128 * row + (i >> 7), 128 * column + (i & 127)]),
      );
      writeFileSync(path.join(below, `c/${row}/${column}`), values);
    }
  }
}

/** Index of the single sample of 1000 in `spike`, a line of zeros. */
export const spikeAt = 777_777;
export const spikeLength = 1_000_000;

function writeSpike(folder: string): void {
  writeText(folder, { "zarr.json": JSON.stringify(v3Array([spikeLength], [100_000], "int16")) });
  mkdirSync(path.join(folder, "c"), { recursive: true });
  for (let i = 0; i < 10; i++) {
    const values = new Int16Array(100_000);
    if (Math.floor(spikeAt / 100_000) === i) values[spikeAt % 100_000] = 1000;
    writeFileSync(path.join(folder, `c/${i}`), new Uint8Array(values.buffer));
  }
}

export const groupValue = ([row, column]: readonly number[]) => (10 * row! + column!) % 256;

/** A Zarr v3 group with consolidated metadata: an image, and strings. */
function writeGroup(folder: string): void {
  const array = (shape: number[], data_type: string, fill_value: unknown, codecs: object[]) => ({
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value,
    codecs,
    dimension_names: ["y", "x"].slice(-shape.length),
  });
  const image = array([4, 6], "uint8", 0, [{ name: "bytes" }]);
  const words = array([2], "string", "none", [{ name: "vlen-utf8" }]);
  const metadata = { image, "deep/words": words, deep: { zarr_format: 3, node_type: "group" } };
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  const group = { zarr_format: 3, node_type: "group", consolidated_metadata };
  writeText(folder, { "zarr.json": JSON.stringify(group) });
  writeText(path.join(folder, "image"), { "zarr.json": JSON.stringify(image) });
  writeText(path.join(folder, "deep/words"), { "zarr.json": JSON.stringify(words) });
  mkdirSync(path.join(folder, "image/c/0"), { recursive: true });
  const values = Uint8Array.from(indicesOf([4, 6]), groupValue);
  writeFileSync(path.join(folder, "image/c/0/0"), values);
}

function writeText(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
}

function metaOf({ shape, chunks, dtype, fill = null, order = "C" }: StoreSpec): object {
  const compression = { compression: "none", compression_opts: null };
  return { zarr_format: 1, shape, chunks, dtype, fill_value: fill, order, ...compression };
}

function writeStore(folder: string, spec: StoreSpec): void {
  const meta = JSON.stringify(metaOf(spec)).replace('"NaN"', "NaN");
  writeText(folder, { meta, attrs: JSON.stringify(spec.attrs ?? {}) });
  if (spec.missing?.includes("*")) return;
  const grid = spec.shape.map((length, axis) => Math.ceil(length / spec.chunks[axis]!));
  for (const position of indicesOf(grid)) {
    const key = position.join(".") || "0";
    if (!spec.missing?.includes(key)) writeFileSync(path.join(folder, key), chunkBytes(spec, position));
  }
}

/** The bytes of a chunk; zero outside the array. */
function chunkBytes({ shape, chunks, itemBytes, item }: StoreSpec, position: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((product, length) => product * length, itemBytes));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const local of indicesOf(chunks)) {
    const index = local.map((at, axis) => position[axis]! * chunks[axis]! + at);
    if (index.every((at, axis) => at < shape[axis]!)) item(view, offset, index);
    offset += itemBytes;
  }
  return bytes;
}

/** Every index of a shape in C order. */
function* indicesOf(shape: readonly number[]): Generator<number[]> {
  if (shape.includes(0)) return;
  const at = shape.map(() => 0);
  for (;;) {
    yield [...at];
    let axis = shape.length - 1;
    while (axis >= 0 && ++at[axis]! === shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}
