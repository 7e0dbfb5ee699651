/** Storage of persistent caches: the Cache API of browsers, or files. Writes entries and evicts old ones. */
import { hasNodeModules, nodeModule } from "../../util/platform.js";
import { hiddenName, isHidden } from "../temp-names.js";
import { type CacheEntry, encodeEntry } from "./cache-entry.js";

/** An entry without its contents. */
export interface StoredItem {
  /** Identifies the item in this storage. */
  readonly place: string;
  readonly bytes: number;
  /** When it was used last, in milliseconds since 1970. */
  readonly used: number;
}

/** Methods reject if the storage fails. Entries are replaced as a whole: readers see all bytes of an entry or none. */
export interface EntryStorage {
  /** Reads an entry; undefined for none. Its bytes may be damaged. */
  read(id: string): Promise<Uint8Array | undefined>;
  write(id: string, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Notes that an entry was used. */
  touch(id: string): Promise<void>;
  list(): Promise<StoredItem[]>;
  remove(place: string): Promise<void>;
}

/** Opens a storage; undefined if this runtime has none. Nothing is created before the first write. */
export function openStorage(name: string, folder: string | undefined): EntryStorage | undefined {
  if (hasNodeModules()) return new FileStorage(async () => folder ?? (await userFolder(name)));
  return hasCaches() ? new BrowserStorage(`zarr-wasm/${name}`) : undefined;
}

/** Whether the page may use the Cache API. Pages without a secure context lack it; in sandboxed frames reading it throws. */
function hasCaches(): boolean {
  try {
    return typeof caches !== "undefined";
  } catch {
    return false;
  }
}

/** Address of entries in the Cache API, which takes URLs as keys. They are never requested. */
const keyBase = "https://zarr-wasm.invalid/";
/** Entries are written again to note their use, so this happens rarely: after this many milliseconds. */
const touchAfter = 24 * 3_600_000;

/**
 * Reads without an entry after which all entries are listed, and the time for which the list is used, in
 * milliseconds: a list takes less time than many reads. Entries that other pages write in this time are not found.
 */
const missesBeforeList = 32;
const listTime = 30_000;

class BrowserStorage implements EntryStorage {
  #cache: Promise<Cache> | undefined;
  #misses = 0;
  #listed: { readonly keys: Set<string>; readonly at: number } | undefined;

  constructor(private readonly name: string) {}

  #open(): Promise<Cache> {
    this.#cache ??= caches.open(this.name);
    return this.#cache;
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    const key = entryKey(id);
    if (this.#isAbsent(key)) return undefined;
    const response = await (await this.#open()).match(key);
    this.#misses = response ? 0 : this.#misses + 1;
    if (this.#misses === missesBeforeList) this.list().catch(() => {});
    return response && new Uint8Array(await response.arrayBuffer());
  }

  #isAbsent(key: string): boolean {
    if (!this.#listed) return false;
    if (performance.now() - this.#listed.at < listTime) return !this.#listed.keys.has(key);
    this.#listed = undefined;
    this.#misses = 0;
    return false;
  }

  async write(id: string, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    const blob = new Blob(parts as Uint8Array<ArrayBuffer>[]);
    // `keys` returns the headers of requests without reading the bodies of responses.
    const headers = { "x-bytes": String(blob.size), "x-used": String(Date.now()) };
    this.#listed?.keys.add(entryKey(id));
    await (await this.#open()).put(new Request(entryKey(id), { headers }), new Response(blob));
  }

  async touch(id: string): Promise<void> {
    const cache = await this.#open();
    const [request] = await cache.keys(entryKey(id));
    if (!request || Math.abs(Date.now() - usedAt(request)) < touchAfter) return;
    const bytes = await this.read(id);
    if (bytes) await this.write(id, [bytes as Uint8Array<ArrayBuffer>]);
  }

  async list(): Promise<StoredItem[]> {
    const requests = await (await this.#open()).keys();
    this.#listed = { keys: new Set(requests.map(({ url }) => url)), at: performance.now() };
    return requests.map((request) => ({
      place: request.url,
      bytes: Number(request.headers.get("x-bytes")),
      used: usedAt(request),
    }));
  }

  async remove(place: string): Promise<void> {
    await (await this.#open()).delete(place);
  }
}

const entryKey = (id: string): string => keyBase + encodeURIComponent(id);
const usedAt = ({ headers }: Request): number => Number(headers.get("x-used"));

/** Ending of entries. Other files in the folder are left alone. */
const ending = ".zwcache";
/** Age after which a temporary file belongs to a process that was killed, in milliseconds. */
const abandonedAfter = 3_600_000;

type Fs = typeof import("node:fs/promises");

class FileStorage implements EntryStorage {
  #opened: Promise<{ fs: Fs; folder: string; fileName: (id: string) => string }> | undefined;

  constructor(private readonly findFolder: () => Promise<string>) {}

  #open() {
    const open = async () => {
      const [fs, { createHash }, folder] = await Promise.all([
        nodeModule<Fs>("node:fs/promises"),
        nodeModule<typeof import("node:crypto")>("node:crypto"),
        this.findFolder(),
      ]);
      const fileName = (id: string) => `${folder}/${createHash("sha256").update(id).digest("hex")}${ending}`;
      return { fs, folder, fileName };
    };
    this.#opened ??= open();
    return this.#opened;
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    const { fs, fileName } = await this.#open();
    try {
      return await fs.readFile(fileName(id));
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Writes a temporary file and renames it, so that no reader sees a part. */
  async write(id: string, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    const { fs, folder, fileName } = await this.#open();
    const temporary = `${folder}/${hiddenName()}`;
    const create = () => fs.open(temporary, "wx", 0o600);
    const file = await create().catch(async (error) => {
      if (error.code !== "ENOENT") throw error;
      await makeFolder(fs, folder);
      return create();
    });
    try {
      try {
        for (const part of parts) await file.writeFile(part);
      } finally {
        await file.close();
      }
      await fs.rename(temporary, fileName(id));
    } catch (error) {
      await fs.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  async touch(id: string): Promise<void> {
    const { fs, fileName } = await this.#open();
    const now = new Date();
    await fs.utimes(fileName(id), now, now);
  }

  async list(): Promise<StoredItem[]> {
    const { fs, folder } = await this.#open();
    const names = await fs.readdir(folder).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const items: StoredItem[] = [];
    for (const name of names) {
      if (!name.endsWith(ending) && !isHidden(name)) continue;
      const place = `${folder}/${name}`;
      // Another process may have removed it.
      const found = await fs.lstat(place).catch(() => undefined);
      if (!found?.isFile()) continue;
      if (name.endsWith(ending)) items.push({ place, bytes: found.size, used: found.mtimeMs });
      else if (Math.abs(Date.now() - found.mtimeMs) > abandonedAfter) await this.remove(place);
    }
    return items;
  }

  async remove(place: string): Promise<void> {
    const { fs } = await this.#open();
    await fs.rm(place, { force: true });
  }
}

/** Creates a folder and its parents. Node's recursive `mkdir` never returns in /proc. */
async function makeFolder(fs: Fs, folder: string): Promise<void> {
  const create = () =>
    fs.mkdir(folder, 0o700).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  try {
    await create();
  } catch (error) {
    const parent = folder.replace(/[/\\]+[^/\\]*[/\\]*$/, "");
    if ((error as { code?: unknown }).code !== "ENOENT" || parent === "" || parent === folder) throw error;
    await makeFolder(fs, parent);
    await create();
  }
}

/** Returns the folder of a cache among the user's caches. */
async function userFolder(name: string): Promise<string> {
  const { homedir } = await nodeModule<typeof import("node:os")>("node:os");
  const { env, platform } = (globalThis as unknown as { process: NodeJS.Process }).process;
  const byPlatform: Record<string, string | undefined> = {
    darwin: `${homedir()}/Library/Caches`,
    win32: env["LOCALAPPDATA"],
  };
  const caches = env["XDG_CACHE_HOME"] || byPlatform[platform] || `${homedir()}/.cache`;
  return `${caches}/zarr-wasm/${name}`;
}

/** Maximum size of the entries that wait to be written, in bytes. Further ones are not stored. */
const maxQueuedBytes = 48 * 2 ** 20;
/** Time without reads before a write, in milliseconds, and maximum wait for it. */
const pause = { page: 150, files: 20, most: 10_000 };
/** Consecutive failures after which nothing is written any more. */
const maxFailures = 3;
/** Share of the maximum size that an eviction leaves. */
const keptShare = 0.8;
/** Share of the maximum size after whose writing the storage is listed again: other processes write there, too. */
const checkedShare = 1 / 8;
/** Files take up multiples of this, in bytes. */
const blockBytes = 4096;
/** Maximum number of entries whose use is remembered. */
const maxTouched = 10_000;
/** Differences between clocks, in milliseconds. */
const clockSlack = 60_000;

const entryCost = (bytes: number): number => Math.ceil(Math.max(1, bytes) / blockBytes) * blockBytes;
const totalSize = (items: readonly StoredItem[]): number =>
  items.reduce((sum, { bytes }) => sum + entryCost(bytes), 0);

/** Writes entries in the background, and evicts the least recently used ones. */
export class EntryWriter {
  #last: Promise<void> | undefined;
  #queuedBytes = 0;
  #failures = 0;
  /** Size of all entries when they were listed, and of those written since. */
  #listedBytes: number | undefined;
  #writtenBytes = 0;
  /** Entries whose use was noted. */
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
    return (
      this.isEnabled() &&
      this.#failures < maxFailures &&
      bytes <= this.maxBytes / 2 &&
      this.#queuedBytes + bytes <= maxQueuedBytes
    );
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
      await this.storage.write(entry.id, encodeEntry(entry));
      this.#failures = 0;
      this.#writtenBytes += entryCost(bytes);
      await this.#limit();
    });
  }

  /** Notes that an entry was used. */
  touch(id: string): void {
    if (this.#touched.has(id) || this.#touched.size >= maxTouched) return;
    this.#touched.add(id);
    this.#enqueue(0, () => this.storage.touch(id).catch(() => {})); // it may have been evicted
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
    await this.#evict(0);
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
        const timer = setTimeout(resolve, left);
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Frees half of the space, as the quota or the disk may be exhausted. */
  async #onFailure(): Promise<void> {
    if (++this.#failures > maxFailures) return;
    try {
      await this.#evict(totalSize(await this.storage.list()) / 2);
    } catch {
      this.#failures = maxFailures;
    }
  }

  async #limit(): Promise<void> {
    if (this.#listedBytes === undefined || this.#writtenBytes > this.maxBytes * checkedShare) {
      this.#listedBytes = totalSize(await this.storage.list());
      this.#writtenBytes = 0;
    }
    if (this.#listedBytes + this.#writtenBytes > this.maxBytes) await this.#evict(this.maxBytes * keptShare);
  }

  /** Removes the entries that were used least recently until at most `maxBytes` are left. */
  async #evict(maxBytes: number): Promise<void> {
    const now = Date.now();
    // Times in the future were noted before the clock was set back.
    const usedAt = ({ used }: StoredItem) => (used > now + clockSlack ? 0 : used);
    const items = (await this.storage.list()).sort((a, b) => usedAt(a) - usedAt(b));
    let total = totalSize(items);
    for (const { place, bytes } of items) {
      if (total <= maxBytes) break;
      await this.storage.remove(place);
      total -= entryCost(bytes);
    }
    this.#listedBytes = total;
    this.#writtenBytes = 0;
  }
}
