/**
 * Plans how an array is rechunked in bounded memory: the boxes of whole target objects, and whether they go through
 * intermediate chunks. Pure arithmetic; nothing is read.
 */

/** One axis of the copy, in elements of the target. */
export interface PlannedAxis {
  readonly length: number;
  /** Length of the objects that are written, each as a whole. */
  readonly cell: number;
  /** Length of the chunks that are read, each as a whole. */
  readonly chunk: number;
}

export interface PlanInput {
  readonly axes: readonly PlannedAxis[];
  /** Bytes of an element in memory. */
  readonly itemBytes: number;
  /** Limit for the bytes of a box; a single object may be larger. */
  readonly boxBytes: number;
  /** Cost of reading relative to reading from a local disk. Default: 1. */
  readonly readCost?: number | undefined;
  /** Whether intermediate chunks can be stored. Default: true. */
  readonly mayStage?: boolean | undefined;
}

export interface Pass {
  /** Shape of the boxes that are read and then written: multiples of the cells, or the whole length of an axis. */
  readonly boxShape: readonly number[];
  /** How often each byte is read on average. */
  readonly ratio: number;
}

export type RechunkPlan =
  | { readonly type: "direct"; readonly pass: Pass }
  | {
      readonly type: "staged";
      /** Shape of the intermediate chunks. */
      readonly middle: readonly number[];
      readonly into: Pass;
      readonly out: Pass;
    };

/** Cost of a file: the number of bytes that can be read in the same time. */
const fileCost = 100_000;
/** Reading everything this often always counts as cheaper than intermediate files. */
const fewReads = 2;

/** Boxes of one pass, several of which fit into the memory for one. */
export interface ParallelPass {
  readonly pass: Pass;
  readonly lanes: number;
}

/** How much more smaller boxes may read. */
const tolerance = 1.01;

/** Parts of the memory per lane, at least: chunks in flight, and memory for encoded chunks. */
const fewParts = 2;
/** Parts of the memory per lane, at most. */
const manyParts = 16;
/** Boxes of this size stay in the caches of the processor; the work on a box itself takes little of the time. */
const enoughBytes = 2 ** 20;

/**
 * Divides the memory for a box among smaller boxes, if these read no more: they can be copied in parallel, and stay in the
 * caches of the processor.
 * @param pass plan of boxes that take all of the memory.
 */
export function dividePass(input: PlanInput, pass: Pass, lanes: number): ParallelPass {
  // Boxes of few chunks have few requests in flight.
  const isRemote = (input.readCost ?? 1) > 1;
  for (let parts = (isRemote ? fewParts : manyParts) * lanes; parts > 1; parts /= 2) {
    const boxBytes = input.boxBytes / parts;
    if (boxBytes < enoughBytes && parts > fewParts * lanes) continue;
    const smaller = planPass({ ...input, boxBytes });
    const bytes = smaller.boxShape.reduce((a, b) => a * b, input.itemBytes);
    if (bytes <= boxBytes && smaller.ratio <= tolerance * pass.ratio)
      return { pass: smaller, lanes: Math.min(lanes, Math.floor(parts)) };
  }
  return { pass, lanes: 1 };
}

/** Returns the cheapest plan. */
export function planRechunk(input: PlanInput): RechunkPlan {
  const { readCost = 1, mayStage = true } = input;
  const pass = planPass(input);
  const direct = { type: "direct", pass } as const;
  if (pass.ratio <= fewReads || !mayStage) return direct;
  const staged = stagedPlan(input);
  const bytes = input.axes.reduce((product, { length }) => product * length, input.itemBytes);
  const files = input.axes.reduce((n, { length }, axis) => n * Math.ceil(length / staged.middle[axis]!), 1);
  const stagedCost = bytes * (staged.into.ratio * readCost + 1 + staged.out.ratio) + 2 * files * fileCost;
  return bytes * pass.ratio * readCost <= stagedCost ? direct : staged;
}

/**
 * Plans a copy through intermediate chunks. They are the intersections of boxes of source chunks with boxes of target
 * objects, so that either kind of box consists of whole ones.
 */
function stagedPlan(input: PlanInput): Extract<RechunkPlan, { type: "staged" }> {
  const sourceAxes = input.axes.map((axis) => ({ ...axis, cell: Math.max(1, Math.floor(axis.chunk)) }));
  const reading = planPass({ ...input, axes: sourceAxes }).boxShape;
  const writing = planPass({
    ...input,
    axes: input.axes.map((axis) => ({ ...axis, chunk: axis.cell })),
  }).boxShape;
  const middle = reading.map((length, axis) => Math.min(length, writing[axis]!));
  const into = planPass({ ...input, axes: input.axes.map((axis, i) => ({ ...axis, cell: middle[i]! })) });
  const out = planPass({ ...input, axes: input.axes.map((axis, i) => ({ ...axis, chunk: middle[i]! })) });
  return { type: "staged", middle, into, out };
}

/**
 * Boxes of whole cells, as large as memory allows, that read the least: an axis grows as long as that saves more
 * reading for the memory than another one would; the remaining memory makes boxes longer, the last axis first.
 */
export function planPass({ axes, itemBytes, boxBytes }: PlanInput): Pass {
  const shape = axes.map(({ cell, length }) => Math.min(cell, Math.max(1, length)));
  const bytes = () => shape.reduce((a, b) => a * b, itemBytes);
  const fits = (axis: number, length: number) => (bytes() / shape[axis]!) * length <= boxBytes;
  for (;;) {
    let best: { axis: number; length: number; gain: number } | undefined;
    axes.forEach((given, axis) => {
      for (const length of longer(given, shape[axis]!, boxBytes / (bytes() / shape[axis]!))) {
        if (!fits(axis, length)) continue;
        const saved = Math.log(axisRatio(given, shape[axis]!) / axisRatio(given, length));
        const gain = saved / Math.log(length / shape[axis]!);
        if (saved > 1e-9 && gain > (best?.gain ?? 0)) best = { axis, length, gain };
      }
    });
    if (!best) break;
    shape[best.axis] = best.length;
  }
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    const before = axisRatio(axes[axis]!, shape[axis]!);
    for (const length of longer(axes[axis]!, shape[axis]!, boxBytes / (bytes() / shape[axis]!))) {
      const isNoWorse = axisRatio(axes[axis]!, length) <= before + 1e-9;
      if (length > shape[axis]! && fits(axis, length) && isNoWorse) shape[axis] = length;
    }
  }
  return {
    boxShape: shape,
    ratio: axes.reduce((product, axis, i) => product * axisRatio(axis, shape[i]!), 1),
  };
}

/** Returns lengths that an axis may grow to: more cells, cells aligned with chunks, as many as fit, the whole axis. */
function longer({ cell, chunk, length }: PlannedAxis, now: number, maxLength: number): number[] {
  if (now >= length) return [];
  const common = Number.isInteger(chunk) ? (cell / gcd(cell, chunk)) * chunk : cell;
  const room = Math.floor(maxLength / cell) * cell;
  const aligned = Math.floor(maxLength / common) * common;
  const candidates = [now + cell, 2 * now, common, 2 * common, room, aligned, length];
  return [...new Set(candidates.map((one) => Math.min(one, length)))]
    .filter((one) => one > now)
    .sort((a, b) => a - b);
}

/**
 * How often chunks are read along an axis by boxes of a length: a box that starts at a multiple of its length touches
 * (length + chunk - their greatest common divisor) / chunk chunks on average.
 */
export function axisRatio({ length, chunk }: PlannedAxis, box: number): number {
  if (box >= length) return 1;
  const whole = Math.min(chunk, length);
  return (box + whole - gcd(box, whole)) / box;
}

function gcd(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) return Math.min(1, a, b);
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
