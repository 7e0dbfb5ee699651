/** Tracks the versions of objects by their ETags, or by the times of their last changes. */
import { cutRange, wantedBytes } from "../read.js";
import { checkVersion, type ObjectVersion, type RangeQuery } from "../store.js";
import type { Answer } from "../transport.js";

/** Maximum number of objects whose newest version is remembered. */
const maxObjects = 10_000;
/** Longer ETags are ignored, which bounds memory. */
const maxEtagLength = 512;

export class Versions {
  readonly #ofBytes = new WeakMap<Uint8Array, ObjectVersion>();
  readonly #newest = new Map<string, string>();
  /** Number of the last write of each object by this client. */
  readonly #written = new Map<string, number>();
  /** Number of the last write that was dropped from it. */
  #forgotten = 0;
  #writes = 0;

  /**
   * Notes the version of bytes, as far as the response tells.
   * @param size of the whole object.
   */
  note(url: string, bytes: Uint8Array, response: Answer, size: number | undefined): void {
    const etag = etagOf(response);
    this.#ofBytes.set(bytes, { etag, size });
    if (etag === undefined) return;
    this.#newest.delete(url);
    this.#newest.set(url, etag);
    const [oldest] = this.#newest.size > maxObjects ? this.#newest.keys() : [];
    if (oldest !== undefined) this.#newest.delete(oldest);
  }

  /** Returns a part of a whole object, of the same version. */
  cut(whole: Uint8Array, range: RangeQuery): Uint8Array {
    const view = cutRange(whole, range);
    // A small part must not hold the whole in memory.
    const part = wantedBytes(range) * 2 < whole.byteLength ? view.slice() : view;
    const version = this.#ofBytes.get(whole);
    if (version) this.#ofBytes.set(part, version);
    return part;
  }

  /** Notes a write of an object by this client, which outdates bytes that were read before. */
  noteWrite(url: string): void {
    this.#newest.delete(url);
    this.#written.delete(url);
    this.#written.set(url, ++this.#writes);
    if (this.#written.size <= maxObjects) return;
    const [[oldest, write]] = this.#written as unknown as [[string, number]];
    this.#written.delete(oldest);
    this.#forgotten = write;
  }

  /** Returns the number of the last write that may have been of an object; 0 if this client has not written it. */
  lastWrite(url: string): number {
    return this.#written.get(url) ?? this.#forgotten;
  }

  /** Whether a newer version of an object has been seen since bytes of it were read. */
  isOutdated(url: string, bytes: Uint8Array): boolean {
    const etag = this.#ofBytes.get(bytes)?.etag;
    const newest = this.#newest.get(url);
    return etag !== undefined && newest !== undefined && areAlike(etag, newest) && etag !== newest;
  }

  /**
   * Compares bytes with the version that a reader has seen before. Sets it if undefined.
   * @throws Network ("changed") for another version, and for a missing object.
   */
  check(seen: ObjectVersion | undefined, bytes: Uint8Array | undefined, name: string): void {
    const { etag, size } = (bytes && this.#ofBytes.get(bytes)) ?? {};
    const isOther = seen?.etag !== undefined && etag !== undefined && !areAlike(seen.etag, etag);
    // A hidden version is not another one.
    checkVersion(seen, bytes && { etag: isOther ? undefined : etag, size }, name);
  }
}

/** Minimum age of a change that identifies a version, in milliseconds: it has a resolution of 1 s, and clocks differ. */
const settledAfter = 60_000;
const changedAt = "last change ";

function etagOf({ headers }: Answer): string | undefined {
  const etag = headers.get("etag");
  if (etag !== null && etag.length <= maxEtagLength) return strong(etag);
  // CORS hides ETags, but not this.
  const time = Date.parse(headers.get("last-modified") ?? "");
  // Some servers send the time of the response.
  return time < Date.now() - settledAfter ? changedAt + time : undefined;
}

/** Whether two versions are comparable. */
const areAlike = (a: string, b: string): boolean => a.startsWith(changedAt) === b.startsWith(changedAt);

/** Returns an ETag without the mark of weak ones, which servers add for compressed responses. */
function strong(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
