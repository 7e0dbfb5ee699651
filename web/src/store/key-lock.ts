/** Serialises writers of the same node or key within this process. */
import { untilAborted } from "../util/abort.js";
import { handleOf } from "./handle.js";
import type { Store } from "./store.js";
import { storeBehind } from "./wrapped-store.js";

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
