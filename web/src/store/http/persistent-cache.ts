/**
 * Keeps responses over HTTP for later visits. Stored bytes are used in two cases only:
 *
 * - The entry is fresh, and the server has sent or confirmed all metadata documents in the folders above it to this
 *   program, in the versions with which it was stored.
 * - The server has answered a conditional request with 304. In pages, the browser's own cache does that for documents.
 */
import { checkConstructor } from "../../util/arguments.js";
import { untilAborted } from "../../util/async.js";
import { describeValue, invalidArgument, networkError } from "../../util/errors.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import type { CacheEntry, DocumentVersions } from "./cache-entries.js";
import * as entries from "./cache-entries.js";
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
/** Maximum number of folders whose documents are remembered. */
const maxFolders = 20_000;

const withoutHash = ({ href }: URL): string => href.split("#")[0]!;

/** Documents that describe the objects in their folder and below. */
const document = /(?:^|\/)(?:\.z(?:array|group|attrs|metadata)|meta|attrs|repo|[^/]*\.json)$/;
const isDocument = ({ pathname }: URL): boolean => document.test(pathname);

/** Whether an object is never used without the server's confirmation: a document, or a file with an own directory. */
const isConfirmedAlways = ({ pathname }: URL): boolean =>
  document.test(pathname) || /\.(?:zip|ozx|parq|parquet)$/i.test(pathname);

/** A cache that outlives the program, for the option `persistentCache` of stores over HTTP. See docs/caching.md. */
export class PersistentCache {
  readonly name: string;
  readonly maxBytes: number;
  /** False sends all requests to their servers and stores nothing, until it is true again. Default: true. */
  enabled = true;
  /** True sends no requests: objects that are not stored throw Network ("offline"). Open nodes again after a change. */
  offline: boolean;
  readonly #writer: entries.EntryWriter | undefined;
  readonly #documents = new Documents();
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
    const storage = entries.openStorage(name, folder);
    this.#writer = storage && new entries.EntryWriter(storage, maxBytes, () => this.enabled);
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
    if (isInPage()) this.#writer.noteRequest();
    const id = entries.requestId(url, request);
    const found = this.#forgotten.has(withoutHash(url)) ? undefined : this.#writer.read(id);
    const stored = untilAborted(Promise.resolve(found), request.watch.signal);
    // The browser's own cache confirms documents as well, and does not wait for a lookup in the storage.
    if (isInPage() && isDocument(url) && !isOffline)
      return this.#ask({ request, send, url, id, entry: undefined, stored });
    const entry = await stored;
    if (isOffline) {
      if (!entry || !entries.mayBeOffline(entry) || this.#isContradicted(url, entry))
        return refuseOffline(url);
      this.#note(url, entry, true);
      return entries.storedResponse(entry);
    }
    if (!entry || !this.#mayTrust(url, entry)) return this.#ask({ request, send, url, id, entry, stored });
    this.#trusted.set(withoutHash(url), entries.tagOf(entry));
    this.#writer.touch(id);
    return entries.storedResponse(entry);
  }

  /** Whether an entry may be used without a request. */
  #mayTrust(url: URL, entry: CacheEntry): boolean {
    const { versions, isConfirmed } = this.#documents.above(url, entry.id);
    if (!isConfirmed || this.#isDistrustful || this.#trusted.size >= maxTrusted || isConfirmedAlways(url))
      return false;
    const tag = entries.tagOf(entry);
    return (
      entries.isFresh(entry) &&
      isTied(entry, versions) &&
      (this.#trusted.get(withoutHash(url)) ?? tag) === tag
    );
  }

  /** Whether an entry was stored with another version of a document in use. */
  #isContradicted(url: URL, { id, documents: tied }: CacheEntry): boolean {
    const { versions } = this.#documents.above(url, id);
    return Object.entries(versions).some(
      ([key, version]) => tied[key] !== undefined && tied[key] !== version,
    );
  }

  #note(url: URL, entry: CacheEntry, isOffline: boolean): void {
    if (this.#documents.note(url, entry, isOffline)) this.#trusted.clear(); // it was opened again
  }

  /** Reads an object from its server, or its entry if the server confirms that. Stores the response. */
  async #ask(lookup: Lookup): Promise<HttpResponse> {
    const { url, id, entry } = lookup;
    const documents = this.#documents.above(url, id).versions;
    const [answer, stored] = await Promise.all([sendConditional(lookup), lookup.stored]);
    const before = answer.status === 304 ? entry : undefined;
    if (!before && !isAnswer(answer)) return answer;
    const { isCors } = answer;
    const head = before
      ? entries.confirmed(before, answer, documents)
      : { ...entries.headOf(answer), id, isCors, documents };
    const used = this.#trusted.get(withoutHash(url));
    if (used !== undefined && used !== entries.tagOf(head) && !isConfirmedAlways(url)) {
      this.#isDistrustful = true;
      this.#trusted.clear();
      answer.discard();
      const message = `${url.href} has changed since it was stored; read again`;
      throw networkError(message, { code: "outdated" });
    }
    const writer = this.#writer!;
    const isKept = before ? entries.isPublic(answer) : entries.isStorable(answer);
    if (!isKept && stored) writer.remove(id);
    const onBody = (body: CacheEntry["body"]): CacheEntry => {
      const found = { ...head, body };
      this.#note(url, found, false);
      // Without a lifetime, the next use is confirmed, too.
      const isSame = stored && (before || isEqual(stored, found)) && isTied(stored, documents);
      if (isKept && isSame && entries.lifetimeOf(head) === 0) writer.touch(id);
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

interface KnownDocument {
  readonly version: string;
  /** Whether the program has it from the cache alone. */
  readonly isOffline: boolean;
}

/** The metadata documents that the program has read. */
class Documents {
  /** By folder, then by the id of the request. */
  readonly #folders = new Map<string, Map<string, KnownDocument>>();

  /** Notes the version of a document, which may be missing now. Returns whether it is another one. */
  note(url: URL, entry: CacheEntry, isOffline: boolean): boolean {
    if (!isDocument(url)) return false;
    // Objects below no known document are always confirmed.
    if (this.#folders.size > maxFolders) this.#folders.clear();
    const folder = folderOf(url);
    const known = this.#folders.get(folder) ?? new Map<string, KnownDocument>();
    this.#folders.set(folder, known);
    const { id, status } = entry;
    const [before, version] = [known.get(id), entries.versionOf(entry)];
    const isMissing = missingStatus.has(status);
    if (isMissing) known.delete(id);
    else if (before?.version !== version || !isOffline) known.set(id, { version, isOffline });
    return before !== undefined && (isMissing || before.version !== version);
  }

  /** Returns the versions of the documents in the folders above an object, except itself. */
  above(url: URL, except: string): { versions: DocumentVersions; isConfirmed: boolean } {
    const versions: Record<string, string> = {};
    let [isConfirmed, count] = [true, 0];
    for (let folder = folderOf(url); folder.length > url.origin.length; folder = parentOf(folder))
      for (const [id, { version, isOffline }] of this.#folders.get(folder) ?? []) {
        if (id === except) continue;
        versions[id] = version;
        isConfirmed &&= !isOffline;
        count++;
      }
    return { versions, isConfirmed: isConfirmed && count > 0 };
  }
}

/** Returns the folder of an object, with a trailing "/". */
const folderOf = ({ origin, pathname }: URL): string =>
  origin + pathname.slice(0, pathname.lastIndexOf("/") + 1);
const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);

/** Whether an entry was stored with exactly these documents. */
function isTied({ documents: tied }: CacheEntry, versions: DocumentVersions): boolean {
  const ids = Object.keys(versions);
  return ids.length === Object.keys(tied).length && ids.every((id) => tied[id] === versions[id]);
}

/** Whether two responses to a request are the same. */
const isEqual = (a: CacheEntry, b: CacheEntry): boolean =>
  a.status === b.status && entries.versionOf(a) === entries.versionOf(b);

const isInPage = (): boolean => (globalThis as { origin?: string }).origin !== undefined;

/** A request and its stored response. */
interface Lookup {
  readonly request: TransportRequest;
  readonly send: Transport;
  readonly url: URL;
  readonly id: string;
  /** The stored response to confirm. Undefined if the browser's own cache confirms its response. */
  readonly entry: CacheEntry | undefined;
  /** The stored response, which may be looked up while the request is sent. */
  readonly stored: Promise<CacheEntry | undefined>;
}

/** Sends a request, with a condition if an entry can be confirmed. Another origin would need a preflight for that. */
async function sendConditional({ request, send, url, entry }: Lookup): Promise<HttpResponse> {
  const { origin } = globalThis as { origin?: string };
  // Else the browser's own cache answers for the server. Other runtimes may reject this option of `fetch`.
  const isRenewed = isInPage() && (isDocument(url) || entry !== undefined);
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

/** Whether a response tells the state of an object, rather than a failure. */
const isAnswer = ({ status }: HttpResponse): boolean =>
  status === 206 || wholeStatus.has(status) || missingStatus.has(status);

function refuseOffline({ href }: URL): never {
  throw networkError(`${href} is not stored, and the cache is offline`, { code: "offline" });
}

/** Whether the browser is offline. It still reaches servers on the same machine. */
function isBrowserOffline({ hostname }: URL): boolean {
  const { navigator } = globalThis as { navigator?: { onLine?: boolean } };
  return navigator?.onLine === false && !/(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname);
}
