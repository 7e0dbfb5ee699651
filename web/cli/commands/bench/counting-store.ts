/** A store that counts reads. */
import { listChildren, type RangeQuery, readRange, type Store, type StoreGetOptions } from "zarr-wasm";

export interface Reads {
  requests: number;
  bytes: number;
  /** Duration of each read, in milliseconds. */
  readonly times: number[];
}

/** Reads through another store; does not write. */
export class CountingStore implements Store {
  #reads: Reads = { requests: 0, bytes: 0, times: [] };
  declare readonly getRange?: NonNullable<Store["getRange"]>;
  declare readonly list?: NonNullable<Store["list"]>;
  declare readonly listChildren?: NonNullable<Store["listChildren"]>;

  constructor(private readonly inner: Store) {
    // Readers check for optional methods: this store must lack those that the other one lacks.
    if (inner.getRange) Object.assign(this, { getRange: this.#getRange });
    if (inner.list) Object.assign(this, { list: (path: string) => inner.list!(path) });
    if (inner.listChildren) Object.assign(this, { listChildren: this.#listChildren });
  }

  /** Counts since the last call. */
  take(): Reads {
    const reads = this.#reads;
    this.#reads = { requests: 0, bytes: 0, times: [] };
    return reads;
  }

  get(key: string, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    return this.#count(async () => this.inner.get(key, options));
  }

  locate(key: string): string {
    return this.inner.locate?.(key) ?? key;
  }

  readonly #getRange = (key: string, range: RangeQuery, options: StoreGetOptions = {}) =>
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
