/** Destinations of copies: a folder, a zip archive, a server that takes PUT, or any other store. */

import type { Stats } from "node:fs";
import { requireZarr } from "../edit/remove-node.js";
import { blockForFiles, type CheckCopy, FileCopier } from "../store/file/copy.js";
import { FileSystemStore } from "../store/file/store.js";
import { fileSink } from "../store/file/write.js";
import { setInnerStore } from "../store/handle.js";
import { WritableHttpStore } from "../store/http/writable-store.js";
import { MapStore } from "../store/map.js";
import { normalizePath } from "../store/path.js";
import { isStore, type Store, type StoreSetOptions, type StoreWriteOptions } from "../store/store.js";
import { writerLockName } from "../store/temp-names.js";
import { ZipStore } from "../store/zip/store.js";
import { ZipWriter } from "../store/zip/writer.js";
import { isSameBytes } from "../util/bytes.js";
import {
  alreadyExists,
  corruptChunk,
  invalidArgument,
  isZarrError,
  messageOf,
  networkError,
  ZarrError,
} from "../util/errors.js";
import { exitHooks, hasNode, loadNode, node } from "./host.js";
import {
  type DestinationLock,
  type LockOptions,
  type LockTarget,
  lockDestination,
  WriteGate,
} from "./lock.js";
import { placeOfStore } from "./places.js";

/** An open destination. */
export interface Destination extends Pick<LockTarget, "kind" | "name" | "place"> {
  /** Writes to it pass the gate. */
  readonly store: Store;
  /** Missing for destinations other than folders. */
  readonly copyFrom?: CopyFrom | undefined;
  /** Undefined if the files of the source and this destination cannot be accessed without their stores. */
  foldersWith?(source: Store): Promise<FolderPair | undefined>;
  /** Locks the destination ({@link lockDestination}). */
  lock(options?: LockOptions): Promise<DestinationLock>;
  /** A store for reading the copy; of an archive once it is closed. */
  readBack(): Store;
  /** Ends writing. An archive exists from then on. */
  close(): Promise<void>;
  /** Aborts: removes an unfinished archive; everything else that was written stays. */
  abort(reason: unknown): Promise<void>;
}

export interface DestinationOptions {
  /** Whether an archive may be replaced. */
  readonly overwrite?: boolean | undefined;
  /** URL of the S3-compatible bucket of an http or https destination, which can then be listed. */
  readonly bucket?: string | undefined;
  /** Whether to read each object that is written or deleted again; not in archives, which can be read once they are closed. */
  readonly verify?: boolean | undefined;
  /** Name in messages. Default: the path or URL. */
  readonly name?: string | undefined;
}

/** Error for a copy that differs from its source. */
export const differsError = (place: string, chunkKey?: string): ZarrError =>
  corruptChunk(`the copy differs from the source: ${place}`, { code: "differs", chunkKey });

/** Error for an option that does not fit the others, or the data. */
export const badOption = (message: string): ZarrError => invalidArgument(message, { code: "bad-option" });

/**
 * Opens a destination: an http or https URL, a file URL of a `.zip` or `.ozx` archive or of a folder (Node), which need
 * not exist yet, or a store.
 * @throws InvalidArgument ("bad-option"); AlreadyExists for an archive; Network ("file-failed") for a file that is in the
 *   way.
 */
export async function openDestination(
  target: string | URL | Store,
  options: DestinationOptions = {},
): Promise<Destination> {
  await loadNode();
  if (!(target instanceof URL) && isStore(target)) return openStore(target, options);
  const text = String(target);
  if (!URL.canParse(text, globalThis.location?.href)) throw badOption(`"${text}" is not a URL`);
  const url = new URL(text, globalThis.location?.href);
  if (/^https?:$/.test(url.protocol)) return openServer(URL.canParse(text) ? text : url.href, options);
  if (url.protocol !== "file:")
    throw badOption(`destination must be a store, or an http, https or file URL, got ${text}`);
  return openFileUrl(url, options);
}

/** @throws InvalidArgument ("bad-option") for a file URL that names no file, and outside of Node. */
export function filePath(url: string | URL): string {
  if (!hasNode()) throw badOption(`${url}: file URLs require Node; pass a store`);
  try {
    return node().url.fileURLToPath(url);
  } catch (cause) {
    throw invalidArgument(`${url} is not the URL of a file: ${messageOf(cause)}`, {
      code: "bad-option",
      cause,
    });
  }
}

async function openFileUrl(url: URL, options: DestinationOptions): Promise<Destination> {
  if (options.bucket !== undefined) throw badOption("`bucket` requires an http or https destination");
  const path = filePath(url);
  const name = options.name ?? path;
  const found = await statPath(path);
  if (!found) refusePipeline(path);
  if (isArchiveName(path) && !found?.isDirectory()) return openArchive(name, path, found, options.overwrite);
  if (found && !found.isDirectory())
    throw networkError(`${name} exists and is not a directory`, { code: "file-failed" });
  const store = new FileSystemStore(url);
  await blockForFiles(store);
  return plainDestination({ kind: "folder", name, place: path }, store, options);
}

const statPath = (path: string): Promise<Stats | undefined> =>
  node()
    .fs.promises.stat(path)
    .catch(() => undefined);

/** @throws InvalidArgument ("bad-option") for the syntax of sources below another one, such as `a.zip|zip:data`. */
function refusePipeline(place: string): void {
  const [, outer] = /^([^|]+)\|[a-z][a-z\d+.-]*:/i.exec(place) ?? [];
  if (outer === undefined) return;
  const remedy = isArchiveName(outer) ? `pass ${outer} to write the archive` : "pass a folder or an archive";
  throw badOption(`\`destination\` cannot be a URL pipeline, got ${place}; ${remedy}`);
}

/** Whether a name has the file extension of an archive. */
export const isArchiveName = (name: string): boolean => /\.(zip|ozx)$/i.test(name);

function openServer(url: string, options: DestinationOptions): Destination {
  const { name = url, bucket } = options;
  refusePipeline(url.replace(/[?#].*/s, ""));
  if (bucket !== undefined && !URL.canParse(bucket)) throw badOption(`"${bucket}" is not a URL`);
  if (isArchiveName(new URL(url).pathname)) throw badOption("archives can only be written to files");
  const store = new WritableHttpStore(url, { bucket });
  return plainDestination({ kind: "http", name, place: url }, store, options);
}

function openStore(given: Store, options: DestinationOptions): Destination {
  const { name, bucket } = options;
  const store: Store = given instanceof Map ? new MapStore(given) : given;
  if (bucket !== undefined) throw badOption("`bucket` requires an http or https destination");
  const place = placeOfStore(store);
  const names = { name: name ?? place ?? store.locate?.("/") ?? "the destination", place };
  const kind = store instanceof FileSystemStore ? "folder" : "store";
  return plainDestination({ kind, ...names }, store, options);
}

function plainDestination(
  names: Pick<Destination, "kind" | "name" | "place">,
  inner: Store,
  { verify }: DestinationOptions,
): Destination {
  const gate = new WriteGate();
  const store = gatedStore(inner, gate, verify);
  const release = async () => gate.release();
  return {
    ...names,
    store,
    copyFrom: inner instanceof FileSystemStore ? copyingInto(inner, gate) : undefined,
    foldersWith: async (source) =>
      inner instanceof FileSystemStore ? foldersOf(source, inner, gate) : undefined,
    lock: (options) => lockDestination({ ...names, inner, gate }, options),
    readBack: () => store,
    close: release,
    abort: release,
  };
}

async function openArchive(
  name: string,
  path: string,
  found: Stats | undefined,
  overwrite: boolean | undefined,
): Promise<Destination> {
  if (found && !overwrite) throw existsError(name);
  if (found) await checkReplaceable(name, path, found);
  const gate = new WriteGate();
  const sink = beforeClose(fileSink(path), async () => {
    await gate.checkLock();
    if (!overwrite && (await statPath(path))) throw existsError(name);
  });
  const writer = new ZipWriter(sink);
  const forget = exitHooks.add(() => writer.abort());
  const release = () => {
    gate.release();
    forget();
  };
  const target = { kind: "zip", name, place: path, store: writer } as const;
  return {
    ...target,
    lock: (options) => lockDestination({ ...target, inner: writer, gate }, options),
    readBack: () => new ZipStore(node().url.pathToFileURL(path)),
    close: () => writer.close().finally(release),
    abort: (reason) => writer.abort(reason).finally(release),
  };
}

const existsError = (name: string): Error =>
  alreadyExists(`"${name}" already exists; pass \`overwrite\` to replace it`);

/** Returns a sink that runs a check when everything is written, before it is closed. */
function beforeClose(
  sink: WritableStream<Uint8Array>,
  check: () => Promise<void>,
): WritableStream<Uint8Array> {
  const writer = sink.getWriter();
  return new WritableStream({
    write: (piece) => writer.write(piece),
    close: async () => {
      await check().catch(async (error) => {
        await writer.abort(error);
        throw error;
      });
      await writer.close();
    },
    abort: (reason) => writer.abort(reason),
  });
}

/** @throws NotAllowed for a file that is not a zip archive of Zarr data; an empty file is fine. */
async function checkReplaceable(name: string, path: string, found: Stats): Promise<void> {
  if (found.isFile() && found.size === 0) return;
  if (!found.isFile()) throw notReplaceable(`${name} exists and is not a file`);
  try {
    await requireZarr(new ZipStore(node().url.pathToFileURL(path)));
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata", "NotAllowed")) throw error;
    throw notReplaceable(`${name} exists and is not an archive of Zarr data: ${error.message}`, error);
  }
}

const notReplaceable = (message: string, cause?: unknown): ZarrError =>
  new ZarrError("NotAllowed", message, { code: "not-zarr", cause });

const lockKey = `/${writerLockName()}`;

/** Returns a store whose writes pass a gate and never touch the lock. Everything else is passed through. */
function gatedStore<S extends Store>(store: S, gate: WriteGate, verify = false): S {
  const writes: Readonly<Record<string, unknown>> = gatedWrites(store, gate, verify);
  const proxy = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || name === "constructor") return value;
      return Object.hasOwn(writes, name) ? writes[name as string] : value.bind(target);
    },
  });
  return setInnerStore(proxy, store);
}

function gatedWrites(store: Store, gate: WriteGate, verify: boolean) {
  // Files appear under their names, and lose them, only while the lock is held; requests are repeated only then.
  const isChecking = store instanceof FileSystemStore || store instanceof WritableHttpStore;
  const gated = <O extends StoreWriteOptions>(options: O | undefined) =>
    isChecking ? { ...options, beforeCommit: gate.checkLock } : options;
  const check = async (key: string, value: Uint8Array | undefined) => {
    const found = verify ? await store.get(key) : value;
    const isSame = value && found ? isSameBytes(found, value) : found === value;
    if (!isSame) throw differsError(store.locate?.(key) ?? key, key);
  };
  return {
    set: async (key: string, value: Uint8Array, options?: StoreSetOptions) => {
      await gate.run(async () => {
        await store.set!(key, value, gated(options));
        await check(key, value);
      });
    },
    delete: async (key: string, options?: StoreWriteOptions) => {
      if (key === lockKey) return;
      await gate.run(async () => {
        await store.delete!(key, gated(options));
        await check(key, undefined);
      });
    },
    deletePrefix: async (path: string, options?: StoreWriteOptions) => {
      await gate.run(() => store.deletePrefix!(path, gated(options)));
    },
  };
}

/**
 * Copies an object of another store by a call of the system, without passing its bytes through this program: whole or not at
 * all.
 * @returns undefined if the object cannot be copied in this way, or was refused.
 */
type CopyFrom = (
  source: Store,
  from: string,
  key: string,
  check: CheckCopy,
) => Promise<"copied" | "missing" | undefined>;

function copyingInto(folder: FileSystemStore, gate: WriteGate): CopyFrom {
  let last: { readonly source: Store; readonly copier: ReturnType<typeof copierBetween> } | undefined;
  return async (source, from, key, check) => {
    if (last?.source !== source) last = { source, copier: copierBetween(source, folder, gate) };
    const found = await last.copier;
    if (!found) return undefined;
    const { copier, start, end } = found;
    return gate.run(() => copier.copy(start + normalizePath(from), end + normalizePath(key), check));
  };
}

/** The folders of a source and a destination, as paths with a separator at the end. */
export interface FolderPair {
  readonly from: string;
  readonly to: string;
  /** Maximum size of a file that the source may read. */
  readonly maxBytes: number;
  readonly fs: typeof import("node:fs");
  /** Runs a write, for which the end of the process waits. */
  run: WriteGate["run"];
  /** @throws Network if the lock is lost. */
  checkLock: WriteGate["checkLock"];
}

async function foldersOf(
  source: Store,
  folder: FileSystemStore,
  gate: WriteGate,
): Promise<FolderPair | undefined> {
  const read = source instanceof FileSystemStore ? await source.location() : undefined;
  const written = read && (await folder.location());
  if (!written || written.options.fsync) return undefined;
  return {
    ...{ from: filePath(read.url), to: filePath(written.url), fs: node().fs },
    maxBytes: read.options.maxBytes ?? Number.POSITIVE_INFINITY,
    run: (write) => gate.run(write),
    checkLock: gate.checkLock,
  };
}

/** Returns a copier of files, and the paths of both stores; undefined if it cannot copy file by file. */
async function copierBetween(source: Store, folder: FileSystemStore, { checkLock }: WriteGate) {
  const read = source instanceof FileSystemStore ? await source.location() : undefined;
  const written = read && (await folder.location());
  if (!written) return undefined;
  const copier = await FileCopier.make({ beforeCommit: checkLock, fsync: written.options.fsync });
  return { copier, start: filePath(read.url), end: filePath(written.url) };
}
