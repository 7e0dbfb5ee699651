// The codecs of HDF5's filters, GRIB 2, FITS and Neuroglancer: rejected configurations and chunks. read/golden.test.ts reads what other
// programs wrote.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCodecChain } from "zarr-wasm/codecs";
import { errorOf } from "../support/support.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const arrayCodecs = ["grib2", "fits_quantize", "compressed_segmentation"];
const open = (
  dtype: "int16" | "uint32" | "uint64" | "float32" | "float64",
  name: string,
  configuration: Record<string, unknown>,
  shape = [4, 6],
) =>
  createCodecChain({
    dtype,
    shape,
    codecs: arrayCodecs.includes(name) ? [{ name, configuration }] : [little, { name, configuration }],
  });

const scaleOffset = (...words: number[]) => ({ parms: [...words, ...new Array(20 - words.length).fill(0)] });
const szip = { options_mask: 32, pixels_per_block: 8, bits_per_pixel: 16, pixels_per_scanline: 6 };

describe("rejected configurations", () => {
  it.each([
    ["hdf5_lzf", { level: 1 }, '"level" is not one of its options'],
    ["hdf5_bitshuffle", { element_size: 0 }, '"element_size" must be an integer from 1'],
    ["hdf5_bitshuffle", { element_size: 2, block_size: 12 }, '"block_size" must be a multiple of 8, not 12'],
    [
      "hdf5_bitshuffle",
      { element_size: 2, compressor: "lzf" },
      '"compressor" must be one of none, lz4, zstd',
    ],
    ["hdf5_scaleoffset", { parms: [2, 0, 24] }, '"parms" must have 20 numbers, not 3'],
    ["hdf5_scaleoffset", scaleOffset(2, 0, 24, 0, 3), '"parms" has elements of 3 bytes'],
    ["hdf5_scaleoffset", scaleOffset(2, 0, 25, 0, 2), "does not consist of 25 elements of 2 bytes"],
    ["hdf5_nbit", { parms: [8, 0, 24, 1, 4, 0, 12, 4] }, "does not consist of 24 elements of 4 bytes"],
    ["hdf5_nbit", { parms: [8, 0, -1, 1, 2, 0, 12, 4] }, '"parms" must be a list of integers from 0'],
    ["hdf5_nbit", { parms: [8, 0, 24, 1, 2, 0, 12, 5] }, "the codec's parameters are invalid"],
    ["hdf5_szip", { ...szip, bits_per_pixel: 40 }, "does not support pixels of 40 bits"],
    ["hdf5_szip", { ...szip, pixels_per_block: 257 }, '"pixels_per_block" must be an integer from 1 to 256'],
    ["grib2", {}, "does not support data type int16, only float32 and float64"],
    ["fits_rice", { bytepix: 3 }, '"bytepix" must be 1, 2 or 4, not 3'],
    ["fits_rice", { block_size: 0 }, '"block_size" must be an integer from 1'],
    [
      "fits_quantize",
      { endian: "big", codecs: [] },
      "does not support data type int16, only float32 and float64",
    ],
    ["compressed_segmentation", { block_size: [8, 8, 8] }, "does not support data type int16, only uint32"],
  ])("%s %j", async (name, configuration, message) => {
    const error = await errorOf(async () =>
      (await open("int16", name, configuration)).decode(new Uint8Array(1)),
    );
    expect(error).toMatchObject({ _tag: "InvalidMetadata" });
    expect(error.message).toContain(message);
  });

  it("scale-offset with a fixed number of bits", async () => {
    const error = await errorOf(() => open("float32", "hdf5_scaleoffset", scaleOffset(1, 8, 24, 1, 4)));
    expect(error).toMatchObject({ _tag: "Unsupported", code: "unsupported-codec" });
  });
});

describe("GRIB messages", () => {
  interface Line {
    name: string;
    store: { "zarr.json": string; "c/0/0": { b64: string } };
  }
  const file = new URL("../../golden/grib.jsonl", import.meta.url);
  const lines: Line[] = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { store } = lines.find(({ name }) => name === "grib/scan-north")!;
  const message = () => new Uint8Array(Buffer.from(store["c/0/0"].b64, "base64"));
  const decode = async (bytes: Uint8Array, configuration: Record<string, unknown> = {}) =>
    (await open("float32", "grib2", configuration)).decode(bytes) as Float32Array;
  const changed = (at: number, value: number) => {
    const bytes = message();
    bytes[at] = value;
    return bytes;
  };
  /** The position of a section. */
  const section = (number: number): number => {
    const bytes = message();
    const view = new DataView(bytes.buffer);
    let at = 16;
    while (bytes[at + 4] !== number) at += view.getUint32(at);
    return at;
  };

  it("decode, also if more bytes follow", async () => {
    const right = await decode(message());
    expect(right.every(Number.isFinite)).toBe(true);
    expect(await decode(Uint8Array.from([...message(), 1, 2, 3]))).toEqual(right);
  });

  it.each([
    ["edition 1", () => changed(7, 1), "Unsupported", "unsupported-message"],
    ["another packing", () => changed(section(5) + 10, 200), "Unsupported", "unsupported-message"],
    ["a bitmap of the centre", () => changed(section(6) + 5, 3), "Unsupported", "unsupported-message"],
    ["a bitmap before there is one", () => changed(section(6) + 5, 254), "CorruptChunk", "bad-header"],
    ["another magic", () => changed(0, 0), "CorruptChunk", "bad-header"],
    ["another number of values", () => changed(section(5) + 8, 23), "CorruptChunk", "bad-header"],
    ["another number of columns", () => changed(section(3) + 33, 7), "CorruptChunk", "bad-header"],
    ["a section of 4 bytes", () => changed(section(3) + 3, 4), "CorruptChunk", "bad-header"],
    ["a long section", () => changed(section(3), 1), "CorruptChunk", "truncated"],
    ["more bits than there are", () => changed(section(5) + 19, 32), "CorruptChunk", "truncated"],
    ["half a message", () => message().subarray(0, 100), "CorruptChunk", "truncated"],
    ["nothing", () => new Uint8Array(0), "CorruptChunk", "truncated"],
  ])("with %s are rejected", async (_, bytes, _tag, code) => {
    expect(await errorOf(() => decode(bytes()))).toMatchObject({ _tag, code });
  });

  it("without the field are rejected", async () => {
    expect(await errorOf(() => decode(message(), { field: 1 }))).toMatchObject({ code: "truncated" });
  });
});

describe("segmentations", () => {
  const words = (...list: number[]) => new Uint8Array(new Uint32Array(list).buffer);
  const decode = async (bytes: Uint8Array, block = [2, 1, 1]) =>
    (await open("uint32", "compressed_segmentation", { block_size: block }, [1, 1, 1, 2])).decode(bytes);

  it("decode", async () => {
    expect(await decode(words(1, 0x0100_0003, 2, 0b10, 7, 9))).toEqual(Uint32Array.of(7, 9));
    expect(await decode(words(1, 0x0000_0002, 0, 5), [64, 64, 64])).toEqual(Uint32Array.of(5, 5));
  });

  it("decode labels of 64 bits, by blocks at the ends of the array", async () => {
    const chain = await open("uint64", "compressed_segmentation", { block_size: [2, 2, 1] }, [3, 3]);
    const block = (table: number, at: number) => [0x0200_0000 + table, at];
    const heads = [...block(8, 16), ...block(12, 17), ...block(8, 18), ...block(12, 19)];
    const tables = [1, 0, 2, 0, 3, 1, 4, 0];
    const bytes = words(1, ...heads, ...tables, 0b11_10_01_00, 0b00_00_00_01, 0b01_10, 0);
    expect([...((await chain.decode(bytes)) as BigUint64Array)]).toEqual(
      [1, 2, 4, 2 ** 32 + 3, 4, 2 ** 32 + 3, 2 ** 32 + 3, 2, 2 ** 32 + 3].map(BigInt),
    );
  });

  it.each([
    ["no headers", words(1), "truncated"],
    ["a channel beyond the end", words(9, 0, 0), "truncated"],
    ["an unknown number of bits", words(1, 0x0300_0003, 2, 0, 7, 9), "bad-header"],
    ["indexes beyond the end", words(1, 0x0100_0003, 99, 0, 7, 9), "truncated"],
    ["an index beyond the table", words(1, 0x0800_0003, 2, 0x0500, 7, 9), "corrupt"],
    ["a table beyond the end", words(1, 0x0000_00ff, 2), "truncated"],
  ])("with %s are rejected", async (_, bytes, code) => {
    expect(await errorOf(() => decode(bytes))).toMatchObject({ _tag: "CorruptChunk", code });
  });
});

describe("quantized tiles", () => {
  const head = (flags: number, seed: number, blank = 0) => {
    const bytes = new Uint8Array(24);
    const view = new DataView(bytes.buffer);
    view.setFloat64(0, 0.5, true);
    view.setFloat64(8, 10, true);
    view.setInt32(16, blank, true);
    view.setUint16(20, seed, true);
    bytes[22] = flags;
    return bytes;
  };
  const integers = new Uint8Array(Int32Array.of(-2147483646, 0, 4, 7).buffer);
  const decode = async (bytes: Uint8Array, dither: string, dtype: "float32" | "float64" = "float64") =>
    (await open(dtype, "fits_quantize", { dither, endian: "little", codecs: [] }, [4])).decode(bytes);
  const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

  it("decode without dither", async () => {
    expect(await decode(joined(head(1, 0, 7), integers), "none", "float32")).toEqual(
      Float32Array.of(-1073741813, 10, 12, Number.NaN),
    );
  });

  it("decode with the random numbers of the standard", async () => {
    const seeds = [1];
    while (seeds.length <= 10_000) seeds.push((seeds.at(-1)! * 16807) % 2147483647);
    expect(seeds.at(-1)).toBe(1043618065);
    const random = seeds.slice(1).map((seed) => Math.fround(seed / 2147483647));
    const at = Math.trunc(Math.fround(random[9999]! * 500));
    const value = (integer: number, i: number) => (integer - random[at + i]! + 0.5) * 0.5 + 10;
    expect(await decode(joined(head(0, 9999), integers), "subtractive_2")).toEqual(
      Float64Array.of(0, value(0, 1), value(4, 2), value(7, 3)),
    );
  });

  it.each([
    ["an unknown flag", joined(head(3, 0), integers), "bad-header"],
    ["a seed beyond the list", joined(head(0, 10_000), integers), "bad-header"],
    ["no header", integers, "truncated"],
    ["too few integers", joined(head(0, 0), integers.subarray(4)), "size-mismatch"],
    ["too few plain values", joined(head(2, 0), integers), "size-mismatch"],
    ["an unknown codec", joined(head(0, 0).fill(1, 23), integers), "bad-header"],
  ])("with %s are rejected", async (_, bytes, code) => {
    expect(await errorOf(() => decode(bytes, "subtractive_1"))).toMatchObject({ _tag: "CorruptChunk", code });
  });
});
