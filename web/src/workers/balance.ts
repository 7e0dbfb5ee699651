/** Decides by measurement whether tasks of one kind run on workers or on the calling thread. */

export type Side = "workers" | "here";

/** Minimum that a trial of the other side measures: time in milliseconds, and number of tasks. */
const trialTime = 30;
const trialTasks = 4;
/**
 * Minimum that is not counted after a change of sides: the calling thread has the first chunks at hand, while workers wait
 * for theirs.
 */
const startTime = 25;
const startTasks = 2;
/** Time before the first trial, in milliseconds. Each trial that changes nothing multiplies it, up to the maximum. */
const firstTime = 50;
const growth = 4;
const maxTime = 6400;
/** Minimum time between trials, as a multiple of the time of the last one. */
const minShare = 25;
/** Factor by which the calling thread must be faster: on workers, tasks leave it free for other work. */
const margin = 1.05;

/** Maximum decoded size of chunks that the calling thread encodes first: larger ones may block it for too long. */
const maxFirstBytes = 2 ** 20;

/** Whether the calling thread may be busy with tasks: a page would not respond while it runs one. */
export const mayBlock = (): boolean => !("document" in globalThis);

/**
 * The side that works until the first trial: the calling thread encodes small chunks, since a short write ends before
 * workers have started, and cheap codecs are faster there.
 */
export const firstSide = (decodedBytes: number, isEncoding: boolean): Side =>
  isEncoding && decodedBytes <= maxFirstBytes && mayBlock() ? "here" : "workers";

/**
 * Compares the bytes per millisecond of both sides. The time includes everything between two results, such as requests
 * and copies of the calling thread, so that a pool pays off as a whole.
 */
export class Balance {
  #side: Side;
  /** The side without trials, and its time until the next one. */
  #best: Side;
  #interval = firstTime;
  readonly #rates: Record<Side, number> = { workers: 0, here: 0 };
  readonly #running: Record<Side, number> = { workers: 0, here: 0 };
  /** The current series of measurements, and whether the side has just begun. */
  #isStarting = true;
  #tasks = 0;
  #bytes = 0;
  #time = 0;
  /** When the last result arrived, and the period of that time; undefined if nothing can be measured from there. */
  #last: { readonly at: number; readonly period: number } | undefined;

  /** @param first the side until the first trial. */
  constructor(first: Side) {
    [this.#side, this.#best] = [first, first];
  }

  /** Side of the next task. */
  get side(): Side {
    return this.#side;
  }

  /** Whether the calling thread must wait for the last tasks of the workers, so that its own are measured alone. */
  get isDraining(): boolean {
    return this.#side === "here" && this.#running.workers > 0;
  }

  /** Whether the calling thread has worked long enough that workers should be started for a trial. */
  get needsWorkers(): boolean {
    return this.#side === "here" && !this.#isStarting;
  }

  start(side: Side): void {
    this.#running[side]++;
  }

  /**
   * Records the end of a task.
   * @param bytes size of its result; 0 for one that did not end by itself.
   * @param period identifies a time without pauses between reads or writes; undefined outside of one.
   * @param since when a synchronous task started, so that the first one of a period is measured as well.
   */
  end(side: Side, bytes: number, period: number | undefined, now = performance.now(), since?: number): void {
    this.#running[side]--;
    const isFirst = since !== undefined && this.#last?.period !== period;
    const last = isFirst ? { at: since, period } : this.#last;
    // Results of both sides at the same time tell nothing about either.
    const isPure = side === this.#side && this.#running[side === "here" ? "workers" : "here"] === 0;
    this.#last = isPure && period !== undefined && bytes > 0 ? { at: now, period } : undefined;
    if (!this.#last || !last || last.period !== period) return;
    this.#tasks++;
    this.#time += now - last.at;
    if (this.#isStarting) {
      if (this.#tasks >= startTasks && this.#time >= startTime) this.#restart(false);
      return;
    }
    this.#bytes += bytes;
    const enough = this.#side === this.#best ? this.#interval : trialTime;
    if (this.#tasks >= trialTasks && this.#time >= enough) this.#choose();
  }

  #choose(): void {
    this.#rates[this.#side] = this.#bytes / Math.max(this.#time, 1e-3);
    if (this.#side === this.#best) this.#side = this.#best === "here" ? "workers" : "here";
    else {
      const { workers, here } = this.#rates;
      const best = here > margin * workers ? "here" : "workers";
      const next = best === this.#best ? Math.min(growth * this.#interval, maxTime) : firstTime;
      this.#interval = Math.max(next, minShare * this.#time);
      this.#best = best;
      this.#side = best;
    }
    this.#restart(true);
    this.#last = undefined;
  }

  #restart(isStarting: boolean): void {
    this.#isStarting = isStarting;
    [this.#tasks, this.#bytes, this.#time] = [0, 0, 0];
  }
}
