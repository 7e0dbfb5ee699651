/** A custom worker of a pool. */
import { startWorker } from "zarr-wasm/worker";

startWorker();
