// A small static server on the loopback interface: the viewer, the wasm modules and sample stores, with
// byte ranges, as object stores answer. Used by npm start, the browser tests and the benchmarks.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import http from "node:http";
import path from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The strictest policy that the library works under: no eval, no inline scripts. */
export const strictPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** What makes a page cross-origin isolated, and with it threads' shared memory available. */
export const isolationHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Starts the server.
 * @param {object} options
 * @param {Record<string, string>} options.mounts folders by URL prefix ("/viewer/": "dist/viewer"); longest wins
 * @param {string} [options.policy] Content-Security-Policy of every answer
 * @param {number} [options.port] 0 for any
 * @param {Record<string, string>} [options.headers] sent with every answer
 * @param {(request: http.IncomingMessage, response: http.ServerResponse, headers: Record<string, string>) => boolean}
 *   [options.route] asked first: answers itself, and returns true, or leaves the request alone
 * @returns {Promise<{url: string, close(): Promise<void>}>}
 */
export async function startServer({ mounts, policy, port = 0, headers = {}, route }) {
  const base = policy ? { "content-security-policy": policy, ...headers } : headers;
  const server = http.createServer((request, response) => {
    if (route?.(request, response, base)) return;
    answer(mounts, base, request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** The file of a URL path, or undefined when it lies outside every mounted folder. */
function fileOf(mounts, pathname) {
  const prefixes = Object.keys(mounts).sort((a, b) => b.length - a.length);
  const prefix = prefixes.find((p) => pathname.startsWith(p));
  if (prefix === undefined) return undefined;
  const folder = path.resolve(mounts[prefix]);
  const file = path.join(folder, pathname.slice(prefix.length));
  return file === folder || file.startsWith(folder + path.sep) ? file : undefined;
}

async function answer(mounts, base, request, response) {
  const pathname = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  let file = fileOf(mounts, pathname);
  if (file && pathname.endsWith("/")) file = path.join(file, "index.html");
  const info = file && (await stat(file).catch(() => undefined));
  if (!info?.isFile()) {
    response.writeHead(404, { ...base, "content-type": "text/plain" }).end("not found\n");
    return;
  }
  const type = types[path.extname(file)] ?? "application/octet-stream";
  const head = { ...base, "content-type": type, "accept-ranges": "bytes", "cache-control": "no-cache" };
  const range = rangeOf(request.headers.range, info.size);
  if (range === "unsatisfiable") {
    response.writeHead(416, { ...head, "content-range": `bytes */${info.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: info.size - 1 };
  if (range) head["content-range"] = `bytes ${start}-${end}/${info.size}`;
  response.writeHead(range ? 206 : 200, { ...head, "content-length": end - start + 1 });
  if (request.method === "HEAD" || info.size === 0) response.end();
  else createReadStream(file, { start, end }).pipe(response);
}

/** The one byte range that a header asks for; undefined for none or a form that we do not serve. */
function rangeOf(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size - 1 : Math.min(size - 1, Number(match[2]));
  return start > end ? "unsatisfiable" : { start, end };
}
