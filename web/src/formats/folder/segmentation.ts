/**
 * Neuroglancer's encoding "compressed_segmentation": blocks of indexes into tables of labels. Chunks are decoded when they
 * are read. Spec: "Compressed segmentation format" of google/neuroglancer
 *
 *   offset of each channel
 *   channel   a header for each block: offset of its table (24 bits), bits of an index (8 bits), offset of its indexes
 *
 * All offsets are in words of 32 bits; those of a block count from the start of its channel.
 */

import { cutRange } from "../../store/read.js";
import type { ByteReader } from "../../store/source/byte-reader.js";
import { corruptChunk, limitExceeded, type ZarrError } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";

export interface SegmentationChunk {
  readonly itemBytes: 4 | 8;
  readonly channels: number;
  /** Sizes: x, y, z. */
  readonly size: readonly number[];
  readonly block: readonly number[];
}

/** Maximum number of elements of a block, so that positions of bits have 32 bits. */
export const maxBlock = 2 ** 26;

const corrupt = (message: string): ZarrError =>
  corruptChunk(`compressed_segmentation: ${message}`, { code: "corrupt" });

/** Returns a chunk as a whole object with the decoded elements. */
export function segmentationObject(
  stored: ByteReader,
  chunk: SegmentationChunk,
  maxBytes: number,
): ByteReader {
  const read: ByteReader["read"] = async (range, options) => {
    const bytes = await stored.read(undefined, options);
    if (!bytes) return undefined;
    const decoded = decodeSegmentation(bytes, chunk, maxBytes);
    return range ? cutRange(decoded, range) : decoded;
  };
  return { ...stored, read };
}

export function decodeSegmentation(
  bytes: Uint8Array,
  chunk: SegmentationChunk,
  maxBytes: number,
): Uint8Array {
  const { itemBytes, channels, size, block } = chunk;
  const words = new Uint32Array(bytes.slice(0, bytes.length & ~3).buffer);
  const grid = size.map((length, axis) => Math.ceil(length / block[axis]!));
  const [blocks, elements] = [countOf(grid), countOf(size)];
  if (channels * elements * itemBytes > maxBytes)
    throw limitExceeded(`a chunk of ${channels * elements * itemBytes} bytes; ${maxBytes} is the limit`);
  if (words.length < channels + 2 * blocks) throw corrupt("the headers end early");
  const out = new Uint32Array((channels * elements * itemBytes) / 4);
  const stride = itemBytes / 4;
  for (let channel = 0; channel < channels; channel++) {
    const start = words[channel]!;
    if (start + 2 * blocks > words.length) throw corrupt(`channel ${channel} starts at word ${start}`);
    const data = words.subarray(start);
    const target = out.subarray(channel * elements * stride, (channel + 1) * elements * stride);
    for (let i = 0; i < blocks; i++) {
      const cell = [i % grid[0]!, Math.floor(i / grid[0]!) % grid[1]!, Math.floor(i / (grid[0]! * grid[1]!))];
      decodeBlock(data, i, target, stride, size, block, cell);
    }
  }
  return new Uint8Array(out.buffer);
}

function decodeBlock(
  data: Uint32Array,
  index: number,
  out: Uint32Array,
  stride: number,
  size: readonly number[],
  block: readonly number[],
  cell: readonly number[],
): void {
  const [head, values] = [data[2 * index]!, data[2 * index + 1]!];
  const [table, bits] = [head & 0xffffff, head >>> 24];
  if (![0, 1, 2, 4, 8, 16, 32].includes(bits)) throw corrupt(`a block has indexes of ${bits} bits`);
  const mask = bits === 32 ? 0xffffffff : 2 ** bits - 1;
  const [bx, by] = block as [number, number];
  const [sx, sy] = size as [number, number];
  const starts = cell.map((own, axis) => own * block[axis]!);
  const [nx, ny, nz] = starts.map((from, axis) => Math.min(block[axis]!, size[axis]! - from)) as [
    number,
    number,
    number,
  ];
  // The last index to read belongs to the last element of the block inside the chunk.
  const lastBit = bits * (nx - 1 + bx * (ny - 1 + by * (nz - 1)));
  if (bits > 0 && values + (lastBit >>> 5) >= data.length) throw corrupt("the indexes of a block end early");
  const maxIndex = Math.floor((data.length - table) / stride) - 1;
  for (let z = 0; z < nz; z++)
    for (let y = 0; y < ny; y++) {
      let to = (starts[0]! + sx * (starts[1]! + y + sy * (starts[2]! + z))) * stride;
      let bit = bits * bx * (y + by * z);
      for (let x = 0; x < nx; x++, bit += bits) {
        const own = bits === 0 ? 0 : ((data[values + (bit >>> 5)]! >>> (bit & 31)) & mask) >>> 0;
        if (own > maxIndex) throw corrupt("an index is beyond the table");
        const from = table + own * stride;
        out[to++] = data[from]!;
        if (stride === 2) out[to++] = data[from + 1]!;
      }
    }
}
