/**
 * Reads parts of single chunks.
 *
 * If a chunk is stored uncompressed, only the bytes of the selected elements are read. If it is one Blosc
 * frame, only the blocks that hold them are read: the frame's table gives their positions, and a smaller
 * frame of just those blocks is assembled for the core to decode. Either is done only if it saves more than
 * it costs.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { axesThrough } from "../chain/layout.js";
import { withDecoder } from "../engine/engine.js";
import { Plan } from "../engine/plan.js";
import type { Fetched } from "../plan/projections.js";
import { changedError } from "../store/store.js";
import { settledValues } from "../util/async.js";
import { corruptChunk, isZarrError } from "../util/errors.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import { readBloscTable, selectBlocks } from "./blosc-blocks.js";
import {
  type ByteSpan,
  kindOf,
  type ObjectReader,
  type ReadPart,
  type StoredRange,
  type Subarray,
} from "./object-reader.js";
import { exactly, type PartialReader, readPart, readWithin } from "./stored-range.js";

/** Maximum number of requests for one chunk. */
const maxRanges = 8;

type ReadBytes = (offset: number, length: number) => Promise<Uint8Array | undefined>;

/** Position of a subarray's elements in the bytes of a chunk. */
interface StoredSubarray {
  readonly subarray: Subarray;
  readonly itemBytes: number;
  /** Shapes and start along the stored axes. */
  readonly chunk: readonly number[];
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/**
 * Returns a reader of a subarray of a chunk; undefined unless that costs clearly less than reading the chunk.
 */
export function partialReader(leaf: CoreChunkCodec, subarray: Subarray): ReadPart | undefined {
  const kind = kindOf(leaf);
  const size = leaf.plan.decodedBytes;
  if (!kind) return undefined;
  const stored = storedSubarray(leaf, subarray);
  const spans = byteSpans(stored);
  const wanted = spans.reduce((sum, span) => sum + span.length, 0);
  if (wanted > size / 2) return undefined;
  const Reader = kind === "plain" ? PlainReader : BloscReader;
  const reader = new Reader(leaf, stored, spans);
  return (object, task, at) => readPart(object, task, reader, at);
}

function storedSubarray({ chain, plan, shape }: CoreChunkCodec, subarray: Subarray): StoredSubarray {
  const axes = axesThrough(chain.before, shape.length, "a subarray");
  const pick = (lengths: readonly number[]) => axes.map((axis) => lengths[axis]!);
  const { itemBytes } = plan.array.dtype;
  return {
    subarray,
    itemBytes,
    chunk: pick(shape),
    start: pick(subarray.start),
    shape: pick(subarray.shape),
  };
}

/**
 * Returns the byte spans to read for a subarray: one from its first to its last element, split along the
 * outer axes as long as that halves the bytes and the spans stay few.
 */
export function byteSpans({ chunk, start, shape, itemBytes }: StoredSubarray): ByteSpan[] {
  const strides = stridesOf(chunk, itemBytes);
  const spanFrom = (axis: number) =>
    shape.slice(axis).reduce((span, length, i) => span + (length - 1) * strides[axis + i]!, itemBytes);
  let offsets = [start.reduce((sum, first, axis) => sum + first * strides[axis]!, 0)];
  let length = spanFrom(0);
  for (let axis = 0; axis < shape.length; axis++) {
    const count = shape[axis]!;
    const part = spanFrom(axis + 1);
    if (offsets.length * count > maxRanges || 2 * count * part > length) break;
    offsets = offsets.flatMap((at) => Array.from({ length: count }, (_, i) => at + i * strides[axis]!));
    length = part;
  }
  return offsets.map((offset) => ({ offset, length }));
}

/** A span with its bytes. */
type Filled = readonly [ByteSpan, Uint8Array];

/** Gathers the elements of a subarray, in stored order, from spans that cover it. */
function gather(
  leaf: CoreChunkCodec,
  stored: StoredSubarray,
  spans: readonly Filled[],
): Fetched<CoreChunkCodec> {
  const { subarray, chunk, start, shape, itemBytes } = stored;
  const strides = stridesOf(chunk, itemBytes);
  // Inner axes that the subarray spans are contiguous, and so is the axis before them.
  let inner = shape.length;
  while (inner > 0 && shape[inner - 1] === chunk[inner - 1]) inner--;
  inner = Math.max(0, inner - 1);
  const rowBytes = countOf(shape.slice(inner)) * itemBytes;
  const bytes = new Uint8Array(countOf(shape) * itemBytes);
  const first = start.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);
  let out = 0;
  for (const index of indices(shape.slice(0, inner))) {
    const offset = index.reduce((sum, i, axis) => sum + i * strides[axis]!, first);
    bytes.set(rowOf(spans, offset, rowBytes), out);
    out += rowBytes;
  }
  return { codec: leaf.subarray(subarray.shape), encoded: bytes, start: subarray.start };
}

function rowOf(spans: readonly Filled[], offset: number, length: number): Uint8Array {
  for (const [span, bytes] of spans) {
    const at = offset - span.offset;
    if (at >= 0 && at + length <= span.length) return bytes.subarray(at, at + length);
  }
  throw new RangeError("a row of the subarray lies in none of the spans"); // byteSpans covers every row
}

/**
 * Reads spans of a chunk's bytes, relative to `from` in the part; undefined if the chunk is missing.
 * @throws Network ("changed") for a chunk that is missing in only some of the reads: it is being written, or
 *   the server is faulty.
 */
async function readSpans(
  key: string,
  readBytes: ReadBytes,
  spans: readonly ByteSpan[],
  from: number,
): Promise<Filled[] | undefined> {
  const filled = await settledValues(
    spans.map(async (span): Promise<Filled | undefined> => {
      const bytes = exactly(await readBytes(from + span.offset, span.length), span.length);
      return bytes && [span, bytes];
    }),
  );
  const present = filled.filter((span) => span !== undefined);
  if (present.length === filled.length) return present;
  if (present.length > 0) throw changedError(key);
  return undefined;
}

function checkSize(stored: number | undefined, needed: number): void {
  if (stored === undefined || stored === needed) return;
  throw corruptChunk(`the chunk has ${stored} bytes, but its shape and data type require ${needed}`, {
    code: "size-mismatch",
    codec: "bytes",
  });
}

class PlainReader implements PartialReader {
  constructor(
    private readonly leaf: CoreChunkCodec,
    private readonly stored: StoredSubarray,
    private readonly spans: readonly ByteSpan[],
  ) {}

  async read(object: ObjectReader, part: StoredRange, signal: AbortSignal | undefined) {
    const size = this.leaf.plan.decodedBytes;
    checkSize(part.length, size);
    const readBytes: ReadBytes = (offset, length) => readWithin(object, part, offset, length, signal);
    const filled = await readSpans(part.key, readBytes, this.spans, 0);
    // The size can be checked only if the chunk is the whole object.
    if (filled && part.length === undefined) checkSize(part.version?.size, size);
    return filled && gather(this.leaf, this.stored, filled);
  }
}

class BloscReader implements PartialReader {
  constructor(
    private readonly leaf: CoreChunkCodec,
    private readonly stored: StoredSubarray,
    private readonly spans: readonly ByteSpan[],
  ) {}

  async read(object: ObjectReader, part: StoredRange, signal: AbortSignal | undefined) {
    const readBytes: ReadBytes = (offset, length) => readWithin(object, part, offset, length, signal);
    try {
      const filled = await this.#filled(part.key, readBytes);
      return filled === "whole" ? filled : filled && gather(this.leaf, this.stored, filled);
    } catch (error) {
      // Reading the frame whole will report the error, if there is one.
      if (isZarrError(error, "CorruptChunk")) return "whole" as const;
      throw error;
    }
  }

  async #filled(key: string, readBytes: ReadBytes): Promise<readonly Filled[] | "whole" | undefined> {
    const table = await readBloscTable(readBytes, this.leaf.plan.decodedBytes);
    if (table === undefined || table === "whole") return table;
    // If the chunk disappears after its table was read, it is read whole to find out whether it is really
    // missing.
    if ("storedAt" in table) return (await readSpans(key, readBytes, this.spans, table.storedAt)) ?? "whole";
    const chosen = selectBlocks(table, this.spans);
    if (!chosen) return "whole";
    const frame = await chosen.readFrame(readBytes);
    if (!frame) return "whole";
    const plan = this.#framePlan(chosen.decodedBytes);
    const decoded = await withDecoder(plan, (session) => session.decode(plan, frame));
    return decoded.byteLength === chosen.decodedBytes ? chosen.spansOf(decoded) : "whole";
  }

  /** Returns a plan for the chunk's Blosc codec on a number of bytes. */
  #framePlan(bytes: number): Plan {
    return Plan.bytesOnly(this.leaf.chain.after, bytes);
  }
}
