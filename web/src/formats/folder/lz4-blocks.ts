/**
 * N5's compression "lz4": the frames of lz4-java's LZ4BlockOutputStream, which have no codec. Chunks are decompressed
 * when they are read.
 *
 *   frame = "LZ4Block", token, compressed length, length, checksum (not verified); three uint32, little-endian
 *           token: 0x10 stored, 0x20 an LZ4 block; a frame of length 0 ends the stream
 */

import { cutRange } from "../../store/read.js";
import type { ByteReader } from "../../store/source/byte-reader.js";
import { joinBytes } from "../../util/bytes.js";
import { corruptChunk, limitExceeded, type ZarrError } from "../../util/errors.js";
import type { Limits } from "../../util/limits.js";
import type { FileChunk } from "../file/model.js";

const magic = "LZ4Block";
const headBytes = 21;
const minMatch = 4;

/** Returns a chunk whose data after the header of N5 is decompressed. */
export function blocksOfLz4(reader: ByteReader, rank: number, limits: Limits): FileChunk {
  const read: ByteReader["read"] = async (range, options) => {
    const stored = await reader.read(undefined, options);
    if (!stored) return undefined;
    const start = 4 + 4 * rank;
    const bytes = joinBytes([
      stored.subarray(0, start),
      ...framesIn(stored.subarray(start), limits.chunkBytes),
    ]);
    return range ? cutRange(bytes, range) : bytes;
  };
  return { object: { ...reader, read } };
}

const corrupt = (message: string): ZarrError => corruptChunk(`LZ4 blocks: ${message}`, { code: "corrupt" });

function framesIn(bytes: Uint8Array, maxBytes: number): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < headBytes) throw corrupt("a frame ends early");
    if (String.fromCharCode(...bytes.subarray(at, at + magic.length)) !== magic)
      throw corrupt("a frame has no magic");
    const method = bytes[at + 8]! & 0xf0;
    const [packed, length] = [view.getUint32(at + 9, true), view.getUint32(at + 13, true)];
    at += headBytes;
    if (packed > bytes.length - at) throw corrupt("a frame ends early");
    total += length;
    if (total > maxBytes)
      throw limitExceeded(`LZ4 blocks have ${total} bytes, more than the limit of ${maxBytes}`);
    const data = bytes.subarray(at, at + packed);
    at += packed;
    if (length === 0) break;
    if (method === 0x20) frames.push(unpack(data, length));
    else if (method === 0x10 && packed === length) frames.push(data);
    else throw corrupt(`a frame has the method ${method}`);
  }
  return frames;
}

/** Decompresses an LZ4 block. */
function unpack(data: Uint8Array, length: number): Uint8Array {
  if (length > 255 * data.length) throw corrupt("a block is too short for its length");
  const out = new Uint8Array(length);
  let [at, to] = [0, 0];
  const count = (nibble: number): number => {
    let sum = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; sum += byte) byte = data[at++] ?? 0;
    return sum;
  };
  while (at < data.length) {
    const token = data[at++]!;
    const literals = count(token >> 4);
    if (literals > data.length - at || literals > length - to) throw corrupt("literals end early");
    out.set(data.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at >= data.length) break;
    const distance = data[at]! | ((data[at + 1] ?? 0) << 8);
    at += 2;
    const match = count(token & 15) + minMatch;
    if (distance === 0 || distance > to || match > length - to) throw corrupt("a match is out of bounds");
    for (const end = to + match; to < end; to++) out[to] = out[to - distance]!;
  }
  if (to !== length) throw corrupt("a block has another length");
  return out;
}
