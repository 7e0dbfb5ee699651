import { get, open, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { readAll } from "./read.js";

const base = new URLSearchParams(location.search).get("data");
const started = performance.now();
globalThis.found = readAll({ get, open, WorkerPool }, { createCodecChain }, base)
  .catch((error) => ({ faults: [String(error?.stack ?? error)] }))
  .then((found) => ({ ...found, milliseconds: Math.round(performance.now() - started) }));
