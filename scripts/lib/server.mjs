// The command line's own server (web/cli/server), for npm start, the browser tests and the benchmarks: the viewer, the
// wasm modules and sample stores, with byte ranges, as object stores answer.

/** The strictest policy that the library works under: no eval, no inline scripts. */
export const strictPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** What makes a page cross-origin isolated, and with it threads' shared memory available. */
export const isolationHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Starts the server; web/cli/server/server.ts says what its options are. It is loaded when it is asked for: it may not
 * have been built before.
 * @param {import("../../dist/cli/server/server.js").ServerOptions} options
 * @returns {Promise<{url: string, close(): Promise<void>}>}
 */
export async function startServer(options) {
  const server = await import("../../dist/cli/server/server.js");
  return server.startServer(options);
}
