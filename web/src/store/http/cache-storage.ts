/** Storage of persistent caches: the Cache API of browsers, or files. Writes entries and evicts old ones. */
import { cached, hasNodeModules, nodeModule } from "../../util/platform.js";
import { hiddenName, isHidden } from "../temp-names.js";
import { type CacheEntry, decodeEntry, encodeEntry } from "./cache-entry.js";

/** An entry without its contents. `used` is the time of its last use, in milliseconds since 1970. */
type StoredItem = { readonly place: string; readonly bytes: number; readonly used: number };

/** Methods reject if the storage fails. Entries are replaced as a whole: readers see all bytes of an entry or none. */
export interface EntryStorage {
  /** Returns the place of an entry in this storage. */
  place(id: string): Promise<string>;
  /** Rejects if there is none. */
  read(place: string): Promise<Uint8Array>;
  write(place: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Notes that an entry was used, if that is cheap. */
  touch(place: string): Promise<void>;
  list(): Promise<StoredItem[]>;
  remove(place: string): Promise<void>;
}

/** Opens a storage; undefined if this runtime has none. Nothing is created before the first write. */
export function openStorage(name: string, folder: string | undefined): EntryStorage | undefined {
  if (hasNodeModules()) return new FileStorage(async () => folder ?? (await userFolder(name)));
  try {
    return typeof caches === "undefined" ? undefined : browserStorage(`zarr-wasm/${name}`);
  } catch {
    return undefined; // sandboxed frames
  }
}

const browserStorage = (name: string): EntryStorage => {
  const open = cached(() => caches.open(name));
  return {
    /** Keys of the Cache API are URLs. They are never requested. */
    place: async (id) => `https://zarr-wasm.invalid/${encodeURIComponent(id)}`,
    read: async (place) => new Uint8Array(await (await (await open()).match(place))!.arrayBuffer()),
    async write(place, bytes) {
      // `keys` returns the headers of requests without reading the bodies of responses.
      const headers = { "x-bytes": String(bytes.byteLength), "x-used": String(Date.now()) };
      await (await open()).put(new Request(place, { headers }), new Response(bytes));
    },
    touch: async () => {}, // it would have to be written again
    async list() {
      const requests = await (await open()).keys();
      const numberIn = ({ headers }: Request, name: string) => Number(headers.get(name));
      return requests.map((request) => {
        return { place: request.url, bytes: numberIn(request, "x-bytes"), used: numberIn(request, "x-used") };
      });
    },
    async remove(place) {
      await (await open()).delete(place);
    },
  };
};

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

  async read(place: string): Promise<Uint8Array> {
    return (await this.#fs()).readFile(place);
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
/** Consecutive failures after which nothing is written any more. */
const maxFailures = 3;
/** Files take up multiples of this, in bytes. */
const blockBytes = 4096;
/** Differences between clocks, in milliseconds. */
const clockSlack = 60_000;

const entryCost = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

/** Writes entries in the background, one at a time, and evicts the oldest ones. */
export class EntryWriter {
  #last = Promise.resolve();
  #queuedBytes = 0;
  #failures = 0;
  /** Bytes that may be written before the storage is listed again: other processes write there, too. */
  #unlistedBytes = 0;

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

  /** Writes an entry, unless too many wait. */
  write(entry: CacheEntry): void {
    const bytes = entry.body.byteLength + blockBytes;
    if (!this.hasRoom(bytes)) return;
    this.#enqueue(bytes, async () => {
      await this.storage.write(await this.storage.place(entry.id), encodeEntry(entry));
      this.#failures = 0;
      this.#unlistedBytes -= entryCost(bytes);
      if (this.#unlistedBytes >= 0) return;
      const left = await this.#evict((total) => (total > this.maxBytes ? 0.8 * this.maxBytes : total));
      this.#unlistedBytes = Math.min(this.maxBytes - left, this.maxBytes / 8);
    });
  }

  /** Reads an entry; undefined if there is none, or it is damaged. */
  async read(id: string): Promise<CacheEntry | undefined> {
    try {
      return decodeEntry(await this.storage.read(await this.storage.place(id)), id);
    } catch {
      return undefined;
    }
  }

  remove(id: string): void {
    this.#enqueue(0, async () => this.storage.remove(await this.storage.place(id)));
  }

  touch(id: string): void {
    this.#enqueue(0, async () => this.storage.touch(await this.storage.place(id)).catch(() => {})); // evicted
  }

  async flush(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
  }

  async size(): Promise<number> {
    await this.flush();
    return (await this.storage.list()).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async clear(): Promise<void> {
    await this.flush();
    await this.#evict(() => 0);
  }

  #enqueue(bytes: number, work: () => Promise<void>): void {
    this.#queuedBytes += bytes;
    this.#last = this.#last
      .then(work)
      .catch(() => this.#onFailure())
      .then(() => {
        this.#queuedBytes -= bytes;
      });
  }

  /** Frees half of the space, as the quota or the disk may be exhausted. */
  async #onFailure(): Promise<void> {
    if (++this.#failures > maxFailures) return;
    await this.#evict((total) => total / 2).catch(() => (this.#failures = maxFailures));
  }

  /** Removes the oldest entries until the rest has the size that `goal` returns. Returns the new size. */
  async #evict(goal: (total: number) => number): Promise<number> {
    const now = Date.now();
    // Times in the future were noted before the clock was set back.
    const ageOf = ({ used }: StoredItem) => (used > now + clockSlack ? now : now - used);
    const items = (await this.storage.list()).sort((a, b) => ageOf(b) - ageOf(a));
    let total = items.reduce((sum, { bytes }) => sum + entryCost(bytes), 0);
    const target = goal(total);
    for (const { place, bytes } of items) {
      if (total <= target) break;
      await this.storage.remove(place);
      total -= entryCost(bytes);
    }
    return total;
  }
}
