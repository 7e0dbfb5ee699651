/** `worker.js`, the worker script: bundlers find it through `WorkerPool`, programs as `zarr-wasm/worker`. */
import { startWorker } from "./worker-main.js";

export { startWorker } from "./worker-main.js";

startWorker();
