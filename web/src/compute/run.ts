/** Runs reductions: reads the chunks task by task, adds them to accumulators, and hands out those of finished blocks. */

import type { BoxReduction, Field, StateForm, ValueRule } from "../engine/box-reduction.js";
import { getSession } from "../engine/engine.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { projectRange } from "../plan/projections.js";
import { assemble } from "../read/assemble.js";
import { defaultCoalescing } from "../read/reader.js";
import { nextTask } from "../util/platform.js";
import { type Box, countOf, stridesOf } from "../util/shapes.js";
import { boxLengths, countIn, inLanes } from "../walk/boxes.js";
import {
  type AccumulatorForm,
  Accumulators,
  accumulatorBytes,
  type HistogramCounts,
  type HistogramForm,
  type SlabReduction,
} from "../workers/accumulators.js";
import { StepFailure } from "../workers/messages.js";
import type { WorkerPool } from "../workers/pool.js";
import { addSlab, reduceTask } from "../workers/reduce-work.js";
import type { PlanAxis } from "./axes.js";
import { type Block, blocks, type Sizes, tasks } from "./boxes.js";
import { type JointTable, partOf } from "./tables.js";
import { TaskChunks, type TaskSlab } from "./task-chunks.js";

/** What to compute of which elements. */
export interface ReductionPlan {
  readonly array: ZarrArray;
  readonly axes: readonly PlanAxis[];
  /** How elements become values, and which accumulators are kept of each cell. */
  readonly values: ValueRule;
  readonly fields: readonly Field[];
  /** Distance of neighbours in the positions of `argmin` and its like; 0 along kept axes. */
  readonly positionStrides: readonly number[];
  /** Weights by position. */
  readonly weights: readonly JointTable<Float64Array>[];
  /** Further cells, which are the first axis of each block. */
  readonly labels?: (JointTable<Uint32Array> & { readonly cells: number }) | undefined;
  /** Histograms of all elements. All axes must be reduced, without tables. */
  readonly histograms?: readonly HistogramForm[] | undefined;
}

/** Progress of a reduction, in bytes. */
export interface ReduceProgress {
  /** Decoded bytes of the elements that are reduced. */
  bytes: number;
  totalBytes: number;
  /** Encoded bytes received. */
  received: number;
}

export interface RunOptions {
  readonly pool?: WorkerPool | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of chunks requested in parallel. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: ReduceProgress) => void) | undefined;
  /** Whether accumulators are handed out after every task. */
  readonly isPartial?: boolean | undefined;
}

/** Receives the accumulators of a block, which are only borrowed. */
export type TakeState = (
  block: Block,
  state: Uint8Array,
  isDone: boolean,
  histograms: readonly HistogramCounts[],
) => void;

/** Memory for the accumulators of all open blocks. */
const stateMemory = 3 * 2 ** 25;
/** Sizes of tasks on the calling thread; for a pool, of all tasks together. */
const ownTask = { least: 2 ** 24, most: 3 * 2 ** 24 };
const pooledTasks = { least: 2 ** 26, most: 2 ** 27 };
const defaultConcurrency = 16;
/** Tasks in flight on the calling thread: one is reduced while another is read. */
const ownLanes = 2;
/** Time after which the calling thread handles events, in milliseconds. */
const turnTime = 20;

const noWeights = new Float64Array(0);

/** A block with its accumulators, made by its first task. */
interface OpenBlock {
  readonly block: Block;
  readonly form: AccumulatorForm;
  /** Their session is kept, even if other work gets a new one. */
  accumulators: Accumulators | undefined;
  /** Tasks that have not ended, and one until all have begun. */
  pending: number;
}

interface Work {
  readonly open: OpenBlock;
  /** Undefined after the last one. */
  readonly task: Box | undefined;
}

/** Reduces an array. @throws the first error, after all work has ended. */
export async function runReduction(plan: ReductionPlan, options: RunOptions, take: TakeState): Promise<void> {
  const runner = new Runner(plan, options, take);
  const { pool } = runner;
  pool?.enter();
  try {
    await inLanes(runner.work(), runner.lanes, (work) => runner.run(work), options.signal);
  } finally {
    pool?.leave();
    runner.free();
  }
}

class Runner {
  readonly lanes: number;
  readonly pool: WorkerPool | undefined;
  readonly #module: "full" | "images";
  readonly #sizes: Sizes;
  readonly #open = new Set<OpenBlock>();
  readonly #progress: ReduceProgress;
  #turn = performance.now() + turnTime;

  constructor(
    private readonly plan: ReductionPlan,
    private readonly options: RunOptions,
    private readonly take: TakeState,
  ) {
    const { array, axes, labels } = plan;
    const { pool } = options;
    const { firstCodec: codec } = array.reader;
    const pays =
      pool &&
      codec.type === "core" &&
      pool.size > 0 &&
      (!pool.helps() || (!codec.isNative && pool.outweighsCopy(codec.plan, "decode")));
    this.pool = pays ? pool : undefined;
    this.lanes = this.pool ? 2 * this.pool.size + 2 : ownLanes; // workers have a second task while they do one
    this.#module = codec.decodeModule === "images" ? "images" : "full";
    const item = array.dtype.itemBytes;
    const cell = accumulatorBytes({ state: this.#stateForm(1), histograms: [] }) * (labels?.cells ?? 1);
    const { lanes } = this;
    const pooled = { least: pooledTasks.least / lanes, most: pooledTasks.most / lanes };
    this.#sizes = {
      ...{ item, cell },
      ...(this.pool ? { state: stateMemory / lanes, task: pooled } : { state: stateMemory, task: ownTask }),
    };
    const totalBytes = countOf(axes.map(({ range }) => range.count)) * item;
    this.#progress = { bytes: 0, totalBytes, received: 0 };
  }

  #stateForm(cells: number): StateForm {
    const { values, fields, weights } = this.plan;
    return { ...values, fields, weights: weights.map(({ axes }) => ({ axes, values: noWeights })), cells };
  }

  /** Yields the tasks of all blocks, and the end of each block. */
  *work(): Generator<Work> {
    const { axes, labels } = this.plan;
    for (const block of blocks(axes, this.#sizes)) {
      const cells = countOf(block.cells.map(({ from, to }) => to - from)) * (labels?.cells ?? 1);
      const form = { state: this.#stateForm(cells), histograms: this.plan.histograms ?? [] };
      const open: OpenBlock = { block, form, accumulators: undefined, pending: 1 };
      for (const task of tasks(axes, block, this.#sizes)) {
        open.pending++;
        yield { open, task };
      }
      yield { open, task: undefined };
    }
  }

  async run({ open, task }: Work): Promise<void> {
    if (task) {
      const done = { slabs: 0 }; // a second attempt does not add them again
      await this.plan.array.reader.again(() => this.#task(open, task, done));
      this.#advance(task);
    }
    if (--open.pending > 0) return;
    const accumulators = await this.#accumulatorsOf(open);
    accumulators.take((state, histograms) => this.take(open.block, state, true, histograms));
    accumulators.free();
    this.#open.delete(open);
  }

  free(): void {
    for (const { accumulators } of this.#open) accumulators?.free();
  }

  #advance(task: Box): void {
    const progress = this.#progress;
    progress.bytes += countIn(task) * this.#sizes.item;
    this.options.onProgress?.({ ...progress });
  }

  async #accumulatorsOf(open: OpenBlock): Promise<Accumulators> {
    const session = open.accumulators ? undefined : await getSession(this.#module);
    open.accumulators ??= new Accumulators(session!, open.form);
    this.#open.add(open);
    return open.accumulators;
  }

  async #task(open: OpenBlock, task: Box, done: { slabs: number }): Promise<void> {
    const { array } = this.plan;
    const { signal } = this.options;
    const chunks = new TaskChunks(array, open.block, this.plan.axes, task, this.#sizes);
    let received = 0;
    try {
      const projections = this.plan.axes.map(({ range, grid }, axis) =>
        projectRange(subrange(range, task.from[axis]!, task.to[axis]!), grid),
      );
      await assemble({ reader: array.reader, projections, itemBytes: this.#sizes.item }, chunks, {
        signal,
        concurrency: Math.max(1, Math.ceil((this.options.concurrency ?? defaultConcurrency) / this.lanes)),
        coalescing: defaultCoalescing,
        transport: this.pool?.transport,
        onProgress: ({ bytes }) => {
          this.#progress.received += bytes - received;
          received = bytes;
        },
      });
      const slabs = chunks.slabs.map((slab) => this.#reductionOf(open, slab));
      await (this.pool ? this.#inPool(open, slabs) : this.#here(open, slabs, done));
    } catch (error) {
      throw error instanceof StepFailure ? chunks.located(error) : error;
    } finally {
      chunks.release();
    }
  }

  async #inPool(open: OpenBlock, slabs: readonly SlabReduction[]): Promise<void> {
    const { form } = open;
    const made = await this.pool!.submit(reduceTask(this.#module, { form, slabs }), this.options.signal);
    (await this.#accumulatorsOf(open)).merge(made);
    this.#partial(open);
  }

  /** Adds slabs to the accumulators of the block. @param done slabs added before; counts those added. */
  async #here(open: OpenBlock, slabs: readonly SlabReduction[], done: { slabs: number }): Promise<void> {
    const accumulators = await this.#accumulatorsOf(open);
    let first = 0;
    for (const [i, next] of slabs.entries()) {
      if (i >= done.slabs) addSlab(accumulators, next, first);
      done.slabs = Math.max(done.slabs, i + 1);
      first += next.steps.length;
      if (performance.now() < this.#turn) continue;
      await nextTask();
      this.options.signal?.throwIfAborted();
      this.#turn = performance.now() + turnTime;
    }
    this.#partial(open);
  }

  #partial({ block, accumulators }: OpenBlock): void {
    if (this.options.isPartial)
      accumulators?.take((state, histograms) => this.take(block, state, false, histograms));
  }

  /** Returns the reductions of a slab: one for each combination of the tables of its axes. */
  #reductionOf({ block, form }: OpenBlock, { box, bytes, steps }: TaskSlab): SlabReduction {
    const { axes, labels, positionStrides, values, fields, weights } = this.plan;
    const shape = boxLengths(box);
    const counts = block.cells.map(({ from, to }) => to - from);
    const strides = stridesOf(counts);
    const common = {
      ...values,
      fields,
      shape: orOne(shape, 1),
      labels: labels && {
        axes: labels.axes,
        table: partOf(labels, axes, box),
        stride: countOf(counts),
      },
      weights: weights.map((table) => ({ axes: table.axes, values: partOf(table, axes, box) })),
      cells: form.state.cells,
    };
    const lists = axes.map((axis, i): readonly ("keep" | "single" | Uint32Array)[] => {
      if (axis.kind !== "table") return [axis.kind];
      const start = block.spans[i]!.from;
      return block.tables[i]!.map((table) => table.subarray(box.from[i]! - start, box.to[i]! - start));
    });
    const reductions = [...combine(lists)].map(
      (cells): BoxReduction => ({
        ...common,
        axes: orOne(
          cells.map((own, i) => ({
            cells: own,
            stride: own === "single" ? 0 : strides[i]!,
            index: box.from[i]!,
            indexStride: positionStrides[i]!,
          })),
          { cells: "single", stride: 0, index: 0, indexStride: 0 },
        ),
      }),
    );
    return { bytes, elements: countOf(shape), steps, reductions };
  }
}

/** The core expects at least one axis. */
const orOne = <T>(list: readonly T[], one: T): readonly T[] => (list.length > 0 ? list : [one]);

function* combine<T>(lists: readonly (readonly T[])[], axis = 0): Generator<T[]> {
  if (axis === lists.length) yield [];
  else for (const first of lists[axis]!) for (const rest of combine(lists, axis + 1)) yield [first, ...rest];
}

const subrange = ({ start, step }: PlanAxis["range"], from: number, to: number): PlanAxis["range"] => ({
  start: start + from * step,
  step,
  count: to - from,
  dropped: false,
});
