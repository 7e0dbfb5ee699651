// Server of the viewer's benchmark, in a separate process: serves pages and data over HTTP/2, like data
// hosts, and logs requests. Started by host.mjs with its configuration as JSON.
import { once } from "node:events";
import { createReadStream, openSync, readFileSync, readSync, statSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chunkNumber } from "../stores.mjs";
import { stackChunk } from "./stack.mjs";

const { cert, key, mounts, repeated } = JSON.parse(process.argv[2]);

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const compressed = new Map();

/** Requests below /data/: time, path, and the number of bytes sent. */
let log = [];
let open = 0;

/** Addresses that change with the contents of their files. */
const hashed = /-[0-9a-z]{8}\.js$|\?v=/;

/** Serves files of pages, compressed once, as web hosts do: browsers confirm them on later visits. */
function sendPage(file, request, response) {
  let body = compressed.get(file);
  body ??= gzipSync(readFileSync(file), { level: 9 });
  compressed.set(file, body);
  const head = {
    "content-type": types[path.extname(file)] ?? "application/octet-stream",
    "content-encoding": "gzip",
    "cache-control": hashed.test(request.url) ? "max-age=31536000, immutable" : "no-cache",
    etag: `"${body.length}-${statSync(file).mtimeMs}"`,
  };
  if (request.headers["if-none-match"] === head.etag) return response.writeHead(304, head).end();
  response.writeHead(200, { ...head, "content-length": body.length });
  response.end(body);
}

function rangeOf(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined) return undefined;
  if (first === "") return [Math.max(0, size - Number(last)), size - 1];
  return [Number(first), last === "" ? size - 1 : Math.min(size - 1, Number(last))];
}

function sendData(file, request, response, note) {
  const { size, mtimeMs } = statSync(file);
  const head = {
    etag: `"${size}-${mtimeMs}"`,
    "accept-ranges": "bytes",
    "content-type": "application/octet-stream",
  };
  if (request.headers["if-none-match"] === head.etag) {
    note.status = 304;
    return response.writeHead(304, head).end();
  }
  const range = rangeOf(request.headers.range, size);
  const [start, end] = range ?? [0, size - 1];
  note.range = range;
  if (range && start > end) return response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  if (range) head["content-range"] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, { ...head, "content-length": end - start + 1 });
  if (request.method === "HEAD") return response.end();
  if (end - start < fewBytes) {
    note.bytes = end - start + 1;
    return response.end(bytesAt(file, start, note.bytes));
  }
  const body = createReadStream(file, { start, end });
  body.on("data", (piece) => {
    note.bytes += piece.length;
  });
  response.on("close", () => body.destroy());
  body.pipe(response);
}

/** Maximum size of responses that are read at once: the server must take little CPU time from the page. */
const fewBytes = 2 ** 18;
const opened = new Map();

function bytesAt(file, start, count) {
  if (!opened.has(file)) opened.set(file, openSync(file));
  const bytes = Buffer.alloc(count);
  readSync(opened.get(file), bytes, 0, count, start);
  return bytes;
}

/** An array whose chunks are all copies of 16. */
function repeatedArray(dir, numberOf) {
  const document = readFileSync(path.join(dir, "zarr.json"));
  const chunks = Array.from({ length: 16 }, (_, i) => readFileSync(path.join(dir, `${i}.chunk`)));
  return (name) => {
    if (name === "/zarr.json") return document;
    return name.startsWith("/c/") ? chunks[numberOf(name)] : undefined;
  };
}
const arrays = {
  volume: repeatedArray(repeated.volume, (name) => chunkNumber(name, 16)),
  stack: repeatedArray(repeated.stack, stackChunk),
};

function answer(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const [, name, below] = /^\/(volume|stack)(\/.*)$/.exec(pathname) ?? [];
  if (name) {
    const body = arrays[name](below);
    return response.writeHead(body ? 200 : 404, { "content-length": body?.length ?? 0 }).end(body);
  }
  const prefix = Object.keys(mounts).find((name) => pathname.startsWith(name));
  const file = prefix && path.join(mounts[prefix], decodeURIComponent(pathname.slice(prefix.length)));
  const isData = prefix === "/data/";
  const note = { at: Date.now(), path: pathname, status: 200, bytes: 0 };
  if (isData) {
    log.push(note);
    open++;
    response.on("close", () => {
      open--;
    });
  }
  if (!file || file.includes("..") || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    note.status = 404;
    return response.writeHead(404, { "content-length": 0 }).end();
  }
  return isData ? sendData(file, request, response, note) : sendPage(file, request, response);
}

// Clients that send all requests at once are served, too.
const server = http2.createSecureServer({ cert, key, allowHTTP1: true, maxSessionMemory: 1000 }, answer);
process.on("message", (message) => {
  if (message === "reset") log = [];
  process.send({ log, open });
});
process.on("disconnect", () => process.exit());
/** Plain HTTP, so that TLS does not limit reads at full speed. */
const plain = http.createServer(answer);
plain.keepAliveTimeout = 600_000; // a page may decode for a long time between two requests
const listening = [server, plain].map((one) => once(one.listen(0, "127.0.0.1"), "listening"));
await Promise.all(listening);
const addressOf = (one) => `127.0.0.1:${one.address().port}`;
process.send({ url: `https://${addressOf(server)}`, plainUrl: `http://${addressOf(plain)}` });
