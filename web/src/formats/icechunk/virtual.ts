/**
 * Reads virtual chunks: ranges of files outside of the repository, which must be unchanged. Repositories are not trusted:
 * a location is only fetched if the caller has allowed its prefix.
 */

import { readRangeResponse } from "../../store/http/range-response.js";
import type { Requests } from "../../store/http/requests.js";
import { missingStatus, readBody, statusError, wholeStatus } from "../../store/http/response.js";
import type { OffsetRange } from "../../store/http/whole-objects.js";
import { encodeKey } from "../../store/path.js";
import { locateKey, readRange } from "../../store/read.js";
import { isStore, type Store } from "../../store/store.js";
import type { HttpResponse } from "../../store/transport.js";
import { checkObject } from "../../util/arguments.js";
import {
  type ErrorDetails,
  invalidArgument,
  limitExceeded,
  networkError,
  ZarrError,
} from "../../util/errors.js";
import { isFileUrl } from "../../util/platform.js";
import { bucketUrl, fileSystem } from "../kerchunk/place.js";
import type { Containers } from "./containers.js";
import type { VirtualReference } from "./manifest.js";

/**
 * Location of the files below a prefix: a URL (http, https, s3, gs; file in Node) that replaces the prefix, a store, or
 * true for the prefix itself.
 */
export type VirtualBase = string | URL | Store | true;

export interface VirtualOptions {
  /** Prefixes of locations that may be read, and where to read them. Nothing else is fetched. */
  virtual?: Readonly<Record<string, VirtualBase>> | undefined;
  /**
   * Rejects virtual chunks if the ETag or modification time of their source cannot be read, as servers of other origins
   * may hide them. False only checks readable ones. Default: true.
   */
  checkSources?: boolean | undefined;
}

type SourceState = { readonly etag?: string | null; readonly modified?: number | undefined };

/** The error for a source that has changed since the reference was written. */
const changed = (name: string, what: string, details?: ErrorDetails): ZarrError =>
  new ZarrError("SourceChanged", `${name}, which holds a virtual chunk, ${what}`, details);

export class VirtualSources {
  readonly #prefixes: AllowedPrefixes<VirtualBase>;
  readonly #isStrict: boolean;

  /**
   * @param requests sends HTTP requests.
   * @throws InvalidArgument for invalid prefixes.
   */
  constructor(
    { virtual = {}, checkSources = true }: VirtualOptions,
    private readonly requests: Requests,
    private readonly containers: () => Promise<Containers>,
  ) {
    checkObject(virtual, "virtual");
    const entries = Object.entries(virtual);
    for (const [prefix, base] of entries) checkBase(prefix, base);
    this.#prefixes = new AllowedPrefixes(entries);
    this.#isStrict = checkSources;
  }

  /** Whether any virtual chunk may be read. */
  get isEmpty(): boolean {
    return this.#prefixes.isEmpty;
  }

  /** Returns the URL of a location; undefined if it may not be read, or is read through another store. */
  async resolveUrl(location: string): Promise<URL | undefined> {
    const found = await this.#prefixes.find(location, this.containers).catch(() => undefined);
    const base = found && resolveBase(found.target, found.prefix);
    return base && !isStore(base) ? urlBelow(base, found.key) : undefined;
  }

  /**
   * Reads a part of a reference.
   * @param location URL of the reference.
   * @throws NotAllowed; SourceChanged; Network ("bad-target", and errors of requests).
   */
  async read(
    reference: VirtualReference,
    location: string,
    part: OffsetRange,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { target, key, prefix } = await this.#prefixes.find(location, this.containers);
    const base = resolveBase(target, prefix);
    if (isStore(base)) return this.#readStored(base, key, reference, part, signal);
    if (isFileUrl(base)) return this.#readFile(base, key, reference, part, signal);
    return this.#readUrl(urlBelow(base, key), reference, part, signal);
  }

  async #readUrl(
    url: URL,
    reference: VirtualReference,
    { offset, length }: OffsetRange,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const name = url.href;
    const range = `bytes=${offset}-${offset + length - 1}`;
    const bytes = await this.requests.send(
      url,
      { headers: { range }, signal: signal ?? new AbortController().signal },
      async (answer, watch) => {
        if (missingStatus.has(answer.status)) throw missing(name);
        const isWhole = wholeStatus.has(answer.status);
        if (answer.status === 416) throw short(name, length);
        if (answer.status !== 206 && !isWhole) throw statusError(name, answer);
        this.#check(reference, sourceState(answer), name);
        if (!isWhole) {
          const read = await readRangeResponse(
            answer,
            { offset, length },
            { name, maxBytes: length + 1, watch },
          );
          return read.bytes;
        }
        return readBody(answer, {
          name,
          skip: offset,
          take: length,
          maxBytes: offset + length,
          expected: length,
          watch,
        });
      },
    );
    return exactly(bytes, length, name);
  }

  async #readFile(
    base: URL,
    key: string,
    reference: VirtualReference,
    part: OffsetRange,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const folder = new URL(base);
    if (!folder.pathname.endsWith("/")) folder.pathname += "/";
    const { FileSystemStore, modifiedTime } = await fileSystem();
    const store = new FileSystemStore(folder);
    const isNoted = reference.etag !== undefined || reference.lastModified !== undefined;
    // Version names that stores give local files are specific to the machine.
    const modified = isNoted ? await modifiedTime(urlBelow(folder, key)) : undefined;
    return this.#readStored(store, key, reference, part, signal, { modified });
  }

  async #readStored(
    store: Store,
    key: string,
    reference: VirtualReference,
    { offset, length }: OffsetRange,
    signal: AbortSignal | undefined,
    seen: SourceState = {},
  ): Promise<Uint8Array> {
    const name = locateKey(store, key);
    const bytes = await readRange(store, key, { offset, length }, { signal, maxBytes: length });
    if (!bytes) throw missing(name);
    this.#check(reference, seen, name);
    return exactly(bytes, length, name);
  }

  /** Checks that a source is unchanged. @throws SourceChanged. */
  #check({ etag, lastModified }: VirtualReference, seen: SourceState, name: string): void {
    const unseen = (what: string) => {
      if (this.#isStrict)
        throw changed(name, `has no ${what} to verify that it is unchanged`, { code: "source-unverified" });
    };
    if (etag !== undefined) {
      if (typeof seen.etag !== "string") unseen("ETag");
      else if (plainTag(seen.etag) !== plainTag(etag))
        throw changed(name, "has changed since the reference was written: its ETag differs");
    }
    if (lastModified !== undefined) {
      if (seen.modified === undefined) unseen("Last-Modified time");
      else if (seen.modified > lastModified)
        throw changed(name, "has changed since the reference was written");
    }
  }
}

const missing = (name: string): ZarrError =>
  networkError(`${name}, which holds a virtual chunk, is missing`, { code: "bad-target" });
const short = (name: string, by: number): ZarrError =>
  networkError(`${name}, which holds a virtual chunk, is ${by} bytes too short`, { code: "bad-target" });

function exactly(bytes: Uint8Array, length: number, name: string): Uint8Array {
  if (bytes.byteLength > length) throw limitExceeded(`${name} returned more bytes than requested`);
  if (bytes.byteLength < length) throw short(name, length - bytes.byteLength);
  return bytes;
}

/** Strips the weak prefix and quotes from an ETag. */
const plainTag = (etag: string): string => etag.trim().replace(/^W\//, "").replaceAll('"', "");

function sourceState({ headers }: HttpResponse): SourceState {
  const time = Date.parse(headers.get("last-modified") ?? "");
  return { etag: headers.get("etag"), modified: Number.isNaN(time) ? undefined : Math.floor(time / 1000) };
}

/** Returns the URL of a key below a base, which keys cannot leave. */
function urlBelow(base: URL, key: string): URL {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/$/, "") + encodeKey(key);
  return url;
}

function checkBase(prefix: string, base: VirtualBase): void {
  if (base !== true && !isStore(base)) parseBase(base);
  else if (base === true && /^(vcc|az|abfs|tigris):/i.test(prefix))
    throw invalidArgument(`${prefix} does not imply a URL; pass one instead of true`);
}

/** Resolves the location of a prefix. @throws InvalidArgument for a location that cannot be read. */
function resolveBase(base: VirtualBase, { scheme, authority, path }: Location): URL | Store {
  if (base !== true) return isStore(base) ? base : parseBase(base);
  return parseBase(`${scheme}://${authority}/${path.split("/").map(encodeURIComponent).join("/")}`);
}

function parseBase(base: string | URL): URL {
  const text = String(base);
  let url: URL | undefined;
  try {
    url = bucketUrl(text) ?? new URL(text, (globalThis as { location?: { href: string } }).location?.href);
  } catch {
    // Reported below.
  }
  if (!url || !["http:", "https:", "file:"].includes(url.protocol))
    throw invalidArgument(
      `${JSON.stringify(text)} is not a URL to read virtual chunks from; expected http, https or file`,
    );
  return url;
}

// ---- Locations

/** A parsed location outside of the repository. */
interface Location {
  readonly scheme: string;
  /** Host or bucket. */
  readonly authority: string;
  /** Unescaped, without a leading slash. */
  readonly path: string;
}

/** Aliases of schemes. */
const sameSchemes: Readonly<Record<string, string>> = { gcs: "gs", s3a: "s3" };
const schemes = new Set(["s3", "gs", "az", "abfs", "tigris", "http", "https", "file", "vcc"]);

/** The error for a location that may not be read. */
function notAllowed(location: string, why: string): ZarrError {
  const name = JSON.stringify(location.slice(0, 500));
  return new ZarrError("NotAllowed", `a virtual chunk at ${name} is not read: ${why}`);
}

/**
 * Parses a location. Decodes escapes once, and drops query and fragment.
 * @throws NotAllowed for other URLs, and for paths that lead upwards.
 */
function parseLocation(text: string): Location {
  const [, given = "", authority = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)\/?([^?#]*)/is.exec(text) ?? [];
  const lower = given.toLowerCase();
  const scheme = sameSchemes[lower] ?? lower;
  if (!schemes.has(scheme)) throw notAllowed(text, "its URL scheme is not supported");
  if (authority.includes("@")) throw notAllowed(text, "it contains a user name");
  const decoded = decodePath(rest);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
  if (decoded === undefined || /[\\\u0000-\u001f\u007f]/.test(decoded))
    throw notAllowed(text, "its path contains invalid characters");
  const path = scheme === "file" ? resolved(decoded) : decoded;
  if (path === undefined || path.split("/").some((name) => name === "." || name === ".."))
    throw notAllowed(text, 'its path contains ".." segments');
  return { scheme, authority: authority.toLowerCase(), path };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Resolves dots and repeated slashes in the path of a file. */
function resolved(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return path.endsWith("/") && names.length > 0 ? `${names.join("/")}/` : names.join("/");
}

/** Prefixes that the caller has allowed, each with the target to read instead. */
class AllowedPrefixes<T> {
  readonly #allowed: readonly { readonly prefix: Location; readonly target: T }[];

  /** @throws InvalidArgument for an invalid prefix. */
  constructor(allowed: Iterable<readonly [prefix: string, target: T]>) {
    this.#allowed = [...allowed].map(([prefix, target]) => ({ prefix: parsePrefix(prefix), target }));
  }

  get isEmpty(): boolean {
    return this.#allowed.length === 0;
  }

  /**
   * Returns the target for a location, and the key in it, with a leading slash.
   * @param containers loads the repository's containers, for locations that name one.
   * @throws NotAllowed.
   */
  async find(
    text: string,
    containers: () => Promise<Containers>,
  ): Promise<{ readonly target: T; readonly key: string; readonly prefix: Location }> {
    const location = parseLocation(text);
    const found = this.#longest(location);
    if (found) return found;
    if (location.scheme === "vcc") {
      // Container names are case-sensitive.
      const name = /^[^:]*:\/\/([^/?#\\]*)/.exec(text)?.[1] ?? "";
      const prefix = (await containers()).get(name);
      if (prefix === undefined || /^vcc:/i.test(prefix))
        throw notAllowed(text, "the repository defines no container of that name");
      const inside = this.#longest(parseLocation(prefix + text.replace(/^[^:]*:\/\/[^/]*\//, "")));
      if (inside) return inside;
    }
    throw notAllowed(text, "no allowed prefix covers it (option `virtual`, --virtual PREFIX=BASE)");
  }

  #longest(location: Location) {
    let best: { prefix: Location; target: T } | undefined;
    for (const candidate of this.#allowed) {
      const { prefix } = candidate;
      const fits =
        prefix.scheme === location.scheme &&
        prefix.authority === location.authority &&
        location.path.startsWith(prefix.path);
      if (fits && (!best || prefix.path.length > best.prefix.path.length)) best = candidate;
    }
    return best && { ...best, key: `/${location.path.slice(best.prefix.path.length)}` };
  }
}

/** Parses a prefix. It ends with a path segment: "s3://a/b" does not allow "s3://a/bc". */
function parsePrefix(text: string): Location {
  let location: Location;
  try {
    location = parseLocation(text);
  } catch (cause) {
    throw invalidArgument(
      `${JSON.stringify(text)} is not a prefix of virtual chunks, such as "s3://bucket/"`,
      { cause },
    );
  }
  const path = location.path === "" || location.path.endsWith("/") ? location.path : `${location.path}/`;
  return { ...location, path };
}
