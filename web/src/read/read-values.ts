/** Reads regions of elements of variable length. */

import { type VlenChunkCodec, withSession } from "../chain/chunk-codec.js";
import {
  type Fetched,
  type Projection,
  pickElements,
  type RegionTask,
  selectedCount,
} from "../plan/projections.js";
import { chunkPlace } from "../plan/slab-partition.js";
import { limitExceeded } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { assemble } from "./assemble.js";
import type { ArrayReader } from "./reader.js";
import {
  checkSize,
  hasLists,
  projectionsOf,
  type RegionOptions,
  readCount,
  type Wanted,
} from "./resolve-region.js";
import type { Sink } from "./sink.js";

/** Reads a region as a list of values. */
export async function readValues(
  reader: ArrayReader,
  wanted: Wanted,
  options: RegionOptions,
  out?: unknown[],
): Promise<unknown[]> {
  const count = countOf(wanted.shape);
  const read = hasLists(wanted) ? newList(reader, readCount(wanted)) : (out ?? newList(reader, count));
  const projections = projectionsOf(wanted);
  // Minimum size of an element: a reference.
  const plan = { reader, projections, itemBytes: 8 };
  await reader.again(() => assemble(plan, new VlenSink(projections, read), options));
  if (!hasLists(wanted)) return read;
  const picked = out ?? new Array<unknown>(count);
  pickElements(wanted.axes, (from, to, run) => {
    for (let i = 0; i < run; i++) picked[to + i] = read[from + i];
  });
  return picked;
}

/** Engines store longer lists as hash tables, with ten times the memory, and crash at some length. */
const maxListLength = 2 ** 25;

function newList(reader: ArrayReader, count: number): unknown[] {
  checkSize(8 * count, reader);
  if (count > maxListLength)
    throw limitExceeded(`a list of ${count} values is longer than the limit of ${maxListLength}`);
  return new Array<unknown>(count).fill(null);
}

export class VlenSink implements Sink {
  readonly #box: { readonly origin: readonly number[]; readonly strides: readonly number[] };

  /** @param out the result, in C order. */
  constructor(
    projections: readonly (readonly Projection[])[],
    private readonly out: unknown[],
  ) {
    this.#box = { origin: projections.map(() => 0), strides: stridesOf(projections.map(selectedCount)) };
  }

  async start(): Promise<void> {}

  put({ projections }: RegionTask, { codec, encoded }: Fetched): void | Promise<void> {
    const leaf = codec as VlenChunkCodec;
    const place = chunkPlace(projections, undefined, this.#box);
    // Missing chunks need no decoder.
    if (!encoded) return leaf.decodePlaced(undefined, undefined, this.out, place);
    return withSession(leaf, (session) => leaf.decodePlaced(session, encoded, this.out, place));
  }

  end(): void {}
}
