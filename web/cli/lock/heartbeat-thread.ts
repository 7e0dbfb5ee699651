/** The thread of a heartbeat. */
import { parentPort, workerData } from "node:worker_threads";
import { beatOnce, type HeartbeatData } from "./heartbeat.js";

const data = workerData as HeartbeatData;
let isStopped = false;
let wake = () => {};
parentPort!.once("message", () => {
  isStopped = true;
  wake();
});

while (!isStopped) {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, data.interval);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  // A failure passes, or the main thread finds out that the lock was not renewed.
  if (!isStopped && !(await beatOnce(data).catch(() => true))) break;
}
parentPort!.close();
