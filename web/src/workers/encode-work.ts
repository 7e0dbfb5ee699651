/** Encoding on any thread: chunks are encoded from copied values, or from values in shared memory. */

import type { CodecSession, Copy } from "../engine/session.js";
import { asBytes, isBytes, sizeOf } from "../util/bytes.js";
import { engineFailed } from "../util/errors.js";
import { movedBytes, moveItems, packedSource, packing } from "../util/strided-copy.js";
import {
  type EncodeBatch,
  type Encoded,
  type Encoders,
  type EncodeStep,
  runBatch,
  toBatches,
} from "../write/encoder.js";
import { checkNotDetached } from "../write/region.js";
import {
  type ChunkResult,
  isFailure,
  isWorkerFault,
  type KnownPlans,
  type PoolTask,
  packFailure,
  unpackFailure,
  type WorkMessage,
  type WorkResult,
} from "./messages.js";
import type { WorkerPool } from "./pool.js";

/** Result of encoding a chunk. */
export type Outcome = { readonly encoded: Encoded | "no room" } | { readonly error: unknown };

/** Chunks to encode, as a message. Ranges refer to the memory sent along. */
interface BatchMessage extends Omit<EncodeBatch, "plan" | "before" | "source"> {
  readonly plan: number;
  readonly before: { readonly at: Range | undefined } | undefined;
  /** Position of the values, in that memory or in shared memory. */
  readonly source: Range | Uint8Array<SharedArrayBuffer>;
}

type Range = readonly [start: number, length: number];

/** Returns the pool's workers as encoders of one write. */
export function poolEncoders(pool: WorkerPool): Encoders {
  const batches = new Batches(pool);
  return {
    enter: () => pool.enter(),
    leave: () => pool.leave(),
    takes: (codec, values) =>
      codec.encodeModule !== "images" && pool.takes(codec, "encode", isShared(values)),
    encode: (step, signal) => batches.encode(step, signal),
  };
}

/**
 * Microtask turns to wait before a batch is sent: by then, callers whose promises were resolved have
 * requested their next chunks.
 */
const batchTurns = 16;

interface Waiting {
  readonly step: EncodeStep;
  readonly settle: (outcome: Outcome) => void;
}

/** Combines concurrent requests for adjacent chunks. */
class Batches {
  #waiting: Waiting[] = [];

  constructor(private readonly pool: WorkerPool) {}

  encode(step: EncodeStep, signal: AbortSignal | undefined): Promise<Encoded | "no room"> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome) =>
        "error" in outcome ? reject(outcome.error) : resolve(outcome.encoded);
      if (this.#waiting.push({ step, settle }) === 1) void this.#flush(signal);
    });
  }

  async #flush(signal: AbortSignal | undefined): Promise<void> {
    for (let turn = 0; turn < batchTurns; turn++) await undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const batch of toBatches(waiting.map(({ step }) => step)))
      void this.#submit(batch, waiting.splice(0, batch.places.length), signal);
  }

  async #submit(
    batch: EncodeBatch,
    waiting: readonly Waiting[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      const outcomes = await this.pool.submit(encodeTask(batch), signal);
      waiting.forEach(({ settle }, i) => {
        settle(outcomes[i]!);
      });
    } catch (error) {
      for (const { settle } of waiting) settle({ error });
    }
  }
}

function encodeTask(batch: EncodeBatch): PoolTask<Outcome[]> {
  const { plan, before, source, move, places, keepsFill, contentBytes } = batch;
  const stored = before?.encoded?.byteLength ?? 0;
  const start = 8 * Math.ceil(stored / 8); // aligned, so that values are copied in words
  const shared = isShared(source) ? source : undefined;
  return {
    kind: "encode",
    module: "full",
    inputBytes: shared ? stored : start + movedBytes(move),
    workBytes: contentBytes,
    read: (answer) => readOutcomes(answer, places.length, keepsFill),
    run: (session) => {
      const outcomes = runBatch(session, batch, attempt);
      return outcomes === "no room" ? places.map(() => ({ encoded: outcomes })) : outcomes;
    },
    pack(known, input): BatchMessage {
      checkNotDetached(source);
      if (before?.encoded) input.set(before.encoded);
      const at = before && { at: before.encoded && ([0, stored] as const) };
      const message = { ...batch, plan: known.planNumber(plan), before: at };
      if (shared) return { ...message, source: shared };
      const values: Range = [start, movedBytes(move)];
      moveItems(source, input.subarray(start, start + values[1]), packing(move));
      return { ...message, source: values, move: packedSource(move) };
    },
  };
}

const isShared = (bytes: Uint8Array): bytes is Uint8Array<SharedArrayBuffer> =>
  typeof SharedArrayBuffer === "function" && bytes.buffer instanceof SharedArrayBuffer;

export function attempt(encode: () => Encoded): Outcome {
  try {
    return { encoded: encode() };
  } catch (error) {
    return { error };
  }
}

/** Returns a worker's result for a chunk; undefined if it is malformed. See {@link readOutcomes}. */
function readOutcome(
  chunk: ChunkResult | undefined,
  keepsFill: boolean,
  input: ArrayBuffer | undefined,
  copy: Copy,
): Outcome | undefined {
  const { bytes, failure } = chunk ?? { failure: null };
  if (failure !== undefined)
    return isFailure(failure) && !isWorkerFault(failure) ? { error: unpackFailure(failure) } : undefined;
  if (bytes === undefined) return keepsFill ? undefined : { encoded: undefined };
  if (!isBytes(bytes) || asBytes(bytes) !== bytes || sizeOf(bytes) === 0) return undefined;
  return { encoded: bytes.buffer === input ? copy(bytes) : bytes };
}

/** Decodes the message in the worker. */
export function unpackBatch(known: KnownPlans, { input, work }: WorkMessage): EncodeBatch {
  const { plan, before, source, ...batch } = work as BatchMessage;
  const part = (at: Range) => new Uint8Array(input, ...at);
  return {
    ...batch,
    plan: known.get(plan),
    before: before && { encoded: before.at && part(before.at) },
    source: ArrayBuffer.isView(source) ? source : part(source),
  };
}

/**
 * Runs the batch in the worker.
 * @param input memory of the values, which are copied before the first chunk is encoded. The encoded chunks are written
 *   there as far as they fit, because the calling thread reuses it, while transferred new memory makes it collect garbage.
 * @throws EngineFailed if memory is exhausted: the calling thread may have enough.
 */
export function encodeBatch(session: CodecSession, batch: EncodeBatch, input: ArrayBuffer): ChunkResult[] {
  const chunks = runBatch(session, batch, encodeOne, copyInto(new Uint8Array(input)));
  if (chunks === "no room") throw engineFailed("out of memory for chunks");
  return chunks;
}

/** Returns a function that copies encoded chunks to memory as far as they fit, one after another, or to new memory. */
export function copyInto(memory: Uint8Array<ArrayBuffer>): Copy {
  let end = 0;
  return (part) => {
    if (end + part.byteLength > memory.byteLength) return new Uint8Array(part);
    const bytes = memory.subarray(end, end + part.byteLength);
    bytes.set(part);
    end += part.byteLength;
    return bytes;
  };
}

/** Encodes a chunk in a worker. */
export function encodeOne(encode: () => Uint8Array<ArrayBuffer> | undefined): ChunkResult {
  try {
    return { bytes: encode() };
  } catch (error) {
    return { failure: packFailure(error) };
  }
}

/**
 * Reads the chunks in an answer; undefined if it does not fit.
 * @param copy copies chunks in the memory of the task, which will be reused.
 */
export function readOutcomes(
  { chunks, input }: WorkResult,
  count: number,
  keepsFill: boolean,
  copy: Copy = (bytes) => new Uint8Array(bytes),
): { outcome: Outcome[] } | undefined {
  const read = (chunk: ChunkResult | undefined) => readOutcome(chunk, keepsFill, input, copy);
  const outcomes = Array.isArray(chunks) ? chunks.map(read) : [];
  const isWhole = outcomes.length === count && outcomes.every((outcome) => outcome !== undefined);
  return isWhole ? { outcome: outcomes } : undefined;
}
