/** Storage of persistent caches: the Cache API of browsers, or files. Writes entries and evicts old ones. */
import { cached, hasNodeModules, nodeModule } from "../../util/platform.js";
import { hiddenName, isHidden } from "../temp-names.js";
import { type CacheEntry, encodeEntry } from "./cache-entry.js";

/** An entry without its contents. `used` is the time of its last use, in milliseconds since 1970. */
type StoredItem = { readonly place: string; readonly bytes: number; readonly used: number };

/** Methods reject if the storage fails. Entries are replaced as a whole: readers see all bytes of an entry or none. */
export interface EntryStorage {
  /** Returns the place of an entry in this storage. */
  place(id: string): Promise<string>;
  /** Reads an entry; undefined for none. Its bytes may be damaged. */
  read(place: string): Promise<Uint8Array | undefined>;
  write(place: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Notes that an entry was used. */
  touch(place: string): Promise<void>;
  list(): Promise<StoredItem[]>;
  remove(place: string): Promise<void>;
}

/** Opens a storage; undefined if this runtime has none. Nothing is created before the first write. */
export function openStorage(name: string, folder: string | undefined): EntryStorage | undefined {
  if (hasNodeModules()) return new FileStorage(async () => folder ?? (await userFolder(name)));
  try {
    return typeof caches === "undefined" ? undefined : new BrowserStorage(`zarr-wasm/${name}`);
  } catch {
    return undefined; // sandboxed frames
  }
}

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

/** Ending of entries. Other files in the folder are left alone. */
const ending = ".zwcache";
/** Age after which a temporary file belongs to a process that was killed, in milliseconds. */
const abandonedAfter = 3_600_000;

type Fs = typeof import("node:fs/promises");

class FileStorage implements EntryStorage {
  readonly #fs = cached(() => nodeModule<Fs>("node:fs/promises"));
  readonly #folder = cached(() => this.findFolder());

  constructor(private readonly findFolder: () => Promise<string>) {}

  async place(id: string): Promise<string> {
    const { createHash } = await nodeModule<typeof import("node:crypto")>("node:crypto");
    return `${await this.#folder()}/${createHash("sha256").update(id).digest("hex")}${ending}`;
  }

  async read(place: string): Promise<Uint8Array | undefined> {
    return (await this.#fs()).readFile(place).catch(() => undefined);
  }

  /** Writes a temporary file and renames it, so that no reader sees a part. */
  async write(place: string, bytes: Uint8Array): Promise<void> {
    const [fs, folder] = [await this.#fs(), await this.#folder()];
    const temporary = `${folder}/${hiddenName()}`;
    const write = () => fs.writeFile(temporary, bytes, { flag: "wx", mode: 0o600 });
    try {
      await write().catch(() => makeFolder(fs, folder).then(write));
      await fs.rename(temporary, place);
    } catch (error) {
      await fs.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  async touch(place: string): Promise<void> {
    await (await this.#fs()).utimes(place, new Date(), new Date());
  }

  async list(): Promise<StoredItem[]> {
    const [fs, folder] = [await this.#fs(), await this.#folder()];
    const items: StoredItem[] = [];
    for (const name of await fs.readdir(folder).catch(() => [])) {
      const place = `${folder}/${name}`;
      // Another process may have removed it.
      const found = await fs.lstat(place).catch(() => undefined);
      if (!found?.isFile()) continue;
      if (name.endsWith(ending)) items.push({ place, bytes: found.size, used: found.mtimeMs });
      else if (isHidden(name) && Math.abs(Date.now() - found.mtimeMs) > abandonedAfter)
        await this.remove(place);
    }
    return items;
  }

  async remove(place: string): Promise<void> {
    await (await this.#fs()).rm(place, { force: true });
  }
}

/** Creates a folder and its parents; the next write reports a failure. Node's recursive `mkdir` never returns in /proc. */
async function makeFolder(fs: Fs, folder: string): Promise<void> {
  for (const { index } of folder.matchAll(/[/\\]|$/g))
    await fs.mkdir(folder.slice(0, index), 0o700).catch(() => {});
}

/** Returns the folder of a cache among the user's caches. */
async function userFolder(name: string): Promise<string> {
  const { homedir } = await nodeModule<typeof import("node:os")>("node:os");
  const { env } = (globalThis as unknown as { process: NodeJS.Process }).process;
  return `${env["XDG_CACHE_HOME"] || `${homedir()}/.cache`}/zarr-wasm/${name}`;
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
