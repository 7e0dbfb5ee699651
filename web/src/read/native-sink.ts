/**
 * Chunks stored exactly as they are used (no compressor, C order, native byte order) bypass the wasm core:
 * their rows are copied from the fetched bytes to the result.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { Plan } from "../engine/plan.js";
import { type Fetched, type Projection, type RegionTask, selectedCount } from "../plan/projections.js";
import { releaseBytes } from "../store/read.js";
import { repeated } from "../util/buffers.js";
import { corruptChunk } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";
import type { ResultBytes } from "./result.js";
import type { Sink } from "./sink.js";

/**
 * Minimum length of a row. The core gathers shorter ones faster, because a row copy in JavaScript costs some
 * 50 ns.
 */
const minRowBytes = 64;

/** Whether the projections of chunks can be copied directly, in rows of sufficient length. */
export function isNativeCopy(
  { isNative, plan }: CoreChunkCodec,
  projections: readonly (readonly Projection[])[],
): boolean {
  if (!isNative) return false;
  const inner = projections.at(-1);
  if (!inner) return true;
  const longest = inner.reduce((most, projection) => Math.max(most, projection.count), 0);
  const rowBytes = longest * plan.array.dtype.itemBytes;
  const contiguous = inner.every((projection) => projection.step === 1 || projection.count === 1);
  return contiguous && (rowBytes >= minRowBytes || projections.every((list) => list.length <= 1));
}

/** Copies rows from fetched chunks to the result. */
export class NativeSink implements Sink {
  readonly #outStrides: readonly number[];

  constructor(
    { plan }: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    private readonly out: ResultBytes,
  ) {
    this.#outStrides = stridesOf(projections.map(selectedCount), plan.array.dtype.itemBytes);
  }

  async start(): Promise<void> {}

  put(task: RegionTask, { codec, encoded, start }: Fetched): void {
    const { plan } = codec as CoreChunkCodec;
    placeNative(plan, encoded, task.projections, start, this.out.bytes, this.#outStrides);
    if (encoded) releaseBytes(encoded);
  }

  end(): void {}
}

/** Copies the projected part of a chunk; a missing chunk is filled with the fill value. */
function placeNative(
  plan: Plan,
  encoded: Uint8Array | undefined,
  projections: readonly Projection[],
  subarrayStart: readonly number[] | undefined,
  out: Uint8Array,
  outStrides: readonly number[],
): void {
  const { shape, dtype, fillItem } = plan.array;
  if (encoded && encoded.byteLength !== plan.decodedBytes) {
    const message = `codec bytes: the chunk has ${encoded.byteLength} bytes, but its shape and data type require ${plan.decodedBytes}`;
    throw corruptChunk(message, { code: "size-mismatch", codec: plan.steps[0]!.name });
  }
  const strides = stridesOf(shape, dtype.itemBytes);
  const inner = projections.at(-1);
  const rowBytes = (inner?.count ?? 1) * dtype.itemBytes;
  const row = encoded ? undefined : repeated(fillItem, rowBytes);
  const outer = projections.slice(0, -1);
  let from = projections.reduce(
    (sum, projection, i) => sum + (projection.start - (subarrayStart?.[i] ?? 0)) * strides[i]!,
    0,
  );
  let to = projections.reduce((sum, projection, i) => sum + projection.out * outStrides[i]!, 0);
  const counter = outer.map(() => 0);
  for (let left = countOf(outer.map((projection) => projection.count)); left > 0; left--) {
    out.set(row ?? encoded!.subarray(from, from + rowBytes), to);
    for (let axis = outer.length - 1; axis >= 0; axis--) {
      const projection = outer[axis]!;
      from += projection.step * strides[axis]!;
      to += outStrides[axis]!;
      if (++counter[axis]! < projection.count) break;
      counter[axis] = 0;
      from -= projection.count * projection.step * strides[axis]!;
      to -= projection.count * outStrides[axis]!;
    }
  }
}
