/** Decodes the chunks of a region with a pool of workers, slab by slab. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { getSession } from "../engine/engine.js";
import type { PlacedStep } from "../engine/session.js";
import { extentOf, type Projection } from "../plan/projections.js";
import {
  chooseSlabAxis,
  type PlaceBox,
  placeOf,
  SlabPartition,
  type SlabPlace,
  spansOf,
} from "../plan/slab-partition.js";
import type { Fetched, RegionTask } from "../plan/task.js";
import type { ResultBytes } from "../read/result.js";
import type { LocateError, Sink } from "../read/sink.js";
import { releaseBytes } from "../store/read.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { StepFailure } from "./errors.js";
import type { SlabWork } from "./slab-work.js";

/** Minimum size of a task in bytes; smaller ones are done faster than they are sent. */
export const minWorkBytes = 2 ** 15;

/** The pool as used by the sink. */
export interface Helpers {
  /** Called when the read of a region starts and ends. */
  enter(): void;
  leave(): void;
  /** Runs a task on another thread; undefined if the result is shared. Aborting removes it from the queue. */
  submit(work: SlabWork, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Takes back the memory of a slab after it was copied. */
  releaseBytes(slab: Uint8Array): void;
}

/** Whether the slabs of a region are large enough to be sent to another thread. */
export function isWorthPooling(projections: readonly (readonly Projection[])[], itemBytes: number): boolean {
  const lengths = projections.map((list) => list.map((projection) => projection.count));
  const shape = projections.map(extentOf);
  const axis = chooseSlabAxis(shape, lengths, itemBytes);
  const longest = lengths.slice(0, axis).map((list) => list.reduce((most, n) => Math.max(most, n), 0));
  return countOf([...longest, ...shape.slice(axis)]) * itemBytes >= minWorkBytes;
}

/** Data gathered for a slab. */
interface Gathered {
  readonly place: SlabPlace;
  readonly members: { readonly task: RegionTask; readonly fetched: Fetched }[];
}

/**
 * Gathers the encoded chunks of a slab, has it assembled on another thread, and copies it to the result in
 * long runs. Slabs are as small as long runs allow, so that all workers have something to do.
 */
export class PoolSink implements Sink {
  readonly #partition = new SlabPartition<Gathered>(
    (group, lengths) =>
      group.isLoose ? group.shape.length : chooseSlabAxis(group.shape, lengths, this.#itemBytes),
    (origin, shape) => ({
      place: { origin, shape, whole: this.#shape, itemBytes: this.#itemBytes },
      members: [],
    }),
  );
  readonly #shape: readonly number[];
  readonly #itemBytes: number;

  /**
   * @param codec representative of all chunks: their modules are the same.
   * @param out the result: C order, native byte order.
   */
  constructor(
    private readonly helpers: Helpers,
    private readonly codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    private readonly out: ResultBytes,
    private readonly located: LocateError,
  ) {
    this.#itemBytes = codec.plan.array.dtype.itemBytes;
    this.#shape = projections.map(extentOf);
  }

  async start(): Promise<void> {
    this.helpers.enter();
    // Rejects an invalid chain before anything is read.
    this.codec.prepare(await getSession(this.codec.decodeModule));
  }

  put(task: RegionTask, fetched: Fetched, signal: AbortSignal): Promise<void> | undefined {
    const slab = this.#partition.of(task);
    slab.content.members.push({ task, fetched });
    return this.#partition.isLast(slab) ? this.#finish(slab.content, signal) : undefined;
  }

  end(): void {
    this.#partition.clear();
    this.helpers.leave();
  }

  async #finish({ place, members }: Gathered, signal: AbortSignal): Promise<void> {
    const bytes = countOf(place.shape) * this.#itemBytes;
    const strides = stridesOf(place.shape, this.#itemBytes);
    const box = { origin: place.origin, strides };
    const steps: PlacedStep[] = [];
    const tasks: RegionTask[] = []; // task of each step
    for (const { task, fetched } of members) {
      for (const step of this.#steps(task, fetched, box)) {
        steps.push(step);
        tasks.push(task);
      }
    }
    const { shared: result } = this.out;
    const { decodeModule: module } = this.codec;
    try {
      const work = { module, bytes, steps, place: result && { ...place, result } };
      const slab = await this.helpers.submit(work, signal);
      for (const { fetched } of members) if (fetched.encoded) releaseBytes(fetched.encoded);
      if (slab) this.#copyOut(slab, place);
    } catch (error) {
      throw error instanceof StepFailure ? this.located(error.error, tasks[error.step]!) : error;
    }
  }

  /** Returns the steps of a chunk. Errors found before they run belong to the chunk, too. */
  #steps(task: RegionTask, { codec, encoded, start }: Fetched, box: PlaceBox): readonly PlacedStep[] {
    try {
      return (codec as CoreChunkCodec).placed(encoded, placeOf(task.projections, start, box));
    } catch (error) {
      throw this.located(error, task);
    }
  }

  #copyOut(slab: Uint8Array, place: SlabPlace): void {
    if (slab.byteLength === this.out.byteLength && this.out.adopt(() => slab)) return;
    for (const { from, to, bytes } of spansOf(place))
      this.out.bytes.set(slab.subarray(from, from + bytes), to);
    this.helpers.releaseBytes(slab);
  }
}
