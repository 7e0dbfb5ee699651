/**
 * Chunks that are stored exactly as they are used (no compressor, C order, native byte order) never
 * enter the core: their rows are copied from the fetched bytes to the result.
 */
import type { Plan } from "../../engine/plan.js";
import { corruptChunk } from "../../base/errors.js";
import type { Sink } from "./sink.js";
import { repeated } from "../../base/subarray.js";
import type { Fetched } from "../fetch/object-read.js";
import { extentOf, type Piece } from "../selection/projections.js";
import type { ResultBytes } from "./result.js";
import type { PlanSource } from "./slabs.js";
import { countOf, stridesOf } from "../../base/strides.js";
import type { RegionTask } from "./task.js";

/** Shorter rows are better gathered by the core, row copies from JavaScript cost some 50 ns each. */
const minRowBytes = 64;

/** True where the pieces of a plan's chunks can be copied as they are, in rows that are long enough. */
export function isNativePlan(plan: Plan, pieces: readonly (readonly Piece[])[]): boolean {
  if (!plan.isNative) return false;
  const inner = pieces.at(-1);
  if (!inner) return true;
  const longest = inner.reduce((most, piece) => Math.max(most, piece.count), 0);
  const rowBytes = longest * plan.array.dtype.itemBytes;
  const contiguous = inner.every((piece) => piece.step === 1 || piece.count === 1);
  return contiguous && (rowBytes >= minRowBytes || pieces.every((list) => list.length <= 1));
}

/** Copies rows from fetched chunks to the result. */
export class NativeSink implements Sink {
  readonly #outStrides: readonly number[];

  constructor(
    private readonly plans: PlanSource,
    pieces: readonly (readonly Piece[])[],
    private readonly out: ResultBytes,
  ) {
    this.#outStrides = stridesOf(pieces.map(extentOf), plans.anyPlan.array.dtype.itemBytes);
  }

  async start(): Promise<void> {}

  put(task: RegionTask, fetched: Fetched | undefined): void {
    const isBox = fetched !== undefined && "box" in fetched;
    const plan = this.plans.planOf(task, isBox ? fetched.box.shape : undefined);
    const start = isBox ? fetched.box.start : undefined;
    const bytes = fetched && ("box" in fetched ? fetched.bytes : fetched.encoded);
    placeNative(plan, bytes, task.pieces, start, this.out.bytes, this.#outStrides);
  }

  end(): void {}
}

/** Copies the part of a chunk that the pieces name; a missing chunk is fill value. */
function placeNative(
  plan: Plan,
  encoded: Uint8Array | undefined,
  pieces: readonly Piece[],
  boxStart: readonly number[] | undefined,
  out: Uint8Array,
  outStrides: readonly number[],
): void {
  const { shape, dtype, fillItem } = plan.array;
  if (encoded && encoded.byteLength !== plan.decodedBytes) {
    const message = `codec bytes: the chunk has ${encoded.byteLength} bytes where its shape and data type need ${plan.decodedBytes}`;
    throw corruptChunk(message, { code: "size-mismatch", codec: plan.steps[0]!.name });
  }
  const strides = stridesOf(shape, dtype.itemBytes);
  const inner = pieces.at(-1);
  const rowBytes = (inner?.count ?? 1) * dtype.itemBytes;
  const row = encoded ? undefined : repeated(fillItem, rowBytes);
  const outer = pieces.slice(0, -1);
  let from = pieces.reduce((sum, piece, i) => sum + (piece.start - (boxStart?.[i] ?? 0)) * strides[i]!, 0);
  let to = pieces.reduce((sum, piece, i) => sum + piece.out * outStrides[i]!, 0);
  const counter = outer.map(() => 0);
  for (let left = countOf(outer.map((piece) => piece.count)); left > 0; left--) {
    out.set(row ?? encoded!.subarray(from, from + rowBytes), to);
    for (let axis = outer.length - 1; axis >= 0; axis--) {
      const piece = outer[axis]!;
      from += piece.step * strides[axis]!;
      to += outStrides[axis]!;
      if (++counter[axis]! < piece.count) break;
      counter[axis] = 0;
      from -= piece.count * piece.step * strides[axis]!;
      to -= piece.count * outStrides[axis]!;
    }
  }
}
