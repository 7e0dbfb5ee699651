/** Reads one object from a URL, a file, a store, a Blob or memory; names the formats of files by their first bytes. */
import { invalidArgument, networkError } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";
import { isFileUrl, nodeModule } from "../../util/platform.js";
import { readFilePart } from "../file/read.js";
import { HttpClient, type HttpStoreOptions } from "../http/store.js";
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
  /** Returns undefined for a missing object; fewer bytes than requested only at its end. */
  read(range: RangeQuery | undefined, options: StoreGetOptions): Promise<Uint8Array | undefined>;
}

/**
 * Returns a reader of an object.
 * @param client sends requests. Default: a new one with these options.
 * @throws InvalidArgument for an invalid source.
 */
export function byteReader(source: ByteSource, options: HttpStoreOptions, client?: HttpClient): ByteReader {
  if (source instanceof Uint8Array) return memory(source);
  if (source instanceof ArrayBuffer) return memory(new Uint8Array(source));
  if (source instanceof Blob) return blob(source);
  if (typeof source === "string" || source instanceof URL) return located(source, options, client);
  if (isStore(source?.store) && typeof source.key === "string") return stored(source);
  throw invalidArgument("source must be a URL, a path, an object in a store, a Blob or bytes");
}

function memory(bytes: Uint8Array): ByteReader {
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
  return { name: locateKey(store, key), read };
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
    return { name: url.href, url: async () => url, read };
  }
  if (url && !isFileUrl(url)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  const maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
  const file = async () =>
    url ?? (await nodeModule<typeof import("node:url")>("node:url")).pathToFileURL(String(source));
  const read: ByteReader["read"] = async (range, get) => {
    const limit = Math.min(get.maxBytes ?? maxBytes, maxBytes);
    return readFilePart(await file(), { ...get, range, maxBytes: limit });
  };
  return { name: String(source), url: file, read };
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

/** Bytes that {@link fileFormat} needs: HDF5 may have 512 bytes of the writing program before its header. */
const headBytes = 520;

const hdf5 = "\x89HDF\r\n\x1a\n";
const references = "through references to its chunks, as kerchunk and VirtualiZarr write them";

/** Signatures, as characters of the bytes, with the format and the way to open it. */
const signatures: readonly (readonly [start: RegExp, name: string, remedy: string])[] = [
  [new RegExp(`^(?:[\\s\\S]{512})?${hdf5}`), "an HDF5 file, as NetCDF-4 files are", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^CDF[\x01\x02\x05]/, "a NetCDF file (classic)", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^\x0e\x03\x13\x01/, "an HDF4 file", references],
  [/^(?:II[*+]\0|MM\0[*+])/, "a TIFF file", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^GRIB[\s\S]{3}[\x01\x02]/, "a GRIB file", references],
  [/^SIMPLE {2}=/, "a FITS file", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^PK\x03\x04/, "a zip archive", "with `new ZipStore(url)`"],
  [/^PAR1/, "a Parquet file", "with `readParquet`"],
  [/^(?:\xef\xbb\xbf)?\s*\{/, "a JSON document", "with `ReferenceStore.open(url)`, if it has references"],
];

/** Returns the format of a file and the way to open it; undefined if its first bytes are unknown. */
export function fileFormat(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, headBytes));
  const found = signatures.find(([start]) => start.test(text));
  return found && `${found[1]}; open it ${found[2]}`;
}

/** Returns the format of a file, from its start; undefined if it is missing, unreadable or unknown. */
export async function formatOf(
  file: ByteReader,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const head = await file.read({ offset: 0, length: headBytes }, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
  return head && fileFormat(head);
}

/** Whether a URL names a file rather than a folder. */
export const isFileName = (pathname: string): boolean =>
  /\.(?:nc4?|netcdf|cdf|he?5|hdf[45]?|tiff?|btf|gri?b2?|fits?|json|parq(?:uet)?\/?)$/i.test(pathname);
