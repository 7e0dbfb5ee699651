/** A bounded cache of bytes. */
import { invalidArgument } from "../util/errors.js";
import { type Kept, LruCache } from "../util/lru.js";
import type { MaybePromise } from "./store.js";

/** A cache for stores. A `Map<string, Uint8Array>` is one without a limit. */
export interface ByteCacheLike {
  get(id: string): MaybePromise<Uint8Array | undefined>;
  set(id: string, bytes: Uint8Array): unknown;
}

/** Overhead of an entry, in bytes. */
const entryBytes = 128;

interface Entry extends Kept {
  readonly data: Uint8Array;
}

/** Keeps the most recently used byte arrays, up to a total size. */
export class ByteCache implements ByteCacheLike {
  /** Name in consoles, also in minified programs. */
  static get name(): string {
    return "ByteCache";
  }

  readonly #entries: LruCache<Entry>;

  /** @throws InvalidArgument unless `maxBytes` is a number that is not negative. */
  constructor(readonly maxBytes: number) {
    if (!(maxBytes >= 0)) throw invalidArgument(`maxBytes must not be negative: ${maxBytes}`);
    this.#entries = new LruCache(maxBytes);
  }

  /** Total size including overhead, in bytes. */
  get bytes(): number {
    return this.#entries.bytes;
  }

  get(id: string): Uint8Array | undefined {
    return this.#entries.get(id)?.data;
  }

  /** Adds an entry unless it exceeds the limit alone. Copies a view of a much larger buffer. */
  set(id: string, bytes: Uint8Array): void {
    const cost = bytes.byteLength + 2 * id.length + entryBytes;
    this.delete(id);
    if (cost > this.maxBytes) return;
    const data = bytes.byteLength * 2 < bytes.buffer.byteLength ? bytes.slice() : bytes;
    this.#entries.set({ key: id, bytes: cost, data });
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }
}
