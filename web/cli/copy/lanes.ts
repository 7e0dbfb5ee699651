/** Work on many things, some at a time. */

/**
 * Does work on every item, `lanes` at a time.
 * @throws the first error met, when all that was under way has ended; no item is begun after it.
 */
export async function inLanes<T>(
  items: Iterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const all = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (let next = all.next(); !next.done && !failure; next = all.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failure) throw failure.error;
}

/** How many things of a size are under way at a time. */
export const lanesFor = (bytes: number, memory: number, most = 16): number =>
  Math.max(1, Math.min(most, Math.floor(memory / Math.max(1, bytes))));
