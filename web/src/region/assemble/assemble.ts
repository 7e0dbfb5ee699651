/**
 * Reading a region: the chunks it touches are read object by object, a bounded number at a time, and what
 * comes is handed to a sink, which decodes it and puts it where it belongs.
 */

import { isZarrError, withDetails } from "../../base/errors.js";
import { Limiter } from "../../base/limiter.js";
import { allowListeners } from "../../base/platform.js";
import { countOf } from "../../base/strides.js";
import type { BlockFrame } from "../../codecs/n5.js";
import { NeedsFullModule } from "../../engine/session.js";
import type { Fetched } from "../fetch/object-read.js";
import type { ArrayReader } from "../fetch/reader.js";
import type { Coalescing } from "../fetch/stored-range.js";
import { type Priority, type Rank, rankBy, ranked } from "../selection/priority.js";
import {
  combinationAt,
  combinations,
  extentOf,
  type ObjectProjections,
  type Projection,
  partsOf,
} from "../selection/projections.js";
import type { Sink } from "./sink.js";
import { chooseSlabAxis } from "./slab-partition.js";
import type { Group, RegionTask } from "./task.js";

/** Progress of a read. */
export interface Progress {
  /** Chunks done, missing ones included. */
  chunks: number;
  /** Chunks that the selection touches. */
  totalChunks: number;
  /** Encoded bytes received so far, indexes of shards included. */
  bytes: number;
}

export interface AssembleOptions {
  signal?: AbortSignal | undefined;
  /** Most chunks, or merged ranges of chunks, that are fetched at a time. */
  concurrency: number;
  coalescing: Coalescing;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Without it chunks are read in C order. */
  priority?: Priority | undefined;
}

/** The part of an array that is read. */
export interface RegionPlan {
  readonly reader: ArrayReader;
  /** Per axis the projections of chunks that are wanted. */
  readonly projections: readonly (readonly Projection[])[];
  /** Bytes of one element of the result, for choosing how much is put together at a time. */
  readonly itemBytes: number;
}

/**
 * Reads a region into the sinks that `makeSink` makes (a second one where a chunk turns out to need
 * the full module).
 * Throws the first error met, after the other requests have been aborted.
 */
export async function assemble(
  plan: RegionPlan,
  makeSink: () => Sink,
  options: AssembleOptions,
  onNeedsFull?: () => void,
): Promise<void> {
  try {
    await new Assembly(plan, makeSink(), options).run();
  } catch (error) {
    if (!(error instanceof NeedsFullModule) || !onNeedsFull) throw error;
    // Rare (pre-1.0 zstd frames): from now on this array is decoded by the full module.
    onNeedsFull();
    await new Assembly(plan, makeSink(), options).run();
  }
}

/** The chunks of one stored object. */
interface Job {
  readonly object: readonly number[];
  readonly tasks: readonly RegionTask[];
}

class Assembly {
  readonly #parts: ObjectProjections[][];
  readonly #abort = new AbortController();
  readonly #limiter: Limiter;
  readonly #requests: Limiter;
  readonly #progress: Progress;

  constructor(
    private readonly plan: RegionPlan,
    private readonly sink: Sink,
    private readonly options: AssembleOptions,
  ) {
    const { reader, projections } = plan;
    this.#parts = projections.map((list, axis) =>
      partsOf(list, reader.axes[axis]!, reader.objectAxes[axis]!),
    );
    this.#limiter = new Limiter(options.concurrency);
    this.#requests = new Limiter(options.concurrency);
    allowListeners(this.#abort.signal);
    this.#progress = { chunks: 0, totalChunks: countOf(projections.map((list) => list.length)), bytes: 0 };
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    signal?.throwIfAborted();
    if (signal) allowListeners(signal);
    const forward = () => this.#abort.abort(signal!.reason);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      await this.sink.start();
      await this.#runJobs();
    } finally {
      signal?.removeEventListener("abort", forward);
      this.sink.end();
    }
  }

  /** Runs all jobs, `concurrency` at a time, in order. */
  async #runJobs(): Promise<void> {
    const { priority } = this.options;
    const jobs = priority
      ? this.#rankedJobs(rankBy(priority, this.plan.projections.map(extentOf)))
      : this.#jobs();
    let failure: { error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure ??= { error };
      this.#abort.abort(error);
    };
    const work = async () => {
      for (const job of jobs) {
        this.#abort.signal.throwIfAborted();
        await this.#runJob(job, fail);
      }
    };
    const lanes = Math.min(this.options.concurrency, countOf(this.#parts.map((list) => list.length)));
    await Promise.all(Array.from({ length: lanes }, () => work().catch(fail)));
    if (failure) throw failure.error;
  }

  async #runJob({ object, tasks }: Job, onFailure: (error: unknown) => void): Promise<void> {
    const fetching = {
      signal: this.#abort.signal,
      limiter: this.#limiter,
      requests: this.#requests,
      coalescing: this.options.coalescing,
      onBytes: (bytes: number) => {
        this.#progress.bytes += bytes;
      },
      onFailure: (error: unknown) => onFailure(this.#located(error, tasks[0]!)),
    };
    try {
      await this.plan.reader.readObject(object, tasks, fetching, (task, fetched) => this.#put(task, fetched));
    } catch (error) {
      throw this.#located(error, tasks[0]!);
    }
  }

  async #put(task: RegionTask, fetched: Fetched | undefined): Promise<void> {
    this.#abort.signal.throwIfAborted();
    try {
      const leaf = this.plan.reader.leafOf(task.coordinates);
      const whole = leaf.type === "core" && leaf.frame ? await unframed(leaf.frame, fetched) : fetched;
      const done = this.sink.put(task, whole, this.#abort.signal);
      if (done) await done;
    } catch (error) {
      throw this.#located(error, task);
    }
    this.#progress.chunks++;
    this.options.onProgress?.({ ...this.#progress });
  }

  #located(error: unknown, { coordinates }: RegionTask): unknown {
    if (!isZarrError(error)) return error;
    return withDetails(error, { chunkKey: this.plan.reader.keyOf(coordinates) });
  }

  /** Jobs group by group, so that few of the boxes in which a result is put together are open at a time. */
  *#jobs(): Generator<Job> {
    const parts = this.#parts;
    const shape = this.plan.projections.map(extentOf);
    const longest = parts.map((list) => list.map((part) => part.count));
    const axis = chooseSlabAxis(shape, longest, this.plan.itemBytes);
    const inner = parts.slice(axis);
    for (const outer of combinations(parts.slice(0, axis))) {
      const group: Group = {
        origin: [...outer.map((part) => part.out), ...inner.map(() => 0)],
        shape: [...outer.map((part) => part.count), ...shape.slice(axis)],
        projections: [...outer.map((part) => part.projections), ...this.plan.projections.slice(axis)],
      };
      for (const rest of combinations(inner)) yield jobOf([...outer, ...rest], group);
    }
  }

  /** Jobs in the order of the least rank in each. Two numbers are kept of each, not the jobs themselves. */
  *#rankedJobs(rank: Rank): Generator<Job> {
    const parts = this.#parts;
    const { projections } = this.plan;
    const shape = projections.map(extentOf);
    const group: Group = { origin: shape.map(() => 0), shape, projections, isLoose: true };
    const ranks = new Float64Array(countOf(parts.map((list) => list.length)));
    let count = 0;
    for (const list of combinations(parts)) {
      let least = Number.POSITIVE_INFINITY;
      for (const chunk of combinations(list.map((part) => part.projections)))
        least = Math.min(least, rank(chunk));
      ranks[count++] = least;
    }
    for (const at of ranked(ranks)) yield jobOf(combinationAt(parts, at), group, rank);
  }
}

/** Blocks with a shape of their own become whole chunks before they are put anywhere. */
async function unframed(frame: BlockFrame, fetched: Fetched | undefined): Promise<Fetched | undefined> {
  if (!fetched || !("encoded" in fetched)) return fetched;
  return { encoded: await frame.decode(fetched.encoded) };
}

function jobOf(parts: readonly ObjectProjections[], group: Group, rank?: Rank): Job {
  const tasks: RegionTask[] = [];
  for (const projections of combinations(parts.map((part) => part.projections))) {
    tasks.push({
      coordinates: projections.map((projection) => projection.chunk),
      projections,
      group,
      rank: rank?.(projections),
    });
  }
  return { object: parts.map((part) => part.object), tasks };
}
