/** Lists folders for deletions, without following symbolic links, and detects deletions of files that are read. */

import { ZarrError } from "../../util/errors.js";
import { nodeModule } from "../../util/platform.js";
import { documentNames, type StoredEntry } from "../deletion.js";
import { isSegment } from "../path.js";
import { fileError, isMissing } from "./read.js";

type Fs = typeof import("node:fs/promises");
type Entry = import("node:fs").Dirent;

const fileSystem = () => nodeModule<Fs>("node:fs/promises");

/** Entries that are read from a folder at a time. */
const batchLength = 1024;

/** Folder that file systems create in the root of a volume. It is not listed. */
const volumeFolder = "lost+found";

/** URL of an entry of a folder. The folder's URL must end in "/". */
const entryUrl = (folder: URL, name: string): URL => new URL(encodeURIComponent(name), folder);

/** URL of a folder in a folder. */
export const folderIn = (folder: URL, name: string): URL => new URL(`${encodeURIComponent(name)}/`, folder);

/** Reads a folder in batches. A missing folder has no entries. @throws Network ("file-failed"). */
export async function* readEntries(folder: URL): AsyncGenerator<Entry[]> {
  const fs = await fileSystem();
  try {
    const entries = await fs.opendir(folder, { bufferSize: batchLength });
    const batch: Entry[] = [];
    for await (const entry of entries) if (batch.push(entry) === batchLength) yield batch.splice(0);
    if (batch.length > 0) yield batch;
  } catch (cause) {
    if (!isMissing(cause)) throw fileError(folder, "listed", cause);
  }
}

/**
 * Lists everything in a folder, in the order of the file system.
 * @param folder its URL, with a trailing "/".
 * @param path its path in the store.
 * @throws NotAllowed ("protected-folder"), unless the folder is empty; Network ("file-failed").
 */
export async function* entriesIn(folder: URL, path: string): AsyncGenerator<StoredEntry[]> {
  const fs = await fileSystem();
  const folders: [url: URL, path: string][] = [[folder, path]];
  let isChecked = false;
  for (let next = folders.pop(); next; next = folders.pop()) {
    const [url, at] = next;
    for await (const batch of readEntries(url)) {
      const found: StoredEntry[] = [];
      for (const entry of batch) {
        const { name } = entry;
        if (at === "" && name === volumeFolder) continue;
        const below = at === "" ? name : `${at}/${name}`;
        if (!isAddressable(name)) found.push({ key: `/${below}`, kind: "other" });
        else if (entry.isDirectory()) folders.push([folderIn(url, name), below]);
        else if (entry.isFile()) found.push({ key: `/${below}`, kind: "object" });
        else found.push({ key: `/${below}`, kind: await linkKind(fs, entryUrl(url, name), entry) });
      }
      if (found.length === 0) continue;
      if (!isChecked) await refuseProtected(folder);
      isChecked = true;
      yield found;
    }
  }
}

/** Whether a key can name an entry. Names that are not UTF-8 are read with replacement characters. */
const isAddressable = (name: string): boolean => isSegment(name) && !name.includes("\ufffd");

async function linkKind(fs: Fs, url: URL, entry: Entry): Promise<StoredEntry["kind"]> {
  if (!entry.isSymbolicLink()) return "other";
  const target = await fs.stat(url).catch(() => undefined); // a dangling link may replace a file
  return target?.isDirectory() ? "link" : "object";
}

/**
 * Identifies a file or folder by its device and inode, which are the same under all its names.
 * @returns undefined if it is missing or cannot be reached, and on file systems without inodes.
 */
export async function fileId(place: URL | string): Promise<string | undefined> {
  const fs = await fileSystem();
  const info = await fs.stat(place, { bigint: true }).catch(() => undefined);
  return info && info.ino !== 0n ? `${info.dev}:${info.ino}` : undefined;
}

/** The kind of a folder. Undefined for files, links to files and missing ones. @param url without a trailing "/". */
export async function folderKind(url: URL): Promise<"folder" | "link" | undefined> {
  const fs = await fileSystem();
  try {
    const info = await fs.lstat(url);
    if (info.isDirectory()) return "folder";
    if (!info.isSymbolicLink()) return undefined;
    return (await fs.stat(url)).isDirectory() ? "link" : undefined;
  } catch (cause) {
    if (!isMissing(cause)) throw fileError(url, "listed", cause);
    return undefined;
  }
}

/**
 * Removes the empty folders in a folder, and the folder itself. Folders that are not empty or in use are kept.
 * @param isRoot keeps the folder itself.
 */
export async function removeEmptyFoldersIn(folder: URL, isRoot: boolean): Promise<void> {
  const fs = await fileSystem();
  const remove = async (url: URL, isKept: boolean): Promise<void> => {
    const names: string[] = [];
    for await (const batch of readEntries(url))
      for (const entry of batch) if (entry.isDirectory() && isAddressable(entry.name)) names.push(entry.name);
    for (const name of names)
      if (!(isKept && name === volumeFolder)) await remove(folderIn(url, name), false);
    if (!isKept) await fs.rmdir(url).catch(() => {});
  };
  await remove(folder, isRoot);
}

/**
 * Refuses to empty the root of the file system, the home folder, the folders above it, and the folders above the
 * working directory.
 * @throws NotAllowed ("protected-folder").
 */
export async function refuseProtected(folder: URL): Promise<void> {
  const [os, path, host] = await Promise.all([
    nodeModule<typeof import("node:os")>("node:os"),
    nodeModule<typeof import("node:path")>("node:path"),
    nodeModule<typeof import("node:process")>("node:process"),
  ]);
  const own = await fileId(folder);
  if (own === undefined) return;
  for (const [start, name] of [
    [pathOrUndefined(() => os.homedir()), "home folder"],
    [pathOrUndefined(() => host.cwd()), "working directory"],
  ] as const) {
    for (let [at, inner] = [start, ""]; at && at !== inner; [at, inner] = [path.dirname(at), at]) {
      const isRoot = path.dirname(at) === at;
      if (at === start && name === "working directory" && !isRoot) continue; // it may be emptied
      if ((await fileId(at)) !== own) continue;
      const what = isRoot ? "the root of the file system" : `${at === start ? "" : "above "}the ${name}`;
      throw new ZarrError("NotAllowed", `${folder} is ${what}; its contents are never deleted`, {
        code: "protected-folder",
      });
    }
  }
}

/** Undefined on systems without a home folder, and if the working directory has been removed. */
function pathOrUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

type Path = typeof import("node:path");
type Urls = typeof import("node:url");

/**
 * Finds a file or folder that is read and lies inside another one.
 * @param deleted URL of the file or folder. Symbolic links in it are not followed.
 * @param read URLs of files and folders that are read. Symbolic links in them are followed, as reading does.
 * @returns the path of a file or folder that is read and would be deleted; undefined for none.
 */
export async function overlappingFile(
  deleted: URL,
  read: AsyncIterable<URL>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [fs, path, { fileURLToPath }] = await Promise.all([
    nodeModule<Fs>("node:fs/promises"),
    nodeModule<Path>("node:path"),
    nodeModule<Urls>("node:url"),
  ]);
  const own = await fileId(deleted);
  if (own === undefined) return undefined;
  const needed = new NeededFiles(fs, path, signal);
  for await (const url of read) await needed.add(fileURLToPath(url));
  const found = needed.find(own);
  if (found !== undefined) return found;
  const folders = [folderUrl(deleted)];
  for (let url = folders.pop(); url; url = folders.pop()) {
    signal?.throwIfAborted();
    for await (const batch of readEntries(url)) {
      for (const entry of batch.filter((one) => one.isDirectory())) {
        const folder = folderIn(url, entry.name);
        const inside = needed.find(await fileId(folder));
        if (inside !== undefined) return inside;
        folders.push(folder);
      }
    }
  }
  return undefined;
}

function folderUrl(url: URL): URL {
  const folder = new URL(url);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

/** Whether readers follow a link: to a file, a node or a folder of chunks. */
async function isRead(fs: Fs, path: Path, link: string): Promise<boolean> {
  if (/^(c|\d+)$/.test(path.basename(link)) || !(await fs.stat(link)).isDirectory()) return true;
  for (const name of documentNames) if ((await fileId(path.join(link, name))) !== undefined) return true;
  return false;
}

/** The folders that hold the files to read, and the links on the way to them. */
class NeededFiles {
  /** Paths by device and inode. */
  readonly #names = new Map<string, string>();
  readonly #visited = new Set<string>();
  /** Paths that were searched for links. */
  readonly #searched = new Set<string>();

  constructor(
    private readonly fs: Fs,
    private readonly path: Path,
    private readonly signal: AbortSignal | undefined,
  ) {}

  find(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#names.get(id);
  }

  /** Adds a file, or a folder with everything in it, and the folders of all links on the path. */
  async add(name: string): Promise<void> {
    const { fs, path } = this;
    const places = [{ name: path.resolve(name), isLink: true, isStart: true }];
    for (let next = places.pop(); next; next = places.pop()) {
      this.signal?.throwIfAborted();
      if (next.isLink) await this.#addLinks(next.name);
      const real = next.isLink ? await fs.realpath(next.name).catch(() => undefined) : next.name;
      const id = real && (await fileId(real));
      if (!real || !id) continue;
      this.#names.set(id, real);
      if (this.#visited.has(id)) continue;
      if (next.isLink && !next.isStart && !(await isRead(fs, path, next.name))) continue;
      this.#visited.add(id);
      if (next.isLink && !(await fs.stat(real)).isDirectory()) {
        await this.#addParent(real);
        continue;
      }
      for (const { name: below, isLink } of await foldersAndLinks(real))
        places.push({ name: path.join(real, below), isLink, isStart: false });
    }
  }

  /** Adds the folders of the links on a path, and on the paths of their targets. */
  async #addLinks(name: string): Promise<void> {
    const { fs, path } = this;
    for (let at = name; !this.#searched.has(at); at = path.dirname(at)) {
      this.#searched.add(at);
      const target = await fs.readlink(at).catch(() => undefined);
      if (target === undefined) continue;
      await this.#addParent(at);
      const folder = await fs.realpath(path.dirname(at));
      await this.#addLinks(path.resolve(folder, target));
    }
  }

  /** Emptying the folder of a link or file deletes it. */
  async #addParent(name: string): Promise<void> {
    const id = await fileId(this.path.dirname(name));
    if (id !== undefined) this.#names.set(id, name);
  }
}

/** Folders and links in a folder. A folder that cannot be listed cannot be read, either. */
async function foldersAndLinks(folder: string): Promise<{ name: string; isLink: boolean }[]> {
  const { pathToFileURL } = await nodeModule<Urls>("node:url");
  const found: { name: string; isLink: boolean }[] = [];
  try {
    for await (const batch of readEntries(folderUrl(pathToFileURL(folder))))
      for (const entry of batch)
        if (entry.isDirectory() || entry.isSymbolicLink())
          found.push({ name: entry.name, isLink: entry.isSymbolicLink() });
  } catch {
    // Reported by the reads.
  }
  return found;
}
