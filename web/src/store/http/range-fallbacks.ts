/** Range reads from servers that ignore ranges, compress, or answer with web pages. */

import { limitExceeded } from "../../util/errors.js";
import type { Watch } from "../../util/idle-timeout.js";
import { resolveRange } from "../ranges.js";
import type { Answer } from "../transport.js";
import { readBody } from "./body.js";
import { readBodyEnd } from "./body-tail.js";
import type { Fallback, OffsetRange, ReadAt, Shared } from "./fallback.js";
import { claimsPage, isTextual } from "./html-response.js";
import { refusePageStart, tellingBytes } from "./html-sniff.js";
import { isShort, KeptObjects } from "./object-cache.js";
import { noObject, objectSize } from "./object-size.js";
import { readRangeAnswer } from "./range-answer.js";
import {
  announcedBytes,
  checkLength,
  missingStatus,
  rangeError,
  statusError,
  wholeStatus,
} from "./response.js";

type Bytes = Uint8Array | undefined;

export class RangeFallbacks implements Fallback {
  readonly #shared: Shared;
  readonly #readAt: ReadAt;
  readonly #kept: KeptObjects;

  constructor(shared: Shared, readAt: ReadAt) {
    this.#shared = shared;
    this.#readAt = readAt;
    this.#kept = new KeptObjects(shared);
  }

  forget(url: URL): void {
    this.#kept.forget(url);
  }

  findWhole(url: URL, signal: AbortSignal): Promise<Bytes> {
    return this.#kept.find(url, signal);
  }

  async fromWhole(url: URL, answer: Answer, watch: Watch, range: OffsetRange): Promise<Uint8Array> {
    if (!isShort(answer)) return this.#cutWhole(url, answer, watch, range);
    // A server that says that it serves ranges is not judged by one object, which it may compress on the way.
    const serves = answer.headers.get("accept-ranges")?.toLowerCase() === "bytes";
    this.#shared.servers.of(url).ignoresRanges = !serves;
    return this.#shared.versions.cut(await this.#kept.keep(url, answer, watch), range);
  }

  async proven(
    url: URL,
    range: OffsetRange,
    bytes: Uint8Array,
    size: number,
    signal: AbortSignal,
  ): Promise<Bytes> {
    const { requests } = this.#shared;
    const told = await objectSize(requests, url, signal);
    if (told === size) return bytes;
    if (told !== undefined) throw rangeError(url.href, "it sent fewer bytes than there are");
    return requests.send(url, { signal }, async (answer, watch) => {
      if (!wholeStatus.has(answer.status)) throw statusError(url.href, answer);
      return this.#cutWhole(url, answer, watch, range);
    });
  }

  async lastBytes(url: URL, length: number, told: number | undefined, signal: AbortSignal): Promise<Bytes> {
    const size = told ?? (await objectSize(this.#shared.requests, url, signal));
    if (size === noObject) return undefined;
    if (size === undefined) return this.#lastOfWhole(url, length, signal);
    const { start, end } = resolveRange({ suffixLength: length }, size);
    const bytes = await this.#readAt(url, { offset: start, length: end - start }, signal, size);
    if (bytes && bytes.byteLength < end - start) {
      throw rangeError(url.href, `it is shorter than the ${size} bytes that it said it was`);
    }
    return bytes;
  }

  refusePageStart(url: URL, status: number, start: Uint8Array): void {
    refusePageStart(url.href, status, start);
  }

  async refusePage(url: URL, signal: AbortSignal): Promise<void> {
    const asked = { offset: 0, length: tellingBytes };
    const range = `bytes=0-${tellingBytes - 1}`;
    await this.#shared.requests.send(url, { signal, range }, async (answer, watch) => {
      const { status } = answer;
      if (status !== 206 && !wholeStatus.has(status)) throw statusError(url.href, answer);
      const reading = { name: url.href, maxBytes: tellingBytes, watch };
      const start =
        status === 206
          ? (await readRangeAnswer(answer, asked, reading)).bytes
          : await readBody(answer, { ...reading, take: tellingBytes });
      refusePageStart(url.href, status, start);
    });
  }

  /** Reads all of an object, and keeps no more of it in memory than its end. */
  #lastOfWhole(url: URL, length: number, signal: AbortSignal): Promise<Bytes> {
    const { requests, versions, maxBytes } = this.#shared;
    return requests.send(url, { signal }, async (answer, watch) => {
      const { status } = answer;
      if (missingStatus.has(status)) return undefined;
      if (!wholeStatus.has(status)) throw statusError(url.href, answer);
      const { bytes, head, size } = await readBodyEnd(answer, { name: url.href, maxBytes, watch, length });
      if (!answer.isCors) checkLength(size, announcedBytes(answer), url.href);
      if (claimsPage(answer)) refusePageStart(url.href, status, head);
      versions.note(url.href, bytes, answer, size);
      return bytes;
    });
  }

  async #cutWhole(url: URL, answer: Answer, watch: Watch, range: OffsetRange): Promise<Uint8Array> {
    const { versions, doubtful, maxBytes } = this.#shared;
    const end = range.offset + range.length;
    if (end > maxBytes) {
      throw limitExceeded(
        `${url.href} has no ranges, and ${end} bytes to read for one, more than ${maxBytes}`,
      );
    }
    const cut = { skip: range.offset, take: range.length, expected: range.length };
    const bytes = await readBody(answer, { name: url.href, maxBytes, watch, ...cut });
    versions.note(url.href, bytes, answer, announcedBytes(answer));
    // A page of unknown length is not betrayed by that.
    if (claimsPage(answer) || isTextual(answer)) doubtful.add(bytes);
    return bytes;
  }
}
