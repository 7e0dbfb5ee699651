/** Which version of an object bytes are of: by the ETags of answers, without one by the time of the last change. */
import { cutRange, wantedBytes } from "../read.js";
import { checkVersion, type ObjectVersion, type RangeQuery } from "../store.js";
import type { Answer } from "../transport.js";

/** Objects whose newest version is remembered. */
const maxObjects = 10_000;
/** A longer ETag is none: as many are kept as objects are remembered. */
const maxEtagLength = 512;

/** Remembers of which versions bytes are, and the newest one of each object. */
export class Versions {
  readonly #ofBytes = new WeakMap<Uint8Array, ObjectVersion>();
  readonly #newest = new Map<string, string>();
  /** When objects were written by this client, counted in its writes. */
  readonly #written = new Map<string, number>();
  /** The last write of an object that is not remembered any more. */
  #forgotten = 0;
  #writes = 0;

  /**
   * Notes what an answer tells; that may be nothing.
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

  /** Cuts a part out of a whole object, of the same version. */
  cut(whole: Uint8Array, range: RangeQuery): Uint8Array {
    const view = cutRange(whole, range);
    // A small part must not hold the whole in memory.
    const part = wantedBytes(range) * 2 < whole.byteLength ? view.slice() : view;
    const version = this.#ofBytes.get(whole);
    if (version) this.#ofBytes.set(part, version);
    return part;
  }

  /** Notes that an object has been written by this client: what was read of it before counts no more. */
  noteWrite(url: string): void {
    this.#newest.delete(url);
    this.#written.delete(url);
    this.#written.set(url, ++this.#writes);
    if (this.#written.size <= maxObjects) return;
    const [[oldest, write]] = this.#written as unknown as [[string, number]];
    this.#written.delete(oldest);
    this.#forgotten = write;
  }

  /** Which write was the last of an object, or may have been; 0 where this client has not written it. */
  lastWrite(url: string): number {
    return this.#written.get(url) ?? this.#forgotten;
  }

  /** True for kept bytes of an object of which a newer version has been seen since. */
  isOutdated(url: string, bytes: Uint8Array): boolean {
    const etag = this.#ofBytes.get(bytes)?.etag;
    const newest = this.#newest.get(url);
    return etag !== undefined && newest !== undefined && areAlike(etag, newest) && etag !== newest;
  }

  /**
   * Holds bytes against the version that a reader has seen before; the first ones set it.
   * @throws Network ("changed") for another version, and for an object that has gone since.
   */
  check(seen: ObjectVersion | undefined, bytes: Uint8Array | undefined, name: string): void {
    const { etag, size } = (bytes && this.#ofBytes.get(bytes)) ?? {};
    const isOther = seen?.etag !== undefined && etag !== undefined && !areAlike(seen.etag, etag);
    // What is not shown says nothing; that an object has gone does.
    checkVersion(seen, bytes && { etag: isOther ? undefined : etag, size }, name);
  }
}

/** A change must be as many milliseconds past to tell versions apart: servers know it to the second, clocks differ. */
const settledAfter = 60_000;
const changedAt = "last change ";

function etagOf({ headers }: Answer): string | undefined {
  const etag = headers.get("etag");
  if (etag !== null && etag.length <= maxEtagLength) return strong(etag);
  // CORS hides ETags, but not this.
  const time = Date.parse(headers.get("last-modified") ?? "");
  // A server that gives the time of the answer says nothing about the object.
  return time < Date.now() - settledAfter ? changedAt + time : undefined;
}

/** Whether two versions can be held against each other. */
const areAlike = (a: string, b: string): boolean => a.startsWith(changedAt) === b.startsWith(changedAt);

/** An ETag without the mark that it is a weak one: servers drop and add it with compression. */
function strong(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
