/** Whole objects that are kept for a while for the parts of them, where the server does not serve parts. */

import type { Watch } from "../../util/idle-timeout.js";
import { SingleFlight } from "../../util/single-flight.js";
import { ByteCache } from "../cache.js";
import type { Answer } from "../transport.js";
import type { Shared } from "./fallback.js";
import { announcedBytes } from "./response.js";

/** In all so many bytes are kept … */
const keptBytes = 64 * 2 ** 20;
/** … for so many milliseconds. */
const keptTime = 30_000;
/** An object may be longer than was announced where CORS hides that it is compressed on the way. */
const unseenBytes = 4 * keptBytes;

/** True for an answer with a whole object that is known to be short enough to be kept. */
export function isShort(answer: Answer): boolean {
  return (announcedBytes(answer) ?? Number.POSITIVE_INFINITY) <= keptBytes;
}

export class KeptObjects {
  readonly #flights = new SingleFlight<Uint8Array | undefined>();
  readonly #kept = new ByteCache(keptBytes);
  #since = 0;

  constructor(private readonly shared: Shared) {}

  /** An object that is kept or, of a server that is known not to serve parts, read once for all who want parts of it. */
  async find(url: URL, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const kept = this.#find(url);
    const server = this.shared.servers.of(url);
    if (kept || !server.ignoresRanges) return kept;
    return this.#flights.run(url.href, signal, (joined) =>
      this.shared.requests.send(url, { signal: joined }, async (answer, watch) => {
        const isKept = answer.status === 200 && isShort(answer);
        server.ignoresRanges = answer.status !== 200 || isKept;
        return isKept ? this.keep(url, answer, watch) : undefined;
      }),
    );
  }

  /** Reads and keeps the object of an answer that {@link isShort}. */
  async keep(url: URL, answer: Answer, watch: Watch): Promise<Uint8Array> {
    const maxBytes = Math.min(this.shared.maxBytes, unseenBytes);
    const whole = await this.shared.wholes.body(url, answer, watch, { maxBytes });
    if (this.shared.versions.lastWrite(url.href) > 0) return whole; // it may have been read before it was written
    if (this.#kept.bytes === 0) this.#since = Date.now();
    this.#kept.set(url.href, whole);
    return whole;
  }

  /** Says that an object has been written. */
  forget({ href }: URL): void {
    this.#kept.delete(href);
    this.#flights.leave(href);
  }

  #find(url: URL): Uint8Array | undefined {
    if (this.#kept.bytes > 0 && Date.now() - this.#since > keptTime) this.#kept.clear();
    const whole = this.#kept.get(url.href);
    return whole && !this.shared.versions.isOutdated(url.href, whole) ? whole : undefined;
  }
}
