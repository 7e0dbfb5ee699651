/** Waits for writes that outlive their abort signals. */
import { untilAborted } from "../util/abort.js";
import { handleOf } from "./handle.js";
import type { MaybePromise, Store } from "./store.js";
import { storeBehind } from "./wrapped-store.js";

/** Time that a store has after an abort to clean up, in milliseconds. */
const patience = 1000;

/**
 * Writes an object, or all with a prefix that ends in "/", and waits for the end; after an abort only for a moment, as
 * stores may ignore signals. Later writes of the same objects wait for an aborted one, which could replace them.
 * @throws what the work throws; the signal's reason.
 */
export async function unlessStuck(
  store: Store,
  key: string,
  signal: AbortSignal | undefined,
  work: () => MaybePromise<unknown>,
): Promise<void> {
  const { pendingWrites } = handleOf(storeBehind(store));
  for (const [end, other] of pendingWrites) if (overlaps(key, other)) await untilAborted(end, signal);
  const done = work();
  if (!signal) return void (await done);
  const ended = Promise.resolve(done).then(
    () => {},
    () => {},
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilAborted(ended, signal);
  } catch {
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), patience);
    });
    if ((await Promise.race([ended, late])) === "late") {
      pendingWrites.set(ended, key);
      void ended.then(() => pendingWrites.delete(ended));
      throw signal.reason;
    }
  } finally {
    clearTimeout(timer);
  }
  await done;
}

/** Whether two keys or prefixes have an object in common. */
const overlaps = (a: string, b: string): boolean =>
  a === b || (a.endsWith("/") && b.startsWith(a)) || (b.endsWith("/") && a.startsWith(b));
