/** Sends requests that write, and requests that list a bucket, with retries. */

import { IdleTimeout, Limiter } from "../../util/async.js";
import { unshared } from "../../util/bytes.js";
import { isZarrError, networkError, readOnly, unsupported, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";
import { conflictError, existsError, outcomeUnknown } from "../concurrency.js";
import type { StoreSetOptions, StoreWriteOptions } from "../store.js";
import { isWriterLockName } from "../temp-names.js";
import { type CommitOptions, type HttpResponse, type Transport, transientStatus } from "../transport.js";
import { fetchTransport } from "./fetch.js";
import { copyHeaders, parseRetryAfter, type RetryPolicy, withRetries } from "./requests.js";
import {
  claimsPage,
  failureReason,
  missingStatus,
  readBody,
  statusError,
  TransientFault,
} from "./response.js";

export interface HttpWriterOptions {
  fetch: ((request: Request) => Promise<Response>) | undefined;
  headers: HeadersInit | undefined;
  policy: RetryPolicy;
  timeout: number;
  concurrency: number;
  /** Whether the server supports conditions. */
  conditional: boolean;
}

interface WriteRequest {
  method: "GET" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: Uint8Array | undefined;
  signal: AbortSignal | undefined;
}

/** Minimum upload speed in bytes per millisecond. Servers send nothing before the end of an upload. */
const minUploadSpeed = 64;
/** Maximum number of bytes to read from an error response. */
const maxReasonBytes = 4096;

/** Whether an object may have been written despite a status, which may come from a proxy. */
const isDoubtful = (status: number) => status >= 500 && status !== 501;

export class HttpWriter {
  readonly #options: HttpWriterOptions;
  readonly #limiter: Limiter;
  /** For locks: while a lock is renewed, writes wait for it (`beforeCommit`) and may take up the other limiter. */
  readonly #lockLimiter = new Limiter(1);
  readonly #transport: Transport;

  constructor(options: HttpWriterOptions) {
    this.#options = options;
    this.#limiter = new Limiter(options.concurrency);
    this.#transport = fetchTransport(options.fetch);
  }

  /**
   * Writes an object. The bytes are sent again with every attempt, and must not change before it ends.
   * @throws AlreadyExists, Conflict; ReadOnly for a server that does not accept PUT; Unsupported ("no-conditions") for a
   *   server that does not support conditions; Network ("http-status", "disk-full", "fetch-failed", "timeout";
   *   "unknown-outcome" for a conditional write that may have been applied).
   */
  put(url: URL, bytes: Uint8Array, options: StoreSetOptions & CommitOptions): Promise<void> {
    const { signal } = options;
    return this.#change(url, options, (condition) => {
      const headers = { "content-type": "application/octet-stream", ...conditionHeaders(condition) };
      return this.#attempt(url, { method: "PUT", headers, body: bytes, signal }, (answer) =>
        checkPut(url, answer, condition),
      );
    });
  }

  /** Deletes an object; no error if it is missing. */
  delete(url: URL, { signal, beforeCommit }: StoreWriteOptions & CommitOptions): Promise<void> {
    return this.#change(url, { signal, beforeCommit }, async (condition) => {
      if (condition === "absent") return; // an earlier attempt has deleted it
      const headers = conditionHeaders(condition);
      await this.#attempt(url, { method: "DELETE", headers, signal }, (answer) =>
        checkDelete(url, answer, condition),
      );
    });
  }

  #change(
    url: URL,
    { beforeCommit, ifVersion, signal }: StoreSetOptions & CommitOptions,
    request: (condition: Condition) => Promise<void>,
  ): Promise<void> {
    const send = async (condition: Condition) => {
      await beforeCommit?.();
      await request(condition);
    };
    const versionNow = this.#options.conditional ? () => this.#versionNow(url, signal) : undefined;
    const name = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    const limiter = isWriterLockName(name) ? this.#lockLimiter : this.#limiter;
    const retried = (attempt: () => Promise<void>) => this.#retried(attempt, signal, limiter);
    return sendInDoubt({ url, ifVersion, send, versionNow, retried });
  }

  /** The version of an object for conditions; undefined if the server gives no strong ETag. */
  #versionNow(url: URL, signal: AbortSignal | undefined): Promise<Condition> {
    const headers = { range: "bytes=0-0" };
    return this.#attempt<Condition>(url, { method: "GET", headers, signal }, async (answer) => {
      if (missingStatus.has(answer.status)) return "absent";
      const etag = [200, 206, 416].includes(answer.status) ? answer.headers.get("etag") : null;
      return etag === null || etag.startsWith("W/") ? undefined : { etag };
    });
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

  #retried<T>(
    attempt: () => Promise<T>,
    signal: AbortSignal | undefined,
    limiter = this.#limiter,
  ): Promise<T> {
    return withRetries(
      () => limiter.run(attempt, signal),
      this.#options.policy,
      signal ?? new AbortController().signal,
    );
  }

  async #attempt<T>(
    url: URL,
    { method, headers: own = {}, body, signal }: WriteRequest,
    use: (answer: HttpResponse, watch: IdleTimeout) => Promise<T>,
  ): Promise<T> {
    const timeout = this.#options.timeout + (body?.byteLength ?? 0) / minUploadSpeed;
    const caller = signal ?? new AbortController().signal;
    const watch = new IdleTimeout(caller, timeout);
    const headers = copyHeaders(this.#options.headers);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    try {
      const request = { method, headers, watch };
      const answer = await this.#transport(url, body ? { ...request, body: unshared(body) } : request);
      return await answered(url, answer, watch, use);
    } catch (cause) {
      caller.throwIfAborted();
      if (watch.isExpired) {
        throw new DoubtfulFault(
          networkError(`${url.href} did not respond to ${method} for ${Math.ceil(timeout / 1000)} s`, {
            code: "timeout",
          }),
        );
      }
      if (cause instanceof TransientFault || isZarrError(cause)) throw cause;
      const message = `${url.href} did not respond to ${method}: ${failureReason(cause)}`;
      throw new DoubtfulFault(networkError(message, { code: "fetch-failed", cause }));
    } finally {
      watch.stop();
    }
  }
}

async function answered<T>(
  url: URL,
  answer: HttpResponse,
  watch: IdleTimeout,
  use: (answer: HttpResponse, watch: IdleTimeout) => Promise<T>,
): Promise<T> {
  watch.restart();
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

const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300 && status !== 202;

/** Spec: RFC 9110, sections 13.1.1 and 13.1.2. */
function conditionHeaders(ifVersion: Condition): Record<string, string> {
  if (ifVersion === undefined) return {};
  return ifVersion === "absent" ? { "if-none-match": "*" } : { "if-match": ifVersion.etag! };
}

async function checkPut(url: URL, answer: HttpResponse, ifVersion: Condition): Promise<void> {
  const { status } = answer;
  if (isSuccess(answer)) {
    // Single-page applications and login pages answer every request so, and store nothing. Servers that describe a
    // created object in HTML answer 201.
    if (status !== 200 || !claimsPage(answer)) return;
    const message = `${url.href} answered a PUT with an HTML page: it does not seem to store anything`;
    throw networkError(message, { code: "html-page", status });
  }
  if (ifVersion !== undefined) {
    // S3 answers 409 if there are concurrent conditional writes.
    if (status === 501) throw withoutConditions(url, answer, "PUT");
    const cause = await refusal(url, answer, "PUT");
    const conflict = ifVersion === "absent" ? existsError(url.href, cause) : conflictError(url.href, cause);
    if (status === 409) throw new TransientFault(conflict);
    if (status === 412 || (missingStatus.has(status) && ifVersion !== "absent")) throw conflict;
    throw cause;
  }
  throw await refusal(url, answer, "PUT");
}

async function checkDelete(url: URL, answer: HttpResponse, ifVersion: Condition): Promise<void> {
  const { status } = answer;
  if (isSuccess(answer) || missingStatus.has(status)) return;
  if (ifVersion !== undefined) {
    if (status === 409 || status === 412) throw conflictError(url.href);
    if (status === 400 || status === 501) throw withoutConditions(url, answer, "DELETE");
  }
  throw await refusal(url, answer, "DELETE");
}

const withoutConditions = (url: URL, { status }: HttpResponse, method: string): ZarrError =>
  unsupported(`${url.href} answered ${status} to a conditional ${method}`, { code: "no-conditions" });

/** Returns the error of a refused request, with the code in the body of S3's responses. */
async function refusal(url: URL, answer: HttpResponse, method: string): Promise<ZarrError> {
  const { status } = answer;
  const reason = /<Code>\s*(\w{1,64})\s*<\/Code>/.exec(await readStart(answer))?.[1];
  const message = `${statusError(url.href, answer).message} to ${method}${reason ? ` (${reason})` : ""}`;
  if (method !== "GET" && (status === 405 || status === 501)) {
    const details = method === "PUT" ? ({ code: "no-set" } as const) : ({ code: "no-delete" } as const);
    return readOnly(message, { ...details, status });
  }
  return networkError(message, { code: status === 507 ? "disk-full" : "http-status", status });
}

async function readStart(answer: HttpResponse): Promise<string> {
  const decoder = textDecoder();
  let text = "";
  const take = (piece: Uint8Array) => {
    text += decoder.decode(piece.subarray(0, maxReasonBytes), { stream: true });
    return text.length < maxReasonBytes;
  };
  await answer.read(take).catch(() => {});
  return text;
}

/** A transient failure after which it is unknown whether the request was applied. */
class DoubtfulFault extends TransientFault {}

type Condition = StoreSetOptions["ifVersion"];

interface DoubtfulWrite {
  readonly url: URL;
  /** The caller's condition. */
  readonly ifVersion: Condition;
  /** Sends the request once, under a condition. */
  readonly send: (condition: Condition) => Promise<void>;
  /** Reads the version that is stored now; undefined if the server shows none that conditions can use. */
  readonly versionNow: (() => Promise<Condition>) | undefined;
  /** Repeats attempts that end with a TransientFault. */
  readonly retried: (attempt: () => Promise<void>) => Promise<void>;
}

/**
 * Sends a write with retries. After an attempt that may have been applied, an unconditional write is repeated only
 * under the condition that the object has not changed since: a repetition that the server carries out late must not
 * overwrite a newer object.
 * @throws Network ("unknown-outcome") for a conditional write that fails after such an attempt: a refusal may be due to
 *   the write itself. What `send` throws otherwise.
 */
async function sendInDoubt(write: DoubtfulWrite): Promise<void> {
  const { url, ifVersion, send, retried } = write;
  let { versionNow } = write;
  let isInDoubt = false;
  const attempt = async () => {
    const isGuarded = isInDoubt && ifVersion === undefined && versionNow !== undefined;
    const condition = isGuarded ? await versionNow!() : ifVersion;
    try {
      await send(condition);
    } catch (error) {
      isInDoubt ||= error instanceof DoubtfulFault;
      if (!isGuarded || condition === undefined) throw error;
      if (isZarrError(error, "Unsupported")) versionNow = undefined;
      else if (!isZarrError(error, "AlreadyExists", "Conflict")) throw error;
      throw new TransientFault(error);
    }
  };
  try {
    await retried(attempt);
  } catch (error) {
    const isUnknown = ifVersion !== undefined || isZarrError(error, "AlreadyExists", "Conflict");
    throw isInDoubt && isUnknown && isZarrError(error) ? outcomeUnknown(url, error) : error;
  }
}
