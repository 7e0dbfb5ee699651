/** Where an archive's bytes come from. */
import { invalidArgument, networkError } from "../../errors.js";
import { defaultLimits } from "../../limits.js";
import { isFileUrl, nodeModule } from "../../platform.js";
import { readFilePart } from "../files.js";
import { type HttpStoreOptions, makeClient } from "../http.js";
import { cutRange, readRange, resolveRange } from "../ranges.js";
import { type GetOptions, isStore, type RangeQuery, type Store } from "../store.js";

/** An object in a store. */
export interface StoredObject {
  store: Store;
  key: string;
}

/** An archive: its URL (http, https; file in Node), the path of a file (Node), an object in a store, or its bytes. */
export type ZipSource = string | URL | StoredObject | Blob | Uint8Array | ArrayBuffer;

/** Bytes that can be read in parts. */
export interface ByteSource {
  /** For messages. */
  readonly name: string;
  /** Undefined where there is nothing. Fewer bytes than asked only at the end. */
  read(range: RangeQuery, options: GetOptions): Promise<Uint8Array | undefined>;
}

/** @throws InvalidArgument for what is no source. */
export function byteSource(source: ZipSource, options: HttpStoreOptions): ByteSource {
  if (source instanceof Uint8Array) return memory(source);
  if (source instanceof ArrayBuffer) return memory(new Uint8Array(source));
  if (source instanceof Blob) return blob(source);
  if (typeof source === "string" || source instanceof URL) return located(source, options);
  if (isStore(source?.store) && typeof source.key === "string") return stored(source);
  throw invalidArgument("an archive is a URL, a path, an object in a store, a Blob or bytes");
}

function memory(bytes: Uint8Array): ByteSource {
  return { name: "archive", read: async (range) => cutRange(bytes, range) };
}

function blob(archive: Blob): ByteSource {
  const name = (archive as { name?: string }).name ?? "archive";
  const read = async (range: RangeQuery) => {
    const { start, end } = resolveRange(range, archive.size);
    try {
      return new Uint8Array(await archive.slice(start, end).arrayBuffer());
    } catch (cause) {
      throw networkError(`${name} could not be read: ${cause}`, { code: "file-failed", cause });
    }
  };
  return { name, read };
}

function stored({ store, key }: StoredObject): ByteSource {
  const name = store.locate?.(key) ?? key;
  return { name, read: (range, options) => readRange(store, key, range, options) };
}

function located(source: string | URL, options: HttpStoreOptions): ByteSource {
  const url = urlOf(source);
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    const client = makeClient(options);
    return { name: url.href, read: (range, get) => client.getRange(url, range, get) };
  }
  if (url && !isFileUrl(url)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  const maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
  const file = async () =>
    url ?? (await nodeModule<typeof import("node:url")>("node:url")).pathToFileURL(String(source));
  const read = async (range: RangeQuery, get: GetOptions) =>
    readFilePart(await file(), { ...get, range, maxBytes });
  return { name: String(source), read };
}

/** Undefined for what is no URL and so a path; one letter before the colon is a drive of Windows. */
function urlOf(source: string | URL): URL | undefined {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  try {
    const url = new URL(source, base);
    return /^[a-z]:$/i.test(url.protocol) ? undefined : url;
  } catch {
    return undefined;
  }
}
