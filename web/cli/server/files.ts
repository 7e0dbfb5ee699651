/** Serves files and folders below a mount, in whole or in part, and never outside it. */
import { constants } from "node:fs";
import { type FileHandle, open, opendir, realpath, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { type ByteRange, rangeHead, sendRangeHead } from "./ranges.js";
import { type Asked, contentType, type Head, notFound, sendText } from "./response.js";

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
  const place = await resolveBelow(mount.root, name);
  if (place === undefined) return notFound(asked, head);
  if (isFolder && mount.isData && (await isDirectory(place))) return sendListing(place, asked, head);
  const file = await openFile(place);
  if (!file) return notFound(asked, head);
  try {
    await sendOpen(file, asked, { ...head, ...contentType(place, mount.isData) });
  } finally {
    await file.close();
  }
}

/**
 * The real path of a file or folder below a root; undefined if it does not exist, or if its name or a symbolic link
 * leads out of the root.
 */
async function resolveBelow(root: string, below: string): Promise<string | undefined> {
  if (/[\0\\]/.test(below) || below.split("/").some((segment) => segment === "." || segment === ".."))
    return undefined;
  try {
    const from = await realpath(root);
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

/** Opens a file; undefined for folders, devices and pipes, which could block. */
async function openFile(place: string): Promise<FileHandle | undefined> {
  const handle = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(unlessUnreadable);
  if (!handle) return undefined;
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

function unlessUnreadable(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "ENXIO", "ENAMETOOLONG"].includes(error.code ?? ""))
    throw error;
}

async function sendOpen(file: FileHandle, asked: Asked, head: Head): Promise<void> {
  const { size, mtimeMs } = await file.stat();
  const etag = `"${size.toString(16)}-${Math.floor(mtimeMs * 1000).toString(16)}"`;
  const { headers } = asked.request;
  if (headers["if-none-match"] === etag) {
    asked.response.writeHead(304, { ...head, ...rangeHead, etag }).end();
    return;
  }
  const isSame = headers["if-range"] === undefined || headers["if-range"] === etag;
  const part = sendRangeHead(asked, size, isSame ? headers.range : undefined, { ...head, etag });
  if (part) await sendBytes(file, part, asked.response);
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
async function sendListing(folder: string, asked: Asked, head: Head): Promise<void> {
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
