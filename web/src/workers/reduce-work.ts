/** Reduces chunks on any thread: slabs of decoded elements are added to accumulators. */

import type { ModuleName } from "../engine/compile.js";
import type { CodecSession } from "../engine/session.js";
import { isBytes, sizeOf } from "../util/bytes.js";
import { type AccumulatorForm, Accumulators, accumulatorBytes, type SlabReduction } from "./accumulators.js";
import { encodedBytes, packSteps, type StepMessage, unpackSteps } from "./decode-work.js";
import { type KnownPlans, type PoolTask, StepFailure, type WorkMessage } from "./messages.js";

interface ReduceWork {
  readonly form: AccumulatorForm;
  readonly slabs: readonly SlabReduction[];
}

/** The work as a message. The encoded chunks lie one after another in one buffer. */
interface ReduceMessage {
  readonly form: AccumulatorForm;
  readonly slabs: readonly (Omit<SlabReduction, "steps"> & { readonly steps: number })[];
  readonly steps: readonly StepMessage[];
}

/** Runs the work. @returns accumulators. @throws StepFailure with the position of the step in all slabs. */
export function runReduce(session: CodecSession, { form, slabs }: ReduceWork): Uint8Array<ArrayBuffer> {
  const accumulators = new Accumulators(session, form);
  let first = 0;
  try {
    for (const slab of slabs) {
      accumulators.add(slab);
      first += slab.steps.length;
    }
    return accumulators.copy();
  } catch (error) {
    throw error instanceof StepFailure ? new StepFailure(first + error.step, error.error) : error;
  } finally {
    accumulators.free();
  }
}

/** Returns the work as a task of the pool, whose outcome is the accumulators. */
export function reduceTask(module: ModuleName, work: ReduceWork): PoolTask<Uint8Array> {
  const { form, slabs } = work;
  const steps = slabs.flatMap((slab) => slab.steps);
  const size = accumulatorBytes(form);
  return {
    kind: "reduce",
    module,
    inputBytes: encodedBytes(steps),
    workBytes: slabs.reduce((sum, { bytes }) => sum + bytes, size),
    read: ({ bytes }) => (isBytes(bytes) && sizeOf(bytes) === size ? { outcome: bytes } : undefined),
    run: (session) => runReduce(session, work),
    pack: (known, input): ReduceMessage => ({
      form,
      slabs: slabs.map((slab) => ({ ...slab, steps: slab.steps.length })),
      steps: packSteps(known, steps, input),
    }),
  };
}

/** Decodes the message in the worker. */
export function unpackReduce(known: KnownPlans, { input, work }: WorkMessage): ReduceWork {
  const { form, slabs, steps } = work as ReduceMessage;
  const all = unpackSteps(known, steps, input);
  return { form, slabs: slabs.map((slab) => ({ ...slab, steps: all.splice(0, slab.steps) })) };
}
