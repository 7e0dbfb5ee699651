// Damaged and hostile chunks and documents: reading must fail quickly.
import { gzipSync } from "node:zlib";
import Blosc from "numcodecs/blosc";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";
import { concat, int16, little, storeOf, uint32, v2, v3 } from "../stores.mjs";

const count = 1000;
const values = Int16Array.from({ length: count }, (_, i) => (i * i) % 257);
const bytes = () => new Uint8Array(values.buffer.slice(0));
const gzip = { name: "gzip", configuration: { level: 1 } };

/** A v2 array of 1000 int16 whose only chunk is `chunk`. */
const v2Array = (compressor, chunk) =>
  storeOf({ ".zarray": v2({ shape: [count], chunks: [count], compressor }), 0: chunk });
const v3Array = (codecs, chunk) => storeOf({ "zarr.json": v3({ shape: [count], codecs }), "c/0": chunk });

const lz4 = { id: "lz4", acceleration: 1 };
const zstd = { id: "zstd", level: 1 };
const blosc = { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 };
const encoded = async (codec) => (await codec.encode(bytes())).slice();

/** A case that must fail. */
const failing = (name, store) => ({ name, right: "error", store });

function withByte(chunk, at, value) {
  chunk[at < 0 ? chunk.length + at : at] = value;
  return chunk;
}

/** @type {import("../run.mjs").Case[]} */
export const hostileCases = [
  failing("gzip, a byte of the data changed", () => {
    // Stored blocks: only the checksum can detect the damage.
    const chunk = new Uint8Array(gzipSync(bytes(), { level: 0 }));
    return v3Array([little, gzip], withByte(chunk, 500, 99));
  }),
  failing("gzip with trailing bytes", () =>
    v3Array([little, gzip], concat(new Uint8Array(gzipSync(bytes())), Uint8Array.of(1, 2, 3))),
  ),
  failing("gzip of 64 MiB where 2 kB belong", () =>
    v3Array([little, gzip], new Uint8Array(gzipSync(new Uint8Array(2 ** 26)))),
  ),
  failing("lz4, cut short", async () => v2Array(lz4, (await encoded(new LZ4(1))).slice(0, -20))),
  failing("lz4 with a larger size in its header", async () =>
    v2Array(lz4, concat(uint32(4 * count), (await encoded(new LZ4(1))).subarray(4))),
  ),
  failing("lz4 of half the chunk", async () =>
    v2Array(lz4, (await new LZ4(1).encode(bytes().subarray(0, count))).slice()),
  ),
  failing("zstd, cut short", async () => v2Array(zstd, (await encoded(new Zstd(1))).slice(0, -20))),
  failing("zstd of half the chunk", async () =>
    v2Array(zstd, (await new Zstd(1).encode(bytes().subarray(0, count))).slice()),
  ),
  failing("zstd of an older format (magic number of 0.7)", async () =>
    v2Array(zstd, withByte(await encoded(new Zstd(1)), 0, 0x27)),
  ),
  failing("blosc that says 2 GiB", async () => {
    const chunk = await encoded(new Blosc(5, "lz4", 1));
    new DataView(chunk.buffer).setUint32(4, 2 ** 31 - 17, true);
    return v2Array(blosc, chunk);
  }),
  failing("blosc with a larger size in its header", async () => {
    const chunk = await encoded(new Blosc(5, "lz4", 1));
    new DataView(chunk.buffer).setUint32(12, chunk.length + 100, true);
    return v2Array(blosc, chunk);
  }),
  failing("blosc of half the chunk", async () =>
    v2Array(blosc, (await new Blosc(5, "lz4", 1).encode(bytes().subarray(0, count))).slice()),
  ),
  failing("an HTML page for a chunk", () =>
    storeOf({ "zarr.json": v3(), "c/0": "<!doctype html><title>Not here</title>" }),
  ),
  failing("an empty chunk", () => storeOf({ "zarr.json": v3(), "c/0": new Uint8Array(0) })),
  failing("strings that count more than there are", () =>
    storeOf({
      "zarr.json": v3({ shape: [2], data_type: "string", fill_value: "", codecs: [{ name: "vlen-utf8" }] }),
      "c/0": concat(uint32(3), uint32(1), Uint8Array.of(97), uint32(1), Uint8Array.of(98)),
    }),
  ),
  failing("chunks of 2⁶⁰ elements", () =>
    storeOf({ "zarr.json": v3({ shape: [4], chunks: [2 ** 60] }), "c/0": int16(1, 2, 3, 4) }),
  ),
];
