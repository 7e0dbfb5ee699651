/** Short responses. */

import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";

/** Headers of a response. */
export type Head = Readonly<Record<string, string | number>>;

/** A request and its response. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export function sendText({ request, response }: Asked, status: number, head: Head, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { "cache-control": "no-cache", ...head, "content-length": body.byteLength });
  response.end(request.method === "HEAD" ? undefined : body);
}

const plain = { "content-type": "text/plain; charset=utf-8" };

export function notFound(asked: Asked, head: Head): void {
  sendText(asked, 404, { ...head, ...plain }, "not found\n");
}

export function refused(asked: Asked, status: number, head: Head, why: string): void {
  sendText(asked, status, { ...head, ...plain }, `${why}\n`);
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

/** Documents of Zarr v2, which have no extension. */
const documents = /^\.z(array|group|attrs|metadata)$/;

/** The type of a file; for data, headers that keep browsers from treating it as anything but bytes. */
export function contentType(file: string, isData: boolean): Head {
  const name = path.basename(file);
  if (!isData) return { "content-type": types[path.extname(name)] ?? "application/octet-stream" };
  const isJson = name.endsWith(".json") || documents.test(name);
  return { "content-type": isJson ? "application/json" : "application/octet-stream" };
}
