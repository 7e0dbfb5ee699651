/** Detects deletions of files that are read. Compares devices and inodes, as one folder may have several paths. */
import { nodeModule } from "../base/platform.js";
import { documentNames } from "./deletion.js";
import { fileId, folderIn, readEntries } from "./file-entries.js";

type Fs = typeof import("node:fs/promises");
type Path = typeof import("node:path");
type Urls = typeof import("node:url");

/** Symbolic links on one path, as most systems allow. */
const maxLinks = 40;

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
  const { fileURLToPath } = await nodeModule<Urls>("node:url");
  const own = await fileId(deleted);
  if (own === undefined) return undefined;
  const needed = new NeededFiles(signal);
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

  constructor(private readonly signal: AbortSignal | undefined) {}

  nameOf(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#names.get(id);
  }

  /** Adds a file, or a folder with everything in it, and the folders of all links on the path. */
  async add(name: string): Promise<void> {
    const [fs, path, { pathToFileURL }] = await Promise.all([
      nodeModule<Fs>("node:fs/promises"),
      nodeModule<Path>("node:path"),
      nodeModule<Urls>("node:url"),
    ]);
    const places = [{ name: path.resolve(name), isLink: false }];
    for (let next = places.pop(); next; next = places.pop()) {
      this.signal?.throwIfAborted();
      const real = await this.#resolve(fs, path, next.name);
      const id = await fileId(real);
      if (id === undefined) continue;
      this.#names.set(id, real);
      if (this.#visited.has(id) || (next.isLink && !(await isRead(fs, path, next.name)))) continue;
      this.#visited.add(id);
      const info = await fs.stat(real);
      if (!info.isDirectory()) {
        await this.#addFolderOf(path, real);
        continue;
      }
      const url = folderUrl(pathToFileURL(real));
      try {
        for await (const batch of readEntries(url))
          for (const entry of batch)
            if (entry.isDirectory() || entry.isSymbolicLink())
              places.push({ name: path.join(real, entry.name), isLink: entry.isSymbolicLink() });
      } catch {
        // A folder that cannot be listed cannot be read.
      }
    }
  }

  /** The path with its symbolic links resolved, as far as it exists. */
  async #resolve(fs: Fs, path: Path, name: string): Promise<string> {
    let links = 0;
    let { root: real } = path.parse(name);
    const rest = name.slice(real.length).split(path.sep).reverse();
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      if (next === "" || next === ".") continue;
      if (next === "..") {
        real = path.dirname(real);
        continue;
      }
      const at = path.join(real, next);
      const target = links < maxLinks ? await fs.readlink(at).catch(() => undefined) : undefined;
      if (target === undefined) {
        real = at;
        continue;
      }
      links++;
      await this.#addFolderOf(path, at);
      if (path.isAbsolute(target)) real = path.parse(target).root;
      rest.push(
        ...target
          .slice(path.isAbsolute(target) ? real.length : 0)
          .split(path.sep)
          .reverse(),
      );
    }
    return real;
  }

  /** Emptying the folder of a link or file deletes it. */
  async #addFolderOf(path: Path, name: string): Promise<void> {
    const id = await fileId(path.dirname(name));
    if (id !== undefined) this.#names.set(id, name);
  }
}
