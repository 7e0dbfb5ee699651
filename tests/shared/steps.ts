/** Runs interruptible work (web/src/util/slices.ts) to its end without interruption. */
export function runAll<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
