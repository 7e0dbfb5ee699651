/** Elapsed time that includes the time for which the process, or the computer, was suspended. */

export interface Moment {
  /** Milliseconds; stands still while some computers are suspended. */
  readonly monotonic: number;
  /** Milliseconds; jumps if the clock is set. */
  readonly clock: number;
}

/** Now, by clocks that all threads of a process share. */
export const moment = (): Moment => ({
  monotonic: Number(process.hrtime.bigint() / 1_000_000n),
  clock: Date.now(),
});

/** Milliseconds since a moment, rather too many than too few. */
export function elapsedSince({ monotonic, clock }: Moment): number {
  const now = moment();
  return Math.max(now.monotonic - monotonic, now.clock - clock);
}
