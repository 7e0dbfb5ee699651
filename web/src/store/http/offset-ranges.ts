/** Parts of objects at an offset. */
import { changedError, type RangeQuery } from "../store.js";
import type { Servers } from "./abilities.js";
import {
  announcedBytes,
  missingStatus,
  rangeError,
  readRangeAnswer,
  statusError,
  unsatisfiedTotal,
  wholeStatus,
} from "./answer.js";
import { readBody } from "./body.js";
import type { PageDoubts } from "./doubts.js";
import type { Watch } from "./idle-timeout.js";
import { isShort, type KeptObjects } from "./kept-objects.js";
import { objectSize } from "./object-size.js";
import { claimsPage, isTextual } from "./page.js";
import type { Requests } from "./requests.js";
import type { Answer } from "./transport.js";
import type { Versions } from "./versions.js";
import { tooLong } from "./whole-objects.js";

type Bytes = Uint8Array | undefined;
type OffsetRange = { offset: number; length: number };

/** A part as an answer gave it. */
interface Part {
  bytes: Uint8Array;
  /** Size that the object must have for the part to be what was asked for; undefined where that is certain. */
  unprovenSize: number | undefined;
}

export class OffsetRanges {
  constructor(
    private readonly requests: Requests,
    private readonly servers: Servers,
    private readonly versions: Versions,
    private readonly kept: KeptObjects,
    private readonly doubts: PageDoubts,
    private readonly maxBytes: number,
  ) {}

  /**
   * The bytes at an offset.
   * @param size of the object, where it has been told: one that has another is another version.
   */
  async read(url: URL, range: OffsetRange, signal: AbortSignal, size?: number): Promise<Bytes> {
    // An empty range cannot be asked for: one byte is, to learn whether there is anything at all.
    const asked = { offset: range.offset, length: Math.max(1, range.length) };
    const header = `bytes=${asked.offset}-${asked.offset + asked.length - 1}`;
    const part = await this.requests.send<Part | undefined>(
      url,
      { signal, range: header },
      async (answer, watch) => {
        const { status } = answer;
        if (missingStatus.has(status)) return undefined;
        if (status === 206) return this.partBody(url, answer, watch, { asked, length: range.length, size });
        if (wholeStatus.has(status)) return proven(await this.#fromWhole(url, answer, watch, range));
        const total = status === 416 ? unsatisfiedTotal(answer) : undefined;
        if (status !== 416 || (total ?? 0) > range.offset) throw statusError(url.href, answer);
        return proven(new Uint8Array(0));
      },
    );
    return part && this.#proven(url, range, part, signal);
  }

  /** Reads the body of an answer of 206, and cuts it to `length`. */
  async partBody(
    url: URL,
    answer: Answer,
    watch: Watch,
    { asked, length, size }: { asked: RangeQuery; length: number; size?: number | undefined },
  ): Promise<Part> {
    const { maxBytes } = this;
    const read = await readRangeAnswer(answer, asked, { name: url.href, maxBytes, watch });
    const { bytes, range, unprovenSize } = read;
    if (size !== undefined && range?.total !== undefined && range.total !== size)
      throw changedError(url.href);
    const wanted = bytes.byteLength > length ? bytes.slice(0, length) : bytes;
    this.versions.note(url.href, wanted, answer, range?.total);
    if (claimsPage(answer)) this.doubts.add(wanted);
    return { bytes: wanted, unprovenSize };
  }

  /**
   * Where only the object's size can show that a part which is shorter than was asked for ends where the object does,
   * asks for that; where nobody tells it, for the whole object.
   */
  async #proven(
    url: URL,
    range: OffsetRange,
    { bytes, unprovenSize }: Part,
    signal: AbortSignal,
  ): Promise<Bytes> {
    if (unprovenSize === undefined) return bytes;
    const size = await objectSize(this.requests, url, signal);
    if (size === unprovenSize) return bytes;
    if (size !== undefined) throw rangeError(url.href, "it sent fewer bytes than there are");
    return this.requests.send(url, { signal }, async (answer, watch) => {
      if (!wholeStatus.has(answer.status)) throw statusError(url.href, answer);
      return this.#cutWhole(url, answer, watch, range);
    });
  }

  /** A range out of an answer with the whole object, read no further than to its end. */
  async #fromWhole(url: URL, answer: Answer, watch: Watch, range: OffsetRange): Promise<Uint8Array> {
    if (isShort(answer)) {
      // A server that says that it serves ranges is not judged by one object, which it may compress on the way.
      const serves = answer.headers.get("accept-ranges")?.toLowerCase() === "bytes";
      this.servers.of(url).ignoresRanges = !serves;
      return this.versions.cut(await this.kept.keep(url, answer, watch), range);
    }
    return this.#cutWhole(url, answer, watch, range);
  }

  async #cutWhole(url: URL, answer: Answer, watch: Watch, range: OffsetRange): Promise<Uint8Array> {
    const { maxBytes } = this;
    const end = range.offset + range.length;
    if (end > maxBytes) throw tooLong(url, `no ranges, and ${end} bytes to read for one`, maxBytes);
    const cut = { skip: range.offset, take: range.length, expected: range.length };
    const bytes = await readBody(answer, { name: url.href, maxBytes, watch, ...cut });
    this.versions.note(url.href, bytes, answer, announcedBytes(answer));
    // A page of unknown length is not betrayed by that.
    if (claimsPage(answer) || isTextual(answer)) this.doubts.add(bytes);
    return bytes;
  }
}

const proven = (bytes: Uint8Array): Part => ({ bytes, unprovenSize: undefined });
