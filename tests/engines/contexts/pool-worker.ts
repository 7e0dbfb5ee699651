/** A pool's worker of one's own. */
import { startWorker } from "zarr-wasm/worker";

startWorker();
