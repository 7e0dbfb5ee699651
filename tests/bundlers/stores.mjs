// The stores that every bundled program reads: one array in each version, and in shards, written without the library.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateSync, gzipSync } from "node:zlib";

const [size, chunk] = [256, 128]; // a chunk has 64 KiB: enough for a pool's workers

/** Element number i; tests/bundlers/program/read.js expects it. */
const element = (i) => (i * 31) % 10007;

/** A chunk's elements, little-endian. */
function chunkAt(row, column) {
  const bytes = Buffer.alloc(4 * chunk * chunk);
  for (let y = 0; y < chunk; y++)
    for (let x = 0; x < chunk; x++)
      bytes.writeInt32LE(element((row * chunk + y) * size + column * chunk + x), 4 * (y * chunk + x));
  return bytes;
}

const places = [0, 1].flatMap((row) => [0, 1].map((column) => [row, column]));

function crc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const grid = (shape) => ({ name: "regular", configuration: { chunk_shape: shape } });
const little = { name: "bytes", configuration: { endian: "little" } };
const gzip = { name: "gzip", configuration: { level: 5 } };

const v3 = (shape, codecs) => ({
  zarr_format: 3,
  node_type: "array",
  shape: [size, size],
  data_type: "int32",
  chunk_grid: grid(shape),
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs,
  attributes: {},
});

/** One shard with all chunks: chunks, index, and checksum of the index. */
function shard() {
  const chunks = places.map(([row, column]) => gzipSync(chunkAt(row, column)));
  const index = Buffer.alloc(16 * chunks.length);
  let at = 0;
  for (const [i, { length }] of chunks.entries()) {
    index.writeBigUInt64LE(BigInt(at), 16 * i);
    index.writeBigUInt64LE(BigInt(length), 16 * i + 8);
    at += length;
  }
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32c(index));
  return Buffer.concat([...chunks, index, checksum]);
}

const perChunk = (keyOf, encode) =>
  Object.fromEntries(places.map(([row, column]) => [keyOf(row, column), encode(chunkAt(row, column))]));

function stores() {
  const common = { shape: [size, size], chunks: [chunk, chunk], dtype: "<i4", fill_value: 0, order: "C" };
  const v1 = { ...common, zarr_format: 1, compression: "zlib", compression_opts: 5 };
  const v2 = { ...common, zarr_format: 2, compressor: { id: "zlib", level: 5 }, filters: null };
  const sharded = {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [chunk, chunk],
      codecs: [little, gzip],
      index_codecs: [little, { name: "crc32c" }],
      index_location: "end",
    },
  };
  return {
    v1: { meta: JSON.stringify(v1), attrs: "{}", ...perChunk((y, x) => `${y}.${x}`, deflateSync) },
    v2: { ".zarray": JSON.stringify(v2), ".zattrs": "{}", ...perChunk((y, x) => `${y}.${x}`, deflateSync) },
    v3: {
      "zarr.json": JSON.stringify(v3([chunk, chunk], [little, gzip])),
      ...perChunk((y, x) => `c/${y}/${x}`, gzipSync),
    },
    shard: { "zarr.json": JSON.stringify(v3([size, size], [sharded])), "c/0/0": shard() },
  };
}

/** Writes them into a folder. */
export function writeStores(folder) {
  for (const [name, files] of Object.entries(stores()))
    for (const [key, content] of Object.entries(files)) {
      const file = path.join(folder, name, key);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
}
