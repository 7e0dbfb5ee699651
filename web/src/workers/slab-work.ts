/**
 * Work that any thread can do: chunks are decoded into one slab, which is handed back packed, or put straight into
 * a result that threads share. Also how it is put into messages.
 */

import { isZarrError, ZarrError } from "../base/errors.js";
import type { WasmModule } from "../base/web-types.js";
import type { ModuleName } from "../engine/module.js";
import type { PlanWords } from "../engine/plan.js";
import { type CodecSession, NeedsFullModule, type Place, type PlacedStep } from "../engine/session.js";
import { type SlabPlace, spansOf } from "../region/assemble/spans.js";

/** A shared result, and the box of it that a slab is. */
export interface SharedPlace extends SlabPlace {
  readonly result: Uint8Array<SharedArrayBuffer>;
}

export interface SlabWork {
  readonly module: ModuleName;
  /** Size of the slab. */
  readonly bytes: number;
  /** What puts the chunks into it, as their codecs say. */
  readonly steps: readonly PlacedStep[];
  readonly place?: SharedPlace | undefined;
}

/** Says at which step a slab failed. */
export class StepFailure extends Error {
  constructor(
    readonly step: number,
    readonly error: unknown,
  ) {
    super("a step of putting a slab together failed");
  }
}

/**
 * Does the work.
 * @param spare memory of the slab's size to hand it back in: fresh memory costs as much as the copy
 * @returns the slab's bytes; undefined where they have been put into a shared result
 * @throws StepFailure, or what making the slab throws
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

/** A piece of work as it crosses to a worker. The encoded chunks lie one after another in one buffer. */
export interface WorkMessage {
  readonly id: number;
  readonly module: ModuleName;
  /** The compiled module, with the first work that needs it. */
  readonly wasm: WasmModule | undefined;
  /** Plans that the worker has not met yet. */
  readonly plans: readonly { readonly id: number; readonly words: Uint32Array; readonly names: string[] }[];
  /** Whether the worker is to forget all earlier plans. */
  readonly forget: boolean;
  readonly encoded: ArrayBuffer;
  readonly steps: readonly StepMessage[];
  readonly bytes: number;
  readonly place: SharedPlace | undefined;
  /** Memory for the answer, of the slab's size. */
  readonly spare: ArrayBuffer | undefined;
}

interface StepMessage extends Place {
  readonly plan: number;
  /** Where the chunk lies in the buffer; undefined for a missing one. */
  readonly at: readonly [start: number, length: number] | undefined;
}

/** What a worker says: first that it has started, then one answer to each piece of work. */
export type WorkerMessage = { readonly ready: true } | WorkAnswer;

export interface WorkAnswer {
  readonly id: number;
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The memory of the encoded chunks, for those of the next work. */
  readonly encoded?: ArrayBuffer;
  readonly failure?: FailureMessage | undefined;
}

/** An error as plain data. */
export interface FailureMessage {
  readonly step: number | undefined;
  readonly kind: "zarr" | "needs-full" | "other";
  readonly message: string;
  /** The fields of a ZarrError; of others the name. */
  readonly tag?: ZarrError["_tag"];
  readonly name?: string;
  readonly code?: string;
  readonly codec?: string | undefined;
  readonly byteOffset?: number | undefined;
  readonly cause?: FailureMessage | undefined;
}

/** Bytes of all the encoded chunks of some work. */
export const encodedBytes = ({ steps }: SlabWork): number =>
  steps.reduce((sum, step) => sum + (step.encoded?.byteLength ?? 0), 0);

/** Plans that a worker is told of before it is told to forget them. */
const maxPlans = 512;

/** What one worker knows already. */
export class Acquaintance {
  readonly #modules = new Set<ModuleName>();
  readonly #plans = new Map<PlanWords, number>();
  #nextPlan = 0;

  /**
   * Packs work for the worker. The encoded bytes are copied: those of stores may lie in caches.
   * @param encoded room for them, {@link encodedBytes}
   */
  pack(
    id: number,
    work: SlabWork,
    wasm: WasmModule,
    encoded: Uint8Array<ArrayBuffer>,
    spare: ArrayBuffer | undefined,
  ): WorkMessage {
    const { module, steps, bytes, place } = work;
    const forget = this.#plans.size >= maxPlans;
    if (forget) this.#plans.clear();
    const plans: { id: number; words: Uint32Array; names: string[] }[] = [];
    let end = 0;
    const packed = steps.map(({ plan, encoded: chunk, offset, axes }): StepMessage => {
      let known = this.#plans.get(plan);
      if (known === undefined) {
        known = this.#nextPlan++;
        this.#plans.set(plan, known);
        plans.push({ id: known, words: plan.words, names: plan.steps.map((step) => step.name) });
      }
      if (!chunk) return { plan: known, at: undefined, offset, axes };
      encoded.set(chunk, end);
      const at = [end, chunk.byteLength] as const;
      end += chunk.byteLength;
      return { plan: known, at, offset, axes };
    });
    const isNew = !this.#modules.has(module);
    this.#modules.add(module);
    return {
      id,
      module,
      wasm: isNew ? wasm : undefined,
      plans,
      forget,
      encoded: encoded.buffer,
      steps: packed,
      bytes,
      place,
      spare,
    };
  }
}

/** The worker's side: plans by number. */
export class KnownPlans {
  readonly #plans = new Map<number, PlanWords>();

  unpack({ module, plans, forget, encoded, steps, bytes, place }: WorkMessage): SlabWork {
    if (forget) this.#plans.clear();
    for (const { id, words, names } of plans) {
      this.#plans.set(id, { words, steps: names.map((name) => ({ name })) });
    }
    const unpacked = steps.map(({ plan, at, offset, axes }) => ({
      plan: this.#plans.get(plan)!,
      encoded: at && new Uint8Array(encoded, ...at),
      offset,
      axes,
    }));
    return { module, bytes, steps: unpacked, place };
  }
}

/** Takes an error apart. */
export function packFailure(error: unknown, step?: number): FailureMessage {
  if (error instanceof StepFailure) return packFailure(error.error, error.step);
  if (error instanceof NeedsFullModule) return { step, kind: "needs-full", message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? packFailure(error.cause) : undefined;
  if (!isZarrError(error))
    return { step, kind: "other", message, name: error instanceof Error ? error.name : "Error", cause };
  const { _tag: tag, code, codec, byteOffset } = error;
  return { step, kind: "zarr", message, tag, code, codec, byteOffset, cause };
}

/** Puts it together again. */
export function unpackFailure(failure: FailureMessage): unknown {
  const error = rebuilt(failure);
  return failure.step === undefined ? error : new StepFailure(failure.step, error);
}

function rebuilt({ kind, message, tag, name, code, codec, byteOffset, cause }: FailureMessage): Error {
  if (kind === "needs-full") return new NeedsFullModule(message);
  const details = cause && { cause: rebuilt(cause) };
  if (kind === "zarr") return new ZarrError(tag!, message, { code, codec, byteOffset, ...details });
  const error = new Error(message, details);
  error.name = name ?? "Error";
  return error;
}
