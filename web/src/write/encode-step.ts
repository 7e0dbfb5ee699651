/** Encodes one chunk from values, as a step that a session on any thread can run. */

import { type CoreChunkCodec, wholePlace } from "../chain/chunk-codec.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession, Copy, Placement } from "../engine/session.js";
import { encodeFailed, isZarrError } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { type Move, moveItems } from "../util/strided-copy.js";
import type { WritePart } from "./region-parts.js";
import { checkThere, type Values } from "./values.js";
import { moveOf, roomIn } from "./write-slabs.js";

export interface EncodeStep {
  readonly plan: PlanWords;
  /** Size of the slab in which the chunk is assembled, and the position of the elements there. */
  readonly bytes: number;
  readonly place: Placement;
  /**
   * Source of the elements that get no value: a stored chunk, or the fill value. Undefined if all elements
   * get a value.
   */
  readonly before: { readonly encoded: Uint8Array | undefined } | undefined;
  /** The values, and their move into the slab. */
  readonly source: Uint8Array;
  readonly move: Move;
  /** Whether to encode chunks that contain only the fill value. */
  readonly keepsFill: boolean;
}

/** Returns the step for a chunk that the parts cover as far as it lies in the array. */
export function wholeStep(
  { plan }: CoreChunkCodec,
  values: Values,
  parts: readonly WritePart[],
  keepsFill: boolean,
): EncodeStep {
  const source = values.content as Uint8Array;
  const isBox = parts.every(({ listed, step, count }) => !listed && (step === 1 || count === 1));
  if (!isBox) return chunkStep(plan, values, parts, undefined, keepsFill);
  const shape = parts.map(({ count }) => count);
  const strides = stridesOf(shape, values.width);
  const place = {
    offset: 0,
    axes: parts.map(({ start, count }, axis) => [start, 1, count, strides[axis]!] as const),
  };
  const box = parts.map((part) => ({ ...part, start: 0, step: 1 }));
  const bytes = countOf(shape) * values.width;
  return { plan, bytes, place, before: undefined, source, move: moveOf(values, box, shape), keepsFill };
}

/** Returns the step for a chunk whose other elements come from a stored chunk, or have the fill value. */
export function patchStep(
  { plan }: CoreChunkCodec,
  values: Values,
  parts: readonly WritePart[],
  stored: Uint8Array | undefined,
  keepsFill: boolean,
): EncodeStep {
  return chunkStep(plan, values, parts, stored, keepsFill);
}

function chunkStep(
  plan: CoreChunkCodec["plan"],
  values: Values,
  parts: readonly WritePart[],
  encoded: Uint8Array | undefined,
  keepsFill: boolean,
): EncodeStep {
  const { shape } = plan.array;
  return {
    plan,
    bytes: plan.decodedBytes,
    place: wholePlace(shape, values.width),
    before: { encoded },
    source: values.content as Uint8Array,
    move: moveOf(values, parts, shape),
    keepsFill,
  };
}

/** Chunks that are encoded from one slab. */
export interface EncodeBatch extends Omit<EncodeStep, "place"> {
  /** Position of each chunk's elements in the slab; a batch with `before` has one chunk. */
  readonly places: readonly Placement[];
}

/**
 * Runs a batch.
 * @param each gets a function that encodes one chunk (undefined if it contains only the fill value and is not
 *   kept) and returns its result.
 * @param copy receives the encoded bytes. Default: copies them to new memory.
 * @returns "no room" if a slab cannot be allocated.
 * @throws CorruptChunk for the stored chunk; errors that `each` passes on: EncodeFailed.
 */
export function runBatch<T>(
  session: CodecSession,
  { plan, bytes, places, before, source, move, keepsFill }: EncodeBatch,
  each: (encode: () => Uint8Array<ArrayBuffer> | undefined) => T,
  copy?: Copy,
): T[] | "no room" {
  checkThere(source);
  const slab = roomIn(session, bytes);
  if (!slab) return "no room";
  try {
    if (before) session.place(slab, { plan, encoded: before.encoded, ...places[0]! });
    session.fillSlab(slab, (target) => moveItems(source, target, move));
    return places.map((place) =>
      each(() => encoding(() => session.encodePlaced(slab, { plan, ...place }, keepsFill, copy))),
    );
  } finally {
    session.freeSlab(slab);
  }
}

/** Runs a single step; see {@link runBatch}. */
export function runStep(
  session: CodecSession,
  { place, ...step }: EncodeStep,
  copy?: Copy,
): Uint8Array<ArrayBuffer> | undefined | "no room" {
  const outcome = runBatch(session, { ...step, places: [place] }, (encode) => encode(), copy);
  return outcome === "no room" ? outcome : outcome[0];
}

/** Minimum row length in bytes for copying chunks separately. */
const enoughRow = 512;

/**
 * Combines steps into batches: adjacent chunks along the last axis are copied together as long as their rows
 * are short. Their values are then copied in longer runs and gathered by the core.
 * @param steps in the requested order, neighbours consecutively.
 */
export function batchesOf(steps: readonly EncodeStep[]): EncodeBatch[] {
  const groups: EncodeStep[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    if (group && isShort(group) && isBehind(group.at(-1)!, step)) group.push(step);
    else groups.push([step]);
  }
  return groups.map(joined);
}

const rowOf = ({ move }: EncodeStep): number => (move.axes.at(-1)?.count ?? 1) * move.itemBytes;
const isShort = (group: readonly EncodeStep[]): boolean =>
  group.reduce((bytes, step) => bytes + rowOf(step), 0) < enoughRow;

/** Whether a step takes the next box of the same values, for a chunk of the same kind. */
function isBehind(a: EncodeStep, b: EncodeStep): boolean {
  const last = a.move.axes.length - 1;
  return (
    a.before === undefined &&
    b.before === undefined &&
    a.plan === b.plan &&
    a.source === b.source &&
    last >= 0 &&
    b.move.from === a.move.from + rowOf(a) &&
    a.move.axes.every(({ count }, axis) => axis === last || count === b.move.axes[axis]!.count)
  );
}

function joined(steps: readonly EncodeStep[]): EncodeBatch {
  const [first] = steps as readonly [EncodeStep, ...EncodeStep[]];
  const { place, ...rest } = first;
  if (steps.length === 1) return { ...rest, places: [place] };
  const { from, itemBytes, axes } = first.move;
  const row = steps.reduce((bytes, step) => bytes + rowOf(step), 0);
  const shape = axes.map(({ count }, axis) => (axis === axes.length - 1 ? row / itemBytes : count));
  const strides = stridesOf(shape, itemBytes);
  const move = {
    from,
    to: 0,
    itemBytes,
    axes: axes.map((axis, i) => ({ count: shape[i]!, from: axis.from, to: strides[i]! })),
  };
  let offset = 0;
  const places = steps.map((step) => {
    const own = {
      offset,
      axes: step.place.axes.map(([start, by, count], i) => [start, by, count, strides[i]!] as const),
    };
    offset += rowOf(step);
    return own;
  });
  return { ...rest, bytes: countOf(shape) * itemBytes, move, places };
}

/**
 * Converts the core's invalid-argument error, which means elements that a codec cannot represent, to
 * EncodeFailed.
 */
export function encoding<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isZarrError(error, "InvalidArgument")) throw error;
    throw encodeFailed(error.message, { code: error.code, codec: error.codec, cause: error });
  }
}
