/** Whole objects, by requests without a range. */
import type { BufferPool } from "../../util/buffer-pool.js";
import { limitExceeded } from "../../util/errors.js";
import type { Watch } from "../../util/idle-timeout.js";
import type { Answer, Transport } from "../transport.js";
import { readBody } from "./body.js";
import { claimsPage } from "./html-response.js";
import type { Requests } from "./requests.js";
import {
  announcedBytes,
  checkLength,
  missingStatus,
  rangeError,
  statusError,
  wholeStatus,
} from "./response.js";
import type { Versions } from "./versions.js";

type Bytes = Uint8Array | undefined;

/** How a whole object is read. */
export interface WholeReading {
  /** More bytes than this, after all content codings, are LimitExceeded. */
  maxBytes: number;
  /** Memory to read into. */
  bufferPool?: BufferPool | undefined;
  transport?: Transport | undefined;
}

/** Tells web pages from data. */
interface Pages {
  /** @throws Network ("html-page"). */
  refusePageStart(url: URL, status: number, start: Uint8Array): void;
}

export function tooLong(url: URL, bytes: number, maxBytes: number): Error {
  return limitExceeded(`${url.href} answers with ${bytes} bytes, more than the limit of ${maxBytes}`);
}

export class WholeObjects {
  constructor(
    private readonly requests: Requests,
    private readonly versions: Versions,
    private readonly pages: () => Pages,
  ) {}

  /** Reads a whole object; undefined where there is none. */
  read(url: URL, signal: AbortSignal, reading: WholeReading): Promise<Bytes> {
    return this.requests.send(url, { signal, transport: reading.transport }, async (answer, watch) => {
      const { status } = answer;
      if (missingStatus.has(status)) return undefined;
      if (status === 206) throw rangeError(url.href, "it sent a part where the whole was asked for");
      if (!wholeStatus.has(status)) throw statusError(url.href, answer);
      return this.body(url, answer, watch, reading);
    });
  }

  /** Reads the body of an answer with a whole object. */
  async body(
    url: URL,
    answer: Answer,
    watch: Watch,
    { maxBytes, bufferPool }: WholeReading,
  ): Promise<Uint8Array> {
    const told = announcedBytes(answer);
    if ((told ?? 0) > maxBytes) throw tooLong(url, told!, maxBytes);
    const bytes = await readBody(answer, { name: url.href, maxBytes, expected: told, watch, bufferPool });
    // CORS may hide that a body is compressed, in which case Content-Length is not the length of these bytes.
    if (!answer.isCors) checkLength(bytes.byteLength, told, url.href);
    if (claimsPage(answer)) this.pages().refusePageStart(url, answer.status, bytes);
    this.versions.note(url.href, bytes, answer, bytes.byteLength);
    return bytes;
  }
}
