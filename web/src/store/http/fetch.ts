/** Requests by `fetch`: the runtime's, or one that the caller gives. */
import { isError, messageOf } from "../../util/errors.js";
import { unlessAborted, type Watch } from "../../util/idle-timeout.js";
import type { Transport, TransportRequest } from "../transport.js";
import { type HopAnswer, hiddenRedirect, isOpen, isRead, redirectable } from "./redirects.js";

type Fetch = (request: Request) => Promise<Response>;

/** Requests that follow a redirect to another origin: nothing may be signed there. */
export const foreignRequests = new WeakSet<Request>();

/** Browsers return redirects without status and target: set by the first of those. */
let hidesRedirects = false;

/** @param own instead of the global one, which is looked up at every request. */
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
  { method, headers, body, watch }: TransportRequest,
  redirect: RequestRedirect,
  own: Fetch | undefined,
  hasLeft: boolean,
): Promise<FetchAnswer> {
  const init = { method, headers, body: body ?? null, signal: watch.signal, redirect };
  if (!own) return new FetchAnswer(url, await fetch(url, init), watch); // heeds signals, and makes a request itself
  const request = new Request(url, init);
  if (hasLeft) foreignRequests.add(request);
  try {
    return new FetchAnswer(url, await unlessAborted(own(request), watch.signal, discard), watch);
  } catch (cause) {
    throw isError(cause) ? cause : new Error(messageOf(cause));
  }
}

/** Whether a response is a redirect of which the runtime shows neither status nor target. */
export const isHidden = ({ type, status }: Response): boolean => type === "opaqueredirect" && status === 0;

/** Whether CORS may hide headers of a response; one that a program has made itself may come from one that does. */
function mayHide({ type }: Response, { origin: there }: URL): boolean {
  const { origin: here } = globalThis as { origin?: string };
  return type === "cors" || (type === "default" && here !== undefined && here !== there);
}

function discard({ body }: Response): void {
  if (body && !body.locked) body.cancel().catch(() => {});
}

class FetchAnswer implements HopAnswer {
  readonly url: URL;
  readonly isCors: boolean;

  /** @param sentTo URL of the request: responses that programs make have none. */
  constructor(
    sentTo: URL,
    private readonly response: Response,
    private readonly watch: Watch,
  ) {
    if (typeof response?.status !== "number") throw new Error("fetch gave no response");
    this.url = response.url ? new URL(response.url) : sentTo;
    this.isCors = mayHide(response, sentTo);
  }

  get isHidden(): boolean {
    return isHidden(this.response);
  }

  get status() {
    return this.response.status;
  }

  get statusText() {
    return this.response.statusText;
  }

  get headers() {
    return this.response.headers;
  }

  async read(take: (piece: Uint8Array) => boolean): Promise<void> {
    const reader = this.response.body?.getReader();
    if (!reader) return;
    const { signal } = this.watch;
    // Also for a fetch of the caller's that does not heed signals: a read under way ends, as if the body did.
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
      // Also ends a download of which enough is there; without effect on one that is complete.
      end();
    }
  }

  discard(): void {
    discard(this.response);
  }
}
