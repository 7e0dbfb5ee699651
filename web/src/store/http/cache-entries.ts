/**
 * Stored responses: which may be stored, freshness and validators (spec: RFC 9111), their bytes, and their storage, the
 * Cache API of browsers or files.
 */
import { ByteSink } from "../../util/buffers.js";
import { crc32 } from "../../util/crc32.js";
import { cached, hasNodeModules, nodeModule, textDecoder, textEncoder } from "../../util/platform.js";
import { hiddenName, isHidden, sha256 } from "../temp-names.js";
import type { HttpResponse, TransportRequest } from "../transport.js";
import { announcedBytes, claimsPage, isEncoded, isOpen, missingStatus, wholeStatus } from "./response.js";

/** Versions of metadata documents, by the ids of their requests. */
export type DocumentVersions = Readonly<Record<string, string>>;

/** A stored response. */
export interface CacheEntry {
  /** The request: {@link requestId}. */
  readonly id: string;
  readonly status: number;
  readonly isCors: boolean;
  /** When it was received or confirmed, in milliseconds since 1970. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Versions of the metadata documents in the folders above, at that time. */
  readonly documents: DocumentVersions;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Identifies a request; `isCacheable` rules out all headers that are not part of it. */
export function requestId({ href }: URL, { headers }: Pick<TransportRequest, "headers">): string {
  const [address] = href.split("#");
  return JSON.stringify([address, ...[...headers].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The only query parameters of URLs whose responses are stored: any other one may be a key. */
const publicParameter = /^(?:v|version|version-?id|generation)$/i;

/** Whether the response to a request may be stored: the request has no keys, in headers or its URL. */
export function isCacheable(url: URL, { method, headers }: TransportRequest): boolean {
  const isConditional = ["if-none-match", "if-modified-since"].some((name) => headers.has(name));
  return (
    method === "GET" &&
    !isConditional &&
    isOpen(method, headers) &&
    url.username === "" &&
    url.password === "" &&
    [...url.searchParams.keys()].every((name) => publicParameter.test(name))
  );
}

/** Whether Cache-Control has a directive, whatever separates it from others. */
const hasDirective = (control: string | null | undefined, names: string): boolean =>
  new RegExp(`(?:^|[^\\w-])(?:${names})(?![\\w-])`, "i").test(control ?? "");

/** Request headers that are part of an entry's id, or the same for all requests of an origin and runtime. */
const knownVary = /^(?:|accept|accept-encoding|origin|range|access-control-request-.*|sec-fetch-.*)$/;

/** Whether the headers of a response, also of one with status 304, allow to store it for all users. */
export function isPublic({ redirected, headers }: HttpResponse): boolean {
  if (redirected || hasDirective(headers.get("cache-control"), "no-store|private")) return false;
  const vary = (headers.get("vary") ?? "").toLowerCase().split(",");
  return headers.get("set-cookie") === null && vary.every((name) => knownVary.test(name.trim()));
}

/** Whether a response may be stored. */
export function isStorable(answer: HttpResponse): boolean {
  const { status, headers } = answer;
  const isPart = status === 206;
  if (!isPart && !wholeStatus.has(status) && !missingStatus.has(status)) return false;
  if (!isPublic(answer) || claimsPage(answer)) return false;
  if (/^\s*multipart\//i.test(headers.get("content-type") ?? "")) return false;
  return !isPart || validatorOf(headOf(answer)) !== undefined;
}

/** The headers that are stored: those that reads, freshness and validation need. */
const storedHeaders =
  "content-type content-range accept-ranges etag last-modified cache-control date age".split(" ");

type Head = Pick<CacheEntry, "status" | "headers" | "at">;

export function headOf({ status, headers }: HttpResponse): Head {
  const found = storedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(found), at: Date.now() };
}

/** Returns an entry after a response with status 304. */
export function confirmed(entry: CacheEntry, answer: HttpResponse, documents: DocumentVersions): CacheEntry {
  const { headers, at } = headOf(answer);
  const { "content-type": _type, "content-range": _range, ...news } = headers;
  // The age of the stored response is not that of the new one.
  const { age: _age, ...kept } = entry.headers;
  return { ...entry, headers: { ...kept, ...news }, at, documents };
}

/** Returns for how many milliseconds a response is fresh, by Cache-Control. */
export function lifetimeOf({ headers }: Head): number {
  const control = headers["cache-control"] ?? "";
  if (hasDirective(control, "no-cache")) return 0;
  const ages = [...control.matchAll(/(?:^|[^\w-])max-age\s*=\s*"?([^\s",;]*)/gi)];
  if (ages.length > 0)
    return Math.min(...ages.map(([, text]) => (/^\d+$/.test(text!) ? Number(text) * 1000 : 0)));
  return hasDirective(control, "immutable") ? Number.POSITIVE_INFINITY : 0;
}

/** Whether an entry is fresh. Never if the clock has been set back since. */
export function isFresh(entry: Head, now = Date.now()): boolean {
  const { headers, at } = entry;
  if (now < at) return false;
  const apparent = at - Date.parse(headers["date"] ?? "") || 0;
  const age = Math.max(0, apparent, Number(headers["age"] ?? 0) * 1000 || 0);
  return age + now - at < lifetimeOf(entry);
}

/** Whether an entry may be used without its server. */
export const mayBeOffline = (entry: Head): boolean =>
  isFresh(entry) || !hasDirective(entry.headers["cache-control"], "no-cache|must-revalidate");

/** Minimum age of a change that identifies a version, in milliseconds. Spec: RFC 9110, section 8.8.2.2. */
const settledAfter = 60_000;

/**
 * Returns the validator of a response; undefined for none. That of a part must be strong, because parts of several
 * responses are combined.
 */
function validatorOf({ status, headers, at }: Head): string | undefined {
  const etag = headers["etag"];
  if (etag !== undefined && /^\s*(?:W\/)?"[^"]*"\s*$/.test(etag))
    return status === 206 && etag.includes("W/") ? undefined : etag.trim();
  const changed = headers["last-modified"] ?? "";
  const date = headers["date"] === undefined ? at : Date.parse(headers["date"]);
  return Date.parse(changed) <= date - settledAfter ? changed : undefined;
}

/** Returns the ETag, or the time of the last change. Servers mark ETags of compressed responses. */
export const tagOf = ({ headers }: Pick<Head, "headers">): string =>
  (headers["etag"] ?? headers["last-modified"] ?? "").replace(/^W\/|-{1,2}(?:gzip|br|zstd)(?="$)/g, "");

/** Returns the header of a request that confirms an entry; undefined if it cannot be confirmed. */
export function revalidationHeader(entry: CacheEntry): readonly [name: string, value: string] | undefined {
  const validator = validatorOf(entry);
  if (validator === undefined) return undefined;
  return [validator.endsWith('"') ? "if-none-match" : "if-modified-since", validator];
}

/** Whether a response with status 304 is about an entry: servers may name another ETag by mistake. */
export function confirms({ headers, redirected }: HttpResponse, entry: CacheEntry): boolean {
  const [before, now] = [entry.headers["etag"], headers.get("etag")].map((etag) => etag?.replace(/^W\//, ""));
  return !redirected && (before === undefined || now === undefined || before === now);
}

/** Returns the bytes of an entry: a checksum of the rest, the length of the head, the head as JSON, the body. */
function encodeEntry({ body, ...head }: CacheEntry): Uint8Array<ArrayBuffer> {
  const text = textEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(8 + text.byteLength + body.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, text.byteLength);
  bytes.set(text, 8);
  bytes.set(body, 8 + text.byteLength);
  view.setUint32(0, crc32(bytes.subarray(4)));
  return bytes;
}

/** Returns an entry from its bytes; undefined if they are damaged, or of another request. @throws for less than 8. */
function decodeEntry(bytes: Uint8Array, id: string): CacheEntry | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (crc32(bytes.subarray(4)) !== view.getUint32(0)) return undefined;
  const bodyAt = 8 + view.getUint32(4);
  const head = JSON.parse(textDecoder().decode(bytes.subarray(8, bodyAt)));
  return head.id === id ? { ...head, body: bytes.subarray(bodyAt) } : undefined;
}

/** Returns a stored response as if it had just been received. */
export function storedResponse({ status, isCors, headers, body }: CacheEntry): HttpResponse {
  const length = String(body.byteLength);
  return {
    ...{ status, isCors, statusText: "" },
    headers: {
      get: (name) => headers[name.toLowerCase()] ?? (/^content-length$/i.test(name) ? length : null),
    },
    read: async (take) => void take(body),
    discard() {},
  };
}

/** Returns the version of a metadata document: another one has other contents, or was written again. */
export const versionOf = (entry: CacheEntry): string =>
  `${validatorOf(entry) ?? ""} ${entry.body.byteLength} ${crc32(entry.body)}`;

/** Larger responses are not stored. */
const maxEntryBytes = 64 * 2 ** 20;

/** Returns a response that passes on its whole body once it was read to its end. */
export function recorded(
  answer: HttpResponse,
  onBody: (body: Uint8Array<ArrayBuffer>) => unknown,
): HttpResponse {
  const { status, statusText, isCors, headers, isOwned = false } = answer;
  const read: HttpResponse["read"] = async (take) => {
    const expected = announcedBytes(answer);
    let sink = (expected ?? 0) <= maxEntryBytes ? new ByteSink(expected ?? 0) : undefined;
    await answer.read((piece) => {
      if (sink && sink.length + piece.byteLength > maxEntryBytes) sink = undefined;
      sink?.add(piece); // before `take`, after which the piece may be overwritten
      const goesOn = take(piece);
      if (!goesOn) sink = undefined;
      return goesOn;
    });
    if (sink && isWhole(answer, sink.length)) onBody(sink.bytes());
  };
  return { status, statusText, isCors, headers, isOwned, read, discard: () => answer.discard() };
}

/** Whether a body was not cut off: it has the announced length, or a framing whose end cannot be missed. */
function isWhole(answer: HttpResponse, length: number): boolean {
  const announced = announcedBytes(answer);
  if (announced !== undefined && !answer.isCors) return length === announced;
  // CORS hides the framing; browsers check it.
  return answer.isCors || isEncoded(answer) || /chunked/i.test(answer.headers.get("transfer-encoding") ?? "");
}

/** An entry without its contents. `used` is the time of its last use, in milliseconds since 1970. */
type StoredItem = { readonly place: string; readonly bytes: number; readonly used: number };

/** Methods reject if the storage fails. Entries are replaced as a whole: readers see all bytes of an entry or none. */
interface EntryStorage {
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
  /** Places of entries, once they have been listed: a lookup may take as long as a request. Others may add some. */
  let known: Set<string> | undefined;
  return {
    /** Keys of the Cache API are URLs. They are never requested. */
    place: async (id) => `https://zarr-wasm.invalid/${encodeURIComponent(id)}`,
    async read(place) {
      const found = known?.has(place) === false ? undefined : await (await open()).match(place);
      return new Uint8Array(await found!.arrayBuffer());
    },
    async write(place, bytes) {
      // `keys` returns the headers of requests without reading the bodies of responses.
      const headers = { "x-bytes": String(bytes.byteLength), "x-used": String(Date.now()) };
      await (await open()).put(new Request(place, { headers }), new Response(bytes));
      known?.add(place);
    },
    touch: async () => {}, // it would have to be written again
    async list() {
      const requests = await (await open()).keys();
      known = new Set(requests.map(({ url }) => url));
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
    return `${await this.#folder()}/${await sha256(id)}${ending}`;
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

/** Maximum share of the time for writes while requests are sent, which they would slow down. */
const busyShare = 0.05;
/** Time without a request after which entries are written at once, in milliseconds. */
const restTime = 300;
const pauseTime = 50;

const entryCost = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

/** Writes entries in the background, one at a time, and evicts the oldest ones. */
export class EntryWriter {
  #last = Promise.resolve();
  #queuedBytes = 0;
  #failures = 0;
  /** Bytes that may be written before the storage is listed again: other processes write there, too. */
  #unlistedBytes = 0;
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly storage: EntryStorage,
    private readonly maxBytes: number,
    private readonly isEnabled: () => boolean,
  ) {}

  /** Called for every request. */
  noteRequest(): void {
    this.#requestedAt = performance.now();
  }

  /** Waits after a write that took some time. */
  async #rest(time: number): Promise<void> {
    const end = performance.now() + time / busyShare;
    while (performance.now() < Math.min(end, this.#requestedAt + restTime))
      await new Promise((resolve) => setTimeout(resolve, pauseTime));
  }

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
      const began = performance.now();
      await this.storage.write(await this.storage.place(entry.id), encodeEntry(entry));
      this.#failures = 0;
      this.#unlistedBytes -= entryCost(bytes);
      if (this.#unlistedBytes < 0) {
        const left = await this.#evict((total) => (total > this.maxBytes ? 0.8 * this.maxBytes : total));
        this.#unlistedBytes = Math.min(this.maxBytes - left, this.maxBytes / 8);
      }
      await this.#rest(performance.now() - began);
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
