/** Messages between a pool and its workers, and per-worker state. */

import type { ModuleName } from "../engine/module.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession } from "../engine/session.js";
import type { WasmModule } from "../util/platform.js";
import type { FailureMessage } from "./errors.js";

/** A task as sent to a worker. */
export interface WorkMessage {
  readonly id: number;
  readonly module: ModuleName;
  /** The compiled module, sent with the first task that needs it. */
  readonly wasm: WasmModule | undefined;
  /** Plans that the worker does not have yet. */
  readonly plans: readonly PlanMessage[];
  /** Whether the worker must drop all earlier plans. */
  readonly forget: boolean;
  /** Transferred memory that is returned with the result: encoded chunks, values. */
  readonly input: ArrayBuffer;
  /** Memory for the result. */
  readonly spare: ArrayBuffer | undefined;
  /** Kind and content of the task. */
  readonly kind: WorkKind;
  readonly work: unknown;
}

/** Whether a message is a task. A malformed one is answered with a failure. */
export const isWorkMessage = (message: object): message is WorkMessage =>
  "id" in message && typeof message.id === "number" && "kind" in message;

export type WorkKind = "decode" | "encode";

interface PlanMessage {
  readonly id: number;
  readonly words: Uint32Array;
  readonly names: string[];
}

/** A message from a worker: first that it has started, then one answer per task. */
export type WorkerMessage = { readonly ready: true } | WorkAnswer;

export interface WorkAnswer {
  readonly id: number;
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Results of encoding, per chunk. */
  readonly chunks?: readonly ChunkAnswer[];
  /** The task's memory, for reuse. */
  readonly input?: ArrayBuffer;
  readonly failure?: FailureMessage | undefined;
}

/** An encoded chunk, nothing for a chunk that contains only the fill value and is not kept, or a failure. */
export interface ChunkAnswer {
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  readonly failure?: FailureMessage | undefined;
}

/** A task as seen by the pool. */
export interface PoolTask<T> {
  readonly kind: WorkKind;
  readonly module: ModuleName;
  /** Bytes sent to the worker, and bytes to process, which determine the timeout. */
  readonly inputBytes: number;
  readonly workBytes: number;
  /** Size of the memory for the result, if it is known and such memory is available. */
  readonly spareBytes?: number | undefined;
  /**
   * Converts the task to plain data, and copies the input: bytes of stores may be cached, and values belong
   * to the caller.
   * @param input memory of {@link inputBytes}.
   */
  pack(known: Acquaintance, input: Uint8Array): unknown;
  /** Reads the result in an answer; undefined if it does not fit this task. */
  read(answer: WorkAnswer): { readonly outcome: T } | undefined;
  /** Runs the task in a session of this thread. */
  run(session: CodecSession): T;
}

/** Maximum number of plans that a worker keeps; after that, it must drop them. */
const maxPlans = 512;

/** Modules and plans that one worker has. */
export class Acquaintance {
  readonly #modules = new Set<ModuleName>();
  readonly #plans = new Map<PlanWords, number>();
  #nextPlan = 0;
  #told: PlanMessage[] = [];

  /** Returns the number of a plan, which is sent with the message being packed if it is new. */
  planOf(plan: PlanWords): number {
    let known = this.#plans.get(plan);
    if (known === undefined) {
      known = this.#nextPlan++;
      this.#plans.set(plan, known);
      this.#told.push({ id: known, words: plan.words, names: plan.steps.map((step) => step.name) });
    }
    return known;
  }

  /** Packs a task for the worker, with memory for its input. */
  pack(
    id: number,
    task: PoolTask<unknown>,
    wasm: WasmModule,
    input: Uint8Array<ArrayBuffer>,
    spare: ArrayBuffer | undefined,
  ): WorkMessage {
    const { kind, module } = task;
    const forget = this.#plans.size >= maxPlans;
    if (forget) this.#plans.clear();
    this.#told = [];
    const work = task.pack(this, input);
    const isNew = !this.#modules.has(module);
    this.#modules.add(module);
    const known = { plans: this.#told, forget, wasm: isNew ? wasm : undefined };
    return { id, kind, module, ...known, input: input.buffer, spare, work };
  }
}

/** Plans by number, in a worker. */
export class KnownPlans {
  readonly #plans = new Map<number, PlanWords>();

  /** Stores the plans of a message. */
  note({ plans, forget }: WorkMessage): void {
    if (forget) this.#plans.clear();
    for (const { id, words, names } of plans)
      this.#plans.set(id, { words, steps: names.map((name) => ({ name })) });
  }

  of(number: number): PlanWords {
    return this.#plans.get(number)!;
  }
}
