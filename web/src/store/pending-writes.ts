/** Changes of stores that do not come to an end. */
import { untilAborted } from "../util/abort.js";
import type { MaybePromise, Store } from "./store.js";
import { storeBehind } from "./wrapped-store.js";

/** How long a store may go on after an abort, to leave nothing behind, in milliseconds. */
const patience = 1000;

/** What was given up and still goes on, by keys; with a "/" at its end for all keys that start with it. */
const stuck = new WeakMap<Store, Map<Promise<void>, string>>();

/**
 * Changes an object (or all below a prefix) and waits for it; after an abort for a moment only, as stores need not heed
 * signals. What is given up may still be done at any time: later changes of the same objects wait until it has ended,
 * so that it replaces none of them.
 * @throws what the work does; the signal's reason.
 */
export async function unlessStuck(
  given: Store,
  key: string,
  signal: AbortSignal | undefined,
  work: () => MaybePromise<unknown>,
): Promise<void> {
  const store = storeBehind(given);
  for (const [end, other] of stuck.get(store) ?? []) if (meets(key, other)) await untilAborted(end, signal);
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
      note(store, key, ended);
      throw signal.reason;
    }
  } finally {
    clearTimeout(timer);
  }
  await done;
}

/** Whether two keys, or prefixes, concern the same object. */
const meets = (a: string, b: string): boolean =>
  a === b || (a.endsWith("/") && b.startsWith(a)) || (b.endsWith("/") && a.startsWith(b));

function note(store: Store, key: string, end: Promise<void>): void {
  const all = stuck.get(store) ?? new Map<Promise<void>, string>();
  stuck.set(store, all.set(end, key));
  void end.then(() => all.delete(end));
}
