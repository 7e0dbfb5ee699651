/** The time in which a request is answered, and what becomes of its work afterwards. */

/** A request, as work for it sees it. */
export interface Scope {
  /** Lets work outlive the request. */
  keepGoing(work: Promise<unknown>): void;
  /** Aborted when the client has gone, and when the request has been answered. */
  readonly signal: AbortSignal;
}

/** Makes an answer. Whatever is still under way for it alone when it is there, or its client has gone, is aborted. */
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
