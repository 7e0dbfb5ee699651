/** Messages between a pool and its workers, errors as messages, and per-worker state. */

import type { ModuleName } from "../engine/compile.js";
import { getSession } from "../engine/engine.js";
import type { PlanWords } from "../engine/plan.js";
import { type CodecSession, NeedsFullModule } from "../engine/session.js";
import type { ErrorCode, ErrorTag } from "../util/error-codes.js";
import { isZarrError, messageOf, ZarrError } from "../util/errors.js";
import type { AnyWorker, WasmModule } from "../util/platform.js";
import type { FetchConnection } from "./remote-fetch.js";

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

export type WorkKind = "decode" | "encode" | "recode" | "reduce" | "files";

interface PlanMessage {
  readonly id: number;
  readonly words: Uint32Array;
  readonly names: string[];
}

/** A message from a worker: first that it has started, then one answer per task. */
export type WorkerMessage = { readonly ready: true } | WorkResult;

export interface WorkResult {
  readonly id: number;
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Results of encoding, per chunk. */
  readonly chunks?: readonly ChunkResult[];
  /** Result of copying files; undefined if it failed. */
  readonly files?: FileOutcome | undefined;
  /** The task's memory, for reuse. */
  readonly input?: ArrayBuffer;
  readonly failure?: FailureMessage | undefined;
}

/** Result of copying the chunks of a box from files to files. */
export interface FileOutcome {
  /** Encoded bytes that were read. */
  readonly read: number;
  /** Sizes of the written files; 0 for chunks that were not encoded. */
  readonly sizes: readonly number[];
  /** Mean time to open a file, in milliseconds. */
  readonly latency: number;
}

/** An encoded chunk, nothing for a chunk that contains only the fill value and is not kept, or a failure. */
export interface ChunkResult {
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
  pack(known: PeerState, input: Uint8Array): unknown;
  /** Reads the result in an answer; undefined if it does not fit this task. */
  read(answer: WorkResult): { readonly outcome: T } | undefined;
  /** Runs the task in a session of this thread. */
  run(session: CodecSession): T;
}

/** Maximum number of plans that a worker keeps; after that, it must drop them. */
const maxPlans = 512;

/** Modules and plans that one worker has. */
export class PeerState {
  readonly #modules = new Set<ModuleName>();
  readonly #plans = new Map<PlanWords, number>();
  #nextPlan = 0;
  #newPlans: PlanMessage[] = [];

  /** Returns the number of a plan, which is sent with the message being packed if it is new. */
  planNumber(plan: PlanWords): number {
    let known = this.#plans.get(plan);
    if (known === undefined) {
      known = this.#nextPlan++;
      this.#plans.set(plan, known);
      this.#newPlans.push({ id: known, words: plan.words, names: plan.steps.map((step) => step.name) });
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
    this.#newPlans = [];
    const work = task.pack(this, input);
    const isNew = !this.#modules.has(module);
    this.#modules.add(module);
    const known = { plans: this.#newPlans, forget, wasm: isNew ? wasm : undefined };
    return { id, kind, module, ...known, input: input.buffer, spare, work };
  }
}

/** Plans by number, in a worker. */
export class KnownPlans {
  readonly #plans = new Map<number, PlanWords>();

  /** Stores the plans of a message. */
  store({ plans, forget }: WorkMessage): void {
    if (forget) this.#plans.clear();
    for (const { id, words, names } of plans)
      this.#plans.set(id, { words, steps: names.map((name) => ({ name })) });
  }

  get(number: number): PlanWords {
    return this.#plans.get(number)!;
  }
}

/** An error with the step of a slab that failed. */
export class StepFailure extends Error {
  constructor(
    readonly step: number,
    readonly error: unknown,
  ) {
    super("a step of assembling a slab failed");
  }
}

/** An error as plain data. */
export interface FailureMessage {
  readonly step: number | undefined;
  readonly kind: "zarr" | "needs-full" | "other";
  readonly message: string;
  /** Fields of a ZarrError; other errors have a name only. */
  readonly tag?: ZarrError["_tag"];
  readonly name?: string;
  readonly code?: ErrorCode | undefined;
  readonly codec?: string | undefined;
  readonly byteOffset?: number | undefined;
  readonly cause?: FailureMessage | undefined;
}

/** Categories of errors; docs/errors.md describes them. */
export const errorTags = [
  "NotFound",
  "InvalidMetadata",
  "UnknownCodec",
  "Unsupported",
  "CorruptChunk",
  "InvalidSelection",
  "InvalidArgument",
  "Network",
  "LimitExceeded",
  "EngineFailed",
  "AlreadyExists",
  "Conflict",
  "ReadOnly",
  "EncodeFailed",
  "FutureVersion",
  "NotAllowed",
  "SourceChanged",
] as const satisfies readonly ErrorTag[];

const kinds: ReadonlySet<unknown> = new Set(["needs-full", "other"]);

/** Whether a value from a worker is a valid failure message. */
export function isFailure(failure: unknown): failure is FailureMessage {
  if (typeof failure !== "object" || failure === null) return false;
  const { kind, message, tag } = failure as Partial<FailureMessage>;
  if (typeof message !== "string") return false;
  return kind === "zarr" ? errorTags.some((known) => known === tag) : kinds.has(kind);
}

/** Whether a failure concerns the worker rather than its work. */
export const isWorkerFault = ({ kind, tag }: FailureMessage): boolean =>
  kind === "other" || tag === "EngineFailed";

/** Converts an error to a message. */
export function packFailure(error: unknown, step?: number): FailureMessage {
  if (error instanceof StepFailure) return packFailure(error.error, error.step);
  if (error instanceof NeedsFullModule) return { step, kind: "needs-full", message: error.message };
  const message = messageOf(error);
  const cause = error instanceof Error && error.cause !== undefined ? packFailure(error.cause) : undefined;
  if (!isZarrError(error))
    return { step, kind: "other", message, name: error instanceof Error ? error.name : "Error", cause };
  const { _tag: tag, code, codec, byteOffset } = error;
  return { step, kind: "zarr", message, tag, code, codec, byteOffset, cause };
}

/** Converts a message back to an error. */
export function unpackFailure(failure: FailureMessage): unknown {
  const error = toError(failure);
  return failure.step === undefined ? error : new StepFailure(failure.step, error);
}

function toError({ kind, message, tag, name, code, codec, byteOffset, cause }: FailureMessage): Error {
  if (kind === "needs-full") return new NeedsFullModule(message);
  const details = cause && { cause: toError(cause) };
  if (kind === "zarr") return new ZarrError(tag!, message, { code, codec, byteOffset, ...details });
  const error = new Error(message, details);
  error.name = name ?? "Error";
  return error;
}

/** A task with its caller's promise. */
export class PendingTask {
  /** Number of workers that crashed while they had this task. */
  crashes = 0;
  isSettled = false;

  constructor(
    readonly task: PoolTask<unknown>,
    readonly wasm: WasmModule,
    private readonly resolve: (outcome: unknown) => void,
    private readonly reject: (error: unknown) => void,
    private readonly onSettled: () => void,
  ) {}

  /** Only the first outcome counts: results after an abort are dropped. */
  settle(outcome: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.onSettled();
    outcome();
  }

  /** Malformed answers, from workers of another version or other software, are discarded. */
  finish(answer: WorkResult): void {
    if (this.isSettled) return;
    const { failure } = answer;
    try {
      const read = failure === undefined ? this.task.read(answer) : undefined;
      if (read) this.settle(() => this.resolve(read.outcome));
      else if (isFailure(failure) && !isWorkerFault(failure)) throw unpackFailure(failure);
      else void this.runHere(); // an engine failure in the worker may not occur here
    } catch (error) {
      this.settle(() => this.reject(error));
    }
  }

  /** Runs on the calling thread. */
  async runHere(): Promise<void> {
    if (this.isSettled) return;
    try {
      const session = await getSession(this.task.module);
      if (this.isSettled) return;
      const outcome = this.task.run(session);
      this.settle(() => this.resolve(outcome));
    } catch (error) {
      this.settle(() => this.reject(error));
    }
  }
}

/** One worker. */
export class PoolWorker {
  worker: AnyWorker | undefined;
  connection: FetchConnection | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  isReady = false;
  readonly peer = new PeerState();
  readonly jobs = new Map<number, PendingTask>();

  constructor(
    /** The way it was started. */
    readonly startMethod: number,
  ) {}
}

/** Returns the reason why a worker ended or did not start, from an error, an event or an exit code. */
export function failureReason(cause: unknown): string {
  if (typeof cause === "string") return cause;
  if (typeof cause === "number") return `the worker ended with ${cause}`;
  try {
    const message = (cause as { message?: unknown } | null | undefined)?.message;
    if (typeof message === "string" && message !== "") return message;
  } catch {
    // Programs may throw anything, including proxies and objects with throwing getters.
  }
  return "the worker's script could not be loaded (not found, or forbidden by a policy)";
}

const warned = new Set<string>();

/** Warns once per set of reasons that there are no workers, and how to fix it. */
export function warnNoWorkers(reasons: ReadonlySet<string>): void {
  const text = [...reasons].join("; ");
  if (warned.has(text)) return;
  warned.add(text);
  console.warn(
    `zarr-wasm: the pool has no workers and runs on the calling thread: ${text}. ` +
      'If your bundler does not support this, create the workers yourself: new WorkerPool({ createWorker: () => new Worker(new URL("./my-worker.js", import.meta.url), { type: "module" }) }), where my-worker.js calls startWorker of "zarr-wasm/worker"; pass the same options to configurePool of "zarr-wasm-viewer" for viewers.',
  );
}
