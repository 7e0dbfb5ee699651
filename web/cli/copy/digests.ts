/**
 * Compares the written array with the source although the two are read in different boxes: `--verify` of a copy that goes
 * through intermediate chunks must notice if these are lost or changed.
 */
import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { type Box, positionsIn } from "#internal";
import { type BoxData, placeText } from "./box-copy.js";
import { lengthsOf } from "./boxes.js";
import type { RechunkPlan } from "./plan.js";
import { different } from "./work.js";

/** One digest per cell. Cells are cut so that boxes of both passes consist of whole ones. */
export class CellDigests {
  /** Where cells begin, per axis, and the end. */
  readonly #cuts: readonly (readonly number[])[];
  readonly #digests: BigUint64Array;

  /** @param itemBytes bytes of an element in packed data. */
  constructor(
    region: Box,
    { into, out }: Extract<RechunkPlan, { type: "staged" }>,
    private readonly itemBytes: number,
  ) {
    this.#cuts = region.from.map((from, axis) => {
      const cuts = new Set<number>([region.to[axis]!]);
      for (const { boxShape } of [into, out])
        for (let at = from; at < region.to[axis]!; at += boxShape[axis]!) cuts.add(at);
      return [...cuts].sort((a, b) => a - b);
    });
    this.#digests = new BigUint64Array(this.#cuts.reduce((count, cuts) => count * (cuts.length - 1), 1));
  }

  /** Takes a box of the source. */
  add(box: Box, data: BoxData): void {
    for (const { index, cell } of this.#cellsIn(box)) this.#digests[index] = this.#digestOf(box, data, cell);
  }

  /** @throws an Error if a box differs from the source. */
  check(box: Box, data: BoxData): void {
    for (const { index, cell } of this.#cellsIn(box))
      if (this.#digests[index] !== this.#digestOf(box, data, cell)) throw different(placeText(cell));
  }

  *#cellsIn(box: Box): Generator<{ index: number; cell: Box }> {
    const find = (at: number, axis: number) => this.#cuts[axis]!.indexOf(at);
    for (const at of positionsIn({ from: box.from.map(find), to: box.to.map(find) })) {
      yield {
        index: at.reduce((index, i, axis) => index * (this.#cuts[axis]!.length - 1) + i, 0),
        cell: {
          from: at.map((i, axis) => this.#cuts[axis]![i]!),
          to: at.map((i, axis) => this.#cuts[axis]![i + 1]!),
        },
      };
    }
  }

  #digestOf(box: Box, data: BoxData, cell: Box): bigint {
    const content =
      data instanceof Uint8Array
        ? this.#bytesOf(box, data, cell)
        : inspect(
            [...rowsOf(box, cell)].flatMap(([start, end]) => data.slice(start, end)),
            exactly,
          );
    return createHash("sha1").update(content).digest().readBigUInt64LE(0);
  }

  #bytesOf(box: Box, data: Uint8Array, cell: Box): Uint8Array {
    const { itemBytes } = this;
    const bytes = new Uint8Array(lengthsOf(cell).reduce((a, b) => a * b, itemBytes));
    let at = 0;
    for (const [start, end] of rowsOf(box, cell)) {
      bytes.set(data.subarray(start * itemBytes, end * itemBytes), at);
      at += (end - start) * itemBytes;
    }
    return bytes;
  }
}

/** Prints values completely: equal strings mean equal values. */
const exactly = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: Number.POSITIVE_INFINITY,
  maxStringLength: Number.POSITIVE_INFINITY,
  sorted: true,
};

/** Runs of elements in a box (in C order) that make up a cell of it: where each begins and ends. */
function* rowsOf(box: Box, cell: Box): Generator<[start: number, end: number]> {
  const lengths = lengthsOf(box);
  // Trailing axes of which the cell has all are part of one run.
  let axis = lengths.length - 1;
  while (axis > 0 && cell.to[axis]! - cell.from[axis]! === lengths[axis]) axis--;
  const outer = { from: cell.from.slice(0, Math.max(0, axis)), to: cell.to.slice(0, Math.max(0, axis)) };
  const inner = lengths.slice(axis + 1).reduce((a, b) => a * b, 1);
  const [from, to] =
    axis < 0 ? [0, 1] : [cell.from[axis]! - box.from[axis]!, cell.to[axis]! - box.from[axis]!];
  const length = lengths[axis] ?? 1;
  for (const at of positionsIn(outer)) {
    const row = at.reduce((index, i, k) => index * lengths[k]! + (i - box.from[k]!), 0) * length;
    yield [(row + from) * inner, (row + to) * inner];
  }
}
