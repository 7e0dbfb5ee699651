/** Stores over HTTP(S) that can be written: S3, and other servers that accept PUT and DELETE. */
import { checkConstructor, type OptionNames, pickOptions } from "../../util/arguments.js";
import {
  invalidArgument,
  isZarrError,
  networkError,
  unsupported,
  type ZarrError,
} from "../../util/errors.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { isConflict } from "../concurrency.js";
import { deleteKeys, type EverythingStore, type StoredEntry } from "../deletion.js";
import { isSegment, normalizePath } from "../path.js";
import type { ObjectVersion, Store, StoreSetOptions, StoreWriteOptions } from "../store.js";
import { writerLockName } from "../temp-names.js";
import { supportsConditions } from "../write.js";
import { foreignRequests, isOpaqueRedirect } from "./fetch.js";
import { Requests } from "./requests.js";
import { hiddenRedirect, isOpen } from "./response.js";
import { HttpStore, type HttpStoreOptions, httpOptions, requestOptions } from "./store.js";
import { HttpWriter } from "./write.js";

export interface WritableHttpStoreOptions extends Omit<HttpStoreOptions, "persistentCache"> {
  /**
   * Signs a request: called before every attempt of reads and writes, returns the request to send. Requests with a body
   * have a Content-Type. Redirects on the same origin are signed again; requests to other origins are not signed.
   */
  sign?: ((request: Request) => Request | Promise<Request>) | undefined;
  /**
   * URL of the bucket of a store on S3 or compatible servers: `https://host/bucket` or `https://bucket.host/`. Enables
   * `list`, `listChildren` and `deletePrefix`.
   */
  bucket?: string | URL | undefined;
  /** Whether the server supports If-Match and If-None-Match with PUT, as S3 does. Default: true. */
  conditional?: boolean | undefined;
}

const writableOptions: OptionNames<WritableHttpStoreOptions> = {
  ...httpOptions,
  sign: true,
  bucket: true,
  conditional: true,
};

/**
 * An {@link HttpStore} that writes objects by PUT and removes them by DELETE. Writes are as atomic as the server makes
 * them. Retries transient failures (429, 503, broken connections, …). Reads after a write see the written object.
 */
export class WritableHttpStore extends HttpStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "WritableHttpStore";
  }

  readonly conditional: boolean;
  /** The response of a write may be lost. */
  readonly ambiguous = true;
  declare readonly list?: NonNullable<Store["list"]>;
  declare readonly listChildren?: NonNullable<Store["listChildren"]>;
  declare readonly deletePrefix?: NonNullable<Store["deletePrefix"]>;
  /** @internal */
  declare readonly everythingBelow?: EverythingStore["everythingBelow"];
  readonly #writer: HttpWriter;

  /** @throws InvalidArgument for options out of range, and for a bucket that does not contain the store. */
  constructor(url: string | URL, options: WritableHttpStoreOptions = {}) {
    checkConstructor(options, "store", writableOptions);
    const fetch = signingFetch(options);
    // Reads must see the last write.
    super(url, { ...pickOptions<HttpStoreOptions>(options, httpOptions), fetch, persistentCache: undefined });
    this.conditional = options.conditional ?? true;
    const writing = { ...options, fetch, persistentCache: undefined, missing: undefined };
    this.#writer = new HttpWriter(
      new Requests(requestOptions(writing, () => options.headers)),
      this.conditional,
    );
    if (options.bucket !== undefined) Object.assign(this, this.#listing(new URL(options.bucket)));
  }

  /**
   * Writes an object.
   * @throws AlreadyExists, Conflict for an `ifVersion` that does not hold; Unsupported ("no-conditions") for one that
   *   the server does not support, and for a server that never matches its own ETags; ReadOnly for a server that
   *   does not accept PUT; Network ("unknown-outcome") for a write with `ifVersion` that may have been applied although it
   *   failed; Network for every other failure, with the status.
   */
  async set(key: string, value: Uint8Array, options: StoreSetOptions = {}): Promise<void> {
    const { signal, ifVersion } = options;
    signal?.throwIfAborted();
    const url = this.#objectUrl(key);
    if (ifVersion !== undefined && !supportsConditions(this, ifVersion)) {
      throw unsupported(`${url.href} cannot be written conditionally: its version is unknown`, {
        code: "no-conditions",
      });
    }
    // Also after a failure: the object may have been written, and a conflict means that cached bytes are outdated.
    const put = () => this.#writer.put(url, value, options).finally(() => this.invalidate(key));
    await (ifVersion === undefined ? put() : this.#putIf(key, ifVersion, put, signal));
  }

  /**
   * Tells a conflict from a server that refuses every conditional PUT: one that accepts no PUT here, or never matches
   * its own ETags. If the condition still holds after a refusal, the request is sent once more.
   */
  async #putIf(key: string, ifVersion: Condition, put: () => Promise<void>, signal: AbortSignal | undefined) {
    for (let refusals = 1; ; refusals++) {
      try {
        return await put();
      } catch (error) {
        if (!isConflict(error) || !(await this.#holds(key, ifVersion, signal))) throw error;
        if (refusals < 2) continue;
        const { cause } = error;
        const isComparison = ifVersion !== "absent" && isZarrError(cause) && cause.status === 412;
        throw isComparison ? unusableEtag(this.locate(key), error) : cause;
      }
    }
  }

  /** Whether the condition of a write holds now; false if that is unknown. */
  async #holds(key: string, ifVersion: Condition, signal: AbortSignal | undefined): Promise<boolean> {
    const now: ObjectVersion = {};
    try {
      const bytes = await this.get(key, { signal, version: now });
      return ifVersion === "absent" ? !bytes : now.etag === ifVersion.etag;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  async delete(key: string, options: StoreWriteOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    this.#objectUrl(key);
    await this.#delete(key, options);
  }

  async #delete(key: string, options: StoreWriteOptions): Promise<void> {
    await this.#writer.delete(new URL(this.locate(key)), options).finally(() => this.invalidate(key));
  }

  #listing(bucket: URL) {
    const inside = `${this.url.pathname.replace(/\/$/, "")}/`;
    if (bucket.origin !== this.url.origin || !inside.startsWith(bucket.pathname.replace(/\/*$/, "/"))) {
      throw invalidArgument(`${this.url.href} is not in the bucket ${bucket.href}`);
    }
    const lister = new BucketLister(this.#writer, bucket, this.url);
    return {
      list: (path: string) => lister.keys(path),
      listChildren: (path: string) => lister.folders(path),
      everythingBelow: (path: string, signal?: AbortSignal) => lister.everything(path, signal),
      deletePrefix: async (path: string, options: StoreWriteOptions = {}) => {
        const { signal } = options;
        const folder = normalizePath(path);
        const lock = `/${writerLockName()}`; // of the process that deletes
        const remove = async (key: string) => {
          if (key !== lock) await this.#delete(key, options);
        };
        await deleteKeys(folder, lister.all(folder, signal), remove, signal);
      },
    };
  }

  #objectUrl(key: string): URL {
    if (normalizePath(key) === "") {
      throw invalidArgument(`${JSON.stringify(key)} is not the key of an object`, { code: "bad-path" });
    }
    return new URL(this.locate(key));
  }
}

function unusableEtag(place: string, cause: ZarrError): ZarrError {
  return unsupported(
    `${place} refuses If-Match although its ETag has not changed: ETags of this server cannot be used for conditional writes (they are weak, or a proxy alters them); pass conditional: false if there is one writer only`,
    { code: "no-conditions", cause },
  );
}

type Condition = NonNullable<StoreSetOptions["ifVersion"]>;
type Fetch = (request: Request) => Promise<Response>;

/**
 * Signs requests to the store's own origin. Has browsers ask the server for every object: their cached copies may be
 * older than the last write.
 */
function signingFetch({ fetch: own, sign }: WritableHttpStoreOptions): Fetch | undefined {
  const isBrowser = "WorkerGlobalScope" in globalThis || "document" in globalThis;
  if (!sign && !isBrowser) return own;
  return async (request) => {
    const isCached = isBrowser && request.method === "GET";
    const signed = sign && !foreignRequests.has(request) ? await sign(request) : request;
    // Signers return new requests, which lack the signal and follow redirects with the signature.
    const isReplayable = signed === request || isOpen(signed.method, signed.headers);
    const sent = new Request(signed, {
      signal: request.signal,
      redirect: isReplayable ? request.redirect : "manual",
      ...(isCached ? { cache: "no-cache" } : {}),
    });
    const response = await (own ? own(sent) : fetch(sent));
    if (!isReplayable && isOpaqueRedirect(response)) throw hiddenRedirect(new URL(sent.url), sent.method);
    return response;
  };
}

/** A page of at most a thousand keys of at most a kilobyte, percent-encoded. */
const maxPageBytes = 16 * 2 ** 20;

/** Maximum number of consecutive pages without a key below the prefix. Servers send some while they skip deleted keys. */
const maxFruitlessPages = 1000;
/** Maximum length of a key in a page: 1024 bytes, each percent-encoded and with XML entities. */
const maxKeyLength = 2 ** 14;

interface Page {
  keys: string[];
  /** Common prefixes, up to the delimiter and with it. */
  prefixes: string[];
  next: string | undefined;
}

/** Lists keys below a prefix of a bucket. Spec: Amazon S3 API, ListObjectsV2. */
class BucketLister {
  readonly #bucket: URL;
  /** Prefix of the store's keys in the bucket, with a trailing "/"; "" for the whole bucket. */
  readonly #root: string;

  /**
   * @param bucket the bucket's URL; its query, of which `base` has its own, is not used.
   * @param base the store's URL, below the bucket's.
   */
  constructor(
    private readonly writer: HttpWriter,
    bucket: URL,
    private readonly base: URL,
  ) {
    this.#bucket = new URL(bucket);
    if (!this.#bucket.pathname.endsWith("/")) this.#bucket.pathname += "/";
    const below = `${base.pathname.replace(/\/$/, "")}/`.slice(this.#bucket.pathname.length);
    this.#root = decodeURIComponent(below);
  }

  /** Keys of the store below a path, each with its leading "/". */
  async *keys(path: string, signal?: AbortSignal): AsyncGenerator<string> {
    for await (const key of this.all(path, signal)) if (isKey(key)) yield key;
  }

  /** Lists all keys, including empty objects with a trailing "/" that stand for folders. */
  async *all(path: string, signal?: AbortSignal): AsyncGenerator<string> {
    const prefix = this.#prefix(path); // some servers list other keys as well
    for await (const page of this.#pages(path, "", signal)) {
      for (const key of page.keys) if (key.startsWith(prefix)) yield `/${key.slice(this.#root.length)}`;
    }
  }

  /** The keys below a path as deletions need them; invalid keys are marked, objects that stand for folders omitted. */
  async *everything(path: string, signal?: AbortSignal): AsyncGenerator<StoredEntry[]> {
    for await (const key of this.all(path, signal))
      if (!key.endsWith("/")) yield [{ key, kind: isKey(key) ? "object" : "other" }];
  }

  /** Names of the folders directly below a path. */
  async folders(path: string): Promise<string[]> {
    const names = new Set<string>();
    const below = this.#prefix(path);
    for await (const { prefixes } of this.#pages(path, "/", undefined)) {
      for (const prefix of prefixes) if (prefix.startsWith(below)) names.add(prefix.slice(below.length, -1));
    }
    return [...names].filter(isSegment).sort();
  }

  #prefix(path: string): string {
    const folder = normalizePath(path);
    return this.#root + (folder === "" ? "" : `${folder}/`);
  }

  async *#pages(path: string, delimiter: string, signal: AbortSignal | undefined): AsyncGenerator<Page> {
    const prefix = this.#prefix(path);
    const progress = new Progress(prefix);
    let next: string | undefined;
    do {
      const url = new URL(this.#bucket);
      url.search = this.base.search;
      const query = { "list-type": "2", "encoding-type": "url", prefix, delimiter };
      for (const [name, value] of Object.entries(query)) if (value !== "") url.searchParams.set(name, value);
      if (next !== undefined) url.searchParams.set("continuation-token", next);
      const text = await this.writer.text(url, maxPageBytes, signal);
      const page = await inSlices(pageSteps(text, url), signal);
      const stall = progress.checkPage(page);
      if (stall !== undefined) throw badList(url, stall);
      next = page.next;
      yield page;
    } while (next !== undefined);
  }
}

/**
 * Detects listings that never end, in constant memory. Keys may come in any order, as S3 lists directory buckets.
 * Algorithm: Brent's cycle detection.
 */
class Progress {
  #pages = 0;
  #fruitless = 0;
  #token: string | undefined;
  /** An earlier page, replaced at doubling distances so that a cycle of any length meets one. */
  #anchor: { readonly token: string | undefined; readonly names: string } | undefined;

  constructor(private readonly prefix: string) {}

  /** Returns the reason if a page shows that the listing makes no progress. */
  checkPage({ keys, prefixes, next }: Page): string | undefined {
    if (next === undefined) return undefined;
    if (next === this.#token || next === this.#anchor?.token) return "it comes back to the same page";
    this.#token = next;
    const found = [...keys, ...prefixes].filter((name) => name.startsWith(this.prefix));
    if (found.length === 0) {
      if (++this.#fruitless < maxFruitlessPages) return undefined;
      return `${maxFruitlessPages} consecutive pages have no key below ${JSON.stringify(this.prefix)}`;
    }
    this.#fruitless = 0;
    const names = `${found.length} ${found[0]} ${found.at(-1)}`;
    if (names === this.#anchor?.names) return "it lists the same keys again";
    const pages = ++this.#pages;
    if ((pages & (pages - 1)) === 0) this.#anchor = { token: next, names };
    return undefined;
  }
}

/**
 * Parses a response of ListObjectsV2.
 * @throws Network ("bad-answer") for anything else.
 */
export function* pageSteps(text: string, url: URL): Steps<Page> {
  if (!/<ListBucketResult[\s>]/.test(text)) throw badList(url, "it sent something else");
  const isEncoded = /<EncodingType>\s*url\s*<\/EncodingType>/.test(text);
  const decode = (raw: string) => {
    const name = unescapeXml(raw);
    try {
      return isEncoded ? decodeURIComponent(name.replaceAll("+", " ")) : name;
    } catch {
      throw badList(url, `it sent the key ${JSON.stringify(name)}`);
    }
  };
  function* all(element: RegExp): Steps<string[]> {
    const found: string[] = [];
    for (const [, raw] of text.matchAll(element)) {
      if (raw!.length > maxKeyLength) throw badList(url, `it sent a key of ${raw!.length} characters`);
      found.push(decode(raw!));
      yield;
    }
    return found;
  }
  const isTruncated = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(text);
  const token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
  if (isTruncated && !token) throw badList(url, "it is truncated without a continuation token");
  return {
    keys: yield* all(/<Key>([^<]*)<\/Key>/g),
    prefixes: yield* all(/<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g),
    next: isTruncated ? unescapeXml(token!) : undefined,
  };
}

function isKey(key: string): boolean {
  try {
    return `/${normalizePath(key)}` === key && key !== "/";
  } catch {
    return false;
  }
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function badList(url: URL, what: string): Error {
  return networkError(`${url.origin}${url.pathname} did not return a valid list of keys: ${what}`, {
    code: "bad-answer",
  });
}
