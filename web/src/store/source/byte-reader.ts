/** Reads one object from a URL, a file, a store, a Blob or memory, and the objects beside it. */
import { asBytes } from "../../util/bytes.js";
import { invalidArgument, networkError } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";
import { isFileUrl, nodeModule } from "../../util/platform.js";
import { readFilePart } from "../file/read.js";
import { HttpClient, HttpStore, type HttpStoreOptions } from "../http/store.js";
import { encodeKey } from "../path.js";
import { callStore, cutRange, locateKey, readRange, resolveRange } from "../read.js";
import { checkVersion, isStore, type RangeQuery, type Store, type StoreGetOptions } from "../store.js";

/** An object in a store. */
export interface StoredObject {
  store: Store;
  key: string;
}

/** A URL (http, https; file in Node), the path of a file (Node), an object in a store, or bytes. */
export type ByteSource = string | URL | StoredObject | Blob | Uint8Array | ArrayBuffer;

/** Reads an object or a part of it. */
export interface ByteReader {
  /** Name for messages. */
  readonly name: string;
  /** Returns the URL of the object, if it has one. */
  url?(): Promise<URL>;
  /** The store of the object, if it is in one. */
  readonly store?: Store | undefined;
  /** Returns a reader of an object by its path relative to the folder of this one, in normal form. */
  sibling?(path: string): ByteReader;
  /** Returns undefined for a missing object; fewer bytes than requested only at its end. */
  read(range: RangeQuery | undefined, options: StoreGetOptions): Promise<Uint8Array | undefined>;
}

/**
 * Returns a reader of an object.
 * @param client sends requests. Default: a new one with these options.
 * @throws InvalidArgument for an invalid source.
 */
export function byteReader(source: ByteSource, options: HttpStoreOptions, client?: HttpClient): ByteReader {
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return memory(asBytes(source));
  if (source instanceof Blob) return blob(source);
  if (typeof source === "string" || source instanceof URL) return located(source, options, client);
  if (isStore(source?.store) && typeof source.key === "string") return stored(source);
  throw invalidArgument("source must be a URL, a path, an object in a store, a Blob or bytes");
}

function memory(bytes: Uint8Array | undefined): ByteReader {
  if (!bytes) throw invalidArgument("source is detached");
  const read: ByteReader["read"] = async (range, { version }) => {
    checkVersion(version, { size: bytes.byteLength }, "archive");
    return range ? cutRange(bytes, range) : bytes;
  };
  return { name: "archive", read };
}

function blob(object: Blob): ByteReader {
  const name = (object as { name?: string }).name ?? "archive";
  const read: ByteReader["read"] = async (range, { version }) => {
    checkVersion(version, { size: object.size }, name);
    const { start, end } = resolveRange(range ?? { suffixLength: object.size }, object.size);
    try {
      return new Uint8Array(await object.slice(start, end).arrayBuffer());
    } catch (cause) {
      throw networkError(`${name} could not be read: ${cause}`, { code: "file-failed", cause });
    }
  };
  return { name, read };
}

function stored({ store, key }: StoredObject): ByteReader {
  const read: ByteReader["read"] = async (range, options) =>
    range
      ? readRange(store, key, range, options)
      : callStore(store, key, () => store.get(key, options), options.signal);
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  // The key "" is the object at the store's own URL.
  const web = key === "" && store instanceof HttpStore ? store : undefined;
  const sibling = (path: string) =>
    stored(
      web
        ? { store: new HttpStore(siblingUrl(web.url, path), web.options), key: "" }
        : { store, key: folder + path },
    );
  return { name: locateKey(store, key), store, sibling, read };
}

function located(
  source: string | URL,
  options: HttpStoreOptions,
  client = new HttpClient(options),
): ByteReader {
  const url = sourceUrl(source);
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    const read: ByteReader["read"] = (range, get) =>
      range ? client.getRange(url, range, get) : client.get(url, get);
    const sibling = (path: string) => located(siblingUrl(url, path), options, client);
    return { name: url.href, url: async () => url, sibling, read };
  }
  if (url && !isFileUrl(url)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  const maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
  const fileUrl = async () =>
    url ?? (await nodeModule<typeof import("node:url")>("node:url")).pathToFileURL(String(source));
  return localFile(String(source), fileUrl, maxBytes);
}

function localFile(name: string, url: () => Promise<URL>, maxBytes: number): ByteReader {
  return {
    name,
    url,
    sibling: (path) =>
      localFile(name.replace(/[^/\\]*$/, path), async () => siblingUrl(await url(), path), maxBytes),
    read: async (range, get) => {
      const limit = Math.min(get.maxBytes ?? maxBytes, maxBytes);
      return readFilePart(await url(), { ...get, range, maxBytes: limit });
    },
  };
}

/** Returns the URL of an object beside another one, with the same query. */
function siblingUrl(url: URL, path: string): URL {
  const beside = new URL(encodeKey(path), url);
  beside.search = url.search;
  return beside;
}

/** Returns undefined for paths. One letter before a colon is a drive of Windows. */
export function sourceUrl(source: string | URL): URL | undefined {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  try {
    const url = new URL(source, base);
    return /^[a-z]:$/i.test(url.protocol) ? undefined : url;
  } catch {
    return undefined;
  }
}
