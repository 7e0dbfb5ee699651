/**
 * Answers requests from a persistent cache: without a request while an entry is fresh, by a conditional request
 * otherwise. Entries are tied to the metadata documents in the folders above them. If one of these has changed, fresh
 * entries are confirmed, too: no read combines chunks with the metadata of another version.
 */
import { IdleTimeout, untilAborted } from "../../util/async.js";
import { ByteSink } from "../../util/buffers.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import {
  type CacheEntry,
  confirmed,
  confirms,
  type DocumentVersions,
  decodeEntry,
  entryOf,
  hasLifetime,
  isCacheable,
  isFresh,
  isStorable,
  mayBeStale,
  requestId,
  revalidationHeaders,
  storedResponse,
  validatorOf,
  versionOf,
} from "./cache-entry.js";
import { type EntryStorage, EntryWriter } from "./cache-storage.js";
import { announcedBytes, isEncoded, missingStatus, wholeStatus } from "./response.js";
import { UnconfirmedEntries } from "./unconfirmed-entries.js";

export { openStorage } from "./cache-storage.js";

/** Larger responses are not stored. */
const maxEntryBytes = 64 * 2 ** 20;
/** Maximum numbers of objects and folders whose versions are remembered. */
const maxObjects = 10_000;
const maxFolders = 20_000;
/** Shorter objects of other origins are requested again rather than confirmed, which needs a preflight request. */
const minConfirmedBytes = 2 ** 15;
/** Consecutive requests to an origin without a response after which it counts as unreachable. */
const maxFailures = 2;
/** Timeout of confirmations of entries that are in use, in milliseconds. */
const confirmationTimeout = 60_000;
/** Consecutive failures to read the storage after which it is not used any more. */
const maxReadFailures = 3;

/** Documents that may change at any time: they are confirmed at every read. */
const document = /(?:^|\/)(?:\.z(?:array|group|attrs|metadata)|meta|attrs|repo|[^/]*\.json)$/;
/** Those of them that describe the chunks below their folder. */
const describing = /(?:^|\/)(?:zarr\.json|\.zarray|\.zmetadata|meta)$/;

const isDocument = ({ pathname }: URL): boolean => document.test(pathname);
const withoutHash = ({ href }: URL): string => href.split("#")[0]!;

export class CachedResponses {
  readonly #writer: EntryWriter | undefined;
  readonly #newest = new NewestVersions();
  readonly #origins = new Origins();
  readonly #unconfirmed: UnconfirmedEntries;
  /** Identifies the entries that this program writes. Pages without a secure context have no `crypto.randomUUID`. */
  readonly #visit = `${Date.now()} ${Math.random()}`;
  /** URLs of objects whose entries are not used any more. */
  readonly #forgotten = new Set<string>();
  /** Entries that this program has written. */
  readonly #recorded = new Set<string>();
  #readFailures = 0;

  constructor(
    private readonly storage: EntryStorage | undefined,
    maxBytes: number,
    isEnabled: () => boolean,
    onOutdated: ((url: string) => void) | undefined,
  ) {
    this.#unconfirmed = new UnconfirmedEntries(onOutdated);
    this.#writer = storage && new EntryWriter(storage, maxBytes, isEnabled);
  }

  /** Answers a request. @throws what `send` throws, unless a stored response may replace the answer. */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    const { signal } = request.watch;
    const { changes } = this.#unconfirmed;
    const documents = this.#newest.documentsAbove(url);
    if (!this.#writer || this.#readFailures >= maxReadFailures || !isCacheable(url, request)) {
      const answer = await send(url, request);
      await this.#settle(url, documents, changes, signal);
      return answer;
    }
    this.#writer.noteRead();
    const id = requestId(url, request);
    const entry = this.#mayHave(id, url) ? await this.#find(id, request) : undefined;
    this.#newest.noteSearch(url, entry !== undefined);
    const matches = entry !== undefined && this.#newest.matches(url, entry, documents);
    if (matches && this.#mayUse(send, url, request, entry, documents)) return this.#answer(url, entry);
    try {
      const answer = await this.#origins.ask(send, url, request, entry);
      const isConfirmed = entry && answer.status === 304;
      // A chunk that was stored with the documents and chunks in use is of their version.
      const fits = isConfirmed && matches && this.#fits(url, entry, documents);
      if (!fits) await this.#settle(url, documents, changes, signal);
      if (isConfirmed) return this.#confirm(url, entry, answer, documents);
      return this.#record(id, url, answer, documents, entry);
    } catch (cause) {
      if (signal.aborted || !this.#origins.isOffline(url, cause)) throw cause;
      const isUsable = isDocument(url) || (entry && this.#newest.matches(url, entry, documents));
      if (!entry || !isUsable || !mayBeStale(entry)) throw cause;
      return this.#answer(url, entry);
    }
  }

  /** Ignores the entries of an object from now on. */
  forget(url: URL): void {
    this.#forgotten.add(withoutHash(url));
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  async size(): Promise<number> {
    return (await this.#writer?.size()) ?? 0;
  }

  async clear(): Promise<void> {
    await this.#writer?.clear();
  }

  /**
   * Whether an entry may be used. Chunks below a document that was not stored before are not searched for, unless this
   * program has stored them: a search takes time, above all when a page starts.
   */
  #mayHave(id: string, url: URL): boolean {
    if (this.#forgotten.has(withoutHash(url))) return false;
    return isDocument(url) || this.#recorded.has(id) || !this.#newest.isNew(url);
  }

  /** Reads an entry; undefined if there is none, or it is damaged. */
  async #find(id: string, { watch: { signal } }: TransportRequest): Promise<CacheEntry | undefined> {
    try {
      const bytes = await untilAborted(this.storage!.read(id), signal);
      this.#readFailures = 0;
      return bytes && decodeEntry(bytes, id);
    } catch {
      signal.throwIfAborted();
      this.#readFailures++;
      return undefined;
    }
  }

  /** Whether a stored response may be used at once: it is fresh, or is confirmed while it is in use. */
  #mayUse(
    send: Transport,
    url: URL,
    request: TransportRequest,
    entry: CacheEntry,
    documents: DocumentVersions,
  ): boolean {
    const confirm = () => this.#isUnchanged(send, url, request, entry, documents);
    if (isDocument(url)) return this.#unconfirmed.use(withoutHash(url), entry, confirm);
    if (!isFresh(entry)) return this.#unconfirmed.useChunk(arrayOf(documents), entry, confirm);
    this.#writer!.touch(entry.id);
    return true;
  }

  /** Whether a confirmed response may be combined with the unconfirmed ones in use. */
  #fits(url: URL, entry: CacheEntry, documents: DocumentVersions): boolean {
    return isDocument(url) || this.#unconfirmed.fits(arrayOf(documents), entry);
  }

  /** Waits until a response of a server may be combined with those in use. */
  #settle(url: URL, documents: DocumentVersions, changes: number, signal: AbortSignal): Promise<void> {
    if (!isDocument(url)) this.#unconfirmed.refuseChunks(arrayOf(documents));
    return this.#unconfirmed.settle(changes, signal);
  }

  /** Returns a stored response and notes its version. */
  #answer(url: URL, entry: CacheEntry): HttpResponse {
    this.#newest.noteValidator(url, entry);
    this.#newest.noteDocument(url, missingStatus.has(entry.status) ? undefined : entry);
    return storedResponse(entry);
  }

  /** Asks the server whether an entry in use is unchanged. Without a connection, it counts as unchanged. */
  async #isUnchanged(
    send: Transport,
    url: URL,
    { method, headers }: TransportRequest,
    entry: CacheEntry,
    documents: DocumentVersions,
  ): Promise<boolean> {
    const watch = new IdleTimeout(new AbortController().signal, confirmationTimeout);
    try {
      const answer = await this.#origins.ask(send, url, { method, headers, watch }, entry);
      if (answer.status === 304) {
        this.#confirm(url, entry, answer, documents);
        return true;
      }
      let isSame = missingStatus.has(answer.status) && missingStatus.has(entry.status);
      let length = 0;
      const response = this.#record(entry.id, url, answer, documents, entry, (news) => {
        isSame = versionOf(news) === versionOf(entry);
      });
      await response.read(({ byteLength }) => {
        length += byteLength;
        return length <= entry.body.byteLength;
      });
      response.discard();
      return isSame;
    } catch (cause) {
      return this.#origins.isOffline(url, cause);
    } finally {
      watch.stop();
    }
  }

  /** Returns the stored response that a response with status 304 confirms. */
  #confirm(url: URL, entry: CacheEntry, answer: HttpResponse, documents: DocumentVersions): HttpResponse {
    answer.discard();
    const news = confirmed(entry, answer, documents);
    this.#renew(entry, news);
    return this.#answer(url, news);
  }

  /** Writes an entry again. Without a lifetime it is confirmed by a request the next time, too: not worth a write. */
  #renew(entry: CacheEntry, news: CacheEntry): void {
    if (hasLifetime(news) || !isTied(entry, news.documents)) this.#write(news);
    else this.#writer!.touch(entry.id);
  }

  /**
   * Returns a response that is stored while it is read.
   * @param before the entry that it replaces.
   * @param onEntry called with the new entry after the whole body has been read.
   */
  #record(
    id: string,
    url: URL,
    answer: HttpResponse,
    documents: DocumentVersions,
    before: CacheEntry | undefined,
    onEntry: (entry: CacheEntry) => void = () => {},
  ): HttpResponse {
    const { status } = answer;
    const isMissing = missingStatus.has(status);
    if (!isMissing && status !== 206 && !wholeStatus.has(status)) return answer;
    const entryWith = (body: Uint8Array<ArrayBuffer>) => entryOf(id, answer, documents, body, this.#visit);
    const isKept = isStorable(answer) && this.#writer!.hasRoom(announcedBytes(answer) ?? 0);
    const empty = entryWith(new Uint8Array(0));
    this.#newest.noteValidator(url, empty);
    if (isMissing) {
      this.#newest.noteDocument(url, undefined);
      if (isKept && before && missingStatus.has(before.status)) this.#renew(before, empty);
      else if (isKept) this.#write(empty);
      return answer;
    }
    // The versions of documents matter even if they may not be stored.
    if (!isKept && !describing.test(url.pathname)) return answer;
    return recorded(answer, (body) => {
      this.#writer!.noteRead(); // the next request may follow at once
      const entry = entryWith(body);
      this.#newest.noteDocument(url, entry);
      if (isKept) this.#write(entry);
      onEntry(entry);
    });
  }

  #write(entry: CacheEntry): void {
    this.#recorded.add(entry.id);
    const [oldest] = this.#recorded.size > maxObjects ? this.#recorded : [];
    if (oldest !== undefined) this.#recorded.delete(oldest);
    this.#writer!.write(entry);
  }
}

/** Returns the URL of the innermost document above a chunk, which describes its array; "" if there is none. */
const arrayOf = (documents: DocumentVersions): string => Object.keys(documents)[0] ?? "";

/** Whether an entry is tied to these documents. */
const isTied = (entry: CacheEntry, documents: DocumentVersions): boolean =>
  Object.entries(documents).every(([name, version]) => entry.documents[name] === version);

/** Returns a response that passes on its whole body once it was read to its end. */
function recorded(answer: HttpResponse, onBody: (body: Uint8Array<ArrayBuffer>) => void): HttpResponse {
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

/** The newest known version of each object, and of the metadata documents by folder. */
class NewestVersions {
  readonly #validators = new Map<string, string>();
  readonly #documents = new Map<string, Map<string, string>>();
  /** Documents that were not stored before. */
  readonly #unstored = new Set<string>();
  /** Whether documents were dropped, so that entries cannot be compared with all of them. */
  #isIncomplete = false;

  noteValidator(url: URL, entry: CacheEntry): void {
    const address = withoutHash(url);
    const validator = validatorOf(entry);
    this.#validators.delete(address);
    if (validator === undefined) return;
    this.#validators.set(address, validator);
    const [oldest] = this.#validators.size > maxObjects ? this.#validators.keys() : [];
    if (oldest !== undefined) this.#validators.delete(oldest);
  }

  /** Notes the version of a document; undefined for a missing one. */
  noteDocument(url: URL, entry: CacheEntry | undefined): void {
    if (!describing.test(url.pathname)) return;
    const [folder, name] = splitPath(url);
    const known = this.#documents.get(folder) ?? new Map<string, string>();
    if (entry) known.set(name, versionOf(entry));
    else known.delete(name);
    this.#documents.set(folder, known);
    const [first] = this.#documents.size > maxFolders ? this.#documents.keys() : [];
    if (first !== undefined) this.#isIncomplete = this.#documents.delete(first);
  }

  /** Notes whether an object was stored before. */
  noteSearch(url: URL, isStored: boolean): void {
    if (!describing.test(url.pathname)) return;
    if (isStored) this.#unstored.delete(withoutHash(url));
    else if (this.#unstored.size < maxFolders) this.#unstored.add(withoutHash(url));
  }

  /** Whether no document was stored before that describes an object. */
  isNew(url: URL): boolean {
    for (let [folder] = splitPath(url); folder.length > url.origin.length; folder = parentOf(folder)) {
      const names = [...(this.#documents.get(folder)?.keys() ?? [])];
      if (names.length > 0) return names.every((name) => this.#unstored.has(folder + name));
    }
    return false;
  }

  /** Returns the versions of the documents in the folders above an object, except its own. */
  documentsAbove(url: URL): DocumentVersions {
    const versions: Record<string, string> = {};
    for (let [folder] = splitPath(url); folder.length > url.origin.length; folder = parentOf(folder))
      for (const [name, version] of this.#documents.get(folder) ?? []) versions[folder + name] = version;
    const [folder, name] = splitPath(url);
    delete versions[folder + name];
    return versions;
  }

  /** Whether an entry is of the newest known version of its object, and tied to the same documents. */
  matches(url: URL, entry: CacheEntry, documents: DocumentVersions): boolean {
    const newest = this.#validators.get(withoutHash(url));
    if (this.#isIncomplete || (newest !== undefined && newest !== validatorOf(entry))) return false;
    return isTied(entry, documents);
  }
}

/** Returns the folder of an object, with a trailing "/", and its name. */
function splitPath({ origin, pathname }: URL): [folder: string, name: string] {
  const end = pathname.lastIndexOf("/") + 1;
  return [origin + pathname.slice(0, end), pathname.slice(end)];
}

const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);

/** Codes of failures that mean that there is no connection at all. */
const unreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN)$/;

/** Sends requests to origins, and remembers which cannot be reached or refuse conditional requests. */
class Origins {
  /** Consecutive requests without a response. */
  readonly #failures = new Map<string, number>();
  /** Origins that do not allow conditional requests by CORS. */
  readonly #unconditional = new Set<string>();

  /** Sends a request, with a condition if an entry can be confirmed. */
  async ask(
    send: Transport,
    url: URL,
    request: TransportRequest,
    entry: CacheEntry | undefined,
  ): Promise<HttpResponse> {
    const answer = await this.#ask(send, url, request, entry);
    this.#failures.delete(url.origin);
    if (answer.status !== 304 || !entry || confirms(answer, entry)) return answer;
    answer.discard();
    return send(url, request);
  }

  async #ask(
    send: Transport,
    url: URL,
    request: TransportRequest,
    entry: CacheEntry | undefined,
  ): Promise<HttpResponse> {
    const condition = entry && revalidationHeaders(entry);
    const isForeign = isOfOtherOrigin(url);
    const isPlain = this.#unconditional.has(url.origin) || (entry?.body.byteLength ?? 0) < minConfirmedBytes;
    if (!condition || (isForeign && isPlain)) return send(url, request);
    const headers = new Headers(request.headers);
    headers.set(...condition);
    try {
      return await send(url, { ...request, headers });
    } catch (cause) {
      // A refused preflight looks like a broken connection.
      if (!isForeign || request.watch.signal.aborted) throw cause;
      const answer = await send(url, request);
      this.#unconditional.add(url.origin);
      return answer;
    }
  }

  /** Whether a failed request means that an origin cannot be reached. */
  isOffline({ origin }: URL, cause: unknown): boolean {
    const failures = (this.#failures.get(origin) ?? 0) + 1;
    this.#failures.set(origin, failures);
    const { navigator } = globalThis as { navigator?: { onLine?: boolean } };
    type Failure = { code?: unknown; cause?: Failure } | undefined;
    const { code, cause: inner } = cause as NonNullable<Failure>;
    return (
      failures >= maxFailures ||
      navigator?.onLine === false ||
      unreachable.test(String(code)) ||
      unreachable.test(String(inner?.code))
    );
  }
}

function isOfOtherOrigin(url: URL): boolean {
  const { origin } = globalThis as { origin?: string };
  return origin !== undefined && origin !== url.origin;
}
