/** Responses: short ones, and objects of a store, in whole or by byte ranges of RFC 9110, section 14. */

import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { isZarrError, listChildren, type Store } from "zarr-wasm";

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

/** First and last byte, inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a header with one range, clamped to the object's end.
 * @returns undefined for no header, several ranges and invalid ones: the whole object is sent then, as the standard
 * allows;
 *   "unsatisfiable" for a range past the end, and for an empty one.
 */
function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // A very long number becomes Infinity, which compares as a large number does.
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(size - 1, Number(last));
  return start > end ? "unsatisfiable" : { start, end };
}

/** Headers of every response with an object, in whole or in part. */
export const rangeHead: Head = { "accept-ranges": "bytes", "cache-control": "no-cache" };

/**
 * Sends the status and headers for an object of `size` bytes: 200, 206 for a range, or 416, which ends the response.
 * @param range the header, or undefined for the whole object.
 * @returns the bytes to send; undefined if the response has ended: for an empty object, for HEAD, and for an
 *   unsatisfiable range.
 */
export function sendRangeHead(
  { request, response }: Asked,
  size: number,
  range: string | undefined,
  head: Head,
): ByteRange | undefined {
  const all = { ...head, ...rangeHead };
  const part = parseRange(range, size);
  if (part === "unsatisfiable") {
    response.writeHead(416, { ...all, "content-range": `bytes */${size}`, "content-length": 0 }).end();
    return undefined;
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  const place = part ? { "content-range": `bytes ${start}-${end}/${size}` } : {};
  response.writeHead(part ? 206 : 200, { ...all, ...place, "content-length": end - start + 1 });
  if (request.method !== "HEAD" && size > 0) return { start, end };
  response.end();
  return undefined;
}

/** Responds with an object of a store, or with the list of a path. */
export async function sendObject(store: Store, key: string, asked: Asked, head: Head): Promise<void> {
  const controller = new AbortController();
  asked.response.once("close", () => controller.abort());
  try {
    if (key === "" || key.endsWith("/")) await sendChildren(store, key, asked, head);
    else await sendWhole(store, key, asked, { ...head, ...contentType(key, true) }, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return;
    if (!isZarrError(error)) throw error;
    // No object can have a name that no store accepts.
    if (error._tag === "InvalidArgument") notFound(asked, head);
    else refused(asked, 502, head, error.message);
  }
}

/** The folders below a path, in the same form as for a folder on disk. */
async function sendChildren(store: Store, path: string, asked: Asked, head: Head): Promise<void> {
  const names = await listChildren(store, path);
  if (!names) return notFound(asked, head);
  const entries = names.map((name) => ({ name, type: "directory" }));
  sendText(asked, 200, { ...head, "content-type": "application/json" }, JSON.stringify(entries));
}

async function sendWhole(
  store: Store,
  key: string,
  asked: Asked,
  head: Head,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await store.get(`/${key}`, { signal });
  if (!bytes) return notFound(asked, head);
  // Stores do not report an object's size without reading it: ranges are cut out of the whole object.
  const part = sendRangeHead(asked, bytes.byteLength, asked.request.headers.range, head);
  if (part) asked.response.end(bytes.subarray(part.start, part.end + 1));
}
