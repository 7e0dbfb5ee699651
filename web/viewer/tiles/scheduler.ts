/**
 * Schedules reads. Clients (views) submit their whole list of jobs at every change, best first; jobs that no
 * client wants any more are aborted. Independent of arrays.
 */
import type { LruCache } from "#internal";

/** A read. */
export interface Job<T> {
  readonly key: string;
  /** Approximate memory of the result; 0 if unknown. */
  readonly bytes?: number | undefined;
  read(signal: AbortSignal): Promise<T>;
}

/** Callbacks of a client. */
export interface Client<T> {
  onRead(result: T, key: string): void;
  onFail(error: unknown, key: string): void;
}

interface Running {
  readonly abort: AbortController;
  readonly bytes: number;
}

/** Limits on concurrent reads. */
export interface ReadLimits {
  /**
   * Number of concurrent reads at the start: the most urgent ones should not share the connection and the CPU
   * with many others. Every read that ends makes room for two more than itself.
   */
  readonly first: number;
  /** Maximum number of reads with few bytes. */
  readonly reads: number;
  /** Maximum total size of concurrent large reads, … */
  readonly bytes: number;
  /** … but this many are always allowed. */
  readonly least: number;
}

interface Wishes<T> {
  readonly jobs: readonly Job<T>[];
  /** All earlier jobs have been started or finished: lists are long, and searched at every read. */
  next: number;
  /** Keys of jobs that are not started, but not aborted either. */
  readonly spared: ReadonlySet<string>;
}

export class Scheduler<T extends { readonly key: string; readonly bytes: number }> {
  readonly #wishes = new Map<Client<T>, Wishes<T>>();
  readonly #running = new Map<string, Running>();
  #runningBytes = 0;
  #ended = 0;
  readonly #failures = new Map<string, unknown>();
  /** Keys of outdated results, which stay in the cache until they are read again. */
  readonly #expired = new Set<string>();

  constructor(
    readonly cache: LruCache<T>,
    private readonly limits: ReadLimits,
  ) {}

  get running(): number {
    return this.#running.size;
  }

  /** Sets the jobs of a client, replacing earlier ones. */
  want(client: Client<T>, jobs: readonly Job<T>[], spared: Iterable<string> = []): void {
    this.#wishes.set(client, { jobs, next: 0, spared: new Set([...spared, ...jobs.map(({ key }) => key)]) });
    // Marks wanted entries as used: the best last, so that it is evicted last.
    for (let i = jobs.length - 1; i >= 0; i--) this.cache.get(jobs[i]!.key);
    this.#abortUnwanted();
    this.#start();
  }

  /** Removes a client. */
  leave(client: Client<T>): void {
    this.#wishes.delete(client);
    this.#abortUnwanted();
    this.#start();
  }

  failureOf(key: string): unknown {
    return this.#failures.get(key);
  }

  isSettled(key: string): boolean {
    const isRead = this.cache.peek(key) !== undefined && !this.#expired.has(key);
    return isRead || this.#failures.has(key);
  }

  /** Results that have changed are read again when a client wants them. Reads in flight that may be old start again. */
  expire(isOld: (result: T) => boolean, mayBeOld: (key: string) => boolean): void {
    for (const result of this.cache.values()) if (isOld(result)) this.#expired.add(result.key);
    for (const [key, { abort }] of this.#running) {
      if (!mayBeOld(key)) continue;
      this.#end(key);
      abort.abort();
    }
    this.retry();
  }

  /** Clears failures, so that failed jobs are tried again. */
  retry(): void {
    this.#failures.clear();
    for (const wishes of this.#wishes.values()) wishes.next = 0;
    this.#start();
  }

  #abortUnwanted(): void {
    for (const [key, { abort }] of this.#running) {
      if ([...this.#wishes.values()].some(({ spared }) => spared.has(key))) continue;
      this.#end(key);
      abort.abort();
    }
  }

  #start(): void {
    while (this.#hasRoom()) {
      const job = this.#next();
      if (!job) return;
      void this.#run(job);
    }
  }

  #hasRoom(): boolean {
    const { first, reads, bytes, least } = this.limits;
    const { size } = this.#running;
    const most = Math.min(reads, first + 2 * this.#ended);
    return size < least || (size < most && this.#runningBytes < bytes);
  }

  /**
   * Round-robin: the first job of every client, then the second of each, …, so that no client waits for
   * another's list.
   */
  #next(): Job<T> | undefined {
    let first: Wishes<T> | undefined;
    for (const wishes of this.#wishes.values()) {
      while (wishes.next < wishes.jobs.length && this.#isTaken(wishes.jobs[wishes.next]!.key)) wishes.next++;
      if (wishes.next < wishes.jobs.length && (!first || wishes.next < first.next)) first = wishes;
    }
    return first?.jobs[first.next++];
  }

  #isTaken(key: string): boolean {
    return this.#running.has(key) || this.isSettled(key);
  }

  async #run(job: Job<T>): Promise<void> {
    const run = { abort: new AbortController(), bytes: job.bytes ?? 0 };
    const { signal } = run.abort;
    this.#running.set(job.key, run);
    this.#runningBytes += run.bytes;
    try {
      const result = await job.read(signal);
      if (signal.aborted) return;
      this.#expired.delete(job.key);
      this.cache.set(result);
      this.#end(job.key);
      this.#tell(job.key, (client) => client.onRead(result, job.key));
    } catch (error) {
      if (signal.aborted) return;
      if (this.#expired.delete(job.key)) this.cache.delete(job.key);
      this.#failures.set(job.key, error);
      this.#end(job.key);
      this.#tell(job.key, (client) => client.onFail(error, job.key));
    }
    this.#start();
  }

  #end(key: string): void {
    this.#ended++;
    this.#runningBytes -= this.#running.get(key)?.bytes ?? 0;
    this.#running.delete(key);
  }

  #tell(key: string, say: (client: Client<T>) => void): void {
    for (const [client, { spared }] of [...this.#wishes]) if (spared.has(key)) say(client);
  }
}
