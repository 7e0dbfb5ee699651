/** The status of a pool. */

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
