// The command line's own server (web/cli/server), for npm start, the browser tests and the benchmarks: serves the
// viewer, the wasm modules and sample stores, with byte ranges as object stores do; and the browser that opens its pages.
import { findChromium } from "./system.mjs";

/** The strictest policy that the library works under: no eval, no inline scripts. */
export const strictPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** Headers that make a page cross-origin isolated, so that threads can share memory. */
export const isolationHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Starts the server; web/cli/server/server.ts documents its options. It is imported lazily, as it may not be built
 * when this file is loaded.
 * @param {import("../../dist/cli/server/server.js").ServerOptions} options
 * @returns {Promise<{url: string, close(): Promise<void>}>}
 */
export async function startServer(options) {
  const server = await import("../../dist/cli/server/server.js");
  return server.startServer(options);
}

/** Launches Chromium. Containers provide neither user namespaces nor much shared memory. */
export async function launchChromium(args = []) {
  const { chromium } = await import("@playwright/test");
  const executablePath = findChromium();
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...args],
  });
}
