/**
 * A server on the loopback interface for the viewer's page, the modules and data: files with byte ranges, as object
 * stores answer, and stores of this library. Only GET and HEAD; nothing is ever written.
 *
 * Data on this machine must not reach other people's pages: there is no CORS header, and a host's name that is not the
 * loopback's own is refused, so that no name which a page's owner points here makes the page and the data one origin.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Store } from "zarr-wasm";
import { type FileMount, sendFile } from "./files.js";
import { sendObject } from "./objects.js";
import { type Asked, type Head, notFound, refused } from "./response.js";

/** A folder of the page's own files, data on disk, or a store. */
export type Mount = string | FileMount | { readonly store: Store };

export interface ServerOptions {
  /** What is served, by URL prefix; the longest that fits counts. A text is a folder of the page's own files. */
  readonly mounts: Readonly<Record<string, Mount>>;
  /** Content-Security-Policy of every answer. */
  readonly policy?: string | undefined;
  /** 0 (default) for any that is free. */
  readonly port?: number | undefined;
  /** Sent with every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Asked first: answers itself and returns true, or leaves the request alone. */
  readonly route?:
    | ((
        request: http.IncomingMessage,
        response: http.ServerResponse,
        headers: Record<string, string>,
      ) => boolean)
    | undefined;
}

export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** What the viewer's page works under, and may connect to any source. */
export const viewerPolicy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; object-src 'none'; base-uri 'none'; frame-ancestors 'self'";

/** @throws what listening fails with, EADDRINUSE for one. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { mounts, policy, port = 0, headers = {}, route } = options;
  const base: Record<string, string> = { "x-content-type-options": "nosniff", ...headers };
  if (policy !== undefined) base["content-security-policy"] = policy;
  const server = http.createServer((request, response) => {
    if (route?.(request, response, base)) return;
    answer(mounts, { request, response }, base).catch(() => {
      // Nothing that went wrong here is the client's to know; what has been begun cannot be taken back.
      if (response.headersSent) response.destroy();
      else response.writeHead(500, base).end();
    });
  });
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

async function answer(mounts: ServerOptions["mounts"], asked: Asked, head: Head): Promise<void> {
  const { method, headers, url = "/" } = asked.request;
  if (!isLoopback(headers.host))
    return refused(asked, 421, head, "this server answers to its own address only");
  if (method !== "GET" && method !== "HEAD")
    return refused(asked, 405, { ...head, allow: "GET, HEAD" }, "only GET and HEAD are served");
  const pathname = pathOf(url);
  if (pathname === undefined) return refused(asked, 400, head, "this is no path");
  const prefixes = Object.keys(mounts).filter((prefix) => pathname.startsWith(prefix));
  const prefix = prefixes.sort((a, b) => b.length - a.length)[0];
  if (prefix === undefined) return notFound(asked, head);
  const mount = mounts[prefix]!;
  const below = pathname.slice(prefix.length);
  if (typeof mount === "string") return sendFile({ root: mount, isData: false }, below, asked, head);
  // A document among the data that somebody opens in a tab is shown in a box of its own.
  const boxed = { ...head, "content-security-policy": "default-src 'none'; sandbox" };
  return "store" in mount
    ? sendObject(mount.store, below, asked, boxed)
    : sendFile(mount, below, asked, boxed);
}

/** The path of a request as text; undefined where it is none. `..` in any form stays, and is refused where it is looked up. */
function pathOf(url: string): string | undefined {
  const path = url.replace(/[?#].*$/s, "");
  try {
    return path.startsWith("/") ? decodeURIComponent(path) : undefined;
  } catch {
    return undefined;
  }
}

const isLoopback = (host: string | undefined): boolean =>
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");
