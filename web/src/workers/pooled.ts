/** Chunks of a region that are decoded by a pool of workers, slab by slab. */
import { sessionOf } from "../engine/engine.js";
import { giveBack } from "../store/buffer-lease.js";
import type { Sink } from "../region/assemble/sink.js";
import { SlabCuts } from "../region/assemble/slab-partition.js";
import type { Fetched } from "../region/fetch/object-read.js";
import { extentOf, type Piece } from "../region/selection/projections.js";
import type { ResultBytes } from "../region/assemble/result.js";
import { type BoxPlace, runsOf } from "../region/assemble/spans.js";
import { PartFailure, type SlabPart, type SlabWork } from "./slab-work.js";
import { chooseSlabAxis } from "../region/assemble/slab-partition.js";
import { type PlanSource, placeOf } from "../region/assemble/slabs.js";
import { countOf, stridesOf } from "../base/strides.js";
import type { RegionTask } from "../region/assemble/task.js";

/** Smaller pieces of work are done sooner than they are handed over. */
export const minWorkBytes = 2 ** 15;

/** Those who do the work. */
export interface Helpers {
  /** Says that a region is being read, and that it is read no more. */
  enter(): void;
  leave(): void;
  /** Has work done by another thread; undefined where the result is shared. Aborting removes it from the queue. */
  submit(work: SlabWork, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Takes back the memory of a slab that has been copied out. */
  giveBack(slab: Uint8Array): void;
}

/** Names the chunk in an error. */
export type LocateError = (error: unknown, task: RegionTask) => unknown;

/** Whether the slabs of a region are large enough to be worth the way to another thread. */
export function isWorthPooling(pieces: readonly (readonly Piece[])[], itemBytes: number): boolean {
  const lengths = pieces.map((list) => list.map((piece) => piece.count));
  const shape = pieces.map(extentOf);
  const axis = chooseSlabAxis(shape, lengths, itemBytes);
  const longest = lengths.slice(0, axis).map((list) => list.reduce((most, n) => Math.max(most, n), 0));
  return countOf([...longest, ...shape.slice(axis)]) * itemBytes >= minWorkBytes;
}

/** What is gathered of a slab. */
interface Gathered {
  readonly place: BoxPlace;
  readonly members: { readonly task: RegionTask; readonly fetched: Fetched | undefined }[];
}

/**
 * Gathers the encoded chunks of a slab, has it put together elsewhere, and copies it to the result in long runs.
 * A slab is as small as long runs allow, so that there is work for everybody.
 */
export class PoolSink implements Sink {
  readonly #cuts = new SlabCuts<Gathered>(
    (group, lengths) =>
      group.isLoose ? group.shape.length : chooseSlabAxis(group.shape, lengths, this.#itemBytes),
    (origin, shape) => ({
      place: { origin, shape, whole: this.#shape, itemBytes: this.#itemBytes },
      members: [],
    }),
  );
  readonly #shape: readonly number[];
  readonly #itemBytes: number;

  /** @param out the result: C order, native byte order */
  constructor(
    private readonly helpers: Helpers,
    private readonly plans: PlanSource,
    pieces: readonly (readonly Piece[])[],
    private readonly out: ResultBytes,
    private readonly located: LocateError,
  ) {
    this.#itemBytes = plans.anyPlan.array.dtype.itemBytes;
    this.#shape = pieces.map(extentOf);
  }

  async start(): Promise<void> {
    this.helpers.enter();
    // Whatever is wrong with the chain is said before anything is read.
    (await sessionOf(this.plans.anyPlan.decodeModule)).prepare(this.plans.anyPlan);
  }

  put(task: RegionTask, fetched: Fetched | undefined, signal: AbortSignal): Promise<void> | undefined {
    const slab = this.#cuts.of(task);
    slab.content.members.push({ task, fetched });
    return this.#cuts.isLast(slab) ? this.#finish(slab.content, signal) : undefined;
  }

  end(): void {
    this.#cuts.clear();
    this.helpers.leave();
  }

  async #finish({ place, members }: Gathered, signal: AbortSignal): Promise<void> {
    const bytes = countOf(place.shape) * this.#itemBytes;
    const strides = stridesOf(place.shape, this.#itemBytes);
    const parts = members.map(({ task, fetched }): SlabPart => {
      const box = fetched && "box" in fetched ? fetched : undefined;
      const encoded = box ? box.bytes : (fetched as { encoded: Uint8Array } | undefined)?.encoded;
      const plan = this.plans.planOf(task, box?.box.shape);
      return {
        plan,
        encoded,
        ...placeOf(task.pieces, box?.box.start, { origin: place.origin, strides }),
      };
    });
    const { shared: result } = this.out;
    const module = this.plans.anyPlan.decodeModule;
    try {
      const slab = await this.helpers.submit(
        { module, bytes, parts, place: result && { ...place, result } },
        signal,
      );
      for (const { encoded } of parts) if (encoded) giveBack(encoded);
      if (slab) this.#copyOut(slab, place);
    } catch (error) {
      throw error instanceof PartFailure ? this.located(error.error, members[error.part]!.task) : error;
    }
  }

  #copyOut(slab: Uint8Array, place: BoxPlace): void {
    if (slab.byteLength === this.out.byteLength && this.out.adopt(() => slab)) return;
    for (const { from, to, bytes } of runsOf(place))
      this.out.bytes.set(slab.subarray(from, from + bytes), to);
    this.helpers.giveBack(slab);
  }
}
