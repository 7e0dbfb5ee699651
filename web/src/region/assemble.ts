/**
 * Reading a region: fetch the chunks it touches, decode each, and put the parts together in one result.
 *
 * At most `concurrency` encoded chunks are in memory at a time. Chunks are decoded into slabs inside
 * the core (see pieces.ts) and each slab is copied out in long runs when its last chunk is done.
 */

import { sessionOf } from "../engine/engine.js";
import type { Plan } from "../engine/plan.js";
import { type CodecSession, NeedsFullModule, type Placement, type Slab } from "../engine/session.js";
import { isZarrError, withDetails } from "../errors.js";
import { isNativePlan, placeNative } from "./native.js";
import { chooseSlabAxis, combinations, type Piece, piecesOf } from "./pieces.js";
import type { AxisRange } from "./selection.js";
import { countOf, stridesOf } from "./strides.js";

/** Fetches an encoded chunk; undefined where it is missing. */
export type FetchChunk = (
  coordinates: readonly number[],
  signal: AbortSignal,
) => Promise<Uint8Array | undefined>;

/** Progress of a read. */
export interface Progress {
  /** Chunks done, missing ones included. */
  chunks: number;
  /** Chunks that the selection touches. */
  totalChunks: number;
  /** Encoded bytes received so far. */
  bytes: number;
}

export interface AssembleOptions {
  signal?: AbortSignal | undefined;
  /** Most chunks fetched at a time. */
  concurrency: number;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ChunkSource {
  readonly plan: Plan;
  readonly chunkShape: readonly number[];
  readonly fetchChunk: FetchChunk;
  chunkKey(coordinates: readonly number[]): string;
}

/**
 * Fills `out` (C order, native byte order, `dtype.itemBytes` per element) with the selected elements.
 * Throws the first error met, after the other requests have been aborted; `out` then holds parts.
 */
export async function assemble(
  source: ChunkSource,
  ranges: readonly AxisRange[],
  out: Uint8Array,
  options: AssembleOptions,
): Promise<void> {
  try {
    await new Assembly(source, ranges, out, options).run();
  } catch (error) {
    if (!(error instanceof NeedsFullModule)) throw error;
    // Rare (pre-1.0 zstd frames): from now on this array is decoded by the full module.
    source.plan.requireFullModule();
    await new Assembly(source, ranges, out, options).run();
  }
}

/** One slab's worth of chunks. */
interface Group {
  slab: Slab | undefined;
  /** First element of the slab in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  pending: number;
}

interface Task {
  readonly pieces: readonly Piece[];
  readonly group: Group;
}

class Assembly {
  readonly #pieces: Piece[][];
  readonly #shape: number[];
  readonly #outStrides: number[];
  readonly #itemBytes: number;
  readonly #abort = new AbortController();
  readonly #slabs = new Set<Slab>();
  readonly #progress: Progress;
  #session!: CodecSession;

  constructor(
    private readonly source: ChunkSource,
    ranges: readonly AxisRange[],
    private readonly out: Uint8Array,
    private readonly options: AssembleOptions,
  ) {
    this.#itemBytes = source.plan.array.dtype.itemBytes;
    this.#shape = ranges.map((range) => range.count);
    this.#outStrides = stridesOf(this.#shape, this.#itemBytes);
    this.#pieces = ranges.map((range, axis) => piecesOf(range, source.chunkShape[axis]!));
    this.#progress = { chunks: 0, totalChunks: countOf(this.#pieces.map((list) => list.length)), bytes: 0 };
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    signal?.throwIfAborted();
    const forward = () => this.#abort.abort(signal!.reason);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      const native = isNativePlan(this.source.plan, this.#pieces);
      if (!native) this.#session = await sessionOf(this.source.plan.decodeModule);
      await this.#runTasks(native ? (task) => this.#runNative(task) : (task) => this.#runDecoded(task));
    } finally {
      signal?.removeEventListener("abort", forward);
      for (const slab of this.#slabs) this.#session.freeSlab(slab);
    }
  }

  /** Runs all tasks, `concurrency` at a time, in C order. */
  async #runTasks(runTask: (task: Task) => Promise<void>): Promise<void> {
    const tasks = this.#tasks();
    const work = async () => {
      for (const task of tasks) {
        this.#abort.signal.throwIfAborted();
        await runTask(task);
        this.#progress.chunks++;
        this.options.onProgress?.({ ...this.#progress });
      }
    };
    let failure: { error: unknown } | undefined;
    const lanes = Math.min(this.options.concurrency, this.#progress.totalChunks);
    const guarded = Array.from({ length: lanes }, () =>
      work().catch((error) => {
        failure ??= { error };
        this.#abort.abort(error);
      }),
    );
    await Promise.all(guarded);
    if (failure) throw failure.error;
  }

  /** Tasks slab by slab, so that few slabs are open at a time. */
  *#tasks(): Generator<Task> {
    const axis = chooseSlabAxis(this.#shape, this.#pieces, this.#itemBytes);
    const inner = this.#pieces.slice(axis);
    for (const outer of combinations(this.#pieces.slice(0, axis))) {
      const group: Group = {
        slab: undefined,
        origin: [...outer.map((piece) => piece.out), ...inner.map(() => 0)],
        shape: [...outer.map((piece) => piece.count), ...this.#shape.slice(axis)],
        pending: countOf(inner.map((list) => list.length)),
      };
      for (const rest of combinations(inner)) yield { pieces: [...outer, ...rest], group };
    }
  }

  async #fetch({ pieces }: Task): Promise<{ coordinates: number[]; encoded: Uint8Array | undefined }> {
    const coordinates = pieces.map((piece) => piece.chunk);
    try {
      const encoded = await this.source.fetchChunk(coordinates, this.#abort.signal);
      this.#progress.bytes += encoded?.byteLength ?? 0;
      this.#abort.signal.throwIfAborted();
      return { coordinates, encoded };
    } catch (error) {
      throw this.#located(error, coordinates);
    }
  }

  #located(error: unknown, coordinates: readonly number[]): unknown {
    return isZarrError(error) ? withDetails(error, { chunkKey: this.source.chunkKey(coordinates) }) : error;
  }

  async #runDecoded(task: Task): Promise<void> {
    const { coordinates, encoded } = await this.#fetch(task);
    const { group } = task;
    try {
      if (!group.slab) {
        group.slab = this.#session.makeSlab(countOf(group.shape) * this.#itemBytes);
        this.#slabs.add(group.slab);
      }
      const placement = this.#placement(task.pieces, group, group.slab);
      if (encoded) this.#session.decodePlaced(this.source.plan, encoded, placement);
      else this.#session.fillPlaced(this.source.plan, placement);
    } catch (error) {
      throw this.#located(error, coordinates);
    }
    if (--group.pending === 0) this.#finish(group, group.slab);
  }

  #placement(pieces: readonly Piece[], { origin, shape }: Group, slab: Slab): Placement {
    const strides = stridesOf(shape, this.#itemBytes);
    const offset = pieces.reduce((sum, piece, axis) => sum + (piece.out - origin[axis]!) * strides[axis]!, 0);
    const axes = pieces.map((piece, axis) => [piece.start, piece.step, piece.count, strides[axis]!] as const);
    return { slab, offset, axes };
  }

  /** Copies a finished slab to the result, in runs as long as its layout allows, and frees it. */
  #finish({ origin, shape }: Group, slab: Slab): void {
    let runAxis = shape.length; // axes from here on are whole in the slab: one run
    while (runAxis > 0 && shape[runAxis - 1] === this.#shape[runAxis - 1]) runAxis--;
    // The axis before them is a stretch of the result's: part of the run, too.
    runAxis = Math.max(0, runAxis - 1);
    const runBytes = countOf(shape.slice(runAxis)) * this.#itemBytes;
    const start = origin.reduce((sum, first, axis) => sum + first * this.#outStrides[axis]!, 0);
    const rows = shape.slice(0, runAxis);
    let slabOffset = 0;
    for (const index of indices(rows)) {
      const outOffset = index.reduce((sum, i, axis) => sum + i * this.#outStrides[axis]!, start);
      this.#session.copyFromSlab(slab, slabOffset, runBytes, this.out, outOffset);
      slabOffset += runBytes;
    }
    this.#slabs.delete(slab);
    this.#session.freeSlab(slab);
  }

  async #runNative(task: Task): Promise<void> {
    const { coordinates, encoded } = await this.#fetch(task);
    try {
      placeNative(this.source.plan, encoded, task.pieces, this.out, this.#outStrides);
    } catch (error) {
      throw this.#located(error, coordinates);
    }
  }
}

/** Every index of a shape in C order; one empty index for no axes. */
export function* indices(shape: readonly number[]): Generator<readonly number[]> {
  if (countOf(shape) === 0) return;
  const at = shape.map(() => 0);
  for (;;) {
    yield at;
    let axis = shape.length - 1;
    while (axis >= 0 && ++at[axis]! === shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}
