/**
 * Grids of chunks, one axis at a time, and their parser. Spec: Zarr v3 core "regular grid"; zarr-extensions "rectilinear".
 *
 * Time and memory do not depend on the number of chunks, which may be 10^12.
 */

import { invalidMetadata, unsupported } from "../util/errors.js";
import { type Json, JsonNumber, showJson } from "../util/json.js";
import { checkOptions, known, member, readExtension, readLengths } from "./document.js";

/** A grid of chunks: one chunk shape, or lengths axis by axis. */
export type ChunkGrid = { readonly chunkShape: readonly number[] } | { readonly axes: readonly AxisGrid[] };

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
      throw invalidMetadata(`the chunks along an axis cover ${start} elements of ${length}`);
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

/** Known but unsupported grids, with the reason. */
export const unsupportedGrids: Readonly<Record<string, string>> = {
  rectangular: "rectilinear has taken the place of this draft (ZEP 3)",
  "zarrs.regular_bounded": "it is an experiment of zarrs, without a specification",
};

/** Parses `chunk_grid` for an array of a shape. */
export function parseGrid(json: Json | undefined, shape: readonly number[]): ChunkGrid {
  const extension = readExtension(json, '"chunk_grid"');
  if (Object.hasOwn(unsupportedGrids, extension.name)) {
    const message = `chunk grid "${extension.name}" is not supported: ${unsupportedGrids[extension.name]}`;
    throw unsupported(message, { code: "unknown-extension" });
  }
  const { name, configuration } = known(extension, ["regular", "rectilinear"], "chunk grid");
  if (name === "regular") {
    checkOptions(extension, ["chunk_shape"], "chunk grid");
    return { chunkShape: readLengths(member(configuration, "chunk_shape"), "chunk_shape", 1) };
  }
  checkOptions(extension, ["kind", "chunk_shapes"], "chunk grid");
  const kind = member(configuration, "kind");
  const lists = member(configuration, "chunk_shapes");
  if (kind !== "inline" || !Array.isArray(lists) || lists.length !== shape.length) {
    throw invalid(`needs the kind "inline" and "chunk_shapes" for ${shape.length} dimensions`);
  }
  return { axes: lists.map((list, axis) => readAxis(list, shape[axis]!)) };
}

/** Parses the chunk lengths along one axis: a single length, or a list of lengths and of pairs [length, count]. */
function readAxis(json: Json, length: number): AxisGrid {
  if (json instanceof JsonNumber) return new RegularAxis(length, positive(json));
  if (!Array.isArray(json) || json.length === 0)
    throw invalid(`${showJson(json)} is not a list of chunk lengths`);
  return new RectilinearAxis(length, json.map(readRun));
}

function readRun(json: Json): readonly [size: number, count: number] {
  if (!Array.isArray(json)) return [positive(json), 1];
  if (json.length !== 2) throw invalid(`${showJson(json)} is not a pair of a length and a count`);
  return [positive(json[0]!), positive(json[1]!)];
}

function positive(json: Json): number {
  const value = json instanceof JsonNumber && json.isInteger ? json.value : 0;
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(`${showJson(json)} is not a positive integer`);
  return value;
}

function invalid(message: string) {
  return invalidMetadata(`chunk grid rectilinear: ${message}`);
}
