// Stores assembled byte by byte, so that their contents do not depend on any library's encoder.

const utf8 = new TextEncoder();

/**
 * A store of documents and chunks: both libraries accept Maps as stores. Strings and objects become UTF-8
 * JSON.
 */
export function storeOf(entries) {
  const bytes = (value) => {
    if (value instanceof Uint8Array) return value;
    return utf8.encode(typeof value === "string" ? value : JSON.stringify(value));
  };
  return new RangeMap(Object.entries(entries).map(([key, value]) => [`/${key}`, bytes(value)]));
}

/** A Map with range requests: zarrita requires them to read shards. */
class RangeMap extends Map {
  getRange(key, range) {
    const bytes = this.get(key);
    if (!bytes) return undefined;
    if ("suffixLength" in range) return bytes.slice(Math.max(0, bytes.length - range.suffixLength));
    return bytes.slice(range.offset, range.offset + range.length);
  }
}

export const little = { name: "bytes", configuration: { endian: "little" } };
export const big = { name: "bytes", configuration: { endian: "big" } };

/** `zarr.json` of an int16 array [1, 2, 3, 4] in one chunk; fields replace the defaults. */
export function v3(fields = {}) {
  const { shape = [4], chunks = shape, ...rest } = fields;
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [little],
    attributes: {},
    ...rest,
  };
}

/** `.zarray` of the same. */
export function v2(fields = {}) {
  return {
    zarr_format: 2,
    shape: [4],
    chunks: [4],
    dtype: "<i2",
    compressor: null,
    fill_value: 0,
    order: "C",
    filters: null,
    ...fields,
  };
}

export const int16 = (...values) => new Uint8Array(Int16Array.from(values).buffer);
const uint64 = (...values) => new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
export const uint32 = (...values) => new Uint8Array(Uint32Array.from(values).buffer);

export function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The CRC-32C of bytes, computed bit by bit, as four little-endian bytes. */
export function crc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return uint32(~crc >>> 0);
}

/** A shard of consecutive chunks, with its index (little-endian, CRC-32C) at one end. */
export function shard(chunks, location = "end") {
  const indexBytes = 16 * chunks.length + 4;
  let offset = location === "start" ? indexBytes : 0;
  const pairs = chunks.flatMap((chunk) => {
    const pair = [offset, chunk.length];
    offset += chunk.length;
    return pair;
  });
  const index = uint64(...pairs);
  const whole = concat(index, crc32c(index));
  return location === "start" ? concat(whole, ...chunks) : concat(...chunks, whole);
}

export const sharding = (chunk_shape, configuration = {}) => ({
  name: "sharding_indexed",
  configuration: {
    chunk_shape,
    codecs: [little],
    index_codecs: [little, { name: "crc32c" }],
    index_location: "end",
    ...configuration,
  },
});
