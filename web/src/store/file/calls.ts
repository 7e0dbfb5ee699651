/** Calls of the file system that block the thread while that is faster (Node, Deno, Bun). */

import { nodeModule } from "../../util/platform.js";
import { fileCalls, type OwnStore, type Store } from "../store.js";
import type { FileCalls } from "../transport.js";

type Fs = typeof import("node:fs/promises");
type BlockingFs = typeof import("node:fs");

/** Mean duration of recent calls, in milliseconds, up to which short calls block this thread. */
const maxMean = 0.5;
/** Weight of a call in the mean. */
const weight = 1 / 16;
/** Durations above this count as this: a pause of the thread is not a slow file system. */
const maxDuration = 2;

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

/** Lets stores of files that only the caller uses block the thread while that is faster. */
export async function blockForFiles(...stores: readonly Store[]): Promise<void> {
  const runner = await CallRunner.make();
  for (const store of stores) (store as OwnStore)[fileCalls] = runner;
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
      const id = await run("open", ...given);
      return {
        stat: run.bind(null, "fstat", id),
        read: async (...part: unknown[]) => ({ bytesRead: await run("read", id, ...part) }),
        write: async (...part: unknown[]) => ({ bytesWritten: await run("write", id, ...part) }),
        sync: run.bind(null, "fsync", id),
        close: run.bind(null, "close", id),
      };
    },
  };
  for (const name of ["chmod", "lstat", "rename", "stat", "unlink"]) calls[name] = run.bind(null, name);
  return calls as unknown as FileCalls;
}
