/**
 * How an array is rechunked within bounded memory: in which boxes of whole target objects, and whether by way of
 * intermediate chunks. Plain arithmetic; nothing is read.
 */

/** One axis of what is copied, in elements of the target. */
export interface PlannedAxis {
  readonly length: number;
  /** Of the objects that are written, each whole. */
  readonly cell: number;
  /** Of the chunks that are read, each whole. */
  readonly chunk: number;
}

export interface PlanInput {
  readonly axes: readonly PlannedAxis[];
  /** Bytes of an element in memory. */
  readonly itemBytes: number;
  /** Most bytes of a box; a single object may be larger. */
  readonly boxBytes: number;
  /** What reading costs, in terms of reading from a local disk. */
  readonly readCost?: number | undefined;
}

export interface Pass {
  /** Of the boxes that are read and then written: multiples of the cells, or an axis' whole length. */
  readonly boxShape: readonly number[];
  /** How often each byte of what is read is read. */
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

/** What a file costs, in bytes of reading that take as long. */
const fileCost = 100_000;
/** Reading everything twice is taken for cheaper than files that come and go, whatever the sums say. */
const fewReads = 2;

/** The cheapest way. */
export function planRechunk(input: PlanInput): RechunkPlan {
  const { readCost = 1 } = input;
  const pass = planPass(input);
  const direct = { type: "direct", pass } as const;
  if (pass.ratio <= fewReads) return direct;
  const staged = stagedPlan(input);
  const bytes = input.axes.reduce((product, { length }) => product * length, input.itemBytes);
  const files = input.axes.reduce((n, { length }, axis) => n * Math.ceil(length / staged.middle[axis]!), 1);
  const stagedCost = bytes * (staged.into.ratio * readCost + 1 + staged.out.ratio) + 2 * files * fileCost;
  return bytes * pass.ratio * readCost <= stagedCost ? direct : staged;
}

/**
 * Through intermediate chunks: those are the part that boxes of source chunks and boxes of target objects have in
 * common, so that each box of either is made of whole ones.
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
 * reading for the memory than another one would; then what is left makes boxes longer, the last axis first.
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

/** Lengths that an axis may grow to: more cells, cells that end where chunks do, as many as there is room for, all. */
function longer({ cell, chunk, length }: PlannedAxis, now: number, most: number): number[] {
  if (now >= length) return [];
  const common = Number.isInteger(chunk) ? (cell / gcd(cell, chunk)) * chunk : cell;
  const room = Math.floor(most / cell) * cell;
  const aligned = Math.floor(most / common) * common;
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
