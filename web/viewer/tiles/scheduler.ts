/**
 * Who is read next. Clients (views) say what they want, best first, as a whole list at every change; what nobody
 * wants any more is aborted. Knows nothing of arrays.
 */
import type { Cache } from "./cache.js";

/** Something to read. */
export interface Job<T> {
  readonly key: string;
  /** Memory that the result will take, about; 0 where nobody knows. */
  readonly bytes?: number | undefined;
  read(signal: AbortSignal): Promise<T>;
}

/** What a client is told. */
export interface Client<T> {
  onRead(result: T, key: string): void;
  onFail(error: unknown, key: string): void;
}

interface Running {
  readonly abort: AbortController;
  readonly bytes: number;
}

/** What may be read at a time. */
export interface Limits {
  /**
   * Reads at the beginning: what is waited for most need not share the line, and the processor, with many. Every one
   * that ends makes room for two more than itself.
   */
  readonly first: number;
  /** Reads of few bytes. */
  readonly reads: number;
  /** Of large results no more are read at a time than have so many bytes, … */
  readonly bytes: number;
  /** … but as many as this. */
  readonly least: number;
}

interface Wishes<T> {
  readonly jobs: readonly Job<T>[];
  /** All before it has been started, or is there: lists are long, and asked for at every read. */
  next: number;
  /** Keys of what is not to be started, but not to be aborted either. */
  readonly spared: ReadonlySet<string>;
}

export class Scheduler<T extends { readonly key: string; readonly bytes: number }> {
  readonly #wishes = new Map<Client<T>, Wishes<T>>();
  readonly #running = new Map<string, Running>();
  #runningBytes = 0;
  #ended = 0;
  readonly #failures = new Map<string, unknown>();

  constructor(
    readonly cache: Cache<T>,
    private readonly limits: Limits,
  ) {}

  get running(): number {
    return this.#running.size;
  }

  /** Says what a client wants, in place of what it wanted before. */
  want(client: Client<T>, jobs: readonly Job<T>[], spared: Iterable<string> = []): void {
    this.#wishes.set(client, { jobs, next: 0, spared: new Set([...spared, ...jobs.map(({ key }) => key)]) });
    // What is wanted is used: the best last, so that it is the last to go.
    for (let i = jobs.length - 1; i >= 0; i--) this.cache.get(jobs[i]!.key);
    this.#abortUnwanted();
    this.#start();
  }

  /** Forgets a client. */
  leave(client: Client<T>): void {
    this.#wishes.delete(client);
    this.#abortUnwanted();
    this.#start();
  }

  failureOf(key: string): unknown {
    return this.#failures.get(key);
  }

  isSettled(key: string): boolean {
    return this.cache.peek(key) !== undefined || this.#failures.has(key);
  }

  /** Forgets failures, so that what failed is tried again. */
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

  /** The first of all clients' first, then the second of each, …: nobody waits for another's list. */
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
      this.cache.set(result);
      this.#end(job.key);
      this.#tell(job.key, (client) => client.onRead(result, job.key));
    } catch (error) {
      if (signal.aborted) return;
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
