/** Runs reductions: reads the chunks task by task, adds them to accumulators, and hands out those of finished blocks. */

import {
  type BoxAxis,
  type BoxReduction,
  type Field,
  noCell,
  type StateForm,
  type ValueRule,
} from "../engine/box-reduction.js";
import { getSession } from "../engine/engine.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { combinations, projectRange } from "../plan/projections.js";
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
import { reduceTask } from "../workers/reduce-work.js";
import { chunkExtent, cuts, type PlanAxis, planAxis, rangeFrom } from "./axes.js";
import { type Block, blocks, boxesOf, type Sizes, slabSpans, tasks } from "./boxes.js";
import type { Elements } from "./source.js";
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
  readonly labels?: JointLabels | undefined;
  /** Histograms of all elements. All axes must be reduced, without tables. */
  readonly histograms?: readonly HistogramForm[] | undefined;
}

/** Further cells, by tables of the positions along some axes; several if elements belong to more than one cell. */
export interface JointLabels {
  /** Ascending. */
  readonly axes: readonly number[];
  readonly tables: readonly Uint32Array[];
  readonly cells: number;
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
  /** Whether unfinished accumulators are handed out after tasks. */
  readonly isPartial?: boolean | undefined;
}

/** Receives the accumulators of a block, which are only borrowed. */
type TakeState = (block: Block, state: Uint8Array, histograms: readonly HistogramCounts[]) => void;

/** Memory for the accumulators of a block, and for the chunks of tasks, on the calling thread and with a pool. */
const ownMemory = { state: 3 * 2 ** 25, least: 2 ** 24, most: 9 * 2 ** 23 };
const pooledMemory = { state: 2 ** 25, least: 2 ** 26, most: 3 * 2 ** 26 };
const defaultConcurrency = 16;
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
  /** Slabs of missing chunks by their shape, and how many there are of each. */
  readonly missing: Map<string, { readonly slab: TaskSlab; readonly count: number }>;
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

/** Reduces all elements to one cell; takes its accumulators at the end, and before if `isPartial`. */
export async function runWhole(
  { array, count, selections, values }: Elements,
  work: Pick<ReductionPlan, "fields" | "histograms">,
  options: RunOptions,
  take: (state: Uint8Array, histograms: readonly HistogramCounts[]) => void,
): Promise<void> {
  if (count === 0) return;
  const axes = selections.map((range, axis) => planAxis(range, array.reader.axes[axis]!, "single"));
  const plan = { array, axes, values, ...work, positionStrides: axes.map(() => 0), weights: [] };
  await runReduction(plan, options, (_, state, histograms) => take(state, histograms));
}

class Runner {
  readonly lanes: number;
  readonly pool: WorkerPool | undefined;
  readonly #module: "full" | "images";
  readonly #sizes: Sizes;
  readonly #open = new Set<OpenBlock>();
  readonly #progress: ReduceProgress;
  readonly #hasRepeats: boolean;
  #turn = performance.now() + turnTime;
  #nextPartial = 0;

  constructor(
    private readonly plan: ReductionPlan,
    private readonly options: RunOptions,
    private readonly take: TakeState,
  ) {
    const { array, axes, labels } = plan;
    const { firstCodec: codec } = array.reader;
    this.#hasRepeats = hasRepeats(plan);
    this.pool = options.pool && pays(options.pool, codec) ? options.pool : undefined;
    this.lanes = 2 + (this.pool?.size ?? 0); // one task is read while each thread reduces another
    this.#module = codec.decodeModule === "images" ? "images" : "full";
    const item = array.dtype.itemBytes;
    const cell = accumulatorBytes({ state: this.#stateForm(1), histograms: [] }) * (labels?.cells ?? 1);
    const { least, most, state } = this.pool ? pooledMemory : ownMemory;
    const tasks = this.pool ? this.lanes : 1;
    this.#sizes = { item, cell, state, task: { least: least / tasks, most: most / tasks } };
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
      const open: OpenBlock = { block, form, accumulators: undefined, pending: 1, missing: new Map() };
      for (const task of tasks(axes, block, this.#sizes)) {
        const parts = labels ? labelledParts(labels, axes, task) : [task];
        const skipped = parts.reduce((count, part) => count - countIn(part), countIn(task));
        this.#progress.bytes += skipped * this.#sizes.item;
        for (const part of parts) {
          open.pending++;
          yield { open, task: part };
        }
      }
      yield { open, task: undefined };
    }
  }

  async run({ open, task }: Work): Promise<void> {
    if (task) {
      const done = new Set<number>(); // slabs that a second attempt does not add again
      await this.plan.array.reader.again(() => this.#task(open, task, done));
      this.#progress.bytes += countIn(task) * this.#sizes.item;
      this.options.onProgress?.({ ...this.#progress });
    }
    if (--open.pending > 0) return;
    const accumulators = await this.#accumulatorsOf(open);
    await this.#addMissing(open, accumulators);
    this.#take(open);
    accumulators.free();
    this.#open.delete(open);
  }

  free(): void {
    for (const { accumulators } of this.#open) accumulators?.free();
  }

  async #accumulatorsOf(open: OpenBlock): Promise<Accumulators> {
    const session = open.accumulators ? undefined : await getSession(this.#module);
    open.accumulators ??= new Accumulators(session!, open.form);
    this.#open.add(open);
    return open.accumulators;
  }

  async #task(open: OpenBlock, task: Box, done: Set<number>): Promise<void> {
    const { array, axes } = this.plan;
    const { signal } = this.options;
    const projections = axes.map(({ range, grid }, axis) =>
      projectRange(subrange(range, task.from[axis]!, task.to[axis]!), grid),
    );
    const spans = slabSpans(axes, open.block, task, this.#sizes);
    const chunks = new TaskChunks(array, task, spans, projections);
    if (!this.pool) {
      const accumulators = await this.#accumulatorsOf(open);
      chunks.onSlab = async (slab, i) => {
        if (!done.has(i) && !this.#repeats(open, slab)) accumulators.add(this.#reductionOf(open, slab));
        done.add(i);
        await this.#pause();
      };
    }
    let received = 0;
    try {
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
      if (this.pool) await this.#inPool(open, chunks.slabs);
      this.#partial(open);
    } catch (error) {
      throw error instanceof StepFailure ? chunks.located(error) : error;
    } finally {
      chunks.release();
    }
  }

  async #inPool(open: OpenBlock, all: readonly TaskSlab[]): Promise<void> {
    const { form } = open;
    const slabs = all
      .filter((slab) => !this.#repeats(open, slab))
      .map((slab) => this.#reductionOf(open, slab));
    if (slabs.length === 0) return;
    const made = await this.pool!.submit(reduceTask(this.#module, { form, slabs }), this.options.signal);
    (await this.#accumulatorsOf(open)).merge(made);
  }

  /** Handles events now and then. */
  async #pause(): Promise<void> {
    if (performance.now() < this.#turn) return;
    await nextTask();
    this.options.signal?.throwIfAborted();
    this.#turn = performance.now() + turnTime;
  }

  /** Counts a slab that has missing chunks only, and adds the same as others of its shape. @returns whether it does. */
  #repeats({ missing }: OpenBlock, slab: TaskSlab): boolean {
    if (!this.#hasRepeats || slab.steps.some(({ encoded }) => encoded)) return false;
    const key = boxLengths(slab.box).join();
    missing.set(key, { slab, count: 1 + (missing.get(key)?.count ?? 0) });
    return true;
  }

  /** Adds slabs of missing chunks: reduces one of each shape, and doubles its accumulators. */
  async #addMissing(open: OpenBlock, accumulators: Accumulators): Promise<void> {
    for (const { slab, count } of open.missing.values()) {
      const part = new Accumulators(accumulators.session, open.form);
      try {
        part.add(this.#reductionOf(open, slab));
        for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) {
          const copy = part.copy();
          if (rest % 2 === 1) accumulators.merge(copy);
          part.merge(copy);
          await this.#pause();
        }
      } finally {
        part.free();
      }
    }
  }

  #take({ block, accumulators }: OpenBlock): void {
    accumulators?.take((state, histograms) => this.take(block, state, histograms));
  }

  /** Hands out unfinished accumulators, for at most a tenth of the time: they may be large, and tasks many. */
  #partial(open: OpenBlock): void {
    const began = performance.now();
    if (!this.options.isPartial || began < this.#nextPartial) return;
    this.#take(open);
    const ended = performance.now();
    this.#nextPartial = ended + 9 * (ended - began);
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
      weights: weights.map((table) => ({ axes: table.axes, values: partOf(table, axes, box) })),
      cells: form.state.cells,
    };
    const lists = axes.map((axis, i): readonly BoxAxis[] => {
      const start = block.spans[i]!.from;
      const own =
        axis.kind === "table"
          ? block.tables[i]!.map((table) => table.subarray(box.from[i]! - start, box.to[i]! - start))
          : [axis.kind];
      const stride = axis.kind === "single" ? 0 : strides[i]!;
      return own.map((cells) => ({ cells, stride, index: box.from[i]!, indexStride: positionStrides[i]! }));
    });
    const stride = countOf(counts);
    const joint = labels
      ? labelsIn(labels, axes, box).map(({ axes: own, values: table }) => ({ axes: own, table, stride }))
      : [undefined];
    const all = [...combinations(lists)].map((own) => orOne(own, wholeAxis));
    const reductions = joint.flatMap((table) =>
      all.map((own): BoxReduction => ({ ...common, labels: table, axes: own })),
    );
    return { bytes, elements: countOf(shape), steps, reductions };
  }
}

/** Whether a pool reduces faster than this thread. */
const pays = (pool: WorkerPool, codec: ZarrArray["reader"]["firstCodec"]): boolean =>
  codec.type === "core" &&
  pool.size > 0 &&
  (!pool.helps() || (!codec.isNative && pool.outweighsCopy(codec.plan, "decode")));

/** Whether the effect of a slab depends only on its elements and its shape. */
const hasRepeats = ({ axes, fields, histograms = [], labels, weights }: ReductionPlan): boolean =>
  !labels &&
  weights.length + histograms.length === 0 &&
  axes.every(({ kind }) => kind !== "table") &&
  fields.every((field) => /^(count|sum|squares|min|max|nonzero)$/.test(field));

/** Returns the tables of a box that have any cell. */
function labelsIn(
  { axes: own, tables }: JointLabels,
  axes: readonly PlanAxis[],
  box: Box,
): JointTable<Uint32Array>[] {
  const parts = tables.map((values) => ({ axes: own, values: partOf({ axes: own, values }, axes, box) }));
  return parts.filter(({ values }) => values.some((cell) => cell !== noCell));
}

/** Returns a task, or the parts of it that have cells if some chunks have none: these are not read. */
function labelledParts(labels: JointLabels, axes: readonly PlanAxis[], task: Box): readonly Box[] {
  const boxes = boxesOf(
    axes.map((axis, i) => {
      const span = { from: task.from[i]!, to: task.to[i]! };
      return labels.axes.includes(i) ? [...cuts(axis, span, chunkExtent(axis))] : [span];
    }),
  );
  const used = boxes.filter((box) => labelsIn(labels, axes, box).length > 0);
  return used.length === boxes.length ? [task] : used;
}

const wholeAxis: BoxAxis = { cells: "single", stride: 0, index: 0, indexStride: 0 };
/** The core expects at least one axis. */
const orOne = <T>(list: readonly T[], one: T): readonly T[] => (list.length > 0 ? list : [one]);

const subrange = ({ start, step }: PlanAxis["range"], from: number, to: number): PlanAxis["range"] =>
  rangeFrom(start + from * step, to - from, step);
