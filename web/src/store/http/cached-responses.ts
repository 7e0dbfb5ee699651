/**
 * Answers requests from a persistent cache. Stored bytes are used in two cases only:
 *
 * - The entry is fresh, and all metadata documents in the folders above it have just been confirmed, in the versions with
 *   which it was stored.
 * - The server has answered a conditional request with 304.
 *
 * Without a connection is a mode of the caller or the browser, never a conclusion from failures.
 */
import { IdleTimeout, SingleFlight, untilAborted } from "../../util/async.js";
import { ByteSink } from "../../util/buffers.js";
import { networkError } from "../../util/errors.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import {
  Documents,
  isConfirmedAlways,
  isContradicted,
  isDocument,
  isRecent,
  isTied,
  type KnownDocument,
  versionsOf,
} from "./cache-documents.js";
import {
  areVersionsDifferent,
  type CacheEntry,
  confirmed,
  confirms,
  type DocumentVersions,
  decodeEntry,
  type Head,
  hasLifetime,
  headOf,
  isCacheable,
  isFresh,
  isPublic,
  isStorable,
  mayBeOffline,
  requestId,
  revalidationHeader,
  storedResponse,
  versionOf,
} from "./cache-entry.js";
import { type EntryStorage, EntryWriter } from "./cache-storage.js";
import { announcedBytes, isEncoded, missingStatus, wholeStatus } from "./response.js";

/** Larger responses are not stored. */
const maxEntryBytes = 64 * 2 ** 20;
/** Shorter objects of other origins are requested again rather than confirmed, which needs a preflight request. */
const minConfirmedBytes = 2 ** 15;
/** Timeout of confirmations of documents, in milliseconds. */
const confirmationTimeout = 60_000;

const withoutHash = ({ href }: URL): string => href.split("#")[0]!;

export interface CacheMode {
  readonly enabled: boolean;
  /** Whether the caller forbids requests. */
  readonly offline: boolean;
}

export class CachedResponses {
  readonly #writer: EntryWriter | undefined;
  readonly #documents = new Documents();
  readonly #confirmations = new SingleFlight<void>();
  /** Entries that were used without a request, by URL. */
  readonly #trusted = new Map<string, Head>();
  /** Whether such an entry has turned out to be outdated: from then on, all are confirmed. */
  #isDistrustful = false;
  /** URLs of objects whose entries are not used any more. */
  readonly #forgotten = new Set<string>();
  /** Origins that do not allow conditional requests by CORS. */
  readonly #unconditional = new Set<string>();

  constructor(
    private readonly storage: EntryStorage | undefined,
    maxBytes: number,
    private readonly mode: CacheMode,
  ) {
    this.#writer = storage && new EntryWriter(storage, maxBytes, () => mode.enabled);
  }

  /**
   * Answers a request.
   * @throws what `send` throws; Network ("offline") for an object that is not stored; Network ("outdated") if stored
   *   bytes that this program has used turn out not to be of the server's version.
   */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    const isOffline = this.mode.offline || isBrowserOffline(url);
    if (!isCacheable(url, request)) return isOffline ? refuseOffline(url) : send(url, request);
    this.#writer?.noteRead();
    const { signal } = request.watch;
    const id = requestId(url, request);
    const entry = await this.#find(id, url, signal);
    if (isOffline) return this.#answerOffline(id, url, request, entry);
    if (entry && (await this.#mayTrust(send, url, entry, signal))) return this.#trust(url, entry);
    const documents = this.#documents.above(url, id);
    const answer = await this.#ask(send, url, request, entry);
    if (!isConfirmedAlways(url)) this.#refuseContradiction(url, answer, documents);
    if (answer.status !== 304 || !entry) return this.#record(id, url, request, answer, versionsOf(documents), entry);
    return this.#confirm(url, request, entry, answer, versionsOf(documents));
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

  /** Reads an entry; undefined if there is none, or it is damaged. */
  async #find(id: string, url: URL, signal: AbortSignal): Promise<CacheEntry | undefined> {
    if (!this.storage || this.#forgotten.has(withoutHash(url))) return undefined;
    try {
      const bytes = await untilAborted(this.storage.place(id).then((place) => this.storage!.read(place)), signal);
      return bytes && decodeEntry(bytes, id);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Uses an entry whatever its age, unless it belongs to other versions of the documents that were read. */
  #answerOffline(
    id: string,
    url: URL,
    { headers }: TransportRequest,
    entry: CacheEntry | undefined,
  ): HttpResponse {
    const documents = versionsOf(this.#documents.above(url, id));
    if (!entry || !mayBeOffline(entry) || isContradicted(entry, documents)) return refuseOffline(url);
    this.#note(url, headers, entry, false);
    return storedResponse(entry);
  }

  /** Whether an entry may be used without a request for it. Confirms the documents above it if they are not current. */
  async #mayTrust(send: Transport, url: URL, entry: CacheEntry, signal: AbortSignal): Promise<boolean> {
    if (isConfirmedAlways(url) || this.#isDistrustful || !isFresh(entry)) return false;
    const documents = this.#documents.above(url, entry.id);
    if (!isTied(entry, versionsOf(documents))) return false;
    const late = [...documents].filter(([, known]) => !isRecent(known));
    await Promise.all(
      late.map(([id, known]) =>
        this.#confirmations.run(id, signal, (shared) => this.#confirmDocument(send, known, shared)),
      ),
    );
    const current = this.#documents.above(url, entry.id);
    return !this.#isDistrustful && isTied(entry, versionsOf(current)) && [...current.values()].every(isRecent);
  }

  /** Requests a document again, which notes its version. After a failure it stays unconfirmed. */
  async #confirmDocument(send: Transport, { url, headers }: KnownDocument, signal: AbortSignal): Promise<void> {
    const watch = new IdleTimeout(signal, confirmationTimeout);
    try {
      const answer = await this.respond(send, url, { method: "GET", headers, watch });
      let bytes = 0;
      await answer.read(({ byteLength }) => {
        bytes += byteLength;
        return bytes <= maxEntryBytes;
      });
      answer.discard();
    } catch {
      // The chunk is confirmed instead.
    } finally {
      watch.stop();
    }
  }

  #trust(url: URL, entry: CacheEntry): HttpResponse {
    const { status, headers, at } = entry;
    this.#trusted.set(withoutHash(url), { status, headers, at });
    this.#writer!.touch(entry.id);
    return storedResponse(entry);
  }

  /**
   * Fails if a response shows that bytes in use are not of the server's version. Reads that follow get one version.
   * @throws Network ("outdated").
   */
  #refuseContradiction(url: URL, answer: HttpResponse, documents: ReadonlyMap<string, KnownDocument>): void {
    const { status } = answer;
    if (status !== 206 && status !== 304 && !wholeStatus.has(status) && !missingStatus.has(status)) return;
    const trusted = this.#trusted.get(withoutHash(url));
    const isReplaced =
      trusted !== undefined && status !== 304 && isFresh(trusted) && areVersionsDifferent(trusted, headOf(answer));
    const isUnconfirmed = [...documents.values()].some(({ confirmedAt }) => confirmedAt === undefined);
    if (!isReplaced && !isUnconfirmed) return;
    if (isReplaced) {
      this.#isDistrustful = true;
      this.#trusted.clear();
    }
    answer.discard();
    throw networkError(
      isReplaced
        ? `${url.href} has changed although its stored version is still fresh; read again`
        : `${url.href} is described by metadata that were read offline; open the node again`,
      { code: "outdated" },
    );
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
    try {
      const answer = await send(url, { ...request, headers });
      if (answer.status !== 304 || confirms(answer, entry)) return answer;
      answer.discard();
    } catch (cause) {
      // A refused preflight looks like a broken connection.
      if (!isForeign || request.watch.signal.aborted) throw cause;
      const answer = await send(url, plain);
      this.#unconditional.add(url.origin);
      return answer;
    }
    return send(url, plain);
  }

  /** Returns the stored response that a response with status 304 confirms. */
  #confirm(
    url: URL,
    { headers }: TransportRequest,
    entry: CacheEntry,
    answer: HttpResponse,
    documents: DocumentVersions,
  ): HttpResponse {
    answer.discard();
    const news = confirmed(entry, answer, documents);
    if (!isPublic(answer)) this.#writer!.remove(entry.id);
    // Without a lifetime it is confirmed by a request the next time, too: not worth a write.
    else if (hasLifetime(news) || isContradicted(entry, documents)) this.#writer!.write(news);
    else this.#writer!.touch(entry.id);
    this.#note(url, headers, news, true);
    return storedResponse(news);
  }

  /**
   * Returns a response that is stored while it is read.
   * @param before the entry that it replaces.
   */
  #record(
    id: string,
    url: URL,
    { headers }: TransportRequest,
    answer: HttpResponse,
    documents: DocumentVersions,
    before: CacheEntry | undefined,
  ): HttpResponse {
    const isMissing = missingStatus.has(answer.status);
    if (!isMissing && answer.status !== 206 && !wholeStatus.has(answer.status)) return answer;
    const isKept = isStorable(answer);
    if (!isKept && before) this.#writer!.remove(id);
    const onBody = (body: Uint8Array<ArrayBuffer>) => {
      this.#writer?.noteRead(); // the next request may follow at once
      const entry = { ...headOf(answer), id, isCors: answer.isCors, documents, body };
      this.#note(url, headers, entry, true);
      if (isKept) this.#writer?.write(entry);
    };
    if (isMissing) onBody(new Uint8Array(0));
    // The versions of documents matter even if they may not be stored.
    const isWanted = isDocument(url) || (isKept && this.#writer?.hasRoom(announcedBytes(answer) ?? 0));
    return isMissing || !isWanted ? answer : recorded(answer, onBody);
  }

  /** Notes the version of a document that was read. */
  #note(url: URL, headers: Headers, entry: CacheEntry, isConfirmed: boolean): void {
    const confirmedAt = isConfirmed ? performance.now() : undefined;
    const found = { url, headers, version: versionOf(entry), confirmedAt };
    this.#documents.note(entry.id, url, missingStatus.has(entry.status) ? undefined : found);
  }
}

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
