// A stack of slices whose pictures tell their numbers, so that a benchmark sees from outside which one is shown.
/**
 * A stack of 2048² uint16 slices whose pictures tell their numbers: 16 vertical bands, dark for 0 and bright for
 * 1. Eight are the bits of the number, four the inverse of its lowest, the last four are 0, 0, 0, 1. A chunk has
 * four bands, so that 16 chunks are served for all.
 */
export const stack = { slices: 256, side: 2048, chunk: 512, bands: 16 };

/** Values added to bright bands, and the range that shows both. */
export const bright = 16_000;
export const stackRange = "0,24000";

/** Number of the chunk, of the 16 of the stack, for a chunk's key. */
export function stackChunk(key) {
  const [, , slice, , column] = key.split("/").map(Number);
  return [slice & 15, slice >> 4, ~slice & 15, 8][column];
}
