/** Keeps responses over HTTP for later visits: in the Cache API of browsers, in files elsewhere. */
import { checkConstructor } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import type { HttpResponse, Transport, TransportRequest } from "../transport.js";
import { openStorage } from "./cache-storage.js";
import { CachedResponses } from "./cached-responses.js";

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
  /** Sends no requests: stored responses are used whatever their age. Default: false. */
  offline?: boolean | undefined;
}

const defaultMaxBytes = 512 * 2 ** 20;

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
  readonly #responses: CachedResponses;

  /** @throws InvalidArgument for options that are out of range. */
  constructor(options: PersistentCacheOptions = {}) {
    checkConstructor(options, "cache", { name: true, maxBytes: true, folder: true, offline: true });
    const { name = "default", maxBytes = defaultMaxBytes, folder, offline = false } = options;
    if (typeof name !== "string" || !/^[a-z0-9][\w.-]{0,63}$/i.test(name)) {
      throw invalidArgument(
        `name must be 1 to 64 letters, digits, ".", "_" or "-", not ${describeValue(name)}`,
      );
    }
    if (!(maxBytes >= 0)) throw invalidArgument(`maxBytes must not be negative: ${maxBytes}`);
    if (folder !== undefined && (typeof folder !== "string" || folder === ""))
      throw invalidArgument(`folder must be a path, not ${describeValue(folder)}`);
    if (typeof offline !== "boolean")
      throw invalidArgument(`offline must be true or false, not ${describeValue(offline)}`);
    this.name = name;
    this.maxBytes = maxBytes;
    this.offline = offline;
    this.#responses = new CachedResponses(openStorage(name, folder), maxBytes, this);
  }

  /** Waits until the responses received so far are stored. Programs need not call it: they end after the last write. */
  async flush(): Promise<void> {
    await this.#responses.flush();
  }

  /** Total size of the stored responses, in bytes. */
  async size(): Promise<number> {
    return this.#responses.size();
  }

  /** Removes all stored responses, also those of other programs that use this cache. */
  async clear(): Promise<void> {
    await this.#responses.clear();
  }

  /** @internal Answers a request from the cache, or by `send`. */
  async respond(send: Transport, url: URL, request: TransportRequest): Promise<HttpResponse> {
    return this.enabled ? this.#responses.respond(send, url, request) : send(url, request);
  }

  /** @internal Reads an object from its server, whose stored responses are outdated or damaged. */
  forget(url: URL): void {
    this.#responses.forget(url);
  }
}
