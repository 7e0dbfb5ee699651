/** Lets scripts on a server other than the page's start workers. */
import { wasmFile } from "./base/wasm-files.js";
import { configurePool } from "./tiles/pool-options.js";

/**
 * Browsers start only scripts of the page's own origin, but those may import others that allow cross-origin reads, as
 * CDNs do. Modules for bundlers must not call it: in a bundle, the script has another address.
 */
export function useForeignWorkers(): void {
  const script = wasmFile("worker-chunk.js");
  if (!globalThis.location || script.origin === location.origin) return;
  configurePool({
    createWorker: () => {
      const text = `import { startWorker } from ${JSON.stringify(script.href)};\nstartWorker();`;
      const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const worker = new Worker(url, { type: "module" });
      // Workers fetch their script some time after they are created.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      return worker;
    },
  });
}
