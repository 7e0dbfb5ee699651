/** Storage of persistent caches: the Cache API of browsers, or files. Writes entries and evicts old ones. */
import { lazy } from "../../util/lazy.js";
import { cached, hasNodeModules } from "../../util/platform.js";
import { type CacheEntry, type EntryStorage, encodeEntry, type StoredItem } from "./cache-entry.js";

const files = lazy("caches in files", () => import("./cache-files.js"));

/** Opens a storage; undefined if this runtime has none. Nothing is created before the first write. */
export function openStorage(name: string, folder: string | undefined): EntryStorage | undefined {
  if (hasNodeModules()) {
    let storage: EntryStorage | undefined;
    return onUse(async () => {
      const { FileStorage } = await files();
      storage ??= new FileStorage(name, folder);
      return storage;
    });
  }
  try {
    return typeof caches === "undefined" ? undefined : new BrowserStorage(`zarr-wasm/${name}`);
  } catch {
    return undefined; // sandboxed frames
  }
}

/** A storage whose code is loaded on first use. */
const onUse = (open: () => Promise<EntryStorage>): EntryStorage => ({
  place: async (id) => (await open()).place(id),
  read: async (place) => (await open()).read(place),
  write: async (place, bytes) => (await open()).write(place, bytes),
  touch: async (place) => (await open()).touch(place),
  list: async () => (await open()).list(),
  remove: async (place) => (await open()).remove(place),
});

/** Entries of browsers are written again to note their use, so this happens rarely: after this many milliseconds. */
const touchAfter = 24 * 3_600_000;
const usedAt = ({ headers }: Request): number => Number(headers.get("x-used"));

class BrowserStorage implements EntryStorage {
  readonly #open = cached(() => caches.open(this.name));
  /** The places of all entries, once they are listed: a list takes less time than many reads without a result. */
  #places: Set<string> | undefined;

  constructor(private readonly name: string) {
    this.list().then(
      (items) => (this.#places = new Set(items.map(({ place }) => place))),
      () => {},
    );
  }

  /** Keys of the Cache API are URLs. They are never requested. */
  place = async (id: string): Promise<string> => `https://zarr-wasm.invalid/${encodeURIComponent(id)}`;

  async read(place: string): Promise<Uint8Array | undefined> {
    if (this.#places && !this.#places.has(place)) return undefined;
    const response = await (await this.#open()).match(place);
    return response && new Uint8Array(await response.arrayBuffer());
  }

  async write(place: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    // `keys` returns the headers of requests without reading the bodies of responses.
    const headers = { "x-bytes": String(bytes.byteLength), "x-used": String(Date.now()) };
    await (await this.#open()).put(new Request(place, { headers }), new Response(bytes));
    this.#places?.add(place);
  }

  async touch(place: string): Promise<void> {
    const [request] = await (await this.#open()).keys(place);
    if (!request || Math.abs(Date.now() - usedAt(request)) < touchAfter) return;
    const bytes = await this.read(place);
    if (bytes) await this.write(place, bytes as Uint8Array<ArrayBuffer>);
  }

  async list(): Promise<StoredItem[]> {
    const requests = await (await this.#open()).keys();
    return requests.map((request) => {
      return { place: request.url, bytes: Number(request.headers.get("x-bytes")), used: usedAt(request) };
    });
  }

  async remove(place: string): Promise<void> {
    await (await this.#open()).delete(place);
  }
}

/** Maximum size of the entries that wait to be written, in bytes. Further ones are not stored. */
const maxQueuedBytes = 48 * 2 ** 20;
/** Time without reads before a write, in milliseconds, and maximum wait for it. */
const pause = { page: 150, files: 20, most: 10_000 };
/** Consecutive failures after which nothing is written any more. */
const maxFailures = 3;
/** Maximum number of entries whose use is noted. */
const maxTouched = 10_000;
/** Files take up multiples of this, in bytes. */
const blockBytes = 4096;
/** Differences between clocks, in milliseconds. */
const clockSlack = 60_000;

const entryCost = (bytes: number): number => Math.ceil(Math.max(1, bytes) / blockBytes) * blockBytes;

/** Writes entries in the background, and evicts the least recently used ones. */
export class EntryWriter {
  #last: Promise<void> | undefined;
  #queuedBytes = 0;
  #failures = 0;
  /** Bytes that may be written before the storage is listed again: other processes write there, too. */
  #unlistedBytes = 0;
  readonly #touched = new Set<string>();
  #readAt = 0;
  /** Number of callers that wait for all writes. */
  #flushes = 0;
  #endPause = () => {};

  constructor(
    private readonly storage: EntryStorage,
    private readonly maxBytes: number,
    private readonly isEnabled: () => boolean,
  ) {}

  /** Whether an entry of this size would be written. */
  hasRoom(bytes: number): boolean {
    const isLow = bytes <= this.maxBytes / 2 && this.#queuedBytes + bytes <= maxQueuedBytes;
    return isLow && this.isEnabled() && this.#failures < maxFailures;
  }

  /** Notes that an object is read: writes wait, for they take time from reads. */
  noteRead(): void {
    this.#readAt = performance.now();
  }

  /** Writes an entry, unless too many wait. */
  write(entry: CacheEntry): void {
    const bytes = entry.body.byteLength + blockBytes;
    if (!this.hasRoom(bytes)) return;
    this.#enqueue(bytes, async () => {
      await this.storage.write(await this.storage.place(entry.id), encodeEntry(entry));
      this.#failures = 0;
      this.#unlistedBytes -= entryCost(bytes);
      if (this.#unlistedBytes < 0) await this.#limit(this.maxBytes);
    });
  }

  remove(id: string): void {
    this.#enqueue(0, async () => this.storage.remove(await this.storage.place(id)));
  }

  /** Notes that an entry was used; once is enough. */
  touch(id: string): void {
    if (this.#touched.has(id) || this.#touched.size >= maxTouched) return;
    this.#touched.add(id);
    this.#enqueue(0, async () => this.storage.touch(await this.storage.place(id)).catch(() => {})); // evicted
  }

  async flush(): Promise<void> {
    this.#flushes++;
    this.#endPause();
    while (this.#last) await this.#last;
    this.#flushes--;
  }

  async size(): Promise<number> {
    await this.flush();
    return (await this.storage.list()).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async clear(): Promise<void> {
    await this.flush();
    await this.#limit(0);
  }

  #enqueue(bytes: number, work: () => Promise<void>): void {
    this.#queuedBytes += bytes;
    const since = performance.now();
    const done: Promise<void> = Promise.resolve(this.#last)
      .then(() => this.#untilUnread(since))
      .then(work)
      .catch(() => this.#onFailure())
      .then(() => {
        this.#queuedBytes -= bytes;
        if (this.#last === done) this.#last = undefined;
      });
    this.#last = done;
  }

  /** Waits until nothing has been read for a while. */
  async #untilUnread(since: number): Promise<void> {
    const rest = hasNodeModules() ? pause.files : pause.page;
    for (;;) {
      const left = Math.min(Math.max(since, this.#readAt) + rest, since + pause.most) - performance.now();
      if (left <= 0 || this.#flushes > 0) return;
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
        setTimeout(resolve, left);
      });
    }
  }

  /** Frees half of the space, as the quota or the disk may be exhausted. */
  async #onFailure(): Promise<void> {
    if (++this.#failures > maxFailures) return;
    await this.#limit(0, 0.5).catch(() => (this.#failures = maxFailures));
  }

  /**
   * Removes the entries that were used least recently if all have more than `maxBytes`.
   * @param share Keeps this share of all bytes instead. Default: 80 % of `maxBytes`.
   */
  async #limit(maxBytes: number, share?: number): Promise<void> {
    const now = Date.now();
    // Times in the future were noted before the clock was set back.
    const ageOf = ({ used }: StoredItem) => (used > now + clockSlack ? now : now - used);
    const items = (await this.storage.list()).sort((a, b) => ageOf(b) - ageOf(a));
    let total = items.reduce((sum, { bytes }) => sum + entryCost(bytes), 0);
    const target = total <= maxBytes ? total : share === undefined ? 0.8 * maxBytes : share * total;
    for (const { place, bytes } of items) {
      if (total <= target) break;
      await this.storage.remove(place);
      total -= entryCost(bytes);
    }
    this.#unlistedBytes = Math.min(this.maxBytes - total, this.maxBytes / 8);
  }
}
