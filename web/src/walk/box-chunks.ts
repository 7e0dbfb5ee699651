/** Gathers the encoded chunks of a box, as steps that decode them to their places in a slab. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { PlacedStep } from "../engine/session.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { RegionChunk, RegionTask } from "../plan/projections.js";
import { chunkPlace, type PlaceBox } from "../plan/slabs.js";
import type { Sink } from "../read/assemble.js";
import { releaseBytes } from "../store/read.js";
import { isZarrError, withDetails } from "../util/errors.js";
import type { StepFailure } from "../workers/messages.js";

export class BoxChunks implements Sink {
  readonly steps: PlacedStep[] = [];
  encodedBytes = 0;
  bytesRead = 0;
  /** Task of each step. */
  readonly #tasks: RegionTask[] = [];
  readonly #encoded: Uint8Array[] = [];

  constructor(
    private readonly array: ZarrArray,
    private readonly box: PlaceBox,
  ) {}

  readonly onProgress = ({ bytes }: { readonly bytes: number }): void => {
    this.bytesRead = bytes;
  };

  async start(): Promise<void> {}

  put({ task, codec, encoded, start }: RegionChunk): void {
    const place = chunkPlace(task.projections, start, this.box);
    for (const step of (codec as CoreChunkCodec).placed(encoded, place)) {
      this.steps.push(step);
      this.#tasks.push(task);
    }
    if (!encoded) return;
    this.#encoded.push(encoded);
    this.encodedBytes += encoded.byteLength;
  }

  end(): void {}

  /** Adds the chunk's key to the error of a step. */
  located({ error, step }: StepFailure): unknown {
    const { reader } = this.array;
    const { coordinates } = this.#tasks[step]!;
    if (isZarrError(error, "CorruptChunk")) reader.distrust(coordinates);
    return withDetails(error, { chunkKey: reader.keyOf(coordinates) });
  }

  release(): void {
    for (const encoded of this.#encoded.splice(0)) releaseBytes(encoded);
  }
}
