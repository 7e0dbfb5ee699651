/** Status and errors of workers. */

import { NeedsFullModule } from "../engine/session.js";
import type { ErrorCode } from "../util/error-codes.js";
import { errorTags, isZarrError, messageOf, ZarrError } from "../util/errors.js";

/** An error with the step of a slab that failed. */
export class StepFailure extends Error {
  constructor(
    readonly step: number,
    readonly error: unknown,
  ) {
    super("a step of putting a slab together failed");
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

const kinds: ReadonlySet<unknown> = new Set(["needs-full", "other"]);

/** Whether a value from a worker is a valid failure message. */
export function isFailure(failure: unknown): failure is FailureMessage {
  if (typeof failure !== "object" || failure === null) return false;
  const { kind, message, tag } = failure as Partial<FailureMessage>;
  if (typeof message !== "string") return false;
  return kind === "zarr" ? errorTags.some((known) => known === tag) : kinds.has(kind);
}

/** Whether a failure concerns the worker rather than its work. */
export const isItsOwn = ({ kind, tag }: FailureMessage): boolean =>
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

/** See {@link WorkerPool.status}. */
export interface PoolStatus {
  readonly state: "idle" | "starting" | "running" | "failed" | "destroyed";
  /** Number of running workers. */
  readonly workers: number;
  /** Reason of a failure. */
  readonly reason?: string;
}

/** Returns the reason why a worker ended or did not start, from an error, an event or an exit code. */
export function reasonOf(cause: unknown): string {
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

const said = new Set<string>();

/** Warns once per set of reasons that there are no workers, and how to fix it. */
export function sayNoWorkers(reasons: readonly string[]): void {
  const text = reasons.join("; ");
  if (said.has(text)) return;
  said.add(text);
  console.warn(
    `zarr-wasm: a pool has no workers, the calling thread does all: ${text}. ` +
      'If your bundler does not do so itself, make the workers: new WorkerPool({ createWorker: () => new Worker(new URL("./my-worker.js", import.meta.url), { type: "module" }) }), where my-worker.js calls startWorker of "zarr-wasm/worker".',
  );
}
