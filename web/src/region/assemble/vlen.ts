/** Regions of elements of variable length: chunks become lists of values, and these one list. */

import { isZarrError, withDetails } from "../../base/errors.js";
import { countOf, indices, stridesOf } from "../../base/strides.js";
import { encodedStrides, type VlenLeaf } from "../../chain/layout.js";
import { decodeBytes } from "../../engine/bytes.js";
import type { Fetched } from "../fetch/object-read.js";
import { extentOf, type Projection } from "../selection/projections.js";
import type { Sink } from "./sink.js";
import type { RegionTask } from "./task.js";

export interface ObjectSource {
  leafOf(task: RegionTask): VlenLeaf;
  /** Most bytes that a chunk may decode to. */
  readonly limit: number;
  /** What elements of missing chunks are. */
  readonly fill: unknown;
}

export class VlenSink implements Sink {
  readonly #outStrides: readonly number[];

  /** @param out the result, C order */
  constructor(
    private readonly source: ObjectSource,
    projections: readonly (readonly Projection[])[],
    private readonly out: unknown[],
  ) {
    this.#outStrides = stridesOf(projections.map(extentOf));
  }

  async start(): Promise<void> {}

  async put(task: RegionTask, fetched: Fetched | undefined): Promise<void> {
    const leaf = this.source.leafOf(task);
    // Boxes are read of chunks that the core decodes, never of these.
    const encoded = fetched && "encoded" in fetched ? fetched.encoded : undefined;
    const values = encoded && (await decodeVlen(leaf, encoded, this.source.limit));
    const { projections } = task;
    const strides = encodedStrides(leaf);
    for (const index of indices(projections.map((projection) => projection.count))) {
      let [from, to] = [0, 0];
      for (let axis = 0; axis < projections.length; axis++) {
        const projection = projections[axis]!;
        from += (projection.start + index[axis]! * projection.step) * strides[axis]!;
        to += (projection.out + index[axis]!) * this.#outStrides[axis]!;
      }
      this.out[to] = values ? values[from] : this.source.fill;
    }
  }

  end(): void {}
}

/**
 * Decodes a chunk to its values, in the order in which they are stored.
 * @throws CorruptChunk, naming the codec.
 */
export async function decodeVlen(leaf: VlenLeaf, encoded: Uint8Array, limit: number): Promise<unknown[]> {
  const bytes = await decodeBytes(leaf.after, encoded, limit);
  try {
    return leaf.codec.decode(bytes, countOf(leaf.shape));
  } catch (error) {
    throw isZarrError(error) ? withDetails(error, { codec: leaf.name }) : error;
  }
}
