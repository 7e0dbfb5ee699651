/** A bounded cache of bytes. */
import { invalidArgument } from "../util/errors.js";
import type { MaybePromise } from "./store.js";

/** A cache for stores. A `Map<string, Uint8Array>` is one without a limit. */
export interface ByteCacheLike {
  get(id: string): MaybePromise<Uint8Array | undefined>;
  set(id: string, bytes: Uint8Array): unknown;
}

/** Overhead of an entry, in bytes. */
const entryBytes = 128;

/** Keeps the most recently used byte arrays, up to a total size. */
export class ByteCache implements ByteCacheLike {
  /** Name in consoles, also in minified programs. */
  static get name(): string {
    return "ByteCache";
  }

  readonly #entries = new Map<string, Uint8Array>();
  #bytes = 0;

  /** @throws InvalidArgument unless `maxBytes` is a number that is not negative. */
  constructor(readonly maxBytes: number) {
    if (!(maxBytes >= 0)) throw invalidArgument(`maxBytes must not be negative: ${maxBytes}`);
  }

  /** Total size including overhead, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): Uint8Array | undefined {
    const bytes = this.#entries.get(id);
    if (!bytes) return undefined;
    // A Map has insertion order: the entry moves to the end, and the first one is evicted first.
    this.#entries.delete(id);
    this.#entries.set(id, bytes);
    return bytes;
  }

  /** Adds an entry unless it exceeds the limit alone. Copies a view of a much larger buffer. */
  set(id: string, bytes: Uint8Array): void {
    this.delete(id);
    if (entryCost(id, bytes) > this.maxBytes) return;
    const own = bytes.byteLength * 2 < bytes.buffer.byteLength ? bytes.slice() : bytes;
    this.#entries.set(id, own);
    this.#bytes += entryCost(id, own);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(id: string): void {
    const bytes = this.#entries.get(id);
    if (!bytes) return;
    this.#entries.delete(id);
    this.#bytes -= entryCost(id, bytes);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function entryCost(id: string, bytes: Uint8Array): number {
  return bytes.byteLength + 2 * id.length + entryBytes;
}
