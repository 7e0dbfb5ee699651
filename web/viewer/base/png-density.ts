/** Adds the physical resolution to PNG files, which canvases do not write. */

/** Length of the signature and of the first chunk, IHDR. */
const headBytes = 33;

/** A PNG with a `pHYs` chunk, which programs use to size the picture on paper. */
export async function withDensity(png: Blob, dotsPerInch: number): Promise<Blob> {
  const bytes = new Uint8Array(await png.arrayBuffer());
  const parts = [bytes.subarray(0, headBytes), densityChunk(dotsPerInch), bytes.subarray(headBytes)];
  return new Blob(parts, { type: "image/png" });
}

/** Pixels per metre along both axes. */
function densityChunk(dotsPerInch: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(21));
  const perMetre = Math.round(dotsPerInch / 0.0254);
  view.setUint32(0, 9);
  view.setUint32(4, 0x70485973); // "pHYs"
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  view.setUint8(16, 1); // the unit is the metre
  const bytes = new Uint8Array(view.buffer);
  view.setUint32(17, checksum(bytes.subarray(4, 17)));
  return bytes;
}

/** CRC-32, bit by bit. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
