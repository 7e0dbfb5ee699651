/** Turns: of several writers in this program one at a time has a node's documents, or a stored object. */
import { untilAborted } from "../base/abort.js";
import { storeBehind } from "./front.js";
import type { Store } from "./store.js";

const queues = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * Runs work when all that was asked for before at the same path of the same store has ended; a path is a node's, or
 * an object's key. Work may wait for turns at paths above its own, never below: so nobody waits in a circle.
 * @throws the signal's reason where it is aborted before the turn has come: others may hold theirs for ever.
 */
export async function inTurn<T>(
  given: Store,
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const store = storeBehind(given);
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>();
  queues.set(store, queue);
  const before = queue.get(path) ?? Promise.resolve();
  const turn = before.then(() => {
    signal?.throwIfAborted(); // nobody waits for it any more
    return work();
  });
  const end = turn.then(
    () => {},
    () => {},
  );
  queue.set(path, end);
  // Who gives up leaves the queue as it is: those behind still wait for those before.
  void end.then(() => {
    if (queue.get(path) === end) queue.delete(path);
  });
  await untilAborted(before, signal);
  return turn;
}
