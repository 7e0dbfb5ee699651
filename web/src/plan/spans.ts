/** Maps the parts of a slab to the result. */
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

/** Bytes that are contiguous both in a packed box and in the result. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** Yields the runs of a box, as long as its layout allows. */
export function* spansOf({ origin, shape, whole, itemBytes }: SlabPlace): Generator<Span> {
  let runAxis = shape.length; // the box spans all axes from here on: one run
  while (runAxis > 0 && shape[runAxis - 1] === whole[runAxis - 1]) runAxis--;
  // Along the preceding axis, the box is contiguous in the result: also part of the run.
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
