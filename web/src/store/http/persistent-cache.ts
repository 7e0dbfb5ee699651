/** Keeps responses over HTTP for later visits: in the Cache API of browsers, in files elsewhere. */
import { checkConstructor } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import type { CachedResponses } from "./cached-responses.js";

export interface PersistentCacheOptions {
  /** Caches with the same name share their entries: in one origin of a browser, for one user elsewhere. Default: "default". */
  name?: string | undefined;
  /** Maximum size in bytes. The responses that were not used for the longest time are evicted. Default: 512 MiB. */
  maxBytes?: number | undefined;
  /**
   * Folder of the files in Node, Deno and Bun; not used in browsers. Default: `zarr-wasm/NAME` in the user's folder for
   * caches (`XDG_CACHE_HOME`, `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`).
   */
  folder?: string | undefined;
  /**
   * Called with the URL of a metadata document that has changed since it was stored, or describes an array whose chunks
   * have: open the node again. With this option, the first reads of stored documents and chunks return them before they
   * are confirmed; reads that would combine them with later responses throw Network ("changed"). Default: responses are
   * confirmed first.
   */
  onOutdated?: ((url: string) => void) | undefined;
}

const defaultMaxBytes = 512 * 2 ** 20;

const part = lazy("persistent caches", () => import("./cached-responses.js"));

/**
 * A cache that outlives the program, for the option `persistentCache` of stores over HTTP. It follows RFC 9111:
 * responses are used without a request while they are fresh, and otherwise confirmed by a conditional request. See
 * docs/caching.md for the responses that are never stored.
 */
export class PersistentCache {
  readonly name: string;
  readonly maxBytes: number;
  /** False sends all requests to their servers and stores nothing, until it is true again. Default: true. */
  enabled = true;
  readonly #folder: string | undefined;
  readonly #onOutdated: ((url: string) => void) | undefined;
  #responses: Promise<CachedResponses> | undefined;

  /** @throws InvalidArgument for options that are out of range. */
  constructor(options: PersistentCacheOptions = {}) {
    checkConstructor(options, "cache", { name: true, maxBytes: true, folder: true, onOutdated: true });
    const { name = "default", maxBytes = defaultMaxBytes, folder, onOutdated } = options;
    if (typeof name !== "string" || !/^[a-z0-9][\w.-]{0,63}$/i.test(name)) {
      throw invalidArgument(
        `name must be 1 to 64 letters, digits, ".", "_" or "-", not ${describeValue(name)}`,
      );
    }
    if (!(maxBytes >= 0)) throw invalidArgument(`maxBytes must not be negative: ${maxBytes}`);
    if (folder !== undefined && (typeof folder !== "string" || folder === ""))
      throw invalidArgument(`folder must be a path, not ${describeValue(folder)}`);
    this.name = name;
    this.maxBytes = maxBytes;
    if (onOutdated !== undefined && typeof onOutdated !== "function")
      throw invalidArgument(`onOutdated must be a function, not ${describeValue(onOutdated)}`);
    this.#folder = folder;
    this.#onOutdated = onOutdated;
  }

  /** Waits until the responses received so far are stored. Programs need not call it: they end after the last write. */
  async flush(): Promise<void> {
    await (await this.#responses)?.flush();
  }

  /** Total size of the stored responses, in bytes. */
  async size(): Promise<number> {
    return (await this.#open()).size();
  }

  /** Removes all stored responses, also those of other programs that use this cache. */
  async clear(): Promise<void> {
    await (await this.#open()).clear();
  }

  /** @internal Answers a request from the cache, or by `send`. */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    // Reads do not need the cache: not even if its code cannot be loaded.
    const responses = this.enabled ? await this.#open().catch(() => undefined) : undefined;
    return responses ? responses.respond(send, url, request) : send(url, request);
  }

  /** @internal Reads an object from its server, whose stored responses are outdated or damaged. */
  forget(url: URL): void {
    this.#responses?.then((responses) => responses.forget(url)).catch(() => {});
  }

  #open(): Promise<CachedResponses> {
    this.#responses ??= part().then(({ CachedResponses: Responses, openStorage }) => {
      const storage = openStorage(this.name, this.#folder);
      return new Responses(storage, this.maxBytes, () => this.enabled, this.#onOutdated);
    });
    return this.#responses;
  }
}
