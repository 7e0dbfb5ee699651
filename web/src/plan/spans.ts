/** Where the parts of a slab lie in the result. */
import { countOf, indices, stridesOf } from "../util/strides.js";

/** A box of a result. */
export interface SlabPlace {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** Shape of the whole result. */
  readonly whole: readonly number[];
  readonly itemBytes: number;
}

/** Bytes that lie together in a packed box and in the result. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** The runs of a box, as long as its layout allows. */
export function* spansOf({ origin, shape, whole, itemBytes }: SlabPlace): Generator<Span> {
  let runAxis = shape.length; // axes from here on are whole in the box: one run
  while (runAxis > 0 && shape[runAxis - 1] === whole[runAxis - 1]) runAxis--;
  // The axis before them is a stretch of the result's: part of the run, too.
  runAxis = Math.max(0, runAxis - 1);
  const strides = stridesOf(whole, itemBytes);
  const bytes = countOf(shape.slice(runAxis)) * itemBytes;
  const start = origin.reduce((sum, first, axis) => sum + first * strides[axis]!, 0);
  let from = 0;
  for (const index of indices(shape.slice(0, runAxis))) {
    const to = index.reduce((sum, i, axis) => sum + i * strides[axis]!, start);
    yield { from, to, bytes };
    from += bytes;
  }
}
