/** Turns: of several writers in this program one at a time has a node's documents, or a stored object. */
import type { Store } from "./store.js";

const queues = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * Runs work when all that was asked for before at the same path of the same store has ended; a path is a node's, or
 * an object's key. Work may wait for turns at paths above its own, never below: so nobody waits in a circle.
 */
export async function inTurn<T>(store: Store, path: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>();
  queues.set(store, queue);
  const turn = (queue.get(path) ?? Promise.resolve()).then(work);
  const end = turn.catch(() => {});
  queue.set(path, end);
  try {
    return await turn;
  } finally {
    if (queue.get(path) === end) queue.delete(path);
  }
}
