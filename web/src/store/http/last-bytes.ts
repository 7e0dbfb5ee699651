/** The last bytes of objects, whatever the server makes of a request for them. */
import { isZarrError } from "../../base/errors.js";
import { resolveRange } from "../ranges.js";
import type { Abilities, Servers } from "./abilities.js";
import { announcedBytes, missingStatus, rangeError, statusError, unsatisfiedTotal } from "./answer.js";
import type { Watch } from "./idle-timeout.js";
import { noObject, objectSize } from "./object-size.js";
import type { OffsetRanges } from "./offset-ranges.js";
import { isFailure, type Requests } from "./requests.js";
import type { Answer } from "./transport.js";
import type { Versions } from "./versions.js";
import type { WholeObjects } from "./whole-objects.js";

type Bytes = Uint8Array | undefined;

/** The last bytes, or a size of the object, perhaps an unknown one, if the server does not serve them. */
type Tried = { bytes: Bytes } | { size: number | undefined };

/** An object that comes whole instead of its last bytes is read on, if it is not longer. */
const shortBytes = 2 ** 20;

export class LastBytes {
  constructor(
    private readonly requests: Requests,
    private readonly servers: Servers,
    private readonly versions: Versions,
    private readonly wholes: WholeObjects,
    private readonly ranges: OffsetRanges,
    private readonly maxBytes: number,
  ) {}

  /** By a suffix range, else by the object's length, else from the whole object. */
  async read(url: URL, length: number, signal: AbortSignal): Promise<Bytes> {
    const server = this.servers.of(url);
    let size: number | undefined;
    if (server.suffix !== false) {
      const tried = await this.#trySuffix(url, length, signal);
      if (!("size" in tried)) return tried.bytes;
      size = tried.size;
    }
    size ??= await objectSize(this.requests, url, signal);
    if (size === noObject) return undefined;
    if (size === undefined) return this.wholes.readLast(url, signal, length, this.maxBytes);
    return this.#lastOf(url, length, size, signal);
  }

  async #lastOf(url: URL, length: number, size: number, signal: AbortSignal): Promise<Bytes> {
    const { start, end } = resolveRange({ suffixLength: length }, size);
    const bytes = await this.ranges.read(url, { offset: start, length: end - start }, signal, size);
    if (bytes && bytes.byteLength < end - start) {
      throw rangeError(url.href, `it is shorter than the ${size} bytes that it said it was`);
    }
    return bytes;
  }

  /** Asks for the last bytes. */
  async #trySuffix(url: URL, length: number, signal: AbortSignal): Promise<Tried> {
    const server = this.servers.of(url);
    const asked = { suffixLength: Math.max(1, length) };
    const sending = { signal, range: `bytes=-${asked.suffixLength}`, once: server.suffix === undefined };
    try {
      return await this.requests.send<Tried>(url, sending, async (answer, watch) => {
        const { status } = answer;
        if (missingStatus.has(status)) return { bytes: undefined };
        if (status === 206) {
          const part = await this.ranges.partBody(url, answer, watch, { asked, length });
          // Fewer bytes than were asked for, and no word of which ones: the size tells.
          if (part.unprovenSize !== undefined) return { size: undefined };
          server.suffix = true;
          return { bytes: part.bytes };
        }
        if (status === 416 && unsatisfiedTotal(answer) === 0) return { bytes: new Uint8Array(0) };
        if (status === 401 || status === 403) throw statusError(url.href, answer);
        server.suffix = false;
        return this.#instead(url, answer, watch, length);
      });
    } catch (error) {
      // Meanwhile another request has shown that the server can: this one failed by accident.
      if (sending.once && server.suffix === true && isFailure(error))
        return this.#trySuffix(url, length, signal);
      if (!isRefusal(error, server)) throw error;
      return { size: undefined };
    }
  }

  /** What another answer than the last bytes is good for: a short object as it is, or the size it tells. */
  async #instead(url: URL, answer: Answer, watch: Watch, length: number): Promise<Tried> {
    const size = answer.status === 416 ? unsatisfiedTotal(answer) : announcedBytes(answer);
    if (answer.status === 200 && size !== undefined && size <= Math.max(shortBytes, 2 * length)) {
      const whole = await this.wholes.body(url, answer, watch, { maxBytes: this.maxBytes });
      return { bytes: this.versions.cut(whole, { suffixLength: length }) };
    }
    return { size: answer.status === 200 || answer.status === 416 ? size : undefined };
  }
}

/** True for failures after which the last bytes are asked for in another way. */
function isRefusal(error: unknown, server: Abilities): boolean {
  if (!isZarrError(error, "Network") || server.suffix === true) return false;
  if (error.code === "bad-range") server.suffix = false;
  // A preflight that is refused looks like a broken connection. It is taken for the one after the second time.
  else if (isFailure(error)) server.suffix = ++server.suffixFaults < 2 ? undefined : false;
  else return false;
  return true;
}
