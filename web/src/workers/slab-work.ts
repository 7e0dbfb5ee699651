/**
 * Decoding on any thread: chunks are decoded into one slab, which is returned packed, or copied directly to a
 * shared result.
 */

import type { ModuleName } from "../engine/module.js";
import type { CodecSession, PlacedStep, Placement } from "../engine/session.js";
import { type SlabPlace, spansOf } from "../plan/slab-partition.js";
import { isBytes, sizeOf } from "../util/bytes.js";
import { StepFailure } from "./errors.js";
import type { KnownPlans, PoolTask, WorkMessage } from "./messages.js";

/** A shared result, and the slab's box in it. */
export interface SharedPlace extends SlabPlace {
  readonly result: Uint8Array<SharedArrayBuffer>;
}

export interface SlabWork {
  readonly module: ModuleName;
  /** Size of the slab. */
  readonly bytes: number;
  /** Steps that decode the chunks into the slab. */
  readonly steps: readonly PlacedStep[];
  readonly place?: SharedPlace | undefined;
}

/**
 * Runs the work.
 * @param spare memory of the slab's size for the result: allocating memory costs as much as the copy.
 * @returns the slab's bytes; undefined if they were copied to a shared result.
 * @throws StepFailure, or the error of creating the slab.
 */
export function runSlab(
  session: CodecSession,
  work: SlabWork,
  spare?: ArrayBuffer,
): Uint8Array<ArrayBuffer> | undefined {
  const slab = session.makeSlab(work.bytes);
  try {
    for (const [i, step] of work.steps.entries()) {
      try {
        session.place(slab, step);
      } catch (error) {
        throw new StepFailure(i, error);
      }
    }
    if (!work.place) {
      if (!spare) return session.copySlab(slab);
      const bytes = new Uint8Array(spare);
      session.copyFromSlab(slab, 0, work.bytes, bytes, 0);
      return bytes;
    }
    for (const { from, to, bytes } of spansOf(work.place))
      session.copyFromSlab(slab, from, bytes, work.place.result, to);
    return undefined;
  } finally {
    session.freeSlab(slab);
  }
}

/** The work as a message. The encoded chunks lie one after another in one buffer. */
interface SlabMessage {
  readonly steps: readonly StepMessage[];
  readonly bytes: number;
  readonly place: SharedPlace | undefined;
}

interface StepMessage extends Placement {
  readonly plan: number;
  /** Position of the chunk in the buffer; undefined for a missing one. */
  readonly at: readonly [start: number, length: number] | undefined;
}

/** Returns the work as a task of the pool. */
export function slabTask(work: SlabWork): PoolTask<Uint8Array | undefined> {
  const { module, steps, bytes, place } = work;
  return {
    kind: "decode",
    module,
    inputBytes: steps.reduce((sum, step) => sum + (step.encoded?.byteLength ?? 0), 0),
    workBytes: bytes,
    spareBytes: place ? undefined : bytes,
    read: ({ bytes: slab }) => {
      const isSlab = place ? slab === undefined : isBytes(slab) && sizeOf(slab) === bytes;
      return isSlab ? { outcome: slab } : undefined;
    },
    run: (session) => runSlab(session, work),
    pack(known, input): SlabMessage {
      let end = 0;
      const packed = steps.map(({ plan, encoded: chunk, offset, axes }): StepMessage => {
        const number = known.planOf(plan);
        if (!chunk) return { plan: number, at: undefined, offset, axes };
        input.set(chunk, end);
        const at = [end, chunk.byteLength] as const;
        end += chunk.byteLength;
        return { plan: number, at, offset, axes };
      });
      return { steps: packed, bytes, place };
    },
  };
}

/** Decodes a message in the worker. */
export function unpackSlab(known: KnownPlans, { module, input, work }: WorkMessage): SlabWork {
  const { steps, bytes, place } = work as SlabMessage;
  const unpacked = steps.map(({ plan, at, offset, axes }) => ({
    plan: known.of(plan),
    encoded: at && new Uint8Array(input, ...at),
    offset,
    axes,
  }));
  return { module, bytes, steps: unpacked, place };
}
