/**
 * An HTTP server on the loopback interface for the viewer's page, the modules and data: serves files with byte ranges,
 * as object stores do, and stores of this library. Accepts GET and HEAD only, and never writes.
 *
 * Pages of other origins must not read data on this machine: there is no CORS header, and requests with a Host other
 * than the loopback's own are refused, so that DNS rebinding cannot make a page and the data one origin.
 */
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { finished } from "node:stream/promises";
import type { Store } from "zarr-wasm";
import { type FileMount, sendFile } from "./files.js";
import { type Asked, type Head, notFound, refused, sendObject } from "./response.js";

/** A folder of the page's own files, data on disk, or a store. */
export type Mount = string | FileMount | { readonly store: Store };

export interface ServerOptions {
  /** Mounts by URL prefix; the longest match wins. A string is a folder of the page's own files. */
  readonly mounts: Readonly<Record<string, Mount>>;
  /** Content-Security-Policy of every response. */
  readonly policy?: string | undefined;
  /** Target of the redirect from `/`. Default: none. */
  readonly home?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /** Sent with every response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called first: responds itself and returns true, or leaves the request alone. */
  readonly route?:
    | ((
        request: http.IncomingMessage,
        response: http.ServerResponse,
        headers: Record<string, string>,
      ) => boolean)
    | undefined;
}

export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The viewer page's policy; it allows connections to any source. */
export const viewerPolicy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; object-src 'none'; base-uri 'none'; frame-ancestors 'self'";

/** Maximum number of connections: a browser opens six per server. */
const maxConnections = 256;

/** A mount and its URL prefix. */
interface Mounted {
  readonly prefix: string;
  readonly mount: Exclude<Mount, string>;
}

/** @throws errors of listening, for example EADDRINUSE. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { home, policy, port = 0, headers = {}, route } = options;
  const base: Record<string, string> = { "x-content-type-options": "nosniff", ...headers };
  if (policy !== undefined) base["content-security-policy"] = policy;
  const mounts = Object.entries(options.mounts).map(([prefix, mount]) => ({
    prefix,
    mount: typeof mount === "string" ? { root: mount, isData: false } : mount,
  }));
  const turns = new Turns((asked) =>
    answer(mounts, home, asked, base).catch(() => {
      // Clients must not see internal errors; a response that has begun cannot be taken back.
      if (asked.response.headersSent) asked.response.destroy();
      else asked.response.writeHead(500, base).end();
    }),
  );
  const server = http.createServer((request, response) => {
    if (!route?.(request, response, base)) turns.add({ request, response });
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function answer(
  mounts: readonly Mounted[],
  home: string | undefined,
  asked: Asked,
  head: Head,
): Promise<void> {
  const { method, headers, url = "/" } = asked.request;
  if (!isLoopback(headers.host))
    return refused(asked, 421, head, "this server answers to its own address only");
  if (method !== "GET" && method !== "HEAD")
    return refused(asked, 405, { ...head, allow: "GET, HEAD" }, "only GET and HEAD are served");
  const pathname = decodePath(url);
  if (pathname === undefined) return refused(asked, 400, head, "the path is not valid");
  if (pathname === "/" && home !== undefined) {
    asked.response.writeHead(302, { ...head, location: home }).end();
    return;
  }
  const fitting = mounts.filter(({ prefix }) => pathname.startsWith(prefix));
  const [found] = fitting.sort((a, b) => b.prefix.length - a.prefix.length);
  if (!found) return notFound(asked, head);
  const { mount, prefix } = found;
  const below = pathname.slice(prefix.length);
  if ("isData" in mount && !mount.isData) return sendFile(mount, below, asked, head);
  // A document among the data that a user opens in a tab is sandboxed.
  const boxed = { ...head, "content-security-policy": "default-src 'none'; sandbox" };
  return "store" in mount
    ? sendObject(mount.store, below, asked, boxed)
    : sendFile(mount, below, asked, boxed);
}

/** The decoded path of a request; undefined if invalid. `..` in any form stays, and is refused at lookup. */
function decodePath(url: string): string | undefined {
  const path = url.replace(/[?#].*$/s, "");
  try {
    return path.startsWith("/") ? decodeURIComponent(path) : undefined;
  } catch {
    return undefined;
  }
}

const isLoopback = (host: string | undefined): boolean =>
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");

/** Number of waiting requests from which a connection is not read further. */
const maxWaiting = 16;

/**
 * Answers the requests of each connection one after another, as HTTP/1.1 sends the responses anyway: a client that sends
 * thousands without waiting for a response must not open as many files.
 */
class Turns {
  readonly #waiting = new WeakMap<Socket, Asked[]>();

  constructor(private readonly answer: (asked: Asked) => Promise<void>) {}

  add(asked: Asked): void {
    const { socket } = asked.request;
    const waiting = this.#waiting.get(socket);
    if (!waiting) {
      const all = [asked];
      this.#waiting.set(socket, all);
      void this.#run(socket, all);
      return;
    }
    waiting.push(asked);
    if (waiting.length === maxWaiting) socket.pause();
  }

  async #run(socket: Socket, waiting: Asked[]): Promise<void> {
    for (let asked = waiting[0]; asked && !socket.destroyed; asked = waiting[0]) {
      await this.answer(asked);
      await finished(asked.response).catch(() => {}); // the client has disconnected
      waiting.shift();
      if (waiting.length === 0 && socket.isPaused()) socket.resume();
    }
    this.#waiting.delete(socket);
  }
}
