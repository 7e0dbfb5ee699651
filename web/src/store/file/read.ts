/** Reads files and lists folders (Node, Deno, Bun). */
import type { BufferPool } from "../../util/buffers.js";
import { isZarrError, limitExceeded, networkError, type ZarrError } from "../../util/errors.js";
import { nodeModule, uninitialised } from "../../util/platform.js";
import { isSegment } from "../path.js";
import { resolveRange } from "../read.js";
import { checkVersion, type ObjectVersion, type RangeQuery } from "../store.js";
import { isHidden } from "../temp-names.js";
import type { FileHandle, FileName } from "../transport.js";

type Fs = typeof import("node:fs/promises");

/** Opens files. */
interface FileOpener {
  open(file: FileName, flags: number): Promise<FileHandle>;
}

const fileSystem = () => nodeModule<Fs>("node:fs/promises");

/** Codes that mean "no such file". EISDIR is one, as a folder is not a file. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** Returns the code of a system error, such as "ENOENT"; "" for other errors. */
export const errorCode = (cause: unknown): string => (cause as { code?: string }).code ?? "";

/** Whether a failure means that there is no such file. */
export const isMissing = (cause: unknown): boolean => missingCodes.has(errorCode(cause));

/** Returns the error of a file that could not be read. Returns errors of this library unchanged. */
export function fileError(url: FileName, what: string, cause: unknown): ZarrError {
  if (isZarrError(cause)) return cause;
  const reason = errorCode(cause) || String(cause);
  return networkError(`${url} could not be ${what}: ${reason}`, { code: "file-failed", cause });
}

interface FileReadOptions {
  range?: RangeQuery | undefined;
  /** Maximum number of bytes to read. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  version?: ObjectVersion | undefined;
  /** Buffers to read into. Default: new ones. */
  bufferPool?: BufferPool | undefined;
}

/**
 * Reads a file or a part of it.
 * @param opener default: the promises of Node's file system.
 * @returns undefined for a missing file; fewer bytes than requested only at the file's end.
 * @throws LimitExceeded; Network ("file-failed") for unreadable and irregular files, ("changed") for another version
 *   than before; the signal's reason.
 */
export async function readFilePart(
  url: FileName,
  reading: FileReadOptions,
  opener?: FileOpener,
): Promise<Uint8Array | undefined> {
  const { signal, version } = reading;
  signal?.throwIfAborted();
  try {
    return await withFile(url, opener, (handle) => readFromFile(url, handle, reading));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (!isMissing(cause)) throw fileError(url, "read", cause);
    checkVersion(version, undefined, url);
    return undefined;
  }
}

/** Returns the time of the last change in seconds since 1970; undefined for a missing file. */
export async function modifiedTime(url: URL): Promise<number | undefined> {
  const fs = await fileSystem();
  try {
    return Math.floor((await fs.stat(url)).mtimeMs / 1000);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw fileError(url, "read", cause);
  }
}

async function withFile<T>(
  url: FileName,
  opener: FileOpener | undefined,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const fs = await fileSystem();
  // Without O_NONBLOCK, opening a named pipe waits for a writer.
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
  const handle = await (opener ?? fs).open(url, O_RDONLY | O_NONBLOCK);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function readFromFile(
  url: FileName,
  handle: FileHandle,
  reading: FileReadOptions,
): Promise<Uint8Array | undefined> {
  const { range, maxBytes, version } = reading;
  const info = await handle.stat();
  if (info.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  if (!info.isFile()) throw networkError(`${url} is not a regular file`, { code: "file-failed" });
  checkVersion(version, fileVersion(info), url);
  const { start, end } = range ? resolveRange(range, info.size) : { start: 0, end: info.size };
  if (end - start > maxBytes) {
    throw limitExceeded(`${url} has ${end - start} bytes to read, more than the limit of ${maxBytes}`);
  }
  return readFully(handle, start, end - start, reading);
}

export function fileVersion({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }) {
  return { etag: `${ino}-${size}-${mtimeMs}`, size } satisfies ObjectVersion;
}

async function readFully(
  handle: FileHandle,
  start: number,
  length: number,
  { signal, bufferPool }: FileReadOptions,
): Promise<Uint8Array> {
  const bytes = bufferPool?.takeOrMake(length) ?? uninitialised(length);
  let filled = 0;
  while (filled < length) {
    signal?.throwIfAborted();
    // At most 2^30 at a time: a single read of 2^31 bytes or more fails.
    const wanted = Math.min(length - filled, 2 ** 30);
    const { bytesRead } = await handle.read(bytes, filled, wanted, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled < length ? bytes.slice(0, filled) : bytes; // the file was truncated during the read
}

export interface FolderEntry {
  name: string;
  isFolder: boolean;
  isLink: boolean;
}

/**
 * Lists the files and folders in a folder that keys can name, sorted by name. Resolves links. A missing folder has no
 * entries.
 */
export async function readFolder(url: URL): Promise<FolderEntry[]> {
  const fs = await fileSystem();
  try {
    const entries = await fs.readdir(url, { withFileTypes: true });
    const seen = entries.filter(({ name }) => isSegment(name) && !isHidden(name));
    const kinds = await Promise.all(seen.map((entry) => resolveEntry(fs, url, entry)));
    return kinds.filter((entry) => entry !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw fileError(url, "listed", cause);
  }
}

/**
 * Lists the names below a folder, unsorted. Unlike {@link readFolder}, it does not hold all names of a folder in memory,
 * of which there may be millions. A missing folder has no names.
 * @param depth number of levels, links to folders included.
 * @param isEntered whether to enter a folder with this name.
 */
export async function* namesIn(
  folder: URL,
  depth: number,
  isEntered: (name: string) => boolean,
  prefix = "",
): AsyncGenerator<string> {
  const fs = await fileSystem();
  try {
    for await (const entry of await fs.opendir(folder)) {
      const { name } = entry;
      yield prefix + name;
      if (depth <= 1 || !isEntered(name) || !(await resolveEntry(fs, folder, entry))?.isFolder) continue;
      const next = new URL(`${encodeURIComponent(name)}/`, folder);
      yield* namesIn(next, depth - 1, isEntered, `${prefix}${name}/`);
    }
  } catch (cause) {
    if (isZarrError(cause)) throw cause;
    if (!isMissing(cause)) throw fileError(folder, "listed", cause);
  }
}

/** Returns undefined for entries that are neither files nor folders, and for dangling links. */
async function resolveEntry(
  fs: Fs,
  folder: URL,
  entry: import("node:fs").Dirent,
): Promise<FolderEntry | undefined> {
  const { name } = entry;
  const isLink = entry.isSymbolicLink();
  const target = isLink
    ? await fs.stat(new URL(encodeURIComponent(name), folder)).catch(() => undefined)
    : entry;
  return target && (target.isFile() || target.isDirectory())
    ? { name, isFolder: target.isDirectory(), isLink }
    : undefined;
}

/** Returns the path of a folder without links. */
export async function realFolder(url: URL): Promise<string> {
  const fs = await fileSystem();
  return fs.realpath(url).catch((cause) => {
    throw fileError(url, "listed", cause);
  });
}

/** Whether a URL without a trailing "/" is a link. */
export async function isLink(url: URL): Promise<boolean> {
  const fs = await fileSystem();
  const info = await fs.lstat(url).catch((cause) => {
    throw fileError(url, "listed", cause);
  });
  return info.isSymbolicLink();
}
