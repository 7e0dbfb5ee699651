/** Inflates raw DEFLATE (RFC 1951) with the decompressor of the runtime, and computes CRC-32 as ZIP and gzip use it. */

import { ByteSink } from "./buffers.js";
import { corruptChunk, unsupported } from "./errors.js";
import { nodeModule } from "./platform.js";

/** Maximum expansion of any DEFLATE stream. */
const maxRatio = 1032;

/**
 * Inflates a stream of exactly `bytes` bytes.
 * @throws CorruptChunk for a damaged stream or one of another length; Unsupported if the runtime has no
 *   decompressor.
 */
export async function inflate(
  deflated: Uint8Array,
  bytes: number,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes > deflated.byteLength * maxRatio) {
    throw corruptChunk(`${name} is too short to inflate to ${bytes} bytes`, { code: "size-mismatch" });
  }
  let inflated: Uint8Array<ArrayBuffer>;
  const stream = decompressor();
  try {
    inflated = stream ? await streamed(stream, deflated, bytes) : await inNode(deflated, bytes);
  } catch (cause) {
    throw corruptChunk(`${name} cannot be inflated`, { code: "corrupt", cause });
  }
  if (inflated.byteLength !== bytes) {
    throw corruptChunk(`${name} does not have the ${bytes} bytes stated by the archive`, {
      code: "size-mismatch",
    });
  }
  return inflated;
}

type Decompressor = GenericTransformStream;

/** Returns undefined if the runtime has no decompressor, or none for raw streams (Node below 20.12). */
function decompressor(): Decompressor | undefined {
  try {
    return new DecompressionStream("deflate-raw");
  } catch {
    return undefined;
  }
}

/**
 * Number of bytes fed at a time. Browsers inflate a whole piece before it can be stopped, so at most this
 * many bytes, expanded at most {@link maxRatio} times, are in flight.
 */
const pieceBytes = 2 ** 14;

/** Feeds a stream piece by piece, each when the one before it has been inflated and read. */
async function feed(writer: WritableStreamDefaultWriter<Uint8Array>, deflated: Uint8Array): Promise<void> {
  for (let at = 0; at < deflated.byteLength; at += pieceBytes) {
    await writer.ready;
    await writer.write(deflated.subarray(at, at + pieceBytes));
  }
  await writer.close();
}

/** Inflates a stream and stops at the first excess byte. */
async function streamed(
  { readable, writable }: Decompressor,
  deflated: Uint8Array,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = (writable as WritableStream<Uint8Array>).getWriter();
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  // Errors surface at the reading end.
  feed(writer, deflated).catch(() => {});
  const sink = new ByteSink(bytes);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return sink.bytes();
    sink.add(value.subarray(0, bytes + 1 - sink.length));
    if (sink.length > bytes) {
      reader.cancel().catch(() => {});
      return sink.bytes();
    }
  }
}

async function inNode(deflated: Uint8Array, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = await nodeModule<typeof import("node:zlib")>("node:zlib").catch((cause) => {
    throw unsupported("this runtime cannot inflate data: it has no DecompressionStream", { cause });
  });
  return new Uint8Array(zlib.inflateRawSync(deflated, { maxOutputLength: bytes + 1 }));
}

/** tables[k][b]: the effect of byte b on the checksum if k more bytes follow it. */
let tables: Int32Array[] | undefined;

function makeTables(): Int32Array[] {
  const first = new Int32Array(256).map((_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const all = [first];
  while (all.length < 8) all.push(all.at(-1)!.map((value) => (value >>> 8) ^ first[value & 255]!));
  return all;
}

/**
 * Returns the checksum as an unsigned number: reflected polynomial 0xEDB88320, start and end inverted. Eight bytes per step, each with its own table: the lookups are
 * independent.
 */
export function crc32(bytes: Uint8Array): number {
  tables ??= makeTables();
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [Int32Array, ...Int32Array[]] & { length: 8 };
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      t7![low & 255]! ^
      t6![(low >>> 8) & 255]! ^
      t5![(low >>> 16) & 255]! ^
      t4![low >>> 24]! ^
      t3![bytes[at + 4]!]! ^
      t2![bytes[at + 5]!]! ^
      t1![bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}
