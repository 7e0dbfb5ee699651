/** Decodes chunks into a box and encodes other chunks from it, on any thread: the elements stay in wasm memory. */

import { getSession } from "../engine/engine.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession, Copy, PlacedStep, Placement, Slab } from "../engine/session.js";
import { isSameBytes } from "../util/bytes.js";
import { corruptChunk, engineFailed } from "../util/errors.js";
import { encoding } from "../write/encoder.js";
import { tryMakeSlab } from "../write/write-slabs.js";
import { encodedBytes, packSteps, placeAll, type StepMessage, unpackSteps } from "./decode-work.js";
import { attempt, copyInto, encodeOne, type Outcome, readOutcomes } from "./encode-work.js";
import type { ChunkResult, KnownPlans, PoolTask, WorkMessage } from "./messages.js";
import type { WorkerPool } from "./pool.js";

export interface RecodeWork {
  /** Size of the box. */
  readonly bytes: number;
  /** Steps that decode chunks into the box. */
  readonly steps: readonly PlacedStep[];
  /** The chunks to encode, and the places of their elements in the box. */
  readonly chunks: readonly (Placement & { readonly plan: PlanWords })[];
  /** Whether to encode chunks that contain only the fill value. */
  readonly keepsFill: boolean;
  /** Whether to decode the encoded chunks again, and to compare their elements with the box. */
  readonly verify: boolean;
}

/** The work as a message. The encoded chunks lie one after another in one buffer. */
interface RecodeMessage extends Omit<RecodeWork, "steps" | "chunks"> {
  readonly steps: readonly StepMessage[];
  readonly chunks: readonly (Placement & { readonly plan: number })[];
}

/**
 * Decodes and encodes the chunks of a box on a worker, or without a pool on this thread.
 * @param memory receives encoded chunks, as far as they fit.
 * @returns a result for each chunk; undefined if the box does not fit into wasm memory.
 * @throws StepFailure for a chunk that cannot be decoded.
 */
export async function recode(
  work: RecodeWork,
  memory: Uint8Array<ArrayBuffer>,
  pool: WorkerPool | undefined,
  signal: AbortSignal | undefined,
): Promise<Outcome[] | undefined> {
  const task = recodeTask(work, memory);
  if (!pool) return task.run(await getSession("full"));
  pool.enter();
  try {
    return await pool.submit(task, signal);
  } finally {
    pool.leave();
  }
}

function recodeTask(work: RecodeWork, memory: Uint8Array<ArrayBuffer>): PoolTask<Outcome[] | undefined> {
  const { bytes, steps, chunks, keepsFill, verify } = work;
  return {
    kind: "recode",
    module: "full",
    inputBytes: encodedBytes(steps),
    workBytes: (verify ? 3 : 2) * bytes,
    read: (answer) => readOutcomes(answer, chunks.length, keepsFill, copyInto(memory)),
    run: (session) => runRecode(session, work, attempt, copyInto(memory)),
    pack(known, input): RecodeMessage {
      const packed = chunks.map((chunk) => ({ ...chunk, plan: known.planNumber(chunk.plan) }));
      return { steps: packSteps(known, steps, input), chunks: packed, bytes, keepsFill, verify };
    },
  };
}

/** Decodes the message in the worker. */
export function unpackRecode(known: KnownPlans, { input, work }: WorkMessage): RecodeWork {
  const { steps, chunks, ...rest } = work as RecodeMessage;
  const unpacked = chunks.map((chunk) => ({ ...chunk, plan: known.get(chunk.plan) }));
  return { ...rest, steps: unpackSteps(known, steps, input), chunks: unpacked };
}

/**
 * Runs the work in the worker.
 * @param input memory of the encoded chunks, which have been decoded before the first one is encoded.
 * @throws StepFailure; EngineFailed if memory is exhausted: the calling thread may have enough.
 */
export function recodeBox(session: CodecSession, work: RecodeWork, input: ArrayBuffer): ChunkResult[] {
  const chunks = runRecode(session, work, encodeOne, copyInto(new Uint8Array(input)));
  if (!chunks) throw engineFailed("out of memory for a box");
  return chunks;
}

function runRecode<T>(
  session: CodecSession,
  { bytes, steps, chunks, keepsFill, verify }: RecodeWork,
  each: (encode: () => Uint8Array<ArrayBuffer> | undefined) => T,
  copy: Copy,
): T[] | undefined {
  const slab = tryMakeSlab(session, bytes);
  const again = slab && verify ? tryMakeSlab(session, bytes) : undefined;
  try {
    if (!slab || (verify && !again)) return undefined;
    placeAll(session, slab, steps);
    let encodings = 0;
    const outcomes = chunks.map((chunk) =>
      each(() => {
        const encoded = encoding(() => session.encodePlaced(slab, chunk, keepsFill, copy));
        if (again) session.place(again, { ...chunk, encoded });
        encodings++;
        return encoded;
      }),
    );
    const isSame = !again || encodings < chunks.length || isSameSlab(session, slab, again);
    return isSame ? outcomes : chunks.map(() => each(failVerification));
  } finally {
    for (const made of [slab, again]) if (made) session.freeSlab(made);
  }
}

export function isSameSlab(session: CodecSession, a: Slab, b: Slab): boolean {
  let isSame = false;
  session.withSlab(a, (before) =>
    session.withSlab(b, (after) => {
      isSame = isSameBytes(before, after);
    }),
  );
  return isSame;
}

function failVerification(): never {
  throw corruptChunk("the copy differs from the source: elements change when they are encoded", {
    code: "differs",
  });
}
