/** A store that counts what is read from it. */
import { type GetOptions, listChildren, type RangeQuery, readRange, type Store } from "zarr-wasm";

export interface Reads {
  requests: number;
  bytes: number;
  /** How long each took, in milliseconds. */
  readonly times: number[];
}

/** Reads through another store; writes nothing. */
export class CountingStore implements Store {
  #reads: Reads = { requests: 0, bytes: 0, times: [] };
  declare readonly getRange?: NonNullable<Store["getRange"]>;
  declare readonly list?: NonNullable<Store["list"]>;
  declare readonly listChildren?: NonNullable<Store["listChildren"]>;

  constructor(private readonly inner: Store) {
    // What the store cannot do, this one cannot either: readers ask.
    if (inner.getRange) Object.assign(this, { getRange: this.#getRange });
    if (inner.list) Object.assign(this, { list: (path: string) => inner.list!(path) });
    if (inner.listChildren) Object.assign(this, { listChildren: this.#listChildren });
  }

  /** What was counted since this was last called. */
  take(): Reads {
    const reads = this.#reads;
    this.#reads = { requests: 0, bytes: 0, times: [] };
    return reads;
  }

  get(key: string, options?: GetOptions): Promise<Uint8Array | undefined> {
    return this.#count(async () => this.inner.get(key, options));
  }

  locate(key: string): string {
    return this.inner.locate?.(key) ?? key;
  }

  readonly #getRange = (key: string, range: RangeQuery, options: GetOptions = {}) =>
    this.#count(() => readRange(this.inner, key, range, options));

  readonly #listChildren = async (path: string) => {
    this.#reads.requests++;
    return listChildren(this.inner, path);
  };

  async #count(read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    const reads = this.#reads; // of the time when it began
    const start = performance.now();
    const bytes = await read();
    reads.requests++;
    reads.bytes += bytes?.byteLength ?? 0;
    reads.times.push(performance.now() - start);
    return bytes;
  }
}
