/** Locks among the pages and workers of an origin; within this thread alone where there are no Web Locks. */

interface LockManager {
  request<T>(name: string, options: { signal?: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

/** The last who waits for each lock of this thread. */
const waiting = new Map<string, Promise<unknown>>();

/**
 * Does something while nobody else does under the same name.
 * @throws the signal's reason, if it comes while this one waits.
 */
export async function exclusively<T>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {};
  if (locks) return locks.request(name, signal ? { signal } : {}, work);
  const before = waiting.get(name);
  const turn = (async () => {
    await before?.catch(() => {});
    signal?.throwIfAborted();
    return work();
  })();
  waiting.set(name, turn);
  const leave = () => {
    if (waiting.get(name) === turn) waiting.delete(name);
  };
  turn.then(leave, leave);
  return turn;
}
