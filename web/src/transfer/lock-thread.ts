/** The script of a thread that renews a lease: `bundle/lock-thread.js`. A separate entry loads few files. */

import { nodeModule } from "../util/platform.js";
import { renewRepeatedly } from "./heartbeat.js";

// Not awaited here: with a top-level `await`, Rolldown divides the library into more files.
void nodeModule<typeof import("node:worker_threads")>("node:worker_threads").then(({ workerData }) =>
  renewRepeatedly(workerData),
);
