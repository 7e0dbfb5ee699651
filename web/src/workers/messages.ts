/** What a pool and its workers say to one another, and what each knows of what has been said. */

import type { ModuleName } from "../engine/module.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession } from "../engine/session.js";
import type { WasmModule } from "../util/web-types.js";
import type { FailureMessage } from "./errors.js";

/** A piece of work as it crosses to a worker. */
export interface WorkMessage {
  readonly id: number;
  readonly module: ModuleName;
  /** The compiled module, with the first work that needs it. */
  readonly wasm: WasmModule | undefined;
  /** Plans that the worker has not met yet. */
  readonly plans: readonly PlanMessage[];
  /** Whether the worker is to forget all earlier plans. */
  readonly forget: boolean;
  /** Memory that crosses with it and comes back: encoded chunks, values. */
  readonly input: ArrayBuffer;
  /** Memory for the answer. */
  readonly spare: ArrayBuffer | undefined;
  /** Whether it decodes or encodes, and what. */
  readonly kind: WorkKind;
  readonly work: unknown;
}

/** Whether a message asks for work. A malformed one is answered with a failure. */
export const isWorkMessage = (message: object): message is WorkMessage =>
  "id" in message && typeof message.id === "number" && "kind" in message;

export type WorkKind = "decode" | "encode";

interface PlanMessage {
  readonly id: number;
  readonly words: Uint32Array;
  readonly names: string[];
}

/** What a worker says: first that it has started, then one answer to each piece of work. */
export type WorkerMessage = { readonly ready: true } | WorkAnswer;

export interface WorkAnswer {
  readonly id: number;
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Of encoding: what became of each chunk. */
  readonly chunks?: readonly ChunkAnswer[];
  /** The memory that came with it, for the next work. */
  readonly input?: ArrayBuffer;
  readonly failure?: FailureMessage | undefined;
}

/** An encoded chunk, none for fill value that is not to be kept, or why there is none. */
export interface ChunkAnswer {
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  readonly failure?: FailureMessage | undefined;
}

/** Work as the pool sees it. */
export interface PoolTask<T> {
  readonly kind: WorkKind;
  readonly module: ModuleName;
  /** Bytes that cross to the worker; the work itself, for how long it may take. */
  readonly inputBytes: number;
  readonly workBytes: number;
  /** Size of memory for the answer, where it has one that is known and such memory is had. */
  readonly spareBytes?: number | undefined;
  /**
   * Says it as plain data, and copies what the worker reads: bytes of stores may lie in caches, values are the caller's.
   * @param input room of {@link inputBytes}
   */
  pack(known: Acquaintance, input: Uint8Array): unknown;
  /** What an answer says, if it is one to this work. */
  read(answer: WorkAnswer): { readonly outcome: T } | undefined;
  /** Does it in a session of this thread. */
  run(session: CodecSession): T;
}

/** Plans that a worker is told of before it is told to forget them. */
const maxPlans = 512;

/** What one worker knows already. */
export class Acquaintance {
  readonly #modules = new Set<ModuleName>();
  readonly #plans = new Map<PlanWords, number>();
  #nextPlan = 0;
  #told: PlanMessage[] = [];

  /** The number of a plan; the worker is told of it in the message that is being packed. */
  planOf(plan: PlanWords): number {
    let known = this.#plans.get(plan);
    if (known === undefined) {
      known = this.#nextPlan++;
      this.#plans.set(plan, known);
      this.#told.push({ id: known, words: plan.words, names: plan.steps.map((step) => step.name) });
    }
    return known;
  }

  /** Packs work for the worker, with room for what it reads. */
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

/** The worker's side: plans by number. */
export class KnownPlans {
  readonly #plans = new Map<number, PlanWords>();

  /** Takes note of the plans in a message. */
  note({ plans, forget }: WorkMessage): void {
    if (forget) this.#plans.clear();
    for (const { id, words, names } of plans)
      this.#plans.set(id, { words, steps: names.map((name) => ({ name })) });
  }

  of(number: number): PlanWords {
    return this.#plans.get(number)!;
  }
}
