/**
 * Keeps responses over HTTP for later visits: in the Cache API of browsers, in files elsewhere. Stored bytes are used in
 * two cases only:
 *
 * - The entry is fresh, and all metadata documents in the folders above it have just been confirmed, in the versions with
 *   which it was stored.
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
  isRecent,
  isTied,
} from "./cache-documents.js";
import {
  type CacheEntry,
  confirmed,
  confirms,
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
    const { signal } = request.watch;
    const id = requestId(url, request);
    const entry = await this.#find(id, url, signal);
    if (isOffline) return this.#answerOffline(id, url, request, entry);
    if (entry && (await this.#mayTrust(send, url, entry, signal))) {
      this.#trusted.set(
        withoutHash(url),
        tagOf((name) => entry.headers[name]),
      );
      this.#writer!.touch(id);
      return storedResponse(entry);
    }
    const documents = this.#documents.versionsAbove(url, id);
    const answer = await this.#ask(send, url, request, entry);
    this.#refuseContradiction(id, url, answer);
    const isConfirmed = entry !== undefined && answer.status === 304;
    return isConfirmed
      ? this.#confirm(url, request, confirmed(entry, answer, documents), answer, entry)
      : this.#record(
          url,
          request,
          answer,
          { ...headOf(answer), id, isCors: answer.isCors, documents },
          entry,
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
  #answerOffline(
    id: string,
    url: URL,
    request: TransportRequest,
    entry: CacheEntry | undefined,
  ): HttpResponse {
    const documents = this.#documents.versionsAbove(url, id);
    if (!entry || !mayBeOffline(entry) || isContradicted(entry, documents)) return refuseOffline(url);
    this.#note(url, request, entry, undefined);
    return storedResponse(entry);
  }

  /** Whether an entry may be used without a request for it. Confirms the documents above it if they are not current. */
  async #mayTrust(send: Transport, url: URL, entry: CacheEntry, signal: AbortSignal): Promise<boolean> {
    const isSame = () => !this.#isDistrustful && isTied(entry, this.#documents.versionsAbove(url, entry.id));
    if (isConfirmedAlways(url) || !isFresh(entry) || !isSame()) return false;
    const late = this.#documents.above(url, entry.id).filter(([, known]) => !isRecent(known));
    for (const [id, { url: at, headers }] of late) {
      const confirm = (shared: AbortSignal) => this.#confirmDocument(send, at, headers, shared);
      await this.#confirmations.run(id, signal, confirm);
    }
    return isSame() && this.#documents.above(url, entry.id).every(([, known]) => isRecent(known));
  }

  /** Requests a document again, which notes its version. After a failure it stays unconfirmed. */
  async #confirmDocument(send: Transport, url: URL, headers: Headers, signal: AbortSignal): Promise<void> {
    const watch = new IdleTimeout(signal, confirmationTimeout);
    try {
      const answer = await this.respond(send, url, { method: "GET", headers, watch });
      await answer.read(() => true);
    } catch {
      // The chunk is confirmed instead.
    } finally {
      watch.stop();
    }
  }

  /**
   * Fails if a response shows that bytes in use are not of the server's version. Reads that follow get one version.
   * @throws Network ("outdated").
   */
  #refuseContradiction(id: string, url: URL, answer: HttpResponse): void {
    const { status, headers } = answer;
    const isAnswer = status === 206 || status === 304 || wholeStatus.has(status) || missingStatus.has(status);
    if (!isAnswer || isConfirmedAlways(url)) return;
    const used = this.#trusted.get(withoutHash(url));
    const isReplaced = used !== undefined && status !== 304 && used !== tagOf((name) => headers.get(name));
    const isUnconfirmed = this.#documents
      .above(url, id)
      .some(([, { confirmedAt }]) => confirmedAt === undefined);
    if (!isReplaced && !isUnconfirmed) return;
    if (isReplaced) {
      this.#isDistrustful = true;
      this.#trusted.clear();
    }
    answer.discard();
    const reason = isReplaced
      ? "has changed since it was stored; read again"
      : "is described by metadata that were read offline; open the node again";
    throw networkError(`${url.href} ${reason}`, { code: "outdated" });
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
    url: URL,
    request: TransportRequest,
    entry: CacheEntry,
    answer: HttpResponse,
    before: CacheEntry,
  ): HttpResponse {
    answer.discard();
    if (!isPublic(answer)) this.#writer!.remove(entry.id);
    else if (isWorthWriting(entry) || isContradicted(before, entry.documents)) this.#writer!.write(entry);
    else this.#writer!.touch(entry.id);
    this.#note(url, request, entry, performance.now());
    return storedResponse(entry);
  }

  /** Returns a response that is stored while it is read. @param before the entry that it replaces. */
  #record(
    url: URL,
    request: TransportRequest,
    answer: HttpResponse,
    head: Omit<CacheEntry, "body">,
    before: CacheEntry | undefined,
  ): HttpResponse {
    const isMissing = missingStatus.has(answer.status);
    if (!isMissing && answer.status !== 206 && !wholeStatus.has(answer.status)) return answer;
    const isKept = isStorable(answer);
    if (!isKept && before) this.#writer!.remove(head.id);
    const onBody = (body: Uint8Array<ArrayBuffer>) => {
      this.#writer?.noteRead(); // the next request may follow at once
      this.#note(url, request, { ...head, body }, performance.now());
      if (isKept) this.#writer?.write({ ...head, body });
    };
    if (isMissing) onBody(new Uint8Array(0));
    // The versions of documents matter even if they may not be stored.
    const isWanted = isDocument(url) || (isKept && this.#writer?.hasRoom(announcedBytes(answer) ?? 0));
    return isMissing || !isWanted ? answer : recorded(answer, onBody);
  }

  /** Notes the version of a document that was read. */
  #note(url: URL, { headers }: TransportRequest, entry: CacheEntry, confirmedAt: number | undefined): void {
    if (!isDocument(url)) return;
    const found = { url, headers, version: versionOf(entry), confirmedAt };
    this.#documents.note(entry.id, url, missingStatus.has(entry.status) ? undefined : found);
  }
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
