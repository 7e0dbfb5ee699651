/** Detects deletions of files that are read. Compares devices and inodes, as one folder may have several paths. */
import { nodeModule } from "../../util/platform.js";
import { documentNames } from "../deletion.js";
import { fileId, folderIn, readEntries } from "./entries.js";

type Fs = typeof import("node:fs/promises");
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
  const found = needed.nameOf(own);
  if (found !== undefined) return found;
  const folders = [folderUrl(deleted)];
  for (let url = folders.pop(); url; url = folders.pop()) {
    signal?.throwIfAborted();
    for await (const batch of readEntries(url)) {
      for (const entry of batch.filter((one) => one.isDirectory())) {
        const folder = folderIn(url, entry.name);
        const inside = needed.nameOf(await fileId(folder));
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

  nameOf(id: string | undefined): string | undefined {
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
        await this.#addFolderOf(real);
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
      await this.#addFolderOf(at);
      const folder = await fs.realpath(path.dirname(at));
      await this.#addLinks(path.resolve(folder, target));
    }
  }

  /** Emptying the folder of a link or file deletes it. */
  async #addFolderOf(name: string): Promise<void> {
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
