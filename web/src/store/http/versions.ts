/** Which version of an object bytes are of, by the ETags of answers. */
import { checkVersion, type ObjectVersion } from "../store.js";

/** Objects whose newest version is remembered. */
const maxObjects = 10_000;

/** Remembers the ETags of bytes, and the newest one of each object. */
export class Versions {
  readonly #ofBytes = new WeakMap<Uint8Array, string>();
  readonly #newest = new Map<string, string>();

  /** Notes the ETag of an answer; CORS may hide it, then there is nothing to note. */
  note(url: string, bytes: Uint8Array, response: Response): void {
    const etag = response.headers.get("etag");
    if (etag === null) return;
    this.#ofBytes.set(bytes, strong(etag));
    this.#newest.delete(url);
    this.#newest.set(url, strong(etag));
    const [oldest] = this.#newest.size > maxObjects ? this.#newest.keys() : [];
    if (oldest !== undefined) this.#newest.delete(oldest);
  }

  /** Makes a part of bytes the same version as the whole. */
  inherit(part: Uint8Array, whole: Uint8Array): void {
    const etag = this.#ofBytes.get(whole);
    if (etag !== undefined) this.#ofBytes.set(part, etag);
  }

  /** True for kept bytes of an object of which a newer version has been seen since. */
  isOutdated(url: string, bytes: Uint8Array): boolean {
    const etag = this.#ofBytes.get(bytes);
    const newest = this.#newest.get(url);
    return etag !== undefined && newest !== undefined && etag !== newest;
  }

  /**
   * Holds bytes against the version that a reader has seen before; the first ones set it.
   * @throws Network ("changed") for another version, and for an object that has gone since.
   */
  check(seen: ObjectVersion | undefined, bytes: Uint8Array | undefined, name: string): void {
    const etag = bytes && this.#ofBytes.get(bytes);
    // An ETag that is not shown says nothing; that an object has gone does.
    if (etag !== undefined || bytes === undefined) checkVersion(seen, etag, name);
  }
}

/** An ETag without the mark that it is a weak one: servers drop and add it with compression. */
function strong(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
