/**
 * Keeps responses over HTTP for later visits. Stored bytes are used in two cases only:
 *
 * - The entry is fresh, and this program has confirmed all metadata documents in the folders above it, in the versions
 *   with which it was stored. Later responses below them are used once the documents are confirmed again.
 * - The server has answered a conditional request with 304.
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
import type { CacheEntry, DocumentVersions } from "./cache-entry.js";
import * as entries from "./cache-entry.js";
import { EntryWriter, openStorage } from "./cache-storage.js";
import { announcedBytes, missingStatus, wholeStatus } from "./response.js";

export interface PersistentCacheOptions {
  /** Caches with the same name share their entries: in one origin of a browser, for one user elsewhere. Default: "default". */
  name?: string | undefined;
  /** Maximum size in bytes. The responses that were not used for the longest time are evicted. Default: 512 MiB. */
  maxBytes?: number | undefined;
  /** Folder of the files in Node, Deno and Bun. Default: `zarr-wasm/NAME` in `XDG_CACHE_HOME`, or in `~/.cache`. */
  folder?: string | undefined;
  /** Sends no requests: stored responses are used whatever their age. Default: false. */
  offline?: boolean | undefined;
}

const defaultMaxBytes = 512 * 2 ** 20;
/** Maximum number of objects in use without a request; further ones are confirmed. */
const maxTrusted = 100_000;
/** Timeout of confirmations of documents, in milliseconds. */
const confirmationTimeout = 60_000;

const withoutHash = ({ href }: URL): string => href.split("#")[0]!;

/** A cache that outlives the program, for the option `persistentCache` of stores over HTTP. See docs/caching.md. */
export class PersistentCache {
  readonly name: string;
  readonly maxBytes: number;
  /** False sends all requests to their servers and stores nothing, until it is true again. Default: true. */
  enabled = true;
  /** True sends no requests: objects that are not stored throw Network ("offline"). Open nodes again after a change. */
  offline: boolean;
  readonly #writer: EntryWriter | undefined;
  readonly #documents = new Documents();
  readonly #confirmations = new SingleFlight<void>();
  /** Tags of entries that were used without a request, by URL. */
  readonly #trusted = new Map<string, string>();
  /** Whether such an entry has turned out to be outdated: from then on, all are confirmed. */
  #isDistrustful = false;
  /** URLs of objects whose entries are not used any more. */
  readonly #forgotten = new Set<string>();
  /** @throws InvalidArgument for options that are out of range. */
  constructor(options: PersistentCacheOptions = {}) {
    checkConstructor(options, "cache", { name: true, maxBytes: true, folder: true, offline: true });
    const { name = "default", maxBytes = defaultMaxBytes, folder, offline = false } = options;
    const check = (isValid: unknown, rule: string, value: unknown) => {
      if (!isValid) throw invalidArgument(`${rule}, not ${describeValue(value)}`);
    };
    const isName = typeof name === "string" && /^[a-z0-9][\w.-]{0,63}$/i.test(name);
    check(isName, 'name must be 1 to 64 letters, digits, ".", "_" or "-"', name);
    check(maxBytes >= 0, "maxBytes must be a number that is not negative", maxBytes);
    check(folder === undefined || (folder && typeof folder === "string"), "folder must be a path", folder);
    check(typeof offline === "boolean", "offline must be true or false", offline);
    this.name = name;
    this.maxBytes = maxBytes;
    this.offline = offline;
    const storage = openStorage(name, folder);
    this.#writer = storage && new EntryWriter(storage, maxBytes, () => this.enabled);
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

  /** @internal Answers a request from the cache, or by `send`. @throws errors of `send`; Network ("offline", "outdated"). */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    if (!this.enabled) return send(url, request);
    const isOffline = this.offline || isBrowserOffline(url);
    if (!this.#writer || !entries.isCacheable(url, request))
      return isOffline ? refuseOffline(url) : send(url, request);
    const { signal } = request.watch;
    const id = entries.requestId(url, request);
    const entry = await this.#find(id, url, signal);
    const asked = performance.now();
    const note = (found: CacheEntry, confirmedAt = asked) => {
      const { headers } = request;
      const known = { id, url, headers, version: entries.versionOf(found), confirmedAt, answeredAt: 0 };
      const isOther = this.#documents.note(known, missingStatus.has(found.status));
      if (isOther) this.#trusted.clear(); // it was opened again
    };
    if (isOffline) {
      const isOther = () => isContradicted(entry!, this.#documents.versionsAbove(url, id));
      if (!entry || !entries.mayBeOffline(entry) || isOther()) return refuseOffline(url);
      note(entry, -1);
      return entries.storedResponse(entry);
    }
    if (!entry || !(await this.#mayTrust(send, url, entry, signal)))
      return this.#ask({ request, send, url, id, entry, note });
    this.#trusted.set(withoutHash(url), entries.tagOf(entry));
    this.#writer.touch(id);
    return entries.storedResponse(entry);
  }

  /** Reads an entry; undefined if there is none, or it is damaged. */
  async #find(id: string, url: URL, signal: AbortSignal): Promise<CacheEntry | undefined> {
    if (this.#forgotten.has(withoutHash(url))) return undefined;
    return untilAborted(this.#writer!.read(id), signal);
  }

  /**
   * Whether an entry may be used without a request. Confirms documents that were confirmed before the entry was stored,
   * by another program, or before server responses below them that are in use.
   */
  async #mayTrust(send: Transport, url: URL, entry: CacheEntry, signal: AbortSignal): Promise<boolean> {
    const tag = entries.tagOf(entry);
    const isSame = () =>
      !this.#isDistrustful &&
      isTied(entry, this.#documents.versionsAbove(url, entry.id)) &&
      (this.#trusted.get(withoutHash(url)) ?? tag) === tag;
    const documents = this.#documents.above(url, entry.id);
    if (documents.length === 0 || this.#trusted.size >= maxTrusted || isConfirmedAlways(url)) return false;
    if (!entries.isFresh(entry) || !isSame()) return false;
    const stored = storedAt(entry);
    const since = ({ answeredAt }: KnownDocument) => Math.max(answeredAt, stored);
    try {
      for (const known of documents) await this.#confirmSince(send, known, since(known), signal);
    } catch {
      signal.throwIfAborted();
      return false;
    }
    // Other responses may have arrived meanwhile.
    if (!isSame() || documents.some((known) => known.isOutdated || known.confirmedAt < since(known)))
      return false;
    for (const known of documents) known.isTrusted = true;
    return true;
  }

  /** Whether an entry was stored with these documents, and they were confirmed since. */
  #wasTied(url: URL, entry: CacheEntry, documents: DocumentVersions): boolean {
    const stored = storedAt(entry);
    const above = this.#documents.above(url, entry.id);
    return isTied(entry, documents) && above.every(({ confirmedAt }) => confirmedAt >= stored);
  }

  /**
   * Waits until a response may be combined with bytes that were used without a request: until the documents above are
   * confirmed again, after the response.
   * @throws Network ("outdated") if they, or the object itself, are of another version.
   */
  async #settle({ send, url, request }: Lookup, head: Head): Promise<void> {
    const since = performance.now();
    const { signal } = request.watch;
    if ((this.#trusted.get(withoutHash(url)) ?? entries.tagOf(head)) !== entries.tagOf(head)) {
      this.#isDistrustful = true;
      this.#trusted.clear();
      throw outdated(`${url.href} has changed since it was stored; read again`);
    }
    for (const known of this.#documents.above(url, head.id)) {
      known.answeredAt = Math.max(since, known.answeredAt);
      if (known.isTrusted || known.confirmedAt < 0) await this.#confirmSince(send, known, since, signal);
      if (known.isOutdated)
        throw outdated(`${known.url.href} has changed since the node was opened; open it again`);
    }
  }

  /** Confirms a document unless that was done since a time. Concurrent callers share a request that began after it. */
  async #confirmSince(send: Transport, known: KnownDocument, since: number, signal: AbortSignal) {
    while (known.confirmedAt < since && !known.isOutdated)
      await this.#confirmations.run(known.id, signal, (shared) => this.#confirm(send, known, shared));
  }

  /** Asks the server for the version of a document. @throws if it does not tell. */
  async #confirm(send: Transport, known: KnownDocument, signal: AbortSignal): Promise<void> {
    const { id, url, headers } = known;
    const watch = new IdleTimeout(signal, confirmationTimeout);
    const request: TransportRequest = { method: "GET", headers, watch };
    const asked = performance.now();
    const note = (found: CacheEntry) => {
      if (entries.versionOf(found) === known.version) known.confirmedAt = asked;
      else known.isOutdated = true;
    };
    try {
      const entry = await this.#find(id, url, signal);
      const answer = await this.#ask({ request, send, url, id, entry, note });
      await answer.read(() => true);
      if (known.confirmedAt < asked && !known.isOutdated)
        throw new Error(`${url.href} could not be confirmed: status ${answer.status}`);
    } finally {
      watch.stop();
    }
  }

  /** Reads an object from its server, or its entry if the server confirms that. Stores the response. */
  async #ask(lookup: Lookup): Promise<HttpResponse> {
    const { url, id, entry, note } = lookup;
    const documents = this.#documents.versionsAbove(url, id);
    const answer = await sendConditional(lookup);
    const before = answer.status === 304 ? entry : undefined;
    if (!before && !isAnswer(answer)) return answer;
    const { isCors } = answer;
    const head = before
      ? entries.confirmed(before, answer, documents)
      : { ...entries.headOf(answer), id, isCors, documents };
    const isTiedAlready = before !== undefined && this.#wasTied(url, before, documents);
    try {
      if (!isConfirmedAlways(url) && !isTiedAlready) await this.#settle(lookup, head);
    } catch (error) {
      answer.discard();
      throw error;
    }
    const writer = this.#writer!;
    const isKept = before ? entries.isPublic(answer) : entries.isStorable(answer);
    if (!isKept && entry) writer.remove(id);
    const onBody = (body: CacheEntry["body"]): CacheEntry => {
      const found = { ...head, body };
      note(found);
      // Without a lifetime, the next use is confirmed, too.
      if (isKept && isTiedAlready && entries.lifetimeOf(head) === 0) writer.touch(id);
      else if (isKept) writer.write(found);
      return found;
    };
    if (before) {
      answer.discard();
      return entries.storedResponse(onBody(before.body));
    }
    const isMissing = missingStatus.has(answer.status);
    if (isMissing) onBody(new Uint8Array(0));
    // The versions of documents matter even if they may not be stored.
    const isWanted = isDocument(url) || (isKept && writer.hasRoom(announcedBytes(answer) ?? 0));
    return isMissing || !isWanted ? answer : entries.recorded(answer, onBody);
  }
}

/**
 * Returns when an entry was stored, as a result of `performance.now()`. Only documents confirmed since are known to be
 * those with which it was stored, because another program may have stored it.
 */
const storedAt = ({ at }: CacheEntry): number => performance.now() - (Date.now() - at);

/** A request. `note` is called with the entry that the server sends or confirms. */
interface Lookup {
  readonly request: TransportRequest;
  readonly send: Transport;
  readonly url: URL;
  readonly id: string;
  readonly entry: CacheEntry | undefined;
  readonly note: (found: CacheEntry) => void;
}

/** Sends a request, with a condition if an entry can be confirmed. Another origin would need a preflight for that. */
async function sendConditional({ request, send, url, entry }: Lookup): Promise<HttpResponse> {
  const { origin } = globalThis as { origin?: string };
  // Else the browser's own cache answers for the server. Other runtimes may reject this option of `fetch`.
  const isRenewed = origin !== undefined && (isDocument(url) || entry !== undefined);
  const plain: TransportRequest = isRenewed ? { ...request, cache: "no-cache" } : request;
  const condition = (origin ?? url.origin) === url.origin && entry && entries.revalidationHeader(entry);
  if (!condition) return send(url, plain);
  const headers = new Headers(request.headers);
  headers.set(...condition);
  const answer = await send(url, { ...request, headers });
  if (answer.status !== 304 || entries.confirms(answer, entry)) return answer;
  answer.discard();
  return send(url, plain);
}

type Head = Omit<CacheEntry, "body">;

/** Whether a response tells the state of an object, rather than a failure. */
const isAnswer = ({ status }: HttpResponse): boolean =>
  status === 206 || wholeStatus.has(status) || missingStatus.has(status);

const outdated = (message: string): Error => networkError(message, { code: "outdated" });

function refuseOffline({ href }: URL): never {
  throw networkError(`${href} is not stored, and the cache is offline`, { code: "offline" });
}

/** Whether the browser is offline. It still reaches servers on the same machine. */
function isBrowserOffline({ hostname }: URL): boolean {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean } };
  return navigator?.onLine === false && !/(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname);
}
