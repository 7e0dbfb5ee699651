import { gzipSync } from "node:zlib";
import Blosc from "numcodecs/blosc";
import { big, concat, crc32c, int16, little, storeOf, uint32, v2, v3 } from "../stores.mjs";

const right = [1, 2, 3, 4];
const order = (...axes) => ({ name: "transpose", configuration: { order: axes } });

/** 0 … 23 in shape [2, 3, 4], as stored by two transposes with the order [1, 2, 0]. */
function twiceTransposed() {
  const permute = ({ shape, at }, axes) => ({
    shape: axes.map((axis) => shape[axis]),
    at: (index) => {
      const inner = [];
      axes.forEach((axis, i) => {
        inner[axis] = index[i];
      });
      return at(inner);
    },
  });
  const plain = { shape: [2, 3, 4], at: ([i, j, k]) => 12 * i + 4 * j + k };
  const { shape, at } = permute(permute(plain, [1, 2, 0]), [1, 2, 0]);
  const values = [];
  for (let i = 0; i < shape[0]; i++)
    for (let j = 0; j < shape[1]; j++) for (let k = 0; k < shape[2]; k++) values.push(at([i, j, k]));
  return int16(...values);
}

const text = (value) => concat(uint32(value.length), new TextEncoder().encode(value));
const strings = concat(uint32(2), text("one"), text("two"));

/** Views into a larger buffer, as stores that read archives return them. */
class Views extends Map {
  get(key) {
    const bytes = super.get(key);
    return bytes && concat(Uint8Array.of(9, 9, 9), bytes).subarray(3);
  }
}

/** @type {import("../run.mjs").Case[]} */
export const chainCases = [
  {
    name: "two transposes, one after the other",
    right: Array.from({ length: 24 }, (_, i) => i),
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [2, 3, 4], codecs: [order(1, 2, 0), order(1, 2, 0), little] }),
        "c/0/0/0": twiceTransposed(),
      }),
  },
  {
    name: "booleans in a big-endian chain",
    right: [true, false, false, false, true, true, false, true],
    store: () =>
      storeOf({
        "zarr.json": v3({ shape: [8], data_type: "bool", fill_value: false, codecs: [big] }),
        "c/0": Uint8Array.of(1, 0, 0, 0, 1, 1, 0, 1),
      }),
  },
  {
    name: "crc32c that is right",
    right,
    store: () =>
      storeOf({
        "zarr.json": v3({ codecs: [little, { name: "crc32c" }] }),
        "c/0": concat(int16(...right), crc32c(int16(...right))),
      }),
  },
  {
    name: "crc32c that is wrong",
    right: "error",
    store: () =>
      storeOf({
        "zarr.json": v3({ codecs: [little, { name: "crc32c" }] }),
        "c/0": concat(int16(1, 2, 3, 5), crc32c(int16(...right))),
      }),
  },
  {
    name: "chunk that is too short",
    right: "error",
    store: () => storeOf({ "zarr.json": v3(), "c/0": int16(1, 2, 3) }),
  },
  {
    name: "chunk that is too long",
    right: "error",
    store: () => storeOf({ "zarr.json": v3(), "c/0": int16(1, 2, 3, 4, 5) }),
  },
  {
    name: "gzip of a chunk that is too short",
    right: "error",
    store: () =>
      storeOf({
        "zarr.json": v3({ codecs: [little, { name: "gzip", configuration: { level: 1 } }] }),
        "c/0": new Uint8Array(gzipSync(int16(1, 2, 3))),
      }),
  },
  {
    name: "blosc frame cut in half",
    right: "error",
    store: async () => {
      const frame = await bloscFrame();
      return storeOf({ ".zarray": v2(bloscMeta), 0: frame.slice(0, frame.length / 2) });
    },
  },
  {
    name: "blosc frame with a block's start changed",
    right: "error",
    store: async () => {
      const frame = await bloscFrame();
      new DataView(frame.buffer).setUint32(16, 0xffffff, true); // the first block offset after the header
      return storeOf({ ".zarray": v2(bloscMeta), 0: frame });
    },
  },
  {
    name: "8 bytes of garbage for a blosc frame",
    right: "error",
    store: () => storeOf({ ".zarray": v2(bloscMeta), 0: new Uint8Array(8).fill(7) }),
  },
  {
    name: "strings from a store that returns views",
    right: ["one", "two"],
    store: () =>
      new Views(
        storeOf({
          "zarr.json": v3({
            shape: [2],
            data_type: "string",
            fill_value: "",
            codecs: ["vlen-utf8"].map(named),
          }),
          "c/0": strings,
        }),
      ),
  },
  {
    name: "v3 codec vlen-bytes",
    right: [Uint8Array.of(1), Uint8Array.of(2, 3)],
    store: () =>
      storeOf({
        "zarr.json": v3({
          shape: [2],
          data_type: "bytes",
          fill_value: "",
          codecs: ["vlen-bytes"].map(named),
        }),
        "c/0": concat(uint32(2), uint32(1), Uint8Array.of(1), uint32(2), Uint8Array.of(2, 3)),
      }),
  },
  {
    name: "v2 filter fletcher32",
    right,
    // The checksum as computed by HDF5: two sums of 16-bit words modulo 65535, big-endian words.
    store: () =>
      storeOf({ ".zarray": v2({ filters: [{ id: "fletcher32" }] }), 0: withFletcher(int16(...right)) }),
  },
  {
    name: "v2 filter packbits",
    right: [true, false, true, true],
    store: () =>
      storeOf({
        ".zarray": v2({ dtype: "|b1", fill_value: false, filters: [{ id: "packbits" }] }),
        0: Uint8Array.of(4, 0b10110000),
      }),
  },
  {
    name: "v2 compressor bz2",
    right,
    store: () =>
      storeOf({ ".zarray": v2({ compressor: { id: "bz2", level: 1 } }), 0: Buffer.from(bz2Chunk, "base64") }),
  },
];

function named(name) {
  return { name, configuration: {} };
}

function withFletcher(bytes) {
  let [a, b] = [0, 0];
  for (let i = 0; i < bytes.length; i += 2) {
    a = (a + 256 * bytes[i] + bytes[i + 1]) % 65535;
    b = (b + a) % 65535;
  }
  return concat(bytes, uint32(((b << 16) | a) >>> 0));
}

/** Python: base64(bz2.compress(struct.pack("<4h", 1, 2, 3, 4), 1)). */
const bz2Chunk = "QlpoMTFBWSZTWd5ZEVsAAAJAAHwAIAAhg0GaAuBLi7kinChIbyyIrYA=";

const bloscCount = 65_536;
const bloscMeta = {
  shape: [bloscCount],
  chunks: [bloscCount],
  dtype: "<i4",
  compressor: { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
};

/** A numcodecs frame of ascending int32. */
async function bloscFrame() {
  const values = Int32Array.from({ length: bloscCount }, (_, i) => i * 3 + (i % 7));
  const frame = await new Blosc(5, "lz4", 1).encode(new Uint8Array(values.buffer));
  return frame.slice();
}
