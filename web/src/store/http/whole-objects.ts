/** Whole objects, by requests without a range. */
import type { BufferPool } from "../../base/buffer-pool.js";
import { limitExceeded } from "../../base/errors.js";
import {
  announcedBytes,
  checkLength,
  missingStatus,
  rangeError,
  statusError,
  wholeStatus,
} from "./answer.js";
import { readBody, readLastBytes } from "./body.js";
import type { Watch } from "./idle-timeout.js";
import { claimsPage, pageError, startsPage } from "./page.js";
import type { Requests } from "./requests.js";
import type { Answer } from "./transport.js";
import type { Versions } from "./versions.js";

type Bytes = Uint8Array | undefined;

/** How a whole object is read. */
export interface WholeReading {
  /** More bytes than this, after all content codings, are LimitExceeded. */
  maxBytes: number;
  /** Memory to read into. */
  bufferPool?: BufferPool | undefined;
}

export function tooLong(url: URL, what: string, maxBytes: number): Error {
  return limitExceeded(`${url.href} answers with ${what}, more than the limit of ${maxBytes}`);
}

export class WholeObjects {
  constructor(
    private readonly requests: Requests,
    private readonly versions: Versions,
  ) {}

  /** Reads a whole object; undefined where there is none. */
  read(url: URL, signal: AbortSignal, reading: WholeReading): Promise<Bytes> {
    return this.requests.send(url, { signal }, async (answer, watch) =>
      this.#isThere(url, answer) ? this.body(url, answer, watch, reading) : undefined,
    );
  }

  /** Reads the last bytes of an object all of which is sent, and keeps no more of it in memory. */
  readLast(url: URL, signal: AbortSignal, length: number, maxBytes: number): Promise<Bytes> {
    return this.requests.send(url, { signal }, async (answer, watch) => {
      if (!this.#isThere(url, answer)) return undefined;
      const told = this.#checkTold(url, answer, maxBytes);
      const reading = { name: url.href, maxBytes, watch, length };
      const { bytes, head, size } = await readLastBytes(answer, reading);
      if (!answer.isCors) checkLength(size, told, url.href);
      if (claimsPage(answer) && startsPage(head)) throw pageError(url.href, answer.status);
      this.versions.note(url.href, bytes, answer, size);
      return bytes;
    });
  }

  /** Reads the body of an answer with a whole object. */
  async body(
    url: URL,
    answer: Answer,
    watch: Watch,
    { maxBytes, bufferPool }: WholeReading,
  ): Promise<Uint8Array> {
    const told = this.#checkTold(url, answer, maxBytes);
    const bytes = await readBody(answer, { name: url.href, maxBytes, expected: told, watch, bufferPool });
    // CORS may hide that a body is compressed, in which case Content-Length is not the length of these bytes.
    if (!answer.isCors) checkLength(bytes.byteLength, told, url.href);
    if (claimsPage(answer) && startsPage(bytes)) throw pageError(url.href, answer.status);
    this.versions.note(url.href, bytes, answer, bytes.byteLength);
    return bytes;
  }

  #isThere(url: URL, answer: Answer): boolean {
    const { status } = answer;
    if (missingStatus.has(status)) return false;
    if (status === 206) throw rangeError(url.href, "it sent a part where the whole was asked for");
    if (!wholeStatus.has(status)) throw statusError(url.href, answer);
    return true;
  }

  #checkTold(url: URL, answer: Answer, maxBytes: number): number | undefined {
    const told = announcedBytes(answer);
    if ((told ?? 0) > maxBytes) throw tooLong(url, `${told} bytes`, maxBytes);
    return told;
  }
}
