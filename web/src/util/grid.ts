/**
 * Grids of chunks, one axis at a time. Spec: Zarr v3 core "regular grid"; zarr-extensions "rectilinear".
 *
 * Nothing here takes more time or memory for a grid of 10^12 chunks than for one of ten.
 */
import { invalidMetadata } from "./errors.js";

/** One axis of a grid. Chunks may extend beyond the end of the array. */
export interface AxisGrid {
  /** Length of the array. */
  readonly length: number;
  /** Number of chunks. */
  readonly count: number;
  /** Returns the chunk that contains an element, `0 <= index < length`. */
  find(index: number): number;
  /** Returns the first element of a chunk. */
  start(chunk: number): number;
  /** Returns the length of a chunk. */
  size(chunk: number): number;
}

/** An axis whose chunks all have the same length. */
export class RegularAxis implements AxisGrid {
  readonly count: number;

  constructor(
    readonly length: number,
    private readonly chunk: number,
  ) {
    this.count = Math.ceil(length / chunk);
  }
  find(index: number): number {
    return Math.floor(index / this.chunk);
  }
  start(chunk: number): number {
    return chunk * this.chunk;
  }
  size(): number {
    return this.chunk;
  }
}

/** A run of chunks of the same length. */
interface Run {
  readonly size: number;
  readonly count: number;
  readonly firstChunk: number;
  readonly start: number;
}

/** An axis with chunks of different lengths, stored as the runs in the metadata: counts are never expanded. */
export class RectilinearAxis implements AxisGrid {
  readonly count: number;
  readonly #runs: Run[] = [];

  /** @param runs pairs of length and count in order, all at least 1, covering at least `length`. */
  constructor(
    readonly length: number,
    runs: Iterable<readonly [size: number, count: number]>,
  ) {
    let [firstChunk, start] = [0, 0];
    for (const [size, count] of runs) {
      this.#runs.push({ size, count, firstChunk, start });
      firstChunk += count;
      start += size * count;
    }
    this.count = firstChunk;
    if (!(start >= length) || !Number.isSafeInteger(start)) {
      throw invalidMetadata(`the chunks along an axis cover ${start} elements of ${length}`, {
        code: "bad-chunks",
      });
    }
  }

  /** The distinct chunk lengths. */
  get sizes(): ReadonlySet<number> {
    return new Set(this.#runs.map((run) => run.size));
  }
  find(index: number): number {
    const run = this.#last((candidate) => candidate.start <= index);
    return run.firstChunk + Math.floor((index - run.start) / run.size);
  }
  start(chunk: number): number {
    const run = this.#last((candidate) => candidate.firstChunk <= chunk);
    return run.start + (chunk - run.firstChunk) * run.size;
  }
  size(chunk: number): number {
    return this.#last((candidate) => candidate.firstChunk <= chunk).size;
  }

  /** Returns the last run for which `isBefore` is true (runs are sorted). */
  #last(isBefore: (run: Run) => boolean): Run {
    let [low, high] = [0, this.#runs.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#runs[middle]!)) low = middle;
      else high = middle;
    }
    return this.#runs[low]!;
  }
}

/** Returns the grid of an array whose chunks all have the same shape. */
export function regularGrid(shape: readonly number[], chunkShape: readonly number[]): AxisGrid[] {
  return shape.map((length, axis) => new RegularAxis(length, chunkShape[axis]!));
}
