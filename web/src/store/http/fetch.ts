/** Requests by `fetch`: the runtime's, or one that the caller gives. */
import { unlessAborted, type Watch } from "./idle-timeout.js";
import type { Answer, Transport } from "./transport.js";

/** @param own instead of the global one, which is looked up at every request. */
export function fetchTransport(own?: (request: Request) => Promise<Response>): Transport {
  return async (url, { method, headers, body, watch }) => {
    const init = { method, headers, body: body ?? null, signal: watch.signal };
    // The global one makes a request of what it is given, also of a request: one is enough. It heeds signals, too.
    const response = await (own
      ? unlessAborted(own(new Request(url, init)), watch.signal, discard)
      : fetch(url, init));
    if (typeof response?.status !== "number") throw new Error("fetch gave no response");
    return new FetchAnswer(response, watch, mayHide(response, url));
  };
}

/** Whether CORS may hide headers of a response; one that a program has made itself may come from one that does. */
function mayHide({ type }: Response, { origin: there }: URL): boolean {
  const { origin: here } = globalThis as { origin?: string };
  return type === "cors" || (type === "default" && here !== undefined && here !== there);
}

function discard({ body }: Response): void {
  if (body && !body.locked) body.cancel().catch(() => {});
}

class FetchAnswer implements Answer {
  constructor(
    private readonly response: Response,
    private readonly watch: Watch,
    readonly isCors: boolean,
  ) {}

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
