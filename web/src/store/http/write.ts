/** Requests that write, and those that list a bucket: as often as it may help, and without false conflicts. */

import { isZarrError, networkError, readOnly, unsupported, type ZarrError } from "../../base/errors.js";
import { Limiter } from "../../base/limiter.js";
import { textDecoder } from "../../base/platform.js";
import { conflictError, existsError } from "../conditions.js";
import type { SetOptions } from "../store.js";
import { missingStatus, statusError } from "./answer.js";
import { readBody, reasonOf } from "./body.js";
import { fetchTransport } from "./fetch.js";
import { Watch } from "./idle-timeout.js";
import { claimsPage } from "./page.js";
import { headersOf } from "./requests.js";
import { parseRetryAfter, type RetryPolicy, TransientFault, transientStatus, withRetries } from "./retry.js";
import type { Answer, Transport } from "./transport.js";

export interface HttpWriterOptions {
  fetch: ((request: Request) => Promise<Response>) | undefined;
  headers: HeadersInit | undefined;
  policy: RetryPolicy;
  timeout: number;
  concurrency: number;
}

interface Sending {
  method: "GET" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: Uint8Array | undefined;
  signal: AbortSignal | undefined;
}

/** Bytes a millisecond that an upload makes at the least: nothing is heard of a server before it is over. */
const slowestUpload = 64;
/** What is read of an answer that says what is wrong. */
const maxReasonBytes = 4096;

/** Answers that may have been given after the object was written, by whoever stands between. */
const isDoubtful = (status: number) => status >= 500 && status !== 501;

export class HttpWriter {
  readonly #options: HttpWriterOptions;
  readonly #limiter: Limiter;
  readonly #transport: Transport;

  constructor(options: HttpWriterOptions) {
    this.#options = options;
    this.#limiter = new Limiter(options.concurrency);
    this.#transport = fetchTransport(options.fetch);
  }

  /**
   * Writes an object. The bytes are sent anew at every try, and so may not change meanwhile.
   * @param readBack reads what is stored by now: asked after a try of which nobody knows whether it has written.
   * @throws AlreadyExists, Conflict; ReadOnly for a server that does not take PUT; Unsupported ("no-conditions") for one
   *   that says it knows no conditions; Network ("http-status", "disk-full", "fetch-failed", "timeout").
   */
  async put(
    url: URL,
    bytes: Uint8Array,
    { signal, ifVersion }: SetOptions,
    readBack: () => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    const headers = { "content-type": "application/octet-stream", ...conditionHeaders(ifVersion) };
    let isInDoubt = false;
    const attempt = async () => {
      try {
        await this.#attempt(url, { method: "PUT", headers, body: bytes, signal }, (answer) =>
          checkPut(url, answer, ifVersion),
        );
      } catch (error) {
        isInDoubt ||= error instanceof DoubtfulFault;
        throw error;
      }
    };
    try {
      await this.#retried(attempt, signal);
    } catch (error) {
      // An earlier try may have written, and this one have met what it wrote.
      const isRefused = isZarrError(error, "AlreadyExists", "Conflict");
      if (!isRefused || !isInDoubt || !isEqual(bytes, await readBack())) throw error;
    }
  }

  /** Removes an object; no error where there is none. */
  async delete(url: URL, signal: AbortSignal | undefined): Promise<void> {
    const attempt = () =>
      this.#attempt(url, { method: "DELETE", signal }, async (answer) => {
        if (isSuccess(answer) || missingStatus.has(answer.status)) return;
        throw await refusal(url, answer, "DELETE");
      });
    await this.#retried(attempt, signal);
  }

  /** Reads a document of bounded length, never from a cache. */
  async text(url: URL, maxBytes: number, signal: AbortSignal | undefined): Promise<string> {
    const attempt = () =>
      this.#attempt(url, { method: "GET", signal }, async (answer, watch) => {
        if (answer.status !== 200) throw await refusal(url, answer, "GET");
        return textDecoder().decode(await readBody(answer, { name: url.href, maxBytes, watch }));
      });
    return this.#retried(attempt, signal);
  }

  #retried<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return withRetries(
      () => this.#limiter.run(attempt, signal),
      this.#options.policy,
      signal ?? new AbortController().signal,
    );
  }

  async #attempt<T>(
    url: URL,
    { method, headers: own = {}, body, signal }: Sending,
    use: (answer: Answer, watch: Watch) => Promise<T>,
  ): Promise<T> {
    const timeout = this.#options.timeout + (body?.byteLength ?? 0) / slowestUpload;
    const caller = signal ?? new AbortController().signal;
    const watch = new Watch(caller, timeout);
    const headers = headersOf(this.#options.headers);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    try {
      const request = { method, headers, watch };
      const answer = await this.#transport(url, body ? { ...request, body: unshared(body) } : request);
      return await answered(url, answer, watch, use);
    } catch (cause) {
      caller.throwIfAborted();
      if (watch.isSilent) {
        throw new DoubtfulFault(
          networkError(`${url.href} did not answer to ${method} for ${Math.ceil(timeout / 1000)} s`, {
            code: "timeout",
          }),
        );
      }
      if (cause instanceof TransientFault || isZarrError(cause)) throw cause;
      const message = `${url.href} did not answer to ${method}: ${reasonOf(cause)}`;
      throw new DoubtfulFault(networkError(message, { code: "fetch-failed", cause }));
    } finally {
      watch.stop();
    }
  }
}

/** A failure that may pass, of which nobody knows whether it came after the object was written. */
class DoubtfulFault extends TransientFault {}

async function answered<T>(
  url: URL,
  answer: Answer,
  watch: Watch,
  use: (answer: Answer, watch: Watch) => Promise<T>,
): Promise<T> {
  watch.hear();
  try {
    if (!transientStatus.has(answer.status)) return await use(answer, watch);
    const retryAfter = parseRetryAfter(answer.headers.get("retry-after"));
    const error = statusError(url.href, answer);
    throw isDoubtful(answer.status)
      ? new DoubtfulFault(error, retryAfter)
      : new TransientFault(error, retryAfter);
  } finally {
    answer.discard();
  }
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300 && status !== 202;

/** Spec: RFC 9110, sections 13.1.1 and 13.1.2. */
function conditionHeaders(ifVersion: SetOptions["ifVersion"]): Record<string, string> {
  if (ifVersion === undefined) return {};
  return ifVersion === "absent" ? { "if-none-match": "*" } : { "if-match": ifVersion.etag! };
}

async function checkPut(url: URL, answer: Answer, ifVersion: SetOptions["ifVersion"]): Promise<void> {
  const { status } = answer;
  if (isSuccess(answer)) {
    // Applications of one page and logins answer everything so, and store nothing. Other servers that tell in HTML of
    // what they have made say 201.
    if (status !== 200 || !claimsPage(answer)) return;
    const message = `${url.href} answered a PUT with an HTML page: it does not seem to store anything`;
    throw networkError(message, { code: "html-page", status });
  }
  if (ifVersion !== undefined) {
    // S3 answers 409 where several try at a time and none has won yet.
    if (status === 409) throw new TransientFault(conflictError(url.href));
    if (status === 412 && ifVersion === "absent") throw existsError(url.href);
    if (status === 412 || missingStatus.has(status)) throw conflictError(url.href);
    if (status === 501) {
      throw unsupported(`${url.href} answered 501 to a PUT with a condition`, { code: "no-conditions" });
    }
  }
  throw await refusal(url, answer, "PUT");
}

/** The error of an answer that refuses, with the code that S3 gives in its body. */
async function refusal(url: URL, answer: Answer, method: string): Promise<ZarrError> {
  const { status } = answer;
  const reason = /<Code>\s*(\w{1,64})\s*<\/Code>/.exec(await startOf(answer))?.[1];
  const message = `${statusError(url.href, answer).message} to ${method}${reason ? ` (${reason})` : ""}`;
  if (method !== "GET" && (status === 405 || status === 501)) {
    const code = method === "PUT" ? { code: "no-put" } : { code: "no-delete" };
    return readOnly(message, { ...code, status });
  }
  return networkError(message, { code: status === 507 ? "disk-full" : "http-status", status });
}

async function startOf(answer: Answer): Promise<string> {
  const decoder = textDecoder();
  let text = "";
  const take = (piece: Uint8Array) => {
    text += decoder.decode(piece.subarray(0, maxReasonBytes), { stream: true });
    return text.length < maxReasonBytes;
  };
  await answer.read(take).catch(() => {});
  return text;
}

function isEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.byteLength === b?.byteLength && a.every((byte, i) => byte === b[i]);
}

/** `fetch` takes no memory that threads share. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}
