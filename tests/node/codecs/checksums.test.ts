// Checksums: all are verified unless the caller disables that; sizes and indexes are checked in any case.
import { describe, expect, it } from "vitest";
import { get, getBytes, MapStore, type OpenOptions, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { errorOf, openArray, randomBytes } from "../support/support.js";
import {
  bytesLittle,
  type Codec,
  crc32c,
  gzip,
  regular,
  sharded,
  v3Meta,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const codec = (name: string, configuration?: Record<string, unknown>): Codec => ({
  name,
  ...(configuration && { configuration }),
});

/** Every codec with a checksum, and the position of a checksum byte in its encoded data. */
const checksums: [name: string, codecs: Codec[], at: (encoded: Uint8Array) => number][] = [
  ["crc32c", [crc32c], (e) => e.length - 1],
  ["crc32c at the start", [codec("crc32c", { location: "start" })], () => 0],
  ["crc32", [codec("numcodecs.crc32")], () => 0],
  ["adler32", [codec("numcodecs.adler32")], () => 0],
  ["fletcher32", [codec("numcodecs.fletcher32")], (e) => e.length - 1],
  ["jenkins_lookup3", [codec("numcodecs.jenkins_lookup3")], (e) => e.length - 1],
  ["gzip", [gzip], (e) => e.length - 8],
  ["zlib", [codec("numcodecs.zlib", { level: 1 })], (e) => e.length - 1],
  ["zstd", [codec("zstd", { level: 1, checksum: true })], (e) => e.length - 1],
  // The CRC-64 ends the block; the index (8 bytes here and its CRC-32) and the footer (12) follow.
  ["xz", [codec("numcodecs.lzma", { preset: 1 })], (e) => e.length - 12 - 12 - 1],
  ["inside conditional", [codec("conditional", { codecs: [crc32c] })], (e) => e.length - 1],
];

const shape = [16, 16];
const elements = new Uint16Array(randomBytes(512, 3).buffer);
const chainOf = (codecs: Codec[], verifyChecksums?: boolean) =>
  createCodecChain({ dtype: "uint16", shape, codecs: [bytesLittle, ...codecs], verifyChecksums });

function spoiled(bytes: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[at]! ^= 0x55;
  return copy;
}

describe.each(checksums)("%s", (_, codecs, at) => {
  it("is verified", async () => {
    for (const verify of [undefined, true]) {
      const chain = await chainOf(codecs, verify);
      const encoded = chain.encode(elements);
      expect(chain.decode(encoded)).toEqual(elements);
      const error = await errorOf(() => chain.decode(spoiled(encoded, at(encoded))));
      expect([error._tag, error.code]).toEqual(["CorruptChunk", "checksum-mismatch"]);
    }
  });

  it("is not verified on request; lengths are still checked", async () => {
    const chain = await chainOf(codecs, false);
    const encoded = chain.encode(elements);
    expect(chain.decode(encoded)).toEqual(elements);
    expect(chain.decode(spoiled(encoded, at(encoded)))).toEqual(elements);
    for (const wrong of [encoded.subarray(0, -1), Uint8Array.of(...encoded, 0)])
      expect((await errorOf(() => chain.decode(wrong)))._tag).toBe("CorruptChunk");
  });

  it("is verified again by the next chain of the same session", async () => {
    const encoded = (await chainOf(codecs)).encode(elements);
    (await chainOf(codecs, false)).decode(spoiled(encoded, at(encoded)));
    const error = await errorOf(async () => (await chainOf(codecs)).decode(spoiled(encoded, at(encoded))));
    expect(error.code).toBe("checksum-mismatch");
  });
});

it("bzip2's are always verified, as its library has no other way", async () => {
  const chain = await chainOf([codec("numcodecs.bz2", { level: 1 })], false);
  const encoded = chain.encode(elements);
  expect((await errorOf(() => chain.decode(spoiled(encoded, encoded.length - 2))))._tag).toBe("CorruptChunk");
});

describe("arrays", () => {
  const read = async (store: MapStore, options: OpenOptions, pool?: WorkerPool) =>
    get(await openArray(store, options), null, { pool });

  /** An array in one stored object, with one byte changed. */
  async function damaged(codecs: Codec[], at: (encoded: Uint8Array) => number) {
    const meta = v3Meta({ shape: [8, 8], chunk_grid: regular(8, 8), codecs });
    const store = new MapStore();
    const written = await writeV3(store, meta, randomBytes(256, 5));
    const key = "/c/0/0";
    const encoded = store.entries.get(key)!;
    store.entries.set(key, spoiled(encoded, at(encoded)));
    return { store, written };
  }

  it.each([
    ["chunks", [bytesLittle, crc32c]],
    ["inner chunks of shards", [sharded([8, 8], [bytesLittle, crc32c], [bytesLittle, crc32c], "start")]],
    ["bytes behind shards", [sharded([4, 4], [bytesLittle, zstd]), crc32c]],
  ])("of %s", async (_, codecs) => {
    const { store, written } = await damaged(codecs, (e) => e.length - 1);
    const error = await errorOf(() => read(store, {}));
    expect([error._tag, error.code]).toEqual(["CorruptChunk", "checksum-mismatch"]);
    const array = await openArray(store, { verifyChecksums: false });
    expect(Buffer.compare((await getBytes(array)).bytes, written.elements)).toBe(0);
    const pool = new WorkerPool({ size: 1 });
    try {
      const pooled = await read(store, { verifyChecksums: false }, pool);
      expect(Buffer.compare(new Uint8Array((pooled.data as Int32Array).buffer), written.elements)).toBe(0);
    } finally {
      pool.destroy();
    }
  });

  it("verify the index of shards whatever the options", async () => {
    const { store } = await damaged([sharded([4, 4])], (e) => e.length - 1);
    for (const verifyChecksums of [true, false]) {
      const error = await errorOf(() => read(store, { verifyChecksums }));
      expect([error._tag, error.code]).toEqual(["CorruptChunk", "checksum-mismatch"]);
    }
  });

  it("must be a boolean", async () => {
    const { store } = await damaged([bytesLittle], () => 0);
    for (const verifyChecksums of [0, "no", null] as never[])
      expect((await errorOf(() => openArray(store, { verifyChecksums })))._tag).toBe("InvalidArgument");
  });
});
