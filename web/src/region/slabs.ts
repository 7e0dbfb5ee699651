/**
 * Slabs: boxes of the result that are put together inside the core and copied out in long runs. Rows of
 * chunks are often too short to be copied to the result one by one (64 uint16 are 128 bytes).
 */
import { sessionOf } from "../engine/engine.js";
import type { Plan } from "../engine/plan.js";
import type { CodecSession, Placement, Slab } from "../engine/session.js";
import { extentOf, type Sink } from "./assemble.js";
import type { Piece } from "./pieces.js";
import type { Fetched } from "./reader.js";
import type { ResultBytes } from "./result.js";
import { runsOf } from "./runs.js";
import { countOf, stridesOf } from "./strides.js";
import type { Group, RegionTask } from "./task.js";

/** Shortest run, in bytes, that is worth a copy of its own. */
const minRunBytes = 4096;
/** Largest slab, unless a single chunk is larger. */
const maxSlabBytes = 32 * 2 ** 20;

/**
 * Chooses from which axis on slabs span the whole result: the last one that makes runs long enough,
 * within the size limit. Axes before it are cut into single parts.
 * @param parts lengths of the parts that each axis may be cut into
 */
export function chooseSlabAxis(
  shape: readonly number[],
  parts: readonly (readonly number[])[],
  itemBytes: number,
): number {
  const longest = parts.map((list) => list.reduce((most, length) => Math.max(most, length), 0));
  let axis = shape.length;
  let tail = itemBytes; // bytes of the axes that the slab spans
  while (axis > 0) {
    const run = tail * longest[axis - 1]!;
    if (run >= minRunBytes) return axis;
    const widened = tail * shape[axis - 1]!;
    const bytes = longest.slice(0, axis - 1).reduce((a, b) => a * b, widened);
    if (bytes > maxSlabBytes && parts[axis - 1]!.length > 1) return axis;
    tail = widened;
    axis--;
  }
  return 0;
}

/**
 * What may be open in a session, for all reads together: the core has room for 256 slabs. Chunks for which there
 * is no room go to the result by themselves, in rows as short as they are.
 */
const maxOpenSlabs = 192;
const maxOpenBytes = 512 * 2 ** 20;

/** Slabs that are open in a session. */
interface OpenCount {
  slabs: number;
  bytes: number;
}

const openCounts = new WeakMap<CodecSession, OpenCount>();

/** A box of the result, and the slab in which it is put together. */
interface Box {
  readonly slab: Slab;
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** A slab under way: a group, or where that is too large a part of it. */
interface OpenSlab {
  /** undefined where there was no room. */
  readonly box: Box | undefined;
  /** Chunks that have not come yet. */
  pending: number;
}

/** How a group is cut into slabs: along the axes before `axis`, chunk by chunk. */
interface Cut {
  readonly axis: number;
  /** By the positions in the result of the chunks along the cut axes. */
  readonly open: Map<string, OpenSlab>;
  /** Chunks of the group that have not come yet. */
  pending: number;
}

/** Plans of the chunks of a region. */
export interface PlanSource {
  /** The plan of a chunk, or of a box of it with this shape. */
  planOf(task: RegionTask, boxShape?: readonly number[]): Plan;
  /** A plan that stands for all of them: their modules are the same. */
  readonly anyPlan: Plan;
}

/** Decodes chunks into slabs and copies these to the result. */
export class SlabSink implements Sink {
  readonly #cuts = new Map<Group, Cut>();
  readonly #shape: readonly number[];
  readonly #itemBytes: number;
  #session!: CodecSession;

  /** @param out the result: C order, native byte order */
  constructor(
    private readonly plans: PlanSource,
    pieces: readonly (readonly Piece[])[],
    private readonly out: ResultBytes,
  ) {
    this.#itemBytes = plans.anyPlan.array.dtype.itemBytes;
    this.#shape = pieces.map(extentOf);
  }

  async start(): Promise<void> {
    this.#session = await sessionOf(this.plans.anyPlan.decodeModule);
    this.#session.prepare(this.plans.anyPlan); // whatever is wrong with the chain is said before anything is read
  }

  put(task: RegionTask, fetched: Fetched | undefined): void {
    const cut = this.#cutOf(task.group);
    const key = task.pieces
      .slice(0, cut.axis)
      .map((piece) => piece.out)
      .join();
    let open = cut.open.get(key);
    if (!open) {
      open = this.#openSlab(task, cut);
      cut.open.set(key, open);
    }
    if (open.box) this.#place(task, fetched, open.box);
    else this.#placeAlone(task, fetched);
    if (--cut.pending === 0) this.#cuts.delete(task.group);
    if (--open.pending > 0) return;
    cut.open.delete(key);
    if (!open.box) return;
    this.#copyOut(open.box);
    this.#free(open.box);
  }

  end(): void {
    for (const { open } of this.#cuts.values()) {
      for (const { box } of open.values()) if (box) this.#free(box);
    }
    this.#cuts.clear();
  }

  #place(task: RegionTask, fetched: Fetched | undefined, to: Box): void {
    if (!fetched) {
      this.#session.fillPlaced(this.plans.planOf(task), placement(task.pieces, undefined, to));
    } else if ("encoded" in fetched) {
      const plan = this.plans.planOf(task);
      this.#session.decodePlaced(plan, fetched.encoded, placement(task.pieces, undefined, to));
    } else {
      const { box, bytes } = fetched;
      const plan = this.plans.planOf(task, box.shape);
      this.#session.decodePlaced(plan, bytes, placement(task.pieces, box.start, to));
    }
  }

  /** Puts a chunk where it belongs in the result by a slab of its own, which is gone at once. */
  #placeAlone(task: RegionTask, fetched: Fetched | undefined): void {
    const { pieces } = task;
    const box = this.#makeBox(
      pieces.map((piece) => piece.out),
      pieces.map((piece) => piece.count),
    );
    try {
      this.#place(task, fetched, box);
      this.#copyOut(box);
    } finally {
      this.#free(box);
    }
  }

  #makeBox(origin: readonly number[], shape: readonly number[]): Box {
    const bytes = countOf(shape) * this.#itemBytes;
    const slab = this.#session.makeSlab(bytes);
    const count = this.#openCount();
    count.slabs++;
    count.bytes += bytes;
    return { slab, origin, shape, strides: stridesOf(shape, this.#itemBytes) };
  }

  #free({ slab }: Box): void {
    const count = this.#openCount();
    count.slabs--;
    count.bytes -= slab.bytes;
    this.#session.freeSlab(slab);
  }

  #openCount(): OpenCount {
    const count = openCounts.get(this.#session) ?? { slabs: 0, bytes: 0 };
    openCounts.set(this.#session, count);
    return count;
  }

  /** A group is one slab, unless that would be too large. */
  #cutOf(group: Group): Cut {
    let cut = this.#cuts.get(group);
    if (!cut) {
      const isSmall = countOf(group.shape) * this.#itemBytes <= maxSlabBytes;
      const lengths = group.pieces.map((list) => list.map((piece) => piece.count));
      const axis = isSmall ? 0 : chooseSlabAxis(group.shape, lengths, this.#itemBytes);
      cut = { axis, open: new Map(), pending: countOf(lengths.map((list) => list.length)) };
      this.#cuts.set(group, cut);
    }
    return cut;
  }

  #openSlab({ pieces, group }: RegionTask, { axis }: Cut): OpenSlab {
    const cutPieces = pieces.slice(0, axis);
    const origin = [...cutPieces.map((piece) => piece.out), ...group.origin.slice(axis)];
    const shape = [...cutPieces.map((piece) => piece.count), ...group.shape.slice(axis)];
    const pending = countOf(group.pieces.slice(axis).map((list) => list.length));
    const { slabs, bytes } = this.#openCount();
    const hasRoom =
      slabs < maxOpenSlabs && (slabs === 0 || bytes + countOf(shape) * this.#itemBytes <= maxOpenBytes);
    return { box: hasRoom ? this.#makeBox(origin, shape) : undefined, pending };
  }

  /** Copies a finished slab to the result, in runs as long as its layout allows. */
  #copyOut({ slab, origin, shape }: Box): void {
    const isAll = slab.bytes === this.out.byteLength;
    if (isAll && this.out.adopt(() => this.#session.copySlab(slab))) return;
    for (const { from, to, bytes } of runsOf({
      origin,
      shape,
      whole: this.#shape,
      itemBytes: this.#itemBytes,
    }))
      this.#session.copyFromSlab(slab, from, bytes, this.out.bytes, to);
  }
}

/** Where the wanted part of a chunk (or of a box that starts at `boxStart` in it) goes in its slab. */
function placement(pieces: readonly Piece[], boxStart: readonly number[] | undefined, box: Box): Placement {
  return { slab: box.slab, ...placeOf(pieces, boxStart, box) };
}

/** {@link placement} in a slab that may lie in another thread. */
export function placeOf(
  pieces: readonly Piece[],
  boxStart: readonly number[] | undefined,
  { origin, strides }: Pick<Box, "origin" | "strides">,
): Omit<Placement, "slab"> {
  const offset = pieces.reduce((sum, piece, axis) => sum + (piece.out - origin[axis]!) * strides[axis]!, 0);
  const axes = pieces.map(
    (piece, axis) =>
      [piece.start - (boxStart?.[axis] ?? 0), piece.step, piece.count, strides[axis]!] as const,
  );
  return { offset, axes };
}
