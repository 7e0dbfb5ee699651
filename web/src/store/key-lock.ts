/** Serialises writers of the same node or key within this process. */

import { untilAborted } from "../util/async.js";
import { handleOf, storeBehind } from "./handle.js";
import type { MaybePromise, Store } from "./store.js";

/**
 * Runs work after all work that was requested earlier at the same path of the same store; a path is a node's, or an
 * object's key. Work may wait for turns at paths above its own, never below, which rules out deadlocks.
 * @param isShared runs the work in parallel with other shared work, which waits only for earlier exclusive work.
 * @throws the signal's reason if it is aborted before the turn has come.
 */
export async function inTurn<T>(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  isShared = false,
): Promise<T> {
  const { queues } = handleOf(storeBehind(store));
  const queue = queues.get(path) ?? { exclusive: Promise.resolve(), all: Promise.resolve() };
  queues.set(path, queue);
  const before = isShared ? queue.exclusive : queue.all;
  const turn = before.then(() => {
    signal?.throwIfAborted(); // the caller has given up
    return work();
  });
  const settled = turn.then(
    () => {},
    () => {},
  );
  // An aborted turn stays in the queue: later ones still wait for earlier ones.
  const end = isShared ? Promise.all([queue.all, settled]) : settled;
  if (!isShared) queue.exclusive = end;
  queue.all = end;
  void end.then(() => {
    if (queue.all === end) queues.delete(path);
  });
  await untilAborted(before, signal);
  return turn;
}

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
