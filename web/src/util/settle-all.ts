/** Waits for several promises. */

/**
 * Waits for all promises, even after a failure, so that nothing is still running when the caller learns of
 * it.
 * @param onFailure called at the first failure, to cancel the others.
 */
export async function settleAll(
  work: readonly Promise<void>[],
  onFailure?: ((error: unknown) => void) | undefined,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const guarded = work.map((promise) =>
    promise.catch((error) => {
      failure ??= { error };
      onFailure?.(error);
    }),
  );
  await Promise.all(guarded);
  if (failure) throw failure.error;
}

/** Returns the values of all promises; waits like {@link settleAll}. */
export async function settledValues<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = new Array<T>(work.length);
  const kept = work.map(async (promise, i) => {
    results[i] = await promise;
  });
  await settleAll(kept);
  return results;
}
