/** Reads under a policy that forbids WebAssembly, and reports the outcome from a page or a worker. */
import { get, isZarrError, open, WorkerPool } from "zarr-wasm";

async function read(): Promise<string> {
  try {
    const array = await open(new URL("/examples/field.zarr", location.origin), { kind: "array" });
    const pool =
      typeof Worker === "function" && "document" in globalThis ? new WorkerPool({ size: 1 }) : undefined;
    await get(array, null, pool && { pool });
    return "it was read";
  } catch (error) {
    return isZarrError(error) ? `${error._tag}: ${error.message}` : `not a ZarrError: ${error}`;
  }
}

if ("document" in globalThis) {
  const worker = new Worker("/no-wasm/suite/forbidden.js", { type: "module" });
  const inWorker = new Promise<string>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => resolve("the worker could not be started");
  });
  void Promise.all([read(), inWorker]).then(([page, worker]) =>
    fetch("/report", { method: "POST", body: JSON.stringify({ page, worker }) }),
  );
} else {
  void read().then((text) => postMessage(text));
}
