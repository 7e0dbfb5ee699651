/** Fills and copies boxes of arrays in memory, for data that does not pass through the core. */
import { indices, stridesOf } from "./strides.js";

/** An array in C order: bytes, or values of any type. */
export interface MemoryArray {
  readonly content: Uint8Array | unknown[];
  readonly shape: readonly number[];
}

/** Returns `bytes` bytes of a repeated item; `bytes` must be a multiple of the item's size. */
export function repeated(item: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const filled = new Uint8Array(bytes);
  if (bytes === 0 || item.every((byte) => byte === 0)) return filled;
  // Copying in doubling steps is as fast as a fill, for items of any width.
  filled.set(item);
  for (let done = item.byteLength; done < bytes; done *= 2) filled.copyWithin(done, 0, done);
  return filled;
}

/**
 * Copies a box from one array to another, row by row.
 * @param shape shape of the box, which starts at `fromOrigin` in the source and at `toOrigin` in the target.
 * @param width number of content entries per element.
 */
export function copySubarray(
  from: MemoryArray,
  fromOrigin: readonly number[],
  to: MemoryArray,
  toOrigin: readonly number[],
  shape: readonly number[],
  width: number,
): void {
  const [fromStrides, toStrides] = [stridesOf(from.shape, width), stridesOf(to.shape, width)];
  const run = (shape.at(-1) ?? 1) * width;
  for (const index of indices(shape.slice(0, -1))) {
    const start = offsetOf(fromOrigin, index, fromStrides);
    copyRun(from.content, start, to.content, offsetOf(toOrigin, index, toStrides), run);
  }
}

/** Returns the offset of a row. `index` is relative to the origin and covers all axes but the last. */
function offsetOf(origin: readonly number[], index: readonly number[], strides: readonly number[]): number {
  return origin.reduce((sum, first, axis) => sum + (first + (index[axis] ?? 0)) * strides[axis]!, 0);
}

/** Copies contiguous entries. */
export function copyRun(
  from: MemoryArray["content"],
  fromAt: number,
  to: MemoryArray["content"],
  toAt: number,
  count: number,
): void {
  if (from instanceof Uint8Array && to instanceof Uint8Array)
    to.set(from.subarray(fromAt, fromAt + count), toAt);
  else for (let i = 0; i < count; i++) to[toAt + i] = from[fromAt + i] as number;
}
