/** Calls of the file system that block the thread as long as that is faster (Node, Deno, Bun). */

import { nextTask, nodeModule } from "../../util/platform.js";
import type { FileCalls } from "../transport.js";
import { type BlockingFs, Latency } from "./blocking.js";

type Fs = typeof import("node:fs/promises");

/** Maximum size of an object that is read or written by blocking calls. */
export const maxBlockingBytes = 2 ** 20;
/** Time for which short calls may block the thread before it runs other tasks, in milliseconds. */
const maxTurn = 8;

/** Time at which this thread last ran other tasks, and the pending wait for them. */
let turnStart = Number.NEGATIVE_INFINITY;
let turn: Promise<void> | undefined;

/** Runs short calls on this thread while they are fast: see {@link Latency}. */
export class CallRunner {
  readonly #latency = new Latency();
  readonly #blocking: FileCalls;

  private constructor(
    private readonly fs: Fs,
    blocking: BlockingFs,
  ) {
    this.#blocking = { ...fs, ...blockingCalls(blocking, this.#latency) };
  }

  static async make(): Promise<CallRunner> {
    return new CallRunner(await nodeModule<Fs>("node:fs/promises"), await nodeModule<BlockingFs>("node:fs"));
  }

  /** The calls for the next file. */
  get next(): FileCalls {
    return this.#latency.isHigh ? this.fs : this.#blocking;
  }
}

type Call = (...given: unknown[]) => unknown;

function blockingCalls(
  fs: BlockingFs,
  latency: Latency,
): Pick<FileCalls, "lstat" | "open" | "rename" | "stat" | "unlink"> {
  const run = async (name: string, ...given: unknown[]) =>
    latency.of(() => (fs as unknown as Record<string, Call>)[`${name}Sync`]!(...given));
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
  for (const name of ["lstat", "rename", "stat", "unlink"]) calls[name] = run.bind(null, name);
  return calls as unknown as FileCalls;
}

/** Shared by all callers, so that they continue in turn and chunks are read in order. */
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
