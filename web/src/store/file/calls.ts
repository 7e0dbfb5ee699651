/** Calls of the file system that block the thread while that is faster (Node, Deno, Bun). */

import { nextTask, nodeModule } from "../../util/platform.js";
import type { FileCalls } from "../transport.js";

type Fs = typeof import("node:fs/promises");
type BlockingFs = typeof import("node:fs");

/** Maximum size of an object that is read or written by blocking calls. */
export const maxBlockingBytes = 2 ** 20;
/** Time for which short calls may block the thread before it runs other tasks, in milliseconds. */
const maxTurn = 8;
/** Mean duration of recent calls, in milliseconds, up to which short calls block this thread. */
const maxMean = 0.5;
/** Weight of a call in the mean. */
const weight = 1 / 16;
/** Durations above this count as this: a pause of the thread is not a slow file system. */
const maxDuration = 2;

/** Time at which this thread last ran other tasks, and the wait for them. */
let turnStart = Number.NEGATIVE_INFINITY;
let turn: Promise<void> | undefined;

/**
 * Runs short calls on this thread while they are fast: passing a call to the thread pool and back takes several times as
 * long as the call on a local disk. On slow file systems, calls run in the pool and overlap.
 */
export class CallRunner {
  #mean = 0;
  readonly #blocking: FileCalls;

  private constructor(
    private readonly fs: Fs,
    blocking: BlockingFs,
  ) {
    const note = (duration: number) => {
      this.#mean += weight * (Math.min(duration, maxDuration) - this.#mean);
    };
    this.#blocking = { ...fs, ...blockingCalls(blocking, note) };
  }

  static async make(): Promise<CallRunner> {
    return new CallRunner(await nodeModule<Fs>("node:fs/promises"), await nodeModule<BlockingFs>("node:fs"));
  }

  /** The calls for the next file. */
  get next(): FileCalls {
    return this.#mean > maxMean ? this.fs : this.#blocking;
  }
}

type Call = (...given: unknown[]) => unknown;

/** @param note called with the duration of each call. */
function blockingCalls(
  fs: BlockingFs,
  note: (duration: number) => void,
): Pick<FileCalls, "chmod" | "lstat" | "open" | "rename" | "stat" | "unlink"> {
  const run = async (name: string, ...given: unknown[]) => {
    const start = performance.now();
    try {
      return (fs as unknown as Record<string, Call>)[`${name}Sync`]!(...given);
    } finally {
      note(performance.now() - start);
    }
  };
  const calls: Record<string, Call> = {
    async open(...given) {
      if (performance.now() - turnStart > maxTurn) await runOtherTasks();
      const id = (await run("open", ...given)) as number;
      return {
        stat: run.bind(null, "fstat", id),
        read: async (bytes: Uint8Array, at: number, length: number, position: number) => {
          const isLong = length > maxBlockingBytes;
          const read = isLong
            ? readInPool(fs, id, bytes, at, length, position)
            : run("read", id, bytes, at, length, position);
          return { bytesRead: await read };
        },
        write: async (...part: unknown[]) => ({ bytesWritten: await run("write", id, ...part) }),
        sync: run.bind(null, "fsync", id),
        close: run.bind(null, "close", id),
      };
    },
  };
  for (const name of ["chmod", "lstat", "rename", "stat", "unlink"]) calls[name] = run.bind(null, name);
  return calls as unknown as FileCalls;
}

/** Shared by all callers, which then continue in turns: one that ran ahead would leave the chunks of others behind. */
function runOtherTasks(): Promise<void> {
  turn ??= nextTask().then(() => {
    turnStart = performance.now();
    turn = undefined;
  });
  return turn;
}

/** Reads in the thread pool, while this thread decodes. */
function readInPool(fs: BlockingFs, ...part: [number, Uint8Array, number, number, number]): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(...part, (error, bytesRead) => (error ? reject(error) : resolve(bytesRead)));
  });
}
