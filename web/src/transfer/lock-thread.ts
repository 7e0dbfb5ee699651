/**
 * The script of a thread that renews a lock: `bundle/lock-thread.js`. A separate entry loads few files: the thread starts
 * while a copy needs all processors.
 */

import { nodeModule } from "../util/platform.js";
import { beginRenewal, endRenewal, type HeartbeatData, Renewer } from "./lock-protocol.js";

/** Renews a lock until a message ends the thread, or the lock is lost. */
async function run(): Promise<void> {
  const { parentPort, workerData } =
    await nodeModule<typeof import("node:worker_threads")>("node:worker_threads");
  const data = workerData as HeartbeatData;
  const renewer = new Renewer(data);
  let isStopped = false;
  let wake = () => {};
  parentPort!.once("message", () => {
    isStopped = true;
    wake();
  });
  while (!isStopped) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, data.interval * (0.75 + 0.5 * Math.random()));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    // After a failure, the next renewal may succeed; otherwise, the main thread detects the loss.
    if (isStopped || !beginRenewal(data.report)) break;
    const isHeld = await renewer.renew().catch(() => true);
    endRenewal(data.report);
    if (!isHeld) break;
  }
  parentPort!.close();
}

// Not awaited here: with a top-level `await`, Rolldown divides the library into more files.
void run();
