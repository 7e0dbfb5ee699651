/** Sends requests that write, and requests that list a bucket, with retries. */

import { Limiter } from "../../util/async.js";
import { unshared } from "../../util/bytes.js";
import { isZarrError, networkError, readOnly, unsupported, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";
import { conflictError, existsError, outcomeUnknown } from "../concurrency.js";
import type { StoreSetOptions, StoreWriteOptions } from "../store.js";
import { isWriterLockName } from "../temp-names.js";
import type { CommitOptions, HttpResponse } from "../transport.js";
import { fetchTransport } from "./fetch.js";
import type { Requests, Sending } from "./requests.js";
import { claimsPage, missingStatus, readBody, statusError, TransientFault } from "./response.js";

/** Maximum number of bytes to read from an error response. */
const maxReasonBytes = 4096;

export class HttpWriter {
  /** For locks: while a lock is renewed, writes wait for it (`beforeCommit`) and may take up the other limiter. */
  readonly #lockLimiter = new Limiter(1);
  readonly #transport = fetchTransport();

  /** @param isConditional whether the server supports conditions. */
  constructor(
    private readonly requests: Requests,
    private readonly isConditional: boolean,
  ) {}

  /**
   * Writes an object. The bytes are sent again with every attempt, and must not change before it ends.
   * @throws AlreadyExists, Conflict; ReadOnly for a server that does not accept PUT; Unsupported ("no-conditions") for a
   *   server that does not support conditions; Network ("http-status", "disk-full", "fetch-failed", "timeout";
   *   "unknown-outcome" for a conditional write that may have been applied).
   */
  put(url: URL, bytes: Uint8Array, options: StoreSetOptions & CommitOptions): Promise<void> {
    return this.#change(url, options, (condition, signal) => {
      const headers = { "content-type": "application/octet-stream", ...conditionHeaders(condition) };
      return this.#attempt(url, { method: "PUT", headers, body: unshared(bytes), signal }, (answer) =>
        checkPut(url, answer, condition),
      );
    });
  }

  /** Deletes an object; no error if it is missing. */
  delete(url: URL, { signal, beforeCommit }: StoreWriteOptions & CommitOptions): Promise<void> {
    return this.#change(url, { signal, beforeCommit }, async (condition, signal) => {
      if (condition === "absent") return; // an earlier attempt has deleted it
      const headers = conditionHeaders(condition);
      await this.#attempt(url, { method: "DELETE", headers, signal }, (answer) =>
        checkDelete(url, answer, condition),
      );
    });
  }

  #change(
    url: URL,
    { beforeCommit, ifVersion, signal = never() }: StoreSetOptions & CommitOptions,
    request: (condition: Condition, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const send = async (condition: Condition) => {
      await beforeCommit?.();
      await request(condition, signal);
    };
    const versionNow = this.isConditional ? () => this.#versionNow(url, signal) : undefined;
    const name = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    const limiter = isWriterLockName(name) ? this.#lockLimiter : undefined;
    const retried = (attempt: () => Promise<void>) => this.requests.retried(attempt, signal, limiter);
    return sendInDoubt({ url, ifVersion, send, versionNow, retried });
  }

  /** The version of an object for conditions; undefined if the server gives no strong ETag. */
  #versionNow(url: URL, signal: AbortSignal): Promise<Condition> {
    const headers = { range: "bytes=0-0" };
    return this.#attempt<Condition>(url, { headers, signal }, async (answer) => {
      if (missingStatus.has(answer.status)) return "absent";
      const etag = [200, 206, 416].includes(answer.status) ? answer.headers.get("etag") : null;
      return etag === null || etag.startsWith("W/") ? undefined : { etag };
    });
  }

  /** Reads a document of bounded length, never from a cache. */
  text(url: URL, maxBytes: number, signal = never()): Promise<string> {
    return this.requests.send(url, { signal, transport: this.#transport }, async (answer, watch) => {
      if (answer.status !== 200) throw await refusal(url, answer, "GET");
      return textDecoder().decode(await readBody(answer, { name: url.href, maxBytes, watch }));
    });
  }

  #attempt<T>(url: URL, sending: Sending, use: (answer: HttpResponse) => Promise<T>): Promise<T> {
    return this.requests.attempt(url, { ...sending, transport: this.#transport }, use);
  }
}

const never = () => new AbortController().signal;

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

/** Whether a write may have been applied although it failed: without a response, or with one that a proxy may have sent. */
const isDoubtful = (fault: unknown): boolean =>
  fault instanceof TransientFault &&
  isZarrError(fault.error, "Network") &&
  (fault.error.status === undefined || fault.error.status >= 500);

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
      isInDoubt ||= isDoubtful(error);
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
