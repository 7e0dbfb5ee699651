/** Lifetime of a request and of the work started for it. */

/** The request on whose behalf work is done. */
export interface Scope {
  /** Lets work outlive the request. */
  keepGoing(work: Promise<unknown>): void;
  /** Aborted when the client disconnects or the response is ready. */
  readonly signal: AbortSignal;
}

/** Produces a response. Work for this request alone is aborted once it is ready or the client disconnects. */
export async function untilAnswered<T>(
  client: AbortSignal,
  keepGoing: Scope["keepGoing"],
  make: (scope: Scope) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  client.addEventListener("abort", abort);
  try {
    client.throwIfAborted();
    return await make({ keepGoing, signal: controller.signal });
  } finally {
    client.removeEventListener("abort", abort);
    abort();
  }
}
