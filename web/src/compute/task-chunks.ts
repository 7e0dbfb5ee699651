/** Gathers the chunks of a task by slab. */

import type { ZarrArray } from "../hierarchy/array.js";
import { combinations, type Projection, type RegionChunk } from "../plan/projections.js";
import type { Sink } from "../read/assemble.js";
import { firstIndex } from "../util/search.js";
import { type Box, countOf, stridesOf } from "../util/shapes.js";
import { BoxChunks } from "../walk/box-chunks.js";
import { boxLengths, countIn } from "../walk/boxes.js";
import { StepFailure } from "../workers/messages.js";
import type { Span } from "./axes.js";
import { boxesOf } from "./boxes.js";

/** A slab of a task: a box of positions, and its chunks. */
export interface TaskSlab {
  readonly box: Box;
  readonly bytes: number;
  readonly steps: BoxChunks["steps"];
}

export class TaskChunks implements Sink {
  readonly slabs: readonly TaskSlab[];
  readonly #chunks: readonly BoxChunks[];
  /** Number of chunks of each slab that have not arrived. */
  readonly #pending: number[];
  /** Called when all chunks of a slab have arrived; they are released afterwards. Default: they are kept. */
  onSlab: ((slab: TaskSlab, number: number) => Promise<void> | undefined) | undefined;

  /** @param spans of the slabs along each axis. */
  constructor(
    array: ZarrArray,
    private readonly task: Box,
    private readonly spans: readonly (readonly Span[])[],
    projections: readonly (readonly Projection[])[],
  ) {
    const { itemBytes } = array.dtype;
    const counts = spans.map((own, axis) => chunkCounts(own, projections[axis]!, task.from[axis]!));
    this.#pending = [...combinations(counts)].map(countOf);
    const boxes = boxesOf(spans);
    this.#chunks = boxes.map((box) => {
      const origin = box.from.map((from, axis) => from - task.from[axis]!);
      return new BoxChunks(array, { origin, strides: stridesOf(boxLengths(box), itemBytes) });
    });
    this.slabs = boxes.map((box, i) => {
      return { box, bytes: countIn(box) * itemBytes, steps: this.#chunks[i]!.steps };
    });
  }

  async start(): Promise<void> {}

  put(chunk: RegionChunk): Promise<void> | undefined {
    let slab = 0;
    for (const [axis, spans] of this.spans.entries()) {
      const position = this.task.from[axis]! + chunk.task.projections[axis]!.out;
      slab = slab * spans.length + lastStart(spans, position);
    }
    this.#chunks[slab]!.put(chunk);
    return --this.#pending[slab]! === 0 && this.onSlab ? this.#finish(slab) : undefined;
  }

  async #finish(slab: number): Promise<void> {
    try {
      await this.onSlab!(this.slabs[slab]!, slab);
    } catch (error) {
      throw error instanceof StepFailure ? this.#chunks[slab]!.located(error) : error;
    }
    this.#chunks[slab]!.release();
  }

  end(): void {}

  located({ step, error }: StepFailure): unknown {
    let own = step;
    let i = 0;
    while (own >= this.#chunks[i]!.steps.length) own -= this.#chunks[i++]!.steps.length;
    return this.#chunks[i]!.located(new StepFailure(own, error));
  }

  release(): void {
    for (const chunks of this.#chunks) chunks.release();
  }
}

/** Returns the last span that starts at or before a position. */
const lastStart = (spans: readonly Span[], position: number): number =>
  firstIndex(spans.length, (i) => spans[i]!.from > position) - 1;

/** Returns the number of chunks in each span. */
function chunkCounts(spans: readonly Span[], projections: readonly Projection[], origin: number): number[] {
  const counts = spans.map(() => 0);
  for (const { out } of projections) counts[lastStart(spans, origin + out)]!++;
  return counts;
}
