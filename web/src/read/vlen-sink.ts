/** Decodes elements of variable length: the values of all chunks are collected in one list. */

import { withSession } from "../chain/chunk-codec.js";
import type { VlenChunkCodec } from "../chain/vlen-chunk.js";
import { placeOf } from "../plan/placement.js";
import { extentOf, type Projection } from "../plan/projections.js";
import type { Fetched, RegionTask } from "../plan/task.js";
import { stridesOf } from "../util/strides.js";
import type { Sink } from "./sink.js";

export class VlenSink implements Sink {
  readonly #box: { readonly origin: readonly number[]; readonly strides: readonly number[] };

  /** @param out the result, in C order. */
  constructor(
    projections: readonly (readonly Projection[])[],
    private readonly out: unknown[],
  ) {
    this.#box = { origin: projections.map(() => 0), strides: stridesOf(projections.map(extentOf)) };
  }

  async start(): Promise<void> {}

  put({ projections }: RegionTask, { codec, encoded }: Fetched): void | Promise<void> {
    const leaf = codec as VlenChunkCodec;
    const place = placeOf(projections, undefined, this.#box);
    // Missing chunks need no decoder.
    if (!encoded) return leaf.decodePlaced(undefined, undefined, this.out, place);
    return withSession(leaf, (session) => leaf.decodePlaced(session, encoded, this.out, place));
  }

  end(): void {}
}
