/** Serves files and folders below a mount, in whole or in part, and never outside it. */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import {
  type Asked,
  type ByteRange,
  contentType,
  type Head,
  notFound,
  rangeHead,
  sendRangeHead,
  sendText,
} from "./response.js";

/** Maximum number of entries in a folder's listing. */
const maxEntries = 10_000;

/** The target of a URL prefix: a folder or a single file. */
export interface FileMount {
  readonly root: string;
  /**
   * True for data, as opposed to files of the page: browsers neither run nor display it, whatever its name, and
   * folders are listed.
   */
  readonly isData: boolean;
}

/** Responds with a file of a mount, or a folder's `index.html` or listing. */
export async function sendFile(mount: FileMount, below: string, asked: Asked, head: Head): Promise<void> {
  const isFolder = below === "" || below.endsWith("/");
  const name = isFolder && !mount.isData ? `${below}index.html` : below;
  const found = await openBelow(mount, name);
  if (!found) return notFound(asked, head);
  const { place, handle, info } = found;
  try {
    if (info.isFile()) await sendOpen(found, asked, { ...head, ...contentType(place, mount.isData) });
    else if (info.isDirectory() && isFolder && mount.isData) await sendListing(found, asked, head);
    else notFound(asked, head); // devices and pipes could block
  } finally {
    await handle.close();
  }
}

/** An open file or folder, and its real path. */
interface Opened {
  readonly place: string;
  readonly handle: FileHandle;
  readonly info: BigIntStats;
}

/** Attempts to open a file that is being replaced. */
const maxAttempts = 8;

/**
 * Opens a file or folder below a mount; undefined if it does not exist, or if its name or a symbolic link leads out of
 * the mount. The handle is what the checked path names: a link put in its place between the check and the opening is not
 * followed.
 */
async function openBelow(mount: FileMount, below: string): Promise<Opened | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const place = await resolveBelow(mount, below);
    if (place === undefined) return undefined;
    const handle = await open(place, openFlags).catch(unlessReplaced);
    if (handle === "unreadable") return undefined;
    const info = await handle?.stat({ bigint: true });
    if (handle && info && (await isAt(place, info))) return { place, handle, info };
    await handle?.close();
  }
  throw new Error("the file was replaced during each attempt to open it");
}

/** Some systems lack the flags that avoid links and waiting. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Whether a path without links names an open file. */
async function isAt(place: string, { dev, ino }: BigIntStats): Promise<boolean> {
  const [real, there] = await Promise.all([
    realpath(place).catch(() => undefined),
    lstat(place, { bigint: true }).catch(() => undefined),
  ]);
  return real === place && there?.dev === dev && there.ino === ino;
}

function unlessReplaced(error: NodeJS.ErrnoException): "unreadable" | undefined {
  const { code = "" } = error;
  if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return undefined;
  if (["EISDIR", "ENXIO", "ENAMETOOLONG"].includes(code)) return "unreadable";
  throw error;
}

/** Real paths of mounts. Links that replace a mount later are not followed. */
const roots = new WeakMap<FileMount, string>();

/**
 * The real path of a file or folder below a mount; undefined if it does not exist, or if its name or a symbolic link
 * leads out of the mount.
 */
async function resolveBelow(mount: FileMount, below: string): Promise<string | undefined> {
  if (/[\0\\]/.test(below) || below.split("/").some((segment) => segment === "." || segment === ".."))
    return undefined;
  try {
    const from = roots.get(mount) ?? (await realpath(mount.root));
    roots.set(mount, from);
    const place = await realpath(below === "" ? from : path.join(from, below));
    return place === from || place.startsWith(from.endsWith(path.sep) ? from : from + path.sep)
      ? place
      : undefined;
  } catch {
    return undefined; // missing, or a name that the system rejects
  }
}

async function isDirectory(place: string): Promise<boolean> {
  const info = await stat(place).catch(() => undefined);
  return info?.isDirectory() === true;
}

async function sendOpen({ handle, info }: Opened, asked: Asked, head: Head): Promise<void> {
  const size = Number(info.size);
  const etag = `"${size.toString(16)}-${info.mtimeNs.toString(16)}"`;
  const { headers } = asked.request;
  if (headers["if-none-match"] === etag) {
    asked.response.writeHead(304, { ...head, ...rangeHead, etag }).end();
    return;
  }
  const isSame = headers["if-range"] === undefined || headers["if-range"] === etag;
  const part = sendRangeHead(asked, size, isSame ? headers.range : undefined, { ...head, etag });
  if (part) await sendBytes(handle, part, asked.response);
}

/**
 * If the client disconnects or the file shrinks during the response, ends the connection: never a complete-looking
 * body.
 */
async function sendBytes(file: FileHandle, part: ByteRange, response: ServerResponse) {
  await pipeline(file.createReadStream({ ...part, autoClose: false }), response).catch(() => {
    response.destroy();
  });
}

/** Entries of a folder, in the form of nginx's `autoindex_format json`. */
async function sendListing({ place, handle }: Opened, asked: Asked, head: Head): Promise<void> {
  // On Linux, this is the open folder itself, whatever its path names now.
  const folder = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : place;
  const entries: { name: string; type: "directory" | "file" }[] = [];
  for await (const entry of await opendir(folder)) {
    if (entries.length === maxEntries) break;
    // Links are listed as possible files and folders: opening them checks their targets.
    const isFolder =
      entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(path.join(folder, entry.name))));
    if (isFolder || entry.isFile()) entries.push({ name: entry.name, type: isFolder ? "directory" : "file" });
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  sendText(asked, 200, { ...head, "content-type": "application/json" }, JSON.stringify(entries));
}
