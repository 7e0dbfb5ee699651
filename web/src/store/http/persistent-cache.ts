/**
 * Keeps responses over HTTP for later visits: in the Cache API of browsers, in files elsewhere. Stored bytes are used in
 * two cases only:
 *
 * - The entry is fresh, and this program has confirmed all metadata documents in the folders above it, in the versions
 *   with which it was stored. From then on, other responses below these documents are used only if the documents are
 *   confirmed once more after these responses.
 * - The server has answered a conditional request with 304.
 *
 * Reading offline is a mode of the caller or the browser, never a conclusion from failures.
 */
import { checkConstructor } from "../../util/arguments.js";
import { IdleTimeout, SingleFlight, untilAborted } from "../../util/async.js";
import { describeValue, invalidArgument, networkError } from "../../util/errors.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import {
  Documents,
  isConfirmedAlways,
  isContradicted,
  isDocument,
  isTied,
  type KnownDocument,
} from "./cache-documents.js";
import {
  type CacheEntry,
  confirmed,
  confirms,
  type DocumentVersions,
  decodeEntry,
  headOf,
  isCacheable,
  isFresh,
  isPublic,
  isStorable,
  isWorthWriting,
  mayBeOffline,
  recorded,
  requestId,
  revalidationHeader,
  storedResponse,
  tagOf,
  versionOf,
} from "./cache-entry.js";
import { type EntryStorage, EntryWriter, openStorage } from "./cache-storage.js";
import { announcedBytes, missingStatus, wholeStatus } from "./response.js";

export interface PersistentCacheOptions {
  /** Caches with the same name share their entries: in one origin of a browser, for one user elsewhere. Default: "default". */
  name?: string | undefined;
  /** Maximum size in bytes. The responses that were not used for the longest time are evicted. Default: 512 MiB. */
  maxBytes?: number | undefined;
  /**
   * Folder of the files in Node, Deno and Bun; not used in browsers. Default: `zarr-wasm/NAME` in `XDG_CACHE_HOME`, or in
   * `.cache` of the user's home folder.
   */
  folder?: string | undefined;
  /** Sends no requests: stored responses are used whatever their age. Default: false. */
  offline?: boolean | undefined;
}

const defaultMaxBytes = 512 * 2 ** 20;
/** Shorter objects of other origins are requested again rather than confirmed, which needs a preflight request. */
const minConfirmedBytes = 2 ** 15;
/** Maximum number of objects in use without a request; further ones are confirmed. */
const maxTrusted = 100_000;
/** Timeout of confirmations of documents, in milliseconds. */
const confirmationTimeout = 60_000;

const withoutHash = ({ href }: URL): string => href.split("#")[0]!;

/**
 * A cache that outlives the program, for the option `persistentCache` of stores over HTTP. Stored chunks are used without
 * a request while they are fresh and the metadata documents above them are confirmed to be unchanged; everything else is
 * confirmed by a conditional request. See docs/caching.md for the responses that are never stored.
 */
export class PersistentCache {
  readonly name: string;
  readonly maxBytes: number;
  /** False sends all requests to their servers and stores nothing, until it is true again. Default: true. */
  enabled = true;
  /**
   * True sends no requests: objects that are not stored throw Network ("offline"). Browsers that report to be offline have
   * the same effect. Open nodes again after a change.
   */
  offline: boolean;
  readonly #storage: EntryStorage | undefined;
  readonly #writer: EntryWriter | undefined;
  readonly #documents = new Documents();
  readonly #confirmations = new SingleFlight<void>();
  /** Tags of entries that were used without a request, by URL. */
  readonly #trusted = new Map<string, string>();
  /** Whether such an entry has turned out to be outdated: from then on, all are confirmed. */
  #isDistrustful = false;
  /** URLs of objects whose entries are not used any more. */
  readonly #forgotten = new Set<string>();
  /** Origins that do not allow conditional requests by CORS. */
  readonly #unconditional = new Set<string>();

  /** @throws InvalidArgument for options that are out of range. */
  constructor(options: PersistentCacheOptions = {}) {
    checkConstructor(options, "cache", { name: true, maxBytes: true, folder: true, offline: true });
    const { name = "default", maxBytes = defaultMaxBytes, folder, offline = false } = options;
    const check = (isValid: boolean, rule: string, value: unknown) => {
      if (!isValid) throw invalidArgument(`${rule}, not ${describeValue(value)}`);
    };
    const isName = typeof name === "string" && /^[a-z0-9][\w.-]{0,63}$/i.test(name);
    check(isName, 'name must be 1 to 64 letters, digits, ".", "_" or "-"', name);
    check(maxBytes >= 0, "maxBytes must be a number that is not negative", maxBytes);
    check(
      folder === undefined || (typeof folder === "string" && folder !== ""),
      "folder must be a path",
      folder,
    );
    check(typeof offline === "boolean", "offline must be true or false", offline);
    this.name = name;
    this.maxBytes = maxBytes;
    this.offline = offline;
    this.#storage = openStorage(name, folder);
    this.#writer = this.#storage && new EntryWriter(this.#storage, maxBytes, () => this.enabled);
  }

  /** Waits until the responses received so far are stored. Programs need not call it: they end after the last write. */
  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  /** Total size of the stored responses, in bytes. */
  async size(): Promise<number> {
    return (await this.#writer?.size()) ?? 0;
  }

  /** Removes all stored responses, also those of other programs that use this cache. */
  async clear(): Promise<void> {
    await this.#writer?.clear();
  }

  /** @internal Reads an object from its server, whose stored responses are outdated or damaged. */
  forget(url: URL): void {
    this.#forgotten.add(withoutHash(url));
  }

  /**
   * @internal Answers a request from the cache, or by `send`.
   * @throws what `send` throws; Network ("offline") for an object that is not stored; Network ("outdated") if stored
   *   bytes that this program has used turn out not to be of the server's version.
   */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    if (!this.enabled) return send(url, request);
    const isOffline = this.offline || isBrowserOffline(url);
    if (!isCacheable(url, request)) return isOffline ? refuseOffline(url) : send(url, request);
    this.#writer?.noteRead();
    const { headers, watch } = request;
    const id = requestId(url, request);
    const entry = await this.#find(id, url, watch.signal);
    const asked = isOffline ? -1 : performance.now();
    const note: NoteVersion = (found) => {
      if (!isDocument(url)) return;
      const known = { url, headers, version: versionOf(found), confirmedAt: asked, answeredAt: 0 };
      const isOther = this.#documents.note(id, url, missingStatus.has(found.status) ? undefined : known);
      if (isOther) this.#trusted.clear(); // it was opened again
    };
    if (isOffline) return this.#answerOffline(id, url, entry, note);
    if (entry && (await this.#mayTrust(send, url, entry, watch.signal))) return this.#trust(url, entry);
    const documents = this.#documents.versionsAbove(url, id);
    const answer = await this.#ask(send, url, request, entry);
    if (answer.status === 304 && entry && this.#wasTied(url, entry, documents))
      return this.#confirm(entry, answer, documents, note);
    try {
      if (!isConfirmedAlways(url) && isAnswer(answer))
        await this.#settle(send, url, id, answer, watch.signal);
    } catch (error) {
      answer.discard();
      throw error;
    }
    if (answer.status === 304 && entry) return this.#confirm(entry, answer, documents, note);
    return this.#record(
      url,
      answer,
      { ...headOf(answer), id, isCors: answer.isCors, documents },
      entry,
      note,
    );
  }

  /** Reads an entry; undefined if there is none, or it is damaged. */
  async #find(id: string, url: URL, signal: AbortSignal): Promise<CacheEntry | undefined> {
    const storage = this.#forgotten.has(withoutHash(url)) ? undefined : this.#storage;
    const reading = storage?.place(id).then(async (place) => {
      const bytes = await storage.read(place);
      return bytes && decodeEntry(bytes, id);
    });
    return (
      reading &&
      untilAborted(
        reading.catch(() => undefined),
        signal,
      )
    );
  }

  /** Uses an entry whatever its age, unless it belongs to other versions of the documents that were read. */
  #answerOffline(id: string, url: URL, entry: CacheEntry | undefined, note: NoteVersion): HttpResponse {
    const documents = this.#documents.versionsAbove(url, id);
    if (!entry || !mayBeOffline(entry) || isContradicted(entry, documents)) return refuseOffline(url);
    note(entry);
    return storedResponse(entry);
  }

  /**
   * Whether an entry may be used without a request. Confirms documents that were confirmed before the entry was stored,
   * by another program, or before server responses below them that are in use.
   */
  async #mayTrust(send: Transport, url: URL, entry: CacheEntry, signal: AbortSignal): Promise<boolean> {
    const isSame = () => !this.#isDistrustful && isTied(entry, this.#documents.versionsAbove(url, entry.id));
    if (this.#trusted.size >= maxTrusted || isConfirmedAlways(url)) return false;
    if (!isFresh(entry) || !isSame()) return false;
    const documents = this.#documents.above(url, entry.id);
    const stored = storedAt(entry);
    const since = ({ answeredAt }: KnownDocument) => Math.max(answeredAt, stored);
    const isCurrent = (known: KnownDocument) => known.confirmedAt >= since(known) && !known.isOutdated;
    for (const [id, known] of documents)
      if (known.confirmedAt >= 0)
        await this.#confirmSince(send, id, known, since(known), signal).catch(() => signal.throwIfAborted());
    if (!isSame() || !documents.every(([, known]) => isCurrent(known))) return false;
    for (const [, known] of documents) known.isTrusted = true;
    return true;
  }

  /** Whether an entry was stored with these documents, and they were confirmed since. */
  #wasTied(url: URL, entry: CacheEntry, documents: DocumentVersions): boolean {
    const stored = storedAt(entry);
    const above = this.#documents.above(url, entry.id);
    return isTied(entry, documents) && above.every(([, { confirmedAt }]) => confirmedAt >= stored);
  }

  #trust(url: URL, entry: CacheEntry): HttpResponse {
    this.#trusted.set(
      withoutHash(url),
      tagOf((name) => entry.headers[name]),
    );
    this.#writer!.touch(entry.id);
    return storedResponse(entry);
  }

  /**
   * Waits until a response may be combined with bytes that were used without a request: until the documents above are
   * confirmed again, after the response.
   * @throws Network ("outdated") if they, or the object itself, are of another version.
   */
  async #settle(
    send: Transport,
    url: URL,
    id: string,
    answer: HttpResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const since = performance.now();
    const used = this.#trusted.get(withoutHash(url));
    if (used !== undefined && answer.status !== 304 && used !== tagOf((name) => answer.headers.get(name))) {
      this.#isDistrustful = true;
      this.#trusted.clear();
      throw outdated(`${url.href} has changed since it was stored; read again`);
    }
    for (const [other, known] of this.#documents.above(url, id)) {
      known.answeredAt = Math.max(since, known.answeredAt);
      if (known.isTrusted || known.confirmedAt < 0)
        await this.#confirmSince(send, other, known, since, signal);
      if (known.isOutdated)
        throw outdated(`${known.url.href} has changed since the node was opened; open it again`);
    }
  }

  /** Confirms a document unless that was done since a time. Concurrent callers share a request that began after it. */
  async #confirmSince(
    send: Transport,
    id: string,
    known: KnownDocument,
    since: number,
    signal: AbortSignal,
  ): Promise<void> {
    const confirm = (shared: AbortSignal) => this.#confirmDocument(send, id, known, shared);
    while (known.confirmedAt < since && !known.isOutdated) await this.#confirmations.run(id, signal, confirm);
  }

  /** Asks the server for the version of a document. @throws if it does not tell. */
  async #confirmDocument(
    send: Transport,
    id: string,
    known: KnownDocument,
    signal: AbortSignal,
  ): Promise<void> {
    const { url, headers } = known;
    const watch = new IdleTimeout(signal, confirmationTimeout);
    const asked = performance.now();
    let isKnown = false;
    const note: NoteVersion = (found) => {
      isKnown = true;
      if (versionOf(found) === known.version) known.confirmedAt = asked;
      else known.isOutdated = true;
    };
    try {
      const entry = await this.#find(id, url, signal);
      const documents = this.#documents.versionsAbove(url, id);
      const answer = await this.#ask(send, url, { method: "GET", headers, watch }, entry);
      const response =
        answer.status === 304 && entry
          ? this.#confirm(entry, answer, documents, note)
          : this.#record(
              url,
              answer,
              { ...headOf(answer), id, isCors: answer.isCors, documents },
              entry,
              note,
            );
      await response.read(() => true);
      if (!isKnown) throw new Error(`${url.href} could not be confirmed: status ${answer.status}`);
    } finally {
      watch.stop();
    }
  }

  /** Sends a request, with a condition if an entry can be confirmed. */
  async #ask(
    send: Transport,
    url: URL,
    request: TransportRequest,
    entry: CacheEntry | undefined,
  ): Promise<HttpResponse> {
    // A document that the browser's own cache calls fresh is not confirmed by its server.
    const plain: TransportRequest = isDocument(url) ? { ...request, cache: "no-cache" } : request;
    const condition = entry && revalidationHeader(entry);
    const isForeign = isOfOtherOrigin(url);
    const isPlain = this.#unconditional.has(url.origin) || (entry?.body.byteLength ?? 0) < minConfirmedBytes;
    if (!condition || (isForeign && isPlain)) return send(url, plain);
    const headers = new Headers(request.headers);
    headers.set(...condition);
    let isRefused = false;
    const answer = await send(url, { ...request, headers }).catch((cause) => {
      // A refused preflight looks like a broken connection.
      if (!isForeign || request.watch.signal.aborted) throw cause;
      isRefused = true;
      return send(url, plain);
    });
    if (isRefused) this.#unconditional.add(url.origin);
    if (answer.status !== 304 || confirms(answer, entry)) return answer;
    answer.discard();
    return send(url, plain);
  }

  /** Returns the stored response that a response with status 304 confirms. */
  #confirm(
    before: CacheEntry,
    answer: HttpResponse,
    documents: DocumentVersions,
    note: NoteVersion,
  ): HttpResponse {
    answer.discard();
    const entry = confirmed(before, answer, documents);
    if (!isPublic(answer)) this.#writer!.remove(entry.id);
    else if (isWorthWriting(entry) || isContradicted(before, documents)) this.#writer!.write(entry);
    else this.#writer!.touch(entry.id);
    note(entry);
    return storedResponse(entry);
  }

  /** Returns a response that is stored while it is read. @param before the entry that it replaces. */
  #record(
    url: URL,
    answer: HttpResponse,
    head: Omit<CacheEntry, "body">,
    before: CacheEntry | undefined,
    note: NoteVersion,
  ): HttpResponse {
    if (!isAnswer(answer) || answer.status === 304) return answer;
    const isKept = isStorable(answer);
    if (!isKept && before) this.#writer!.remove(head.id);
    const onBody = (body: Uint8Array<ArrayBuffer>) => {
      this.#writer?.noteRead(); // the next request may follow at once
      note({ ...head, body });
      if (isKept) this.#writer?.write({ ...head, body });
    };
    const isMissing = missingStatus.has(answer.status);
    if (isMissing) onBody(new Uint8Array(0));
    // The versions of documents matter even if they may not be stored.
    const isWanted = isDocument(url) || (isKept && this.#writer?.hasRoom(announcedBytes(answer) ?? 0));
    return isMissing || !isWanted ? answer : recorded(answer, onBody);
  }
}

/**
 * Returns when an entry was stored, as a result of `performance.now()`. Only documents confirmed since are known to be
 * those with which it was stored, because another program may have stored it.
 */
const storedAt = ({ at }: CacheEntry): number => performance.now() - (Date.now() - at);

/** Notes the version of a document that was read, from its response. */
type NoteVersion = (found: CacheEntry) => void;

/** Whether a response tells the state of an object, rather than a failure. */
const isAnswer = ({ status }: HttpResponse): boolean =>
  status === 206 || status === 304 || wholeStatus.has(status) || missingStatus.has(status);

const outdated = (message: string): Error => networkError(message, { code: "outdated" });

function refuseOffline({ href }: URL): never {
  throw networkError(`${href} is not stored, and the cache is offline`, { code: "offline" });
}

/** Whether the browser is offline. It still reaches servers on the same machine. */
function isBrowserOffline({ hostname }: URL): boolean {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean } };
  return navigator?.onLine === false && !/(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname);
}

function isOfOtherOrigin(url: URL): boolean {
  const { origin } = globalThis as { origin?: string };
  return origin !== undefined && origin !== url.origin;
}
