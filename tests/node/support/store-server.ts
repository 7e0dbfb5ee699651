/** A server of objects with configurable handling of ranges, for the tests of stores. */
import http from "node:http";
import type { AddressInfo } from "node:net";

/** Response instead of the object: a status, or a broken connection. */
export type Trouble = { status: number; headers?: Record<string, string>; body?: string } | "break";

/** A response as seen by a page of another origin, from which CORS may hide headers. */
export const asCors = (response: Response): Response =>
  Object.defineProperty(response, "type", { value: "cors" });

/** Emulates the fetch of a page of another origin. */
export const corsFetch = async (request: Request): Promise<Response> => asCors(await fetch(request));

/** A response that is ready to be sent. */
export interface Ready {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  /** The whole object. */
  object: Uint8Array;
  /** Number of requests for the object, including this one. */
  attempt: number;
}

/** Sends a response, or the available part of it. */
export type Send = (
  ready: Ready,
  response: http.ServerResponse,
  request: http.IncomingMessage,
) => void | Promise<void>;

export interface Behaviour {
  /** "ok", or what requests for an offset get: the whole object, or the status 416 or 501. */
  ranges?: "ok" | "whole";
  /** "ok", or what requests for the last bytes get. "first" answers with the first bytes, as some servers do. */
  suffix?: "ok" | "whole" | "first" | number;
  /** Whether HEAD works. */
  head?: "ok" | "no-length" | number;
  /** Whether Content-Range and ETag are sent; CORS hides both. */
  exposed?: boolean;
  /** Whether responses with a whole object have a Content-Length. */
  length?: boolean;
  /** Changes the headers of a response before it is sent. */
  headers?: (headers: Record<string, string>, request: http.IncomingMessage) => Record<string, string>;
  /** Bytes missing at a response's end; its Content-Length counts only the bytes sent. */
  short?: number;
  /** Called first: may respond in another way, or wait. */
  trouble?: (
    request: http.IncomingMessage,
    count: number,
  ) => Trouble | undefined | Promise<Trouble | undefined>;
  /** Sends data responses in another way; returns undefined for a normal response. */
  send?: (ready: Ready, request: http.IncomingMessage) => Send | undefined;
}

export interface Seen {
  method: string;
  path: string;
  range: string | undefined;
  /** Bytes of the body that were handed to the connection. */
  sent: number;
}

/** The part of an object that a Range header names: undefined for none, "no" for one that cannot be served. */
function rangeOf(header: string | undefined, size: number, { ranges, suffix }: Behaviour) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match) return undefined;
  if (match[1] !== "") {
    if (ranges === "whole") return undefined;
    const start = Number(match[1]);
    return start >= size ? 416 : { start, end: Math.min(size, Number(match[2] || size - 1) + 1) };
  }
  const length = Number(match[2]);
  if (suffix === "whole" || (ranges === "whole" && suffix === undefined)) return undefined;
  if (typeof suffix === "number") return suffix;
  if (suffix === "first") return { start: 0, end: Math.min(size, length + 1) };
  return size === 0 ? 416 : { start: Math.max(0, size - length), end: size };
}

export class ObjectServer {
  readonly objects = new Map<string, Uint8Array>();
  readonly seen: Seen[] = [];
  behaviour: Behaviour;
  etag = '"1"';
  /** Maximum number of requests in progress at once. */
  peak = 0;
  readonly #running = new Set<http.IncomingMessage>();
  readonly #server: http.Server;

  constructor(objects: Record<string, Uint8Array> = {}, behaviour: Behaviour = {}) {
    for (const [path, bytes] of Object.entries(objects)) this.objects.set(path, bytes);
    this.behaviour = behaviour;
    this.#server = http.createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Breaks the open connections. */
  drop(): void {
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Responses in progress, except those whose readers have disconnected. */
  get open(): number {
    return [...this.#running].filter(({ socket }) => !socket.destroyed && !socket.readableEnded).length;
  }

  /** The requests as text: "GET /a bytes=0-9". */
  get log(): string[] {
    return this.seen.map(({ method, path, range }) => [method, path, range].filter(Boolean).join(" "));
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    const seen: Seen = { method, path, range: headers.range, sent: 0 };
    this.seen.push(seen);
    this.#running.add(request);
    response.on("close", () => this.#running.delete(request));
    this.peak = Math.max(this.peak, this.open);
    const trouble = await this.behaviour.trouble?.(request, this.seen.length);
    if (trouble === "break") return void request.socket.destroy();
    if (trouble) return void response.writeHead(trouble.status, trouble.headers ?? {}).end(trouble.body);
    const bytes = this.objects.get(decodeURIComponent(path.split("?")[0]!));
    if (!bytes) return void response.writeHead(404).end();
    if (method === "HEAD" && !this.behaviour.send) return this.#head(bytes, response);
    this.#body(bytes, request, response, seen);
  }

  #head(bytes: Uint8Array, response: http.ServerResponse): void {
    const { head } = this.behaviour;
    if (typeof head === "number") response.writeHead(head).end();
    else response.writeHead(200, head === "no-length" ? {} : { "content-length": bytes.byteLength }).end();
  }

  #body(bytes: Uint8Array, request: http.IncomingMessage, response: http.ServerResponse, seen: Seen): void {
    const { exposed = true, length = true, short = 0 } = this.behaviour;
    const range = rangeOf(seen.range, bytes.byteLength, this.behaviour);
    let headers: Record<string, string> = exposed ? { etag: this.etag } : {};
    if (typeof range === "number") {
      if (exposed && range === 416) headers["content-range"] = `bytes */${bytes.byteLength}`;
      return void response.writeHead(range, headers).end("cannot do that");
    }
    const part = range ? bytes.subarray(range.start, range.end) : bytes;
    const body = part.subarray(0, Math.max(0, part.byteLength - short));
    if (range && exposed)
      headers["content-range"] = `bytes ${range.start}-${range.end - 1}/${bytes.byteLength}`;
    if (range || length) headers["content-length"] = String(body.byteLength);
    headers = this.behaviour.headers?.(headers, request) ?? headers;
    const status = range ? 206 : 200;
    const attempt = this.seen.filter(({ path }) => path === seen.path).length;
    const ready: Ready = { status, headers, body, object: bytes, attempt };
    const send = this.behaviour.send?.(ready, request);
    if (send) return void send(ready, response, request);
    response.writeHead(status, headers);
    this.#stream(body, response, seen);
  }

  /** Sends as fast as the reader receives, so that a paused reader is noticed. */
  #stream(body: Uint8Array, response: http.ServerResponse, seen: Seen): void {
    const piece = 64 * 1024;
    const next = () => {
      while (seen.sent < body.byteLength) {
        if (response.destroyed) return;
        const chunk = body.subarray(seen.sent, seen.sent + piece);
        seen.sent += chunk.byteLength;
        if (!response.write(chunk)) return void response.once("drain", next);
      }
      response.end();
    };
    next();
  }
}
