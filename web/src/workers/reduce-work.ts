/** Reduces chunks on any thread: slabs of decoded elements are added to accumulators. */

import {
  accumulate,
  type BoxReduction,
  clearState,
  type StateForm,
  stateBytes,
} from "../engine/box-reduction.js";
import type { ModuleName } from "../engine/compile.js";
import type { CodecSession, PlacedStep, Slab } from "../engine/session.js";
import { isBytes, sizeOf } from "../util/bytes.js";
import { encodedBytes, packSteps, placeAll, type StepMessage, unpackSteps } from "./decode-work.js";
import { type KnownPlans, type PoolTask, StepFailure, type WorkMessage } from "./messages.js";

/** A box of elements: how its chunks are decoded, and how it is reduced. */
export interface SlabReduction {
  /** Size of the box. */
  readonly bytes: number;
  readonly steps: readonly PlacedStep[];
  /** Several if elements belong to more than one cell. */
  readonly reductions: readonly BoxReduction[];
}

export interface ReduceWork {
  readonly form: StateForm;
  readonly slabs: readonly SlabReduction[];
}

/** The work as a message. The encoded chunks lie one after another in one buffer. */
interface ReduceMessage {
  readonly form: StateForm;
  readonly slabs: readonly (Omit<SlabReduction, "steps"> & { readonly steps: readonly StepMessage[] })[];
}

/** Decodes a box and adds it to accumulators. @throws StepFailure. */
export function reduceSlab(session: CodecSession, state: Slab, slab: SlabReduction): void {
  const box = session.makeSlab(slab.bytes);
  try {
    placeAll(session, box, slab.steps);
    for (const reduction of slab.reductions) accumulate(session, box, state, reduction);
  } finally {
    session.freeSlab(box);
  }
}

/** Runs the work. @returns new accumulators. @throws StepFailure with the position of the step in all slabs. */
export function runReduce(session: CodecSession, { form, slabs }: ReduceWork): Uint8Array<ArrayBuffer> {
  const state = session.makeSlab(stateBytes(form));
  let first = 0;
  try {
    clearState(session, state, form);
    for (const slab of slabs) {
      reduceSlab(session, state, slab);
      first += slab.steps.length;
    }
    return session.copySlab(state);
  } catch (error) {
    throw error instanceof StepFailure ? new StepFailure(first + error.step, error.error) : error;
  } finally {
    session.freeSlab(state);
  }
}

/** Returns the work as a task of the pool, whose outcome is the accumulators. */
export function reduceTask(module: ModuleName, work: ReduceWork): PoolTask<Uint8Array> {
  const { form, slabs } = work;
  const steps = slabs.flatMap((slab) => slab.steps);
  const size = stateBytes(form);
  return {
    kind: "reduce",
    module,
    inputBytes: encodedBytes(steps),
    workBytes: slabs.reduce((sum, { bytes }) => sum + bytes, size),
    read: ({ bytes }) => (isBytes(bytes) && sizeOf(bytes) === size ? { outcome: bytes } : undefined),
    run: (session) => runReduce(session, work),
    pack(known, input): ReduceMessage {
      let at = 0;
      const packed = slabs.map((slab) => {
        const length = encodedBytes(slab.steps);
        const own = packSteps(known, slab.steps, input.subarray(at, at + length));
        const moved = own.map((step) => ({ ...step, at: step.at && ([step.at[0] + at, step.at[1]] as const) }));
        at += length;
        return { ...slab, steps: moved };
      });
      return { form, slabs: packed };
    },
  };
}

/** Decodes the message in the worker. */
export function unpackReduce(known: KnownPlans, { input, work }: WorkMessage): ReduceWork {
  const { form, slabs } = work as ReduceMessage;
  return { form, slabs: slabs.map((slab) => ({ ...slab, steps: unpackSteps(known, slab.steps, input) })) };
}
