// The speed that threads reach on this machine without a library between them: each decodes (and touches fresh memory),
// or encodes, its own share of the chunks. Cores share caches, memory and page tables, so two threads are rarely twice
// as fast as one.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const script = new URL("./ceiling-worker.mjs", import.meta.url);

/** Threads that have the same chunks, encoded and decoded. */
export class Ceiling {
  #threads = [];

  /**
   * @param {{chunks: number[], codecs: object[]}} array
   * @param {{encoded: Uint8Array[], elements: Uint16Array[]}} chunks
   */
  static async start(size, array, chunks) {
    const ceiling = new Ceiling();
    for (let i = 0; i < size; i++) {
      const thread = new Worker(script, { workerData: { array, ...chunks } });
      ceiling.#threads.push(thread);
      await once(thread, "message");
    }
    return ceiling;
  }

  /** Runs the work on the first `size` threads. @param {"decode" | "encode"} work */
  async run(work, size, count) {
    const threads = this.#threads.slice(0, size);
    const done = threads.map((thread) => once(thread, "message"));
    for (const thread of threads) thread.postMessage({ work, count: count / size });
    await Promise.all(done);
  }

  stop() {
    for (const thread of this.#threads) void thread.terminate();
  }
}
