// The codecs of HDF5's filters and of GRIB 2: rejected configurations and chunks. read/golden.test.ts reads what other
// programs wrote.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCodecChain } from "zarr-wasm/codecs";
import { errorOf } from "../support/support.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const open = (dtype: "int16" | "float32", name: string, configuration: Record<string, unknown>) =>
  createCodecChain({
    dtype,
    shape: [4, 6],
    codecs: name === "grib2" ? [{ name, configuration }] : [little, { name, configuration }],
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
