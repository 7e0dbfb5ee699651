/** A bounded cache of bytes. */
import { invalidArgument } from "../util/errors.js";
import type { MaybePromise } from "./store.js";

/** What a store asks of a cache; a `Map<string, Uint8Array>` is one, without a bound. */
export interface ByteCacheLike {
  get(id: string): MaybePromise<Uint8Array | undefined>;
  set(id: string, bytes: Uint8Array): unknown;
}

/** What an entry costs besides its bytes. */
const entryBytes = 128;

/** Keeps the bytes that were used last, up to a number of bytes in all. */
export class ByteCache implements ByteCacheLike {
  /** What consoles show, also of minified programs. */
  static get name(): string {
    return "ByteCache";
  }

  readonly #entries = new Map<string, Uint8Array>();
  #bytes = 0;

  /** @throws InvalidArgument unless `maxBytes` is a number that is not negative. */
  constructor(readonly maxBytes: number) {
    if (!(maxBytes >= 0)) throw invalidArgument(`maxBytes must not be negative: ${maxBytes}`);
  }

  /** Bytes held, with what the entries themselves cost. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): Uint8Array | undefined {
    const bytes = this.#entries.get(id);
    if (!bytes) return undefined;
    // A Map is in order of insertion: the entry moves to the end, the first one goes first.
    this.#entries.delete(id);
    this.#entries.set(id, bytes);
    return bytes;
  }

  /** Keeps bytes, unless they alone are above the bound; a view is copied if it holds up a larger buffer. */
  set(id: string, bytes: Uint8Array): void {
    this.delete(id);
    if (costOf(id, bytes) > this.maxBytes) return;
    const own = bytes.byteLength * 2 < bytes.buffer.byteLength ? bytes.slice() : bytes;
    this.#entries.set(id, own);
    this.#bytes += costOf(id, own);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(id: string): void {
    const bytes = this.#entries.get(id);
    if (!bytes) return;
    this.#entries.delete(id);
    this.#bytes -= costOf(id, bytes);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function costOf(id: string, bytes: Uint8Array): number {
  return bytes.byteLength + 2 * id.length + entryBytes;
}
