/** Decodes chunks on any thread, slab by slab. A slab is returned packed, or copied directly to a shared result. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { ModuleName } from "../engine/compile.js";
import { withFullIfNeeded } from "../engine/engine.js";
import type { CodecSession, PlacedStep, Placement, Slab } from "../engine/session.js";
import {
  type Group,
  type Projection,
  type RegionChunk,
  type RegionTask,
  selectedCount,
} from "../plan/projections.js";
import {
  chooseSlabAxis,
  chunkPlace,
  copyToPlace,
  type PlaceBox,
  SlabPartition,
  type SlabPlace,
} from "../plan/slabs.js";
import type { LocateError, ResultBytes, Sink } from "../read/assemble.js";
import { SlabSink } from "../read/slab-sink.js";
import { releaseBytes } from "../store/read.js";
import { isBytes, sizeOf } from "../util/bytes.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { type KnownPlans, type PeerState, type PoolTask, StepFailure, type WorkMessage } from "./messages.js";

/** A result, and the slab's box in it. */
interface ResultBox extends SlabPlace {
  readonly result: Uint8Array;
}

export interface SlabWork {
  readonly module: ModuleName;
  /** Bytes to decode for it. Default: the size of the slab. */
  readonly workBytes?: number | undefined;
  /** Size of the slab. */
  readonly bytes: number;
  /** Steps that decode the chunks into the slab. */
  readonly steps: readonly PlacedStep[];
  /** The place to copy the slab to. */
  readonly place?: ResultBox | undefined;
}

/**
 * Runs the work.
 * @param spare memory of the slab's size for the result: allocating memory costs as much as the copy.
 * @returns the slab's bytes; undefined if they were copied to the result.
 * @throws StepFailure, or the error of creating the slab.
 */
export function runSlab(
  session: CodecSession,
  work: SlabWork,
  spare?: ArrayBuffer,
): Uint8Array<ArrayBuffer> | undefined {
  const slab = session.makeSlab(work.bytes);
  try {
    placeAll(session, slab, work.steps);
    if (!work.place) {
      if (!spare) return session.copySlab(slab);
      const bytes = new Uint8Array(spare);
      session.withSlab(slab, (box) => bytes.set(box));
      return bytes;
    }
    const { place } = work;
    session.withSlab(slab, (box) => copyToPlace(box, place, place.result));
    return undefined;
  } finally {
    session.freeSlab(slab);
  }
}

/** Decodes chunks into a slab. @throws StepFailure. */
export function placeAll(session: CodecSession, slab: Slab, steps: readonly PlacedStep[]): void {
  for (const [i, step] of steps.entries()) {
    try {
      session.place(slab, step);
    } catch (error) {
      throw new StepFailure(i, error);
    }
  }
}

/** The work as a message. The encoded chunks lie one after another in one buffer. */
interface SlabMessage {
  readonly steps: readonly StepMessage[];
  readonly bytes: number;
  readonly place: ResultBox | undefined;
}

export interface StepMessage extends Placement {
  readonly plan: number;
  /** Position of the chunk in the buffer; undefined for a missing one. */
  readonly at: readonly [start: number, length: number] | undefined;
}

/** Total size of the encoded chunks of steps. */
export const encodedBytes = (steps: readonly PlacedStep[]): number =>
  steps.reduce((sum, step) => sum + (step.encoded?.byteLength ?? 0), 0);

/** Converts steps to messages. @param input receives the encoded chunks. */
export function packSteps(known: PeerState, steps: readonly PlacedStep[], input: Uint8Array): StepMessage[] {
  let end = 0;
  return steps.map(({ plan, encoded: chunk, offset, axes }) => {
    const number = known.planNumber(plan);
    if (!chunk) return { plan: number, at: undefined, offset, axes };
    input.set(chunk, end);
    const at = [end, chunk.byteLength] as const;
    end += chunk.byteLength;
    return { plan: number, at, offset, axes };
  });
}

export const unpackSteps = (
  known: KnownPlans,
  steps: readonly StepMessage[],
  input: ArrayBuffer,
): PlacedStep[] =>
  steps.map(({ plan, at, offset, axes }) => ({
    plan: known.get(plan),
    encoded: at && new Uint8Array(input, ...at),
    offset,
    axes,
  }));

/** Destination of a slab on the calling thread. */
interface SlabTarget {
  /** Returns the place to which this thread copies a slab that it has decoded itself, if there is one. */
  place(): ResultBox | undefined;
  /** Takes a slab that a worker has decoded. */
  take(slab: Uint8Array): void;
}

/** Returns the work as a task of the pool, whose outcome is the slab unless there is a target. */
export function slabTask(work: SlabWork, target?: SlabTarget): PoolTask<Uint8Array | undefined> {
  const { module, steps, bytes, place } = work;
  const taken = (slab: Uint8Array | undefined) => (slab && target ? target.take(slab) : slab) ?? undefined;
  return {
    kind: "decode",
    module,
    inputBytes: encodedBytes(steps),
    workBytes: work.workBytes ?? bytes,
    spareBytes: place ? undefined : bytes,
    read: ({ bytes: slab }) => {
      const isSlab = place ? slab === undefined : isBytes(slab) && sizeOf(slab) === bytes;
      return isSlab ? { outcome: taken(slab) } : undefined;
    },
    run: (session) => taken(runSlab(session, { ...work, place: place ?? target?.place() })),
    pack: (known, input): SlabMessage => ({ steps: packSteps(known, steps, input), bytes, place }),
  };
}

/** Decodes a message in the worker. */
export function unpackSlab(known: KnownPlans, { module, input, work }: WorkMessage): SlabWork {
  const { steps, bytes, place } = work as SlabMessage;
  return { module, bytes, steps: unpackSteps(known, steps, input), place };
}

/** Minimum size of a task in bytes; smaller ones are done faster than they are sent. */
export const minWorkBytes = 2 ** 15;

/** The pool as used by the sink. */
export interface PoolAccess {
  /** Called when the read of a region starts and ends. */
  enter(): void;
  leave(): void;
  /** Runs a task on any thread. Aborting removes it from the queue. */
  submit(work: SlabWork, target: SlabTarget, signal: AbortSignal): Promise<unknown>;
  /** Whether the calling thread should assemble a slab that is the whole result. */
  claimCaller(): Promise<boolean>;
  /** Takes back the memory of a slab after it was copied. */
  releaseBytes(slab: Uint8Array): void;
}

/** Whether decoding the slabs of a region is enough work to be sent to another thread. */
export function isWorthPooling(
  codec: CoreChunkCodec,
  projections: readonly (readonly Projection[])[],
): boolean {
  const lengths = projections.map((list) => list.map((projection) => projection.count));
  const shape = projections.map(selectedCount);
  const elementBytes = decodedPerElement(codec, projections);
  const axis = chooseSlabAxis(shape, lengths, elementBytes);
  const longest = lengths.slice(0, axis).map((list) => list.reduce((most, n) => Math.max(most, n), 0));
  return countOf([...longest, ...shape.slice(axis)]) * elementBytes >= minWorkBytes;
}

/**
 * Returns the bytes to decode per selected element: chunks are decoded whole, even if a series at one point needs a
 * thousandth of each.
 */
function decodedPerElement(
  { plan: { array } }: CoreChunkCodec,
  projections: readonly (readonly Projection[])[],
): number {
  return projections.reduce(
    (bytes, list, axis) => bytes * Math.max(1, (list.length * array.shape[axis]!) / selectedCount(list)),
    array.dtype.itemBytes,
  );
}

/** Returns the bytes to decode of a chunk, or of the subarray that was read; of a missing chunk, those to fill. */
function workOf({ task, codec, encoded }: RegionChunk): number {
  const { array, decodedBytes } = (codec as CoreChunkCodec).plan;
  return encoded ? decodedBytes : countOf(task.projections.map(({ count }) => count)) * array.dtype.itemBytes;
}

/** Data gathered for a slab. */
interface Gathered {
  readonly place: SlabPlace;
  readonly members: RegionChunk[];
}

/**
 * Gathers the encoded chunks of a slab, has it assembled on another thread, and copies it to the result in
 * long runs. Slabs are as small as long runs allow, so that all workers have something to do. The fewer elements of
 * each chunk are selected, the shorter runs may be, because copying them costs little beside decoding.
 */
export class PoolSink implements Sink {
  readonly #partition = new SlabPartition<Gathered>(
    (group, lengths) => this.#axisOf(group, lengths),
    (origin, shape) => ({
      place: { origin, shape, whole: this.#shape, itemBytes: this.#itemBytes },
      members: [],
    }),
  );
  readonly #shape: readonly number[];
  readonly #itemBytes: number;
  readonly #elementBytes: number;
  /** Decodes on the calling thread, as without a pool. */
  readonly #here: SlabSink;

  /**
   * @param codec representative of all chunks: their modules are the same.
   * @param out the result: C order, native byte order.
   */
  constructor(
    private readonly helpers: PoolAccess,
    private readonly codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    private readonly out: ResultBytes,
    private readonly located: LocateError,
  ) {
    this.#itemBytes = codec.plan.array.dtype.itemBytes;
    this.#shape = projections.map(selectedCount);
    this.#elementBytes = decodedPerElement(codec, projections);
    this.#here = new SlabSink(codec, projections, out, (group, lengths) => this.#axisOf(group, lengths));
  }

  #axisOf(group: Group, lengths: readonly (readonly number[])[]): number {
    return group.isLoose ? group.shape.length : chooseSlabAxis(group.shape, lengths, this.#elementBytes);
  }

  start(): Promise<void> {
    this.helpers.enter();
    return this.#here.start();
  }

  put(chunk: RegionChunk, signal: AbortSignal): void | Promise<void> {
    const slab = this.#partition.slabFor(chunk.task);
    slab.content.members.push(chunk);
    return this.#partition.isLast(slab) ? this.#finish(slab.content, signal) : undefined;
  }

  end(): void {
    this.#partition.clear();
    this.#here.end();
    this.helpers.leave();
  }

  async #finish({ place, members }: Gathered, signal: AbortSignal): Promise<void> {
    const workBytes = members.reduce((sum, chunk) => sum + workOf(chunk), 0);
    const bytes = countOf(place.shape) * this.#itemBytes;
    const isAll = bytes === this.out.byteLength;
    if (workBytes < minWorkBytes || (isAll && (await this.helpers.claimCaller())))
      return this.#finishHere(members);
    const strides = stridesOf(place.shape, this.#itemBytes);
    const box = { origin: place.origin, strides };
    const steps: PlacedStep[] = [];
    const tasks: RegionTask[] = []; // task of each step
    for (const chunk of members) {
      for (const step of this.#steps(chunk, box)) {
        steps.push(step);
        tasks.push(chunk.task);
      }
    }
    const { shared: result } = this.out;
    const work = { bytes, workBytes, steps, place: result && { ...place, result } };
    const submit = (module: ModuleName) =>
      this.helpers.submit({ ...work, module }, this.#target(place, bytes), signal).catch((error) => {
        throw error instanceof StepFailure ? this.located(error.error, tasks[error.step]!) : error;
      });
    await withFullIfNeeded(this.codec, submit);
    for (const { encoded } of members) if (encoded) releaseBytes(encoded);
  }

  /** Decodes a slab on the calling thread: small subarrays of chunks, or missing chunks. */
  async #finishHere(members: Gathered["members"]): Promise<void> {
    for (const chunk of members) {
      try {
        await this.#here.put(chunk);
      } catch (error) {
        throw this.located(error, chunk.task);
      }
    }
  }

  /** Returns the steps of a chunk. Errors found before they run belong to the chunk, too. */
  #steps({ task, codec, encoded, start }: RegionChunk, box: PlaceBox): readonly PlacedStep[] {
    try {
      return (codec as CoreChunkCodec).placed(encoded, chunkPlace(task.projections, start, box));
    } catch (error) {
      throw this.located(error, task);
    }
  }

  #target(place: SlabPlace, bytes: number): SlabTarget {
    const isAll = bytes === this.out.byteLength; // may become the result
    return {
      place: () => (isAll ? undefined : { ...place, result: this.out.bytes }),
      take: (slab) => {
        if (isAll && this.out.adopt(() => slab)) return;
        copyToPlace(slab, place, this.out.bytes);
        this.helpers.releaseBytes(slab);
      },
    };
  }
}
