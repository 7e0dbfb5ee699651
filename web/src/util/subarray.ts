/** Boxes of arrays in memory: filling and copying. For what does not pass through the core. */
import { indices, stridesOf } from "./strides.js";

/** An array in C order: bytes, or values of any kind. */
export interface MemoryArray {
  readonly content: Uint8Array | unknown[];
  readonly shape: readonly number[];
}

/** `bytes` bytes of one item, again and again; a multiple of its size. */
export function repeated(item: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const filled = new Uint8Array(bytes);
  if (bytes === 0 || item.every((byte) => byte === 0)) return filled;
  // Doubling copies: as fast as a fill, for items of any width.
  filled.set(item);
  for (let done = item.byteLength; done < bytes; done *= 2) filled.copyWithin(done, 0, done);
  return filled;
}

/**
 * Copies a box from one array to another, row by row.
 * @param shape the box's; it lies at `fromOrigin` in the one array and at `toOrigin` in the other.
 * @param width entries of the content that make one element.
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

/** Offset of a row: `index` counts from the origin, along all axes but the last. */
function offsetOf(origin: readonly number[], index: readonly number[], strides: readonly number[]): number {
  return origin.reduce((sum, first, axis) => sum + (first + (index[axis] ?? 0)) * strides[axis]!, 0);
}

/** Copies neighbouring entries. */
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
