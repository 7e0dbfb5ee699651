/** Runs work for many items, several at a time. */

import { nextTask } from "../util/platform.js";

/** Time after which {@link inLanes} yields to the event loop, in milliseconds. */
const turnTime = 5;

/**
 * Runs work for every item, `lanes` items at a time. Yields to the event loop now and then, since calls of file systems may
 * block: signals and messages of threads arrive there.
 * @throws the first error, or the signal's reason, after all running work has ended; no item is begun after it.
 */
export async function inLanes<T>(
  items: Iterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal | undefined,
): Promise<void> {
  const all = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  let turn = performance.now() + turnTime;
  const lane = async () => {
    for (let next = all.next(); !next.done && !failure; next = all.next()) {
      try {
        signal?.throwIfAborted();
        await work(next.value);
        if (performance.now() < turn) continue;
        await nextTask();
        turn = performance.now() + turnTime;
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failure) throw failure.error;
}

/** Returns how many items of a size fit into memory at a time. */
export const lanesFor = (bytes: number, memory: number, most = 16): number =>
  Math.max(1, Math.min(most, Math.floor(memory / Math.max(1, bytes))));
