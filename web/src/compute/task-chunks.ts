/** Gathers the chunks of a task by slab. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { RegionChunk } from "../plan/projections.js";
import type { Sink } from "../read/assemble.js";
import { type Box, stridesOf } from "../util/shapes.js";
import { BoxChunks } from "../walk/box-chunks.js";
import { boxLengths, countIn } from "../walk/boxes.js";
import { StepFailure } from "../workers/messages.js";
import type { PlanAxis, Span } from "./axes.js";
import { type Block, type Sizes, slabBoxes, slabSpans } from "./boxes.js";

/** A slab of a task: a box of positions, and its chunks. */
export interface TaskSlab {
  readonly box: Box;
  readonly bytes: number;
  readonly steps: BoxChunks["steps"];
}

export class TaskChunks implements Sink {
  readonly slabs: readonly TaskSlab[];
  readonly #chunks: readonly BoxChunks[];
  readonly #spans: readonly (readonly Span[])[];

  constructor(
    array: ZarrArray,
    block: Block,
    axes: readonly PlanAxis[],
    private readonly task: Box,
    sizes: Sizes,
  ) {
    const { item } = sizes;
    this.#spans = slabSpans(axes, block, task, sizes);
    const boxes = slabBoxes(this.#spans);
    this.#chunks = boxes.map((box) => {
      const origin = box.from.map((from, axis) => from - task.from[axis]!);
      return new BoxChunks(array, { origin, strides: stridesOf(boxLengths(box), item) });
    });
    this.slabs = boxes.map((box, i) => ({ box, bytes: countIn(box) * item, steps: this.#chunks[i]!.steps }));
  }

  async start(): Promise<void> {}

  put(chunk: RegionChunk): void {
    let slab = 0;
    for (const [axis, spans] of this.#spans.entries()) {
      const position = this.task.from[axis]! + chunk.task.projections[axis]!.out;
      slab = slab * spans.length + lastStart(spans, position);
    }
    this.#chunks[slab]!.put(chunk);
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
function lastStart(spans: readonly Span[], position: number): number {
  let [low, high] = [0, spans.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (spans[middle]!.from <= position) low = middle;
    else high = middle;
  }
  return low;
}
