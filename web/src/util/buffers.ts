/** Buffers: reused ones, growing ones, and views of them. */

import { limitExceeded } from "./errors.js";
import { uninitialised } from "./platform.js";
import { indices, stridesOf } from "./shapes.js";

/**
 * Keeps used buffers for reuse. Fresh memory is zeroed and mapped page by page, which costs as much as the
 * work done in it.
 */
export class BufferPool {
  readonly #buffers: ArrayBuffer[] = [];
  #released: WeakRef<ArrayBuffer>[] = [];
  #hasReturns = false;

  /** Returns a buffer of at least `bytes` and at most `maxBytes` bytes. If none fits, drops the oldest one. */
  take(bytes: number, maxBytes = bytes): ArrayBuffer | undefined {
    for (const reference of this.#released.splice(0)) {
      const buffer = reference.deref();
      if (buffer) this.#buffers.push(buffer);
    }
    const at = this.#buffers.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= maxBytes);
    if (at >= 0) return this.#buffers.splice(at, 1)[0];
    this.#buffers.shift(); // probably left by another read
    return undefined;
  }

  /**
   * Returns the first `bytes` bytes of a kept buffer, or of a new one. Once buffers come back, new ones have a rounded
   * size, so that they fit the next object of similar size.
   */
  takeOrMake(bytes: number): Uint8Array<ArrayBuffer> {
    const spare = this.take(bytes, 2 * bytes);
    if (spare) return new Uint8Array(spare, 0, bytes);
    const size = this.#hasReturns ? roundedSize(bytes) : bytes;
    return uninitialised(size).subarray(0, bytes);
  }

  /** @param maxBuffers maximum number of buffers to keep */
  give(buffer: ArrayBuffer, maxBuffers: number): void {
    this.#hasReturns = true;
    if (this.#buffers.length < maxBuffers) this.#buffers.push(buffer);
  }

  clear(): void {
    this.#buffers.length = 0;
  }

  /** Lets the garbage collector free the buffers; those that it has not freed can be taken again. */
  release(): void {
    for (const buffer of this.#buffers.splice(0)) this.#released.push(new WeakRef(buffer));
    this.#released.splice(0, this.#released.length - maxReleased);
  }
}

/** Maximum number of released buffers that can be taken again. */
const maxReleased = 32;

/** Rounds a size up by less than an eighth. Sizes with few significant bits stay: most raw chunks have such sizes. */
function roundedSize(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}

/** Maximum initial allocation, whatever size a header announces. Beyond it, the buffer grows as bytes arrive. */
const trustedBytes = 2 ** 20;
/** Maximum growth of the buffer in one step, in bytes. */
const maxGrowth = 2 ** 28;
/** Maximum factor by which the buffer grows towards the announced length. */
const growthFactor = 32;

/** Collects bytes in one buffer and never exposes unwritten memory. */
export class ByteSink {
  #buffer = new Uint8Array(0);
  /** Whether the buffer is reused memory. Its unused tail is kept: trimming it is not worth a copy. */
  #isSpare = false;
  length = 0;

  /**
   * @param expectedBytes likely total number of bytes; only a hint.
   * @param takeSpare returns memory to reuse if there is any; called before the first copy.
   */
  constructor(
    private readonly expectedBytes: number,
    private readonly takeSpare?: () => ArrayBuffer | undefined,
  ) {}

  /** Adds bytes whose buffer has no other users. Keeps it, without a copy, if their number is the expected one. */
  adopt(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.length > 0 || bytes.byteLength !== this.expectedBytes) {
      this.add(bytes);
      return;
    }
    this.#buffer = bytes;
    this.length = bytes.byteLength;
  }

  add(bytes: Uint8Array): void {
    const needed = this.length + bytes.byteLength;
    if (needed > this.#buffer.byteLength) this.#grow(needed);
    this.#buffer.set(bytes, this.length);
    this.length = needed;
  }

  /** Drops all but the last `bytes` bytes. */
  keepLast(bytes: number): void {
    if (bytes >= this.length) return;
    this.#buffer.copyWithin(0, this.length - bytes, this.length);
    this.length = bytes;
  }

  #grow(needed: number): void {
    if (this.#buffer.byteLength === 0) {
      const spare = this.takeSpare?.();
      this.#isSpare = spare !== undefined;
      this.#buffer = spare
        ? new Uint8Array(spare)
        : uninitialised(Math.min(this.expectedBytes, trustedBytes));
      if (needed <= this.#buffer.byteLength) return;
    }
    const size = this.#buffer.byteLength;
    // First grow to at most the announced length, so that nothing is left unused; beyond that, double.
    const next = size < this.expectedBytes ? Math.min(growthFactor * size, this.expectedBytes) : 2 * size;
    let grown: Uint8Array<ArrayBuffer>;
    try {
      grown = uninitialised(Math.max(needed, Math.min(next, needed + maxGrowth)));
    } catch (cause) {
      throw limitExceeded(`out of memory: cannot allocate ${needed} bytes`, { code: "out-of-memory", cause });
    }
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
    this.#isSpare = false;
  }

  /** Returns the collected bytes, in a buffer of exactly that size or in a spare one. */
  bytes(): Uint8Array<ArrayBuffer> {
    if (this.length === this.#buffer.byteLength) return this.#buffer;
    return this.#isSpare ? this.#buffer.subarray(0, this.length) : this.#buffer.slice(0, this.length);
  }
}

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
    const start = rowOffset(fromOrigin, index, fromStrides);
    copyRun(from.content, start, to.content, rowOffset(toOrigin, index, toStrides), run);
  }
}

/** Returns the offset of a row. `index` is relative to the origin and covers all axes but the last. */
function rowOffset(origin: readonly number[], index: readonly number[], strides: readonly number[]): number {
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
