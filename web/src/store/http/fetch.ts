/** Transports: by `fetch`, and the default one of this runtime. */

import { type IdleTimeout, untilAborted } from "../../util/async.js";
import { isError, messageOf } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import type { Transport, TransportRequest } from "../transport.js";
import { type HopResponse, hiddenRedirect, isOpen, isRead, redirectable } from "./response.js";

type Fetch = (request: Request) => Promise<Response>;

const nodeHttp = lazy("HTTP in Node", () => import("./node.js"));

/** The global `fetch` when this module was loaded. */
const originalFetch = globalThis.fetch;

const fetchDefault = fetchTransport();
let nodeDefault: Promise<Transport> | undefined;

/**
 * Returns the transport of stores without the option `fetch`: in Node its HTTP client, which costs half of what
 * `fetch` does, elsewhere `fetch`. Node's client is not used while the global `fetch` is another one than when this
 * library was loaded (a mock), nor with NODE_USE_ENV_PROXY, which only `fetch` follows.
 */
export function defaultTransport(): Transport | Promise<Transport> {
  if (!usesNodeClient()) return fetchDefault;
  nodeDefault ??= nodeHttp().then(({ nodeTransport }) => nodeTransport());
  return nodeDefault;
}

function usesNodeClient(): boolean {
  type Host = {
    process?: {
      env: Record<string, string | undefined>;
      release?: { name?: string };
      /** "renderer" in windows of Electron, whose `fetch` is the browser's. */
      type?: string;
    };
  };
  const host = globalThis as Host;
  // Other runtimes call themselves Node, too.
  if (host.process?.release?.name !== "node" || host.process.type === "renderer") return false;
  if (["Deno", "Bun", "WebSocketPair"].some((name) => name in host)) return false;
  return globalThis.fetch === originalFetch && !host.process.env["NODE_USE_ENV_PROXY"];
}

/** Requests after a redirect to another origin. They must not be signed. */
export const foreignRequests = new WeakSet<Request>();

/** Whether this runtime returns redirects without status and target, as browsers do; set by the first of them. */
let hidesRedirects = false;

/** Returns the transport by `fetch`. @param own Default: the global `fetch` at the time of each request. */
export function fetchTransport(own?: Fetch): Transport {
  return redirectable(async (url, request, hasLeft) => {
    const { method, headers } = request;
    const send = (redirect: RequestRedirect) => sendHop(url, request, redirect, own, hasLeft);
    if (isOpen(method, headers) || (hidesRedirects && isRead(method))) return send("follow");
    const answer = await send("manual");
    if (!answer.isHidden) return answer;
    if (!isRead(method)) throw hiddenRedirect(url, method);
    hidesRedirects = true;
    return send("follow"); // by the rules of the runtime
  });
}

async function sendHop(
  url: URL,
  { method, headers, body, watch, cache }: TransportRequest,
  redirect: RequestRedirect,
  own: Fetch | undefined,
  hasLeft: boolean,
): Promise<FetchResponse> {
  const init = {
    method,
    headers,
    body: body ?? null,
    signal: watch.signal,
    redirect,
    ...(cache && { cache }),
  };
  if (!own) return toHopResponse(url, await fetch(url, init), watch); // supports signals
  const request = new Request(url, init);
  if (hasLeft) foreignRequests.add(request);
  try {
    return toHopResponse(
      url,
      await untilAborted(Promise.resolve(own(request)), watch.signal, discard),
      watch,
    );
  } catch (cause) {
    throw isError(cause) ? cause : new Error(messageOf(cause));
  }
}

/** Whether a response is a redirect of which the runtime shows neither status nor target. */
export const isOpaqueRedirect = ({ type, status }: Response): boolean =>
  type === "opaqueredirect" && status === 0;

/** Whether CORS may hide headers of a response. Responses that programs construct may hold one with hidden headers. */
function mayHide({ type }: Response, { origin: there }: URL): boolean {
  const { origin: here } = globalThis as { origin?: string };
  return type === "cors" || (type === "default" && here !== undefined && here !== there);
}

function discard({ body }: Response): void {
  if (body && !body.locked) body.cancel().catch(() => {});
}

interface FetchResponse extends HopResponse {
  readonly isHidden: boolean;
}

/** @param sentTo URL of the request, for responses without one. */
function toHopResponse(sentTo: URL, response: Response, { signal }: IdleTimeout): FetchResponse {
  if (typeof response?.status !== "number") throw new Error("fetch returned no response");
  const { url, status, statusText, headers, redirected } = response;
  return {
    url: url ? new URL(url) : sentTo,
    isCors: mayHide(response, sentTo),
    isHidden: isOpaqueRedirect(response),
    redirected,
    status,
    statusText,
    headers,
    read: (take) => readPieces(response, take, signal),
    discard: () => discard(response),
  };
}

async function readPieces(
  { body }: Response,
  take: (piece: Uint8Array) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const reader = body?.getReader();
  if (!reader) return;
  // A caller's fetch may ignore signals. Cancelling ends a pending read as if the body ended.
  const end = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", end, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done || !take(value)) return;
    }
  } finally {
    signal.removeEventListener("abort", end);
    end(); // ends an unfinished download
  }
}
