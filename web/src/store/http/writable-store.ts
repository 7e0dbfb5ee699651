/** Stores over HTTP(S) that can be written: S3, and other servers that accept PUT and DELETE. */
import { checkObject } from "../../util/arguments.js";
import { invalidArgument, isZarrError, unsupported, type ZarrError } from "../../util/errors.js";
import { deleteKeys, type EverythingStore } from "../deletion.js";
import { normalizePath } from "../path.js";
import type { ObjectVersion, Store, StoreSetOptions, StoreWriteOptions } from "../store.js";
import { writerLockName } from "../temp-names.js";
import { supportsConditions } from "../write.js";
import { BucketLister } from "./bucket.js";
import { foreignRequests, isOpaqueRedirect } from "./fetch.js";
import { hiddenRedirect, isOpen } from "./redirects.js";
import { HttpStore, type HttpStoreOptions, requestOptions } from "./store.js";
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
    checkObject(options, "options of a store");
    const fetch = signingFetch(options);
    // Reads must see the last write.
    super(url, { ...options, fetch, persistentCache: undefined });
    this.conditional = options.conditional ?? true;
    const requests = requestOptions({ ...options, fetch }, () => options.headers);
    this.#writer = new HttpWriter({ ...requests, headers: options.headers, conditional: this.conditional });
    if (options.bucket !== undefined) Object.assign(this, this.#listing(new URL(options.bucket)));
  }

  /**
   * Writes an object.
   * @throws AlreadyExists, Conflict for an `ifVersion` that does not hold; Unsupported ("no-conditions") for one that
   *   the server does not support, ("unusable-etag") for a server that refuses its own ETags; ReadOnly for a server that
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
    await (typeof ifVersion === "object" ? this.#putIfMatch(key, put, ifVersion, signal) : put());
  }

  /**
   * Tells a conflict from a server that never matches its own ETags, such as weak ones. If the object still has the
   * expected ETag after a refusal, the write is due: it is sent once more.
   */
  async #putIfMatch(key: string, put: () => Promise<void>, { etag }: ObjectVersion, signal?: AbortSignal) {
    for (let refusals = 1; ; refusals++) {
      try {
        return await put();
      } catch (error) {
        if (!isZarrError(error, "Conflict")) throw error;
        const now: ObjectVersion = {};
        await this.get(key, { signal, version: now }).catch(() => {});
        if (now.etag !== etag) throw error;
        if (refusals === 2) throw unusableEtag(this.locate(key), error);
      }
    }
  }

  async delete(key: string, { signal }: StoreWriteOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#objectUrl(key);
    await this.#delete(key, signal);
  }

  async #delete(key: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#writer.delete(new URL(this.locate(key)), signal).finally(() => this.invalidate(key));
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
      deletePrefix: async (path: string, { signal }: StoreWriteOptions = {}) => {
        const folder = normalizePath(path);
        const lock = `/${writerLockName()}`; // of the process that deletes
        const remove = async (key: string) => {
          if (key !== lock) await this.#delete(key, signal);
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
    { code: "unusable-etag", cause },
  );
}

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
