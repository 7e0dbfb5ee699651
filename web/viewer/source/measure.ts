/** Measures the cost of reading: requests, bytes, and the time of decoding alone. */
import {
  get,
  open,
  type RangeQuery,
  type Selection,
  type Store,
  type StoreGetOptions,
  type ZarrArray,
} from "zarr-wasm";

export interface Measured {
  readonly requests: number;
  /** Stored bytes. */
  readonly bytes: number;
  /** Decoded bytes of the requested elements. */
  readonly decodedBytes: number;
  /** Milliseconds in total, and for decoding on one thread with all data in memory. */
  readonly time: number;
  readonly decodeTime: number;
}

/** Reads a part of an array twice: from its store, and from the recorded responses. */
export async function measure(
  array: ZarrArray,
  selection: Selection,
  { v1Order, signal }: { v1Order?: "spec" | "writer" | undefined; signal?: AbortSignal | undefined },
): Promise<Measured> {
  const store = new RememberingStore(array.store);
  const options = { path: array.path, kind: "array", version: array.zarrFormat, v1Order, signal } as const;
  const same = await open(store, options);
  store.count = { requests: 0, bytes: 0 }; // excludes requests for opening
  const begin = performance.now();
  const region = await get(same, selection, { signal });
  const middle = performance.now();
  const { requests, bytes } = store.count;
  await get(same, selection, { signal });
  const decodeTime = performance.now() - middle;
  const { data } = region;
  const decodedBytes = "byteLength" in data ? (data as Uint8Array).byteLength : 0;
  return { requests, bytes, decodedBytes, time: middle - begin, decodeTime };
}

type Answer = Promise<Uint8Array | undefined>;
type Ask = () => ReturnType<Store["get"]>;

/** Counts requests, and sends each only once. */
class RememberingStore implements Store {
  count = { requests: 0, bytes: 0 };
  readonly #answers = new Map<string, Answer>();

  readonly getRange?: NonNullable<Store["getRange"]>;

  constructor(private readonly inner: Store) {
    // A store without range requests must not appear to have them.
    if (inner.getRange)
      this.getRange = (key: string, range: RangeQuery, options?: StoreGetOptions) =>
        this.#ask(`${key} ${JSON.stringify(range)}`, () => inner.getRange!(key, range, options));
  }

  get(key: string, options?: StoreGetOptions): Answer {
    return this.#ask(key, () => this.inner.get(key, options));
  }

  locate(key: string): string {
    return this.inner.locate?.(key) ?? key;
  }

  async #ask(id: string, ask: Ask): Answer {
    let answer = this.#answers.get(id);
    if (!answer) {
      answer = this.#counted(ask);
      this.#answers.set(id, answer);
    }
    // The reader may transfer or change the bytes.
    return (await answer)?.slice();
  }

  async #counted(ask: Ask): Answer {
    this.count.requests++;
    const bytes = await ask();
    this.count.bytes += bytes?.length ?? 0;
    return bytes;
  }
}
