/** Palette PNG images, one byte per pixel. W3C PNG specification, third edition. */
import { createCodecChain } from "zarr-wasm/codecs";
import type { Shaded } from "./shade.js";

const signature = [137, 80, 78, 71, 13, 10, 26, 10];
/** Higher levels gain little: smooth data is small anyway, noise never is. */
const level = 3;

const chains = new Map<number, ReturnType<typeof createCodecChain>>();

/** PNG is compressed with zlib, one of Zarr's codecs. */
function zlib(bytes: number): ReturnType<typeof createCodecChain> {
  let chain = chains.get(bytes);
  if (!chain) {
    const codecs = [{ name: "bytes" }, { name: "numcodecs.zlib", configuration: { level } }];
    chain = createCodecChain({ dtype: "uint8", shape: [bytes], codecs });
    chain.catch(() => chains.delete(bytes)); // so that the next tile retries
    chains.set(bytes, chain);
  }
  return chain;
}

/** @param palette 256 colours of three bytes each; the first one is transparent. */
export async function encodePng({ shades, size }: Shaded, palette: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const rows = new Uint8Array((size + 1) * size); // each row starts with its filter type: 0, none
  for (let y = 0; y < size; y++) rows.set(shades.subarray(y * size, (y + 1) * size), y * (size + 1) + 1);
  const compressed = (await zlib(rows.length)).encode(rows);
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, size);
  header.setUint32(4, size);
  header.setUint8(8, 8); // bits per pixel
  header.setUint8(9, 3); // a palette
  return join([
    Uint8Array.from(signature),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("PLTE", palette),
    chunk("tRNS", Uint8Array.of(0)),
    chunk("IDAT", compressed),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
