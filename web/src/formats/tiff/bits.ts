/** Converts samples that no data type of Zarr has: 1 to 31 bits, floats of 24 bits, complex integers. */

import { createCodecChain } from "../../chain/codec-chain.js";
import { limitExceeded } from "../../util/errors.js";
import type { Json } from "../../util/json.js";
import { toPlain } from "../../util/json.js";
import type { Limits } from "../../util/limits.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { badFile } from "../file/cursor.js";
import type { PageLayout } from "./layout.js";

/** Returns the bytes of a row in the file: rows start at a byte. */
export const rowBytes = ({ bits }: PageLayout, values: number): number => Math.ceil((values * bits) / 8);

/**
 * Returns the values of a strip or tile in their data type, in little-endian order, or as stored.
 * @param values number of values of a row.
 */
export async function convertChunk(
  raw: Uint8Array,
  layout: PageLayout,
  rows: number,
  values: number,
  limits: Limits,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { conversion, compressor, isReversed, itemBytes } = layout;
  const row = rowBytes(layout, values);
  if (rows * values * itemBytes > limits.chunkBytes || rows * row > limits.chunkBytes)
    throw limitExceeded(`a chunk of ${rows} × ${values} values; ${limits.chunkBytes} bytes is the limit`);
  const stored = isReversed ? reversed(raw) : raw;
  const packed = compressor ? await decompress(stored, compressor, rows * row, limits) : stored;
  if (packed.byteLength < rows * row)
    throw badFile(`a chunk has ${packed.byteLength} bytes instead of ${rows * row}`);
  switch (conversion!.kind) {
    case "as-stored":
      return packed.subarray(0, rows * row);
    case "bits":
      return inSlices(unpackBits(packed, layout, rows, values), signal);
    case "float24":
      return inSlices(unpackFloats(packed, layout.isLittle, rows * values), signal);
    case "complex":
      return inSlices(unpackComplex(packed, layout, 2 * rows * values), signal);
  }
}

/** Bytes with their bits in reverse order. */
const mirrored = Uint8Array.from({ length: 256 }, (_, byte) => {
  let found = 0;
  for (let bit = 0; bit < 8; bit++) found |= ((byte >> bit) & 1) << (7 - bit);
  return found;
});

function reversed(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.byteLength);
  for (let i = 0; i < out.length; i++) out[i] = mirrored[bytes[i]!]!;
  return out;
}

async function decompress(
  stored: Uint8Array,
  codec: Json,
  length: number,
  limits: Limits,
): Promise<Uint8Array> {
  const chain = await createCodecChain({
    dtype: "uint8",
    shape: [length],
    codecs: ["bytes", toPlain(codec) as { name: string }],
    direction: "decode",
    limits,
  });
  return chain.decode(stored);
}

/** Number of values between two points where the work may pause. */
const pause = 2 ** 16;

/** Unpacks integers, the highest bit first, in files of both byte orders. */
function* unpackBits(
  packed: Uint8Array,
  layout: PageLayout,
  rows: number,
  values: number,
): Steps<Uint8Array> {
  const { bits, itemBytes, conversion } = layout;
  const out = new (itemBytes === 1 ? Uint8Array : itemBytes === 2 ? Uint16Array : Uint32Array)(rows * values);
  const row = rowBytes(layout, values);
  const shift = conversion!.isSigned ? 32 - bits : 0;
  let [at, held, count] = [0, 0, 0];
  const take = (width: number): number => {
    for (; count < width; count += 8) held = (held << 8) | packed[at++]!;
    count -= width;
    const value = held >>> count;
    held &= (1 << count) - 1;
    return value;
  };
  for (let to = 0, y = 0; y < rows; y++) {
    [at, held, count] = [y * row, 0, 0];
    for (let x = 0; x < values; x++) {
      const value = bits <= 16 ? take(bits) : take(bits - 16) * 65536 + take(16);
      out[to++] = (value << shift) >> shift;
      if (to % pause === 0) yield;
    }
  }
  return new Uint8Array(out.buffer);
}

/** Unpacks floats of 24 bits: a sign, 7 bits of exponent, 16 of the fraction. */
function* unpackFloats(packed: Uint8Array, isLittle: boolean, count: number): Steps<Uint8Array> {
  const out = new DataView(new ArrayBuffer(4 * count));
  for (let i = 0; i < count; i++) {
    const [a, b, c] = [packed[3 * i]!, packed[3 * i + 1]!, packed[3 * i + 2]!];
    const word = isLittle ? (c << 16) | (b << 8) | a : (a << 16) | (b << 8) | c;
    const [sign, exponent, fraction] = [word >> 23, (word >> 16) & 0x7f, word & 0xffff];
    const scale = (exponent === 0 ? 2 ** -62 : 2 ** (exponent - 63)) * (sign ? -1 : 1);
    if (exponent === 127) out.setUint32(4 * i, ((sign << 31) | (0xff << 23) | (fraction << 7)) >>> 0, true);
    else out.setFloat32(4 * i, scale * ((exponent === 0 ? 0 : 1) + fraction / 65536), true);
    if (i % pause === 0) yield;
  }
  return new Uint8Array(out.buffer);
}

/** Converts integers to floats of twice their size; of 8 bits, to floats of 32. */
function* unpackComplex(
  packed: Uint8Array,
  { bits, isLittle }: PageLayout,
  count: number,
): Steps<Uint8Array> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const out = new DataView(new ArrayBuffer(count * (bits === 64 ? 8 : 4)));
  for (let i = 0; i < count; i++) {
    if (bits === 64) out.setFloat64(8 * i, view.getInt32(4 * i, isLittle), true);
    else out.setFloat32(4 * i, bits === 32 ? view.getInt16(2 * i, isLittle) : view.getInt8(i), true);
    if (i % pause === 0) yield;
  }
  return new Uint8Array(out.buffer);
}
